/* Objects that an apply would empty: found by what the server says of them, and nothing else is
 * touched. That it works out on a server is in tests/sei/reconcile/test_fleet_takeover.c. */
#include "kube/core/emptying.h"
#include "tests/test.h"

#define NULL_AT(path) path ": Invalid value: \"null\": " path " in body must be of type object"
#define EMPTIED(path, was)                                                                         \
    ", {op: 'test', path: '" path "', value: " was "}, {op: 'replace', path: '" path "', value: "  \
    "{}}"
#define TESTED(emptied) "[{op: 'test', path: '/metadata/uid', value: 'u'}" emptied "]"

static const struct {
    const char *name, *seen, *applied, *refusal; /* `seen` and `applied`: the spec */
    const char *patch;                           /* NULL: none */
} cases[] = {
    {"an object that is emptied",
        "{a: {b: 1}}",
        "{a: {}}",
        "it is invalid: [" NULL_AT("spec.a") ", and more]",
        TESTED(EMPTIED("/spec/a", "{b: 1}"))},
    {"one further inside",
        "{a: {b: {c: {d: 1}}}}",
        "{a: {b: {c: {}}}}",
        NULL_AT("spec.a.b.c"),
        TESTED(EMPTIED("/spec/a/b/c", "{d: 1}"))},
    {"two of them",
        "{a: {x: 1}, b: {x: 1}}",
        "{a: {}, b: {}}",
        NULL_AT("spec.a") ", " NULL_AT("spec.b"),
        TESTED(EMPTIED("/spec/a", "{x: 1}") EMPTIED("/spec/b", "{x: 1}"))},
    {"an object in which other managers have fields left",
        "{a: {x: 1}, b: {x: 1}}",
        "{a: {}, b: {}}",
        NULL_AT("spec.b"),
        TESTED(EMPTIED("/spec/b", "{x: 1}"))},
    {"another trouble", "{a: {b: 1}}", "{a: {}}", "spec.a: Required value", NULL},
    {"an object that is empty already", "{a: {}}", "{a: {}}", NULL_AT("spec.a"), NULL},
    {"an object that is not emptied", "{a: {b: 1}}", "{a: {c: 1}}", NULL_AT("spec.a"), NULL},
    {"an object that is not there", "{}", "{a: {}}", NULL_AT("spec.a"), NULL},
    {"a key that would need another spelling", "{'a/b': {c: 1}}", "{'a/b': {}}", "spec.a/b", NULL},
};

TEST(an_object_that_an_apply_would_empty_is_emptied_by_a_patch_first)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *seen = json_fixture(
            a, str_format(a, "{metadata: {name: 'x', uid: 'u'}, spec: %s}", cases[i].seen));
        const Json *applied =
            json_fixture(a, str_format(a, "{metadata: {name: 'x'}, spec: %s}", cases[i].applied));
        const Json *patch = emptying_patch(a, seen, applied, cases[i].refusal);

        if (cases[i].patch)
            then_json(patch, cases[i].patch);
        else
            then_true(patch == NULL);
    }
}
