/* apply-statefulset: never under somebody who uses the volume, and never another's. */
#include "tests/sei/pods.h"

#define RUNNING "status: {phase: 'Running', statefulSet: {name: 'rpc-0', uid: '1'}}"

TEST(a_new_node_gets_its_statefulset)
{
    SCOPED_WORLD w = world_of(NULL);

    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));

    const Json *sts = stored(w, kind_statefulset, "rpc-0");
    then_str(w->said, "apply statefulsets rpc-0");
    then_str(w->status.statefulset_name, "rpc-0");
    then_str(w->status.statefulset_uid, meta_uid(sts));
    then_str(w->status.plan.applied_hash, w->wanted.template_hash);
}

/* A node whose StatefulSet was deleted, or scaled to 0; and a pod in its namespace. */
static const struct {
    const char *name, *node, *pod;
    bool from_0;
    const char *said;
    Want want;
} volumes[] = {
    {"a free volume", "{" RUNNING "}", ABSENT, .said = "list pods, apply statefulsets rpc-0"},
    {"another pod uses the volume",
        "{" RUNNING "}",
        .said = "list pods",
        .want = WAIT("in use by pod analyzer")},
    {"another pod uses the volume, and the node goes from 0 to 1",
        "{" RUNNING "}",
        .from_0 = true,
        .said = "list pods",
        .want = WAIT("in use by pod analyzer")},
    {"another pod uses the volume of a node in its init that had a StatefulSet",
        "{status: {phase: 'Initializing', statefulSet: {name: 'rpc-0', uid: '1'}}}",
        .said = "list pods",
        .want = WAIT("in use by pod analyzer")},
    {"another pod uses the volume, and no StatefulSet was ever recorded",
        "{status: {phase: 'Running'}}",
        .said = "list pods",
        .want = WAIT("in use by pod analyzer")},
    {"the bootstrap pod of the node, and no StatefulSet yet",
        "{status: {phase: 'Initializing'}}",
        "{metadata: {labels: {'sei.io/node': 'rpc-0'}}}",
        .want = WAIT("in use by pod analyzer")},
    {"one that has ended",
        "{status: {phase: 'Initializing'}}",
        "{metadata: {labels: {'sei.io/node': 'rpc-0'}}, status: {phase: 'Succeeded'}}",
        .said = "apply statefulsets rpc-0"},
    {"a foreign pod with the name of our pod",
        "{" RUNNING "}",
        "{metadata: {name: 'rpc-0-0'}}",
        .said = "list pods",
        .want = WAIT("in use by pod rpc-0-0")},
    {"a foreign pod with our labels",
        "{" RUNNING "}",
        "{metadata: {labels: {'sei.io/node': 'rpc-0'}}}",
        .said = "list pods",
        .want = WAIT("in use by pod analyzer")},
    {"a foreign pod that has ended",
        "{" RUNNING "}",
        "{status: {phase: 'Succeeded'}}",
        .said = "list pods, apply statefulsets rpc-0"},
    {"a foreign pod on another volume",
        "{" RUNNING "}",
        "{spec: {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'data-rpc-1'}}]}}",
        .said = "list pods, apply statefulsets rpc-0"},
    {"the pod that our own StatefulSet left behind",
        "{" RUNNING "}",
        "{metadata: {name: 'rpc-0-0', labels: {'sei.io/node': 'rpc-0'}, ownerReferences: ["
        " {apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'rpc-0', uid: '1', controller: "
        "true}]}}",
        .said = "list pods, apply statefulsets rpc-0"},
    {"a pod of our name that a Job made",
        "{" RUNNING "}",
        "{metadata: {name: 'rpc-0-0', labels: {'sei.io/node': 'rpc-0'}, ownerReferences: ["
        " {apiVersion: 'batch/v1', kind: 'Job', name: 'rpc-0', uid: '1', controller: true}]}}",
        .said = "list pods",
        .want = WAIT("in use by pod rpc-0-0")},
};

TEST(seid_starts_only_on_a_free_volume)
{
    each_case(i, volumes) {
        SCOPED_WORLD w = world_of(NULL);
        if (volumes[i].from_0) {
            world_render(w, REPLICAS_ZERO);
            then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
        }
        world_set_node(w, volumes[i].node);
        given(w, kind_pod, sample_job, volumes[i].pod);

        Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);

        then_err(err, volumes[i].want);
        then_str(w->said, volumes[i].said);
        then_int(w->run.look_again_ms, err ? 5000 : 0);
        if (err)
            then_str(err->reason, "VolumeInUse");
    }
}

/* --- other nodes that name the volume --- */

static const char other_statefulset[] =
    "{metadata: {name: 'rpc-1', namespace: 'sei'}, spec: {serviceName: 'rpc-1', selector:"
    " {matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, spec: {containers:"
    " [{name: 'seid', image: 'x'}], volumes: [{name: 'data', persistentVolumeClaim: {claimName:"
    " 'data-rpc-0'}}]}}}}";

static const char other_job[] =
    "{metadata: {name: 'rpc-1-bootstrap', namespace: 'sei'}, spec: {template: {spec: {"
    "restartPolicy: 'Never', containers: [{name: 'seid', image: 'x'}], volumes: [{name: 'data',"
    " persistentVolumeClaim: {claimName: 'data-rpc-0'}}]}}}}";

#define OTHER "get statefulsets rpc-1, get jobs rpc-1-bootstrap, "

static const struct {
    const char *name, *statefulset, *job, *said;
    Want want;
} others[] = {
    {"it has nothing", ABSENT, ABSENT, OTHER "list pods, apply statefulsets rpc-0"},
    {"its StatefulSet makes a pod",
        NULL,
        ABSENT,
        "get statefulsets rpc-1",
        WAIT("in use by StatefulSet rpc-1, whose SeiNode is deleted")},
    {"its StatefulSet makes none",
        "{spec: {replicas: 0}}",
        ABSENT,
        OTHER "list pods, apply statefulsets rpc-0"},
    {"its bootstrap Job makes a pod",
        ABSENT,
        NULL,
        "get statefulsets rpc-1, get jobs rpc-1-bootstrap",
        WAIT("in use by SeiNode rpc-1")},
    {"its bootstrap Job is suspended",
        ABSENT,
        "{spec: {suspend: true}}",
        OTHER "list pods, apply statefulsets rpc-0"},
};

/* No cache shows what the operator before this one has just made. */
TEST(seid_starts_only_while_no_other_node_runs_on_the_volume)
{
    each_case(i, others) {
        SCOPED_WORLD w = world_of(NULL);
        Key other = {.namespace = "sei", .name = "rpc-1"};

        start_locks_see(w->start_locks, other, exclusive_claim("data-rpc-0"));
        given(w, kind_statefulset, other_statefulset, others[i].statefulset);
        given(w, kind_job, other_job, others[i].job);
        Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);
        then_err(err, others[i].want);
        then_str(w->said, others[i].said);
        if (err)
            then_str(err->reason, "VolumeInUse");
        then_int(start_locks_take(w->start_locks, other, exclusive_claim("data-rpc-0"), 0),
            err ? START_MAY_LOOK : START_MUST_WAIT);
    }
}

enum { NEIGHBOURS = 1500, PAGE_FITS = 100 };

static void given_neighbours(TaskWorld *w)
{
    for (int i = 0; i < NEIGHBOURS; i++)
        given(w,
            kind_pod,
            sample_job,
            str_format(w->arena,
                "{metadata: {name: 'pod-%d'}, spec: {volumes: [{name: 'v',"
                " persistentVolumeClaim: {claimName: 'claim-%d'}}]}, status: null}",
                i,
                i));
}

/* No answer holds a page of the usual size. */
TEST(a_pod_on_the_volume_is_found_in_a_namespace_of_any_size)
{
    SCOPED_WORLD w = world_of("{" RUNNING "}");

    given_neighbours(w);
    given(w, kind_pod, sample_job, "{metadata: {name: 'the-last'}}");
    w->page_fits = PAGE_FITS;
    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("in use by pod the-last"));
    deleted(w, kind_pod, "the-last");
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
}

TEST(a_paused_node_gets_its_statefulset_back_while_a_job_uses_its_volume)
{
    SCOPED_WORLD w = world_of("{" RUNNING "}");
    world_render(w, REPLICAS_ZERO);
    given(w, kind_pod, sample_job, NULL);

    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));

    then_str(w->said, "apply statefulsets rpc-0");
    then_int(json_int(stored(w, kind_statefulset, "rpc-0"), ".spec.replicas", 1), 0);
}

TEST(pausing_a_node_keeps_its_pod_running_while_its_volume_is_being_deleted)
{
    SCOPED_WORLD w = world_of("{" RUNNING "}");
    given_statefulset(w);
    given(w,
        kind_pvc,
        "{metadata: {name: 'data-rpc-0', namespace: 'sei', finalizers: ['t.io/x']}, spec:"
        " {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}}",
        NULL);
    deleted(w, kind_pvc, "data-rpc-0");
    world_render(w, REPLICAS_ZERO);

    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("is being deleted"));

    then_str(w->said, "get persistentvolumeclaims data-rpc-0");
    then_int(json_int(stored(w, kind_statefulset, "rpc-0"), ".spec.replicas", 1), 1);
}

TEST(pausing_a_node_keeps_its_pod_running_while_its_volume_is_lost)
{
    SCOPED_WORLD w = world_of("{" RUNNING "}");
    given_statefulset(w);
    given(w,
        kind_pvc,
        "{metadata: {name: 'data-rpc-0', namespace: 'sei'}, spec: {accessModes: ['ReadWriteOnce'],"
        " resources: {requests: {storage: '1Gi'}}}, status: {phase: 'Lost'}}",
        NULL);
    world_render(w, REPLICAS_ZERO);

    Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);
    then_err(err, WAIT("volume data-rpc-0 is Lost"));
    then_str(err->reason, "DataVolumeLost");
    then_int(json_int(stored(w, kind_statefulset, "rpc-0"), ".spec.replicas", 1), 1);
}

TEST(an_orphaned_pod_on_a_terminating_volume_is_not_adopted_to_stop_it)
{
    SCOPED_WORLD w = world_of("{" RUNNING "}");
    given_statefulset(w);
    w->run.pod = given_pod(w, NULL);
    deleted(w, kind_statefulset, "rpc-0");
    given(w,
        kind_pvc,
        "{metadata: {name: 'data-rpc-0', namespace: 'sei', finalizers: ['t.io/x']}, spec:"
        " {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}}",
        NULL);
    deleted(w, kind_pvc, "data-rpc-0");
    world_render(w, REPLICAS_ZERO);

    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("is being deleted"));

    then_true(!stored(w, kind_statefulset, "rpc-0"));
}

TEST(a_statefulset_scaled_to_0_by_hand_is_updated_while_a_job_uses_its_volume)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    changed(w, kind_statefulset, "rpc-0", NULL, "{spec: {replicas: 0}}");
    given(w, kind_pod, sample_job, NULL);
    world_set_node(w, "{spec: {image: 'seid:v2'}, " RUNNING "}");
    world_render(w, REPLICAS_LEFT_OUT);

    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));

    then_str(w->said, "apply statefulsets rpc-0");
    then_int(json_int(stored(w, kind_statefulset, "rpc-0"), ".spec.replicas", 1), 0);
}

TEST(a_held_statefulset_is_not_changed)
{
    SCOPED_WORLD w = world_of(NULL);
    w->run.hold_statefulset = true;

    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("is held"));

    then_str(w->said, NULL);
    w->run.hold_statefulset = false;
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    w->run.hold_statefulset = true; /* and one that is right needs nothing */
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
}

TEST(a_statefulset_with_another_uid_than_recorded_gets_its_uid_recorded)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    const char *uid = w->status.statefulset_uid;
    w->status.statefulset_uid = "another";

    w->said = NULL;
    then_ok(task_sync_statefulset(&w->ctx, &w->run));

    then_str(w->said, NULL);
    then_str(w->status.statefulset_uid, uid);
}

TEST(a_foreign_statefulset_without_our_label_is_detected_by_the_refused_apply)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w,
        kind_statefulset,
        "{metadata: {name: 'rpc-0', namespace: 'sei'}, spec: {serviceName: 'x',"
        " selector: {matchLabels: {app: 'x'}}, template: {metadata: {labels: {app: 'x'}},"
        " spec: {containers: [{name: 'c', image: 'c'}]}}}}",
        NULL);

    Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);

    then_err(err, TERMINAL("selects other pods"));
    then_str(err->reason, "ForeignObject");
    then_str(w->said, "apply statefulsets rpc-0, get statefulsets rpc-0");
}

TEST(a_leftover_rolling_update_block_in_a_statefulset_is_removed)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    changed(w, kind_statefulset, "rpc-0", NULL, "{spec: {replicas: 0}}");
    w->refusal.verb = VERB_APPLY;
    w->refusal.status = 422;
    w->refusal.message = "spec.updateStrategy.rollingUpdate: Invalid value: only allowed for "
                         "updateStrategy RollingUpdate";

    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));

    then_str(w->said,
        "list pods, apply statefulsets rpc-0, get statefulsets rpc-0, patch statefulsets rpc-0, "
        "apply statefulsets rpc-0");
    then_json(json_find(stored(w, kind_statefulset, "rpc-0"), ".spec.updateStrategy"),
        "{type: 'OnDelete'}");
}

TEST(a_statefulset_that_changed_after_it_was_read_is_not_overwritten)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    world_set_node(w, "{spec: {image: 'seid:v2'}}");
    w->refusal.verb = VERB_APPLY;
    w->refusal.status = 409;
    w->refusal.message = "the object has been modified";

    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), RETRY("modified"));
}

static void lost(TaskWorld *w)
{
    world_set_node(w, "{" RUNNING "}");
}

TEST(each_api_call_of_applying_a_statefulset_may_fail_and_the_retry_completes_it)
{
    each_fault(lost, TASK_APPLY_STATEFULSET)
        ;
}
