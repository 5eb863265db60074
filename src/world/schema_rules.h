/* ShapeRules: what a value of a custom kind must be like; and the patterns that texts must match.
 */
#ifndef SRC_WORLD_SCHEMA_RULES_H
#define SRC_WORLD_SCHEMA_RULES_H

#include "world/schema_shape.h"

#include <stdint.h>

typedef struct Pattern Pattern;

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
};

/* Compiles a pattern of the server's (RE2), pinned to the arena. NULL when it has parts that this
 * house does not know: flags, lazy and possessive repetition, classes by name. */
const Pattern *pattern_new(Arena *a, const char *text);

/* True when some part of the text matches. */
bool pattern_matches(const Pattern *pattern, const char *text);

#endif
