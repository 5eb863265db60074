/* Slab: pieces do not overlap, are used again, and pages go back. */
#include "base/rng.h"
#include "base/slab.h"
#include "tests/test.h"

static const struct {
    const char *name;
    size_t size;
} sizes[] = {
    {"nothing", 0},
    {"one byte", 1},
    {"the smallest class", 16},
    {"one more than the smallest class", 17},
    {"the last fine class", 256},
    {"the first coarse class", 257},
    {"a power of two", 1024},
    {"one more than a power of two", 1025},
    {"the largest class", 8192},
    {"the first that malloc serves", 8193},
    {"a megabyte", 1 << 20},
};

TEST(slab_pieces_of_every_size_can_be_filled)
{
    Slab *s = slab_open();
    each_case(i, sizes) {
        char *left = slab_alloc(s, sizes[i].size), *right = slab_alloc(s, sizes[i].size);
        memset(left, 'l', sizes[i].size);
        memset(right, 'r', sizes[i].size);

        then_int((uintptr_t)left % 16, 0);
        then_int((uintptr_t)right % 16, 0);
        then_true(left != right);
        for (size_t at = 0; at < sizes[i].size; at++)
            then_true(left[at] == 'l' && right[at] == 'r');
        slab_free(s, left, sizes[i].size);
        slab_free(s, right, sizes[i].size);
    }
    slab_close(s);
}

TEST(a_freed_slab_piece_is_used_again)
{
    Slab *s = slab_open();
    each_case(i, sizes) {
        if (sizes[i].size > 8192)
            continue;
        void *kept = slab_alloc(s, sizes[i].size);
        void *first = slab_alloc(s, sizes[i].size);
        slab_free(s, first, sizes[i].size);
        void *second = slab_alloc(s, sizes[i].size);

        then_true(second == first);
        slab_free(s, second, sizes[i].size);
        slab_free(s, kept, sizes[i].size);
    }
    slab_close(s);
}

TEST(replacing_slab_pieces_repeatedly_allocates_no_memory)
{
    Slab *s = slab_open();
    void *piece = slab_alloc(s, 1500);
    size_t before = slab_footprint(s);

    for (int i = 0; i < 10000; i++) {
        void *next = slab_alloc(s, 1500);
        slab_free(s, piece, 1500);
        piece = next;
    }
    then_int(slab_footprint(s), before);
    slab_close(s);
}

TEST(empty_slab_pages_are_released_except_for_four)
{
    enum { PIECES = 5000 };
    Slab *s = slab_open();
    void *pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++)
        pieces[i] = slab_alloc(s, 1000);
    then_true(slab_footprint(s) >= PIECES * (size_t)1000);
    then_true(slab_footprint(s) < PIECES * (size_t)1000 * 11 / 10);

    for (size_t i = 0; i < PIECES; i++)
        slab_free(s, pieces[i], 1000);
    then_int(slab_footprint(s), 4 * (64 << 10));

    void *other_class = slab_alloc(s, 20);
    then_int(slab_footprint(s), 4 * (64 << 10));
    slab_free(s, other_class, 20);
    slab_close(s);
}

/* Nothing goes to the system and comes back when pieces of a few sizes come and go. */
TEST(a_few_sizes_in_turn_keep_their_slab_pages)
{
    static const size_t turn[] = {16, 200, 1000, 4000};
    Slab *s = slab_open();

    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < array_count(turn); i++)
            slab_free(s, slab_alloc(s, turn[i]), turn[i]);
        void *all[array_count(turn)];
        for (size_t i = 0; i < array_count(turn); i++)
            all[i] = slab_alloc(s, turn[i]);
        for (size_t i = 0; i < array_count(turn); i++)
            slab_free(s, all[i], turn[i]);
        then_int(slab_footprint(s), 4 * (64 << 10));
    }
    slab_close(s);
}

TEST(used_slab_pieces_are_counted)
{
    Slab *s = slab_open();
    void *small = slab_alloc(s, 16), *large = slab_alloc(s, 1 << 20);

    then_int(slab_count(s), 2);
    slab_free(s, small, 16);
    slab_free(s, NULL, 16);
    then_int(slab_count(s), 1);
    slab_free(s, large, 1 << 20);
    then_int(slab_count(s), 0);
    slab_close(s);
}

TEST(a_large_slab_piece_is_released_at_once)
{
    Slab *s = slab_open();
    void *piece = slab_alloc(s, 1 << 20);
    then_true(slab_footprint(s) > 1 << 20);
    slab_free(s, piece, 1 << 20);
    then_int(slab_footprint(s), 0);
    slab_close(s);
}

TEST(closing_a_slab_releases_the_used_pieces)
{
    Slab *s = slab_open();
    for (size_t size = 1; size < 20000; size = size * 3 / 2 + 1)
        then_true(slab_alloc(s, size) != NULL);
    slab_close(s);
    slab_close(NULL);
}

TEST(freeing_a_null_slab_piece_does_nothing)
{
    Slab *s = slab_open();
    slab_free(s, NULL, 10);
    then_int(slab_footprint(s), 0);
    slab_close(s);
}

TEST(freeing_a_slab_piece_with_a_wrong_size_is_a_bug)
{
    Slab *s = slab_open();
    void *piece = slab_alloc(s, 100);
    then_bug("class", slab_free(s, piece, 1000));
    slab_close(s);
}

/* A piece keeps the byte it was filled with, whatever comes and goes around it. */
TEST(slab_pieces_never_overlap_in_random_play)
{
    enum { PIECES = 400, ROUNDS = 40000 };
    struct {
        unsigned char *data;
        size_t size;
    } pieces[PIECES] = {0};
    SeededRng rng;
    rng_seed(&rng, 7);
    Slab *s = slab_open();

    for (int round = 0; round < ROUNDS; round++) {
        size_t i = rng_below(&rng.port, PIECES);
        for (size_t at = 0; at < pieces[i].size; at++)
            then_true(pieces[i].data[at] == (unsigned char)i);
        slab_free(s, pieces[i].data, pieces[i].size);
        pieces[i].size = rng_below(&rng.port, rng_below(&rng.port, 20) == 0 ? 20000 : 600);
        pieces[i].data = slab_alloc(s, pieces[i].size);
        memset(pieces[i].data, (int)i, pieces[i].size);
    }
    slab_close(s);
}
