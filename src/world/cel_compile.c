/* Operators, and what holds an expression together. An operator waits on the stack of frames until
 * one comes that binds no tighter; && and || leave a step behind that skips their right side. */
#include "world/cel_compile.h"

#include "base/str.h"
#include "kube/core/text.h"

#include <stdarg.h>
#include <string.h>

/* --- faults --- */

Err *compile_fault(CelCompile *c, size_t at, const char *format, ...)
{
    size_t line = 1, begin = 0;
    va_list args;
    Text dots = {.arena = c->arena};

    for (size_t i = 0; i < at; i++) {
        if (c->text[i] != '\n')
            continue;
        line++;
        begin = i + 1;
    }
    for (size_t i = begin; i < at; i++)
        if (((unsigned char)c->text[i] & 0xc0) != 0x80)
            text_add_byte(&dots, '.');
    va_start(args, format);
    const char *what = str_vformat(c->arena, format, args);
    va_end(args);
    return err_terminal(c->arena,
        "compilation failed: ERROR: <input>:%zu:%zu: %s\n | %.*s\n | %s^",
        line,
        dots.len + 1,
        what,
        (int)strcspn(c->text + begin, "\n"),
        c->text + begin,
        text_seen(&dots));
}

Err *compile_unexpected(CelCompile *c)
{
    const CelToken *token = &c->token;

    if (token->kind == CEL_TOKEN_BAD)
        return compile_fault(c, token->at, "%s", token->text);
    if (token->kind == CEL_TOKEN_LITERAL)
        return compile_fault(c, token->at, "Syntax error: a literal is not expected here");
    return compile_fault(c, token->at, "Syntax error: '%s' is not expected here", token->text);
}

/* --- tokens, steps, stacks --- */

Err *compile_advance(CelCompile *c)
{
    c->token = cel_token(c->arena, c->text, &c->next);
    return c->token.kind == CEL_TOKEN_BAD ? compile_unexpected(c) : OK;
}

bool compile_sees(const CelCompile *c, const char *sign)
{
    return c->token.kind == CEL_TOKEN_SIGN && str_eq(c->token.text, sign);
}

Err *compile_expect(CelCompile *c, const char *sign)
{
    return compile_sees(c, sign) ? compile_advance(c) : compile_unexpected(c);
}

static Err *too_large(CelCompile *c)
{
    return compile_fault(c, c->token.at, "expression is nested too deep or too long");
}

Err *compile_emit(CelCompile *c, CelStep step)
{
    if (c->step_count == CEL_STEPS_MAX)
        return too_large(c);
    if (c->step_count == c->step_capacity) {
        size_t capacity = c->step_capacity ? 2 * c->step_capacity : 32;
        CelStep *steps = arena_array(c->arena, CelStep, capacity);
        if (c->step_count > 0)
            memcpy(steps, c->steps, c->step_count * sizeof *steps);
        c->steps = steps;
        c->step_capacity = capacity;
    }
    c->steps[c->step_count++] = step;
    return OK;
}

Err *compile_push(CelCompile *c, CelType type, size_t at)
{
    if (c->operand_count == CEL_DEPTH_MAX)
        return too_large(c);
    c->operands[c->operand_count++] = (Operand){.type = type, .at = at};
    return OK;
}

Err *compile_open(CelCompile *c, Frame frame)
{
    if (c->frame_count == CEL_DEPTH_MAX)
        return too_large(c);
    c->frames[c->frame_count++] = frame;
    return OK;
}

Err *compile_check_flag(CelCompile *c, const Operand *operand)
{
    if (cel_fits('b', operand->type.kind))
        return OK;
    return compile_fault(c,
        operand->at,
        "expected type 'bool' but found '%s'",
        cel_type_text(c->arena, operand->type));
}

/* --- operators --- */

static const struct Operator {
    const char *sign, *name;
    int rank;
} operators[] = {
    {"||", "_||_", 1},
    {"&&", "_&&_", 2},
    {"==", "_==_", 3},
    {"!=", "_!=_", 3},
    {"<", "_<_", 3},
    {"<=", "_<=_", 3},
    {">", "_>_", 3},
    {">=", "_>=_", 3},
    {"in", "@in", 3},
    {"+", "_+_", 4},
    {"-", "_-_", 4},
    {"*", "_*_", 5},
    {"/", "_/_", 5},
    {"%", "_%_", 5},
};

static const struct Operator *operator_seen(const CelCompile *c)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (compile_sees(c, operators[i].sign))
            return &operators[i];
    return NULL;
}

static Err *end_operator(CelCompile *c)
{
    Frame f = c->frames[--c->frame_count];
    const Operand *right = &c->operands[c->operand_count - 1];

    if (f.step > 0) {
        TRY(compile_check_flag(c, right - 1));
        TRY(compile_check_flag(c, right));
    }
    TRY(compile_call(c, &f));
    if (f.step > 0)
        c->steps[f.step - 1].to = c->step_count;
    return OK;
}

/* Ends the operators that bind at least as tight. */
static Err *end_operators(CelCompile *c, int rank)
{
    while (c->frame_count > 0 && c->frames[c->frame_count - 1].kind == FRAME_OPERATOR
        && c->frames[c->frame_count - 1].rank >= rank)
        TRY(end_operator(c));
    return OK;
}

static Err *begin_operator(CelCompile *c, const struct Operator *o)
{
    Frame f = {
        .kind = FRAME_OPERATOR, .name = o->name, .args = 2, .rank = o->rank, .at = c->token.at};

    TRY(end_operators(c, o->rank));
    if (o->rank < 3) {
        TRY(compile_emit(c, (CelStep){.op = o->rank == 1 ? CEL_SKIP_TRUE : CEL_SKIP_FALSE}));
        f.step = c->step_count;
    }
    c->has_operand = false;
    TRY(compile_open(c, f));
    return compile_advance(c);
}

/* --- conditions --- */

static Frame *top(CelCompile *c)
{
    return c->frame_count > 0 ? &c->frames[c->frame_count - 1] : NULL;
}

static Err *begin_condition(CelCompile *c)
{
    CelType type;

    TRY(end_operators(c, 0));
    if (top(c) && top(c)->kind == FRAME_THEN)
        return compile_unexpected(c);
    type = c->operands[--c->operand_count].type;
    TRY(compile_emit(c, (CelStep){.op = CEL_BRANCH}));
    TRY(compile_open(c,
        (Frame){
            .kind = FRAME_THEN, .at = c->token.at, .step = c->step_count - 1, .condition = type}));
    c->has_operand = false;
    return compile_advance(c);
}

static Err *begin_else(CelCompile *c)
{
    Frame *f;

    TRY(end_operators(c, 0));
    f = top(c);
    if (!f || f->kind != FRAME_THEN)
        return compile_unexpected(c);
    f->kind = FRAME_ELSE;
    TRY(compile_emit(c, (CelStep){.op = CEL_GO}));
    c->steps[f->step].to = c->step_count;
    f->args = c->step_count - 1;
    c->has_operand = false;
    return compile_advance(c);
}

static Err *end_else(CelCompile *c)
{
    Frame f = c->frames[--c->frame_count];
    CelType other = c->operands[--c->operand_count].type;
    Operand *first = &c->operands[c->operand_count - 1];

    if (!cel_fits('b', f.condition.kind) || !cel_types_meet(first->type, other))
        return compile_fault(c,
            f.at,
            "found no matching overload for '_?_:_' applied to '(%s, %s, %s)'",
            cel_type_text(c->arena, f.condition),
            cel_type_text(c->arena, first->type),
            cel_type_text(c->arena, other));
    if (other.kind == CEL_DYN || first->type.kind == CEL_NULL)
        first->type = other;
    first->select = 0;
    first->at = f.at;
    c->steps[f.step].end = c->step_count;
    c->steps[f.args].to = c->step_count;
    return OK;
}

/* Ends everything up to what only a closing sign ends. */
static Err *settle(CelCompile *c)
{
    TRY(end_operators(c, 0));
    while (top(c) && top(c)->kind == FRAME_ELSE) {
        TRY(end_else(c));
        TRY(end_operators(c, 0));
    }
    return OK;
}

/* --- closing --- */

static Err *close_parenthesis(CelCompile *c)
{
    Frame f;

    TRY(settle(c));
    if (!top(c))
        return compile_unexpected(c);
    f = c->frames[--c->frame_count];
    if (f.kind == FRAME_HAS)
        TRY(compile_close_has(c));
    else if (f.kind == FRAME_MACRO)
        TRY(compile_close_macro(c, &f));
    else if (f.kind == FRAME_CALL) {
        f.args++;
        TRY(compile_call(c, &f));
    } else if (f.kind != FRAME_GROUP)
        return compile_unexpected(c);
    return compile_advance(c);
}

static Err *end_list(CelCompile *c, const Frame *f)
{
    CelType *element = arena_new(c->arena, CelType);
    size_t first = c->operand_count - f->args;

    *element = c->operands[first].type;
    for (size_t i = first; i < c->operand_count; i++)
        if (!cel_types_meet(*element, c->operands[i].type))
            *element = (CelType){.kind = CEL_DYN};
    c->operand_count = first;
    TRY(compile_emit(c, (CelStep){.op = CEL_MAKE_LIST, .to = f->args}));
    return compile_push(c, (CelType){.kind = CEL_LIST, .element = element}, f->at);
}

static Err *close_bracket(CelCompile *c)
{
    Frame f;

    TRY(settle(c));
    if (!top(c) || (top(c)->kind != FRAME_LIST && top(c)->kind != FRAME_INDEX))
        return compile_unexpected(c);
    f = c->frames[--c->frame_count];
    f.args++;
    if (f.kind == FRAME_LIST)
        TRY(end_list(c, &f));
    else
        TRY(compile_call(c, &f));
    return compile_advance(c);
}

static Err *comma(CelCompile *c)
{
    TRY(settle(c));
    if (!top(c) || (top(c)->kind != FRAME_CALL && top(c)->kind != FRAME_LIST))
        return compile_unexpected(c);
    top(c)->args++;
    c->has_operand = false;
    return compile_advance(c);
}

static Err *end(CelCompile *c)
{
    TRY(settle(c));
    if (c->frame_count > 0)
        return compile_unexpected(c);
    c->is_done = true;
    return OK;
}

static Err *compile_after(CelCompile *c)
{
    const struct Operator *o = operator_seen(c);

    if (o)
        return begin_operator(c, o);
    if (c->token.kind == CEL_TOKEN_END)
        return end(c);
    if (compile_sees(c, ".") || compile_sees(c, "["))
        return compile_member(c);
    if (compile_sees(c, "?"))
        return begin_condition(c);
    if (compile_sees(c, ":"))
        return begin_else(c);
    if (compile_sees(c, ","))
        return comma(c);
    if (compile_sees(c, ")"))
        return close_parenthesis(c);
    if (compile_sees(c, "]"))
        return close_bracket(c);
    return compile_unexpected(c);
}

/* --- all of it --- */

Err *cel_compile(Arena *a, const char *text, const CelScope *scope, const Cel **ret)
{
    CelCompile *c = arena_new(a, CelCompile);
    Cel *cel = arena_new(a, Cel);

    *c = (CelCompile){.arena = a, .text = text, .self = cel_type_of(scope->self)};
    c->self.is_resource = c->self.is_resource || scope->is_resource;
    if (strlen(text) > CEL_TEXT_MAX)
        return err_terminal(a, "compilation failed: an expression of over %d bytes", CEL_TEXT_MAX);
    TRY(compile_advance(c));
    while (!c->is_done)
        TRY(c->has_operand ? compile_after(c) : compile_operand(c));
    CelKind kind = c->operands[0].type.kind;
    if (scope->gives_text && kind != CEL_TEXT)
        return err_terminal(a, "messageExpression must evaluate to a string");
    if (!scope->gives_text && kind != CEL_BOOL)
        return err_terminal(a, "cel expression must evaluate to a bool");
    *cel = (Cel){.steps = c->steps,
        .count = c->step_count,
        .uses_old = c->uses_old,
        .gives_text = scope->gives_text};
    *ret = cel;
    return OK;
}

bool cel_uses_old(const Cel *cel)
{
    return cel->uses_old;
}
