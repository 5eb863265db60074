/* replace-pod: the stale pod goes, and nothing else does. */
#include "tests/sei/pods.h"

#define DELETED "get persistentvolumeclaims data-rpc-0, delete pods rpc-0-0"
#define LOOKED  "get persistentvolumeclaims data-rpc-0"

/* A StatefulSet rolling to "rpc-0-new", its one pod still on "rpc-0-old"; and what differs. */
static const struct {
    const char *name, *sts, *status, *pod, *said;
    bool dying, edited, stop;
    Want want;
} cases[] = {
    {"an old pod is deleted", .said = DELETED},
    {"a pod of the other operator goes by its revision",
        .pod = "{metadata: {annotations: null}}",
        .said = DELETED},
    {"a pod of the other operator at the new revision is kept",
        .pod =
            "{metadata: {annotations: null, labels: {'controller-revision-hash': 'rpc-0-new'}}}"},
    {"a foreign pod is kept", .pod = "{metadata: {ownerReferences: null}}"},
    {"a pod without a revision is kept",
        .pod = "{metadata: {labels: {'controller-revision-hash': null}}}"},
    {"a pod on its way out is kept", .pod = "{metadata: {finalizers: ['t.io/x']}}", .dying = true},
    {"a crash-looping pod goes when the template goes back",
        .status = "{status: {currentRevision: 'rpc-0-new'}}",
        .said = DELETED},
    {"a halted, unready pod is deleted",
        .pod = "{status: {phase: 'Running', conditions: [{type: 'Ready', status: 'False'}]}}",
        .said = DELETED},
    {"a seid that does not run gets a minute",
        .pod = "{status: {phase: 'Pending', containerStatuses: null}}",
        .said = DELETED " in 60 s"},
    {"a seid that started in the future of our clock keeps the pod's own grace",
        .pod = "{status: {containerStatuses: [{name: 'seid', containerID: 'c',"
               " state: {running: {startedAt: '2999-01-01T00:00:00Z'}}}]}}",
        .said = DELETED},
    {"a pod's own grace is kept where it is shorter",
        .pod = "{spec: {terminationGracePeriodSeconds: 30},"
               " status: {phase: 'Pending', containerStatuses: null}}",
        .said = DELETED},
    {"another pod's edited template is no reason",
        .edited = true,
        .pod = "{metadata: {annotations: null,"
               " labels: {'controller-revision-hash': 'rpc-0-new'}}}"},
    {"no pod is stopped while none may be", .stop = true, .want = WAIT("condition Stalled")},
    {"template not observed",
        .status = "{status: {observedGeneration: 0}}",
        .want = WAIT("not seen the new template")},
    {"no revision",
        .status = "{status: {updateRevision: null}}",
        .want = WAIT("no update revision")},
    {"a foreign StatefulSet",
        .sts = "{metadata: {ownerReferences: null}}",
        .want = WAIT("not this node's")},
    {"a StatefulSet on its way out",
        .sts = "{metadata: {finalizers: ['t.io/x']}}",
        .want = WAIT("being deleted")},
    {"no StatefulSet", .sts = ABSENT, .want = WAIT("does not exist")},
};

static void given_change(TaskWorld *w, const char *patch)
{
    if (!patch)
        return;
    if (!str_eq(patch, ABSENT))
        changed(w, kind_statefulset, "rpc-0", NULL, patch);
    if (str_eq(patch, ABSENT) || strstr(patch, "finalizers"))
        deleted(w, kind_statefulset, "rpc-0");
}

TEST(only_the_stale_pod_of_the_node_is_deleted)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_statefulset(w);
        given_pod(w, cases[i].pod);
        given_change(w, cases[i].sts);
        if (cases[i].status)
            changed(w, kind_statefulset, "rpc-0", "status", cases[i].status);
        if (cases[i].dying)
            deleted(w, kind_pod, "rpc-0-0");
        w->run.stop_no_pod = cases[i].stop;
        w->run.pod_is_edited = cases[i].edited; /* of a pod that is gone */

        then_err(when_task_runs(w, TASK_REPLACE_POD), cases[i].want);

        then_str(w->said, cases[i].said);
    }
}

TEST(a_pod_of_the_applied_template_is_kept_whatever_its_revision)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    const Json *pod = given_pod(w,
        str_format(w->arena,
            "{metadata: {annotations: {'sei.io/template-hash': '%s'}}}",
            w->wanted.template_hash));

    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, NULL);

    w->run.pod = pod; /* until it turns out that somebody had edited that revision */
    w->run.pod_is_edited = true;
    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, DELETED);
}

TEST(an_adopted_pod_is_kept_until_the_template_changes)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    const Json *pod = given_pod(w, "{metadata: {annotations: null}}");
    w->status.plan.applied_hash = w->wanted.template_hash;
    w->status.adopted =
        (NodeAdopted){.pod_uid = meta_uid(pod), .template_hash = w->wanted.template_hash};

    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, NULL);

    w->status.adopted.template_hash = "old";
    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, DELETED);
}

TEST(a_pod_is_compared_with_the_applied_template_and_not_with_the_current_one)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, NULL);
    w->status.plan.applied_hash = "old"; /* settings have moved since, and are drift of their own */

    then_ok(when_task_runs(w, TASK_REPLACE_POD));

    then_str(w->said, NULL);
}

TEST(a_plan_of_the_go_operator_compares_pods_by_controller_revision)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, new_pod(w));
    w->status.plan.applied_hash = NULL;

    then_ok(when_task_runs(w, TASK_REPLACE_POD));

    then_str(w->said, NULL);
}

TEST(a_statefulset_with_more_than_one_replica_is_scaled_back_before_its_pod_is_deleted)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, NULL);
    changed(w, kind_statefulset, "rpc-0", NULL, "{spec: {replicas: 3}}");
    changed(w, kind_statefulset, "rpc-0", "status", "{status: {observedGeneration: 2}}");

    then_err(when_task_runs(w, TASK_REPLACE_POD), WAIT("scaled back to 1"));

    then_str(w->said, "apply statefulsets rpc-0");
    then_int(json_int(stored(w, kind_statefulset, "rpc-0"), ".spec.replicas", 0), 1);
    then_true(!meta_deleting(stored(w, kind_pod, "rpc-0-0")));
}

TEST(a_replica_count_that_another_controller_keeps_raising_ends_the_plan)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, NULL);
    changed(w, kind_statefulset, "rpc-0", NULL, "{spec: {replicas: 2}}");
    changed(w, kind_statefulset, "rpc-0", "status", "{status: {observedGeneration: 2}}");
    world_render(w, REPLICAS_LEFT_OUT); /* the apply does not bring it down */

    then_err(when_task_runs(w, TASK_REPLACE_POD), TERMINAL("more than one replica"));

    then_true(!meta_deleting(stored(w, kind_pod, "rpc-0-0")));
}

TEST(a_pod_that_is_already_terminating_is_not_deleted_again)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, "{metadata: {finalizers: ['t.io/x']}}");

    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, DELETED);
    then_ok(when_task_runs(w, TASK_REPLACE_POD));
    then_str(w->said, NULL);
}

/* The decision knows nothing of it yet: the cache is older than what a person has just done. */
static const struct {
    const char *name, *claim, *status, *said;
    bool dying, was_read;
    Want want;
} volumes[] = {
    {"a volume that stays", "{}", .said = DELETED},
    {"a volume that goes",
        "{metadata: {finalizers: ['t.io/x']}}",
        .dying = true,
        .said = LOOKED,
        .want = WAIT("volume data-rpc-0 is being deleted")},
    {"a recorded volume that is gone",
        ABSENT,
        "{status: {dataVolume: {name: 'data-rpc-0', uid: 'u-1'}}}",
        .said = LOOKED,
        .want = WAIT("is gone")},
    {"another volume of its name",
        "{}",
        "{status: {dataVolume: {name: 'data-rpc-0', uid: 'u-1'}}}",
        .said = LOOKED,
        .want = WAIT("is gone")},
    {"a volume that was read live for the decision is not read twice",
        "{}",
        .was_read = true,
        .said = "delete pods rpc-0-0"},
};

TEST(a_pod_is_stopped_only_while_its_data_volume_is_safe)
{
    each_case(i, volumes) {
        SCOPED_WORLD w = world_of(volumes[i].status);
        given_statefulset(w);
        given_pod(w, NULL);
        given(w,
            kind_pvc,
            "{metadata: {name: 'data-rpc-0', namespace: 'sei'}, spec: {accessModes:"
            " ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}}",
            volumes[i].claim);
        if (volumes[i].dying)
            deleted(w, kind_pvc, "data-rpc-0");
        w->run.volume_was_read = volumes[i].was_read;

        then_err(when_task_runs(w, TASK_REPLACE_POD), volumes[i].want);

        then_str(w->said, volumes[i].said);
    }
}

static void rolling(TaskWorld *w)
{
    given_statefulset(w);
    given_pod(w, "{metadata: {finalizers: ['t.io/x']}}");
}

TEST(each_api_call_of_replacing_a_pod_may_fail_and_the_retry_completes_it)
{
    each_fault(rolling, TASK_REPLACE_POD)
        ;
}
