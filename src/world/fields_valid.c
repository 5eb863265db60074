/* Checking what is applied. Unlike any other write, an apply with a field that its kind does not
 * have is refused, and with status 500: the server calls it its own failure.
 *
 * Values in these messages are the server's Go values, printed; only scalars and empty containers
 * are imitated. */
#include "world/fields_valid.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/core/text.h"
#include "world/fields_set.h"
#include "world/fields_walk.h"
#include "world/schema.h"
#include "world/schema_rules.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1, FAULTS_MAX = 64 };

typedef struct Level {
    const Json *value, *next;
    const Json *child; /* that is looked at, of which the level below is the inside */
    const Shape *shape;
    size_t index; /* of the child */
} Level;

typedef struct Valid {
    Arena *arena;
    Text faults;
    size_t count;
    const char *last; /* fault */
    Level levels[DEPTH_MAX];
    size_t depth;
} Valid;

/* --- faults --- */

static const char *name_of_child(Arena *a, const Level *l)
{
    if (json_type(l->value) == JSON_OBJECT)
        return str_format(a, ".%s", json_key(l->child) ? json_key(l->child) : "");
    if (l->shape->merge == SHAPE_ATOMIC || l->shape->merge == SHAPE_FIELDS)
        return str_format(a, "[%zu]", l->index);
    return fieldset_shown_name(a, fieldset_element_name(a, l->shape, l->child));
}

static void put_fault(Valid *v, const char *what)
{
    Text fault = {.arena = v->arena};

    if (v->count++ >= FAULTS_MAX)
        return;
    for (size_t i = 0; i < v->depth; i++)
        text_add(&fault, name_of_child(v->arena, &v->levels[i]));
    text_add(&fault, ": ");
    text_add(&fault, what);
    v->last = text_seen(&fault);
    text_add(&v->faults, "\n  ");
    text_add(&v->faults, v->last);
}

/* --- values, as Go prints them --- */

static const char *printed(Arena *a, const Json *value)
{
    if (json_type(value) == JSON_OBJECT)
        return "&{map[]}";
    if (json_type(value) == JSON_STRING)
        return str_format(a, "&{%s}", json_text(value) ? json_text(value) : "");
    return str_format(a, "&{%s}", json_write(a, value).data);
}

static const char *go_type(const Json *value)
{
    switch (json_type(value)) {
    case JSON_STRING:
        return "string";
    case JSON_BOOL:
        return "bool";
    case JSON_ARRAY:
        return "[]interface {}";
    case JSON_OBJECT:
        return "map[string]interface {}";
    case JSON_ABSENT:
    case JSON_NULL:
    case JSON_NUMBER:
        break;
    }
    return "int64";
}

static const char *go_value(Arena *a, const Json *value)
{
    if (json_type(value) == JSON_ARRAY || json_type(value) == JSON_OBJECT)
        return str_format(a, "&value.valueUnstructured{Value:%s{}}", go_type(value));
    return str_format(a, "&value.valueUnstructured{Value:%s}", json_write(a, value).data);
}

/* --- what is expected --- */

static bool is_scalar_type(const char *type)
{
    return type && !str_eq(type, "object") && !str_eq(type, "array") && !strchr(type, ',');
}

/* The type of a scalar in the words of OpenAPI; of what is a text to it more is asked later. */
static const char *scalar_type(const Shape *shape)
{
    switch (shape->type) {
    case SHAPE_TEXT:
    case SHAPE_TIME:
    case SHAPE_MICRO_TIME:
    case SHAPE_BYTES:
        return "string";
    case SHAPE_INT32:
    case SHAPE_INT64:
        return "integer";
    case SHAPE_FLAG:
        return "boolean";
    case SHAPE_UNTYPED:
    case SHAPE_INT_OR_TEXT:
    case SHAPE_QUANTITY:
    case SHAPE_LIST:
    case SHAPE_MAP:
        break;
    }
    return shape->rules && is_scalar_type(shape->rules->type) ? shape->rules->type : NULL;
}

static void check_scalar(Valid *v, const char *type, const Json *value)
{
    JsonType got = json_type(value);

    if (str_eq(type, "string") && got != JSON_STRING)
        put_fault(v, str_format(v->arena, "expected string, got %s", go_value(v->arena, value)));
    else if (str_eq(type, "boolean") && got != JSON_BOOL)
        put_fault(v, str_format(v->arena, "expected boolean, got %s", printed(v->arena, value)));
    else if ((str_eq(type, "integer") || str_eq(type, "number")) && got != JSON_NUMBER)
        put_fault(
            v, str_format(v->arena, "expected numeric (int or float), got %s", go_type(value)));
}

/* Which container a shape is the shape of; JSON_ABSENT when it does not say. */
static JsonType container_of(const Shape *shape)
{
    const char *type = shape->rules ? shape->rules->type : NULL;

    if (shape->type == SHAPE_LIST || shape->merge == SHAPE_KEYED || shape->merge == SHAPE_SET
        || str_eq(type, "array"))
        return JSON_ARRAY;
    if (shape->type == SHAPE_MAP || shape->closed || str_eq(type, "object"))
        return JSON_OBJECT;
    return JSON_ABSENT;
}

/* The fault of an element of a list that is told apart by keys or values; NULL when it has none. */
static const char *fault_of_element(const Shape *list, const Json *element)
{
    JsonType type = json_type(element);

    if (list->merge == SHAPE_KEYED)
        return type == JSON_NULL  ? "associative list with keys may not have a null element"
            : type != JSON_OBJECT ? "associative list with keys may not have non-map elements"
                                  : NULL;
    if (list->merge != SHAPE_SET)
        return NULL;
    return type == JSON_NULL
        ? "associative list without keys has an element that's an explicit null"
        : type == JSON_OBJECT ? "associative list without keys has an element that's a map type"
        : type == JSON_ARRAY  ? "not supported: associative list with lists as elements"
                              : NULL;
}

static const char *keys_text(Arena *a, const Shape *list)
{
    Text t = {.arena = a};

    for (const ShapeKey *key = list->keys; key->name; key++)
        text_add(&t, str_format(a, "%s\"%s\"", t.len > 0 ? " " : "", key->name));
    return text_seen(&t);
}

/* --- lists --- */

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The server speaks of each repetition; false when the list cannot be looked into. */
static bool check_list(Valid *v, const Shape *shape, const Json *list)
{
    const char **names = arena_array(v->arena, const char *, json_count(list));
    size_t count = 0;
    const char *fault = NULL;
    const Json *element;

    if (shape->merge != SHAPE_KEYED && shape->merge != SHAPE_SET)
        return true;
    json_each(element, list) {
        fault = fault_of_element(shape, element);
        const char *name = fault ? NULL : fieldset_element_name(v->arena, shape, element);
        if (!fault && !name)
            fault = str_format(v->arena,
                "associative list with keys has an element that omits all key fields [%s] (and "
                "doesn't have default values for any key fields)",
                keys_text(v->arena, shape));
        if (fault)
            break;
        names[count++] = name;
    }
    size_t looked_at = count;
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 1; i < count; i++)
        if (str_eq(names[i - 1], names[i]))
            put_fault(v,
                str_format(v->arena,
                    "duplicate entries for key %s",
                    fieldset_shown_name(v->arena, names[i])));
    if (fault)
        put_fault(v, str_format(v->arena, "element %zu: %s", looked_at, fault));
    return !fault;
}

/* --- the walk --- */

static void check_value(Valid *v, const Shape *shape, const Json *value)
{
    JsonType type = json_type(value), wanted = container_of(shape);

    if (type == JSON_NULL || shape->untouched)
        return;
    if (scalar_type(shape)) {
        check_scalar(v, scalar_type(shape), value);
        return;
    }
    if (wanted != JSON_ABSENT && type != wanted) {
        put_fault(v,
            str_format(v->arena,
                "expected %s, got %s",
                wanted == JSON_OBJECT ? "map" : "list",
                printed(v->arena, value)));
        return;
    }
    if ((type == JSON_ARRAY && check_list(v, shape, value)) || type == JSON_OBJECT)
        v->levels[v->depth++] = (Level){.value = value, .next = json_first(value), .shape = shape};
}

static void step(Valid *v, Level *l)
{
    const char *key = json_type(l->value) == JSON_OBJECT ? json_key(l->next) : NULL;
    bool declared = true;
    const Shape *shape =
        key ? shape_of_field(l->shape, key, &declared) : shape_of_element(l->shape);

    l->index += l->child != NULL;
    l->child = l->next;
    l->next = json_next(l->value, l->child);
    if (key && l->shape->closed && !shape_find(l->shape, key)) {
        put_fault(v, "field not declared in schema");
        l->next = NULL;
        return;
    }
    check_value(v, shape, l->child);
}

static const char *what_is_applied(Arena *a, const Json *applied)
{
    const char *version = json_str(applied, ".apiVersion"), *kind = json_str(applied, ".kind");
    const char *namespace = json_str(applied, ".metadata.namespace");
    const char *name = json_str(applied, ".metadata.name");

    return str_format(a,
        "%s/%s; %s%s, Kind=%s",
        namespace ? namespace : "",
        name ? name : "",
        version && strchr(version, '/') ? "" : "/",
        version ? version : "",
        kind ? kind : "");
}

Err *fields_check_applied(Arena *a, const Schema *schema, const Json *applied)
{
    Valid *v = arena_new(a, Valid);
    Err *err = OK;

    if (json_type(json_find(applied, ".metadata.managedFields")) == JSON_ARRAY) {
        err = err_terminal(a, "metadata.managedFields must be nil");
        err->status = 400;
        err->reason = "BadRequest";
        return err;
    }
    v->arena = v->faults.arena = a;
    check_value(v, schema->root, applied);
    while (v->depth > 0) {
        Level *l = &v->levels[v->depth - 1];
        if (l->next)
            step(v, l);
        else
            v->depth--;
    }
    if (v->count == 0)
        return OK;
    err = err_terminal(a,
        "failed to create typed patch object (%s): %s%s",
        what_is_applied(a, applied),
        v->count == 1 ? v->last : "errors:",
        v->count == 1 ? "" : text_seen(&v->faults));
    err->status = 500;
    return err;
}

static const Json *with_status(Arena *a, const Json *object, const Json *status)
{
    Draft *copy = draft_object(a);
    const Json *member;

    json_each(member, object)
        if (json_key(member) && !str_eq(json_key(member), "status"))
            draft_add(copy, draft_json(json_key(member), member));
    draft_add(copy, draft_json("status", status));
    return json_seal(a, copy);
}

/* What was applied to another version is refused for that, later. */
static bool is_stale(const FieldsResult *result)
{
    const char *version = json_str(result->object, ".metadata.resourceVersion");

    return result->live && !str_empty(version)
        && !str_eq(version, json_str(result->live, ".metadata.resourceVersion"));
}

Err *fields_check_result(Arena *a, const Schema *schema, const FieldsResult *result)
{
    const Json *object = result->object;

    if (!schema->root->rules || is_stale(result))
        return OK;
    if (schema->has_status && result->status)
        object = with_status(a, result->live, json_find(object, ".status"));
    else if (schema->has_status)
        object = with_status(a, object, json_find(result->live, ".status"));
    return schema_check(a, schema, schema_fill(a, schema, object), result->live);
}
