/* A Json as base sees it from inside: a tape of yyjson values.
 *
 * A value and all that is in it stand one behind the other: a container first, then its elements,
 * or its keys each followed by its value. A container knows where it ends, as a distance from
 * itself, so a whole subtree is copied by copying its stretch of tape, and a walk over everything
 * in it is a loop over an array. */
#ifndef SRC_BASE_JSON_TAPE_H
#define SRC_BASE_JSON_TAPE_H

#include "base/json.h"

#include <yyjson.h>

static inline yyjson_val *json_val(const Json *v)
{
    return (yyjson_val *)v;
}

static inline const Json *json_of(yyjson_val *val)
{
    return (const Json *)val;
}

/* How many places of the tape a value takes with all that is in it. */
static inline size_t val_extent(yyjson_val *val)
{
    return (size_t)(unsafe_yyjson_get_next(val) - val);
}

/* Makes a value a container without children. */
static inline void val_set_container(yyjson_val *val, yyjson_type type)
{
    val->tag = type;
}

/* An object without members. */
yyjson_val *val_empty_object(void);

/* The allocator of yyjson over an arena. It overdraws the ceiling: callers ask before. yyjson takes
 * generous guesses; json_memory_trim gives back what the newest one had too much. */
typedef struct JsonMemory {
    Arena *arena;
    void *newest;
    size_t size;
} JsonMemory;

yyjson_alc json_memory_allocator(JsonMemory *m);
void json_memory_trim(JsonMemory *m, const void *end);

/* A tape being written: containers are opened and closed, values copied in between. Strings stay
 * where they are. Starts as (Tape){.arena = a}. */
typedef struct Tape {
    Arena *arena;
    yyjson_val *vals;
    size_t count;
    size_t capacity;
    struct {
        size_t at;
        size_t len;
    } open[JSON_DEPTH_MAX];
    size_t depth;
} Tape;

/* Opens an array or object (YYJSON_TYPE_ARR, YYJSON_TYPE_OBJ); deeper than JSON_DEPTH_MAX is a BUG.
 */
void tape_open(Tape *t, yyjson_type type);

/* Closes what was opened last. */
void tape_close(Tape *t);

/* Takes what was opened last back, with its contents and its key. */
void tape_drop(Tape *t);

/* True while nothing stands in what was opened last. */
bool tape_is_empty(const Tape *t);

/* The key of the value that follows. */
void tape_key(Tape *t, yyjson_val *key);

/* A value with all that is in it. */
void tape_value(Tape *t, yyjson_val *val);

/* The finished value; everything must be closed. */
const Json *tape_seal(Tape *t);

/* Goes through the children of a container. */
typedef struct Children {
    yyjson_val **sorted; /* keys in order, or NULL: as they stand on the tape */
    yyjson_val *next;
    size_t left;
    bool keyed;
} Children;

/* The children as they stand; none when it is no container. */
static inline Children children_of(yyjson_val *container)
{
    if (!unsafe_yyjson_is_ctn(container))
        return (Children){.left = 0};
    return (Children){
        .next = container + 1,
        .left = unsafe_yyjson_get_len(container),
        .keyed = unsafe_yyjson_is_obj(container),
    };
}

/* The children of an object in bytewise order of keys, equal keys as they stand; those of an array
 * as they stand. The order is kept in the arena. */
Children children_sorted(Arena *a, yyjson_val *container);

/* The next child, or NULL. Of an object it is the value; its key stands right before it. */
static inline yyjson_val *children_next(Children *c)
{
    if (c->left == 0)
        return NULL;
    c->left--;
    if (c->sorted)
        return *c->sorted++ + 1;
    yyjson_val *child = c->next + c->keyed;
    c->next = unsafe_yyjson_get_next(child);
    return child;
}

/* Bytewise order of two keys. */
int key_compare(yyjson_val *left, yyjson_val *right);

/* A number in the one form that numbers of its value have: unsigned when it is a whole one that
 * fits, else signed, else real. */
yyjson_val number_normal(yyjson_val *number);

/* True when a value is nested no deeper than JSON_DEPTH_MAX. */
bool json_depth_fits(const Json *v);

#endif
