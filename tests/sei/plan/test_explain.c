/* How two templates differ, field by field. */
#include "sei/plan/explain.h"
#include "tests/sei/plan/given.h"

static const char *drift_lines(Arena *a, const Drift *drift)
{
    const char *text = "";

    for (size_t i = 0; i < drift->count; i++)
        text = str_format(a,
            "%s%s%s: %s -> %s",
            text,
            i ? "; " : "",
            drift->fields[i].path,
            drift->fields[i].have ? drift->fields[i].have : "-",
            drift->fields[i].want ? drift->fields[i].want : "-");
    return text;
}

static const struct {
    const char *name, *have, *want, *drift;
} cases[] = {
    {"nothing", "{spec: {x: 1}}", "{spec: {x: 1}}", ""},
    {"what the server added does not count", "{spec: {x: 1, y: 2}}", "{spec: {x: 1}}", ""},
    {"a value", "{spec: {x: 1}}", "{spec: {x: 2}}", "spec.x: 1 -> 2"},
    {"a value that was not there", "{spec: {}}", "{spec: {x: true}}", "spec.x: - -> true"},
    {"a value of another type", "{spec: {x: [1]}}", "{spec: {x: 'a'}}", "spec.x: [1] -> a"},
    {"an image, whatever stands before it in the list",
        "{spec: {containers: [{name: 'proxy'}, {name: 'seid', image: 'a'}]}}",
        "{spec: {containers: [{name: 'seid', image: 'b'}]}}",
        "spec.containers[seid].image: a -> b"},
    {"a variable of the environment",
        "{containers: [{name: 'seid', env: [{name: 'HOME', value: '/sei'}]}]}",
        "{containers: [{name: 'seid', env: [{name: 'A', value: 'b'}, {name: 'HOME', value: '/.sei'}"
        "]}]}",
        "containers[seid].env[A]: - -> {\"name\":\"A\",\"value\":\"b\"}; "
        "containers[seid].env[HOME].value: /sei -> /.sei"},
    {"a mount is known by its path",
        "{volumeMounts: [{name: 'data', mountPath: '/sei'}]}",
        "{volumeMounts: [{name: 'data', mountPath: '/.sei'}]}",
        "volumeMounts[/.sei]: - -> {\"name\":\"data\",\"mountPath\":\"/.sei\"}"},
    {"arguments are one value",
        "{args: ['a', 'b']}",
        "{args: ['a', 'c']}",
        "args: [\"a\",\"b\"] -> [\"a\",\"c\"]"},
    {"the hash of the template follows from the rest",
        "{metadata: {annotations: {'sei.io/template-hash': 'a'}}, spec: {x: 1}}",
        "{metadata: {annotations: {'sei.io/template-hash': 'b'}}, spec: {x: 2}}",
        "spec.x: 1 -> 2"},
    {"an annotation with a slash in its name",
        "{metadata: {annotations: {'sei.io/config-hash': 'a'}}}",
        "{metadata: {annotations: {'sei.io/config-hash': 'b'}}}",
        "metadata.annotations[sei.io/config-hash]: a -> b"},
};

TEST(drift_is_explained_field_by_field)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Drift drift;

        plan_explain(a, json_fixture(a, cases[i].have), json_fixture(a, cases[i].want), &drift);
        then_str(drift_lines(a, &drift), cases[i].drift);
    }
}

TEST(drift_is_explained_without_a_previous_template)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Drift drift;

    plan_explain(a, NULL, json_fixture(a, "{spec: {x: 1}}"), &drift);
    then_str(drift_lines(a, &drift), ": - -> {\"spec\":{\"x\":1}}");
    plan_explain(a, NULL, NULL, &drift);
    then_int(drift.count, 0);
}

TEST(only_fields_that_the_operator_manages_explain_the_drift_of_a_live_template)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *live = json_fixture(a,
        "{metadata: {name: 'a', managedFields: [{manager: 'seinode-controller', operation: 'Apply',"
        " fieldsV1: {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"seid\"}': {'.': {}, 'f:name': {}, 'f:image': {}, 'f:env': {"
        " 'k:{\"name\":\"OLD\"}': {'.': {}, 'f:name': {}, 'f:value': {}}}}}}}}}}]},"
        " spec: {template: {spec: {restartPolicy: 'Always', containers: [{name: 'seid', image: 'a',"
        " imagePullPolicy: 'Always', env: [{name: 'OLD', value: '1'}, {name: 'THEIRS', value: '2'}]"
        "}]}}}}");
    const Json *rendered =
        json_fixture(a, "{spec: {template: {spec: {containers: [{name: 'seid', image: 'b'}]}}}}");
    Drift drift;

    plan_explain_template(a, live, rendered, &drift);
    then_str(drift_lines(a, &drift),
        "spec.containers[seid].image: a -> b; "
        "spec.containers[seid].env: [{\"name\":\"OLD\",\"value\":\"1\"}] -> -");
    plan_explain_template(a, NULL, rendered, &drift);
    then_int(drift.count, 1);
}

TEST(the_explanation_of_drift_is_limited_in_fields_and_length)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Draft *want = draft_object(a);
    char *long_text = arena_alloc(a, 1001);
    Drift drift;

    memset(long_text, 'x', 1000);
    for (int i = 0; i < 40; i++)
        draft_set(want, str(str_format(a, "k%d", i), long_text));
    plan_explain(a, json_fixture(a, "{}"), json_seal(a, want), &drift);
    then_int(drift.count, DRIFT_FIELDS_MAX);
    then_int(strlen(drift.fields[0].want), DRIFT_VALUE_MAX);
}
