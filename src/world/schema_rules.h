/* ShapeRules: what a value of a custom kind must be like; the patterns that texts must match; and
 * the rules in CEL. */
#ifndef SRC_WORLD_SCHEMA_RULES_H
#define SRC_WORLD_SCHEMA_RULES_H

#include "world/cel.h"
#include "world/schema_faults.h"
#include "world/schema_shape.h"

#include <stdint.h>

typedef struct Pattern Pattern;

/* One of x-kubernetes-validations. */
typedef struct ShapeCel {
    const Cel *rule;
    const Cel *message_of;        /* messageExpression, or NULL */
    const char *message, *reason; /* or NULL */
    const char *field;            /* fieldPath without its first dot, or NULL */
    const char *text;             /* of the rule */
} ShapeCel;

enum { RULE_NONE = -1 };

struct ShapeRules {
    const char *type;    /* "object", "integer", "integer,string"; NULL: any */
    bool int_or_string;  /* said once more, as "anyOf" */
    bool is_time;        /* a text that is a date-time */
    bool is_resource;    /* an object of the API inside of another */
    const Json *choices; /* enum, or NULL */
    const Json *required;
    const char *pattern_text;
    const Pattern *pattern;         /* or NULL */
    int64_t length_min, length_max; /* in characters; RULE_NONE */
    int64_t items_min, items_max;
    int64_t members_min, members_max;
    const Json *least, *most, *factor; /* numbers, or NULL */
    bool above_least, below_most;      /* the bound itself is outside */
    const ShapeCel *cel;
    size_t cel_count;
    bool cel_within; /* here or further inside there are some */
};

/* Where rules in CEL stand in a definition. */
typedef struct CelPlace {
    const Shape *shape;
    ShapeRules *rules; /* of the shape */
    const Json *said;  /* x-kubernetes-validations */
    const char *path;  /* "spec.validation.openAPIV3Schema.properties[spec]" */
    const char *loose; /* the path of a list whose elements are not the same from write to write */
    bool is_resource;
} CelPlace;

/* Compiles the rules of a place, or says what is wrong with them. */
void schema_read_cel(Arena *a, const CelPlace *place, SchemaFaults *ret);

/* Adds the rules in CEL that an object breaks. */
void schema_check_cel(
    Arena *a, const Schema *schema, const Json *object, const Json *before, SchemaFaults *ret);

/* Compiles a pattern of the server's (RE2), pinned to the arena. NULL when it has parts that this
 * house does not know: flags, lazy and possessive repetition, classes by name. */
const Pattern *pattern_new(Arena *a, const char *text);

/* True when some part of the text matches. */
bool pattern_matches(const Pattern *pattern, const char *text);

#endif
