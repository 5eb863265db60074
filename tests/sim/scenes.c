/* Scenes: states of nodes and fleets that a person may find, taken from real runs of the operator
 * in the simulator, so that no golden file of kubectl-sei shows what cannot be. A program for
 * people, run by hand:
 *
 *     SEI_SCENE=node-fresh build/release/tests/sim/scenes
 *
 * writes tests/golden/cli/node-fresh.objects.json; without SEI_SCENE all of them are written. Each
 * scene is a play up to a moment, and what the commands' own gathering sees there. */
#include "base/link.h"
#include "cli/sight.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sei/golden.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/reference.h"
#include "tests/sim/reference_fleet.h"
#include "world/kubelet_proxy.h"

#define NODE  "rpc-0"
#define FLEET "rpc"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS };

/* When a play begins. */
static const int64_t NEW_YEAR_2026_MS = 1767225600000, NS_PER_MS = 1000000;

#define IMAGE(tag)    "{spec: {image: '" PLAY_IMAGE(tag) "'}}"
#define PAUSED        "{spec: {paused: true}}"
#define UNPAUSED      "{spec: {paused: null}}"
#define STRATEGY(all) "{spec: {updateStrategy: {type: 'InPlace', " all "}}}"

/* --- moments */

static bool is_stalled(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_STALLED), "True");
}

static bool is_fleet_stalled(Play *p, const char *name)
{
    return str_eq(play_fleet_condition(p, name, COND_STALLED), "True");
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

static bool has_one_updated(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v2 v2");
}

static bool is_rolling(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2");
}

static bool is_founding(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.has_plan;
}

static bool rolls_back(Play *p, const char *fleet)
{
    return str_eq(play_fleet_reason(p, fleet, COND_ROLLOUT), "RollingBack");
}

static bool has_rolled_back(Play *p, const char *fleet)
{
    return str_eq(play_fleet_reason(p, fleet, COND_ROLLOUT), "RolloutFailed")
        && play_fleet(p, fleet)->status.counts.available == 3;
}

static bool is_lost(Play *p, const char *fleet)
{
    return str_eq(play_fleet_reason(p, fleet, COND_STALLED), "RevisionLost");
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

static void halt_chain(Play *p)
{
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");
    int64_t now = world_now_ms(sim_world(play_sim(p)));

    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 10 * MINUTE_MS);
}

static void halted(Play *p)
{
    given_node(p);
    halt_chain(p);
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

static void given_nobody_works(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5 * SECOND_MS);
}

static void adopted(Play *p)
{
    given_nobody_works(p);
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
    play_delete(p, kind_seinode, NODE);
    play_run(p, 20);
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
    given_nobody_works(p);
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

static void plan_failed(Play *p)
{
    play_order(p, "fail-task sei/rpc-0-0 config-apply 1 disk is on fire");
    play_create_node(p, NODE, IMAGE("v1"));
    then_true(play_until(p, is_stalled, NODE));
    play_run(p, 10 * MINUTE_MS);
}

/* --- fleets */

static void fleet_initializing(Play *p)
{
    play_create_fleet(p, FLEET, "{}");
    play_run(p, 20 * SECOND_MS);
}

static void fleet_at_rest(Play *p)
{
    play_given_fleet(p, FLEET, "{}");
    play_run(p, 5 * MINUTE_MS);
}

static void fleet_rolling(Play *p)
{
    fleet_at_rest(p);
    play_order(p, "slow-start sei/rpc-1-0 60000");
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    then_true(play_until(p, has_one_updated, FLEET));
    play_run(p, 15 * SECOND_MS);
}

static void fleet_stuck(Play *p)
{
    fleet_at_rest(p);
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, FLEET));
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_held(Play *p)
{
    fleet_at_rest(p);
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, FLEET));
    play_edit_fleet(p, FLEET, STRATEGY("hold: true"));
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_partition(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("partition: 1"));
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    play_run(p, 5 * MINUTE_MS);
}

static void fleet_paused(Play *p)
{
    fleet_at_rest(p);
    play_edit_fleet(p, FLEET, PAUSED);
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_node_paused(Play *p)
{
    fleet_at_rest(p);
    play_patch(p, kind_seinode, "rpc-1", PAUSED);
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_halted(Play *p)
{
    fleet_at_rest(p);
    halt_chain(p);
}

static void fleet_platform(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("hold: true"));
    play_upgrade(p, "8");
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_adopted(Play *p)
{
    given_nobody_works(p);
    reference_create_fleet(p, FLEET);
    play_edit_fleet(
        p, FLEET, "{spec: {template: {spec: {sidecar: {resources: {requests: {cpu: '1'}}}}}}}");
    play_mark(p);
    replica_start(play_replica(p, 0));
    play_run(p, 5 * MINUTE_MS);
}

static void fleet_deadline(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("progressDeadlineSeconds: 60"));
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    then_true(play_until(p, is_fleet_stalled, FLEET));
    play_run(p, 2 * MINUTE_MS);
}

static void given_failing_rollout(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("progressDeadlineSeconds: 60, onFailure: 'Rollback'"));
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
}

static void fleet_rolling_back(Play *p)
{
    given_failing_rollout(p);
    play_order(p, "slow-start sei/rpc-2-0 60000");
    then_true(play_until(p, rolls_back, FLEET));
    play_run(p, 5 * SECOND_MS);
}

static void fleet_rolled_back(Play *p)
{
    given_failing_rollout(p);
    then_true(play_until(p, has_rolled_back, FLEET));
    play_run(p, 2 * MINUTE_MS);
}

static void fleet_large(Play *p)
{
    play_given_fleet(
        p, FLEET, "{spec: {replicas: 30, updateStrategy: {type: 'InPlace', maxUnavailable: 3}}}");
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    play_run(p, 2 * MINUTE_MS);
}

static void fleet_deleting(Play *p)
{
    fleet_at_rest(p);
    play_order(p, "slow-stop sei/rpc-1-0 600000");
    play_delete(p, kind_seinodedeployment, FLEET);
    play_run(p, 100);
}

#define FOUNDERS                                                                                   \
    "{spec: {replicas: 4, genesis: {chainId: 'founders-1', maxCeremonyDuration: '2m'}, template:"  \
    " {spec: {chainId: 'founders-1', fullNode: null, validator: {}, sidecar: {image:"              \
    " 'ghcr.io/example/seictl:v0.0.68'}}}}}"

static void fleet_ceremony(Play *p)
{
    play_order(p, "task-takes sei/rpc-0-0 assemble-and-upload-genesis 600000");
    play_create_fleet(p, FLEET, FOUNDERS);
    then_true(play_until(p, is_founding, FLEET));
    play_run(p, 30 * SECOND_MS);
}

static void fleet_founded(Play *p)
{
    play_create_fleet(p, FLEET, FOUNDERS);
    then_str(play_settle(p), NULL);
}

static void fleet_ceremony_failed(Play *p)
{
    play_order(p, "fail-task sei/rpc-0-0 assemble-and-upload-genesis 100 the bucket is away");
    play_create_fleet(p, FLEET, FOUNDERS);
    then_true(play_until(p, is_fleet_stalled, FLEET));
}

static void fleet_invalid_spec(Play *p)
{
    play_create_fleet(p,
        FLEET,
        "{spec: {replicas: 4, genesis: {chainId: 'founders-1', accounts: [{address:"
        " 'sei1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5jwagqb', balance: '5usei'}]}, template: {spec:"
        " {chainId: 'founders-1', fullNode: null, validator: {}}}}}");
    then_true(play_until(p, is_fleet_stalled, FLEET));
}

static void fleet_unknown_plan(Play *p)
{
    fleet_at_rest(p);
    given_nobody_works(p);
    play_patch_status(p,
        kind_seinodedeployment,
        FLEET,
        "{status: {plan: {id: 'b8c5e6d0-0000-4000-8000-000000000001', kind: 'dance', phase:"
        " 'Active', tasks: [{type: 'pirouette', id: 'b8c5e6d0-0000-4000-8000-000000000002',"
        " status: 'Pending'}]}}}");
    replica_start(play_replica(p, 0));
    then_true(play_until(p, is_fleet_stalled, FLEET));
}

static void fleet_foreign_object(Play *p)
{
    play_create_node(p, "rpc-1", IMAGE("v1"));
    then_str(play_settle(p), NULL);
    play_create_fleet(p, FLEET, "{}");
    then_true(play_until(p, is_fleet_stalled, FLEET));
    play_run(p, 2 * MINUTE_MS);
}

static void fleet_revision_lost(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("partition: 1"));
    const char *before =
        name_fleet_revision(play_arena(p), FLEET, play_fleet(p, FLEET)->status.nodes[0].revision);
    play_edit_fleet(p, FLEET, PLAY_TO("v2"));
    play_run(p, 5 * MINUTE_MS);
    play_delete(p, kind_controllerrevision, before);
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_lost, FLEET));
}

static void fleet_identity(Play *p)
{
    fleet_at_rest(p);
    play_edit_fleet(p, FLEET, "{spec: {replicas: 4, template: {spec: {chainId: 'atlantic-2'}}}}");
    play_run(p, MINUTE_MS);
}

static void fleet_nodes_stalled(Play *p)
{
    fleet_at_rest(p);
    play_edit_fleet(p,
        FLEET,
        "{spec: {template: {spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1,"
        " publish: {}}}}}}}}");
    play_run(p, MINUTE_MS);
}

/* --- the table */

static const struct {
    const char *name;
    void (*play)(Play *p);
} scenes[] = {
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
    {"node-of-fleet", fleet_platform},
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
    {"node-stalled-plan-failed", plan_failed},
    {"fleet-initializing", fleet_initializing},
    {"fleet-at-rest", fleet_at_rest},
    {"fleet-rolling", fleet_rolling},
    {"fleet-stuck", fleet_stuck},
    {"fleet-held", fleet_held},
    {"fleet-partition", fleet_partition},
    {"fleet-paused", fleet_paused},
    {"fleet-node-paused", fleet_node_paused},
    {"fleet-halted", fleet_halted},
    {"fleet-platform-drift", fleet_platform},
    {"fleet-adopted-drift", fleet_adopted},
    {"fleet-large", fleet_large},
    {"fleet-deleting", fleet_deleting},
    {"fleet-ceremony", fleet_ceremony},
    {"fleet-founded", fleet_founded},
    {"fleet-rolling-back", fleet_rolling_back},
    {"fleet-rolled-back", fleet_rolled_back},
    {"fleet-stalled-invalid-spec", fleet_invalid_spec},
    {"fleet-stalled-unknown-plan", fleet_unknown_plan},
    {"fleet-stalled-foreign-object", fleet_foreign_object},
    {"fleet-stalled-progress-deadline-exceeded", fleet_deadline},
    {"fleet-stalled-revision-lost", fleet_revision_lost},
    {"fleet-stalled-ceremony-failed", fleet_ceremony_failed},
    {"fleet-stalled-nodes-stalled", fleet_nodes_stalled},
    {"fleet-stalled-identity-changed", fleet_identity},
};

/* --- what is kept: all that a view may look at, and no managedFields */

#define META                                                                                       \
    ".apiVersion", ".kind", ".metadata.name", ".metadata.namespace", ".metadata.uid",              \
        ".metadata.generation", ".metadata.creationTimestamp", ".metadata.deletionTimestamp",      \
        ".metadata.labels", ".metadata.annotations", ".metadata.ownerReferences",                  \
        ".metadata.finalizers"

static const char *const kept_whole[] = {META, ".spec", ".status", NULL};
static const char *const kept_set[] = {META, ".spec.replicas", ".status", NULL};
static const char *const kept_pod[] = {
    META, ".spec.nodeName", ".spec.containers[].name", ".spec.containers[].image", ".status", NULL};
static const char *const kept_revision[] = {META, ".revision", NULL};

static const struct {
    const char *member;
    const char *const *paths;
    bool is_list;
} prunings[] = {
    {"object", kept_whole, false},
    {"statefulSet", kept_set, false},
    {"claim", kept_whole, false},
    {"volume", kept_whole, false},
    {"pods", kept_pod, true},
    {"children", kept_whole, true},
    {"revisions", kept_revision, true},
};

static DraftField pruned(Arena *a, const Json *member)
{
    const char *key = json_key(member);
    const Json *element;

    for (size_t i = 0; i < array_count(prunings); i++) {
        if (!str_eq(prunings[i].member, key))
            continue;
        if (!prunings[i].is_list)
            return draft_json(key, json_project(a, member, prunings[i].paths));
        Draft *list = draft_array(a);
        json_each(element, member)
            draft_push_json(list, json_project(a, element, prunings[i].paths));
        return sub(key, list);
    }
    return draft_json(key, member);
}

/* The world's Api, which reaches seids as a real server does. */
typedef struct Person {
    Api port;
    Play *play;
    Api *world;
} Person;

static Err *person_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    const Person *person = link_owner(Person, port, self);
    char namespace[64], id[128], path[64];
    Answer answer = {0};

    if (request->verb != VERB_RAW_GET
        || sscanf(request->raw_path,
               "/api/v1/namespaces/%63[^/]/pods/%127[^/]/proxy%63s",
               namespace,
               id,
               path)
            != 3)
        return api_call(person->world, a, request, ret);
    kubelet_proxy(play_kubelet(person->play),
        a,
        &(KubeletProxyQuery){namespace, id, path, world_now_ms(sim_world(play_sim(person->play)))},
        &answer);
    *ret = answer.body;
    return status_err(a, request, &answer);
}

static void take(Play *p, const char *scene)
{
    Arena *a = play_arena(p);
    bool is_fleet = str_has_prefix(scene, "fleet");
    ManualClock clock;
    int64_t now_ms = world_now_ms(sim_world(play_sim(p)));
    clock_manual_init(&clock, now_ms * NS_PER_MS, (NEW_YEAR_2026_MS + now_ms) * NS_PER_MS);
    Person person = {
        .port = {person_call},
        .play = p,
        .world = world_api(sim_world(play_sim(p)), "person"),
    };
    SightPort port = {
        .arena = a,
        .api = &person.port,
        .clock = &clock.port,
        .deadline_ms = now_ms + SIGHT_PATIENCE_MS,
        .namespace = PLAY_NAMESPACE,
        .asks_seid = true,
    };
    const Kind *kind = is_fleet ? kind_seinodedeployment : kind_seinode;
    const Json *object = play_find(p, kind, is_fleet ? FLEET : NODE), *member;
    then_true(object != NULL);

    const Json *sight = sight_take(&port, object);
    Draft *kept = draft_object(a);
    json_each(member, sight)
        draft_set(kept, pruned(a, member));
    then_true(setenv("SEI_GOLDEN", "write", 1) == 0);
    then_true(golden_rewrite(a,
        str_format(a, "cli/%s.objects.json", scene),
        str_format(a, "%s\n", json_pretty(a, json_seal(a, kept)).data)));
}

TEST(every_scene_is_taken)
{
    const char *wanted = getenv("SEI_SCENE");

    for (size_t i = 0; i < array_count(scenes); i++) {
        if (wanted && !str_eq(scenes[i].name, wanted))
            continue;
        test_program.running = scenes[i].name;
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 100 + i}});
        scenes[i].play(p);
        take(p, scenes[i].name);
    }
}
