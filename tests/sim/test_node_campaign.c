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

CAMPAIGN(in_random_stories_every_node_ends_in_its_requested_state)
{
    for (uint64_t seed = 1; seed <= STORIES; seed++)
        play_story(seed);
}

/* --- stories that once went wrong --------------------------------------------------------------
 */

TEST(the_deletion_of_an_evicted_pod_before_its_kubelet_knows_does_not_stop_the_simulation)
{
    play_story(309);
}
