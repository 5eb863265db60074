/* OpenAPI documents: paths with what can be done there, and the schemas of what is found there.
 *
 * A hash names the state of a document, so that clients can keep what they have read: it is that of
 * the document itself. */
#include "sandbox/openapi.h"

#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"
#include "sandbox/catalog.h"
#include "sandbox/openapi_schema.h"

#include <string.h>

/* --- operations --- */

static Draft *parameter(Arena *a, const char *name, const char *type, const char *about)
{
    return draft(a,
        str("name", name),
        str("in", "query"),
        str("description", about),
        obj("schema", str("type", type), flag("uniqueItems", true)));
}

static Draft *write_parameters(Arena *a)
{
    Draft *parameters = draft_array(a);

    draft_push(
        parameters, parameter(a, "dryRun", "string", "All: everything but storing it is done."));
    draft_push(parameters, parameter(a, "fieldManager", "string", "Who makes the change."));
    draft_push(parameters,
        parameter(a,
            "fieldValidation",
            "string",
            "What becomes of fields that are unknown or there twice: Ignore, Warn or Strict."));
    return parameters;
}

/* The kinds of patches, each of which is any object. */
static Draft *patch_body(Arena *a)
{
    static const char *const types[] = {"application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json"};
    Draft *content = draft_object(a);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        draft_set(content, obj(types[i], obj("schema", str("type", "object"))));
    return draft(a, sub("content", content), flag("required", true));
}

/* What an answer looks like; schema NULL: like anything. */
static Draft *responses(Arena *a, const char *schema)
{
    const char *reference = schema ? str_format(a, "#/components/schemas/%s", schema) : NULL;

    return draft(a,
        obj("200",
            str("description", "OK"),
            obj("content",
                obj("application/json",
                    obj("schema",
                        str("$ref", reference),
                        str("type", reference ? NULL : "object"))))),
        obj("401", str("description", "Unauthorized")));
}

/* A resource or a subresource, for the operations upon it. */
typedef struct Target {
    const char *group, *version, *kind;
    const char *schema; /* NULL: not described here */
} Target;

static Draft *operation(Arena *a, const Target *target, const char *action)
{
    bool patches = str_eq(action, "patch");
    bool writes = patches || str_eq(action, "put") || str_eq(action, "post");

    return draft(a,
        sub("parameters", writes ? write_parameters(a) : NULL),
        sub("requestBody", patches ? patch_body(a) : NULL),
        sub("responses", responses(a, target->schema)),
        str("x-kubernetes-action", action),
        sub("x-kubernetes-group-version-kind",
            openapi_kind(a, target->group, target->version, target->kind)));
}

typedef enum Place {
    PLACE_COLLECTION,
    PLACE_OBJECT,
    PLACE_PART, /* a subresource */
} Place;

static const struct {
    Place place;
    const char *verb, *method;
} methods[] = {
    {PLACE_COLLECTION, "list", "get"},
    {PLACE_COLLECTION, "create", "post"},
    {PLACE_OBJECT, "get", "get"},
    {PLACE_OBJECT, "update", "put"},
    {PLACE_OBJECT, "patch", "patch"},
    {PLACE_OBJECT, "delete", "delete"},
    {PLACE_PART, "get", "get"},
    {PLACE_PART, "create", "post"},
    {PLACE_PART, "update", "put"},
    {PLACE_PART, "patch", "patch"},
};

static bool has(const char *const *verbs, const char *verb)
{
    while (*verbs && !str_eq(*verbs, verb))
        verbs++;
    return *verbs != NULL;
}

static Draft *operations(Arena *a, const Target *target, const char *const *verbs, Place place)
{
    Draft *path = draft_object(a);

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].place == place && has(verbs, methods[i].verb))
            draft_set(path, sub(methods[i].method, operation(a, target, methods[i].method)));
    return path;
}

/* --- documents --- */

static const char *root_of(Arena *a, const Kind *kind)
{
    return *kind->group ? str_format(a, "/apis/%s/%s", kind->group, kind->version)
                        : str_format(a, "/api/%s", kind->version);
}

static void add_paths(Arena *a, Draft *paths, const CatalogRow *row)
{
    const Kind *kind = row->served.kind;
    Target self = {kind->group, kind->version, kind->name, openapi_schema_name(a, kind)};
    const char *all = str_format(a, "%s/%s", root_of(a, kind), kind->plural);
    const char *one = kind->namespaced
        ? str_format(a, "%s/namespaces/{namespace}/%s", root_of(a, kind), kind->plural)
        : all;
    static const char *const list_only[] = {"list", NULL};

    if (kind->namespaced)
        draft_add(paths, sub(all, operations(a, &self, list_only, PLACE_COLLECTION)));
    draft_add(paths, sub(one, operations(a, &self, row->verbs, PLACE_COLLECTION)));
    one = str_format(a, "%s/{name}", one);
    draft_add(paths, sub(one, operations(a, &self, row->verbs, PLACE_OBJECT)));
    for (size_t i = 0; i < row->subresource_count; i++) {
        const Subresource *part = &row->subresources[i];
        Target other = {part->group ? part->group : kind->group,
            part->version ? part->version : kind->version,
            part->kind ? part->kind : kind->name,
            part->kind ? NULL : self.schema};
        draft_add(paths,
            sub(str_format(a, "%s/%s", one, part->name),
                operations(a, &other, part->verbs, PLACE_PART)));
    }
}

static const Json *document(Arena *a, const Catalog *c, size_t first)
{
    size_t end = catalog_version_end(c, first);
    Draft *paths = draft_object(a), *schemas = draft_object(a);

    for (size_t i = first; i < end; i++) {
        const CatalogRow *row = &c->rows[i];
        add_paths(a, paths, row);
        draft_add(schemas,
            sub(openapi_schema_name(a, row->served.kind), openapi_schema(a, &row->served)));
    }
    openapi_add_shared(a, schemas);
    return json_seal(a,
        draft(a,
            str("openapi", "3.0.0"),
            obj("info", str("title", "Kubernetes"), str("version", "v1.34.0")),
            sub("paths", paths),
            obj("components", sub("schemas", schemas))));
}

static const Json *index_of(Arena *a, const Catalog *c)
{
    Draft *paths = draft_object(a);

    for (size_t i = 0; i < c->count; i = catalog_version_end(c, i)) {
        const char *root = root_of(a, c->rows[i].served.kind);
        char hash[SHA256_HEX_SIZE];
        sha256_hex(json_write(a, document(a, c, i)), hash);
        draft_set(paths,
            obj(root + 1,
                str("serverRelativeURL", str_format(a, "/openapi/v3%s?hash=%s", root, hash))));
    }
    return json_seal(a, draft(a, sub("paths", paths)));
}

const Json *openapi_find(Arena *a, const Server *s, const char *path)
{
    static const char prefix[] = "/openapi/v3";
    Catalog c = catalog_of(a, s);

    if (str_eq(path, prefix))
        return index_of(a, &c);
    if (!str_has_prefix(path, prefix))
        return NULL;
    for (size_t i = 0; i < c.count; i = catalog_version_end(&c, i))
        if (str_eq(path + strlen(prefix), root_of(a, c.rows[i].served.kind)))
            return document(a, &c, i);
    return NULL;
}

/* --- version 2 --- */

const char openapi_v2_type[] = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

Bytes openapi_v2(void)
{
    /* swagger: "2.0", info: {title: "Kubernetes", version: "v1.34.0"} */
    static const char message[] = "\x0a\x03"
                                  "2.0"
                                  "\x12\x15\x0a\x0a"
                                  "Kubernetes"
                                  "\x12\x07"
                                  "v1.34.0";

    return (Bytes){.data = message, .len = sizeof message - 1};
}
