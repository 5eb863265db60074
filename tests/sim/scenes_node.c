/* The scenes of a node. */
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/reference.h"
#include "tests/sim/scenes.h"
#include "tests/test.h"

#define NODE SCENE_NODE

/* --- moments */

static bool is_stalled(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_STALLED), "True");
}

static bool is_waiting(Play *p, const char *name)
{
    return play_node(p, name)->status.plan.waiting != NULL;
}

static bool is_updating(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_NODE_UPDATE), "True")
        && play_node(p, name)->status.plan.tasks[2].status == TASK_COMPLETE;
}

/* --- nodes */

static void given_node(Play *p)
{
    play_create_node(p, NODE, IMAGE("v1"));
    then_str(play_settle(p), NULL);
    play_run(p, 5 * MINUTE_MS);
}

static void fresh(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5 * SECOND_MS);
    play_create_node(p, NODE, "{}");
}

static void given_wait(Play *p, const char *change)
{
    play_create_node(p, NODE, change);
    then_true(play_until(p, is_waiting, NODE));
    play_run(p, 40 * SECOND_MS);
}

static void waits_for_pod(Play *p)
{
    play_order(p, "freeze sei/rpc-0-0");
    given_wait(p, "{}");
}

static void starting(Play *p)
{
    play_order(p, "slow-start sei/rpc-0-0 300000");
    play_create_node(p, NODE, "{}");
    play_run(p, MINUTE_MS);
}

static void waits_for_task(Play *p)
{
    play_order(p, "task-takes sei/rpc-0-0 snapshot-restore 3600000");
    given_wait(p, play_modes[1].change);
}

static void waits_for_peers(Play *p)
{
    given_wait(p,
        "{spec: {peers: [{label: {selector: {'sei.io/chain': 'pacific-1'}}}],"
        " fullNode: {snapshot: {stateSync: {}, trustPeriod: '168h0m0s'}}}}");
}

static void waits_for_secret(Play *p)
{
    given_wait(p,
        "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 'signing'}}, "
        "nodeKey:"
        " {secret: {secretName: 'node'}}}}}");
}

static void waits_for_import(Play *p)
{
    given_wait(p, "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
}

static void waits_for_bootstrap(Play *p)
{
    play_prepare_mode(p, &play_modes[8]);
    play_order(p, "task-takes sei/rpc-0-bootstrap snapshot-restore 3600000");
    play_create_node(p, NODE, play_modes[8].change);
    play_run(p, 20 * SECOND_MS);
}

static void waits_for_genesis(Play *p)
{
    given_wait(p, play_modes[7].change);
    play_run(p, 2 * MINUTE_MS);
}

static void waits_for_sidecar(Play *p)
{
    play_order(p, "temper sei/rpc-0-0 hanging 0");
    given_wait(p, "{}");
}

static void waits_for_image(Play *p)
{
    play_order(p, "bad-image seid:v1");
    given_wait(p, IMAGE("v1"));
}

static void running(Play *p)
{
    given_node(p);
}

static void running_from_snapshot(Play *p)
{
    play_create_mode(p, NODE, &play_modes[1]);
    then_str(play_settle(p), NULL);
}

static void pausing(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, PAUSED);
    play_run(p, 3 * MINUTE_MS);
}

static void scaled_by_hand(Play *p)
{
    given_node(p);
    play_scale(p, NODE, 0);
    play_run(p, 3 * MINUTE_MS);
}

static void given_validator(Play *p)
{
    for (size_t i = 0; i < PLAY_MODES; i++)
        if (str_eq(play_modes[i].name, "validator with keys"))
            play_create_mode(p, NODE, &play_modes[i]);
    then_str(play_settle(p), NULL);
}

static void pausing_validator(Play *p)
{
    given_validator(p);
    play_patch(p, kind_seinode, NODE, PAUSED);
    play_run(p, 3 * MINUTE_MS);
}

static void scaled_by_hand_validator(Play *p)
{
    given_validator(p);
    play_scale(p, NODE, 0);
    play_run(p, 3 * MINUTE_MS);
}

/* As `maintain` marks it. */
static void maintained_validator(Play *p)
{
    given_validator(p);
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {paused: true}, metadata: {annotations: {'sei.io/maintenance':"
        " '{\"run\":\"0123456789ab\",\"by\":\"alice\",\"since\":\"2026-01-01T00:00:30Z\","
        "\"image\":\"tools:v1\"}'}}}");
    play_run(p, 3 * MINUTE_MS);
}

static void volume_in_use(Play *p)
{
    pausing(p);
    play_create(p,
        kind_pod,
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'analyzer'}, spec: {containers: [{name:"
        " 'look', image: 'analyzer:v1', volumeMounts: [{name: 'd', mountPath: '/d'}]}], volumes:"
        " [{name: 'd', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]}}");
    play_patch(p, kind_seinode, NODE, UNPAUSED);
    play_run(p, 2 * MINUTE_MS);
}

static void updating(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, IMAGE("v2"));
    then_true(play_until(p, is_updating, NODE));
}

static void updating_to_bad_image(Play *p)
{
    given_node(p);
    play_order(p, "bad-image seid:v2");
    play_patch(p, kind_seinode, NODE, IMAGE("v2"));
    play_run(p, 2 * MINUTE_MS);
}

static void crashing(Play *p)
{
    given_node(p);
    play_order(p, "crash sei/rpc-0-0 50");
    play_patch(p, kind_seinode, NODE, IMAGE("v2"));
    play_run(p, 4 * MINUTE_MS);
}

static void update_failed(Play *p)
{
    given_node(p);
    play_order(p, "fail-task sei/rpc-0-0 mark-ready 1000 the gate is stuck");
    play_patch(p, kind_seinode, NODE, IMAGE("v2"));
    play_run(p, 5 * MINUTE_MS);
}

static void updated(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, IMAGE("v2"));
    then_str(play_settle(p), NULL);
    play_run(p, MINUTE_MS);
}

static void halted(Play *p)
{
    given_node(p);
    scene_halt_chain(p);
}

static void repairing(Play *p)
{
    given_node(p);
    play_order(p, "slow-start sei/rpc-0-0 120000");
    play_delete(p, kind_statefulset, NODE);
    play_run(p, 20 * SECOND_MS);
}

static void sidecar_unready(Play *p)
{
    given_node(p);
    play_order(p, "temper sei/rpc-0-0 hanging 0");
    play_run(p, 5 * MINUTE_MS);
}

static void platform_drift(Play *p)
{
    static const char *const names[] = {"rpc-0", "rpc-1", "rpc-2"};

    for (int i = 0; i < 3; i++)
        play_create_node(p, names[i], IMAGE("v1"));
    then_str(play_settle(p), NULL);
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, MINUTE_MS);
    play_upgrade(p, "8");
    play_run(p, 3 * MINUTE_MS);
}

static void adopted(Play *p)
{
    scene_stop_operator(p);
    reference_create(p, NODE, play_modes[0].change);
    reference_work(p,
        NODE,
        &(ReferencePlan){
            .tasks = play_modes[0].tasks, .stop_at = reference_count(play_modes[0].tasks)});
    play_run(p, 30 * SECOND_MS);
    replica_start(play_replica(p, 0));
    then_str(play_settle(p), NULL);
    play_run(p, MINUTE_MS);
}

static void foreign_fields(Play *p)
{
    given_node(p);
    Request apply = {
        .verb = VERB_APPLY,
        .kind = kind_statefulset,
        .key = {PLAY_NAMESPACE, NODE},
        .manager = "agent",
        .body = json_fixture(play_arena(p),
            "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'rpc-0'}, spec:"
            " {template: {spec: {containers: [{name: 'seid', env: [{name: 'AGENT', value:"
            " 'on'}]}]}}}}"),
    };
    then_ok(api_call(world_api(sim_world(play_sim(p)), "agent"), play_arena(p), &apply, NULL));
    then_str(play_settle(p), NULL);
}

static void config_drift(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, "{spec: {overrides: {'app.x': '1'}}}");
    play_run(p, MINUTE_MS);
}

static void deleting(Play *p)
{
    given_node(p);
    play_order(p, "slow-stop sei/rpc-0-0 600000");
    play_patch(p, kind_seinode, NODE, HELD_BACK);
    play_delete(p, kind_seinode, NODE);
    play_run(p, MINUTE_MS);
}

/* --- nodes that need a person */

static void invalid_spec(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, "{spec: {fullNode: {snapshotGeneration: {}}}}");
    then_true(play_until(p, is_stalled, NODE));
}

static void unknown_plan(Play *p)
{
    given_node(p);
    scene_stop_operator(p);
    play_patch_status(p,
        kind_seinode,
        NODE,
        "{status: {plan: {id: 'b8c5e6d0-0000-4000-8000-000000000001', kind: 'dance', phase:"
        " 'Active', tasks: [{type: 'pirouette', id: 'b8c5e6d0-0000-4000-8000-000000000002',"
        " status: 'Pending'}]}}}");
    replica_start(play_replica(p, 0));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, MINUTE_MS);
}

static void foreign_object(Play *p)
{
    play_create(p,
        kind_service,
        "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'rpc-0'}, spec: {clusterIP: 'None',"
        " selector: {app: 'x'}, ports: [{port: 80}]}}");
    play_create_node(p, NODE, IMAGE("v1"));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, MINUTE_MS);
}

/* Another one has the key of the node. */
static void signing_key_in_use(Play *p)
{
    play_create_mode(p, "rpc-1", &play_modes[6]);
    then_str(play_settle(p), NULL);
    play_create_node(p, NODE, play_modes[6].change);
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, MINUTE_MS);
}

static bool is_there(Play *p, const char *pod)
{
    return play_find(p, kind_pod, pod) != NULL;
}

/* And somebody starts the node all the same. */
static void signing_key_shared(Play *p)
{
    play_create_mode(p, NODE, &play_modes[6]);
    then_str(play_settle(p), NULL);
    play_patch(p, kind_seinode, NODE, PAUSED);
    play_create_node(p, "rpc-1", play_modes[6].change);
    then_true(play_until(p, is_there, "rpc-1-0"));
    play_patch(p, kind_seinode, NODE, UNPAUSED);
    then_true(play_until(p, is_stalled, NODE));
    play_scale(p, NODE, 1);
    play_run(p, 2 * MINUTE_MS);
}

static void volume_missing(Play *p)
{
    pausing(p);
    play_delete(p, kind_pvc, "data-rpc-0");
    play_run(p, MINUTE_MS);
    play_patch(p, kind_seinode, NODE, UNPAUSED);
    play_run(p, MINUTE_MS);
}

static void volume_terminating(Play *p)
{
    given_node(p);
    play_delete(p, kind_pvc, "data-rpc-0");
    play_run(p, MINUTE_MS);
}

static void volume_lost(Play *p)
{
    given_node(p);
    const char *volume = json_str(play_find(p, kind_pvc, "data-rpc-0"), ".spec.volumeName");
    play_delete(p, kind_pv, volume);
    play_patch(p, kind_pv, volume, "{metadata: {finalizers: null}}");
    play_run(p, MINUTE_MS);
}

/* As an earlier operator let it come about. */
static void volume_of_other_node(Play *p)
{
    play_create_node(p, "rpc-1", PAUSED);
    play_create(p,
        kind_pvc,
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data-rpc-1', labels:"
        " {'sei.io/node': 'rpc-1'}}, spec: {accessModes: ['ReadWriteOnce'], storageClassName:"
        " 'gp3', resources: {requests: {storage: '3000Gi'}}}}");
    play_create_node(p, NODE, "{spec: {dataVolume: {import: {pvcName: 'data-rpc-1'}}}}");
    then_str(play_settle(p), NULL);
    play_patch(p,
        kind_pvc,
        "data-rpc-1",
        str_format(play_arena(p),
            "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', name:"
            " 'rpc-1', uid: '%s', controller: true}]}}",
            meta_uid(play_find(p, kind_seinode, "rpc-1"))));
    replica_crash(play_replica(p, 0));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, MINUTE_MS);
}

static void import_not_ready(Play *p)
{
    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 600000");
    given_wait(p, "{}");
    play_patch(p, kind_seinode, NODE, "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    play_run(p, MINUTE_MS);
}

static void identity_changed(Play *p)
{
    given_node(p);
    play_patch(p, kind_seinode, NODE, "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    then_true(play_until(p, is_stalled, NODE));
}

static void needs_reset(Play *p)
{
    waits_for_genesis(p);
    play_patch(
        p, kind_seinode, NODE, "{spec: {validator: {genesisCeremony: {stakingAmount: '11usei'}}}}");
    then_true(play_until(p, is_stalled, NODE));
}

static void wrong_chain(Play *p)
{
    play_create_claim_of_chain(p, "mine", "atlantic-2");
    play_create_node(p, NODE, "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    then_true(play_until(p, is_stalled, NODE));
}

static void plan_failed(Play *p)
{
    play_order(p, "fail-task sei/rpc-0-0 config-apply 1 disk is on fire");
    play_create_node(p, NODE, IMAGE("v1"));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, 10 * MINUTE_MS);
}

/* --- nodes whose pod needs a person */

static void stalls(Play *p)
{
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, 5 * MINUTE_MS);
}

static void image_pull_failed(Play *p)
{
    updating_to_bad_image(p);
    stalls(p);
}

static void crash_loop(Play *p)
{
    given_node(p);
    play_order(p, "crash sei/rpc-0-0 1000");
    stalls(p);
}

static void secret_missing(Play *p)
{
    waits_for_secret(p);
    stalls(p);
}

static void machine_lost(Play *p)
{
    given_node(p);
    const char *machine = json_str(play_find(p, kind_pod, "rpc-0-0"), ".spec.nodeName");
    play_order(p, str_format(play_arena(p), "lose-node %s", machine));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, 20 * SECOND_MS); /* the pod is deleted soon */
}

static void pod_unschedulable(Play *p)
{
    play_order(p, "lose-node node-1");
    play_order(p, "lose-node node-2");
    play_order(p, "lose-node node-3");
    play_create_node(p, NODE, IMAGE("v1"));
    play_run(p, 15 * MINUTE_MS);
    then_true(is_stalled(p, NODE));
}

const Scene node_scenes[] = {
    {"node-fresh", fresh},
    {"node-waits-for-pod", waits_for_pod},
    {"node-starting", starting},
    {"node-waits-for-task", waits_for_task},
    {"node-waits-for-peers", waits_for_peers},
    {"node-waits-for-secret", waits_for_secret},
    {"node-waits-for-import", waits_for_import},
    {"node-waits-for-bootstrap", waits_for_bootstrap},
    {"node-waits-for-genesis", waits_for_genesis},
    {"node-waits-for-sidecar", waits_for_sidecar},
    {"node-waits-for-image", waits_for_image},
    {"node-running", running},
    {"node-running-from-snapshot", running_from_snapshot},
    {"node-paused", pausing},
    {"node-scaled-by-hand", scaled_by_hand},
    {"node-paused-validator", pausing_validator},
    {"node-scaled-by-hand-validator", scaled_by_hand_validator},
    {"node-maintenance-validator", maintained_validator},
    {"node-volume-in-use", volume_in_use},
    {"node-updating", updating},
    {"node-updating-to-bad-image", updating_to_bad_image},
    {"node-crashing", crashing},
    {"node-update-failed", update_failed},
    {"node-updated", updated},
    {"node-halted", halted},
    {"node-repairing", repairing},
    {"node-sidecar-unreachable", sidecar_unready},
    {"node-platform-drift", platform_drift},
    {"node-adopted-drift", adopted},
    {"node-foreign-fields", foreign_fields},
    {"node-config-drift", config_drift},
    {"node-deleting", deleting},
    {"node-stalled-invalid-spec", invalid_spec},
    {"node-stalled-unknown-plan", unknown_plan},
    {"node-stalled-foreign-object", foreign_object},
    {"node-stalled-data-volume-missing", volume_missing},
    {"node-stalled-data-volume-terminating", volume_terminating},
    {"node-stalled-data-volume-lost", volume_lost},
    {"node-stalled-data-volume-of-other-node", volume_of_other_node},
    {"node-stalled-import-not-ready", import_not_ready},
    {"node-stalled-signing-key-in-use", signing_key_in_use},
    {"node-stalled-signing-key-shared", signing_key_shared},
    {"node-stalled-identity-changed", identity_changed},
    {"node-stalled-needs-reset", needs_reset},
    {"node-stalled-wrong-chain", wrong_chain},
    {"node-stalled-plan-failed", plan_failed},
    {"node-stalled-image-pull-failed", image_pull_failed},
    {"node-stalled-crash-loop", crash_loop},
    {"node-stalled-secret-missing", secret_missing},
    {"node-stalled-machine-lost", machine_lost},
    {"node-stalled-pod-unschedulable", pod_unschedulable},
    {0},
};
