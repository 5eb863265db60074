/* Packing: every text comes back as it was, texts that resemble each other take little, and models
 * go when nothing is packed by them any more. */
#include "base/rng.h"
#include "base/str.h"
#include "tests/test.h"
#include "world/packing.h"

#include <string.h>

enum { ARENA_MAX = 64 << 20, TEXT_MAX = 4096, ROUNDS = 3000 };

typedef struct Bench {
    Arena *arena, *work;
    Slab *slab;
    Packer *packer;
} Bench;

static Bench bench_open(void)
{
    Bench b = {.arena = arena_open(ARENA_MAX), .work = arena_open(ARENA_MAX), .slab = slab_open()};

    b.packer = packer_open(b.slab, b.work);
    return b;
}

static void bench_close(Bench *b)
{
    packer_close(b->packer);
    then_int(slab_count(b->slab), 0);
    slab_close(b->slab);
    arena_close(b->work);
    arena_close(b->arena);
}

/* Packs a text, reads it back, and gives how many bytes it took. */
static size_t there_and_back(Bench *b, Bytes text)
{
    Packed packed = packer_pack(b->packer, text);
    size_t size = packed.bytes.len;

    then_int(packed.len, text.len);
    then_true(size <= text.len);
    then_true(bytes_equal(packed_text(&packed, b->arena, text.len), text));
    size_t part = text.len / 3;
    then_true(bytes_equal(packed_text(&packed, b->arena, part), (Bytes){text.data, part}));
    model_drop(b->slab, packed.model);
    return size;
}

static Bytes repeated(Arena *a, const char *text, int times)
{
    const char *all = "";

    for (int i = 0; i < times; i++)
        all = str_format(a, "%s%s", all, text);
    return bytes_of(all);
}

static const struct {
    const char *name, *text;
    int times;
} texts[] = {
    {"nothing", "", 1},
    {"one byte", "x", 1},
    {"shorter than any match", "{\"a\":1}", 1},
    {"one that begins with a match", "abcdefgh", 2},
    {"one that repeats itself at once", "a", 1000},
    {"one that repeats itself later", "{\"name\":\"a\",\"value\":\"b\"},", 100},
    {"bytes above 127", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ", 50},
};

TEST(every_packed_text_is_unpacked_unchanged)
{
    each_case(i, texts) {
        Bench b = bench_open();
        Bytes text = repeated(b.arena, texts[i].text, texts[i].times);
        there_and_back(&b, text);
        there_and_back(&b, text); /* now perhaps by a model */
        bench_close(&b);
    }
}

/* What a mutation makes of a text: bytes that change, go, or come. */
static size_t mutate(Rng *rng, char *text, size_t len)
{
    for (uint64_t left = rng_below(rng, 6); left > 0; left--) {
        size_t at = len ? rng_below(rng, len) : 0, span = rng_below(rng, 40);
        span = span < len - at ? span : len - at;
        switch (rng_below(rng, 4)) {
        case 0:
            memset(text + at, (char)('a' + rng_below(rng, 26)), span);
            break;
        case 1:
            memmove(text + at, text + at + span, len - at - span);
            len -= span;
            break;
        case 2:
            span = span < TEXT_MAX - len ? span : TEXT_MAX - len;
            memmove(text + at + span, text + at, len - at);
            len += span;
            break;
        default:
            memmove(text, text + at, span);
            break;
        }
    }
    return len;
}

TEST(texts_that_change_gradually_are_unpacked_through_all_models)
{
    Bench b = bench_open();
    SeededRng rng;
    char text[TEXT_MAX] = {0};
    size_t len = 1500;

    rng_seed(&rng, 11);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)rng_below(&rng.port, 256);
    for (int i = 0; i < ROUNDS; i++) {
        len = mutate(&rng.port, text, len);
        there_and_back(&b, (Bytes){text, len});
        arena_reset(b.arena);
    }
    bench_close(&b);
}

static Bytes object(Arena *a, int number)
{
    const char *row =
        "{\"name\":\"SETTING\",\"value\":\"a value of some length that does not change\"},";

    return bytes_of(str_format(a,
        "{\"metadata\":{\"name\":\"web-%d\",\"uid\":\"%08x-0000\"},\"spec\":[%s{}],\"status\":{"
        "\"ip\":"
        "\"10.0.0.%d\"}}",
        number,
        (unsigned)number * 2654435761U,
        repeated(a, row, 50).data,
        number % 250));
}

TEST(similar_objects_are_packed_to_a_tenth_of_their_size)
{
    Bench b = bench_open();
    size_t plain = 0, packed = 0;

    for (int i = 0; i < 1000; i++) {
        Bytes text = object(b.arena, i);
        plain += text.len;
        packed += there_and_back(&b, text);
        arena_reset(b.arena);
    }
    then_true(packed < plain / 10);
    bench_close(&b);
}

TEST(a_packing_model_stays_while_a_packed_text_uses_it)
{
    Bench b = bench_open();
    Bytes first = object(b.arena, 1);
    Packed held = {0};

    while (!held.model) /* the first few are packed without one */
        held = packer_pack(b.packer, first);
    const char *kept = str_slice(b.arena, held.bytes.data, held.bytes.len);
    held.bytes = (Bytes){kept, held.bytes.len};
    for (int i = 0; i < 200; i++) { /* nothing like it: other models are made */
        Bytes other = repeated(b.arena, str_format(b.arena, "%d %d\n", i * 7919, i * 104729), 30);
        there_and_back(&b, other);
    }
    then_true(bytes_equal(packed_text(&held, b.arena, first.len), first));
    model_drop(b.slab, held.model);
    bench_close(&b);
}

TEST(without_a_packer_texts_are_stored_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Packed packed = packer_pack(NULL, bytes_of("text"));

    then_true(!packed.model && packed_text(&packed, a, 4).data == packed.bytes.data);
    then_true(bytes_equal(packed_text(&packed, a, 4), bytes_of("text")));
    model_drop(NULL, NULL);
    packer_close(NULL);
}
