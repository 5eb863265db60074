/* Fleets on a real control plane, by the operator as it is deployed. That an update never takes
 * more down than its budget, deletes every pod once and touches no volume is read from the audit
 * log of the API server: see fleets.h. */
#include "kube/meta.h"
#include "tests/e2e/fleets.h"

#define NAME "rpc"

enum { THREE = FLEETS_GIVEN };

/* --- birth, scale, rest */

/* O-32: what the reference's own guide waits for. */
static void wait_until_ready(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *fleet = "snd/" NAME;

    kubectl(n->cp, a, "wait", "--for=condition=Ready", "--timeout=60s", "-n", n->namespace, fleet);
}

/* Its finalizer was taken off, and with that it was gone. */
static bool is_gone_before(const AuditLog *log, size_t at, const char *node)
{
    for (size_t i = 0; i < at; i++) {
        const Json *left = json_find(log->lines[i].event, ".responseObject");
        if (str_eq(log->lines[i].resource, "seinodes") && str_eq(log->lines[i].name, node)
            && str_eq(log->lines[i].verb, "patch") && meta_deleting(left)
            && !json_count(json_find(left, ".metadata.finalizers")))
            return true;
    }
    return false;
}

/* O-17: the nodes that the operator deleted, in this order, each only when the last was gone. */
static void then_removed(const Nodes *n, int64_t mark, const char *const *names)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    const char *last = NULL;

    for (size_t i = 0; i < log.count; i++) {
        const AuditLine *line = &log.lines[i];
        if (!str_eq(line->user, NODES_OPERATOR) || !str_eq(line->verb, "delete")
            || !str_eq(line->resource, "seinodes"))
            continue;
        then_str(line->name, *names);
        then_true(!last || is_gone_before(&log, i, last));
        last = line->name;
        names += *names != NULL;
    }
    then_str(*names, NULL);
}

TEST(a_fleet_is_created_and_scaled_and_then_left_alone)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "scale");

    fleets_create(&n, NAME, THREE, "{}");
    wait_until_ready(&n);
    eventually(fleets_settled(&n, NAME));

    int64_t mark = scene_mark(n.cp);
    fleets_scale(&n, NAME, 4);
    then_int(fleets_story(&n, NAME, THREE, mark).down_max, 0); /* O-25: the others go on */
    then_true(nodes_say(
        &n, FLEETS_PLURAL, NAME, ".status.selector", "sei.io/nodedeployment=" NAME)); /* O-31 */

    mark = scene_mark(n.cp);
    fleets_scale(&n, NAME, 2);
    eventually(!nodes_have(&n, "persistentvolumeclaims", fleets_claim(&n, NAME, 2)));
    then_removed(&n, mark, (const char *const[]){NAME "-3", NAME "-2", NULL});
    then_int(fleets_story(&n, NAME, 2, mark).down_max, 0);

    mark = scene_mark(n.cp);
    eventually(nodes_requests(&n, mark, "update", "leases") >= 2);
    then_int(nodes_requests(&n, mark, NULL, NULL), 0);
    nodes_close(&n);
}

/* --- rollouts */

TEST(a_rollout_can_be_held_and_tried_on_a_canary_first)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "canary", "{\"updateStrategy\": {\"hold\": true}}");
    int64_t mark = scene_mark(n.cp);

    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_condition(&n, NAME, "Ready", "False", "Held"));
    fleets_then_nothing_stopped(&n, NAME, mark); /* O-12 */

    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"hold\": false, \"partition\": 2}"));
    eventually(fleets_condition(&n, NAME, "Ready", "True", NULL));
    then_int(fleets_story(&n, NAME, THREE, mark).all_deleted, 1);
    then_int(fleets_story(&n, NAME, THREE, mark).deleted[2], 1);
    then_int(fleets_number(&n, NAME, ".status.updatedReplicas"), 1);

    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"partition\": 0}"));
    eventually(fleets_settled(&n, NAME));
    fleets_then_rolled(&n, NAME, mark);
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    nodes_close(&n);
}

/* --- trouble in the middle of a rollout */

/* O-44, and O-7: a node that is deleted meanwhile comes back. */
TEST(a_killed_operator_continues_a_rollout_and_a_deleted_child_is_created_again)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "killed", "{}");
    int64_t mark = scene_mark(n.cp);

    nodes_order(&n, "freeze", NAME "-2", "");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_story(&n, NAME, THREE, mark).all_deleted == 1);
    operator_kill(&n.op);
    nodes_order(&n, "thaw", NAME "-2", "");
    nodes_start_operator(&n, NULL);
    eventually(fleets_settled(&n, NAME));
    fleets_then_rolled(&n, NAME, mark);

    const char *claims[] = {nodes_uid(&n, "persistentvolumeclaims", "data-" NAME "-1"),
        nodes_uid(&n, "persistentvolumeclaims", "data-" NAME "-2")};
    mark = scene_mark(n.cp);
    nodes_order(&n, "freeze", NAME "-2", "");
    fleets_change(&n, NAME, FLEETS_IMAGE("v3"));
    eventually(nodes_say(&n, "seinodes", NAME "-2", ".spec.image", "ghcr.io/example/seid:v3"));
    const char *uid = nodes_uid(&n, "seinodes", NAME "-0");
    nodes_delete(&n, "seinodes", NAME "-0", "background");
    eventually(nodes_is_new(&n, "seinodes", NAME "-0", uid));
    nodes_order(&n, "thaw", NAME "-2", "");
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v3"), THREE);
    FleetStory story = fleets_story(&n, NAME, THREE, mark);
    then_int(story.deleted[0], 0); /* the new one is on v3 from the beginning */
    then_int(story.deleted[1], 1);
    then_int(story.deleted[2], 1);
    then_int(story.taken_max, 1);
    then_str(nodes_uid(&n, "persistentvolumeclaims", "data-" NAME "-1"), claims[0]);
    then_str(nodes_uid(&n, "persistentvolumeclaims", "data-" NAME "-2"), claims[1]);
    nodes_close(&n);
}
