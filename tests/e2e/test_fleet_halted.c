/* A chain that stands still, on a real control plane: the fleet says so, and after a minute its
 * nodes are updated all at once. See fleets.h.
 *
 * The operator must have seen the fleet down for that minute. This is the one test that waits for a
 * time, so it is a program of its own: it runs beside others. */
#include "base/clock.h"
#include "kube/cond.h"
#include "sei/plan/batch.h"
#include "tests/e2e/fleets.h"

#define NAME   "rpc"
#define HALTED "halted" /* the namespace of both tests */

enum {
    THREE = FLEETS_GIVEN,
    SEEN_MS = BATCH_HALTED_MS + 1000, /* the operator looks first when it has begun to work */
};

/* Pods that the operator deleted of each node since a mark, and no claim of theirs was touched. */
static void then_deleted_of_each(const Nodes *n, int64_t mark, int want)
{
    FleetStory story = fleets_story(n, NAME, THREE, mark);

    for (int i = 0; i < THREE; i++)
        then_int(story.deleted[i], want);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
}

static bool none_is_available(const Nodes *n)
{
    for (int i = 0; i < THREE; i++)
        if (!nodes_condition(n, fleets_node(n, NAME, i), "Ready", "False", NULL))
            return false;
    return fleets_number(n, NAME, ".status.availableReplicas") == 0;
}

TEST(a_fleet_whose_nodes_have_all_halted_reports_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, HALTED, "{}");
    int64_t mark = scene_mark(n.cp);

    for (int i = 0; i < THREE; i++)
        nodes_order(&n, "never-ready", fleets_node(&n, NAME, i), "");
    eventually(none_is_available(&n));
    eventually(fleets_condition(&n, NAME, "Ready", "False", NULL)
        && fleets_condition(&n, NAME, "Available", "False", NULL));
    then_deleted_of_each(&n, mark, 0); /* a stop would cure no node */
    nodes_close(&n);
}

static bool is_past(int64_t since_ms, int64_t ms)
{
    return clock_mono_ms(clock_system()) - since_ms > ms;
}

static bool tells_of_probe(const Nodes *n, const char *node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *ready = cond_in(nodes_find(n, a, "seinodes", node), "Ready");
    const char *message = json_str(ready, ".message");

    return message && strstr(message, "probe fails: HTTP probe failed with statuscode: 503");
}

static int asked_for(const Nodes *n, const char *image)
{
    int count = 0;

    for (int i = 0; i < THREE; i++)
        count += nodes_say(n, "seinodes", fleets_node(n, NAME, i), ".spec.image", image);
    return count;
}

/* As at an upgrade height, which only the new image gets over. No node can come up before all have
 * been asked, because nothing moves in the pods until then. */
TEST(a_fleet_that_has_halted_for_a_minute_is_updated_all_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_return(a, controlplane_shared(), HALTED);
    int64_t began_ms = clock_mono_ms(clock_system());
    const char *claims = fleets_claims(&n, NAME, THREE);
    int64_t mark = scene_mark(n.cp);

    then_true(none_is_available(&n));
    eventually_in(2 * SEEN_MS, is_past(began_ms, SEEN_MS));
    for (int i = 0; i < THREE; i++)
        eventually(tells_of_probe(&n, fleets_node(&n, NAME, i)));
    for (int i = 0; i < THREE; i++)
        nodes_order(&n, "freeze", fleets_node(&n, NAME, i), "");
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(asked_for(&n, "ghcr.io/example/seid:v2") == THREE);
    for (int i = 0; i < THREE; i++) {
        nodes_order(&n, "ready-again", fleets_node(&n, NAME, i), "");
        nodes_order(&n, "thaw", fleets_node(&n, NAME, i), "");
    }
    eventually(fleets_settled(&n, NAME));
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    then_deleted_of_each(&n, mark, 1);
    then_str(fleets_claims(&n, NAME, THREE), claims);
    nodes_close(&n);
}
