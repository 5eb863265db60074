/* The scale subresource: its face, its refusals, and who owns the number behind it. */
#include "tests/world/desk.h"

static const char statefulset[] =
    "{metadata: {name: 'x', labels: {app: 'a'}}, spec: {replicas: 2, serviceName: 's', selector: "
    "{matchLabels: {app: 'a'}}, template: {metadata: {labels: {app: 'a'}}, spec: {containers: "
    "[{name: 'c', image: 'i'}]}}}}";

static const Json *scale(
    Desk *d, const Kind *kind, Verb verb, const char *manager, const char *json5)
{
    Request request = {
        .verb = verb, .kind = kind, .key.name = "x", .subresource = "scale", .manager = manager};

    return json5 ? ask_body(d, request, json5) : ask(d, request);
}

/* Who owns the replicas: "manager operation subresource" each, with ", " between. */
static const char *owners(Desk *d, const Kind *kind)
{
    const Json *object = get(d, kind, "x"), *entry;
    const char *all = "";

    json_each(entry, json_find(object, ".metadata.managedFields")) {
        const char *subresource = json_str(entry, ".subresource");
        if (!json_find(entry, ".fieldsV1['f:spec']['f:replicas']"))
            continue;
        all = str_format(d->arena,
            "%s%s%s %s%s%s",
            all,
            *all ? ", " : "",
            json_str(entry, ".manager"),
            json_str(entry, ".operation"),
            subresource ? " " : "",
            subresource ? subresource : "");
    }
    return all;
}

TEST(the_scale_of_a_statefulset_shows_replicas_and_selector)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d, kind_statefulset, statefulset);

    then_json(scale(d, kind_statefulset, VERB_GET, NULL, NULL),
        str_format(d->arena,
            "{kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: {name: 'x', namespace: "
            "'default', uid: '%s', resourceVersion: '%s', creationTimestamp: "
            "'2026-01-01T00:00:00Z'}, spec: {replicas: 2}, status: {replicas: 0, selector: "
            "'app=a'}}",
            meta_uid(made),
            version_of(made)));
}

TEST(the_scale_of_a_custom_kind_uses_the_paths_of_its_crd)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}, spec: {replicas: 3}}");
    merge_status(d, kind_widget, "x", "{status: {replicas: 1, selector: 'a=b'}}");
    const Json *face = scale(d, kind_widget, VERB_GET, NULL, NULL);
    then_json(json_find(face, ".spec"), "{replicas: 3}");
    then_json(json_find(face, ".status"), "{replicas: 1, selector: 'a=b'}");
    scale(d, kind_widget, VERB_MERGE_PATCH, "me", "{spec: {replicas: 4}}");
    then_int(json_int(get(d, kind_widget, "x"), ".spec.replicas", 0), 4);
    then_int(meta_generation(d->answer.body), 2);
}

TEST(replicas_can_be_changed_by_every_verb_of_the_scale_subresource)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_UPDATE, "me", "{metadata: {name: 'x'}, spec: {replicas: 3}}");
    then_int(json_int(d->answer.body, ".spec.replicas", 0), 3);
    scale(d,
        kind_statefulset,
        VERB_JSON_PATCH,
        "me",
        "[{op: 'replace', path: '/spec/replicas', value: 4}]");
    then_int(json_int(d->answer.body, ".spec.replicas", 0), 4);
    scale(d, kind_statefulset, VERB_UPDATE, "me", "{metadata: {name: 'x'}, spec: {}}");
    then_json(json_find(d->answer.body, ".spec"), "{}"); /* no number is none */
    then_int(json_int(get(d, kind_statefulset, "x"), ".spec.replicas", 7), 0);
}

static const struct {
    const char *name;
    Verb verb;
    const char *body;
    int status;
    const char *phrase;
} refusals[] = {
    {"less than none",
        VERB_MERGE_PATCH,
        "{spec: {replicas: -1}}",
        422,
        "Scale.autoscaling \"x\" is invalid: spec.replicas: Invalid value: -1: must be greater "
        "than "
        "or equal to 0"},
    {"an old version",
        VERB_MERGE_PATCH,
        "{metadata: {resourceVersion: '1'}, spec: {replicas: 1}}",
        409,
        "Operation cannot be fulfilled on statefulsets.apps \"x\": the object has been modified"},
    {"another uid",
        VERB_MERGE_PATCH,
        "{metadata: {uid: 'moon'}, spec: {replicas: 1}}",
        409,
        "Operation cannot be fulfilled on statefulsets/scale.apps \"x\": Precondition failed"},
    {"another uid of less than none: the number is looked at first",
        VERB_MERGE_PATCH,
        "{metadata: {uid: 'moon'}, spec: {replicas: -1}}",
        422,
        "must be greater than or equal to 0"},
    {"an update of another uid: the storage is asked first",
        VERB_UPDATE,
        "{metadata: {name: 'x', uid: 'moon'}, spec: {replicas: -1}}",
        409,
        "Operation cannot be fulfilled on statefulsets.apps \"x\": StorageError: invalid object, "
        "Code: 4, Key: /registry/statefulsets/default/x, ResourceVersion: 0, AdditionalErrorMsg: "
        "Precondition failed: UID in precondition: moon, UID in object meta: "},
    {"another name", VERB_UPDATE, "{metadata: {name: 'y'}}", 400, "does not match the name"},
    {"an apply of something else",
        VERB_APPLY,
        "{apiVersion: 'apps/v1', kind: 'StatefulSet'}",
        400,
        "invalid object type: apps/v1, Kind=StatefulSet"},
    {"a deletion", VERB_DELETE, "{}", 405, "does not allow this method"},
};

TEST(an_invalid_scale_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();

        create(d, kind_statefulset, statefulset);
        scale(d, kind_statefulset, refusals[i].verb, "me", refusals[i].body);

        then_refused(d, refusals[i].status, refusals[i].phrase);
        then_int(json_int(get(d, kind_statefulset, "x"), ".spec.replicas", 0), 2);
    }
}

TEST(scaling_a_missing_object_is_refused_with_404)
{
    SCOPED_DESK d = desk_open();

    scale(d, kind_statefulset, VERB_GET, NULL, NULL);
    then_refused(d, 404, "statefulsets.apps \"x\" not found");
}

static const char scale_of_3[] =
    "{apiVersion: 'autoscaling/v1', kind: 'Scale', spec: {replicas: 3}}";

TEST(the_client_that_scales_manages_the_replicas_field)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    then_str(owners(d, kind_statefulset), "tester Update");
    scale(d, kind_statefulset, VERB_MERGE_PATCH, "hpa", "{spec: {replicas: 3}}");
    then_str(owners(d, kind_statefulset), "hpa Update scale");
    scale(d, kind_statefulset, VERB_APPLY, "person", scale_of_3);
    then_str(owners(d, kind_statefulset), "person Apply scale, hpa Update scale");
    merge(d, kind_statefulset, "x", "{spec: {replicas: 5}}");
    then_str(owners(d, kind_statefulset), "tester Update");
}

TEST(an_apply_of_the_object_conflicts_with_the_manager_of_its_scale)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_MERGE_PATCH, "hpa", "{spec: {replicas: 3}}");
    apply_by(d,
        "me",
        kind_statefulset,
        "x",
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', spec: {replicas: 1}}");
    then_refused(d,
        409,
        "conflict with \"hpa\" with subresource \"scale\" using apps/v1: "
        ".spec.replicas");
}

TEST(an_apply_of_the_scale_conflicts_with_other_managers)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_APPLY, "person", scale_of_3);
    then_refused(d, 409, "conflict with \"tester\" using autoscaling/v1: .spec.replicas");
}

/* A number that nobody owns, because it came by default. */
static const char unscaled[] =
    "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'x'}, spec: {serviceName: 's',"
    " selector: {matchLabels: {app: 'a'}}, template: {metadata: {labels: {app: 'a'}},"
    " spec: {containers: [{name: 'c', image: 'i'}]}}}}";

TEST(an_apply_of_a_scale_with_zero_replicas_sets_zero_replicas)
{
    SCOPED_DESK d = desk_open();
    Request request = {.verb = VERB_APPLY,
        .kind = kind_statefulset,
        .key.name = "x",
        .subresource = "scale",
        .manager = "person"};
    static const char none[] = "{apiVersion: 'autoscaling/v1', kind: 'Scale', spec: {replicas: 0}}";

    apply_by(d, "me", kind_statefulset, "x", unscaled);
    ask_body(d, request, none);
    then_refused(d, 409, "conflict with \"before-first-apply\" with subresource \"scale\"");
    request.force = true;
    ask_body(d, request, none);
    then_status(d, 200);
    then_int(json_int(get(d, kind_statefulset, "x"), ".spec.replicas", 7), 0);
}

TEST(an_apply_conflict_on_the_scale_is_reported_before_an_invalid_number)
{
    SCOPED_DESK d = desk_open();
    static const char less[] =
        "{apiVersion: 'autoscaling/v1', kind: 'Scale', spec: {replicas: -1}}";

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_APPLY, "person", less);
    then_refused(d, 409, "conflict with \"tester\"");
    ask_body(d,
        (Request){.verb = VERB_APPLY,
            .kind = kind_statefulset,
            .key.name = "x",
            .subresource = "scale",
            .manager = "person",
            .force = true},
        less);
    then_refused(d, 422, "must be greater than or equal to 0");
}

TEST(applying_a_scale_to_a_custom_object_without_replicas_is_refused)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}}");
    scale(d, kind_widget, VERB_APPLY, "me", scale_of_3);
    then_refused(d,
        500,
        "failed to create manager for existing fields: failed to convert live object (/; "
        "autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid "
        "group/version: autoscaling/v1");
}

/* As in the real server: whoever had the number among other things has it twice, until the next
 * write finds two entries of one manager, and believes the later one. */
TEST(scaling_to_the_same_number_splits_the_managed_fields_entry)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_MERGE_PATCH, "hpa", "{spec: {replicas: 2}}");
    then_str(owners(d, kind_statefulset), "tester Update");
    then_int(json_count(json_find(d->answer.body, ".metadata.managedFields")), 2);
    merge(d, kind_statefulset, "x", "{metadata: {labels: {new: 'yes'}}}");
    then_str(owners(d, kind_statefulset), "");
}

TEST(a_second_scaling_to_the_same_number_also_finds_two_entries)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_statefulset, statefulset);
    scale(d, kind_statefulset, VERB_MERGE_PATCH, "hpa", "{spec: {replicas: 2}}");
    scale(d, kind_statefulset, VERB_MERGE_PATCH, "hpa", "{spec: {replicas: 2}}");
    then_str(owners(d, kind_statefulset), "");
}

TEST(an_apply_cannot_change_the_scale_of_a_custom_kind)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}, spec: {replicas: 3}}");
    scale(d, kind_widget, VERB_APPLY, "me", scale_of_3);
    then_status(d, 200);
    ask_body(d,
        (Request){.verb = VERB_APPLY,
            .kind = kind_widget,
            .key.name = "x",
            .subresource = "scale",
            .manager = "me",
            .force = true},
        "{apiVersion: 'autoscaling/v1', kind: 'Scale', spec: {replicas: 4}}");
    then_refused(d, 500, "request to convert CR to an invalid group/version: autoscaling/v1");
}

TEST(an_update_of_a_custom_scale_checks_the_uid)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}}");
    scale(d,
        kind_widget,
        VERB_UPDATE,
        "me",
        "{metadata: {name: 'x', uid: 'moon'}, spec: {replicas: 1}}");
    then_refused(d, 409, "Key: /registry/test.io/widgets/default/x, ResourceVersion: 0");
}

TEST(the_replicas_of_a_custom_kind_are_validated_by_schema_and_as_scale)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}, spec: {replicas: -3}}");
    then_refused(d,
        422,
        "Widget.test.io \"x\" is invalid: [spec.replicas: Invalid value: -3: "
        "spec.replicas in body should be greater than or equal to 0, "
        ".spec.replicas: Invalid value: -3: should be a non-negative integer]");
    then_int(json_count(json_find(d->answer.body, ".details.causes")), 2);
}
