/* Deleting: at once, with grace, with finalizers, with propagation, with preconditions. */
#include "tests/world/desk.h"

static const char pod[] =
    "{metadata: {name: 'x'}, spec: {nodeName: 'n1', containers: [{name: 'c', image: 'i'}],"
    " terminationGracePeriodSeconds: 30}}";

static const Json *delete_as(Desk *d, const Kind *kind, Request request)
{
    request.verb = VERB_DELETE;
    request.kind = kind;
    request.key.name = "x";
    return ask(d, request);
}

static void then_gone(Desk *d, const Kind *kind)
{
    get(d, kind, "x");
    then_status(d, 404);
}

TEST(an_object_without_finalizers_is_deleted_at_once_and_a_status_is_returned)
{
    SCOPED_DESK d = desk_open();

    const Json *made = create(d, kind_configmap, "{metadata: {name: 'x'}}");
    const Json *answer = delete (d, kind_configmap, "x");

    then_status(d, 200);
    then_json(answer,
        str_format(d->arena,
            "{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success',"
            " details: {name: 'x', kind: 'configmaps', uid: '%s'}}",
            meta_uid(made)));
    then_gone(d, kind_configmap);
}

TEST(the_deletion_of_some_kinds_returns_the_object)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_serviceaccount, "{metadata: {name: 'x'}}");
    const Json *answer = delete (d, kind_serviceaccount, "x");
    then_str(json_str(answer, ".kind"), "ServiceAccount");
    then_str(version_of(answer), str_format(d->arena, "%d", (int)server_version(d->server)));
    then_gone(d, kind_serviceaccount);
}

/* --- preconditions --- */

static const struct {
    const char *name, *uid, *version, *phrase;
} preconditions[] = {
    {"another uid",
        "moon",
        NULL,
        "Operation cannot be fulfilled on StatefulSet.apps \"x\": the UID in the precondition "
        "(moon) does not match the UID in record ("},
    {"another version",
        NULL,
        "1",
        "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record "
        "(3). The object might have been modified"},
    {"both: the uid is looked at first", "moon", "1", "the UID in the precondition"},
};

TEST(a_deletion_with_a_failing_precondition_deletes_nothing)
{
    each_case(i, preconditions) {
        SCOPED_DESK d = desk_open();

        create(d,
            kind_statefulset,
            "{metadata: {name: 'x'}, spec: {replicas: 1, selector: {matchLabels: {a: 'b'}}, "
            "template: {metadata: {labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: "
            "'i'}]}}}}");
        then_status(d, 201);
        const Json *refusal = delete_as(d,
            kind_statefulset,
            (Request){.uid = preconditions[i].uid, .resource_version = preconditions[i].version});

        then_refused(d, 409, preconditions[i].phrase);
        then_str(json_str(refusal, ".details.kind"), "StatefulSet");
        get(d, kind_statefulset, "x");
        then_status(d, 200);
    }
}

TEST(the_refusal_of_an_event_deletion_names_the_core_kind)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_event, "{metadata: {name: 'x'}, " EVENT_PARTS ", reason: 'R', type: 'Normal'}");
    const Json *refusal = delete_as(d, kind_event, (Request){.resource_version = "1"});
    then_refused(d, 409, "Operation cannot be fulfilled on Event \"x\": the ResourceVersion");
    then_json(json_find(refusal, ".details"), "{name: 'x', kind: 'Event'}");
}

TEST(a_deletion_with_matching_preconditions_deletes_the_object)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d, kind_configmap, "{metadata: {name: 'x'}}");

    delete_as(
        d, kind_configmap, (Request){.uid = meta_uid(made), .resource_version = version_of(made)});
    then_status(d, 200);
    then_gone(d, kind_configmap);
}

/* The real server asks its storage for no version at all once it has taken the finalizer off. */
TEST(a_resource_version_precondition_fails_if_the_deletion_itself_removes_a_finalizer)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    const Json *held =
        delete_as(d, kind_configmap, (Request){.propagation = PROPAGATION_FOREGROUND});
    Request background = {
        .propagation = PROPAGATION_BACKGROUND, .resource_version = version_of(held)};
    delete_as(d, kind_configmap, background);
    then_refused(d,
        409,
        "Operation cannot be fulfilled on configmaps \"x\": StorageError: invalid object, Code: 4, "
        "Key: /registry/configmaps/default/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
        "failed: ResourceVersion in precondition: , ResourceVersion in object meta: ");
    background.resource_version = NULL;
    delete_as(d, kind_configmap, background);
    then_gone(d, kind_configmap);
}

TEST(a_dry_run_deletion_that_would_remove_the_object_returns_an_empty_one)
{
    static const Kind *const kinds[] = {kind_configmap, kind_serviceaccount};
    SCOPED_DESK d = desk_open();

    for (size_t i = 0; i < array_count(kinds); i++) {
        create(d, kinds[i], "{metadata: {name: 'x'}}");
        delete_as(d, kinds[i], (Request){.propagation = PROPAGATION_ORPHAN});
        const Json *held = get(d, kinds[i], "x");
        const Json *hollow = delete_as(d,
            kinds[i],
            (Request){.propagation = PROPAGATION_BACKGROUND,
                .resource_version = version_of(held),
                .dry_run = true});
        then_str(json_str(hollow, ".kind"), kinds[i]->name);
        then_json(json_find(hollow, ".metadata"), "{}");
        get(d, kinds[i], "x");
        then_status(d, 200);
    }
}

TEST(deleting_a_missing_object_is_refused_with_404)
{
    SCOPED_DESK d = desk_open();

    delete_as(d, kind_configmap, (Request){.uid = "any"});
    then_refused(d, 404, "configmaps \"x\" not found");
}

/* --- finalizers --- */

TEST(an_object_with_finalizers_stays_until_the_last_one_is_removed)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x', finalizers: ['t.io/a', 't.io/b']}}");
    const Json *going = delete (d, kind_configmap, "x");
    then_str(meta_deletion_timestamp(going), "2026-01-01T00:00:00Z");
    then_int(json_int(going, ".metadata.deletionGracePeriodSeconds", -1), 0);

    uint64_t version = server_version(d->server);
    clock_manual_advance_ms(&d->clock, 5000);
    then_true(json_equal(delete (d, kind_configmap, "x"), going)); /* it goes already */
    then_int(server_version(d->server), version);

    merge(d, kind_configmap, "x", "{metadata: {finalizers: ['t.io/b']}}");
    merge(d, kind_configmap, "x", "{metadata: {finalizers: ['t.io/b', 't.io/c']}}");
    then_refused(d,
        422,
        "no new finalizers can be added if the object is being deleted, found new "
        "finalizers []string{\"t.io/c\"}");
    const Json *last = merge(d, kind_configmap, "x", "{metadata: {finalizers: null}}");
    then_status(d, 200);
    then_true(json_find(last, ".metadata.finalizers") == NULL);
    then_gone(d, kind_configmap);
}

TEST(a_deletion_increments_the_generation)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x', finalizers: "
        "['t.io/a']}}");
    then_int(meta_generation(delete (d, kind_widget, "x")), 2);
    then_int(meta_generation(delete (d, kind_widget, "x")), 2);
    create(d, kind_configmap, "{metadata: {name: 'x', finalizers: ['t.io/a']}}");
    then_int(meta_generation(delete (d, kind_configmap, "x")), 0);
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *finalizers; /* at first */
    Propagation propagation;
    const char *want; /* finalizers that it leaves with; NULL: it is gone */
} propagations[] = {
    {"by default the object is gone at once", kind_configmap, "[]", PROPAGATION_DEFAULT, NULL},
    {"foreground waits for dependents",
        kind_configmap,
        "[]",
        PROPAGATION_FOREGROUND,
        "['foregroundDeletion']"},
    {"orphan waits for them to be let go", kind_configmap, "[]", PROPAGATION_ORPHAN, "['orphan']"},
    {"with background propagation the object is gone at once",
        kind_configmap,
        "[]",
        PROPAGATION_BACKGROUND,
        NULL},
    {"other finalizers come first",
        kind_configmap,
        "['t.io/a']",
        PROPAGATION_FOREGROUND,
        "['t.io/a', 'foregroundDeletion']"},
    {"what the object says holds by default",
        kind_configmap,
        "['orphan']",
        PROPAGATION_DEFAULT,
        "['orphan']"},
    {"the request overrides the object",
        kind_configmap,
        "['orphan', 't.io/a']",
        PROPAGATION_FOREGROUND,
        "['t.io/a', 'foregroundDeletion']"},
    {"background takes both away", kind_configmap, "['orphan']", PROPAGATION_BACKGROUND, NULL},
    {"events have no dependents", kind_event, "[]", PROPAGATION_FOREGROUND, NULL},
};

TEST(the_propagation_policy_of_a_deletion_becomes_a_finalizer)
{
    each_case(i, propagations) {
        SCOPED_DESK d = desk_open();

        create(d,
            propagations[i].kind,
            str_format(d->arena,
                "{metadata: {name: 'x', finalizers: %s}%s}",
                propagations[i].finalizers,
                propagations[i].kind == kind_event ? ", " EVENT_PARTS
                                                     ", reason: 'R', type: 'Normal'"
                                                   : ""));
        then_status(d, 201);
        delete_as(d, propagations[i].kind, (Request){.propagation = propagations[i].propagation});

        const Json *left = get(d, propagations[i].kind, "x");
        if (propagations[i].want)
            then_json(json_find(left, ".metadata.finalizers"), propagations[i].want);
        else
            then_status(d, 404);
    }
}

TEST(a_deleted_job_orphans_its_pods_by_default)
{
    SCOPED_DESK d = desk_open();

    create(d,
        kind_job,
        "{metadata: {name: 'x'}, spec: {template: {spec: {restartPolicy: 'Never', containers: "
        "[{name: 'c', image: 'i'}]}}}}");
    delete (d, kind_job, "x");
    then_json(json_find(d->answer.body, ".metadata.finalizers"), "['orphan']");
    delete_as(d, kind_job, (Request){.propagation = PROPAGATION_BACKGROUND});
    then_gone(d, kind_job);
}

/* --- grace --- */

static const struct {
    const char *name, *patch, *status;
    Request request;
    int64_t want; /* seconds of grace; -1: gone at once */
} graces[] = {
    {"its own grace", .want = 30},
    {"the grace of the request", .request = {.has_grace = true, .grace_seconds = 5}, .want = 5},
    {"none", .request = {.has_grace = true}, .want = -1},
    {"a negative one is a second", .request = {.has_grace = true, .grace_seconds = -7}, .want = 1},
    {"a pod without a node goes at once", .patch = "{spec: {nodeName: null}}", .want = -1},
    {"a pod that has finished goes at once",
        .status = "{status: {phase: 'Succeeded'}}",
        .want = -1},
    {"a pod that has failed goes at once", .status = "{status: {phase: 'Failed'}}", .want = -1},
};

TEST(a_deleted_pod_gets_a_deletion_timestamp_and_a_grace_period)
{
    each_case(i, graces) {
        SCOPED_DESK d = desk_open();
        const Json *body = json_fixture(d->arena, pod);

        if (graces[i].patch)
            body = json_merge(d->arena, body, json_fixture(d->arena, graces[i].patch));
        ask(d, (Request){.verb = VERB_CREATE, .kind = kind_pod, .body = body});
        if (graces[i].status)
            merge_status(d, kind_pod, "x", graces[i].status);
        const Json *going = delete_as(d, kind_pod, graces[i].request);

        then_status(d, 200);
        then_str(json_str(going, ".kind"), "Pod");
        then_int(meta_generation(going), 2);
        get(d, kind_pod, "x");
        then_status(d, graces[i].want < 0 ? 404 : 200);
        if (graces[i].want >= 0)
            then_int(json_int(d->answer.body, ".metadata.deletionGracePeriodSeconds", -1),
                graces[i].want);
    }
}

TEST(the_grace_period_of_a_terminating_pod_can_only_be_shortened)
{
    SCOPED_DESK d = desk_open();
    Request grace = {.has_grace = true, .grace_seconds = 50};

    create(d, kind_pod, pod);
    delete_as(d, kind_pod, (Request){0});
    then_str(meta_deletion_timestamp(d->answer.body), "2026-01-01T00:00:30Z");
    const char *version = version_of(d->answer.body);
    then_str(version_of(delete_as(d, kind_pod, grace)), version);
    grace.grace_seconds = 10;
    delete_as(d, kind_pod, grace);
    then_str(meta_deletion_timestamp(d->answer.body), "2026-01-01T00:00:10Z");
    then_int(meta_generation(d->answer.body), 2);
    grace.grace_seconds = 0; /* the kubelet's last word */
    delete_as(d, kind_pod, grace);
    then_status(d, 200);
    then_gone(d, kind_pod);
}

TEST(a_pod_with_a_finalizer_stays_after_its_grace_period)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, pod);
    merge(d, kind_pod, "x", "{metadata: {finalizers: ['t.io/a']}}");
    delete_as(d, kind_pod, (Request){.has_grace = true});
    then_int(json_int(d->answer.body, ".metadata.deletionGracePeriodSeconds", -1), 0);
    get(d, kind_pod, "x");
    then_status(d, 200);
    merge(d, kind_pod, "x", "{metadata: {finalizers: null}}");
    then_gone(d, kind_pod);
}

TEST(a_terminating_pod_stays_for_its_grace_period_although_its_finalizer_is_removed)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, pod);
    merge(d, kind_pod, "x", "{metadata: {finalizers: ['t.io/a']}}");
    delete (d, kind_pod, "x");
    merge(d, kind_pod, "x", "{metadata: {finalizers: null}}");
    get(d, kind_pod, "x");
    then_status(d, 200);
}

/* --- the rest --- */

TEST(a_dry_run_deletion_deletes_nothing)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    create(d, kind_pod, pod);
    uint64_t version = server_version(d->server);
    delete_as(d, kind_configmap, (Request){.dry_run = true});
    then_str(json_str(d->answer.body, ".status"), "Success");
    delete_as(d, kind_pod, (Request){.dry_run = true});
    then_true(meta_deleting(d->answer.body));
    delete_as(d, kind_configmap, (Request){.dry_run = true, .propagation = PROPAGATION_FOREGROUND});
    then_true(meta_has_finalizer(d->answer.body, "foregroundDeletion"));
    then_int(server_version(d->server), version);
    then_true(!meta_deleting(get(d, kind_pod, "x")));
}

TEST(a_deleted_namespace_is_terminating_until_it_is_empty)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_namespace, "{metadata: {name: 'x'}}");
    delete (d, kind_namespace, "x");
    then_str(json_str(d->answer.body, ".status.phase"), "Terminating");
    then_true(json_find(d->answer.body, ".metadata.deletionGracePeriodSeconds") == NULL);
    ask_body(d,
        (Request){.verb = VERB_CREATE, .kind = kind_configmap, .key.namespace = "x"},
        "{metadata: {name: 'late'}}");
    then_refused(d,
        403,
        "configmaps \"late\" is forbidden: unable to create new content in "
        "namespace x because it is being terminated");
    then_str(json_str(d->answer.body, ".details.causes[0].reason"), "NamespaceTerminating");
}

TEST(the_initial_namespaces_cannot_be_deleted)
{
    SCOPED_DESK d = desk_open();

    delete (d, kind_namespace, "default");
    then_refused(d, 403, "this namespace may not be deleted");
}

TEST(subresources_cannot_be_deleted)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, pod);
    delete_as(d, kind_pod, (Request){.subresource = "status"});
    then_status(d, 405);
}
