/* Patches: merged, by operations, and applied. */
#include "tests/world/desk.h"

static const char configmap[] =
    "{metadata: {name: 'x', labels: {a: '1'}, finalizers: ['t.io/a']}, data: {k: 'v'}}";

static const struct {
    const char *name, *patch, *path, *want;
} merges[] = {
    {"a member is added", "{data: {n: 'w'}}", ".data", "{k: 'v', n: 'w'}"},
    {"a member is replaced", "{data: {k: 'w'}}", ".data", "{k: 'w'}"},
    {"null takes a member away", "{metadata: {labels: {a: null}}}", ".metadata.labels", NULL},
    {"a list is replaced",
        "{metadata: {finalizers: ['t.io/b']}}",
        ".metadata.finalizers",
        "['t.io/b']"},
};

TEST(a_merge_patch_gives_the_result_of_the_real_server)
{
    each_case(i, merges) {
        SCOPED_DESK d = desk_open();

        create(d, kind_configmap, configmap);
        merge(d, kind_configmap, "x", merges[i].patch);

        then_status(d, 200);
        then_json(json_find(d->answer.body, merges[i].path), merges[i].want);
    }
}

static const struct {
    const char *name, *operations;
    int status;
    const char *path, *want;
} operations[] = {
    {"a test that holds",
        "[{op: 'test', path: '/data/k', value: 'v'}, {op: 'add', path: '/data/n', value: 'w'}]",
        200,
        ".data",
        "{k: 'v', n: 'w'}"},
    {"a test that fails", "[{op: 'test', path: '/data/k', value: 'w'}]", 422},
    {"one element off a list",
        "[{op: 'remove', path: '/metadata/finalizers/0'}]",
        200,
        ".metadata.finalizers",
        NULL},
    {"one element onto a list",
        "[{op: 'add', path: '/metadata/finalizers/-', value: 't.io/b'}]",
        200,
        ".metadata.finalizers",
        "['t.io/a', 't.io/b']"},
    {"what is not there cannot be removed", "[{op: 'remove', path: '/data/n'}]", 422},
    {"but it can be replaced",
        "[{op: 'replace', path: '/metadata/labels/n~1m', value: 'w'}]",
        200,
        ".metadata.labels",
        "{a: '1', 'n/m': 'w'}"},
    {"an element of a list cannot",
        "[{op: 'replace', path: '/metadata/finalizers/7', value: 't.io/b'}]",
        422},
    {"what is not there is null to a test",
        "[{op: 'test', path: '/data/n', value: null}]",
        200,
        ".data",
        "{k: 'v'}"},
    {"there is nothing to add to", "[{op: 'add', path: '/moon/n', value: 'w'}]", 422},
    {"an operation that is none", "[{op: 'moon', path: '/data'}]", 422},
};

TEST(a_json_patch_gives_the_result_of_the_real_server)
{
    each_case(i, operations) {
        SCOPED_DESK d = desk_open();

        create(d, kind_configmap, configmap);
        jsonpatch(d, kind_configmap, "x", operations[i].operations);

        then_status(d, operations[i].status);
        if (operations[i].status == 200)
            then_json(json_find(d->answer.body, operations[i].path), operations[i].want);
        else
            then_json(d->answer.body,
                "{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'the "
                "server rejected our request due to an error in our request', reason: 'Invalid',"
                " details: {}, code: 422}");
    }
}

static const struct {
    const char *name;
    Verb verb;
    const char *patch;
    int status;
    const char *phrase;
} refusals[] = {
    {"a merge patch that is a list", VERB_MERGE_PATCH, "[]", 400, "cannot unmarshal array"},
    {"a JSON patch that is none", VERB_JSON_PATCH, "{}", 400, "[]handlers.jsonPatchOp"},
    {"an old version",
        VERB_MERGE_PATCH,
        "{metadata: {resourceVersion: '1'}}",
        409,
        "the object has been modified"},
    {"another uid",
        VERB_MERGE_PATCH,
        "{metadata: {uid: 'moon'}}",
        422,
        "metadata.uid: Invalid value: \"moon\": field is immutable"},
    {"a time to go",
        VERB_MERGE_PATCH,
        "{metadata: {deletionTimestamp: '2020-01-01T00:00:00Z'}}",
        422,
        "metadata.deletionTimestamp: Invalid value: \"2020-01-01T00:00:00Z\": field is immutable"},
    {"another name", VERB_MERGE_PATCH, "{metadata: {name: 'y'}}", 400, "does not match the name"},
    {"another namespace",
        VERB_MERGE_PATCH,
        "{metadata: {namespace: 'y'}}",
        400,
        "the namespace of the provided object does not match"},
    {"an apply of something else",
        VERB_APPLY,
        "{apiVersion: 'v1', kind: 'Secret'}",
        400,
        "invalid object type: v1, Kind=Secret"},
    {"an apply that does not say of what",
        VERB_APPLY,
        "{kind: 'ConfigMap'}",
        400,
        "invalid object type: /, Kind=ConfigMap"},
    {"an apply with managers",
        VERB_APPLY,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {managedFields: [{manager: 'x'}]}}",
        400,
        "metadata.managedFields must be nil"},
    {"an apply to another uid",
        VERB_APPLY,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {uid: 'moon'}}",
        422,
        "metadata.uid: Invalid value: \"moon\": field is immutable"},
    {"an apply of no object", VERB_APPLY, "[]", 400, "an object was expected"},
};

TEST(an_invalid_patch_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();

        create(d, kind_configmap, configmap);
        ask_body(d,
            (Request){
                .verb = refusals[i].verb, .kind = kind_configmap, .key.name = "x", .manager = "me"},
            refusals[i].patch);

        then_refused(d, refusals[i].status, refusals[i].phrase);
        then_json(json_find(get(d, kind_configmap, "x"), ".data"), "{k: 'v'}");
    }
}

TEST(patching_a_missing_object_is_refused_with_404)
{
    SCOPED_DESK d = desk_open();

    merge(d, kind_configmap, "x", "{}");
    then_refused(d, 404, "configmaps \"x\" not found");
    jsonpatch(d, kind_configmap, "x", "[]");
    then_refused(d, 404, "configmaps \"x\" not found");
}

/* --- apply --- */

static const char applied[] =
    "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}, data: {k: 'mine'}}";

TEST(an_apply_creates_a_missing_object)
{
    SCOPED_DESK d = desk_open();
    const Json *made = apply_by(d, "me", kind_configmap, "x", applied);

    then_status(d, 201);
    then_str(json_str(made, ".metadata.managedFields[0].operation"), "Apply");
    then_str(json_str(made, ".metadata.managedFields[0].manager"), "me");
    then_true(json_equal(apply_by(d, "me", kind_configmap, "x", applied), made));
    then_status(d, 200);
}

static const struct {
    const char *name, *body;
    int status;
    const char *phrase;
} no_creates[] = {
    {"an apply meant for an object that was seen",
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x', uid: 'moon'}}",
        409,
        "Operation cannot be fulfilled on configmaps \"x\": uid mismatch: the provided object "
        "specified uid moon, and no existing object was found"},
    {"an apply without a name",
        "{apiVersion: 'v1', kind: 'ConfigMap'}",
        400,
        "the name of the object (x based on URL) was undeterminable: name must be provided"},
};

TEST(an_apply_with_a_uid_or_without_a_name_creates_no_object)
{
    each_case(i, no_creates) {
        SCOPED_DESK d = desk_open();

        apply_by(d, "me", kind_configmap, "x", no_creates[i].body);
        then_refused(d, no_creates[i].status, no_creates[i].phrase);
        get(d, kind_configmap, "x");
        then_status(d, 404);
    }
}

TEST(an_apply_without_a_field_manager_is_refused)
{
    SCOPED_DESK d = desk_open();

    apply_by(d, NULL, kind_configmap, "x", applied);
    then_refused(d,
        422,
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
        "required for apply patch");
}

TEST(an_apply_that_conflicts_with_another_manager_is_refused)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, configmap);
    const Json *refusal = apply_by(d, "me", kind_configmap, "x", applied);
    then_refused(
        d, 409, "Apply failed with 1 conflict: conflict with \"tester\" using v1: .data.k");
    then_json(json_find(refusal, ".details"),
        "{causes: [{reason: 'FieldManagerConflict', message: 'conflict with \"tester\" using v1',"
        " field: '.data.k'}]}");
    ask_body(d,
        (Request){.verb = VERB_APPLY,
            .kind = kind_configmap,
            .key.name = "x",
            .manager = "me",
            .force = true},
        applied);
    then_status(d, 200);
    then_str(json_str(d->answer.body, ".data.k"), "mine");
}

TEST(an_apply_conflict_names_every_field)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x'}, data: {a: '1', b: '1'}}");
    const Json *refusal = apply_by(d,
        "me",
        kind_configmap,
        "x",
        "{apiVersion: 'v1', kind: 'ConfigMap', data: {a: '2', b: '2'}}");
    then_json(json_find(refusal, ".details.causes"),
        "[{reason: 'FieldManagerConflict', message: 'conflict with \"tester\" using v1',"
        "  field: '.data.a'},"
        " {reason: 'FieldManagerConflict', message: 'conflict with \"tester\" using v1',"
        "  field: '.data.b'}]");
}

TEST(an_apply_to_the_object_or_the_status_changes_only_that_side)
{
    SCOPED_DESK d = desk_open();
    const char *both = "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'},"
                       " spec: {size: 'big'}, status: {phase: 'Up'}}";
    Request status = {.verb = VERB_APPLY,
        .kind = kind_widget,
        .key.name = "x",
        .subresource = "status",
        .manager = "me"};

    create(d, kind_crd, widget_crd);
    ask_body(d, status, both);
    then_refused(d, 404, "widgets.test.io \"x\" not found"); /* a status alone creates nothing */
    apply_by(d, "me", kind_widget, "x", both);
    then_true(json_find(d->answer.body, ".status") == NULL);
    ask_body(d,
        status,
        "{apiVersion: 'test.io/v1', kind: 'Widget', spec: {size: 'small'},"
        " status: {phase: 'Up'}}");
    then_str(json_str(d->answer.body, ".spec.size"), "big");
    then_str(json_str(d->answer.body, ".status.phase"), "Up");
}
