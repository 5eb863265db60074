/* The rest of a fleet's life on a real control plane: what an edit does and does not stop, trouble,
 * the end, and strangers. See fleets.h. The last test compares what was asked for with deploy/rbac,
 * so it needs the others of this program before it. */
#include "kube/meta.h"
#include "tests/e2e/fleets.h"
#include "tests/e2e/rights.h"

#define NAME "rpc"

enum { THREE = FLEETS_GIVEN };

/* --- edits */

static const struct {
    const char *name, *change;
} edits[] = {
    {"the image", FLEETS_IMAGE("v2")},
    {"the port of the sidecar", FLEETS_TEMPLATE("{\"sidecar\": {\"port\": 7778}}")},
    {"the image of the sidecar alone (O-9)",
        FLEETS_TEMPLATE("{\"sidecar\": {\"image\": \"ghcr.io/example/seictl:v9\"}}")},
    {"a restart that is asked for",
        "{\"template\": {\"metadata\": {\"annotations\":"
        " {\"kubectl.kubernetes.io/restartedAt\": \"2026-01-02T03:04:05Z\"}}}}"},
};

TEST(every_template_edit_that_changes_pods_replaces_them_one_by_one)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "edits", "{}");

    each_case(i, edits) {
        int64_t mark = scene_mark(n.cp);
        fleets_change(&n, NAME, edits[i].change);
        eventually(fleets_settled(&n, NAME));
        fleets_then_rolled(&n, NAME, mark);
    }
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    nodes_close(&n);
}

static bool label_is(const Nodes *n, const char *plural, const char *name, const char *path)
{
    return nodes_say(n, plural, name, path, "blue");
}

/* O-24: what others put onto a node stays. */
TEST(a_template_edit_that_changes_no_pod_reaches_all_nodes_and_stops_none)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "metadata", "{}");

    nodes_patch(&n,
        "seinodes",
        NAME "-1",
        "{\"metadata\": {\"labels\": {\"theirs\": \"kept\"},"
        " \"annotations\": {\"argocd.argoproj.io/tracking-id\": \"x\"}}}");
    int64_t mark = scene_mark(n.cp);
    fleets_change(&n,
        NAME,
        "{\"template\": {\"metadata\": {\"labels\": {\"team\": \"blue\"}},"
        " \"spec\": {\"overrides\": {\"network.p2p.max_connections\": \"7\"}}}}");
    for (int i = 0; i < THREE; i++) {
        eventually(label_is(&n, "seinodes", fleets_node(&n, NAME, i), ".metadata.labels.team"));
        eventually(label_is(&n, "pods", fleets_pod(&n, NAME, i), ".metadata.labels.team"));
    }
    then_true(nodes_say(&n, "seinodes", NAME "-1", ".metadata.labels.theirs", "kept"));
    const Json *node = nodes_find(&n, a, "seinodes", NAME "-1");
    then_str(meta_annotation(node, "argocd.argoproj.io/tracking-id"), "x");
    then_str(json_str(node, ".spec.overrides['network.p2p.max_connections']"), "7");
    fleets_then_nothing_stopped(&n, NAME, mark);
    nodes_close(&n);
}

/* --- trouble */

static bool node_waits_for(const Nodes *n, const char *name, const char *phrase)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *waiting = json_str(nodes_find(n, a, "seinodes", name), ".status.plan.waiting");

    return waiting && strstr(waiting, phrase);
}

/* O-3, O-5. */
TEST(a_bad_image_stops_at_the_budget_and_can_be_reverted)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "bad", "{}");
    int64_t mark = scene_mark(n.cp);

    nodes_order_line(&n, "bad-image ghcr.io/example/seid:bad");
    fleets_change(&n, NAME, FLEETS_IMAGE("bad"));
    eventually(node_waits_for(&n, NAME "-2", "pull"));
    eventually(fleets_condition(&n, NAME, "Ready", "False", NULL)
        && fleets_number(&n, NAME, ".status.availableReplicas") == 2);
    then_int(fleets_story(&n, NAME, THREE, mark).all_deleted, 1);

    fleets_change(&n, NAME, FLEETS_IMAGE("v1"));
    eventually(fleets_settled(&n, NAME));
    FleetStory story = fleets_story(&n, NAME, THREE, mark);
    then_int(story.deleted[2], 2);
    then_int(story.all_deleted, 2);
    then_int(story.down_max, 1);
    then_int(story.claims, 0);
    then_int(fleets_on(&n, NAME, THREE, "v1"), THREE);
    nodes_close(&n);
}

static bool no_pod_is_left(const Nodes *n)
{
    for (int i = 0; i < THREE; i++)
        if (nodes_have(n, "pods", fleets_pod(n, NAME, i)))
            return false;
    return true;
}

TEST(a_paused_fleet_stops_its_pods_and_rolls_out_edits_when_it_resumes)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "paused", "{}");
    const char *claims = fleets_claims(&n, NAME, THREE);
    int64_t mark = scene_mark(n.cp);

    nodes_order(&n, "freeze", NAME "-2", "");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_story(&n, NAME, THREE, mark).all_deleted == 1);
    fleets_change(&n, NAME, "{\"paused\": true}");
    nodes_order(&n, "thaw", NAME "-2", "");
    eventually(no_pod_is_left(&n));
    eventually(fleets_condition(&n, NAME, "Ready", "False", "Paused"));
    fleets_change(&n, NAME, FLEETS_IMAGE("v3"));
    eventually(fleets_condition(&n, NAME, "Ready", "False", "Paused"));
    fleets_change(&n, NAME, "{\"paused\": null}");
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v3"), THREE);
    FleetStory story = fleets_story(&n, NAME, THREE, mark);
    then_true(story.deleted[0] <= 1 && story.deleted[1] <= 1 && story.deleted[2] <= 2);
    then_int(story.deleted_again, 0);
    then_int(story.taken_max, 1); /* the pause is no doing of the rollout */
    then_int(story.claims, 0);
    then_str(fleets_claims(&n, NAME, THREE), claims);
    nodes_close(&n);
}

/* --- the end, and a new beginning */

/* O-17, O-23. */
TEST(a_fleet_with_policy_retain_keeps_its_volumes_and_a_new_fleet_reuses_them)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "retain", "{\"deletionPolicy\": \"Retain\"}");
    const char *claims[THREE];

    for (int i = 0; i < THREE; i++)
        claims[i] = nodes_uid(&n, "persistentvolumeclaims", fleets_claim(&n, NAME, i));

    /* As kubectl does: the nodes stay, and are taken without a stop. */
    int64_t mark = scene_mark(n.cp);
    nodes_delete(&n, FLEETS_PLURAL, NAME, "background");
    eventually(!nodes_have(&n, FLEETS_PLURAL, NAME));
    fleets_create(&n, NAME, THREE, "{\"deletionPolicy\": \"Retain\"}");
    eventually(fleets_settled(&n, NAME));
    fleets_then_nothing_stopped(&n, NAME, mark);

    /* Scaled down and up again. */
    fleets_scale(&n, NAME, 2);
    then_str(nodes_uid(&n, "persistentvolumeclaims", fleets_claim(&n, NAME, 2)), claims[2]);
    fleets_scale(&n, NAME, 3);

    /* As Argo CD does: the garbage collector takes the nodes along. */
    nodes_delete(&n, FLEETS_PLURAL, NAME, "foreground");
    eventually(!nodes_have(&n, FLEETS_PLURAL, NAME));
    fleets_create(&n, NAME, THREE, "{\"deletionPolicy\": \"Retain\"}");
    eventually(fleets_settled(&n, NAME));
    for (int i = 0; i < THREE; i++)
        then_str(nodes_uid(&n, "persistentvolumeclaims", fleets_claim(&n, NAME, i)), claims[i]);
    nodes_close(&n);
}

/* O-34: the fleet goes last. */
TEST(a_deleted_fleet_deletes_everything_that_it_owns)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "end", "{}");

    nodes_delete(&n, FLEETS_PLURAL, NAME, "background");
    eventually(!nodes_have(&n, FLEETS_PLURAL, NAME));
    for (int i = 0; i < THREE; i++) {
        then_true(!nodes_have(&n, "seinodes", fleets_node(&n, NAME, i)));
        eventually(!nodes_have(&n, "persistentvolumeclaims", fleets_claim(&n, NAME, i)));
    }
    nodes_close(&n);
}

/* --- what is not the fleet's */

/* O-23. */
TEST(a_foreign_node_with_the_name_of_a_child_is_reported_and_never_edited)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "foreign");

    nodes_create(&n, NAME "-1", "{}");
    eventually(nodes_settled(&n, NAME "-1"));
    fleets_create(&n, NAME, THREE, FLEETS_IMAGE("v2"));
    eventually(fleets_condition(&n, NAME, "Stalled", "True", "ForeignObject"));
    eventually(nodes_settled(&n, NAME "-0") && nodes_settled(&n, NAME "-2"));
    const Json *node = nodes_find(&n, a, "seinodes", NAME "-1");
    then_str(json_str(node, ".spec.image"), "ghcr.io/example/seid:v1");
    then_int(json_int(node, ".metadata.generation", 0), 1);
    then_true(!strstr(json_write(a, node).data, "seinodedeployment-controller"));

    nodes_delete(&n, "seinodes", NAME "-1", "background");
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    nodes_close(&n);
}

/* --- rights */

/* Comes last: it looks at everything that was done above. */
TEST(fleets_use_the_permissions_that_only_they_need_and_no_request_is_forbidden)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(controlplane_shared(), a, 0);

    then_int(audit_count(&log, &(AuditLine){.user = NODES_OPERATOR, .code = 403}), 0);
    for (size_t i = 0; i < rights_of_fleets_count; i++)
        if (!rights_of_fleets[i].elsewhere && !rights_used(&log, a, rights_of_fleets[i]))
            fail_msg(
                "%s %s: was never used", rights_of_fleets[i].verb, rights_of_fleets[i].resource);
}
