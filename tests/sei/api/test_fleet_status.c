/* Statuses of fleets: whatever is stored is read and, when nothing changed, written as it was. So
 * every fixture here is one more case of the same property. */
#include "sei/api/fleet_status.h"

#include "tests/test.h"

enum { ARENA_MAX = 4 << 20 };

#define COND(type, status)                                                                         \
    "{type: '" type "', status: '" status "', observedGeneration: 4, reason: 'R', message: 'm',"   \
    " lastTransitionTime: '2026-01-02T03:04:05Z'}"

#define ROLLOUT_PLAN                                                                               \
    "{id: '00000000-0000-4000-8000-000000000001', phase: 'Active', tasks: ["                       \
    " {type: 'update-node-specs', id: '5c6d2776-e418-57c7-adb7-61994e3c9f3d', status: 'Pending',"  \
    "  params: {groupName: 'rpc', namespace: 'sei', nodeNames: ['rpc-0', 'rpc-1']}},"              \
    " {type: 'await-spec-update', id: '928d7451-ef1f-533a-a454-242c59d781fd', status: 'Pending',"  \
    "  params: {namespace: 'sei', nodeNames: ['rpc-0', 'rpc-1']}}]}"

#define NETWORK                                                                                    \
    "internalService: {name: 'rpc-internal', namespace: 'sei',"                                    \
    "  ports: {rpc: 26657, evmHttp: 8545, rest: 1317}},"                                           \
    " perPodServices: [{name: 'rpc-0', namespace: 'sei', ports: {evmHttp: 8545, evmWs: 8546}}],"   \
    " endpoints: {tendermintRpc: 'http://rpc-internal.sei.svc:26657', nodes: [{name: 'rpc-0'}]},"  \
    " networkingStatus: {routes: [{hostname: 'h', protocol: 'evm'}],"                              \
    "  p2pEndpoints: [{ordinal: 0, seiNodeName: 'rpc-0', hostname: 'h:1'}]}"

static const struct {
    const char *name, *status;
} stored[] = {
    {"a fleet that was not reconciled yet", "{observedGeneration: -1}"},
    {"an empty status", "{}"},
    {"the Go operator: at rest",
        "{observedGeneration: 1, templateHash: '9c13d843e3cbbdb0', phase: 'Ready', replicas: 2,"
        " readyReplicas: 2, nodes: [{name: 'rpc-1', phase: 'Running'},"
        "  {name: 'rpc-0', phase: 'Running'}], incumbentNodes: ['rpc-1', 'rpc-0'], " NETWORK ","
        " conditions: [" COND("PlanInProgress", "False") ", " COND("NodesReady", "True") "]}"},
    {"the Go operator: rolling",
        "{observedGeneration: 1, templateHash: '9c13d843e3cbbdb0', phase: 'Upgrading',"
        " rollout: {targetHash: '753bf0c944503efa', startedAt: '2026-01-02T03:04:05Z'},"
        " plan: " ROLLOUT_PLAN ", replicas: 2, readyReplicas: 0, incumbentNodes: [], nodes: []}"},
    {"the Go operator: in a genesis ceremony",
        "{phase: 'Initializing', plan: {id: 'p', phase: 'Active', tasks: ["
        " {type: 'assemble-and-upload-genesis', id: 'a', status: 'Pending', maxRetries: 180,"
        "  params: {AccountBalance: '1', Namespace: 's', Nodes: [{name: 'v-0'}], Accounts: [],"
        "   Overrides: null}},"
        " {type: 'collect-and-set-peers', id: 'b', status: 'Pending',"
        "  params: {groupName: 'v', namespace: 's', nodeNames: ['v-0']}},"
        " {type: 'await-nodes-running', id: 'c', status: 'Pending',"
        "  params: {groupName: 'v', namespace: 's', expected: 1, nodeNames: ['v-0']}}]}}"},
    {"ours: everything there is",
        "{observedGeneration: 7, phase: 'Upgrading', replicas: 3, readyReplicas: 3,"
        " availableReplicas: 2, unavailableReplicas: 1, updatedReplicas: 0, selector: 'a=b',"
        " templateHash: 'h', completeRevision: 'c', resumingSince: '2026-01-02T03:04:05Z',"
        " rollout: {targetHash: 't', startedAt: '2026-01-02T03:04:05Z', failedHash: 'f', nodes: ["
        "   {name: 'rpc-0', state: 'Pending', message: 'waits'},"
        "   {name: 'rpc-1', state: 'Updating', updatedAt: '2026-01-02T03:04:05Z'},"
        "   {name: 'rpc-2', state: 'Updated'}, {name: 'rpc-3', state: 'Skipped'},"
        "   {name: 'rpc-4'}]},"
        " nodes: [{name: 'rpc-0', phase: 'Running', revision: 'c', adopted: 'd'}, {name: 'rpc-1'}],"
        " incumbentNodes: ['rpc-0'], plan: {id: 'p', kind: 'rollout', cause: 'spec',"
        "  startedAt: '2026-01-02T03:04:05Z', generation: 7, targetHash: 't', waiting: 'w',"
        "  phase: 'Active', tasks: []},"
        " history: [{id: 'o', kind: 'rollout', cause: 'spec', result: 'Superseded',"
        "  startedAt: '2026-01-02T03:04:05Z', finishedAt: '2026-01-02T03:04:05Z', message: ''}],"
        " genesisHash: 'g', genesisS3URI: 's3://b/k',"
        " founderVolumes: {'v-0': 'u'}, " NETWORK ","
        " conditions: [" COND("Ready", "Unknown") "]}"},
    {"ours: a rollout without nodes", "{rollout: {targetHash: 't', startedAt: 's', nodes: []}}"},
    {"counts of zero",
        "{replicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0,"
        " updatedReplicas: 0}"},
    {"a member of a later version", "{phase: 'Ready', weather: {wind: 3}}"},
};

static const Json *object_of(Arena *a, const char *status)
{
    return json_seal(a, draft(a, draft_json("status", json_fixture(a, status))));
}

TEST(an_unchanged_fleet_status_is_encoded_as_it_was_stored)
{
    each_case(i, stored) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        FleetStatus *status = arena_new(a, FleetStatus);
        then_ok(fleet_status_decode(a, object_of(a, stored[i].status), status));
        then_json(fleet_status_encode(a, status), stored[i].status);
    }
}

TEST(every_field_of_a_fleet_status_is_decoded)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    FleetStatus *status = arena_new(a, FleetStatus);

    then_ok(fleet_status_decode(a, object_of(a, stored[5].status), status));
    then_int(status->phase, FLEET_UPGRADING);
    then_int(status->counts.available, 2);
    then_int(status->counts.updated, 0);
    then_str(status->complete_revision, "c");
    then_str(status->rollout.failed_hash, "f");
    then_int(status->rollout.node_count, 5);
    then_int(status->rollout.nodes[1].state, ROLLOUT_UPDATING);
    then_true(!status->rollout.nodes[4].has_state);
    then_str(status->nodes[0].revision, "c");
    then_int(status->plan.kind, PLAN_ROLLOUT);
    then_int(status->history.count, 1);
    then_str(status->genesis_uri, "s3://b/k");
}

TEST(the_kind_of_a_fleet_plan_of_the_go_operator_follows_from_its_tasks)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    FleetStatus *status = arena_new(a, FleetStatus);

    then_ok(fleet_status_decode(a, object_of(a, stored[3].status), status));
    then_int(status->plan.kind, PLAN_ROLLOUT);
    then_true(status->plan.kind_is_told);
    then_true(!plan_has_task_unknown_to_fleets(&status->plan));
    then_true(plan_has_unknown_task(&status->plan)); /* in the status of a node */
    then_ok(fleet_status_decode(a, object_of(a, stored[4].status), status));
    then_int(status->plan.kind, PLAN_GENESIS);
}

static const struct {
    const char *name, *status;
    Want want;
} unreadable[] = {
    {"a phase of later", "{phase: 'Dancing'}", TERMINAL(".status.phase: expected a phase of a")},
    {"a phase that is no text", "{phase: 3}", TERMINAL("found no string")},
    {"a count that is no number", "{replicas: 'x'}", TERMINAL(".status.replicas")},
    {"a rollout without target",
        "{rollout: {startedAt: 's'}}",
        TERMINAL(".status.rollout.targetHash is missing")},
    {"a node of a rollout without name",
        "{rollout: {targetHash: 't', nodes: [{name: 'a'}, {}]}}",
        TERMINAL(".status.rollout.nodes[1].name is missing")},
    {"a node of a rollout in another state",
        "{rollout: {targetHash: 't', nodes: [{name: 'a', state: 'Lost'}]}}",
        TERMINAL(".status.rollout.nodes[0].state: expected a state of a rollout, found Lost")},
    {"nodes that are no list", "{nodes: {}}", TERMINAL(".status.nodes: expected an array")},
    {"a node without name", "{nodes: [{}]}", TERMINAL(".status.nodes[0].name is missing")},
    {"a plan without phase", "{plan: {tasks: []}}", TERMINAL(".status.plan.phase is missing")},
    {"conditions that are no list",
        "{conditions: 3}",
        TERMINAL(".status.conditions: expected an array")},
    {"an entry of history without id",
        "{history: [{result: 'Complete'}]}",
        TERMINAL(".status.history[0].id is missing")},
};

TEST(a_fleet_status_field_that_cannot_be_decoded_is_reported_and_kept)
{
    each_case(i, unreadable) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        FleetStatus *status = arena_new(a, FleetStatus);
        const Json *object = json_merge(
            a, object_of(a, unreadable[i].status), json_fixture(a, "{status: {selector: 's'}}"));
        then_err(fleet_status_decode(a, object, status), unreadable[i].want);
        then_str(status->selector, "s");
        then_true(json_equal(fleet_status_encode(a, status), json_find(object, ".status")));
    }
}

TEST(a_fleet_status_list_with_too_many_entries_is_reported_and_kept)
{
    for (int in_rollout = 0; in_rollout < 2; in_rollout++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        FleetStatus *status = arena_new(a, FleetStatus);
        const char *nodes = "{name: 'x'}";
        for (int n = 0; n < FLEET_REPLICAS_MAX; n++)
            nodes = str_format(a, "%s, {name: 'n-%d'}", nodes, n);
        const Json *object = object_of(a,
            in_rollout ? str_format(a, "{rollout: {targetHash: 't', nodes: [%s]}}", nodes)
                       : str_format(a, "{nodes: [%s]}", nodes));
        then_err(fleet_status_decode(a, object, status), TERMINAL("more than the 100 nodes"));
        then_true(json_equal(fleet_status_encode(a, status), json_find(object, ".status")));
    }
}

TEST(a_new_value_replaces_a_fleet_status_field_that_could_not_be_decoded)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    FleetStatus *status = arena_new(a, FleetStatus);

    then_err(fleet_status_decode(a, object_of(a, "{phase: 'Dancing'}"), status), TERMINAL("phase"));
    status->phase = FLEET_READY;
    then_json(fleet_status_encode(a, status), "{phase: 'Ready'}");
}

TEST(every_fleet_phase_and_rollout_state_has_its_text)
{
    for (int phase = FLEET_PENDING; phase < FLEET_PHASE_COUNT; phase++)
        then_int(fleet_phase_parse(fleet_phase_text((FleetPhase)phase)), phase);
    then_str(fleet_phase_text(FLEET_NONE), "");
    then_int(fleet_phase_parse(NULL), FLEET_NONE);
    then_str(rollout_state_text(ROLLOUT_SKIPPED), "Skipped");
    then_bug("a phase of a fleet", fleet_phase_text(FLEET_PHASE_COUNT));
    then_bug("a state of a rollout", rollout_state_text(ROLLOUT_STATE_COUNT));
}
