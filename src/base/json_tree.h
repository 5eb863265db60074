/* A JSON value as a tree that can change: what a Draft is, and what a JSON patch works on.
 *
 * A stretch of tape can be grafted into the tree as it is. It becomes nodes only where somebody
 * looks into it, one level at a time, so changing one field of a large object costs a few nodes. */
#ifndef SRC_BASE_JSON_TREE_H
#define SRC_BASE_JSON_TREE_H

#include "base/draft.h"
#include "base/json_tape.h"

struct Draft {
    Arena *arena;
    yyjson_val key;      /* a string in an object, nothing elsewhere */
    yyjson_val val;      /* a scalar, or the type of a container */
    yyjson_val *graft;   /* the tape that stands for the whole value, or NULL */
    Draft *first, *last; /* children, unless grafted */
    Draft *next;         /* sibling */
    size_t count;
    bool adopted; /* has a parent */
};

/* A node of its own for a value; strings are borrowed. */
Draft *tree_value(Arena *a, yyjson_val *val);

/* An empty array or object. */
Draft *tree_container(Arena *a, yyjson_type type);

/* Turns a graft into nodes, one level deep. */
void tree_expand(Draft *d);

/* Turns a value and what is in it back into a graft, and gives its tape. */
yyjson_val *tree_graft(Draft *d);

/* The child of a key or at an index, or NULL. */
Draft *tree_find(Draft *object, Bytes key);
Draft *tree_at(Draft *array, size_t index);

/* Puts a child before `next` (NULL: at the end). A child that has a parent already is a BUG. */
void tree_insert(Draft *container, Draft *child, Draft *next);

/* Takes a child out. */
void tree_remove(Draft *container, Draft *child);

/* The tree as a tape in the arena. Nodes nested deeper than JSON_DEPTH_MAX are a BUG; whether
 * grafts make it too deep, the caller asks. */
const Json *tree_seal(Arena *a, const Draft *d);

#endif
