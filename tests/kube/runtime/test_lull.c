/* A storm is taken in at a steady pace, and nobody else notices. */
#include "kube/runtime/lull.h"

#include "tests/kube/runtime/rig.h"

enum { START = 1000000 };

TEST(a_watch_that_delivers_a_few_events_in_a_row_is_not_throttled)
{
    Lull l = {0};

    for (int i = 0; i < LULL_FREE; i++)
        then_int(lull_ms(&l, START), 0);
    then_int(lull_ms(&l, START), LULL_MS);
}

TEST(a_watch_that_delivers_events_now_and_then_is_not_throttled)
{
    Lull l = {0};

    for (int i = 0; i < 100; i++)
        then_int(lull_ms(&l, START + i * LULL_MS), 0);
}

TEST(a_storm_of_watch_events_is_throttled_to_its_interval)
{
    Lull l = {0};
    int64_t now = START;
    int times = 0;

    for (; now < START + 10000; times++)
        now += lull_ms(&l, now);
    then_int(times, LULL_FREE + 10000 / LULL_MS);
}

TEST(throttling_ends_when_the_storm_of_watch_events_is_over)
{
    Lull l = {0};

    for (int64_t now = START; now < START + 10000;)
        now += lull_ms(&l, now);
    for (int i = 0; i < LULL_FREE; i++)
        then_int(lull_ms(&l, START + 20000), 0);
}

/* However long it takes to take the events in. */
TEST(a_watch_is_never_throttled_for_longer_than_one_interval)
{
    Lull l = {0};

    for (int64_t now = START; now < START + 10000; now++) {
        int64_t wait_ms = lull_ms(&l, now);
        then_true(wait_ms >= 0 && wait_ms <= LULL_MS);
        now += wait_ms;
    }
}

TEST(watch_throttling_applies_only_while_every_kind_is_watched)
{
    static const Watch watches[] = {{kind_configmap}, {kind_httproute, .optional = true}, {0}};
    SCOPED_RIG r = rig_open(watches);
    ReflectorHealth *healths[] = {&r->manager->caches[0].health, &r->manager->caches[1].health};

    then_true(!manager_only_watches(r->manager));
    healths[0]->watching = true;
    then_true(!manager_only_watches(r->manager));
    healths[1]->absent = true;
    then_true(manager_only_watches(r->manager));
    healths[0]->watching = false; /* it is listed anew */
    then_true(!manager_only_watches(r->manager));
}
