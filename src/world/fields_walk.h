/* Walking one value or two side by side, with their shape: the children of a container paired by
 * the names they have in fieldsV1; and the two sets that come out of such walks. */
#ifndef SRC_WORLD_FIELDS_WALK_H
#define SRC_WORLD_FIELDS_WALK_H

#include "world/fields_set.h"

/* How a value is looked at under a shape. */
typedef enum FieldForm {
    FORM_NONE,   /* absent, or null: takes the form of its counterpart */
    FORM_LEAF,   /* as a whole */
    FORM_FIELDS, /* an object, by its fields */
    FORM_LIST,   /* a list, by its elements */
} FieldForm;

FieldForm fieldform_of(const Shape *shape, const Json *value);

/* True when it has nothing in it. */
bool fieldform_is_empty(const Json *value);

/* What stands on both sides under one name. */
typedef struct FieldPair {
    const char *name; /* of fieldsV1 */
    const char *key;  /* of an object's field */
    const Json *left, *right;
    const Shape *shape;
    size_t
        order; /* among the children as they stand, those of the left before those of the right */
    bool declared;
    bool repeated;  /* several elements of a list have the name: they are not looked into */
    unsigned flags; /* what is known of it in a comparison because of that */
} FieldPair;

/* The children of two containers of one form (either may be NULL or null), in the order of names.
 */
FieldPair *fieldpair_list(Arena *a, const FieldPair *around, FieldForm form, size_t *ret_count);

/* What differs between two objects (either may be NULL), as one tree with the flags of a
 * comparison. */
const FieldSet *fieldset_compare(
    Arena *a, const Shape *shape, const Json *before, const Json *after);

/* What somebody owns who applies this. */
const FieldSet *fieldset_of(Arena *a, const Shape *shape, const Json *applied);

#endif
