/* Schemas. That of a custom kind is its definition's own, with the three fields that all objects
 * have put in; that of a built-in one is written from the table of its shape. */
#include "sandbox/openapi_schema.h"

#include "base/str.h"
#include "world/schema_rows.h"

#include <string.h>

enum { DEPTH_MAX = 32 }; /* of the tables, which are not endless */

const char openapi_metadata_name[] = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
static const char quantity_name[] = "io.k8s.apimachinery.pkg.api.resource.Quantity";
static const char int_or_text_name[] = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

Draft *openapi_kind(Arena *a, const char *group, const char *version, const char *kind)
{
    return draft(a, str("group", group), str("version", version), str("kind", kind));
}

/* --- names --- */

/* Groups of built-in kinds go by the name of their Go package: the first word. */
static const char *package_of(Arena *a, const char *group)
{
    if (*group == '\0')
        return "core";
    return str_slice(a, group, strcspn(group, "."));
}

/* "io.sei" of "sei.io" */
static const char *reversed(Arena *a, const char *group)
{
    const char *name = NULL, *end = group + strlen(group);

    for (const char *at = end; at >= group; at--) {
        if (at != group && at[-1] != '.')
            continue;
        const char *word = str_slice(a, at, strcspn(at, "."));
        name = name ? str_format(a, "%s.%s", name, word) : word;
    }
    return name;
}

const char *openapi_schema_name(Arena *a, const Kind *kind)
{
    bool built_in = !strchr(kind->group, '.') || str_has_suffix(kind->group, ".k8s.io");

    return str_format(a,
        "%s%s.%s.%s",
        built_in ? "io.k8s.api." : "",
        built_in ? package_of(a, kind->group) : reversed(a, kind->group),
        kind->version,
        kind->name);
}

/* --- shapes --- */

static Draft *typed(Arena *a, const char *type, const char *format)
{
    return draft(a, str("type", type), str("format", format));
}

/* What stands elsewhere. In a list of one, so that there is room for a description beside it. */
static Draft *reference(Arena *a, const char *name)
{
    return draft(
        a, list("allOf", draft(a, str("$ref", str_format(a, "#/components/schemas/%s", name)))));
}

/* Either of two types. */
static Draft *one_of(Arena *a, const char *format, const char *first, const char *second)
{
    return draft(a,
        str("format", format),
        list("oneOf", draft(a, str("type", first)), draft(a, str("type", second))));
}

static Draft *scalar(Arena *a, ShapeType type)
{
    switch (type) {
    case SHAPE_TEXT:
        return typed(a, "string", NULL);
    case SHAPE_INT32:
        return typed(a, "integer", "int32");
    case SHAPE_INT64:
        return typed(a, "integer", "int64");
    case SHAPE_FLAG:
        return typed(a, "boolean", NULL);
    case SHAPE_INT_OR_TEXT:
        return reference(a, int_or_text_name);
    case SHAPE_TIME:
    case SHAPE_MICRO_TIME:
        return typed(a, "string", "date-time");
    case SHAPE_QUANTITY:
        return reference(a, quantity_name);
    case SHAPE_BYTES:
        return typed(a, "string", "byte");
    case SHAPE_UNTYPED:
    case SHAPE_LIST:
    case SHAPE_MAP:
        break;
    }
    return draft(a, str("type", "object"));
}

static Draft *of_shape(Arena *a, const Shape *shape, int depth);

static Draft *keys_of(Arena *a, const Shape *shape)
{
    Draft *keys = draft_array(a);

    for (const ShapeKey *key = shape->keys; key && key->name; key++)
        draft_push_str(keys, key->name);
    return keys;
}

static Draft *of_list(Arena *a, const Shape *shape, int depth)
{
    Draft *schema = draft(a,
        str("type", "array"),
        sub("items", of_shape(a, shape->rest ? shape->rest : &shape_plain, depth + 1)));

    if (shape->merge == SHAPE_KEYED) {
        draft_set(schema, str("x-kubernetes-list-type", "map"));
        draft_set(schema, sub("x-kubernetes-list-map-keys", keys_of(a, shape)));
    } else {
        draft_set(
            schema, str("x-kubernetes-list-type", shape->merge == SHAPE_SET ? "set" : "atomic"));
    }
    return schema;
}

static Draft *properties_of(Arena *a, const Shape *shape, int depth)
{
    Draft *properties = draft_object(a);

    for (size_t i = 0; i < shape->field_count; i++) {
        const ShapeField *field = &shape->fields[i];
        Draft *schema = of_shape(a, field->shape ? field->shape : &shape_plain, depth + 1);
        draft_set(schema, str("description", openapi_field_about(field->name)));
        draft_add(properties, sub(field->name, schema));
    }
    return properties;
}

static Draft *of_object(Arena *a, const Shape *shape, int depth)
{
    Draft *schema = draft(a, str("type", "object"));

    if (shape->field_count > 0)
        draft_set(schema, sub("properties", properties_of(a, shape, depth)));
    else if (shape->rest)
        draft_set(schema, sub("additionalProperties", of_shape(a, shape->rest, depth + 1)));
    if (shape->merge == SHAPE_ATOMIC)
        draft_set(schema, str("x-kubernetes-map-type", "atomic"));
    return schema;
}

/* Recurses on tables of this program, never on input. */
static Draft *of_shape(Arena *a, const Shape *shape, int depth)
{
    if (depth > DEPTH_MAX)
        BUG("a table of shapes has no end");
    if (shape->type == SHAPE_LIST)
        return of_list(a, shape, depth);
    if (shape->type == SHAPE_MAP || shape->field_count > 0)
        return of_object(a, shape, depth);
    return scalar(a, shape->type);
}

/* --- kinds --- */

/* The fields that all objects have, and those of this one. */
static Draft *with_common(Arena *a, const Json *own)
{
    Draft *metadata = reference(a, openapi_metadata_name);
    Draft *properties = draft(a,
        obj("apiVersion",
            str("type", "string"),
            str("description", openapi_field_about("apiVersion"))),
        obj("kind", str("type", "string"), str("description", openapi_field_about("kind"))),
        sub("metadata", metadata));
    const Json *each;

    draft_set(metadata, str("description", openapi_field_about("metadata")));
    json_each(each, own) {
        const char *key = json_key(each);
        if (!str_eq(key, "apiVersion") && !str_eq(key, "kind") && !str_eq(key, "metadata"))
            draft_add(properties, draft_json(key, each));
    }
    return properties;
}

static const Json *definition_schema(const Served *served)
{
    const Json *each;

    json_each(each, json_find(served->definition, ".spec.versions"))
        if (str_eq(json_str(each, ".name"), served->kind->version))
            return json_find(each, ".schema.openAPIV3Schema");
    return NULL;
}

static Draft *of_definition(Arena *a, const Served *served)
{
    const Json *said = definition_schema(served), *each;
    Draft *schema = draft_object(a);

    json_each(each, said)
        if (!str_eq(json_key(each), "properties"))
            draft_add(schema, draft_json(json_key(each), each));
    draft_set(schema, sub("properties", with_common(a, json_member(said, "properties"))));
    return schema;
}

static Draft *of_built_in(Arena *a, const Served *served)
{
    const Json *properties = json_seal(a, properties_of(a, served->schema->root, 0));

    return draft(a,
        str("description", openapi_kind_about(served->kind->name)),
        str("type", "object"),
        sub("properties", with_common(a, properties)));
}

Draft *openapi_schema(Arena *a, const Served *served)
{
    const Kind *kind = served->kind;
    Draft *schema = served->definition ? of_definition(a, served) : of_built_in(a, served);

    draft_set(schema,
        list("x-kubernetes-group-version-kind",
            openapi_kind(a, kind->group, kind->version, kind->name)));
    return schema;
}

void openapi_add_shared(Arena *a, Draft *schemas)
{
    Draft *metadata = of_shape(a, &shape_metadata, 0);

    draft_set(metadata, str("description", openapi_kind_about("ObjectMeta")));
    draft_set(schemas, sub(openapi_metadata_name, metadata));
    draft_set(schemas, sub(quantity_name, one_of(a, NULL, "string", "number")));
    draft_set(schemas, sub(int_or_text_name, one_of(a, "int-or-string", "integer", "string")));
}
