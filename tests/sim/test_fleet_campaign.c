/* Stories of a fleet by chance (story.h): the first dozen, and those that once went wrong. `make
 * soak` plays more of them. */
#include "tests/sim/story.h"
#include "tests/test.h"

enum { STORIES = 12, COMPLAINT_MAX = 1 << 20 };

static void play_story(uint64_t seed)
{
    SCOPED_ARENA a = arena_open(COMPLAINT_MAX);
    StoryEnd end = fleet_story(a, &(StoryOptions){.seed = seed});

    if (end.wrong)
        print_error("seed %llu: %s\n", (unsigned long long)seed, end.wrong);
    then_str(end.wrong, NULL);
}

CAMPAIGN(in_random_stories_a_fleet_keeps_every_invariant_at_every_moment)
{
    for (uint64_t seed = 1; seed <= STORIES; seed++)
        play_story(seed);
}

/* --- stories that once went wrong --------------------------------------------------------------
 */

TEST(a_rollout_that_is_paused_during_an_operator_upgrade_deletes_no_pod_repeatedly)
{
    play_story(162);
}
