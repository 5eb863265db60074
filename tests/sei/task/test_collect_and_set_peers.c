/* collect-and-set-peers: all founders are asked for their ids, and all get the same peers. */
#include "tests/sei/definitions.h"
#include "tests/sei/pods.h"

#define ID    "0123456789abcdef0123456789abcdef01234567"
#define PEERS "[{static: {addresses: ['" ID "@rpc-0-0.rpc-0.sei.svc.cluster.local:26656']}}]"

static bool knows_its_id;

static void say_name(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarName *ret)
{
    (void)self, (void)a, (void)target;
    *ret = (SidecarName){0};
    if (knows_its_id)
        memcpy(ret->node_id, ID, sizeof ID);
}

/* One founder, with its pod, as the server stores it. */
static void given_founder(TaskWorld *w, TaskFleet *fleet, const char *patch)
{
    given_definition(w, crd_seinode);
    const Json *node = given(w,
        kind_seinode,
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', metadata: {name: 'rpc-0',"
        " namespace: 'sei'}, spec: {chainId: 'c', image: 'i', validator: {}}}",
        patch);
    SeiNode *founder = arena_new(w->arena, SeiNode);

    then_ok(node_decode(w->arena, node, founder));
    w->node.object = json_merge(w->arena,
        w->node.object,
        json_seal(w->arena, draft(w->arena, obj("metadata", str("uid", founder->uid)))));
    w->node.uid = founder->uid;
    world_render(w, REPLICAS_ONE);
    given_statefulset(w);
    given_pod(w, new_pod(w));
    *fleet = (TaskFleet){.nodes = {founder}, .count = 1};
    w->run.fleet = fleet;
    w->sidecar.port.name = say_name;
    knows_its_id = true;
}

TEST(the_collected_peers_are_written_to_each_seinode_once)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founder(w, &fleet, NULL);
    then_ok(when_task_runs(w, TASK_COLLECT_AND_SET_PEERS));
    then_str(w->said, "create serviceaccounts/token sei-operator-sidecar, merge seinodes rpc-0");
    then_json(json_find(stored(w, kind_seinode, "rpc-0"), ".spec.peers"), PEERS);
}

TEST(peers_that_are_already_correct_are_not_written)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founder(w, &fleet, "{spec: {peers: " PEERS "}}");
    then_ok(when_task_runs(w, TASK_COLLECT_AND_SET_PEERS));
    then_str(w->said, "create serviceaccounts/token sei-operator-sidecar");
}

TEST(no_peers_are_written_before_every_node_id_is_known)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founder(w, &fleet, NULL);
    knows_its_id = false;
    then_err(when_task_runs(w, TASK_COLLECT_AND_SET_PEERS),
        WAIT("the sidecar of SeiNode rpc-0 has not said its node id yet"));
    then_true(w->run.look_again_ms > 0);
    then_true(!json_find(stored(w, kind_seinode, "rpc-0"), ".spec.peers"));
}

/* Somebody else has changed the node: what was seen is no longer so. */
TEST(a_seinode_that_changed_after_it_was_read_is_retried_and_not_overwritten)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founder(w, &fleet, NULL);
    changed(w, kind_seinode, "rpc-0", NULL, "{metadata: {labels: {a: 'b'}}}");
    then_err(when_task_runs(w, TASK_COLLECT_AND_SET_PEERS), RETRY(""));
    then_true(!json_find(stored(w, kind_seinode, "rpc-0"), ".spec.peers"));
}
