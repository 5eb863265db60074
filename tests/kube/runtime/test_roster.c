/* Who is called: one thread for one key, and somebody always watches the time. */
#include "kube/runtime/roster.h"

#include "base/rng.h"
#include "tests/test.h"

enum { NOW = 1000 };

TEST(a_new_key_notifies_the_worker_that_can_take_it_first)
{
    static const struct {
        const char *name;
        Roster roster;
        int64_t due_ms;
        RosterCall want;
    } cases[] = {
        {"a sleeper for what is due", {3, 1, 5000}, NOW, ROSTER_SLEEPER},
        {"the watching worker when none sleeps", {0, 1, 5000}, NOW - 1, ROSTER_WATCHER},
        {"no worker when all are busy", {0, 0, INT64_MAX}, NOW, ROSTER_NOBODY},
        {"the watching worker for a key that is due before its time",
            {3, 1, 5000},
            4999,
            ROSTER_WATCHER},
        {"no worker for a key that is due at the watched time", {3, 1, 5000}, 5000, ROSTER_NOBODY},
        {"a sleeping worker when none watches", {3, 0, INT64_MAX}, 5000, ROSTER_SLEEPER},
        {"no worker when no key is due", {3, 0, INT64_MAX}, INT64_MAX, ROSTER_NOBODY},
        {"a worker that watches for a later key", {2, 1, INT64_MAX}, 5000, ROSTER_WATCHER},
    };

    each_case(i, cases)
        then_int(roster_call(&cases[i].roster, cases[i].due_ms, NOW), cases[i].want);
}

TEST(one_of_several_waiting_workers_watches_the_time_of_the_next_key)
{
    Roster r = {.watched_ms = INT64_MAX};

    then_true(!roster_wait(&r, INT64_MAX)); /* there is nothing to watch for */
    then_true(roster_wait(&r, 5000));
    then_true(!roster_wait(&r, 5000));
    then_int(r.sleeping, 2);
    then_int(r.watching, 1);
    then_true(roster_wait(&r, 4000)); /* sooner than the other one is up */
    then_int(r.watched_ms, 4000);
}

TEST(a_watching_worker_that_takes_a_key_is_replaced)
{
    Roster r = {.watched_ms = INT64_MAX};

    then_true(roster_wait(&r, 5000));
    then_true(!roster_wait(&r, 5000));
    roster_rise(&r, true);
    then_int(roster_call(&r, 5000, NOW), ROSTER_SLEEPER);
    roster_rise(&r, false);
    then_true(roster_wait(&r, 5000));
    then_int(roster_call(&r, 5000, NOW), ROSTER_NOBODY);
}

/* --- workers that come and go at random */

enum { WORKERS = 4 };

typedef enum State { WORKS, SLEEPS, WATCHES } State;

typedef struct Town {
    Roster roster;
    State workers[WORKERS];
    int64_t until[WORKERS];
    int64_t due, now; /* of the one key that there is; INT64_MAX: none */
} Town;

/* Takes the key if it is due, else waits. */
static void look(Town *t, size_t worker)
{
    t->workers[worker] = WORKS;
    t->until[worker] = INT64_MAX;
    if (t->due <= t->now) {
        t->due = INT64_MAX;
        return;
    }
    bool watches = roster_wait(&t->roster, t->due);
    t->workers[worker] = watches ? WATCHES : SLEEPS;
    t->until[worker] = watches ? t->due : INT64_MAX;
}

static void rise(Town *t, size_t worker)
{
    roster_rise(&t->roster, t->workers[worker] == WATCHES);
    look(t, worker);
}

static void call(Town *t)
{
    RosterCall whom = roster_call(&t->roster, t->due, t->now);
    State state = whom == ROSTER_SLEEPER ? SLEEPS : WATCHES;

    for (size_t i = 0; whom != ROSTER_NOBODY && i < WORKERS; i++)
        if (t->workers[i] == state) {
            rise(t, i);
            return;
        }
    then_int(whom, ROSTER_NOBODY); /* it calls none that is not there */
}

static bool is_looked_after(const Town *t)
{
    bool all_work = true, is_watched = t->due == INT64_MAX;

    for (size_t i = 0; i < WORKERS; i++) {
        all_work = all_work && t->workers[i] == WORKS;
        is_watched = is_watched || (t->workers[i] == WATCHES && t->until[i] <= t->due);
    }
    return all_work || (t->due > t->now && is_watched);
}

TEST(a_due_key_is_taken_or_watched_unless_every_worker_is_busy)
{
    enum { STEPS = 20000 };
    Town t = {.roster = {.watched_ms = INT64_MAX}, .due = INT64_MAX};
    SeededRng chance;

    rng_seed(&chance, 7);
    for (int step = 0; step < STEPS; step++) {
        size_t one = rng_below(&chance.port, WORKERS);
        int64_t at = t.now + (int64_t)rng_below(&chance.port, 20);
        switch (rng_below(&chance.port, 3)) {
        case 0: /* a key comes, or comes sooner; whoever brings it calls */
            t.due = at < t.due ? at : t.due;
            call(&t);
            break;
        case 1: /* a worker is done, looks, and calls if it has taken something */
            if (t.workers[one] == WORKS)
                look(&t, one);
            call(&t);
            break;
        default:
            t.now++;
        }
        for (size_t i = 0; i < WORKERS; i++)
            if (t.until[i] <= t.now && t.workers[i] == WATCHES)
                rise(&t, i);
        then_true(is_looked_after(&t));
    }
}
