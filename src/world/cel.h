/* Cel: rules in the Common Expression Language, as CustomResourceDefinitions state them: compiled
 * once, with the types of the schema they stand in, and asked of every object.
 *
 * A rule becomes a flat list of steps for a machine with a stack, so neither compiling nor running
 * recurses on what somebody wrote; size, depth and cost are bounded. What the real server knows and
 * this one does not is refused by the name it is called, as the real one refuses what it does not
 * know: "undeclared reference to 'url' (in container '')". */
#ifndef WORLD_CEL_H
#define WORLD_CEL_H

#include "base/err.h"
#include "base/json.h"
#include "world/schema_shape.h"

#include <stdbool.h>
#include <stdint.h>

/* An expression that was understood. */
typedef struct Cel Cel;

/* What an expression is about, and what it must give. */
typedef struct CelScope {
    const Shape *self;
    bool is_resource; /* self has apiVersion, kind and metadata */
    bool gives_text;  /* a message; else true or false */
} CelScope;

/* Compiles an expression into the arena. ERR_TERMINAL with the server's words: "compilation failed:
 * ERROR: <input>:1:5: undefined field 'x'" and a picture of the place. */
Err *cel_compile(Arena *a, const char *text, const CelScope *scope, const Cel **ret) MUST_CHECK;

/* Whether it speaks of oldSelf. */
bool cel_uses_old(const Cel *cel);

typedef struct CelSubject {
    const Json *self, *old; /* `old` NULL: oldSelf is an error */
    const Shape *shape;     /* of both */
} CelSubject;

typedef struct CelAnswer {
    bool holds;
    const char *text;  /* of an expression that gives text */
    const char *error; /* "no such key: x"; NULL when it could be answered */
    bool is_mismatch;  /* the error is that types do not fit */
    bool is_spent;     /* the error is the cost */
} CelAnswer;

/* Asks it of a value. `budget` is what all may cost that share it, and is lowered; what it makes on
 * the way is in the arena, and bounded by the cost. */
CelAnswer cel_ask(Arena *a, const Cel *cel, const CelSubject *subject, int64_t *budget);

enum { CEL_BUDGET = 10000000 };

#endif
