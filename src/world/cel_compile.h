/* CelCompile: an expression on its way from text to steps. The types of operands stand on a stack
 * just as their values will when it runs; what is open (a parenthesis, an operator that waits for
 * its right side) stands on another. */
#ifndef SRC_WORLD_CEL_COMPILE_H
#define SRC_WORLD_CEL_COMPILE_H

#include "world/cel_program.h"

typedef struct Operand {
    CelType type;
    size_t at;     /* where faults of it are shown */
    size_t select; /* the step behind it that selects a field, plus 1; else 0 */
} Operand;

typedef enum FrameKind {
    FRAME_OPERATOR,
    FRAME_THEN, /* between ? and : */
    FRAME_ELSE, /* behind : */
    FRAME_GROUP,
    FRAME_HAS,
    FRAME_CALL,
    FRAME_LIST,
    FRAME_INDEX,
    FRAME_MACRO,
} FrameKind;

typedef struct Frame {
    FrameKind kind;
    const char *name; /* of the function */
    size_t args;      /* so far, with what a method is called of */
    int rank;         /* of an operator: what binds tighter is higher */
    size_t at;        /* where it stands in the text */
    size_t step;      /* whose target is set when it ends */
    bool is_method;
    CelMacro macro;
    CelType condition; /* of ? */
} Frame;

typedef struct CelCompile {
    Arena *arena;
    const char *text;
    size_t next; /* place of the text behind the token */
    CelToken token;
    CelType self;
    CelStep *steps;
    size_t step_count, step_capacity;
    Operand operands[CEL_DEPTH_MAX];
    size_t operand_count;
    Frame frames[CEL_DEPTH_MAX];
    size_t frame_count;
    struct {
        const char *name;
        CelType type;
    } slots[CEL_SLOTS_MAX];
    size_t slot_count;
    bool uses_old;
    bool has_operand; /* an operator may follow; else an operand must */
    bool is_done;
} CelCompile;

/* An error at a place of the text, with a picture. */
Err *compile_fault(CelCompile *c, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4))) MUST_CHECK;
Err *compile_unexpected(CelCompile *c) MUST_CHECK;

/* Goes on to the next token. */
Err *compile_advance(CelCompile *c) MUST_CHECK;
bool compile_sees(const CelCompile *c, const char *sign);
/* Goes over a sign that must be here. */
Err *compile_expect(CelCompile *c, const char *sign) MUST_CHECK;

/* Adds a step; the one added last is c->steps[c->step_count - 1]. */
Err *compile_emit(CelCompile *c, CelStep step) MUST_CHECK;
Err *compile_push(CelCompile *c, CelType type, size_t at) MUST_CHECK;
Err *compile_open(CelCompile *c, Frame frame) MUST_CHECK;

/* Ends a call of a function: takes its operands and puts its result. */
Err *compile_call(CelCompile *c, const Frame *f) MUST_CHECK;

/* Reads an operand up to what may stand behind it; and what stands behind it, if it belongs to it:
 * a field, a method, an index. */
Err *compile_operand(CelCompile *c) MUST_CHECK;
Err *compile_member(CelCompile *c) MUST_CHECK;

/* An error when an operand is not true or false. */
Err *compile_check_flag(CelCompile *c, const Operand *operand) MUST_CHECK;

/* Ends has() and macros at their closing parenthesis. */
Err *compile_close_has(CelCompile *c) MUST_CHECK;
Err *compile_close_macro(CelCompile *c, const Frame *f) MUST_CHECK;

#endif
