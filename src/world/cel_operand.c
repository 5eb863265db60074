/* Operands of CEL: literals, names, fields, calls and macros. A macro is a loop whose body stands
 * where its argument does; its variable lives in a slot of the machine. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/cel_compile.h"

#include <stdint.h>
#include <string.h>

/* --- calls --- */

static CelType result_of(const CelFunction *row, const Operand *args)
{
    switch (row->result) {
    case 'b':
        return (CelType){.kind = CEL_BOOL};
    case 'i':
        return (CelType){.kind = CEL_INT};
    case 'd':
        return (CelType){.kind = CEL_DOUBLE};
    case 's':
        return (CelType){.kind = CEL_TEXT};
    case 'T':
        return (CelType){.kind = CEL_TYPE};
    case '0':
        return args[0].type;
    case 'e':
        return cel_type_element(args[0].type);
    default:
        return (CelType){.kind = CEL_DYN};
    }
}

/* What the letters of parameters cannot say. */
static bool are_related(const char *name, const Operand *args)
{
    CelType left = args[0].type;

    if (str_eq(name, "_==_") || str_eq(name, "_!=_"))
        return cel_types_meet(left, args[1].type);
    if (str_eq(name, "_+_") && left.kind == CEL_LIST)
        return cel_types_meet(left, args[1].type);
    if (str_eq(name, "@in") && args[1].type.kind == CEL_LIST)
        return cel_types_meet(left, cel_type_element(args[1].type));
    return true;
}

static bool row_fits(const CelFunction *row, const Operand *args, size_t count)
{
    if (strlen(row->params) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!cel_fits(row->params[i], args[i].type.kind))
            return false;
    return are_related(row->name, args);
}

static const CelFunction *function_of(const char *name, bool is_method)
{
    for (const CelFunction *row = cel_functions; row->name; row++)
        if (row->is_method == is_method && str_eq(row->name, name))
            return row;
    return NULL;
}

static Err *no_overload(CelCompile *c, const Frame *f, const Operand *args)
{
    Text t = {.arena = c->arena};

    for (size_t i = 0; i < f->args; i++) {
        if (i == 0 && f->is_method) {
            text_add(&t, cel_type_text(c->arena, args[i].type));
            text_add(&t, ".(");
            continue;
        }
        text_add(&t, i == 0 ? "(" : i == 1 && f->is_method ? "" : ", ");
        text_add(&t, cel_type_text(c->arena, args[i].type));
    }
    text_add(&t, ")");
    return compile_fault(
        c, f->at, "found no matching overload for '%s' applied to '%s'", f->name, text_seen(&t));
}

/* Of several that may be meant, what all of them give. */
static bool find_result(const Frame *f, const CelFunction *first, const Operand *args, CelType *ret)
{
    size_t matches = 0;

    for (const CelFunction *row = first; str_eq(row->name, f->name); row++) {
        if (row->is_method != f->is_method || !row_fits(row, args, f->args))
            continue;
        CelType type = result_of(row, args);
        *ret = matches++ == 0 || type.kind == ret->kind ? type : (CelType){.kind = CEL_DYN};
    }
    return matches > 0;
}

Err *compile_call(CelCompile *c, const Frame *f)
{
    const CelFunction *first = function_of(f->name, f->is_method);
    Operand *args = &c->operands[c->operand_count - f->args];
    CelStep step = {.op = CEL_CALL,
        .name = f->name,
        .to = f->args,
        .function = first,
        .is_method = f->is_method};
    CelType type = {.kind = CEL_DYN};

    if (!first)
        return compile_fault(c, f->at, "undeclared reference to '%s' (in container '')", f->name);
    if (!find_result(f, first, args, &type))
        return no_overload(c, f, args);
    if (str_eq(f->name, "_&&_"))
        step.op = CEL_AND;
    if (str_eq(f->name, "_||_"))
        step.op = CEL_OR;
    c->operand_count -= f->args;
    TRY(compile_emit(c, step));
    return compile_push(c, type, f->at);
}

/* Behind the name of a function: its arguments, or none. */
static Err *begin_call(CelCompile *c, Frame f)
{
    f.at = c->token.at;
    TRY(compile_advance(c));
    c->has_operand = false;
    if (!compile_sees(c, ")"))
        return compile_open(c, f);
    c->has_operand = true;
    TRY(compile_call(c, &f));
    return compile_advance(c);
}

/* --- operands --- */

static Err *constant(CelCompile *c, CelValue value, size_t at)
{
    c->has_operand = true;
    TRY(compile_emit(c, (CelStep){.op = CEL_PUSH, .value = value}));
    return compile_push(c, (CelType){.kind = value.kind}, at);
}

static Err *variable(CelCompile *c, const char *name, size_t at)
{
    static const struct {
        const char *name;
        CelKind kind;
    } types[] = {{"bool", CEL_BOOL},
        {"int", CEL_INT},
        {"double", CEL_DOUBLE},
        {"string", CEL_TEXT},
        {"list", CEL_LIST},
        {"map", CEL_MAP},
        {"null_type", CEL_NULL}};

    c->has_operand = true;
    for (size_t i = c->slot_count; i-- > 0;) {
        if (!str_eq(c->slots[i].name, name))
            continue;
        TRY(compile_emit(c, (CelStep){.op = CEL_SLOT, .to = i}));
        return compile_push(c, c->slots[i].type, at);
    }
    if (str_eq(name, "self") || str_eq(name, "oldSelf")) {
        bool is_old = str_eq(name, "oldSelf");
        c->uses_old = c->uses_old || is_old;
        TRY(compile_emit(c, (CelStep){.op = is_old ? CEL_OLD : CEL_SELF}));
        return compile_push(c, c->self, at);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(types[i].name, name))
            return constant(c, (CelValue){.kind = CEL_TYPE, .number = (int64_t)types[i].kind}, at);
    return compile_fault(c, at, "undeclared reference to '%s' (in container '')", name);
}

static Err *name_operand(CelCompile *c)
{
    const char *name = c->token.text;
    size_t at = c->token.at;

    TRY(compile_advance(c));
    if (!compile_sees(c, "("))
        return variable(c, name, at);
    if (!str_eq(name, "has"))
        return begin_call(c, (Frame){.kind = FRAME_CALL, .name = name});
    TRY(compile_open(c, (Frame){.kind = FRAME_HAS, .at = c->token.at}));
    return compile_advance(c);
}

static bool is_number(const CelToken *token)
{
    return token->kind == CEL_TOKEN_LITERAL
        && (token->value.kind == CEL_INT || token->value.kind == CEL_DOUBLE);
}

static Err *sign_operand(CelCompile *c)
{
    Frame unary = {.kind = FRAME_OPERATOR, .args = 1, .rank = 6, .at = c->token.at};
    bool is_minus = compile_sees(c, "-");

    if (!is_minus && !compile_sees(c, "!"))
        return compile_unexpected(c);
    unary.name = is_minus ? "-_" : "!_";
    TRY(compile_advance(c));
    if (!is_minus || !is_number(&c->token))
        return compile_open(c, unary);
    CelValue value = c->token.value;
    value.number = -value.number;
    value.real = -value.real;
    TRY(constant(c, value, unary.at));
    return compile_advance(c);
}

static Err *list_operand(CelCompile *c)
{
    static const CelType dyn = {.kind = CEL_DYN};
    size_t at = c->token.at;

    TRY(compile_open(c, (Frame){.kind = FRAME_LIST, .at = at}));
    TRY(compile_advance(c));
    if (!compile_sees(c, "]"))
        return OK;
    c->frame_count--;
    c->has_operand = true;
    TRY(compile_emit(c, (CelStep){.op = CEL_MAKE_LIST}));
    TRY(compile_push(c, (CelType){.kind = CEL_LIST, .element = &dyn}, at));
    return compile_advance(c);
}

Err *compile_operand(CelCompile *c)
{
    if (c->token.kind == CEL_TOKEN_LITERAL) {
        TRY(constant(c, c->token.value, c->token.at));
        return compile_advance(c);
    }
    if (c->token.kind == CEL_TOKEN_NAME)
        return name_operand(c);
    if (compile_sees(c, "["))
        return list_operand(c);
    if (!compile_sees(c, "("))
        return sign_operand(c);
    TRY(compile_open(c, (Frame){.kind = FRAME_GROUP, .at = c->token.at}));
    return compile_advance(c);
}

/* --- fields --- */

/* Of a field that has() is asked of, faults are shown at the parenthesis. */
static size_t place_of_field(const CelCompile *c, size_t at)
{
    const Frame *f = c->frame_count > 0 ? &c->frames[c->frame_count - 1] : NULL;

    return f && f->kind == FRAME_HAS && compile_sees(c, ")") ? f->at : at;
}

static Err *select(CelCompile *c, const char *name, size_t at)
{
    Operand *operand = &c->operands[c->operand_count - 1];
    CelType type = operand->type;
    const char *spelled = name;

    at = place_of_field(c, at);
    if (type.kind == CEL_OBJECT) {
        type = cel_type_field(c->arena, type, name);
        name = cel_property(c->arena, name);
        if (type.kind == CEL_NONE)
            return compile_fault(c, at, "undefined field '%s'", name ? name : "");
    } else if (type.kind == CEL_MAP) {
        type = cel_type_element(type);
    } else if (type.kind != CEL_DYN) {
        return compile_fault(
            c, at, "type '%s' does not support field selection", cel_type_text(c->arena, type));
    }
    TRY(compile_emit(c, (CelStep){.op = CEL_SELECT, .name = name, .value = cel_text(spelled)}));
    *operand = (Operand){.type = type, .at = at, .select = c->step_count};
    return OK;
}

Err *compile_close_has(CelCompile *c)
{
    Operand *operand = &c->operands[c->operand_count - 1];

    if (operand->select == 0)
        return compile_fault(c, operand->at, "invalid argument to has() macro");
    c->steps[operand->select - 1].op = CEL_HAS;
    operand->type = (CelType){.kind = CEL_BOOL};
    operand->select = 0;
    return OK;
}

/* --- macros --- */

static bool find_macro(const char *name, CelMacro *ret)
{
    static const struct {
        const char *name;
        CelMacro macro;
    } macros[] = {{"all", CEL_ALL},
        {"exists", CEL_EXISTS},
        {"exists_one", CEL_EXISTS_ONE},
        {"filter", CEL_FILTER},
        {"map", CEL_MAP_TO}};

    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!str_eq(macros[i].name, name))
            continue;
        *ret = macros[i].macro;
        return true;
    }
    return false;
}

/* "list.all(x, ...": up to the body. What it goes over stays on the stack of types, and its result
 * takes that place. */
static Err *begin_macro(CelCompile *c, CelMacro macro)
{
    CelType range = c->operands[c->operand_count - 1].type;
    Frame f = {.kind = FRAME_MACRO, .macro = macro, .at = c->token.at};
    CelType element = cel_type_element(range);

    if (range.kind == CEL_MAP)
        element = (CelType){.kind = CEL_TEXT};
    if (range.kind != CEL_LIST && range.kind != CEL_MAP && range.kind != CEL_DYN)
        return compile_fault(c,
            c->operands[c->operand_count - 1].at,
            "expression of type '%s' cannot be range of a comprehension (must be list, map, or "
            "dynamic)",
            cel_type_text(c->arena, range));
    TRY(compile_advance(c));
    if (c->token.kind != CEL_TOKEN_NAME || c->slot_count == CEL_SLOTS_MAX)
        return compile_unexpected(c);
    c->slots[c->slot_count].name = c->token.text;
    c->slots[c->slot_count].type = element;
    TRY(compile_advance(c));
    TRY(compile_expect(c, ","));
    TRY(compile_emit(c, (CelStep){.op = CEL_LOOP, .to = c->slot_count++, .macro = macro}));
    f.step = c->step_count;
    c->has_operand = false;
    return compile_open(c, f);
}

Err *compile_close_macro(CelCompile *c, const Frame *f)
{
    Operand body = c->operands[--c->operand_count];
    CelType *element = arena_new(c->arena, CelType);
    Operand *range = &c->operands[c->operand_count - 1];
    bool makes_list = f->macro == CEL_FILTER || f->macro == CEL_MAP_TO;

    c->slot_count--;
    *element = f->macro == CEL_FILTER ? c->slots[c->slot_count].type : body.type;
    if (f->macro != CEL_MAP_TO)
        TRY(compile_check_flag(c, &body));
    TRY(compile_emit(c, (CelStep){.op = CEL_NEXT, .macro = f->macro, .to = f->step}));
    c->steps[f->step - 1].end = c->step_count;
    *range = (Operand){.type = {.kind = makes_list ? CEL_LIST : CEL_BOOL}, .at = f->at};
    range->type.element = makes_list ? element : NULL;
    return OK;
}

/* --- members --- */

Err *compile_member(CelCompile *c)
{
    size_t at = c->token.at;
    bool is_index = compile_sees(c, "[");
    const char *name;
    CelMacro macro;

    TRY(compile_advance(c));
    c->has_operand = !is_index;
    if (is_index)
        return compile_open(c, (Frame){.kind = FRAME_INDEX, .name = "_[_]", .args = 1, .at = at});
    name = c->token.text;
    if (c->token.kind != CEL_TOKEN_NAME)
        return compile_unexpected(c);
    TRY(compile_advance(c));
    if (!compile_sees(c, "("))
        return select(c, name, at);
    if (find_macro(name, &macro))
        return begin_macro(c, macro);
    return begin_call(c, (Frame){.kind = FRAME_CALL, .name = name, .args = 1, .is_method = true});
}
