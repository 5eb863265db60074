/* The documents that kubectl explain and apply read. That the real kubectl is content with them is
 * shown with the whole sandbox. */
#include "sandbox/openapi.h"
#include "sandbox/openapi_schema.h"
#include "tests/world/desk.h"
#include "world/schema_shape.h"

#define SCHEMAS ".components.schemas"

static const Json *ask_for(Desk *d, const char *path)
{
    return openapi_find(d->arena, d->server, path);
}

static const Json *schema_of(const Json *document, const char *name)
{
    return json_member(json_find(document, SCHEMAS), name);
}

static const Json *path_of(const Json *document, const char *path)
{
    return json_member(json_find(document, ".paths"), path);
}

/* What the index says of a document. */
static const char *address(Desk *d, const char *name)
{
    return json_str(
        json_member(json_find(ask_for(d, "/openapi/v3"), ".paths"), name), ".serverRelativeURL");
}

TEST(the_openapi_index_names_every_version_of_every_group_with_its_hash)
{
    SCOPED_DESK d = desk_open();
    const char *core = address(d, "api/v1"), *before;

    then_true(str_has_prefix(core, "/openapi/v3/api/v1?hash="));
    then_int(strlen(core), strlen("/openapi/v3/api/v1?hash=") + 64);
    then_true(address(d, "apis/apps/v1") != NULL);
    then_true(!address(d, "apis/test.io/v1"));
    create(d, kind_crd, widget_crd);
    before = address(d, "apis/test.io/v1");
    then_true(before != NULL);
    then_str(address(d, "api/v1"), core);
    jsonpatch(d,
        kind_crd,
        "widgets.test.io",
        "[{op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'W'}]");
    then_status(d, 200);
    then_true(!str_eq(address(d, "apis/test.io/v1"), before));
}

static const struct {
    const char *name, *path;
    bool found;
} paths[] = {
    {"the index", "/openapi/v3", true},
    {"the core", "/openapi/v3/api/v1", true},
    {"a group", "/openapi/v3/apis/apps/v1", true},
    {"a group without its version", "/openapi/v3/apis/apps", false},
    {"a group that is not there", "/openapi/v3/apis/nobody.io/v1", false},
    {"nothing behind the slash", "/openapi/v3/", false},
    {"something else", "/openapi/v4", false},
};

TEST(each_openapi_path_has_a_document_or_none)
{
    each_case(i, paths) {
        SCOPED_DESK d = desk_open();

        then_int(ask_for(d, paths[i].path) != NULL, paths[i].found);
    }
}

TEST(the_openapi_schema_of_a_custom_kind_comes_from_its_crd)
{
    SCOPED_DESK d = desk_open();
    const Json *schema, *document;

    create(d, kind_crd, widget_crd);
    document = ask_for(d, "/openapi/v3/apis/test.io/v1");
    schema = schema_of(document, "io.test.v1.Widget");
    then_json(json_find(schema, ".properties.spec"),
        "{type: 'object', properties: {replicas: {type: 'integer', minimum: 0},"
        " size: {type: 'string'}}}");
    then_json(json_member(schema, "x-kubernetes-group-version-kind"),
        "[{group: 'test.io', version: 'v1', kind: 'Widget'}]");
    then_str(json_str(schema, ".properties.kind.type"), "string");
    then_str(json_str(json_find(schema, ".properties.metadata.allOf[0]"), "['$ref']"),
        str_format(d->arena, "#/components/schemas/%s", openapi_metadata_name));
    then_true(schema_of(document, openapi_metadata_name) != NULL);
}

/* Whether kubectl leaves the checking of fields to the server: it looks at any patch of the kind,
 * so all of them must say it. */
static bool patch_checks_fields(const Json *operation)
{
    const Json *each;

    json_each(each, json_find(operation, ".parameters"))
        if (str_eq(json_str(each, ".name"), "fieldValidation")
            && str_eq(json_str(each, ".in"), "query"))
            return true;
    return false;
}

TEST(every_patch_operation_in_openapi_has_the_field_validation_parameter)
{
    static const char *const documents[] = {
        "/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/test.io/v1"};
    SCOPED_DESK d = desk_open();
    size_t patches = 0;

    create(d, kind_crd, widget_crd);
    for (size_t i = 0; i < array_count(documents); i++) {
        const Json *all = json_find(ask_for(d, documents[i]), ".paths"), *path;
        json_each(path, all) {
            const Json *patch = json_member(path, "patch");
            if (!patch)
                continue;
            patches++;
            then_true(patch_checks_fields(patch));
            then_true(json_str(patch, "['x-kubernetes-group-version-kind'].kind") != NULL);
            then_true(!json_find(
                patch, ".requestBody.content['application/strategic-merge-patch+json']"));
        }
    }
    then_true(patches > 20);
}

TEST(an_openapi_path_has_the_operations_that_are_served)
{
    SCOPED_DESK d = desk_open();
    const Json *apps = ask_for(d, "/openapi/v3/apis/apps/v1");
    const Json *core = ask_for(d, "/openapi/v3/api/v1");
    const char *one = "/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}";

    then_int(json_count(path_of(apps, "/apis/apps/v1/statefulsets")), 1);
    then_int(json_count(path_of(apps, "/apis/apps/v1/namespaces/{namespace}/statefulsets")), 2);
    then_int(json_count(path_of(apps, one)), 4);
    then_str(json_str(path_of(apps, str_format(d->arena, "%s/scale", one)),
                 ".patch['x-kubernetes-group-version-kind'].kind"),
        "Scale");
    then_int(json_count(path_of(core, "/api/v1/nodes")), 2);
    then_int(
        json_count(path_of(core, "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token")),
        1);
}

TEST(the_openapi_schema_of_a_built_in_kind_comes_from_its_table)
{
    SCOPED_DESK d = desk_open();
    const Json *document = ask_for(d, "/openapi/v3/apis/apps/v1");
    const Json *set = schema_of(document, "io.k8s.api.apps.v1.StatefulSet");
    const Json *spec = json_find(set, ".properties.spec");
    const Json *container =
        json_find(spec, ".properties.template.properties.spec.properties.containers");
    const Json *probe = json_find(container, ".items.properties.livenessProbe");

    then_true(json_str(set, ".description") != NULL);
    then_json(json_find(spec, ".properties.replicas"),
        "{type: 'integer', format: 'int32', description: 'How many pods.'}");
    then_str(json_str(container, "['x-kubernetes-list-type']"), "map");
    then_json(json_find(container, "['x-kubernetes-list-map-keys']"), "['name']");
    then_json(json_find(container, ".items.properties.image"),
        "{type: 'string', description: 'The image that the container is made from.'}");
    then_json(json_find(probe, ".properties.httpGet.properties.port.allOf"),
        "[{'$ref': '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString'}]");
    then_json(json_find(container,
                  ".items.properties.resources.properties.requests.additionalProperties.allOf"),
        "[{'$ref': '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity'}]");
    then_json(schema_of(document, "io.k8s.apimachinery.pkg.api.resource.Quantity"),
        "{oneOf: [{type: 'string'}, {type: 'number'}]}");
    then_json(json_find(schema_of(ask_for(d, "/openapi/v3/api/v1"), "io.k8s.api.core.v1.Secret"),
                  ".properties.data.additionalProperties"),
        "{type: 'string', format: 'byte'}");
}

TEST(every_served_kind_has_an_openapi_schema)
{
    SCOPED_DESK d = desk_open();
    size_t cursor = 0;
    Served served;

    while (server_next_served(d->server, &cursor, &served)) {
        const char *path = *served.kind->group
            ? str_format(
                  d->arena, "/openapi/v3/apis/%s/%s", served.kind->group, served.kind->version)
            : "/openapi/v3/api/v1";
        const Json *schema =
            schema_of(ask_for(d, path), openapi_schema_name(d->arena, served.kind));
        then_true(json_find(schema, ".properties.metadata") != NULL);
        then_str(json_str(schema, ".description"), openapi_kind_about(served.kind->name));
        then_true(openapi_kind_about(served.kind->name) != NULL);
    }
}

static const struct {
    const char *name;
    Kind kind;
    const char *want;
} names[] = {
    {"of the core", {"", "v1", "pods", "Pod"}, "io.k8s.api.core.v1.Pod"},
    {"of a group of one word", {"apps", "v1", "x", "X"}, "io.k8s.api.apps.v1.X"},
    {"of a group of Kubernetes",
        {"rbac.authorization.k8s.io", "v1", "x", "X"},
        "io.k8s.api.rbac.v1.X"},
    {"of a group of others", {"sei.io", "v1alpha1", "x", "X"}, "io.sei.v1alpha1.X"},
    {"of a long group", {"a.b.example.com", "v1", "x", "X"}, "com.example.b.a.v1.X"},
};

TEST(openapi_schemas_are_named_as_by_the_real_server)
{
    each_case(i, names) {
        SCOPED_ARENA a = arena_open(1 << 16);

        then_str(openapi_schema_name(a, &names[i].kind), names[i].want);
    }
}

TEST(openapi_descriptions_are_found_for_the_first_and_the_last_field_name)
{
    then_true(openapi_field_about("accessModes") && openapi_field_about("workingDir"));
    then_true(openapi_field_about("metadata") && openapi_field_about("spec"));
    then_true(openapi_kind_about("ClusterRole") && openapi_kind_about("StorageClass"));
    then_true(!openapi_field_about("nonsense"));
}

TEST(the_openapi_v2_document_exists_and_is_empty)
{
    Bytes v2 = openapi_v2();

    then_int(v2.len, 5 + 2 + v2.data[6]);
    then_true(memmem(v2.data, v2.len, "v1.34.0", 7) != NULL);
    /* Asked for with an "@" in it, which no Content-Type may have. */
    then_str(openapi_v2_type, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
}
