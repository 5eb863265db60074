/* Objects put together anew, and compared. */
#include "tests/test.h"
#include "world/object.h"

static const char stored[] =
    "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'd', uid: 'u',"
    " resourceVersion: '7', generation: 2, creationTimestamp: 'then', labels: {a: 'b'},"
    " managedFields: [{manager: 'm', time: 'then', fieldsV1: {}}]}, spec: {x: 1}, status: {y: 2}}";

TEST(the_stamp_of_an_object_is_read_and_written_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a, stored);
    Stamp stamp = object_stamp(object);

    then_int(stamp.version, 7);
    then_int(stamp.generation, 2);
    then_str(stamp.key.namespace, "d");
    then_true(!stamp.has_grace);
    then_json(object_stamped(a, object, &stamp), stored);
}

TEST(a_stamp_overrides_the_metadata_of_the_object)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a, stored);
    Stamp stamp = {.api_version = "v2",
        .kind = "Pot",
        .key = {NULL, "q"},
        .deleted = "now",
        .has_grace = true};

    then_json(object_stamped(a, object, &stamp),
        "{apiVersion: 'v2', kind: 'Pot', metadata: {name: 'q', deletionTimestamp: 'now',"
        " deletionGracePeriodSeconds: 0, labels: {a: 'b'},"
        " managedFields: [{manager: 'm', time: 'then', fieldsV1: {}}]}, spec: {x: 1},"
        " status: {y: 2}}");
}

TEST(empty_metadata_fields_are_removed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a,
        "{metadata: {labels: {}, annotations: {}, finalizers: [], ownerReferences: [],"
        " managedFields: [], generateName: '', selfLink: 'x', creationTimestamp: null}}");
    Stamp stamp = {.api_version = "v1", .kind = "Pod", .key.name = "p"};

    then_json(object_stamped(a, object, &stamp),
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p'}}");
}

TEST(members_of_an_object_are_replaced_and_added_and_removed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a, "{a: {x: 1, y: 2}, b: 3}");

    then_json(object_with(a, object, "b", object_number(a, 4)), "{a: {x: 1, y: 2}, b: 4}");
    then_json(object_with(a, object, "c", object_text(a, "d")), "{a: {x: 1, y: 2}, b: 3, c: 'd'}");
    then_json(object_with(a, object, "b", NULL), "{a: {x: 1, y: 2}}");
    then_json(object_with_inner(a, object, (MemberPath){"a", "x"}, object_number(a, 9)),
        "{a: {x: 9, y: 2}, b: 3}");
    then_json(object_with_inner(a, object, (MemberPath){"a", "x"}, NULL), "{a: {y: 2}, b: 3}");
    then_json(object_with_inner(a, object, (MemberPath){"n", "m"}, object_number(a, 1)),
        "{a: {x: 1, y: 2}, b: 3, n: {m: 1}}");
}

static const struct {
    const char *name, *patch;
    bool same, wants_differ, wants_differ_without_status;
} comparisons[] = {
    {"nothing", "{}", true, false, false},
    {"another version", "{metadata: {resourceVersion: '8'}}", true, false, false},
    {"another time of a manager",
        "{metadata: {managedFields: [{manager: 'm', time: 'now', fieldsV1: {}}]}}",
        true,
        false,
        false},
    {"another manager",
        "{metadata: {managedFields: [{manager: 'n', time: 'then', fieldsV1: {}}]}}",
        false,
        false,
        false},
    {"one manager less", "{metadata: {managedFields: null}}", false, false, false},
    {"another label", "{metadata: {labels: {a: 'c'}}}", false, false, false},
    {"another spec", "{spec: {x: 2}}", false, true, true},
    {"no spec", "{spec: null}", false, true, true},
    {"something new", "{data: {}}", false, true, true},
    {"another status", "{status: {y: 3}}", false, true, false},
};

TEST(two_objects_are_compared_by_their_parts)
{
    each_case(i, comparisons) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *left = json_fixture(a, stored);
        const Json *right = json_merge(a, left, json_fixture(a, comparisons[i].patch));

        then_true(object_same(left, right) == comparisons[i].same);
        then_true(object_same(right, left) == comparisons[i].same);
        then_true(object_wants_differ(left, right, false) == comparisons[i].wants_differ);
        then_true(
            object_wants_differ(left, right, true) == comparisons[i].wants_differ_without_status);
    }
}
