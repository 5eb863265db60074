/* Types of CEL, as schemas have them. An object has the fields that its schema names; a value that
 * the schema says nothing of cannot be spoken of at all. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/cel_parts.h"
#include "world/schema_rules.h"

#include <string.h>

static bool is_map(const Shape *shape)
{
    return shape->free_keys && shape->rest && shape->rest != &shape_any;
}

static CelKind kind_of(const Shape *shape)
{
    static const struct {
        const char *type;
        CelKind kind;
    } kinds[] = {{"integer,string", CEL_DYN},
        {"boolean", CEL_BOOL},
        {"integer", CEL_INT},
        {"number", CEL_DOUBLE},
        {"string", CEL_TEXT},
        {"array", CEL_LIST}};
    const ShapeRules *rules = shape->rules;

    if (!rules || !rules->type)
        return CEL_NONE;
    if (str_eq(rules->type, "object"))
        return is_map(shape) ? CEL_MAP : CEL_OBJECT;
    if (rules->is_time)
        return CEL_TIME;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(kinds[i].type, rules->type))
            return kinds[i].kind;
    return CEL_NONE;
}

CelType cel_type_of(const Shape *shape)
{
    CelType type = {.kind = kind_of(shape), .shape = shape};

    type.is_resource = shape->rules && shape->rules->is_resource;
    /* A list of things without a type has none itself, however deep that is. */
    for (const Shape *inner = shape; type.kind != CEL_NONE;) {
        CelKind kind = kind_of(inner);
        if (kind == CEL_NONE || (kind == CEL_LIST && !inner->rest))
            return (CelType){.kind = CEL_NONE};
        if (kind != CEL_LIST && kind != CEL_MAP)
            break;
        inner = inner->rest;
    }
    return type;
}

CelType cel_type_element(CelType type)
{
    if (type.element)
        return *type.element;
    if ((type.kind == CEL_LIST || type.kind == CEL_MAP) && type.shape)
        return cel_type_of(type.shape->rest);
    return (CelType){.kind = CEL_DYN};
}

/* --- names of properties --- */

static const char *const reserved[] = {"as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while"};

static const char *reserved_word(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        size_t len = strlen(reserved[i]);
        if (strlen(name) == len + 4 && str_has_prefix(name, "__") && str_has_suffix(name, "__")
            && strncmp(name + 2, reserved[i], len) == 0)
            return reserved[i];
    }
    return NULL;
}

const char *cel_property(Arena *a, const char *name)
{
    static const struct {
        const char *spelled, *meant;
    } parts[] = {
        {"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}};
    Text t = {.arena = a};

    if (reserved_word(name))
        return reserved_word(name);
    while (*name) {
        size_t i = 0, count = sizeof parts / sizeof *parts;
        while (i < count && !str_has_prefix(name, parts[i].spelled))
            i++;
        if (i < count) {
            text_add(&t, parts[i].meant);
            name += strlen(parts[i].spelled);
        } else if (str_has_prefix(name, "__")) {
            return NULL;
        } else {
            text_add_byte(&t, *name++);
        }
    }
    return str_copy(a, text_seen(&t));
}

CelType cel_type_field(Arena *a, CelType object, const char *name)
{
    static const CelType none = {.kind = CEL_NONE}, text = {.kind = CEL_TEXT};
    const char *property = cel_property(a, name);
    const ShapeField *field;

    if (!property)
        return none;
    if (object.is_metadata)
        return str_eq(property, "name") || str_eq(property, "generateName") ? text : none;
    if (object.is_resource && (str_eq(property, "apiVersion") || str_eq(property, "kind")))
        return text;
    if (object.is_resource && str_eq(property, "metadata"))
        return (CelType){.kind = CEL_OBJECT, .is_metadata = true};
    field = object.shape ? shape_find(object.shape, property) : NULL;
    return field && field->shape ? cel_type_of(field->shape) : none;
}

/* --- comparing --- */

static bool may_be_null(CelKind kind)
{
    return kind == CEL_OBJECT || kind == CEL_TIME || kind == CEL_NULL;
}

bool cel_types_meet(CelType left, CelType right)
{
    for (;;) {
        if (left.kind == CEL_DYN || right.kind == CEL_DYN)
            return true;
        if (left.kind == CEL_NULL || right.kind == CEL_NULL)
            return may_be_null(left.kind) && may_be_null(right.kind);
        if (left.kind != right.kind)
            return false;
        if (left.kind == CEL_OBJECT)
            return left.shape == right.shape && left.is_metadata == right.is_metadata;
        if (left.kind != CEL_LIST && left.kind != CEL_MAP)
            return true;
        left = cel_type_element(left);
        right = cel_type_element(right);
    }
}

const char *cel_type_text(Arena *a, CelType type)
{
    static const char *const names[] = {[CEL_NONE] = "dyn",
        [CEL_DYN] = "dyn",
        [CEL_NULL] = "null",
        [CEL_BOOL] = "bool",
        [CEL_INT] = "int",
        [CEL_DOUBLE] = "double",
        [CEL_TEXT] = "string",
        [CEL_TIME] = "timestamp",
        [CEL_LIST] = "list(",
        [CEL_MAP] = "map(string, ",
        [CEL_OBJECT] = "object",
        [CEL_TYPE] = "type",
        [CEL_ERROR] = "!error!"};
    Text t = {.arena = a};
    size_t open = 0;

    for (;; type = cel_type_element(type)) {
        text_add(&t, names[type.kind]);
        if (type.kind != CEL_LIST && type.kind != CEL_MAP)
            break;
        open++;
    }
    while (open-- > 0)
        text_add(&t, ")");
    return str_copy(a, text_seen(&t));
}

bool cel_fits(char letter, CelKind kind)
{
    static const char letters[] = {[CEL_BOOL] = 'b',
        [CEL_INT] = 'i',
        [CEL_DOUBLE] = 'd',
        [CEL_TEXT] = 's',
        [CEL_TIME] = 't',
        [CEL_LIST] = 'l',
        [CEL_MAP] = 'm',
        [CEL_TYPE] = 'T',
        [CEL_ERROR] = 0};

    return letter == '*' || kind == CEL_DYN || letters[kind] == letter
        || (letter == 'n' && (kind == CEL_INT || kind == CEL_DOUBLE));
}
