/* Metadata: what an object says about itself, and that absence is never an accident. */
#include "kube/meta.h"
#include "tests/test.h"

static const char node[] =
    "{apiVersion: 'v1', kind: 'Pod',"
    " metadata: {name: 'x', namespace: 'ns', uid: 'u', resourceVersion: '7',"
    "            generation: 3, deletionTimestamp: '2026-01-01T00:00:00Z',"
    "            labels: {'sei.io/node': 'x', odd: 5},"
    "            annotations: {'sei.io/template-hash': 'h'},"
    "            finalizers: ['a', 'b'],"
    "            ownerReferences: [{uid: 'p'}, {uid: 'q', controller: true}]}}";

TEST(the_metadata_of_an_object_is_read)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *object = json_fixture(a, node);

    then_str(meta_name(object), "x");
    then_str(meta_namespace(object), "ns");
    then_str(meta_uid(object), "u");
    then_str(meta_resource_version(object), "7");
    then_str(meta_deletion_timestamp(object), "2026-01-01T00:00:00Z");
    then_int(meta_generation(object), 3);
    then_true(key_eq(meta_key(object), (Key){"ns", "x"}));
    then_str(meta_label(object, "sei.io/node"), "x");
    then_str(meta_annotation(object, "sei.io/template-hash"), "h");
    then_true(meta_deleting(object));
    then_true(meta_has_finalizer(object, "a") && meta_has_finalizer(object, "b"));
}

static const char *const strangers[] = {NULL, "{}", "[]", "{metadata: null}", "{metadata: {}}"};

TEST(absent_metadata_is_returned_as_absent)
{
    for (size_t i = 0; i < array_count(strangers); i++) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *object = strangers[i] ? json_fixture(a, strangers[i]) : NULL;

        then_str(meta_name(object), NULL);
        then_str(meta_namespace(object), NULL);
        then_str(meta_uid(object), NULL);
        then_str(meta_resource_version(object), NULL);
        then_str(meta_deletion_timestamp(object), NULL);
        then_int(meta_generation(object), 0);
        then_str(meta_key(object).name, NULL);
        then_str(meta_label(object, "x"), NULL);
        then_str(meta_annotation(object, "x"), NULL);
        then_str(meta_owned_hash(object), NULL);
        then_true(!meta_deleting(object));
        then_true(!meta_has_finalizer(object, "a"));
        then_true(!meta_controller(object));
    }
}

TEST(a_label_is_found_by_its_complete_key_and_only_if_it_is_a_string)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *object = json_fixture(a, node);

    then_str(meta_label(object, "sei.io"), NULL);
    then_str(meta_label(object, "odd"), NULL);
    then_str(meta_annotation(object, "sei.io/node"), NULL);
}

TEST(an_empty_deletion_timestamp_does_not_mark_an_object_as_deleted)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_true(!meta_deleting(json_fixture(a, "{metadata: {deletionTimestamp: ''}}")));
    then_true(!meta_deleting(json_fixture(a, "{metadata: {deletionTimestamp: null}}")));
}

TEST(the_owned_hash_is_the_value_that_the_cache_stored)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(meta_owned_hash(json_fixture(a, "{'$ownedHash': 'abc'}")), "abc");
}

/* --- owners --- */

static const struct {
    const char *name, *owners, *owner;
    bool owned, controlled;
} ownerships[] = {
    {"its controller",
        "[{uid: 'u', controller: true}]",
        "{metadata: {uid: 'u'}}",
        .owned = true,
        .controlled = true},
    {"an owner that does not control", "[{uid: 'u'}]", "{metadata: {uid: 'u'}}", .owned = true},
    {"controller: false",
        "[{uid: 'u', controller: false}]",
        "{metadata: {uid: 'u'}}",
        .owned = true},
    {"one of two owners",
        "[{uid: 'v', controller: true}, {uid: 'u'}]",
        "{metadata: {uid: 'u'}}",
        .owned = true},
    {"an unrelated object", "[{uid: 'v', controller: true}]", "{metadata: {uid: 'u'}}"},
    {"the same name under another uid",
        "[{uid: 'old', name: 'x', controller: true}]",
        "{metadata: {uid: 'u', name: 'x'}}"},
    {"an owner without a uid owns nothing", "[{controller: true}]", "{metadata: {name: 'x'}}"},
    {"nor does one with an empty uid", "[{uid: '', controller: true}]", "{metadata: {uid: ''}}"},
    {"nobody", "[]", "{metadata: {uid: 'u'}}"},
};

TEST(an_owner_is_identified_by_its_uid_alone)
{
    each_case(i, ownerships) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *object = json_fixture(
            a, str_format(a, "{metadata: {ownerReferences: %s}}", ownerships[i].owners));
        const Json *owner = json_fixture(a, ownerships[i].owner);

        then_true(meta_owned_by(object, owner) == ownerships[i].owned);
        then_true(meta_controlled_by(object, owner) == ownerships[i].controlled);
        then_true(!meta_owned_by(object, NULL) && !meta_controlled_by(object, NULL));
        then_true(!meta_owned_by(NULL, owner) && !meta_controlled_by(NULL, owner));
    }
}

TEST(the_controller_is_the_owner_reference_with_controller_true)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_json(meta_controller(json_fixture(a, node)), "{uid: 'q', controller: true}");
}

TEST(an_owner_reference_names_its_owner_completely)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *owner = json_fixture(a, "{metadata: {name: 'db', uid: 'u'}}");

    then_json(json_seal(a, meta_owner_reference(a, kind_statefulset, owner)),
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true,"
        " blockOwnerDeletion: true}");
}

/* --- finalizers --- */

static const struct {
    const char *name, *seen, *patch;
} additions[] = {
    {"to others",
        "{metadata: {uid: 'u', resourceVersion: '7', finalizers: ['x']}}",
        "[{op: 'test', path: '/metadata/uid', value: 'u'},"
        " {op: 'test', path: '/metadata/finalizers', value: ['x']},"
        " {op: 'add', path: '/metadata/finalizers/-', value: 'f'}]"},
    {"to an empty list",
        "{metadata: {uid: 'u', resourceVersion: '7', finalizers: []}}",
        "[{op: 'test', path: '/metadata/uid', value: 'u'},"
        " {op: 'test', path: '/metadata/finalizers', value: []},"
        " {op: 'add', path: '/metadata/finalizers/-', value: 'f'}]"},
    {"where there is no list",
        "{metadata: {uid: 'u', resourceVersion: '7'}}",
        "[{op: 'test', path: '/metadata/uid', value: 'u'},"
        " {op: 'test', path: '/metadata/resourceVersion', value: '7'},"
        " {op: 'add', path: '/metadata/finalizers', value: ['f']}]"},
    {"that is there already", "{metadata: {uid: 'u', finalizers: ['f']}}", NULL},
};

TEST(a_finalizer_patch_adds_to_exactly_the_list_that_was_read)
{
    each_case(i, additions) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *seen = json_fixture(a, additions[i].seen);

        then_json(meta_add_finalizer_patch(a, seen, "f"), additions[i].patch);
    }
}

static const struct {
    const char *name, *seen, *patch;
} removals[] = {
    {"the last one",
        "{metadata: {uid: 'u', finalizers: ['f']}}",
        "[{op: 'test', path: '/metadata/uid', value: 'u'},"
        " {op: 'test', path: '/metadata/finalizers', value: ['f']},"
        " {op: 'remove', path: '/metadata/finalizers/0'}]"},
    {"one among others",
        "{metadata: {uid: 'u', finalizers: ['a', 'f', 'b']}}",
        "[{op: 'test', path: '/metadata/uid', value: 'u'},"
        " {op: 'test', path: '/metadata/finalizers', value: ['a', 'f', 'b']},"
        " {op: 'remove', path: '/metadata/finalizers/1'}]"},
    {"one that is not there", "{metadata: {uid: 'u', finalizers: ['a']}}", NULL},
    {"one where there is no list", "{metadata: {uid: 'u'}}", NULL},
};

TEST(a_finalizer_patch_removes_from_exactly_the_list_that_was_read)
{
    each_case(i, removals) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *seen = json_fixture(a, removals[i].seen);

        then_json(meta_remove_finalizer_patch(a, seen, "f"), removals[i].patch);
    }
}

TEST(removing_an_owner_reference_keeps_the_others)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *seen = json_fixture(
        a, "{metadata: {uid: 'me', ownerReferences: [{uid: 'u1', name: 'x'}, {uid: 'u2'}]}}");

    then_json(meta_other_owners(a, seen, "u1"), "[{uid: 'u2'}]");
    then_json(meta_remove_owner_patch(a, seen, "u2"),
        "[{op: 'test', path: '/metadata/uid', value: 'me'},"
        " {op: 'test', path: '/metadata/ownerReferences',"
        "  value: [{uid: 'u1', name: 'x'}, {uid: 'u2'}]},"
        " {op: 'replace', path: '/metadata/ownerReferences', value: [{uid: 'u1', name: 'x'}]}]");
    then_true(meta_remove_owner_patch(a, seen, "u3") == NULL);
    then_true(meta_remove_owner_patch(a, json_fixture(a, "{metadata: {}}"), "u1") == NULL);
}

TEST(a_finalizer_patch_fails_if_the_list_has_changed)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *seen = json_fixture(a, "{metadata: {uid: 'u', finalizers: ['a', 'f']}}");
    const Json *moved = json_fixture(a, "{metadata: {uid: 'u', finalizers: ['f', 'a']}}");
    const Json *patch = meta_remove_finalizer_patch(a, seen, "f");
    const Json *patched = NULL;

    then_ok(json_patch(a, seen, patch, &patched));
    then_json(patched, "{metadata: {uid: 'u', finalizers: ['a']}}");
    then_err(json_patch(a, moved, patch, &patched), TERMINAL(""));
}

/* --- versions --- */

static const struct {
    const char *name, *left, *right;
    int order;
} versions[] = {
    {"the same", "42", "42", 0},
    {"by number, not by text", "9", "10", -1},
    {"longer than any machine number", "18446744073709551616", "18446744073709551615", 1},
    {"far longer", "100000000000000000000000000000000", "99999999999999999999999999999999", 1},
    {"leading zeros do not count", "007", "7", 0},
    {"nothing comes first", NULL, "0", -1},
    {"nothing is nothing", NULL, "", 0},
    {"words come after numbers", "abc", "99999999999999999999999", 1},
    {"words among themselves", "abc", "abd", -1},
    {"a sign makes a word", "-1", "0", 1},
};

TEST(resource_versions_are_compared_as_numbers)
{
    each_case(i, versions) {
        int order = meta_version_compare(versions[i].left, versions[i].right);
        int back = meta_version_compare(versions[i].right, versions[i].left);

        then_int((order > 0) - (order < 0), versions[i].order);
        then_int((back > 0) - (back < 0), -versions[i].order);
    }
}
