/* Projection: what stands at the paths, in its own order, and nothing else. */
#include "base/json.h"

#include "tests/test.h"

static const char pod[] =
    "{metadata: {name: 'n-0', labels: {a: '1', b: '2'}, annotations: {'sei.io/x': 'y', z: 'w'},"
    " managedFields: [1, 2]},"
    " spec: {containers: [{name: 'seid', image: 'i'}, {name: 'proxy'}, 'odd', {image: 'k'}],"
    " nodeName: 'host', volumes: []},"
    " status: {phase: 'Running', conditions: [{type: 'Ready', status: 'True', message: 'm'}]}}";

TEST(a_json_projection_keeps_only_its_paths)
{
    static const struct {
        const char *name;
        const char *const paths[5];
        const char *want;
    } cases[] = {
        {"nothing", {NULL}, "{}"},
        {"one field", {".metadata.name"}, "{\"metadata\":{\"name\":\"n-0\"}}"},
        {"a whole subtree",
            {".metadata.labels"},
            "{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}}"},
        {"in its own order, whatever that of the paths",
            {".status.phase", ".spec.nodeName", ".metadata.name"},
            "{\"metadata\":{\"name\":\"n-0\"},\"spec\":{\"nodeName\":\"host\"},"
            "\"status\":{\"phase\":\"Running\"}}"},
        {"a key in brackets",
            {".metadata.annotations['sei.io/x']"},
            "{\"metadata\":{\"annotations\":{\"sei.io/x\":\"y\"}}}"},
        {"every element, places hold",
            {".spec.containers[].image"},
            "{\"spec\":{\"containers\":[{\"image\":\"i\"},{},{},{\"image\":\"k\"}]}}"},
        {"two fields of every element",
            {".status.conditions[].type", ".status.conditions[].status"},
            "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"},
        {"an array as a whole", {".spec.volumes"}, "{\"spec\":{\"volumes\":[]}}"},
        {"every element as a whole",
            {".metadata.managedFields[]"},
            "{\"metadata\":{\"managedFields\":[1,2]}}"},
        {"the shorter of two paths wins",
            {".status.conditions", ".status.conditions[].type"},
            "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"message\":"
            "\"m\"}]}}"},
        {"what is not there leaves no trace", {".spec.nothing.at.all", ".nothing"}, "{}"},
        {"into text", {".metadata.name.more"}, "{}"},
        {"elements of an object", {".metadata[].name"}, "{}"},
        {"members of an array", {".spec.containers.image"}, "{}"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *v = json_fixture(a, pod);
        then_str(json_write(a, json_project(a, v, cases[i].paths)).data, cases[i].want);
    }
}

TEST(projection_paths_are_parsed_once_for_many_values)
{
    static const char *const paths[] = {".a.b", ".c[].d", NULL};
    SCOPED_ARENA a = arena_open(1 << 20);
    const JsonPaths *taken_apart = json_paths(a, paths);

    then_json(json_project_by(a, json_fixture(a, "{a: {b: 1, x: 2}}"), taken_apart), "{a: {b: 1}}");
    then_json(
        json_project_by(a, json_fixture(a, "{c: [{d: 1, x: 2}]}"), taken_apart), "{c: [{d: 1}]}");
    then_true(json_paths(a, NULL) == NULL);
    then_true(json_project_by(a, NULL, taken_apart) == NULL);
}

TEST(a_projection_without_paths_keeps_everything)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *v = json_fixture(a, pod);
    then_true(json_project(a, v, NULL) == v);
}

TEST(a_projection_of_a_value_that_is_not_an_object_is_empty)
{
    static const char *const paths[] = {".a", NULL};
    SCOPED_ARENA a = arena_open(1 << 20);
    then_json(json_project(a, json_fixture(a, "'text'"), paths), "{}");
    then_json(json_project(a, json_fixture(a, "[{a: 1}]"), paths), "[]");
    then_true(json_project(a, NULL, paths) == NULL);
}

TEST(a_projection_has_at_most_sixty_four_paths)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *paths[JSON_PATHS_MAX + 2] = {NULL};
    for (int i = 0; i < JSON_PATHS_MAX; i++)
        paths[i] = str_format(a, ".k%d", i);

    then_json(
        json_project(a, json_fixture(a, "{k0: 1, k63: 2, k64: 3}"), paths), "{k0: 1, k63: 2}");
    paths[JSON_PATHS_MAX] = ".k64";
    then_bug("more than JSON_PATHS_MAX", json_project(a, json_fixture(a, "{}"), paths));
}

TEST(an_invalid_projection_path_is_a_bug)
{
    static const char *const nowhere[] = {"", NULL}, *const index[] = {".a[0].b", NULL};
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *v = json_fixture(a, "{}");
    then_bug("leads nowhere", json_project(a, v, nowhere));
    then_bug("every element", json_project(a, v, index));
}
