/* Arena: memory of one unit of work, its ceiling, its pins, and what a reset keeps. */
#include "base/arena_raw.h"
#include "tests/test.h"

#include <stdalign.h>

enum { CEILING = 1 << 20 };

static bool is_zero(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

TEST(arena_memory_is_zeroed_and_aligned_and_does_not_overlap)
{
    SCOPED_ARENA a = arena_open(CEILING);
    char *before = NULL;

    for (size_t size = 0; size < 2000; size += 7) {
        char *data = arena_alloc(a, size);
        then_true(data != NULL);
        then_true(is_zero(data, size));
        then_int((uintptr_t)data % alignof(max_align_t), 0);
        memset(data, 0xAA, size);
        if (before)
            then_int(before[0] & 0xFF, 0xAA);
        before = size ? data : NULL;
    }
}

TEST(arena_memory_is_zeroed_again_after_a_reset)
{
    SCOPED_ARENA a = arena_open(CEILING);
    memset(arena_alloc(a, 1000), 0xAA, 1000);

    arena_reset(a);

    then_int(arena_used(a), 0);
    then_true(is_zero(arena_alloc(a, 1000), 1000));
}

TEST(secret_arena_memory_is_overwritten_before_it_is_used_again)
{
    SCOPED_ARENA a = arena_open(CEILING);
    arena_keep_secret(a);
    memset(arena_alloc(a, 1000), 0xAA, 1000);

    arena_reset(a);

    then_true(is_zero(arena_raw(a, 1000), 1000));
}

TEST(an_arena_array_has_room_for_each_element)
{
    SCOPED_ARENA a = arena_open(CEILING);
    int64_t *numbers = arena_array(a, int64_t, 10000);
    for (int i = 0; i < 10000; i++)
        numbers[i] = i;
    then_int(numbers[9999], 9999);
    then_true(arena_used(a) >= 80000);
    then_bug("larger than the address space", arena_alloc_array(a, SIZE_MAX / 4, sizeof(int64_t)));
    then_bug("half the address space", arena_alloc(a, SIZE_MAX - 8));
}

TEST(an_arena_allocation_for_input_fails_at_the_maximum)
{
    SCOPED_ARENA a = arena_open(1000);
    void *first = NULL, *second = NULL, *huge = NULL;

    then_ok(arena_try(a, 600, &first));
    then_true(is_zero(first, 600));
    then_err(arena_try(a, 600, &second), TERMINAL("would pass the limit of 1000"));
    then_err(arena_try(a, SIZE_MAX, &huge), TERMINAL("would pass the limit of 1000"));
    then_true(second == NULL && huge == NULL);
}

TEST(an_arena_can_be_filled_exactly_to_its_maximum)
{
    SCOPED_ARENA a = arena_open(1024);
    void *half = NULL, *other_half = NULL;

    then_ok(arena_try(a, 512, &half));
    then_ok(arena_try(a, 512, &other_half));
    then_int(arena_used(a), 1024);
    then_ok(arena_err(a));
}

TEST(an_arena_allocation_by_code_may_exceed_the_maximum_and_is_reported)
{
    SCOPED_ARENA a = arena_open(1000);
    arena_alloc(a, 1000 - 1000 % alignof(max_align_t));
    then_ok(arena_err(a));

    arena_alloc(a, 600);

    then_err(arena_err(a), TERMINAL("the limit for one piece of work is 1000"));
    then_true(arena_raw(a, 1) == NULL);
    arena_reset(a);
    then_ok(arena_err(a));
}

static void note(void *thing)
{
    char **end = thing;
    *(*end)++ = 'x';
}

static void note_y(void *thing)
{
    char **end = thing;
    *(*end)++ = 'y';
}

TEST(arena_pins_are_released_in_reverse_order_and_only_once)
{
    char text[8] = "", *end = text;
    Arena *a = arena_open(CEILING);
    arena_pin(a, note, &end);
    arena_pin(a, note_y, &end);

    arena_reset(a);
    then_str(text, "yx");
    arena_reset(a);
    then_str(text, "yx");

    arena_pin(a, note, &end);
    arena_close(a);
    then_str(text, "yxx");
    arena_close(NULL);
}

static void work(Arena *a, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += 500)
        arena_alloc(a, 500);
    arena_alloc(a, bytes / 2);
}

TEST(a_warm_arena_allocates_no_more_blocks)
{
    SCOPED_ARENA a = arena_open(CEILING);
    work(a, 100000);
    arena_reset(a);
    work(a, 100000);
    size_t warm = arena_blocks(a);

    for (size_t i = 0; i < 100; i++) {
        arena_reset(a);
        work(a, i * 1000);
    }
    then_int(arena_blocks(a), warm);
}

TEST(a_huge_allocation_is_not_kept_after_a_reset)
{
    SCOPED_ARENA a = arena_open((size_t)64 << 20);
    arena_alloc(a, (size_t)32 << 20);
    arena_reset(a);
    size_t before = arena_blocks(a);

    work(a, 1000);
    then_int(arena_blocks(a), before + 1);
    arena_reset(a);
    work(a, ARENA_KEEP_MAX / 2);
    then_int(arena_blocks(a), before + 1);
}

TEST(the_newest_arena_allocation_is_resized_in_place)
{
    SCOPED_ARENA a = arena_open(2000);
    char *data = arena_raw(a, 100);
    memcpy(data, "contents", 9);

    then_true(arena_raw_resize(a, data, 100, 1000) == data);
    then_true(arena_raw_resize(a, data, 1000, 50) == data);
    then_true(arena_used(a) < 100);
    then_true(arena_raw_resize(a, data, 50, 5000) == NULL);
    then_str(data, "contents");
}

TEST(an_older_arena_allocation_moves_when_it_grows)
{
    SCOPED_ARENA a = arena_open(2000);
    char *data = arena_raw(a, 16);
    memcpy(data, "contents", 9);
    arena_alloc(a, 16);

    then_true(arena_raw_resize(a, data, 16, 8) == data);
    char *moved = arena_raw_resize(a, data, 16, 200);
    then_true(moved != data);
    then_str(moved, "contents");
    then_true(arena_raw_resize(a, data, 16, 3000) == NULL);
}
