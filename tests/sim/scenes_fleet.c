/* The scenes of a fleet. */
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/reference_fleet.h"
#include "tests/sim/scenes.h"
#include "tests/test.h"

#define FLEET         SCENE_FLEET
#define STRATEGY(all) "{spec: {updateStrategy: {type: 'InPlace', " all "}}}"

/* --- moments */

static bool is_fleet_stalled(Play *p, const char *name)
{
    return str_eq(play_fleet_condition(p, name, COND_STALLED), "True");
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
    scene_halt_chain(p);
}

static void fleet_platform(Play *p)
{
    play_given_fleet(p, FLEET, STRATEGY("hold: true"));
    play_upgrade(p, "8");
    play_run(p, 3 * MINUTE_MS);
}

static void fleet_adopted(Play *p)
{
    scene_stop_operator(p);
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
    play_patch(p, kind_seinode, "rpc-1", HELD_BACK);
    play_delete(p, kind_seinodedeployment, FLEET);
    play_run(p, MINUTE_MS);
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
    scene_stop_operator(p);
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

const Scene fleet_scenes[] = {
    {"node-of-fleet", fleet_platform},
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
    {0},
};
