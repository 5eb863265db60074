/* Shape: how a value is made up: which fields an object has and what they are when nobody says so,
 * which lists are merged by the keys or the values of their elements, and what is replaced as a
 * whole.
 *
 * Built-in kinds have tables of shapes; those of custom kinds are made from their
 * openAPIV3Schema. A field without a shape is plain: a scalar or a list is one thing, an object is
 * merged field by field. */
#ifndef SRC_WORLD_SCHEMA_SHAPE_H
#define SRC_WORLD_SCHEMA_SHAPE_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Shape Shape;
typedef struct ShapeRules ShapeRules;
typedef struct Schema Schema;

typedef enum ShapeMerge {
    SHAPE_FIELDS, /* an object, field by field */
    SHAPE_ATOMIC, /* whatever it is, as a whole */
    SHAPE_KEYED,  /* a list of objects, told apart by keys */
    SHAPE_SET,    /* a list of scalars, each there or not */
} ShapeMerge;

/* What a value of a built-in kind is, as Go decodes it. */
typedef enum ShapeType {
    SHAPE_UNTYPED, /* nobody looks */
    SHAPE_TEXT,
    SHAPE_INT32,
    SHAPE_INT64,
    SHAPE_FLAG,
    SHAPE_INT_OR_TEXT,
    SHAPE_TIME,       /* of whole seconds */
    SHAPE_MICRO_TIME, /* with a fraction */
    SHAPE_QUANTITY,
    SHAPE_BYTES, /* base64 */
    SHAPE_LIST,
    SHAPE_MAP,
} ShapeType;

/* What becomes of a field that is absent, null, or zero: false, 0, "", [] or {}. */
typedef enum ShapeZero {
    SHAPE_ZERO_LEFT_OUT, /* zero is as good as absent */
    SHAPE_ZERO_KEPT,     /* zero says something */
    SHAPE_ZERO_SHOWN,    /* written even when it is absent */
} ShapeZero;

/* What a field is made from when it is absent. */
typedef struct ShapeScene {
    Arena *arena;
    const Schema *schema;
    const Json *root;   /* the whole object, as it was sent */
    const Json *object; /* the one that the field is missing in */
} ShapeScene;

typedef struct ShapeField {
    const char *name;
    const Shape *shape; /* NULL: shape_plain */
    ShapeZero zero;
    const char *shown;        /* what SHAPE_ZERO_SHOWN writes, as JSON5 */
    const char *preset;       /* what an absent field is, as JSON5; or NULL */
    const Json *preset_value; /* the same for custom kinds */
    const Json *(*compute)(const ShapeScene *scene); /* the same, when it depends; may give NULL */
} ShapeField;

typedef struct ShapeKey {
    const char *name; /* NULL ends a table; in the order of names */
    const char *text; /* JSON of the value that an absent key counts as, or NULL */
} ShapeKey;

struct Shape {
    ShapeMerge merge;
    ShapeType type;
    const ShapeField *fields; /* of an object, in the order of names */
    size_t field_count;
    const Shape *rest;       /* of its other fields, or of the elements of a list; NULL: plain */
    const ShapeKey *keys;    /* of a keyed list */
    bool free_keys;          /* of an object: the other fields are data, as labels are */
    bool closed;             /* of an object: there are no other fields */
    bool untouched;          /* is never completed inside */
    bool is_quantity;        /* a scalar of which the server stores one spelling: "1000m" is "1" */
    bool nullable;           /* null says something */
    const ShapeRules *rules; /* what a value of a custom kind is checked by; or NULL */
};

/* Of whatever no table mentions. */
extern const Shape shape_plain;

/* Of whatever has no schema at all: every key of an object is data. */
extern const Shape shape_any;

/* The row of a field, or NULL. */
const ShapeField *shape_find(const Shape *shape, const char *name);

/* The shape of a field, and whether the schema declares it. */
const Shape *shape_of_field(const Shape *shape, const char *name, bool *ret_declared);

/* The shape of the elements of a list. */
const Shape *shape_of_element(const Shape *shape);

struct Schema {
    const Shape *root;
    bool has_status;  /* which writes to the object itself leave alone */
    bool is_pod;      /* writes to its status leave its owners alone, too */
    bool has_rules;   /* in CEL */
    const char *kind; /* as in messages: "StatefulSet.apps" */
    const Json *(*adjust)(Arena *a, const Json *object); /* before it is completed; or NULL */
};

/* A custom object with its defaults, in which null stays where it is not allowed: what the server
 * makes of an applied one, and then refuses. */
const Json *schema_fill(Arena *a, const Schema *schema, const Json *object);

/* The object of a kind that says nothing: what a create changes. */
const Json *schema_blank(Arena *a, const Schema *schema);

#endif
