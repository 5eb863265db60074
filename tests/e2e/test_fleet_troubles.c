/* What befalls fleets in the middle of a rollout, on a real control plane: edits that overtake each
 * other, nodes that get stuck, are paused or fail; and budgets that are no number of nodes. At each
 * moment no more is down than may be, each pod is deleted once for each revision, and no volume is
 * touched: see fleets.h. */
#include "tests/e2e/fleets.h"

#define NAME "rpc"

enum { THREE = FLEETS_GIVEN, FOUR = 4 };

/* Pods that the operator deleted since a mark, by ordinal, and no claim of theirs was touched. */
static void then_deleted(const Nodes *n, int64_t mark, const int want[THREE])
{
    FleetStory story = fleets_story(n, NAME, THREE, mark);

    for (int i = 0; i < THREE; i++)
        then_int(story.deleted[i], want[i]);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
}

static bool runs(const Nodes *n, int ordinal, const char *tag)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *image = str_format(a, "ghcr.io/example/seid:%s", tag);

    return nodes_say(n, "pods", fleets_pod(n, NAME, ordinal), ".spec.containers[0].image", image);
}

static bool says_of_fleet(const Nodes *n, const char *type, const char *word)
{
    return strstr(fleets_message(n, NAME, type), word) != NULL;
}

/* An hour of the pod, which is a minute of ours: whatever it starts next is not ready soon. */
static void make_slow(const Nodes *n, const char *node)
{
    nodes_order(n, "slow-start", node, " 3600000");
}

static void make_fast(const Nodes *n, const char *node)
{
    nodes_order(n, "slow-start", node, " 0");
}

/* --- edits that overtake each other */

TEST(a_template_can_be_edited_and_reverted_while_a_node_is_being_updated)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "superseded", "{}");
    const char *claims = fleets_claims(&n, NAME, THREE);
    int64_t mark = scene_mark(n.cp);

    /* O-3: v2 reaches one node alone. */
    make_slow(&n, NAME "-2");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(runs(&n, 2, "v2"));
    make_fast(&n, NAME "-2");
    fleets_change(&n, NAME, FLEETS_IMAGE("v3"));
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v3"), THREE);
    then_deleted(&n, mark, (const int[]){1, 1, 2});
    then_int(fleets_story(&n, NAME, THREE, mark).down_max, 1);

    /* O-4: and v4 too. */
    mark = scene_mark(n.cp);
    make_slow(&n, NAME "-2");
    fleets_change(&n, NAME, FLEETS_IMAGE("v4"));
    eventually(runs(&n, 2, "v4"));
    make_fast(&n, NAME "-2");
    fleets_change(&n, NAME, FLEETS_IMAGE("v3"));
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v3"), THREE);
    then_deleted(&n, mark, (const int[]){0, 0, 2});
    then_int(fleets_story(&n, NAME, THREE, mark).down_max, 1);
    then_str(fleets_claims(&n, NAME, THREE), claims);
    nodes_close(&n);
}

/* --- a node that gets stuck */

static bool has_gone_back(const Nodes *n)
{
    return fleets_on(n, NAME, THREE, "v1") == THREE
        && fleets_number(n, NAME, ".status.availableReplicas") == THREE
        && fleets_condition(n, NAME, "RolloutInProgress", "False", NULL);
}

/* O-6, O-13. */
TEST(a_stalled_rollout_names_its_node_and_is_rolled_back_when_requested)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "stuck", FLEETS_STRATEGY("{\"progressDeadlineSeconds\": 4}"));
    const char *claims = fleets_claims(&n, NAME, THREE);
    int64_t mark = scene_mark(n.cp);

    nodes_order_line(&n, "bad-image ghcr.io/example/seid:stuck");
    fleets_change(&n, NAME, FLEETS_IMAGE("stuck"));
    eventually(fleets_condition(&n, NAME, "Stalled", "True", "ProgressDeadlineExceeded"));
    eventually(says_of_fleet(&n, "Stalled", NAME "-2") && says_of_fleet(&n, "Stalled", "pull"));
    then_true(fleets_condition(&n, NAME, "Reconciling", "False", NULL));
    then_int(fleets_number(&n, NAME, ".status.availableReplicas"), 2);

    /* Another operator does not try it again. */
    nodes_kill_operator(&n);
    int64_t later = scene_mark(n.cp);
    nodes_start_operator(&n, NULL);
    eventually(nodes_requests(&n, later, "watch", "pods") > 0);
    then_true(fleets_condition(&n, NAME, "Stalled", "True", "ProgressDeadlineExceeded"));
    then_deleted(&n, mark, (const int[]){0, 0, 1});

    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"onFailure\": \"Rollback\"}"));
    eventually(has_gone_back(&n));
    then_true(nodes_say(&n,
        FLEETS_PLURAL,
        NAME,
        ".spec.template.spec.image",
        "ghcr.io/example/seid:stuck")); /* the spec is the person's */
    then_deleted(&n, mark, (const int[]){0, 0, 2});

    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"progressDeadlineSeconds\": null}"));
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_settled(&n, NAME));
    then_deleted(&n, mark, (const int[]){1, 1, 3});
    then_int(fleets_story(&n, NAME, THREE, mark).down_max, 1);
    then_str(fleets_claims(&n, NAME, THREE), claims);
    nodes_close(&n);
}

/* --- children in trouble */

static bool others_settled(const Nodes *n, const char *tag)
{
    return runs(n, 0, tag) && runs(n, 1, tag) && nodes_settled(n, NAME "-0")
        && nodes_settled(n, NAME "-1");
}

/* O-8. */
TEST(a_child_that_is_paused_during_its_update_uses_the_budget_and_blocks_no_more)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "pausing", "{}");
    const char *claims = fleets_claims(&n, NAME, THREE);
    int64_t mark = scene_mark(n.cp);

    make_slow(&n, NAME "-2");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(runs(&n, 2, "v2"));
    nodes_patch(&n, "seinodes", NAME "-2", "{\"spec\": {\"paused\": true}}");
    eventually(!nodes_have(&n, "pods", NAME "-2-0"));
    eventually(says_of_fleet(&n, "Ready", NAME "-2"));
    then_deleted(&n, mark, (const int[]){0, 0, 1});

    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"maxUnavailable\": 2}"));
    eventually(others_settled(&n, "v2"));
    then_int(fleets_story(&n, NAME, THREE, mark).taken_max, 2);
    then_int(fleets_story(&n, NAME, 2, mark).down_max, 1);
    then_true(!nodes_have(&n, "pods", NAME "-2-0"));

    make_fast(&n, NAME "-2");
    nodes_patch(&n, "seinodes", NAME "-2", "{\"spec\": {\"paused\": false}}");
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    then_deleted(&n, mark, (const int[]){1, 1, 1});
    then_str(fleets_claims(&n, NAME, THREE), claims);
    nodes_close(&n);
}

/* O-7, O-8: a node that runs does not fail any more; one that has to be made again may. */
TEST(a_child_that_is_deleted_and_fails_during_a_rollout_blocks_no_other_child)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "failing", "{}");
    const char *claims = fleets_claims(&n, NAME, 2);
    int64_t mark = scene_mark(n.cp);

    nodes_order(&n, "freeze", NAME "-1", "");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_story(&n, NAME, THREE, mark).deleted[1] == 1);
    nodes_order(&n, "fail-task", NAME "-2", " config-apply 999 disk is on fire");
    nodes_delete(&n, "seinodes", NAME "-2", "background");
    eventually(nodes_say(&n, "seinodes", NAME "-2", ".status.phase", "Failed"));
    nodes_order(&n, "thaw", NAME "-1", "");
    eventually(others_settled(&n, "v2"));
    eventually(fleets_condition(&n, NAME, "Stalled", "True", NULL)
        && says_of_fleet(&n, "Stalled", NAME "-2"));

    nodes_order(&n, "fail-task", NAME "-2", " config-apply 0 nothing");
    nodes_patch(
        &n, "seinodes", NAME "-2", "{\"metadata\": {\"annotations\": {\"sei.io/retry\": \"1\"}}}");
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    FleetStory story = fleets_story(&n, NAME, 2, mark);
    for (int i = 0; i < THREE; i++)
        then_int(story.deleted[i], 1);
    then_int(story.down_max, 1);
    then_str(fleets_claims(&n, NAME, 2), claims);
    nodes_close(&n);
}

/* --- budgets */

static void then_rolled_by_two(const Nodes *n, int64_t mark)
{
    FleetStory story = fleets_story(n, NAME, FOUR, mark);

    for (int i = 0; i < FOUR; i++)
        then_int(story.deleted[i], 1);
    then_int(story.down_max, 2);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
}

static bool has_cpus(const Nodes *n, int ordinal, const char *cpus)
{
    return nodes_say(n,
        "pods",
        fleets_pod(n, NAME, ordinal),
        ".spec.containers[0].resources.requests.cpu",
        cpus);
}

TEST(in_a_fleet_with_a_budget_of_fifty_percent_at_most_half_of_the_nodes_are_down)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "half");

    fleets_create(&n, NAME, FOUR, FLEETS_STRATEGY("{\"maxUnavailable\": \"50%\"}"));
    eventually(fleets_settled(&n, NAME));
    const char *claims = fleets_claims(&n, NAME, FOUR);

    /* For an edit. */
    int64_t mark = scene_mark(n.cp);
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_settled(&n, NAME));
    then_rolled_by_two(&n, mark);

    /* For an operator that gives nodes more than the one before. */
    mark = scene_mark(n.cp);
    nodes_close(&n);
    nodes_start_operator(&n, "SEI_RESOURCE_CPU_DEFAULT=8");
    for (int i = 0; i < FOUR; i++)
        eventually(has_cpus(&n, i, "8"));
    eventually(fleets_settled(&n, NAME));
    then_rolled_by_two(&n, mark);

    /* And the next ones only when those before have served for a while; times are told in seconds.
     */
    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"minReadySeconds\": 3}"));
    eventually(fleets_settled(&n, NAME));
    mark = scene_mark(n.cp);
    fleets_change(&n, NAME, FLEETS_IMAGE("v3"));
    eventually(fleets_settled(&n, NAME));
    then_rolled_by_two(&n, mark);
    then_int(fleets_story(&n, NAME, FOUR, mark).unsettled_max, 2);
    then_str(fleets_claims(&n, NAME, FOUR), claims);
    nodes_close(&n);
}

/* --- the way in from other nodes */

static bool has_p2p(const Nodes *n, bool is_on)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    for (int i = 0; i < THREE; i++) {
        const char *node = fleets_node(n, NAME, i);
        const char *host = str_format(a, "%s-p2p.pacific-1.p2p.example.org:26656", node);
        if (nodes_have(n, "services", str_format(a, "%s-p2p", node)) != is_on
            || !nodes_say(n, "seinodes", node, ".spec.externalAddress", is_on ? host : NULL))
            return false;
    }
    return fleets_condition(n,
        NAME,
        "NetworkingReady",
        is_on ? NULL : "False",
        is_on ? "P2PEndpointsApplied" : "NetworkingDisabled");
}

TEST(p2p_endpoints_of_a_fleet_are_created_and_deleted_and_no_node_stops)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "p2p", "{\"networking\": {\"tcp\": {}}}");
    int64_t mark = scene_mark(n.cp);

    eventually(has_p2p(&n, true));
    then_true(nodes_say(&n, "services", NAME "-1-p2p", ".spec.type", "LoadBalancer"));
    fleets_change(&n, NAME, "{\"networking\": null}");
    eventually(has_p2p(&n, false));
    fleets_change(&n, NAME, "{\"networking\": {\"tcp\": {}}}");
    eventually(has_p2p(&n, true));
    eventually(fleets_settled(&n, NAME));
    fleets_then_nothing_stopped(&n, NAME, mark);
    nodes_close(&n);
}
