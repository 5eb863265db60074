/* Cel as the machine sees it: steps over a stack, and the functions that they call. */
#ifndef SRC_WORLD_CEL_PROGRAM_H
#define SRC_WORLD_CEL_PROGRAM_H

#include "world/cel_parts.h"

typedef struct CelRun CelRun;

/* Operators are functions with names such as "_+_". Parameters are letters: b i d s t (time) l m
 * T (type), n for i or d, and * for any; so is the result, with 0 for the type of the first and e
 * for its element's. */
typedef struct CelFunction {
    const char *name, *params;
    char result;
    bool is_method;
    CelValue (*call)(CelRun *run, const CelValue *args);
} CelFunction;

extern const CelFunction cel_functions[]; /* ended by a NULL name */

typedef enum CelMacro { CEL_ALL, CEL_EXISTS, CEL_EXISTS_ONE, CEL_FILTER, CEL_MAP_TO } CelMacro;

typedef enum CelOp {
    CEL_PUSH,
    CEL_SELF,
    CEL_OLD,
    CEL_SLOT,       /* `to`: which */
    CEL_SELECT,     /* `name`, `value`: as it is spelled */
    CEL_HAS,        /* `name` */
    CEL_CALL,       /* `name`, `to`: arguments */
    CEL_MAKE_LIST,  /* `to`: elements */
    CEL_SKIP_FALSE, /* leaves false where it is, and goes `to` */
    CEL_SKIP_TRUE,
    CEL_AND,
    CEL_OR,
    CEL_BRANCH, /* false goes `to`, an error to `end` */
    CEL_GO,     /* `to` */
    CEL_LOOP,   /* over what is on the stack; `to`: slot, `end`: behind the macro */
    CEL_NEXT,   /* `macro`, `to`: where the body begins */
} CelOp;

typedef struct CelStep {
    CelOp op;
    size_t to, end;
    const char *name;
    const CelFunction *function; /* the first of its name */
    bool is_method;
    CelMacro macro;
    CelValue value;
} CelStep;

struct Cel {
    const CelStep *steps;
    size_t count;
    bool uses_old, gives_text;
};

/* --- what functions may do to a run --- */

Arena *cel_arena(CelRun *run);

/* Takes from what the run may cost. */
void cel_charge(CelRun *run, size_t cost);
/* Whether it has cost more than it may: nothing it gives counts any more. */
bool cel_is_spent(const CelRun *run);
/* What comparing two parts of the object costs at most. */
void cel_charge_object(CelRun *run);

size_t cel_size(const CelValue *value);
bool cel_equal(CelRun *run, const CelValue *left, const CelValue *right);

#endif
