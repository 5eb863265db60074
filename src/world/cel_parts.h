/* The parts of CEL that its lexer, compiler, functions and machine share: types, values, tokens. */
#ifndef SRC_WORLD_CEL_PARTS_H
#define SRC_WORLD_CEL_PARTS_H

#include "world/cel.h"

enum {
    CEL_TEXT_MAX = 16384,
    CEL_STEPS_MAX = 4096,
    CEL_DEPTH_MAX = 64,    /* of operands, and of what is open at one place */
    CEL_SLOTS_MAX = 8,     /* of macros in macros */
    CEL_ELEMENT_COST = 10, /* of a list that is made */
};

typedef enum CelKind {
    CEL_NONE, /* no type: the schema says nothing of it */
    CEL_DYN,
    CEL_NULL,
    CEL_BOOL,
    CEL_INT,
    CEL_DOUBLE,
    CEL_TEXT,
    CEL_TIME,
    CEL_LIST,
    CEL_MAP,
    CEL_OBJECT, /* of types alone: its values are maps */
    CEL_TYPE,
    CEL_ERROR, /* of values alone */
} CelKind;

/* --- types --- */

typedef struct CelType {
    CelKind kind;
    const Shape *shape;            /* of what stands in the object, or NULL */
    const struct CelType *element; /* of a list that the rule makes */
    bool is_resource, is_metadata;
} CelType;

CelType cel_type_of(const Shape *shape);
CelType cel_type_element(CelType type);

/* The type of a field by its name in a rule; CEL_NONE when there is none. */
CelType cel_type_field(Arena *a, CelType object, const char *name);

/* Whether values of the two can be compared, or stand in one place. */
bool cel_types_meet(CelType left, CelType right);

const char *cel_type_text(Arena *a, CelType type);

/* Whether a parameter of a function takes a kind: a letter as in CelFunction. */
bool cel_fits(char letter, CelKind kind);

/* The name of a property that a rule spells so: "a__dash__b" is "a-b". NULL when it is none. */
const char *cel_property(Arena *a, const char *name);

/* --- values --- */

typedef struct CelValue {
    CelKind kind;
    bool flag;
    int64_t number; /* also the kind that a CEL_TYPE means */
    double real;
    const char *text; /* also of an error */
    const Json *json; /* of a list or map of the object */
    const Shape *shape;
    const struct CelValue *items; /* of a list that the rule made */
    size_t count;
} CelValue;

CelValue cel_value_of(const Json *json, const Shape *shape);
CelValue cel_flag(bool flag);
CelValue cel_number(int64_t number);
CelValue cel_text(const char *text);
CelValue cel_error(const char *text);

extern const char cel_mismatch[]; /* "no such overload" */

/* --- the lexer --- */

typedef enum CelTokenKind {
    CEL_TOKEN_END,
    CEL_TOKEN_NAME,
    CEL_TOKEN_LITERAL,
    CEL_TOKEN_SIGN,
    CEL_TOKEN_BAD,
} CelTokenKind;

typedef struct CelToken {
    CelTokenKind kind;
    size_t at;
    const char *text; /* of a name or sign; what is wrong with a bad one */
    CelValue value;   /* of a literal */
} CelToken;

/* The token that begins at *at or after it; *at is moved behind it. */
CelToken cel_token(Arena *a, const char *text, size_t *at);

#endif
