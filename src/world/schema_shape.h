/* Shape: how a value is made up, as far as merging needs to know it: which fields an object
 * declares, which lists are merged by the keys or the values of their elements, and what is
 * replaced as a whole.
 *
 * Tables list only what is special. A field that no table mentions is plain: a scalar or a list is
 * one thing, an object is merged field by field. */
#ifndef SRC_WORLD_SCHEMA_SHAPE_H
#define SRC_WORLD_SCHEMA_SHAPE_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Shape Shape;
typedef struct ShapeRules ShapeRules;

typedef enum ShapeMerge {
    SHAPE_FIELDS, /* an object, field by field */
    SHAPE_ATOMIC, /* whatever it is, as a whole */
    SHAPE_KEYED,  /* a list of objects, told apart by keys */
    SHAPE_SET,    /* a list of scalars, each there or not */
} ShapeMerge;

typedef struct ShapeField {
    const char *name; /* NULL ends a table */
    const Shape *shape;
} ShapeField;

typedef struct ShapeKey {
    const char *name; /* NULL ends a table; in the order of names */
    const char *text; /* JSON of the value that an absent key counts as, or NULL */
} ShapeKey;

struct Shape {
    ShapeMerge merge;
    const ShapeField *fields; /* of an object, in the order of names; may be NULL */
    const Shape *rest;    /* of its other fields, or of the elements of a list; NULL: shape_plain */
    const ShapeKey *keys; /* of a keyed list */
    bool free_keys;       /* of an object: the other fields are data, as labels are */
    const ShapeRules *rules; /* what custom resources are completed and checked by; may be NULL */
};

/* Of whatever no table mentions. */
extern const Shape shape_plain;

/* Of whatever has no schema at all: every key of an object is data. */
extern const Shape shape_any;

/* The shape of a field, and whether the schema declares it. */
const Shape *shape_of_field(const Shape *shape, const char *name, bool *ret_declared);

/* The shape of the elements of a list. */
const Shape *shape_of_element(const Shape *shape);

struct Schema {
    const Shape *root;
    const char
        *blank;      /* the object of its kind that says nothing, as JSON: what a create changes */
    bool has_status; /* which writes to the object itself leave alone */
    bool is_pod;     /* writes to its status leave its owners alone, too */
    const struct KindRules *kind_rules; /* of a built-in kind; may be NULL */
};

#endif
