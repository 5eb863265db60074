/* A fleet of fifty on a real control plane: made, and rolled all at once because it is asked for.
 */
#include "tests/e2e/fleets.h"

#define NAME "rpc"

enum { FIFTY = 50 };

TEST(a_fleet_of_fifty_nodes_is_created_and_updated_all_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "fifty");

    fleets_create(&n, NAME, FIFTY, FLEETS_STRATEGY("{\"maxUnavailable\": \"100%\"}"));
    eventually(fleets_settled(&n, NAME));
    int64_t mark = scene_mark(n.cp);
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_settled(&n, NAME));
    FleetStory story = fleets_story(&n, NAME, FIFTY, mark);
    for (int i = 0; i < FIFTY; i++)
        then_int(story.deleted[i], 1);
    then_true(story.down_max > 1);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
    then_int(fleets_on(&n, NAME, FIFTY, "v2"), FIFTY);
    nodes_close(&n);
}
