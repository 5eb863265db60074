/* Arena: memory that lives as long as one unit of work.
 *
 * A reconcile, a watch event or a command opens an arena, allocates from it without
 * ever freeing, and closes it. Things that are not memory (a pinned snapshot, a file)
 * can be tied to the arena with arena_pin and are let go when it closes.
 *
 * Every arena has a ceiling. Allocations whose size follows from input go through
 * arena_try and fail with an Err when they would pass it; small fixed ones go through
 * arena_alloc, which never fails: it may overdraw the ceiling, and arena_err tells the
 * owner of the arena. malloc returning NULL aborts the process.
 *
 * By how much arena_alloc overdraws is bounded. Bytes come in through arena_try and
 * json_parse alone, which ask before they allocate. What is made of them has a size that
 * the code fixes: a few copies of what came in. And an arena that is overdrawn gets nothing
 * more: the ports of a reconcile refuse each further read and write of it. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;
typedef struct Err Err;

/* Marks a function that never returns NULL. */
#define NEVER_NULL __attribute__((returns_nonnull))

/* Opens an arena that may hold `ceiling` bytes. Never NULL. Close with arena_close. */
Arena *arena_open(size_t ceiling) NEVER_NULL;

/* Lets go of every pin, newest first, and of all memory. Accepts NULL. */
void arena_close(Arena *a);

/* Lets go of every pin and of the contents but keeps the memory, for the next unit of
 * work: an arena that is reset after each event allocates nothing once it is warm. */
void arena_reset(Arena *a);

/* From now on everything in the arena is overwritten before its memory is given back or used for
 * the next unit of work: for one that reads keys. */
void arena_keep_secret(Arena *a);

/* `size` zeroed bytes, aligned for any type. Never NULL; size 0 is allowed. For sizes that
 * the code fixes, not the input. */
void *arena_alloc(Arena *a, size_t size) NEVER_NULL;

/* Like arena_alloc for sizes that follow from input: ERR_TERMINAL when the ceiling would be
 * passed, and then *ret is untouched. */
Err *arena_try(Arena *a, size_t size, void **ret) __attribute__((warn_unused_result));

/* ERR_TERMINAL when arena_alloc has overdrawn the ceiling, else OK. */
Err *arena_err(Arena *a) __attribute__((warn_unused_result));

/* Calls release(thing) when the arena is closed or reset. */
void arena_pin(Arena *a, void (*release)(void *thing), void *thing);

/* Bytes handed out since the arena was opened or reset. */
size_t arena_used(const Arena *a);

/* For the macro arena_array alone. More than memory can hold is a BUG. */
void *arena_alloc_array(Arena *a, size_t count, size_t size) NEVER_NULL;

/* One zeroed T, or `count` of them, in the arena. */
#define arena_new(a, T)          ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, count) ((T *)arena_alloc_array((a), (size_t)(count), sizeof(T)))

/* For SCOPED_ARENA alone. */
void arena_close_scoped(Arena **a);

/* An arena that closes when its variable leaves scope: SCOPED_ARENA a = arena_open(1 << 20); */
#define SCOPED_ARENA __attribute__((cleanup(arena_close_scoped))) Arena *

#endif
