/* The shapes of a CustomResourceDefinition: its openAPIV3Schema, read once.
 *
 * Every keyword is either read, known to say nothing that matters here, or refused: a schema that
 * is half understood would let a test pass that a real server fails. Rules in CEL are known to be
 * there, and are not checked. */
#include "base/draft.h"
#include "base/str.h"
#include "world/schema.h"
#include "world/schema_rows.h"
#include "world/schema_rules.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 20000 };

/* Where a piece of schema stands, for its rules in CEL, which are read when all shapes are. */
typedef struct Origin {
    struct Origin *parent; /* NULL: the root */
    struct Origin *ruled;  /* the one before that has rules */
    CelPlace place;
} Origin;

/* A piece of schema that waits to be read into its shape. */
typedef struct Node {
    const Json *said;
    Shape *shape;
    const char *path;
    Origin *origin;
} Node;

typedef struct Reading {
    Arena *arena;
    Node *nodes;
    size_t count, capacity;
    size_t total;
    Origin *ruled; /* the last one that has rules in CEL */
    bool failed;   /* too many nodes */
} Reading;

/* --- the nodes --- */

/* `step` leads there in objects, `place` in the schema. */
static const Shape *wait_for(
    Reading *r, const Node *parent, const Json *said, const char *step, const char *place)
{
    Shape *shape = arena_new(r->arena, Shape);
    Origin *origin = arena_new(r->arena, Origin);

    origin->parent = parent ? parent->origin : NULL;
    origin->place.shape = shape;
    origin->place.path =
        parent ? str_format(r->arena, "%s.%s", parent->origin->place.path, place) : place;
    origin->place.loose = parent ? parent->origin->place.loose : NULL;
    origin->place.is_resource = !parent;
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        Node *nodes = arena_array(r->arena, Node, capacity);
        if (r->count > 0)
            memcpy(nodes, r->nodes, r->count * sizeof *nodes);
        r->nodes = nodes;
        r->capacity = capacity;
    }
    r->failed = r->failed || ++r->total > NODES_MAX;
    r->nodes[r->count++] = (Node){.said = said,
        .shape = shape,
        .path = str_format(r->arena, "%s%s", parent ? parent->path : "", step),
        .origin = origin};
    return shape;
}

static bool is_true(const Json *said, const char *key)
{
    return json_bool(json_member(said, key), "", false);
}

/* --- keywords --- */

static const char *const known_words[] = {
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    NULL,
};

static bool is_among(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (str_eq(*words, word))
            return true;
    return false;
}

static Err *not_understood(Reading *r, const Node *n, const char *what)
{
    return err_terminal(r->arena, "%s: %s is not understood here", n->path, what);
}

static Err *check_words(Reading *r, const Node *n)
{
    static const char *const formats[] = {
        "date-time", "double", "float", "int32", "int64", "password", NULL};
    static const char *const types[] = {
        "array", "boolean", "integer", "number", "object", "string", NULL};
    const char *format = json_str(n->said, ".format"), *type = json_str(n->said, ".type");
    const Json *word;

    if (json_type(n->said) != JSON_OBJECT)
        return not_understood(r, n, "a schema that is no object");
    json_each(word, n->said)
        if (!is_among(json_key(word), known_words))
            return not_understood(r, n, json_key(word));
    if (format && !is_among(format, formats))
        return not_understood(r, n, str_format(r->arena, "format %s", format));
    if (type && !is_among(type, types))
        return not_understood(r, n, str_format(r->arena, "type %s", type));
    if (json_member(n->said, "anyOf") && !is_true(n->said, "x-kubernetes-int-or-string"))
        return not_understood(r, n, "anyOf of anything but an integer and a string");
    return OK;
}

/* --- rules --- */

static int64_t limit_of(const Json *said, const char *key)
{
    return json_int(json_member(said, key), "", RULE_NONE);
}

/* Keeps the rules in CEL for later, and marks the way that leads to them. */
static void note_cel(Reading *r, const Node *n, ShapeRules *rules)
{
    Origin *origin = n->origin;

    origin->place.rules = rules;
    origin->place.said = json_member(n->said, "x-kubernetes-validations");
    if (json_count(origin->place.said) == 0)
        return;
    origin->ruled = r->ruled;
    r->ruled = origin;
    for (; origin && !origin->place.rules->cel_within; origin = origin->parent)
        origin->place.rules->cel_within = true;
}

static Err *read_rules(Reading *r, const Node *n, const ShapeRules **ret)
{
    ShapeRules *rules = arena_new(r->arena, ShapeRules);
    const Json *said = n->said;
    bool int_or_string = is_true(said, "x-kubernetes-int-or-string");

    *rules = (ShapeRules){
        .type = int_or_string ? "integer,string" : json_str(said, ".type"),
        .int_or_string = int_or_string && json_member(said, "anyOf"),
        .is_time = str_eq(json_str(said, ".format"), "date-time"),
        .is_resource = is_true(said, "x-kubernetes-embedded-resource"),
        .choices = json_member(said, "enum"),
        .required = json_member(said, "required"),
        .pattern_text = json_str(said, ".pattern"),
        .length_min = limit_of(said, "minLength"),
        .length_max = limit_of(said, "maxLength"),
        .items_min = limit_of(said, "minItems"),
        .items_max = limit_of(said, "maxItems"),
        .members_min = limit_of(said, "minProperties"),
        .members_max = limit_of(said, "maxProperties"),
        .least = json_member(said, "minimum"),
        .most = json_member(said, "maximum"),
        .factor = json_member(said, "multipleOf"),
        .above_least = is_true(said, "exclusiveMinimum"),
        .below_most = is_true(said, "exclusiveMaximum"),
    };
    if (rules->pattern_text) {
        rules->pattern = pattern_new(r->arena, rules->pattern_text);
        if (!rules->pattern)
            return not_understood(
                r, n, str_format(r->arena, "the pattern %s", rules->pattern_text));
    }
    note_cel(r, n, rules);
    *ret = rules;
    return OK;
}

/* --- fields --- */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const ShapeField *)left)->name, ((const ShapeField *)right)->name);
}

/* Fields that objects of the API have, whatever their schema says of them. */
static size_t add_own_fields(ShapeField *fields, size_t count)
{
    static const ShapeField own[] = {{.name = "apiVersion", .zero = SHAPE_ZERO_KEPT},
        {.name = "kind", .zero = SHAPE_ZERO_KEPT},
        {.name = "metadata", .shape = &shape_metadata, .zero = SHAPE_ZERO_KEPT}};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        size_t at = 0;
        while (at < count && !str_eq(fields[at].name, own[i].name))
            at++;
        if (at == count)
            count++;
        fields[at] = own[i];
    }
    return count;
}

static void read_fields(Reading *r, const Node *n, bool is_resource)
{
    const Json *properties = json_member(n->said, "properties"), *property;
    ShapeField *fields = arena_array(r->arena, ShapeField, json_count(properties) + 3);
    size_t count = 0;

    json_each(property, properties) {
        const char *name = json_key(property);
        if (!name)
            continue;
        fields[count++] = (ShapeField){.name = name,
            .shape = wait_for(r,
                n,
                property,
                str_format(r->arena, ".%s", name),
                str_format(r->arena, "properties[%s]", name)),
            .zero = SHAPE_ZERO_KEPT,
            .preset_value = json_member(property, "default")};
    }
    if (is_resource)
        count = add_own_fields(fields, count);
    qsort(fields, count, sizeof *fields, by_name);
    n->shape->fields = fields;
    n->shape->field_count = count;
}

static void read_object(Reading *r, const Node *n, bool is_root)
{
    const Json *additional = json_member(n->said, "additionalProperties");
    bool preserves = is_true(n->said, "x-kubernetes-preserve-unknown-fields")
        || (json_type(additional) == JSON_BOOL && json_bool(additional, "", false));
    Shape *shape = n->shape;

    read_fields(r, n, is_root || is_true(n->said, "x-kubernetes-embedded-resource"));
    if (json_type(additional) == JSON_OBJECT) {
        shape->free_keys = true;
        shape->rest = wait_for(r, n, additional, "[*]", "additionalProperties");
    } else if (preserves) {
        shape->free_keys = true;
        shape->rest = &shape_any;
    } else {
        shape->closed = true;
    }
    if (str_eq(json_text(json_member(n->said, "x-kubernetes-map-type")), "atomic"))
        shape->merge = SHAPE_ATOMIC;
}

/* --- lists --- */

static int by_key(const void *left, const void *right)
{
    return strcmp(((const ShapeKey *)left)->name, ((const ShapeKey *)right)->name);
}

static const ShapeKey *read_keys(Reading *r, const Node *n)
{
    const Json *names = json_member(n->said, "x-kubernetes-list-map-keys"), *name;
    ShapeKey *keys = arena_array(r->arena, ShapeKey, json_count(names) + 1);
    size_t count = 0;

    json_each(name, names) {
        const Json *property =
            json_member(json_find(n->said, ".items.properties"), json_text(name));
        const Json *preset = json_member(property, "default");
        keys[count++] = (ShapeKey){
            .name = json_text(name), .text = preset ? json_canonical(r->arena, preset).data : NULL};
    }
    qsort(keys, count, sizeof *keys, by_key);
    return keys;
}

static Err *read_list(Reading *r, const Node *n)
{
    const char *type = json_text(json_member(n->said, "x-kubernetes-list-type"));
    const Json *items = json_member(n->said, "items");

    n->shape->merge = SHAPE_ATOMIC;
    if (str_eq(type, "set"))
        n->shape->merge = SHAPE_SET;
    if (str_eq(type, "map")) {
        n->shape->merge = SHAPE_KEYED;
        n->shape->keys = read_keys(r, n);
        if (!n->shape->keys[0].name)
            return not_understood(r, n, "a list of type map without keys");
    }
    if (n->shape->merge != SHAPE_KEYED)
        n->origin->place.loose = n->origin->place.path;
    if (items)
        n->shape->rest = wait_for(r, n, items, "[]", "items");
    return OK;
}

/* --- all of it --- */

static Err *read_node(Reading *r, const Node *n, bool is_root)
{
    TRY(check_words(r, n));
    const char *type = json_str(n->said, ".type");
    if (!type && is_true(n->said, "x-kubernetes-preserve-unknown-fields"))
        *n->shape = shape_any;
    n->shape->nullable = is_true(n->said, "nullable");
    TRY(read_rules(r, n, &n->shape->rules));
    if (str_eq(type, "array"))
        return read_list(r, n);
    if (str_eq(type, "object") || is_root)
        read_object(r, n, is_root);
    return OK;
}

static const Json *served_version(const Json *crd)
{
    const Json *version, *served = NULL;

    json_each(version, json_find(crd, ".spec.versions"))
        if (json_bool(version, ".served", false)
            && (!served || json_bool(version, ".storage", false)))
            served = version;
    return served;
}

static Err *read_cel(Reading *r, const char *name)
{
    SchemaFaults *faults = arena_new(r->arena, SchemaFaults);

    faults->arena = r->arena;
    for (const Origin *origin = r->ruled; origin; origin = origin->ruled)
        schema_read_cel(r->arena, &origin->place, faults);
    return faults_err(faults,
        str_format(
            r->arena, "CustomResourceDefinition.apiextensions.k8s.io \"%s\"", name ? name : ""));
}

Err *schema_of_crd(Arena *a, const Json *crd, const Schema **ret)
{
    const Json *version = served_version(crd);
    const Json *said = json_find(version, ".schema.openAPIV3Schema");
    Reading r = {.arena = a};
    Schema *schema = arena_new(a, Schema);

    if (!said)
        return err_terminal(a, "no served version with an openAPIV3Schema");
    schema->root = wait_for(&r, NULL, said, "", "spec.validation.openAPIV3Schema");
    schema->has_status = json_find(version, ".subresources.status") != NULL;
    schema->kind =
        str_format(a, "%s.%s", json_str(crd, ".spec.names.kind"), json_str(crd, ".spec.group"));
    while (r.count > 0 && !r.failed) {
        Node node = r.nodes[--r.count];
        TRY(read_node(&r, &node, node.shape == schema->root));
    }
    if (r.failed)
        return err_terminal(a, "a schema of more than %d parts", NODES_MAX);
    schema->has_rules = r.ruled != NULL;
    *ret = schema;
    return read_cel(&r, json_str(crd, ".metadata.name"));
}
