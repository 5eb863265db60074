/* FieldSet: a set of paths into an object, as a tree whose branches are in the server's order.
 *
 * A name is spelled as in fieldsV1: "f:spec", "k:{\"name\":\"x\"}", "v:\"a\"". A node may be a
 * member of several sets at once, each a bit of its flags: so a comparison is one tree. Sets are
 * never changed once made and share their branches. Trees are no deeper than JSON_DEPTH_MAX. */
#ifndef SRC_WORLD_FIELDS_SET_H
#define SRC_WORLD_FIELDS_SET_H

#include "base/arena.h"
#include "base/json.h"
#include "world/schema_shape.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct FieldSet FieldSet;

enum {
    FIELD_OWNED = 1, /* of a set of its own */
    FIELD_ADDED = 1, /* of a comparison */
    FIELD_MODIFIED = 2,
    FIELD_REMOVED = 4,
    FIELD_CHANGED = FIELD_ADDED | FIELD_MODIFIED,
};

typedef struct FieldNode {
    const char *name;
    unsigned flags;
    const FieldSet *inside; /* never empty; NULL for nothing */
} FieldNode;

struct FieldSet {
    size_t count;
    const FieldNode *nodes;
};

/* The order of names: fields, keys, values; numbers by value. */
int fieldset_compare_names(const char *left, const char *right);

/* The node of a name, or NULL. */
const FieldNode *fieldset_find(const FieldSet *set, const char *name);

/* Members of `left` and of `right`, where they need a flag of `mask`, put together. What comes from
 * the left keeps its flags. NULL is an empty set, in and out. */
typedef enum FieldSetOp {
    FIELDSET_BOTH,   /* in both */
    FIELDSET_EITHER, /* in one or the other */
    FIELDSET_ONLY,   /* in the left alone */
    FIELDSET_OUTSIDE /* in the left alone, and no prefix of it in the right */
} FieldSetOp;
const FieldSet *fieldset_combine(
    Arena *a, const FieldSet *left, FieldSetOp op, const FieldSet *right, unsigned mask);

/* True when some member of the left is in the right. */
bool fieldset_touches(const FieldSet *left, const FieldSet *right, unsigned mask);

/* The set with every declared field in it that has members inside. */
const FieldSet *fieldset_with_parents(Arena *a, const FieldSet *set, const Shape *shape);

/* --- making one --- */

/* A set being made, branch by branch; names must come in order. */
typedef struct FieldSetMaker {
    Arena *arena;
    size_t depth; /* of branches that are open */
    struct {
        FieldNode *nodes;
        size_t count;
        FieldNode node; /* which they are inside of */
    } open[JSON_DEPTH_MAX + 1];
} FieldSetMaker;

/* Opens the root, of at most `max` nodes. */
void fieldset_begin(FieldSetMaker *m, Arena *a, size_t max);

/* Opens a branch: what is inside of a node. */
void fieldset_open(FieldSetMaker *m, FieldNode node, size_t max);

/* Puts a node with everything that is inside of it. One without flags and insides is left out. */
void fieldset_put(FieldSetMaker *m, FieldNode node);

/* Closes the branch that was opened last and puts its node. Gives what was in it, or NULL. */
const FieldSet *fieldset_close(FieldSetMaker *m);

/* --- as text --- */

/* Reads fieldsV1. Names that no server writes are left out. */
const FieldSet *fieldset_decode(Arena *a, const Json *fields);

/* Writes fieldsV1; never NULL. */
const Json *fieldset_encode(Arena *a, const FieldSet *set);

/* Calls `visit` with each member as people write it, ".spec.ports[port=80].name", in the server's
 * order: those of one level before those further inside. */
typedef void FieldVisit(void *self, const char *path);
void fieldset_each(Arena *a, const FieldSet *set, FieldVisit *visit, void *self);

/* A name as people write it: ".spec", "[name=\"x\",port=80]", "[=\"a\"]". */
const char *fieldset_shown_name(Arena *a, const char *name);

/* The name of a member of an object; of an element of a keyed list or of a set, NULL when it has
 * none of the keys or is no scalar. */
const char *fieldset_field_name(Arena *a, const char *key);
const char *fieldset_element_name(Arena *a, const Shape *list, const Json *element);

#endif
