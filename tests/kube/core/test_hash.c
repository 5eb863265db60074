/* Hashes: equal values have equal ones, whatever the order of their members. The forms behind the
 * owned ones are proven by test_owned. */
#include "kube/hash.h"
#include "tests/test.h"

TEST(a_hash_is_the_beginning_of_sha_256_of_the_canonical_json)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    /* printf '{"a":1,"b":[true,null]}' | sha256sum */
    then_str(hash_json(a, json_fixture(a, "{b: [true, null], a: 1}")), "1cc69c7fa23616ca");
    /* printf null | sha256sum */
    then_str(hash_json(a, NULL), "74234e98afe7498f");
    then_str(hash_json(a, json_fixture(a, "null")), "74234e98afe7498f");
}

TEST(a_hash_ignores_the_order_of_members_and_not_the_order_of_elements)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(hash_json(a, json_fixture(a, "{a: 1, b: {c: 2, d: 3}}")),
        hash_json(a, json_fixture(a, "{b: {d: 3, c: 2}, a: 1}")));
    then_true(
        !str_eq(hash_json(a, json_fixture(a, "[1, 2]")), hash_json(a, json_fixture(a, "[2, 1]"))));
}

static const char rendered[] = "{apiVersion: 'v1', kind: 'ConfigMap',"
                               " metadata: {name: 'x', namespace: 'ns', uid: 'u'}, data: {a: 'b'}}";
static const char live[] =
    "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x', namespace: 'ns', uid: 'u',"
    " managedFields: [{manager: 'me', operation: 'Apply', fieldsV1: {'f:data': {'f:a': {}}}}]},"
    " data: {a: 'b', theirs: 'c'}}";

TEST(the_hash_of_owned_fields_equals_that_of_the_rendered_object)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a, live), *applied = json_fixture(a, rendered);

    then_str(hash_owned(a, object, "me"), hash_owned_of_rendered(a, applied));
    then_int(strlen(hash_owned(a, object, "me")), HASH_SIZE - 1);
    then_json(hash_owned_part(a, object, "me"), "{data: {a: 'b'}}");
    then_json(hash_rendered_part(a, applied), "{data: {a: 'b'}}");
}

TEST(a_change_of_an_owned_field_changes_the_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *changed =
        json_merge(a, json_fixture(a, live), json_fixture(a, "{data: {a: 'changed'}}"));

    then_true(!str_eq(
        hash_owned(a, changed, "me"), hash_owned_of_rendered(a, json_fixture(a, rendered))));
}

TEST(an_object_that_we_never_applied_has_no_owned_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(hash_owned(a, json_fixture(a, live), "you"), NULL);
    then_json(hash_owned_part(a, json_fixture(a, live), "you"), NULL);
    then_str(hash_owned(a, NULL, "me"), NULL);
}

/* An object as a server gives it, of which "me" applied a label and a list, and others the rest. */
static const char shared[] =
    "{apiVersion: 'v1', kind: 'X', metadata: {name: 'x', resourceVersion: '1', generation: 1,"
    " labels: {mine: 'a', theirs: 'b'}, managedFields: ["
    "  {manager: 'me', operation: 'Apply', time: '1', fieldsV1: {'f:metadata': {'f:labels':"
    "   {'f:mine': {}}}, 'f:spec': {'f:map': {}, 'f:replicas': {}}}},"
    "  {manager: 'them', operation: 'Update', time: '1', fieldsV1: {'f:metadata': {'f:labels':"
    "   {'f:theirs': {}}}, 'f:spec': {'f:other': {}}}},"
    "  {manager: 'them', operation: 'Update', subresource: 'status', time: '1',"
    "   fieldsV1: {'f:status': {'f:ready': {}}}}]},"
    " spec: {map: {k: 'v'}, other: 1, replicas: 1}, status: {ready: 1}}";

TEST(the_fingerprint_of_an_object_changes_whenever_its_owned_part_may_change)
{
    static const uint64_t secret[2] = {1, 2};
    static const struct {
        const char *name, *old, *new;
        bool is_same;
    } cases[] = {
        {"a status", "ready: 1}}", "ready: 2, more: 'x'}}", true},
        {"a version", "resourceVersion: '1'", "resourceVersion: '2'", true},
        {"a time of ours", "'Apply', time: '1'", "'Apply', time: '2'", true},
        {"the managed fields of the status",
            "{'f:ready': {}}",
            "{'f:ready': {}, 'f:more': {}}",
            true},
        {"a label of ours", "mine: 'a'", "mine: 'b'", false},
        {"a label that another manager takes over",
            "{'f:mine': {}}}, 'f:spec'",
            "{}}, 'f:spec'",
            false},
        {"the inside of a map of ours", "k: 'v'", "k: 'w'", false},
        {"fields of others inside of our map", "{'f:other': {}}", "{'f:map': {'f:k': {}}}", false},
        {"replicas that another manager takes over", "'f:replicas': {}", "", false},
        {"the operation", "'Apply'", "'Update'", false},
        {"a subresource", "subresource: 'status'", "subresource: 'scale'", false},
        {"a field of another manager", "other: 1", "other: 2", false},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *at = strstr(shared, cases[i].old);
        const char *changed = str_format(
            a, "%.*s%s%s", (int)(at - shared), shared, cases[i].new, at + strlen(cases[i].old));
        const Json *before = json_fixture(a, shared), *now = json_fixture(a, changed);
        bool is_same = hash_owned_source(a, before, secret) == hash_owned_source(a, now, secret);

        then_int(is_same, cases[i].is_same);
        if (is_same)
            then_str(hash_owned(a, before, "me"), hash_owned(a, now, "me"));
    }
}
