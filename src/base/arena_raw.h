/* What base itself needs of an arena beyond include/base/arena.h: bytes that are not zeroed and
 * that may still change their size, and a count for tests. */
#ifndef SRC_BASE_ARENA_RAW_H
#define SRC_BASE_ARENA_RAW_H

#include "base/arena.h"

#include <stdbool.h>

enum {
    ARENA_BLOCK_MIN = 4 << 10,
    ARENA_BLOCK_MAX = 256 << 10,
    ARENA_KEEP_MAX =
        1 << 20, /* what arena_reset keeps; beyond it, one huge event would pin memory */
};

/* Bytes with whatever was in them, aligned for any type. NULL when the ceiling would be passed. */
void *arena_raw(Arena *a, size_t size);

/* Like arena_raw but overdraws the ceiling; never NULL. */
void *arena_raw_overdraw(Arena *a, size_t size);

/* The same bytes with room for `size`: in place when `old` was handed out last, else a copy. NULL
 * when the ceiling would be passed; `old` is then as it was. */
void *arena_raw_resize(Arena *a, void *old, size_t old_size, size_t size);

/* Like arena_raw_resize but overdraws the ceiling; never NULL. */
void *arena_raw_resize_overdraw(Arena *a, void *old, size_t old_size, size_t size);

/* True when `size` bytes more would stay below the ceiling. */
bool arena_has_room(const Arena *a, size_t size);

/* How many blocks the arena has asked the process for since it was opened. */
size_t arena_blocks(const Arena *a);

#endif
