/* Objects as rows. Which columns and cells the real server has for the same objects is shown beside
 * one, by tests/e2e/test_faces.c; here stand the states that are hard to bring about there. */
#include "sandbox/table.h"

#include "kube/core/text.h"
#include "tests/world/desk.h"

static const int64_t minute_ns = 60LL * 1000000000;

static const Json *show(Desk *d, const Kind *kind, const Json *body, TableWish wish)
{
    Served served;

    wish.now_ns = desk_wall_ns + 5 * minute_ns;
    then_true(server_find_served(d->server, kind, &served));
    return table_of(d->arena, &served, body, &wish);
}

#define MADE "metadata: {name: 'x', creationTimestamp: '2026-01-01T00:00:00Z'}"
#define GONE                                                                                       \
    "metadata: {name: 'x', creationTimestamp: '2026-01-01T00:00:00Z',"                             \
    " deletionTimestamp: '2026-01-01T00:01:00Z'}"

/* --- pods --- */

static const struct {
    const char *name, *object, *want; /* ready, status, restarts */
} pods[] = {
    {"waits for a node",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Pending'}}",
        "['0/1', 'Pending', '0']"},
    {"may not be scheduled",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Pending', conditions: "
        "[{type: 'PodScheduled', status: 'False', reason: 'SchedulingGated'}]}}",
        "['0/1', 'SchedulingGated', '0']"},
    {"runs",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', ready: true, restartCount: 0, state: {running: {}}}]}}",
        "['1/1', 'Running', '0']"},
    {"was evicted",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, "
        "status: {phase: 'Failed', reason: 'Evicted'}}",
        "['0/1', 'Evicted', '0']"},
    {"fell and stood up again",
        "{" MADE ", spec: {containers: [{name: 'a'}, {name: 'b'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', ready: true, restartCount: 2, state: {running: {}}, "
        "lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:03:00Z'}}},"
        "{name: 'b', ready: false, restartCount: 1, state: {running: {}}, "
        "lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:02:00Z'}}}]}}",
        "['1/2', 'Running', '3 (2m ago)']"},
    {"cannot have its image; the first container has the last word",
        "{" MADE ", spec: {containers: [{name: 'a'}, {name: 'b'}]}, status: {phase: 'Pending', "
        "containerStatuses: [{name: 'a', restartCount: 0, state: {waiting: {reason: "
        "'ImagePullBackOff'}}}, {name: 'b', restartCount: 0, state: {waiting: {reason: "
        "'ContainerCreating'}}}]}}",
        "['0/2', 'ImagePullBackOff', '0']"},
    {"ended with a code",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', restartCount: 0, state: {terminated: {exitCode: 3}}}]}}",
        "['0/1', 'ExitCode:3', '0']"},
    {"ended by a signal",
        "{" MADE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', restartCount: 0, state: {terminated: {exitCode: 137, "
        "signal: 9}}}]}}",
        "['0/1', 'Signal:9', '0']"},
    {"is done in part, and ready",
        "{" MADE ", spec: {containers: [{name: 'a'}, {name: 'b'}]}, status: {phase: 'Running', "
        "conditions: [{type: 'Ready', status: 'True'}], containerStatuses: [{name: 'a', "
        "restartCount: 0, state: {terminated: {exitCode: 0, reason: 'Completed'}}}, {name: 'b', "
        "ready: true, restartCount: 0, state: {running: {}}}]}}",
        "['1/2', 'Running', '0']"},
    {"is done in part, and not ready",
        "{" MADE ", spec: {containers: [{name: 'a'}, {name: 'b'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', restartCount: 0, state: {terminated: {exitCode: 0, "
        "reason: 'Completed'}}}, {name: 'b', ready: true, restartCount: 0, state: "
        "{running: {}}}]}}",
        "['1/2', 'NotReady', '0']"},
    {"has initialized one of three",
        "{" MADE ", spec: {initContainers: [{name: 'i'}, {name: 'j'}, {name: 'k'}], containers: "
        "[{name: 'a'}]}, status: {phase: 'Pending', initContainerStatuses: [{name: 'i', "
        "restartCount: 0, state: {terminated: {exitCode: 0}}}, {name: 'j', restartCount: 0, "
        "state: {running: {}}}, {name: 'k', restartCount: 0, state: {waiting: {reason: "
        "'PodInitializing'}}}], containerStatuses: [{name: 'a', restartCount: 0, state: "
        "{waiting: {reason: 'PodInitializing'}}}]}}",
        "['0/1', 'Init:1/3', '0']"},
    {"fails to initialize",
        "{" MADE ", spec: {initContainers: [{name: 'i'}], containers: [{name: 'a'}]}, status: "
        "{phase: 'Pending', initContainerStatuses: [{name: 'i', restartCount: 4, state: {waiting: "
        "{reason: 'CrashLoopBackOff'}}, lastState: {terminated: {exitCode: 1, finishedAt: "
        "'2026-01-01T00:04:50Z'}}}]}}",
        "['0/1', 'Init:CrashLoopBackOff', '4 (10s ago)']"},
    {"failed to initialize with a code",
        "{" MADE ", spec: {initContainers: [{name: 'i'}], containers: [{name: 'a'}]}, status: "
        "{phase: 'Pending', initContainerStatuses: [{name: 'i', restartCount: 0, state: "
        "{terminated: {exitCode: 7}}}]}}",
        "['0/1', 'Init:ExitCode:7', '0']"},
    {"has a sidecar that runs",
        "{" MADE ", spec: {initContainers: [{name: 's', restartPolicy: 'Always'}], containers: "
        "[{name: 'a'}]}, status: {phase: 'Running', initContainerStatuses: [{name: 's', started: "
        "true, ready: true, restartCount: 1, state: {running: {}}, lastState: {terminated: "
        "{exitCode: 1, finishedAt: '2026-01-01T00:04:00Z'}}}], containerStatuses: [{name: 'a', "
        "ready: true, restartCount: 0, state: {running: {}}}]}}",
        "['2/2', 'Running', '1 (60s ago)']"},
    {"has a sidecar that has not started",
        "{" MADE ", spec: {initContainers: [{name: 's', restartPolicy: 'Always'}], containers: "
        "[{name: 'a'}]}, status: {phase: 'Pending', initContainerStatuses: [{name: 's', started: "
        "false, restartCount: 0, state: {running: {}}}]}}",
        "['0/2', 'Init:0/1', '0']"},
    {"goes",
        "{" GONE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Running', "
        "containerStatuses: [{name: 'a', ready: true, restartCount: 0, state: {running: {}}}]}}",
        "['1/1', 'Terminating', '0']"},
    {"goes, its node being lost",
        "{" GONE ", spec: {containers: [{name: 'a'}]}, "
        "status: {phase: 'Running', reason: 'NodeLost'}}",
        "['0/1', 'Unknown', '0']"},
    {"has ended before it goes",
        "{" GONE ", spec: {containers: [{name: 'a'}]}, status: {phase: 'Succeeded', "
        "containerStatuses: [{name: 'a', restartCount: 0, state: {terminated: {exitCode: 0, "
        "reason: 'Completed'}}}]}}",
        "['0/1', 'Completed', '0']"},
};

TEST(the_status_of_a_pod_is_shown_as_one_word)
{
    each_case(i, pods) {
        SCOPED_DESK d = desk_open();
        const Json *pod = json_fixture(d->arena, pods[i].object);
        const Json *table = show(d, kind_pod, pod, (TableWish){0});
        const Json *cells = json_find(table, ".rows[0].cells");
        Draft *told = draft_array(d->arena);

        draft_push_json(told, json_find(cells, "[1]"));
        draft_push_json(told, json_find(cells, "[2]"));
        draft_push_json(told, json_find(cells, "[3]"));
        then_json(json_seal(d->arena, told), pods[i].want);
        then_str(json_str(cells, "[4]"), "5m");
    }
}

TEST(a_pod_that_has_ended_has_the_completed_condition_in_its_table_row)
{
    SCOPED_DESK d = desk_open();
    const Json *pod = json_fixture(d->arena, "{" MADE ", status: {phase: 'Failed'}}");

    then_json(json_find(show(d, kind_pod, pod, (TableWish){0}), ".rows[0].conditions"),
        "[{type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.'}]");
    pod = json_fixture(d->arena, "{" MADE ", status: {phase: 'Succeeded'}}");
    then_str(json_str(show(d, kind_pod, pod, (TableWish){0}), ".rows[0].conditions[0].message"),
        "The pod has completed successfully.");
    pod = json_fixture(d->arena, "{" MADE ", status: {phase: 'Running'}}");
    then_true(!json_find(show(d, kind_pod, pod, (TableWish){0}), ".rows[0].conditions"));
}

/* --- other kinds --- */

#define POD_TEMPLATE                                                                               \
    "template: {spec: {containers: [{name: 'a', image: 'i:1'}, {name: 'b', image: 'j:2'}]}}"

static const struct {
    const char *name;
    const Kind *kind;
    const char *object, *want;
} rows[] = {
    {"a StatefulSet",
        kind_statefulset,
        "{" MADE ", spec: {replicas: 3, " POD_TEMPLATE "}, status: {readyReplicas: 2}}",
        "['x', '2/3', '5m', 'a,b', 'i:1,j:2']"},
    {"a Job that runs",
        kind_job,
        "{" MADE ", spec: {completions: 1, " POD_TEMPLATE ", selector: {matchLabels: {k: 'v'}}}, "
        "status: {startTime: '2026-01-01T00:02:00Z'}}",
        "['x', 'Running', '0/1', '3m', '5m', 'a,b', 'i:1,j:2', 'k=v']"},
    {"a Job that is complete",
        kind_job,
        "{" GONE ", spec: {parallelism: 2}, status: {succeeded: 1, "
        "startTime: '2026-01-01T00:02:00Z', completionTime: '2026-01-01T00:02:07Z', "
        "conditions: [{type: 'SuccessCriteriaMet', status: 'True'}, "
        "{type: 'Complete', status: 'True'}]}}",
        "['x', 'Complete', '1/1 of 2', '7s', '5m', '', '', '<none>']"},
    {"a Job that failed",
        kind_job,
        "{" MADE ", spec: {}, status: {conditions: [{type: 'Failed', status: 'True'}]}}",
        "['x', 'Failed', '0/1', '', '5m', '', '', '<none>']"},
    {"a Job that is suspended",
        kind_job,
        "{" MADE ", spec: {}, status: {conditions: [{type: 'FailureTarget', status: 'True'}, "
        "{type: 'Suspended', status: 'True'}]}}",
        "['x', 'Suspended', '0/1', '', '5m', '', '', '<none>']"},
    {"a revision",
        kind_controllerrevision,
        "{metadata: {name: 'x', ownerReferences: [{apiVersion: 'apps/v1', kind: 'StatefulSet', "
        "name: 'web', controller: true, uid: 'u'}]}, revision: 7}",
        "['x', 'statefulset.apps/web', 7, '<unknown>']"},
    {"a revision without an owner",
        kind_controllerrevision,
        "{" MADE ", revision: 1}",
        "['x', '<none>', 1, '5m']"},
    {"a headless Service",
        kind_service,
        "{" MADE ", spec: {type: 'ClusterIP', clusterIPs: ['None'], selector: {b: '2', a: '1'}, "
        "ports: [{port: 80, protocol: 'TCP'}, {port: 53, nodePort: 30053, protocol: 'UDP'}]}}",
        "['x', 'ClusterIP', 'None', '<none>', '80/TCP,53:30053/UDP', '5m', 'a=1,b=2']"},
    {"a Service of a balancer",
        kind_service,
        "{" MADE ", spec: {type: 'LoadBalancer', externalIPs: ['9.9.9.9']}, "
        "status: {loadBalancer: {ingress: [{ip: '2.2.2.2'}, {hostname: 'a.b'}, {ip: '2.2.2.2'}]}}}",
        "['x', 'LoadBalancer', '<none>', '2.2.2.2,a.b,9.9.9.9', '<none>', '5m', '<none>']"},
    {"a Service that waits for its balancer",
        kind_service,
        "{" MADE ", spec: {type: 'LoadBalancer', clusterIPs: ['1.1.1.1']}}",
        "['x', 'LoadBalancer', '1.1.1.1', '<pending>', '<none>', '5m', '<none>']"},
    {"a Service that is a name",
        kind_service,
        "{" MADE ", spec: {type: 'ExternalName', externalName: 'a.example'}}",
        "['x', 'ExternalName', '<none>', 'a.example', '<none>', '5m', '<none>']"},
    {"a node",
        kind_node,
        "{metadata: {name: 'x', creationTimestamp: '2026-01-01T00:00:00Z', labels: "
        "{'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/': '', "
        "'kubernetes.io/role': 'archive'}}, spec: {unschedulable: true}, status: {conditions: "
        "[{type: 'Ready', status: 'True'}], addresses: [{type: 'InternalIP', address: '10.0.0.1'}],"
        " nodeInfo: {kubeletVersion: 'v1.34.0', osImage: 'Debian'}}}",
        "['x', 'Ready,SchedulingDisabled', 'archive,worker', '5m', 'v1.34.0', '10.0.0.1', "
        "'<none>', 'Debian', '<unknown>', '<unknown>']"},
    {"a node that is silent",
        kind_node,
        "{" MADE ", status: {conditions: [{type: 'Ready', status: 'Unknown'}]}}",
        "['x', 'NotReady', '<none>', '5m', '', '<none>', '<none>', '<unknown>', '<unknown>', "
        "'<unknown>']"},
    {"a node that never spoke",
        kind_node,
        "{" MADE "}",
        "['x', 'Unknown', '<none>', '5m', '', '<none>', '<none>', '<unknown>', '<unknown>', "
        "'<unknown>']"},
    {"an Event",
        kind_event,
        "{" MADE ", type: 'Warning', reason: 'Bad', note: ' it is bad\\n', eventTime: "
        "'2026-01-01T00:04:00.000000Z', regarding: {kind: 'SeiNode', name: 'n', fieldPath: 'f'}, "
        "reportingController: 'sei.io/op', reportingInstance: 'op-1'}",
        "['60s', 'Warning', 'Bad', 'seinode/n', 'f', 'sei.io/op, op-1', 'it is bad', '60s', 1, "
        "'x']"},
    {"an Event that came again and again",
        kind_event,
        "{" MADE ", eventTime: '2026-01-01T00:00:00.000000Z', series: {count: 9, "
        "lastObservedTime: '2026-01-01T00:04:58.500000Z'}, regarding: {kind: 'Pod'}}",
        "['1s', '', '', 'pod', '', '', '', '5m', 9, 'x']"},
    {"an old Event",
        kind_event,
        "{" MADE ", deprecatedCount: 4, deprecatedFirstTimestamp: '2026-01-01T00:01:00Z', "
        "deprecatedLastTimestamp: '2026-01-01T00:04:30Z', deprecatedSource: {component: 'kubelet', "
        "host: 'h'}}",
        "['30s', '', '', '', '', 'kubelet, h', '', '4m', 4, 'x']"},
    {"a namespace",
        kind_namespace,
        "{" MADE ", status: {phase: 'Active'}}",
        "['x', 'Active', '5m']"},
    {"a ConfigMap",
        kind_configmap,
        "{" MADE ", data: {a: '1', b: '2'}, binaryData: {c: 'AA=='}}",
        "['x', 3, '5m']"},
    {"a Secret",
        kind_secret,
        "{" MADE ", type: 'Opaque', data: {a: 'MQ=='}}",
        "['x', 'Opaque', 1, '5m']"},
    {"an account", kind_serviceaccount, "{" MADE "}", "['x', 0, '5m']"},
    {"a lease", kind_lease, "{" MADE ", spec: {holderIdentity: 'op-1'}}", "['x', 'op-1', '5m']"},
    {"a volume",
        kind_pv,
        "{" MADE ", spec: {capacity: {storage: '1Gi'}, accessModes: ['ReadWriteMany', "
        "'ReadWriteOnce', 'ReadWriteMany'], persistentVolumeReclaimPolicy: 'Delete', claimRef: "
        "{namespace: 'n', name: 'c'}, storageClassName: 's', volumeMode: 'Filesystem'}, status: "
        "{phase: 'Bound'}}",
        "['x', '1Gi', 'RWO,RWX', 'Delete', 'Bound', 'n/c', 's', '<unset>', '', '5m', "
        "'Filesystem']"},
    {"a bare volume that goes",
        kind_pv,
        "{" GONE ", spec: {}, status: {phase: 'Failed', reason: 'Lost'}}",
        "['x', '0', '', '', 'Terminating', '', '', '<unset>', 'Lost', '5m', '<unset>']"},
    {"a claim that is bound",
        kind_pvc,
        "{" MADE ", spec: {volumeName: 'v', storageClassName: 's', volumeMode: 'Block'}, status: "
        "{phase: 'Bound', capacity: {storage: '2Gi'}, accessModes: ['ReadWriteOncePod']}}",
        "['x', 'Bound', 'v', '2Gi', 'RWOP', 's', '<unset>', '5m', 'Block']"},
    {"a claim that is not",
        kind_pvc,
        "{metadata: {name: 'x', creationTimestamp: '2026-01-01T00:00:00Z', annotations: "
        "{'volume.beta.kubernetes.io/storage-class': 'old'}}, spec: {}, status: "
        "{phase: 'Pending', accessModes: ['ReadWriteOnce'], capacity: {storage: '2Gi'}}}",
        "['x', 'Pending', '', '', '', 'old', '<unset>', '5m', '<unset>']"},
    {"a definition", kind_crd, "{" MADE "}", "['x', '2026-01-01T00:00:00Z']"},
};

TEST(a_table_row_has_the_cells_of_its_kind)
{
    each_case(i, rows) {
        SCOPED_DESK d = desk_open();
        const Json *object = json_fixture(d->arena, rows[i].object);
        const Json *table = show(d, rows[i].kind, object, (TableWish){0});

        then_json(json_find(table, ".rows[0].cells"), rows[i].want);
        then_int(json_count(json_find(table, ".columnDefinitions")),
            json_count(json_find(table, ".rows[0].cells")));
    }
}

/* --- the document --- */

TEST(a_single_object_becomes_a_table_with_one_row)
{
    SCOPED_DESK d = desk_open();
    const Json *object = create(d,
        kind_configmap,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'c'}, data: {a: '1'}}");
    const Json *table = show(d, kind_configmap, object, (TableWish){.version = "v1"});

    then_str(json_str(table, ".kind"), "Table");
    then_str(json_str(table, ".apiVersion"), "meta.k8s.io/v1");
    then_str(json_str(table, ".metadata.resourceVersion"), version_of(object));
    then_json(json_find(table, ".columnDefinitions[0]"),
        "{name: 'Name', type: 'string', format: 'name', description: 'Its name.', priority: 0}");
    then_json(json_find(table, ".rows[0].cells"), "['c', 1, '5m']");
    then_str(json_str(table, ".rows[0].object.kind"), "PartialObjectMetadata");
    then_str(json_str(table, ".rows[0].object.metadata.name"), "c");
    then_true(!json_find(table, ".rows[0].object.data"));
}

static const struct {
    const char *name, *include, *kind, *api_version;
} includes[] = {
    {"nothing said", NULL, "PartialObjectMetadata", "meta.k8s.io/v1"},
    {"an empty word", "", "PartialObjectMetadata", "meta.k8s.io/v1"},
    {"the metadata", "Metadata", "PartialObjectMetadata", "meta.k8s.io/v1"},
    {"the object", "Object", "ConfigMap", "v1"},
    {"nothing", "None", NULL, NULL},
};

TEST(table_rows_of_a_list_contain_the_requested_form_of_the_object)
{
    each_case(i, includes) {
        SCOPED_DESK d = desk_open();
        const Json *list, *row;

        create(d, kind_configmap, "{metadata: {name: 'c'}, data: {a: '1'}}");
        create(d, kind_configmap, "{metadata: {name: 'b'}}");
        list = ask(d, (Request){.verb = VERB_LIST, .kind = kind_configmap, .limit = 1});
        then_ok(table_check_include(d->arena, includes[i].include));
        list = show(d, kind_configmap, list, (TableWish){.include = includes[i].include});
        row = json_find(list, ".rows[0]");
        then_int(json_count(json_find(list, ".rows")), 1);
        then_str(json_str(row, ".object.kind"), includes[i].kind);
        then_str(json_str(row, ".object.apiVersion"), includes[i].api_version);
        then_true(json_find(row, ".object") != NULL);
        then_int(json_int(list, ".metadata.remainingItemCount", 0), 1);
        then_true(!str_empty(json_str(list, ".metadata.continue")));
    }
}

TEST(an_invalid_include_object_value_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Err *err = table_check_include(a, "All");

    then_err(err,
        TERMINAL("includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or "
                 "empty"));
    then_int(err->status, 400);
}

TEST(table_headers_are_omitted_on_request)
{
    SCOPED_DESK d = desk_open();
    const Json *object = json_fixture(d->arena, "{" MADE "}");
    const Json *table = show(d, kind_configmap, object, (TableWish){.no_headers = true});

    then_json(json_find(table, ".columnDefinitions"), "null");
    then_int(json_count(json_find(table, ".rows")), 1);
}

TEST(a_table_of_a_custom_kind_has_the_columns_of_its_crd)
{
    SCOPED_DESK d = desk_open();
    const Json *object, *table;

    create(d, kind_crd, widget_crd);
    jsonpatch(d,
        kind_crd,
        "widgets.test.io",
        "[{op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: ["
        " {name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1}]}]");
    then_status(d, 200);
    object = create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'}, spec: {size: 'L'}}");
    table = show(d, kind_widget, object, (TableWish){0});
    then_json(json_find(table, ".rows[0].cells"), "['w', 'L']");
    then_str(json_str(table, ".columnDefinitions[1].name"), "Size");
    then_int(json_int(table, ".columnDefinitions[1].priority", 0), 1);
}

TEST(a_table_of_a_scale_has_its_own_columns)
{
    SCOPED_DESK d = desk_open();
    const Json *scale = json_fixture(d->arena,
        "{apiVersion: 'autoscaling/v1', kind: 'Scale', " MADE
        ", spec: {replicas: 3}, status: {replicas: 2}}");

    then_json(json_find(show(d, kind_statefulset, scale, (TableWish){0}), ".rows[0].cells"),
        "['x', 3, 2, '5m']");
}

TEST(an_error_status_is_not_converted_to_a_table)
{
    SCOPED_DESK d = desk_open();
    const Json *status = get(d, kind_configmap, "nobody"), *partial;

    then_status(d, 404);
    then_true(show(d, kind_configmap, status, (TableWish){0}) == status);
    then_ok(table_metadata(d->arena, "v1", status, &partial));
    then_true(partial == status);
    then_ok(table_metadata_list(d->arena, "v1", status, &partial));
    then_true(partial == status);
}

/* --- metadata --- */

TEST(an_object_is_reduced_to_its_metadata)
{
    SCOPED_DESK d = desk_open();
    const Json *object = create(d, kind_configmap, "{metadata: {name: 'c'}, data: {a: '1'}}");
    const Json *partial, *want = json_find(object, ".metadata");

    then_ok(table_metadata(d->arena, "v1", object, &partial));
    then_str(json_str(partial, ".kind"), "PartialObjectMetadata");
    then_true(json_equal(json_find(partial, ".metadata"), want));
    then_int(json_count(partial), 3);
    then_err(table_metadata_list(d->arena, "v1", object, &partial),
        TERMINAL("you requested PartialObjectMetadataList, but the requested object is not a "
                 "list"));
}

TEST(a_list_is_reduced_to_metadata_item_by_item)
{
    SCOPED_DESK d = desk_open();
    const Json *list = ask(d, (Request){.verb = VERB_LIST, .kind = kind_namespace}), *partials;

    then_ok(table_metadata_list(d->arena, "v1beta1", list, &partials));
    then_str(json_str(partials, ".kind"), "PartialObjectMetadataList");
    then_str(json_str(partials, ".apiVersion"), "meta.k8s.io/v1beta1");
    then_int(json_count(json_find(partials, ".items")), 2);
    then_str(json_str(partials, ".items[0].kind"), "PartialObjectMetadata");
    then_str(json_str(partials, ".items[1].metadata.name"), "kube-system");
    then_err(table_metadata(d->arena, "v1", list, &partials),
        TERMINAL("you requested PartialObjectMetadata, but the requested object is a list"));
}

TEST(long_table_cells_need_only_the_memory_of_their_text)
{
    enum { MANY = 4000, ALLOWED = 16 << 20 };
    static const struct {
        const char *name;
        const Kind *kind;
        const char *begin, *member, *end; /* many members in between */
    } cases[] = {
        {"subjects of a binding",
            kind_clusterrolebinding,
            "{" MADE ", roleRef: {kind: 'ClusterRole', name: 'r'}, subjects: [",
            "{kind: 'User', name: 'somebody'}",
            "]}"},
        {"containers of a set",
            kind_statefulset,
            "{" MADE ", spec: {template: {spec: {containers: [",
            "{name: 'container', image: 'image'}",
            "]}}}}"},
        {"ports of a service",
            kind_service,
            "{" MADE ", spec: {type: 'ClusterIP', ports: [",
            "{port: 8080, protocol: 'TCP'}",
            "]}}"},
        {"addresses of a service",
            kind_service,
            "{" MADE ", spec: {type: 'ClusterIP', externalIPs: [",
            "'10.11.12.13'",
            "]}}"},
    };

    each_case(i, cases) {
        SCOPED_DESK d = desk_open();
        Text all = {.arena = d->arena};
        for (int j = 0; j < MANY; j++) {
            text_add(&all, j == 0 ? cases[i].begin : ", ");
            text_add(&all, cases[i].member);
        }
        text_add(&all, cases[i].end);
        const Json *body = json_fixture(d->arena, text_seen(&all));
        size_t before = arena_used(d->arena);
        const Json *table = show(d, cases[i].kind, body, (TableWish){0});
        then_int(json_count(json_find(table, ".rows")), 1);
        then_true(arena_used(d->arena) - before < ALLOWED);
    }
}
