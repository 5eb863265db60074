/* Creating and updating: versions, generations, the two sides of an object, and what is refused. */
#include "tests/world/desk.h"

static const char widget[] = "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'},"
                             " spec: {replicas: 2}, status: {phase: 'Mine'}}";

static Desk *desk_with_widgets(void)
{
    Desk *d = desk_open();

    create(d, kind_crd, widget_crd);
    return d;
}

TEST(a_created_object_gets_the_metadata_of_the_server)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d,
        kind_configmap,
        "{metadata: {name: 'x', uid: 'mine', creationTimestamp: '2001-02-03T04:05:06Z',"
        " deletionTimestamp: '2001-02-03T04:05:06Z', selfLink: 'mine'}, data: {a: 'b'}}");

    then_status(d, 201);
    then_str(json_str(made, ".apiVersion"), "v1");
    then_str(json_str(made, ".kind"), "ConfigMap");
    then_str(meta_namespace(made), "default");
    then_int(strlen(meta_uid(made)), 36);
    then_str(version_of(made), "3");
    then_str(json_str(made, ".metadata.creationTimestamp"), "2026-01-01T00:00:00Z");
    then_true(!meta_deleting(made));
    then_true(json_find(made, ".metadata.selfLink") == NULL);
    then_str(json_str(made, ".metadata.managedFields[0].manager"), "tester");
    then_true(json_equal(get(d, kind_configmap, "x"), made));
}

TEST(names_are_generated_from_generate_name)
{
    SCOPED_DESK d = desk_open();
    const Json *one = create(d, kind_configmap, "{metadata: {generateName: 'x-'}}");
    const Json *other = create(d, kind_configmap, "{metadata: {generateName: 'x-'}}");

    then_true(str_has_prefix(meta_name(one), "x-"));
    then_int(strlen(meta_name(one)), 7);
    then_true(!str_eq(meta_name(one), meta_name(other)));
    get(d, kind_configmap, meta_name(one));
    then_status(d, 200);
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *namespace, *body;
    int status;
    const char *phrase;
} refused_creates[] = {
    {"a namespace that is not there",
        kind_configmap,
        "nope",
        "{metadata: {name: 'x'}}",
        404,
        "namespaces \"nope\" not found"},
    {"another namespace in the body",
        kind_configmap,
        NULL,
        "{metadata: {name: 'x', namespace: 'other'}}",
        400,
        "the namespace of the provided object does not match the namespace sent on the request"},
    {"another kind",
        kind_configmap,
        NULL,
        "{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'x'}}",
        400,
        "Secret in version \"v1\" cannot be handled as a ConfigMap"},
    {"another version",
        kind_configmap,
        NULL,
        "{apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: {name: 'x'}}",
        400,
        "no kind \"ConfigMap\" is registered for version \"apps/v1\""},
    {"a version of its own",
        kind_configmap,
        NULL,
        "{metadata: {name: 'x', resourceVersion: '5'}}",
        500,
        "resourceVersion should not be set on objects to be created"},
    {"no object", kind_configmap, NULL, "[]", 400, "an object was expected"},
    {"a custom object that does not say what it is",
        kind_widget,
        NULL,
        "{metadata: {name: 'x'}}",
        400,
        "the object provided is unrecognized (must be of type Widget)"},
    {"a custom object of another version",
        kind_widget,
        NULL,
        "{apiVersion: 'test.io/v2', kind: 'Widget', metadata: {name: 'x'}}",
        400,
        "the API version in the data (test.io/v2) does not match the expected API version"},
    {"a custom object of another kind",
        kind_widget,
        NULL,
        "{apiVersion: 'test.io/v1', kind: 'Gadget', metadata: {name: 'x'}}",
        422,
        "Gadget.test.io \"x\" is invalid: kind: Invalid value: \"Gadget\": must be Widget"},
};

TEST(an_invalid_create_request_is_refused)
{
    each_case(i, refused_creates) {
        SCOPED_DESK d = desk_with_widgets();

        ask_body(d,
            (Request){.verb = VERB_CREATE,
                .kind = refused_creates[i].kind,
                .key.namespace = refused_creates[i].namespace},
            refused_creates[i].body);

        then_refused(d, refused_creates[i].status, refused_creates[i].phrase);
    }
}

TEST(a_conflict_with_generate_name_asks_for_a_retry)
{
    SCOPED_DESK d = desk_open();
    static const char object[] = "{metadata: {name: 'x', generateName: 'x-'}}";

    create(d, kind_configmap, object);
    then_status(d, 201);
    const Json *refusal = create(d, kind_configmap, object);
    then_refused(d,
        409,
        "configmaps \"x\" already exists, the server was not able to generate a unique name for "
        "the object");
    then_int(json_int(refusal, ".details.retryAfterSeconds", 0), 1);
}

TEST(a_created_node_keeps_its_status)
{
    SCOPED_DESK d = desk_open();

    ask_body(d,
        (Request){.verb = VERB_CREATE, .kind = kind_node, .manager = "kubelet"},
        "{metadata: {name: 'n'}, status: {capacity: {cpu: '1'}}}");
    then_status(d, 201);
    then_str(json_str(d->answer.body, ".status.capacity.cpu"), "1");
}

TEST(a_terminating_object_blocks_the_creation_of_its_name)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x', finalizers: ['t.io/a']}}");
    delete (d, kind_configmap, "x");
    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    then_refused(d, 409, "object is being deleted: configmaps \"x\" already exists");
    then_str(json_str(d->answer.body, ".reason"), "AlreadyExists");
}

/* --- the two sides of an object --- */

TEST(an_object_and_its_status_are_written_separately)
{
    SCOPED_DESK d = desk_with_widgets();

    then_true(json_find(create(d, kind_widget, widget), ".status") == NULL);
    merge(d, kind_widget, "x", "{spec: {replicas: 3}, status: {phase: 'Lost'}}");
    then_true(json_find(d->answer.body, ".status") == NULL);
    merge_status(d, kind_widget, "x", "{spec: {replicas: 4}, status: {phase: 'Kept'}}");
    then_int(json_int(d->answer.body, ".spec.replicas", 0), 3);
    then_str(json_str(d->answer.body, ".status.phase"), "Kept");
    merge(d, kind_widget, "x", "{status: null}");
    then_str(json_str(d->answer.body, ".status.phase"), "Kept");
}

TEST(a_status_write_of_a_custom_object_does_not_change_its_metadata)
{
    SCOPED_DESK d = desk_with_widgets();

    create(d, kind_widget, widget);
    merge_status(d, kind_widget, "x", "{metadata: {labels: {a: 'b'}, finalizers: ['t.io/a']}}");
    then_true(json_find(d->answer.body, ".metadata.labels") == NULL);
    then_true(json_find(d->answer.body, ".metadata.finalizers") == NULL);
}

TEST(a_status_write_of_a_built_in_kind_can_change_its_metadata)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, "{metadata: {name: 'x'}, spec: {containers: [{name: 'c', image: 'i'}]}}");
    merge_status(d,
        kind_pod,
        "x",
        "{metadata: {labels: {a: 'b'}, ownerReferences: [{apiVersion: 'v1', kind: 'Pod', name: 'y',"
        " uid: 'u'}]}, status: {phase: 'Running'}}");
    then_str(meta_label(d->answer.body, "a"), "b");
    then_true(json_find(d->answer.body, ".metadata.ownerReferences") == NULL);
    then_str(json_str(d->answer.body, ".status.phase"), "Running");
}

static const struct {
    const char *name, *subresource, *patch;
    int64_t want;
} generations[] = {
    {"the spec", NULL, "{spec: {size: 'big'}}", 2},
    {"labels", NULL, "{metadata: {labels: {a: 'b'}}}", 1},
    {"the status", "status", "{status: {phase: 'P'}}", 1},
    {"nothing", NULL, "{spec: {replicas: 2}}", 1},
    {"the status from the wrong side", NULL, "{status: {phase: 'P'}}", 1},
    {"the generation itself", NULL, "{metadata: {generation: 7}}", 1},
};

TEST(the_generation_counts_changes_of_the_spec)
{
    each_case(i, generations) {
        SCOPED_DESK d = desk_with_widgets();

        create(d, kind_widget, widget);
        ask_body(d,
            (Request){.verb = VERB_MERGE_PATCH,
                .kind = kind_widget,
                .key.name = "x",
                .subresource = generations[i].subresource},
            generations[i].patch);

        then_status(d, 200);
        then_int(meta_generation(d->answer.body), generations[i].want);
    }
}

/* --- replacing --- */

TEST(an_update_replaces_everything_except_server_fields)
{
    SCOPED_DESK d = desk_open();
    const Json *made =
        create(d, kind_configmap, "{metadata: {name: 'x', labels: {a: 'b'}}, data: {a: 'b'}}");

    clock_manual_advance_ms(&d->clock, 60000);
    const Json *put = update(d, kind_configmap, "x", "{metadata: {name: 'x'}, data: {c: 'd'}}");
    then_status(d, 200);
    then_str(meta_uid(put), meta_uid(made));
    then_str(json_str(put, ".metadata.creationTimestamp"), "2026-01-01T00:00:00Z");
    then_true(json_find(put, ".metadata.labels") == NULL);
    then_json(json_find(put, ".data"), "{c: 'd'}");
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *body;
    int status;
    const char *phrase;
} refused_updates[] = {
    {"an old version",
        kind_configmap,
        "{metadata: {name: 'x', resourceVersion: '1'}}",
        409,
        "Operation cannot be fulfilled on configmaps \"x\": the object has been modified; please "
        "apply your changes to the latest version and try again"},
    {"a version that is none",
        kind_configmap,
        "{metadata: {name: 'x', resourceVersion: 'abc'}}",
        500,
        "strconv.ParseUint: parsing \"abc\": invalid syntax"},
    {"no version where one is needed",
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}}",
        422,
        "widgets.test.io \"x\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
        "specified for an update"},
    {"another uid",
        kind_configmap,
        "{metadata: {name: 'x', uid: 'moon'}}",
        409,
        "StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/x"},
    {"another name",
        kind_configmap,
        "{metadata: {name: 'y'}}",
        400,
        "the name of the object (y) does not match the name on the URL (x)"},
    {"no name",
        kind_configmap,
        "{metadata: {}}",
        400,
        "the name of the object (x based on URL) was undeterminable: name must be provided"},
    {"an object that is not there", kind_secret, "{metadata: {name: 'x'}}", 404, "not found"},
};

TEST(an_update_of_another_object_is_refused)
{
    each_case(i, refused_updates) {
        SCOPED_DESK d = desk_with_widgets();

        create(d, kind_configmap, "{metadata: {name: 'x'}}");
        create(d, kind_widget, widget);
        update(d, refused_updates[i].kind, "x", refused_updates[i].body);

        then_refused(d, refused_updates[i].status, refused_updates[i].phrase);
    }
}

TEST(an_update_is_accepted_if_its_resource_version_matches)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d, kind_configmap, "{metadata: {name: 'x'}}");
    const char *body = str_format(d->arena,
        "{metadata: {name: 'x', resourceVersion: '%s', uid: '%s'}, data: {a: 'b'}}",
        version_of(made),
        meta_uid(made));

    update(d, kind_configmap, "x", body);
    then_status(d, 200);
    update(d, kind_configmap, "x", body);
    then_status(d, 409); /* the version has moved on */
}

TEST(an_update_creates_a_missing_lease)
{
    SCOPED_DESK d = desk_open();

    update(d, kind_lease, "x", "{metadata: {name: 'x'}, spec: {holderIdentity: 'me'}}");
    then_status(d, 201);
    update(d, kind_lease, "y", "{metadata: {name: 'y', uid: 'moon'}}");
    then_refused(d, 409, "UID in precondition: moon, UID in object meta: ");
}

TEST(an_update_without_changes_is_not_written)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d, kind_configmap, "{metadata: {name: 'x', labels: {a: 'b'}}}");
    uint64_t version = server_version(d->server);

    clock_manual_advance_ms(&d->clock, 60000);
    ask(d, (Request){.verb = VERB_UPDATE, .kind = kind_configmap, .key.name = "x", .body = made});
    then_true(json_equal(d->answer.body, made));
    merge(d, kind_configmap, "x", "{metadata: {labels: {a: 'b'}, annotations: {}}}");
    then_true(json_equal(d->answer.body, made));
    then_int(server_version(d->server), version);
}

TEST(a_dry_run_write_stores_nothing)
{
    SCOPED_DESK d = desk_open();
    uint64_t version = server_version(d->server);

    ask_body(d,
        (Request){.verb = VERB_CREATE, .kind = kind_configmap, .dry_run = true},
        "{metadata: {name: 'x'}}");
    then_status(d, 201);
    then_true(version_of(d->answer.body) == NULL);
    then_true(meta_uid(d->answer.body) != NULL);
    then_int(server_version(d->server), version);

    const Json *made = create(d, kind_configmap, "{metadata: {name: 'x'}}");
    ask_body(d,
        (Request){
            .verb = VERB_MERGE_PATCH, .kind = kind_configmap, .key.name = "x", .dry_run = true},
        "{data: {a: 'b'}}");
    then_str(json_str(d->answer.body, ".data.a"), "b");
    then_str(version_of(d->answer.body), version_of(made));
    then_true(json_find(get(d, kind_configmap, "x"), ".data") == NULL);
}

TEST(the_first_update_of_a_pvc_is_stored_although_it_changes_nothing)
{
    SCOPED_DESK d = desk_open();
    const char *made = version_of(create(d,
        kind_pvc,
        "{metadata: {name: 'x'}, spec: {accessModes: ['ReadWriteOnce'],"
        " resources: {requests: {storage: '1Gi'}}}}"));
    const char *first = version_of(merge(d, kind_pvc, "x", "{}"));
    const char *second = version_of(merge(d, kind_pvc, "x", "{}"));

    then_true(!str_eq(first, made));
    then_str(second, first);
}

#define JOB(labels)                                                                                \
    "{metadata: {name: 'x'" labels "}, spec: {template: {spec: {restartPolicy: 'Never',"           \
    " containers: [{name: 'c', image: 'i'}]}}}}"

TEST(the_first_update_of_a_job_is_stored_if_its_labels_came_by_default)
{
    SCOPED_DESK d = desk_open();
    const char *made = version_of(create(d, kind_job, JOB("")));
    const char *first = version_of(merge(d, kind_job, "x", "{}"));

    then_true(!str_eq(first, made));
    then_str(version_of(merge(d, kind_job, "x", "{}")), first);
    ask(d,
        (Request){.verb = VERB_DELETE,
            .kind = kind_job,
            .key.name = "x",
            .propagation = PROPAGATION_BACKGROUND});
    made = version_of(create(d, kind_job, JOB(", labels: {a: 'b'}")));
    then_status(d, 201);
    then_str(version_of(merge(d, kind_job, "x", "{}")), made);
}
