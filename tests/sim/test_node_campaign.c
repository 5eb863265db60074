/* Stories of nodes by chance (story.h): the first dozen, and those that once went wrong. `make
 * soak` plays more of them. */
#include "tests/sim/story.h"
#include "tests/test.h"

enum { STORIES = 12, COMPLAINT_MAX = 1 << 20 };

static void play_story(uint64_t seed)
{
    SCOPED_ARENA a = arena_open(COMPLAINT_MAX);
    StoryEnd end = node_story(a, &(StoryOptions){.seed = seed});

    if (end.wrong)
        print_error("seed %llu: %s\n", (unsigned long long)seed, end.wrong);
    then_str(end.wrong, NULL);
}

TEST(whatever_people_and_networks_do_every_node_is_right_in_the_end)
{
    for (uint64_t seed = 1; seed <= STORIES; seed++)
        play_story(seed);
}

/* --- stories that once went wrong --------------------------------------------------------------
 */

TEST(an_evicted_pod_that_is_gone_before_its_kubelet_knows_stops_no_clock)
{
    play_story(309);
}
