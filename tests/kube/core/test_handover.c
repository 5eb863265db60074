/* What is handed over of an update, what stays, and that nothing else is touched. What a server
 * makes of it is in tests/sei/reconcile/test_child_takeover.c. */
#include "kube/core/handover.h"
#include "tests/test.h"

static bool is_the_old_one(const Json *entry)
{
    return str_eq(json_str(entry, ".manager"), "old");
}

static const Handover handover = {.to = "new", .is_from = is_the_old_one};

#define ENTRY(manager, operation, fields)                                                          \
    "{manager: '" manager "', operation: '" operation "', apiVersion: 'v1',"                       \
    " time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: " fields "}"

static const Json *live_of(Arena *a, const char *entries)
{
    return json_fixture(a,
        str_format(a,
            "{apiVersion: 'v1', metadata: {name: 'x', resourceVersion: '7', managedFields: [%s]}}",
            entries));
}

static const struct {
    const char *name, *owned, *applied; /* `applied` beside its apiVersion */
    const char *moved, *left;           /* NULL: nothing */
} cases[] = {
    {"a field that is applied", "{'f:a': {}}", "a: 1", "{'f:a': {}}", NULL},
    {"a field that is not", "{'f:a': {}}", "b: 1", NULL, "{'f:a': {}}"},
    {"a field that is applied as null", "{'f:a': {}}", "a: null", NULL, "{'f:a': {}}"},
    {"an object and its member",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        "a: {b: 1}",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        NULL},
    {"an object whose other member is not applied",
        "{'f:a': {'.': {}, 'f:b': {}, 'f:c': {}}}",
        "a: {b: 1}",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        "{'f:a': {'f:c': {}}}"},
    {"an object that is applied empty",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        "a: {}",
        "{'f:a': {'.': {}}}",
        "{'f:a': {'f:b': {}}}"},
    {"an object that was empty and is applied with a member",
        "{'f:a': {}}",
        "a: {b: 1}",
        "{'f:a': {}}",
        NULL},
    {"a list that is owned as a whole", "{'f:a': {}}", "a: [1, 2]", "{'f:a': {}}", NULL},
    {"an object where a text is applied",
        "{'f:a': {'f:b': {}}}",
        "a: 'b'",
        "{'f:a': {'f:b': {}}}",
        NULL},
    {"elements by their key",
        "{'f:a': {'.': {}, 'k:{\"n\":\"x\"}': {'.': {}, 'f:i': {}, 'f:j': {}},"
        " 'k:{\"n\":\"y\"}': {'.': {}}}}",
        "a: [{n: 'x', i: 1}]",
        "{'f:a': {'.': {}, 'k:{\"n\":\"x\"}': {'.': {}, 'f:i': {}}}}",
        "{'f:a': {'k:{\"n\":\"x\"}': {'f:j': {}}, 'k:{\"n\":\"y\"}': {'.': {}}}}"},
    {"elements by their value",
        "{'f:a': {'.': {}, 'v:\"x\"': {}, 'v:\"y\"': {}}}",
        "a: ['x']",
        "{'f:a': {'.': {}, 'v:\"x\"': {}}}",
        "{'f:a': {'v:\"y\"': {}}}"},
    {"an element by its place", "{'f:a': {'i:0': {}}}", "a: [1]", NULL, "{'f:a': {'i:0': {}}}"},
};

/* The fieldsV1 of a manager in the patched object, or NULL. */
static const Json *fields_of(const Json *entries, const char *manager)
{
    const Json *entry;

    json_each(entry, entries)
        if (str_eq(json_str(entry, ".manager"), manager))
            return json_find(entry, ".fieldsV1");
    return NULL;
}

static void then_fields(const Json *fields, const char *want)
{
    if (want)
        then_json(fields, want);
    else
        then_true(fields == NULL);
}

TEST(applied_fields_move_to_the_new_field_manager_and_other_fields_stay)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *live = live_of(a,
            str_format(a,
                "{manager: 'old', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1',"
                " fieldsV1: %s}",
                cases[i].owned));
        const Json *applied =
            json_fixture(a, str_format(a, "{apiVersion: 'v1', %s}", cases[i].applied));
        const Json *after, *patch = handover_patch(a, live, applied, &handover);

        then_true((patch != NULL) == (cases[i].moved != NULL));
        if (!patch)
            continue;
        then_ok(json_patch(a, live, patch, &after));
        const Json *entries = json_find(after, ".metadata.managedFields");
        then_fields(fields_of(entries, "new"), cases[i].moved);
        then_fields(fields_of(entries, "old"), cases[i].left);
    }
}

TEST(fields_of_several_updates_move_into_one_apply_entry_and_foreign_entries_stay)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *live = live_of(a,
        ENTRY("old", "Update", "{'f:a': {}}") "," ENTRY("kubectl-edit",
            "Update",
            "{'f:a': {}}") "," ENTRY("old", "Update", "{'f:b': {}, 'f:c': {}}"));

    then_json(handover_patch(a, live, json_fixture(a, "{apiVersion: 'v1', a: 1, b: 1}"), &handover),
        "[{op: 'test', path: '/metadata/resourceVersion', value: '7'},"
        " {op: 'replace', path: '/metadata/managedFields', value: [" ENTRY(
            "kubectl-edit", "Update", "{'f:a': {}}") "," ENTRY("old",
            "Update",
            "{'f:c': {}}") "," ENTRY("new", "Apply", "{'f:a': {}, 'f:b': {}}") "]}]");
}

static const struct {
    const char *name, *entries;
} untouched[] = {
    {"no managed fields", ""},
    {"another's update", ENTRY("kubectl-edit", "Update", "{'f:a': {}}")},
    {"an apply", ENTRY("old", "Apply", "{'f:a': {}}")},
    {"a status",
        "{manager: 'old', operation: 'Update', apiVersion: 'v1', subresource: 'status',"
        " fieldsV1: {'f:a': {}}}"},
    {"an update of another version",
        "{manager: 'old', operation: 'Update', apiVersion: 'v0', fieldsV1: {'f:a': {}}}"},
    {"an update of nothing", "{manager: 'old', operation: 'Update', apiVersion: 'v1'}"},
    {"the new one has applied before",
        ENTRY("old", "Update", "{'f:a': {}}") "," ENTRY("new", "Apply", "{'f:b': {}}")},
};

TEST(nothing_is_patched_if_no_field_must_move_to_the_new_manager)
{
    each_case(i, untouched) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *applied = json_fixture(a, "{apiVersion: 'v1', a: 1}");

        then_true(!handover_patch(a, live_of(a, untouched[i].entries), applied, &handover));
    }
}

/* A patch of an older version must not undo what somebody wrote meanwhile. */
TEST(a_field_manager_patch_fails_on_another_resource_version)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *live = live_of(a, ENTRY("old", "Update", "{'f:a': {}}")), *after;
    const Json *patch =
        handover_patch(a, live, json_fixture(a, "{apiVersion: 'v1', a: 1}"), &handover);
    const Json *later = json_merge(a, live, json_fixture(a, "{metadata: {resourceVersion: '8'}}"));

    then_int(json_patch(a, later, patch, &after)->status, 422);
}
