/* What the server adds to new objects, and that nobody owns it. */
#include "tests/world/desk.h"

static const struct {
    const char *name;
    const Kind *kind;
    const char *body, *path, *want;
} additions[] = {
    {"a claim is protected",
        kind_pvc,
        "{spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}}",
        ".metadata.finalizers",
        "['kubernetes.io/pvc-protection']"},
    {"a claim is protected beside others",
        kind_pvc,
        "{metadata: {finalizers: ['t.io/a']}, spec: {accessModes: ['ReadWriteOnce'], resources: "
        "{requests: {storage: '1Gi'}}}}",
        ".metadata.finalizers",
        "['t.io/a', 'kubernetes.io/pvc-protection']"},
    {"a claim is pending",
        kind_pvc,
        "{spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}}",
        ".status",
        "{phase: 'Pending'}"},
    {"a volume is protected",
        kind_pv,
        "{spec: {capacity: {storage: '1Gi'}, accessModes: ['ReadWriteOnce']}}",
        ".metadata.finalizers",
        "['kubernetes.io/pv-protection']"},
    {"a pod is pending",
        kind_pod,
        "{spec: {containers: [{name: 'c', image: 'i'}]}}",
        ".status.phase",
        "'Pending'"},
    {"a Service gets an address",
        kind_service,
        "{spec: {ports: [{port: 1}]}}",
        ".spec.clusterIP",
        "'10.96.0.2'"},
    {"a headless Service gets none",
        kind_service,
        "{spec: {clusterIP: 'None', selector: {a: 'b'}, ports: [{port: 1}]}}",
        ".spec.clusterIPs",
        "['None']"},
    {"a Service of one family",
        kind_service,
        "{spec: {clusterIP: 'None', selector: {a: 'b'}, ports: [{port: 1}]}}",
        ".spec.ipFamilyPolicy",
        "'SingleStack'"},
    {"a headless Service that selects nothing is of both",
        kind_service,
        "{spec: {clusterIP: 'None', ports: [{port: 1}]}}",
        ".spec.ipFamilies",
        "['IPv4', 'IPv6']"},
    {"a namespace says its name",
        kind_namespace,
        "{}",
        ".metadata.labels",
        "{'kubernetes.io/metadata.name': 'x'}"},
    {"a namespace has a finalizer of its own",
        kind_namespace,
        "{}",
        ".spec",
        "{finalizers: ['kubernetes']}"},
    {"a StatefulSet has no pods yet",
        kind_statefulset,
        "{spec: {selector: {matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, spec: "
        "{containers: [{name: 'c', image: 'i'}]}}}}",
        ".status",
        "{replicas: 0, availableReplicas: 0}"},
};

TEST(a_created_object_gets_the_defaults_that_admission_adds)
{
    each_case(i, additions) {
        SCOPED_DESK d = desk_open();
        const Json *body = json_merge(d->arena,
            json_fixture(d->arena, additions[i].body),
            json_fixture(d->arena, "{metadata: {name: 'x'}}"));

        const Json *made =
            ask(d, (Request){.verb = VERB_CREATE, .kind = additions[i].kind, .body = body});

        then_status(d, 201);
        then_json(json_find(made, additions[i].path), additions[i].want);
    }
}

TEST(fields_that_admission_adds_have_no_field_manager)
{
    SCOPED_DESK d = desk_open();
    const Json *made = create(d,
        kind_pvc,
        "{metadata: {name: 'x'}, spec: {accessModes: ['ReadWriteOnce'], resources: {requests: "
        "{storage: '1Gi'}}}}");
    const Json *fields = json_find(made, ".metadata.managedFields[0].fieldsV1");

    then_true(json_find(fields, "['f:spec']") != NULL);
    then_true(json_find(fields, "['f:metadata']") == NULL);
    then_true(json_find(fields, "['f:status']") == NULL);
}

TEST(a_job_selects_its_pods_by_its_uid)
{
    SCOPED_DESK d = desk_open();
    const Json *job = create(d,
        kind_job,
        "{metadata: {name: 'x'}, spec: {template: {spec: {restartPolicy: 'Never', containers: "
        "[{name: 'c', image: 'i'}]}}}}");
    const Json *labels = json_find(job, ".spec.template.metadata.labels");

    then_str(json_text(json_member(labels, "batch.kubernetes.io/controller-uid")), meta_uid(job));
    then_str(json_text(json_member(labels, "job-name")), "x");
    then_str(json_str(job, ".spec.selector.matchLabels['batch.kubernetes.io/controller-uid']"),
        meta_uid(job));
    then_true(json_equal(json_find(job, ".metadata.labels"), labels)); /* having none of its own */
}

TEST(a_job_with_a_manual_selector_keeps_it)
{
    SCOPED_DESK d = desk_open();
    const Json *job = create(d,
        kind_job,
        "{metadata: {name: 'x', labels: {own: 'yes'}}, spec: {manualSelector: true, selector: "
        "{matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, spec: {restartPolicy: "
        "'Never', containers: [{name: 'c', image: 'i'}]}}}}");

    then_json(json_find(job, ".spec.selector"), "{matchLabels: {a: 'b'}}");
    then_json(json_find(job, ".metadata.labels"), "{own: 'yes'}");
}

TEST(each_service_gets_its_own_cluster_ip)
{
    SCOPED_DESK d = desk_open();
    const Json *one =
        create(d, kind_service, "{metadata: {name: 'x'}, spec: {ports: [{port: 1}]}}");
    const Json *other =
        create(d, kind_service, "{metadata: {name: 'y'}, spec: {ports: [{port: 1}]}}");

    then_true(!str_eq(json_str(one, ".spec.clusterIP"), json_str(other, ".spec.clusterIP")));
    const Json *kept =
        update(d, kind_service, "x", "{metadata: {name: 'x'}, spec: {ports: [{port: 2}]}}");
    then_status(d, 200);
    then_str(json_str(kept, ".spec.clusterIP"), json_str(one, ".spec.clusterIP"));
    then_json(json_find(kept, ".spec.ipFamilies"), "['IPv4']");
}

TEST(dry_runs_return_a_cluster_ip_that_no_service_gets)
{
    static const char service[] = "{metadata: {name: 'x'}, spec: {ports: [{port: 1}]}}";
    SCOPED_DESK d = desk_open();
    Request dry = {.verb = VERB_CREATE, .kind = kind_service, .dry_run = true};
    const char *one = json_str(ask_body(d, dry, service), ".spec.clusterIP");
    const char *other = json_str(ask_body(d, dry, service), ".spec.clusterIP");

    then_str(other, one);
    then_true(!str_eq(json_str(create(d, kind_service, service), ".spec.clusterIP"), one));
}

/* As PrepareForUpdate of the status of volumes has it. */
static const struct {
    const char *name, *status, *want;
} phases[] = {
    {"another phase: now", "{phase: 'Available'}", "2026-01-01T00:00:10Z"},
    {"the same phase: then", "{phase: 'Pending', message: 'x'}", "2026-01-01T00:00:00Z"},
    {"the same phase, and the time taken away: then",
        "{lastPhaseTransitionTime: null}",
        "2026-01-01T00:00:00Z"},
    {"another phase, and a time of one's own: that",
        "{phase: 'Available', lastPhaseTransitionTime: '2025-01-01T00:00:00Z'}",
        "2025-01-01T00:00:00Z"},
};

TEST(a_persistent_volume_records_its_last_phase_transition)
{
    each_case(i, phases) {
        SCOPED_DESK d = desk_open();
        const char *path = ".status.lastPhaseTransitionTime";
        const Json *volume = create(d,
            kind_pv,
            "{metadata: {name: 'v'}, spec: {capacity: {storage: '1Gi'},"
            " accessModes: ['ReadWriteOnce'], hostPath: {path: '/x'}}}");

        then_str(json_str(volume, path), "2026-01-01T00:00:00Z");
        clock_manual_advance_ms(&d->clock, 10000);
        volume =
            merge_status(d, kind_pv, "v", str_format(d->arena, "{status: %s}", phases[i].status));
        then_str(json_str(volume, path), phases[i].want);
        clock_manual_advance_ms(&d->clock, 10000);
        volume = merge(d, kind_pv, "v", "{metadata: {labels: {a: 'b'}}}");
        then_str(json_str(volume, path), phases[i].want);
    }
}

static const struct {
    const char *name, *spec, *phase;
    int status;
} growths[] = {
    {"bound, of a class", "storageClassName: 'fast',", "Bound", 200},
    {"bound, of no class", "", "Bound", 403},
    {"bound, of the class that is none", "storageClassName: '',", "Bound", 403},
    {"not bound: that is looked at before", "", "Pending", 422},
};

TEST(a_pvc_can_be_enlarged_only_with_a_storage_class)
{
    each_case(i, growths) {
        SCOPED_DESK d = desk_open();

        create(d,
            kind_pvc,
            str_format(d->arena,
                "{metadata: {name: 'x'}, spec: {%s accessModes: ['ReadWriteOnce'],"
                " resources: {requests: {storage: '1Gi'}}}}",
                growths[i].spec));
        merge_status(
            d, kind_pvc, "x", str_format(d->arena, "{status: {phase: '%s'}}", growths[i].phase));
        merge(d, kind_pvc, "x", "{spec: {resources: {requests: {storage: '2Gi'}}}}");
        then_status(d, growths[i].status);
        merge(d,
            kind_pvc,
            "x",
            "{metadata: {uid: 'moon'}, spec: {resources: {requests: {storage: '3Gi'}}}}");
        then_status(d, 422); /* what is wrong otherwise is looked at first */
    }
}

/* "clusterIP" is the first of "clusterIPs": who changes the one means the other. */
TEST(the_cluster_ip_of_a_service_is_the_first_of_its_cluster_ips)
{
    SCOPED_DESK d = desk_open();

    create(
        d, kind_service, "{metadata: {name: 'x'}, spec: {clusterIP: 'None', ports: [{port: 1}]}}");
    merge(d, kind_service, "x", "{spec: {clusterIP: '10.0.0.9'}}");
    then_int(d->answer.status, 422);
    then_str(json_str(d->answer.body, ".message"),
        "Service \"x\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.9\"]: may not "
        "change once set");
}
