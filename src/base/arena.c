/* Arena: a chain of blocks, of which only the newest is carved.
 *
 * After a reset there is one block or none: when a unit of work needed several, the next one gets a
 * single block as large as all that was used. So an arena that is reset after each event settles on
 * one block of the size of the largest event and asks for nothing more; and because at most
 * ARENA_KEEP_MAX is kept, a single huge event is forgotten. Under the address sanitizer everything
 * that is not handed out is poisoned: use after reset is caught. */
#include "base/arena.h"

#include "base/arena_raw.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/poison.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = alignof(max_align_t) };

typedef struct Block {
    struct Block *older;
    size_t size;
    alignas(max_align_t) char data[];
} Block;

typedef struct Pin {
    struct Pin *older;
    void (*release)(void *thing);
    void *thing;
} Pin;

struct Arena {
    Block *newest;
    size_t offset; /* in the newest block */
    size_t used;
    size_t peak; /* the most that was in use since the last reset */
    size_t ceiling;
    size_t block_size; /* of the next block */
    size_t blocks;
    bool secret; /* wiped before it is let go */
    Pin *pins;
};

static size_t aligned(size_t size)
{
    if (size > SIZE_MAX / 2)
        BUG("an allocation of more than half the address space");
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t clamp(size_t size, size_t least, size_t most)
{
    return size < least ? least : size > most ? most : size;
}

/* Nothing of a secret stays behind. The compiler may not leave out an explicit_bzero. */
static void leave_block(const Arena *a, Block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
    if (a->secret)
        explicit_bzero(block->data, block->size);
}

static void free_blocks(Arena *a)
{
    while (a->newest) {
        Block *block = a->newest;
        a->newest = block->older;
        leave_block(a, block);
        free(block);
    }
}

static void add_block(Arena *a, size_t needed)
{
    size_t size = a->block_size > needed ? a->block_size : needed;
    Block *block = memory_new(sizeof(Block) + size);

    block->older = a->newest;
    block->size = size;
    ASAN_POISON_MEMORY_REGION(block->data, block->size);
    a->newest = block;
    a->offset = 0;
    a->blocks++;
    if (a->block_size < ARENA_BLOCK_MAX)
        a->block_size *= 2;
}

static void release_pins(Arena *a)
{
    while (a->pins) {
        Pin *pin = a->pins;
        a->pins = pin->older;
        pin->release(pin->thing);
    }
}

Arena *arena_open(size_t ceiling)
{
    Arena *a = memory_new_zeroed(1, sizeof *a);
    a->ceiling = ceiling;
    a->block_size = ARENA_BLOCK_MIN - sizeof(Block);
    return a;
}

void arena_close(Arena *a)
{
    if (!a)
        return;
    release_pins(a);
    free_blocks(a);
    free(a);
}

void arena_close_scoped(Arena **a)
{
    arena_close(*a);
}

void arena_reset(Arena *a)
{
    release_pins(a);
    bool one_block = a->newest && !a->newest->older;
    if (one_block && a->newest->size <= ARENA_KEEP_MAX) {
        leave_block(a, a->newest);
        ASAN_POISON_MEMORY_REGION(a->newest->data, a->newest->size);
    } else if (a->newest) {
        free_blocks(a);
        a->block_size = clamp(a->peak, ARENA_BLOCK_MIN, ARENA_KEEP_MAX);
    }
    a->offset = 0;
    a->used = 0;
    a->peak = 0;
}

static void count_used(Arena *a, size_t taken)
{
    a->used += taken;
    if (a->used > a->peak)
        a->peak = a->used;
}

void *arena_raw_overdraw(Arena *a, size_t size)
{
    size_t taken = aligned(size);
    if (!a->newest || taken > a->newest->size - a->offset)
        add_block(a, taken);

    char *data = a->newest->data + a->offset;
    ASAN_UNPOISON_MEMORY_REGION(data, size);
    a->offset += taken;
    count_used(a, taken);
    return data;
}

bool arena_has_room(const Arena *a, size_t size)
{
    return a->used <= a->ceiling && size <= a->ceiling - a->used;
}

void *arena_raw(Arena *a, size_t size)
{
    return arena_has_room(a, size) ? arena_raw_overdraw(a, size) : NULL;
}

/* The newest allocation alone can change its size where it stands. */
static bool is_newest(const Arena *a, const char *data, size_t size)
{
    return a->newest && data + aligned(size) == a->newest->data + a->offset;
}

void *arena_raw_resize_overdraw(Arena *a, void *old, size_t old_size, size_t size)
{
    bool newest = is_newest(a, old, old_size);
    if (!newest && size <= old_size)
        return old;
    if (newest) {
        a->offset -= aligned(old_size);
        a->used -= aligned(old_size);
    }
    void *data = arena_raw_overdraw(a, size);
    if (data != old)
        memcpy(data, old, size < old_size ? size : old_size);
    if (newest) {
        ASAN_POISON_MEMORY_REGION(old, aligned(old_size));
        ASAN_UNPOISON_MEMORY_REGION(data, size);
    }
    return data;
}

void *arena_raw_resize(Arena *a, void *old, size_t old_size, size_t size)
{
    size_t given_back = is_newest(a, old, old_size) ? aligned(old_size) : 0;
    if (size > old_size && !arena_has_room(a, aligned(size) - given_back))
        return NULL;
    return arena_raw_resize_overdraw(a, old, old_size, size);
}

void *arena_alloc(Arena *a, size_t size)
{
    return memset(arena_raw_overdraw(a, size), 0, size);
}

void *arena_alloc_array(Arena *a, size_t count, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole))
        BUG("an array larger than the address space");
    return arena_alloc(a, whole);
}

Err *arena_try(Arena *a, size_t size, void **ret)
{
    void *data = arena_raw(a, size);
    if (!data)
        return err_terminal(a,
            "%zu bytes more would pass the limit of %zu for one piece of work",
            size,
            a->ceiling);
    *ret = memset(data, 0, size);
    return OK;
}

Err *arena_err(Arena *a)
{
    if (a->used <= a->ceiling)
        return OK;
    return err_terminal(
        a, "%zu bytes are in use, the limit for one piece of work is %zu", a->used, a->ceiling);
}

void arena_pin(Arena *a, void (*release)(void *thing), void *thing)
{
    Pin *pin = arena_new(a, Pin);
    *pin = (Pin){.older = a->pins, .release = release, .thing = thing};
    a->pins = pin;
}

void arena_keep_secret(Arena *a)
{
    a->secret = true;
}

size_t arena_used(const Arena *a)
{
    return a->used;
}

size_t arena_blocks(const Arena *a)
{
    return a->blocks;
}
