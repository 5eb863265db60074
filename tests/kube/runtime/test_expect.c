/* Expect: nobody reads a state older than our own writes, and nobody waits for ever. */
#include "base/rng.h"
#include "kube/runtime/expect.h"
#include "tests/test.h"

enum { PODS, JOBS };

typedef struct World {
    Expect *expect;
    char woken[256]; /* names, each with a space behind it */
} World;

static void close_world(World *w)
{
    expect_close(w->expect);
}

#define SCOPED_EXPECT __attribute__((cleanup(close_world))) World

static void given_expect(World *w, size_t max)
{
    w->expect = expect_open(max);
    w->woken[0] = '\0';
}

static void on_woken(void *self, QueueKey key)
{
    World *w = self;
    size_t len = strlen(w->woken);
    snprintf(w->woken + len, sizeof w->woken - len, "%s ", key.key.name);
}

static Key object(const char *name)
{
    return (Key){"default", name};
}

static QueueKey reconcile(const char *name)
{
    return (QueueKey){.controller = 1, .key = {"default", name}};
}

static ExpectTarget target(int cache, const char *name, const char *by)
{
    return (ExpectTarget){.cache = cache, .key = object(name), .by = reconcile(by)};
}

static void see_version(World *w, int cache, const char *version)
{
    w->woken[0] = '\0';
    expect_see_version(w->expect, cache, version, on_woken, w);
}

static void step(World *w, int64_t now_ms)
{
    w->woken[0] = '\0';
    expect_step(w->expect, now_ms, on_woken, w);
}

TEST(a_write_is_pending_until_the_watch_reaches_its_resource_version)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    then_int(expect_state(w.expect, PODS, object("b"), 1), EXPECT_NOTHING);
    then_int(expect_state(w.expect, JOBS, object("a"), 1), EXPECT_NOTHING);

    see_version(&w, PODS, "99");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    see_version(&w, JOBS, "100");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    then_str(w.woken, "");

    see_version(&w, PODS, "100");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_NOTHING);
    then_str(w.woken, "r ");
    then_int(expect_count(w.expect), 0);
}

TEST(resource_versions_are_compared_as_numbers_and_not_as_text)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "1000", 0);
    see_version(&w, PODS, "999");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    see_version(&w, PODS, "18446744073709551617");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_NOTHING);
}

TEST(a_resource_version_that_the_watch_reached_before_the_answer_is_not_awaited)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    see_version(&w, PODS, "100");
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_NOTHING);
    expect_version(w.expect, target(PODS, "a", "r"), "101", 0);
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);

    see_version(&w, PODS, "50");
    expect_version(w.expect, target(PODS, "b", "r"), "90", 0);
    then_int(expect_state(w.expect, PODS, object("b"), 1), EXPECT_NOTHING);
}

TEST(only_the_last_write_to_an_object_is_awaited)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_version(w.expect, target(PODS, "a", "r"), "110", 0);
    then_int(expect_count(w.expect), 1);
    see_version(&w, PODS, "105");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    then_str(w.woken, "");
    see_version(&w, PODS, "110");
    then_str(w.woken, "r ");
}

TEST(a_reconcile_is_enqueued_when_its_last_write_is_seen)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_version(w.expect, target(JOBS, "b", "r"), "102", 0);
    expect_version(w.expect, target(PODS, "c", "s"), "101", 0);
    see_version(&w, PODS, "101");
    then_str(w.woken, "s ");
    see_version(&w, JOBS, "102");
    then_str(w.woken, "r ");
}

TEST(a_reconcile_that_needs_no_requeue_is_not_enqueued_by_its_own_write)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_content(w.expect, reconcile("r"));
    expect_content(w.expect, reconcile("of nobody"));
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    see_version(&w, PODS, "100");
    then_str(w.woken, "");
    then_int(expect_count(w.expect), 0);
    expect_version(w.expect, target(PODS, "a", "r"), "110", 0);
    see_version(&w, PODS, "110");
    then_str(w.woken, "r "); /* it was content that once */
}

TEST(the_author_of_a_write_is_known_until_the_write_is_seen)
{
    SCOPED_EXPECT w;
    QueueKey author;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_gone(w.expect, target(PODS, "b", "r"), "100", 0);
    then_true(expect_author(w.expect, target(PODS, "a", "of nobody"), "100", &author));
    then_str(author.key.name, reconcile("r").key.name);
    then_int(author.controller, reconcile("r").controller);
    then_true(!expect_author(w.expect, target(PODS, "a", "r"), "99", &author));
    then_true(!expect_author(w.expect, target(PODS, "a", "r"), "101", &author));
    then_true(!expect_author(w.expect, target(PODS, "b", "r"), "100", &author));
    then_true(!expect_author(w.expect, target(PODS, "c", "r"), "100", &author));
    see_version(&w, PODS, "100");
    then_true(!expect_author(w.expect, target(PODS, "a", "r"), "100", &author));
}

TEST(a_reconcile_that_asks_for_a_requeue_after_all_is_enqueued_by_its_write)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_content(w.expect, reconcile("r"));
    expect_heed(w.expect, reconcile("r"));
    see_version(&w, PODS, "100");
    then_str(w.woken, "r ");
}

TEST(a_reconcile_that_needs_no_requeue_is_enqueued_if_its_write_is_not_seen_in_time)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_content(w.expect, reconcile("r"));
    step(&w, EXPECT_DEADLINE_MS);
    then_str(w.woken, "r ");
}

TEST(expected_writes_are_met_in_the_order_of_their_resource_versions)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "c", "c"), "103", 0);
    expect_version(w.expect, target(PODS, "a", "a"), "101", 0);
    expect_version(w.expect, target(PODS, "b", "b"), "102", 0);
    see_version(&w, PODS, "102");
    then_str(w.woken, "a b ");
}

TEST(two_reconciles_that_wrote_the_same_object_both_wait_for_it)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_version(w.expect, target(PODS, "a", "s"), "101", 0);
    see_version(&w, PODS, "100");
    then_str(w.woken, "r ");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
    see_version(&w, PODS, "101");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_NOTHING);
}

static const struct {
    const char *name;
    const char *uid;
    bool removed, deleting, met;
} sights[] = {
    {"its removal", "u1", .removed = true, .met = true},
    {"its deletionTimestamp", "u1", .deleting = true, .met = true},
    {"it is still there", "u1"},
    {"another UID under its name may be its predecessor", "u0"},
    {"even one that is deleting", "u0", .deleting = true},
    {"or removed", "u0", .removed = true},
    {"a removal with an unknown uid", NULL, .removed = true, .met = true},
};

TEST(an_expected_delete_is_met_when_the_object_with_its_uid_disappears)
{
    each_case(i, sights) {
        SCOPED_EXPECT w;
        given_expect(&w, 100);
        expect_gone(w.expect, target(PODS, "a", "r"), "u1", 0);
        see_version(&w, PODS, "500");
        then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);

        ExpectTarget seen = {.cache = PODS, .key = object("a")};
        if (sights[i].removed)
            expect_see_removed(w.expect, seen, sights[i].uid);
        else
            expect_see_object(w.expect, seen, sights[i].uid, sights[i].deleting);
        see_version(&w, PODS, "501");
        then_int(expect_state(w.expect, PODS, object("a"), 1),
            sights[i].met ? EXPECT_NOTHING : EXPECT_PENDING);
        then_str(w.woken, sights[i].met ? "r " : "");
    }
}

TEST(a_write_after_an_expected_delete_was_met_keeps_its_reconcile_waiting)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_gone(w.expect, target(PODS, "a", "r"), "u1", 0);
    expect_see_removed(w.expect, target(PODS, "a", "r"), "u1");
    then_int(expect_next_due(w.expect), 0);
    expect_version(w.expect, target(PODS, "b", "r"), "100", 0);
    step(&w, 1);
    then_str(w.woken, "");
    see_version(&w, PODS, "100");
    then_str(w.woken, "r ");
}

TEST(a_write_of_unknown_outcome_is_settled_only_by_a_live_read)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_unknown(w.expect, target(PODS, "a", "r"), 0);
    then_int(expect_state(w.expect, PODS, object("a"), 0), EXPECT_READ_LIVE);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    see_version(&w, PODS, "1000");
    expect_see_removed(w.expect, target(PODS, "a", "r"), "u1");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_READ_LIVE);
    then_int(expect_next_due(w.expect), INT64_MAX);

    expect_settle(w.expect, target(PODS, "a", "reader"), (ExpectRead){0}, INT64_MAX);
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_NOTHING);
}

TEST(an_unknown_outcome_takes_precedence_over_a_known_version)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_unknown(w.expect, target(PODS, "a", "r"), 0);
    see_version(&w, PODS, "100");
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_READ_LIVE);
}

TEST(a_write_that_the_watch_does_not_show_in_time_needs_a_live_read)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 1000);
    expect_gone(w.expect, target(PODS, "b", "s"), "u1", 2000);
    then_int(expect_next_due(w.expect), 6000);
    step(&w, 5999);
    then_str(w.woken, "");
    then_int(expect_state(w.expect, PODS, object("a"), 5999), EXPECT_PENDING);

    then_int(expect_state(w.expect, PODS, object("a"), 6000), EXPECT_READ_LIVE);
    step(&w, 6000);
    then_str(w.woken, "r ");
    step(&w, 6001);
    then_str(w.woken, "");
    then_int(expect_next_due(w.expect), 7000);

    see_version(&w, PODS, "100");
    then_int(expect_state(w.expect, PODS, object("a"), 6002), EXPECT_NOTHING);
    then_str(w.woken, "r ");
}

TEST(after_a_live_read_a_write_of_unknown_outcome_waits_until_the_cache_is_as_new)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_unknown(w.expect, target(PODS, "a", "r"), 0);
    expect_version(w.expect, target(PODS, "a", "s"), "150", 1000);
    expect_settle(w.expect, target(PODS, "a", "reader"), (ExpectRead){.version = "100"}, 2000);
    then_int(expect_state_by(w.expect, PODS, reconcile("r"), 2000, NULL), EXPECT_PENDING);

    see_version(&w, PODS, "100");
    then_str(w.woken, "r ");
    then_int(expect_state_by(w.expect, PODS, reconcile("s"), 2000, NULL), EXPECT_PENDING);
    see_version(&w, PODS, "150");
    then_str(w.woken, "s ");
}

TEST(after_a_live_read_that_found_no_object_the_cache_must_drop_it)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_unknown(w.expect, target(PODS, "a", "r"), 0);
    expect_settle(w.expect, target(PODS, "a", "reader"), (ExpectRead){.gone = "u1"}, 0);
    then_int(expect_state(w.expect, PODS, object("a"), 0), EXPECT_PENDING);
    expect_see_removed(w.expect, target(PODS, "a", "r"), "u1");
    then_int(expect_state(w.expect, PODS, object("a"), 0), EXPECT_NOTHING);
}

TEST(settling_a_write_enqueues_other_keys_that_wait_for_the_object)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    expect_version(w.expect, target(PODS, "a", "r"), "100", 0);
    expect_version(w.expect, target(PODS, "a", "s"), "101", 0);
    expect_settle(w.expect, target(PODS, "a", "reader"), (ExpectRead){0}, INT64_MAX);
    expect_settle(w.expect, target(PODS, "never written", "reader"), (ExpectRead){0}, INT64_MAX);
    step(&w, 1);
    then_str(w.woken, "r s ");
    then_int(expect_next_due(w.expect), INT64_MAX);
}

TEST(a_selection_waits_for_every_write_of_its_reconcile_in_that_cache)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    Key key = {0};
    expect_version(w.expect, target(JOBS, "j", "r"), "100", 0);
    then_int(expect_state_by(w.expect, PODS, reconcile("r"), 1, &key), EXPECT_NOTHING);
    expect_version(w.expect, target(PODS, "a", "r"), "101", 0);
    then_int(expect_state_by(w.expect, PODS, reconcile("r"), 1, NULL), EXPECT_PENDING);
    then_int(expect_state_by(w.expect, PODS, reconcile("r"), 1, &key), EXPECT_PENDING);
    then_str(key.name, "a");
    then_int(expect_state_by(w.expect, PODS, reconcile("other"), 1, &key), EXPECT_NOTHING);

    expect_unknown(w.expect, target(PODS, "b", "r"), 0);
    then_int(expect_state_by(w.expect, PODS, reconcile("r"), 1, &key), EXPECT_READ_LIVE);
    then_str(key.name, "b");
    then_str(key.namespace, "default");
}

TEST(a_cache_that_stepped_back_loses_its_expectations_and_its_reached_version)
{
    SCOPED_EXPECT w;
    given_expect(&w, 100);
    see_version(&w, PODS, "1000");
    expect_version(w.expect, target(PODS, "a", "r"), "1001", 0);
    expect_gone(w.expect, target(PODS, "b", "r"), "u1", 0);
    expect_unknown(w.expect, target(PODS, "c", "r"), 0);
    expect_version(w.expect, target(JOBS, "a", "s"), "1001", 0);

    expect_drop(w.expect, PODS);
    then_int(expect_count(w.expect), 1);
    then_int(expect_state(w.expect, JOBS, object("a"), 1), EXPECT_PENDING);
    step(&w, 1);
    then_str(w.woken, "r ");
    expect_version(w.expect, target(PODS, "a", "r"), "500", 1);
    then_int(expect_state(w.expect, PODS, object("a"), 1), EXPECT_PENDING);
}

TEST(too_many_expected_writes_turn_the_oldest_one_into_a_live_read)
{
    SCOPED_EXPECT w;
    given_expect(&w, 2);
    expect_version(w.expect, target(PODS, "a", "r"), "1", 0);
    expect_version(w.expect, target(PODS, "b", "s"), "2", 0);
    expect_version(w.expect, target(PODS, "c", "t"), "3", 0);
    then_int(expect_state(w.expect, PODS, object("a"), 0), EXPECT_READ_LIVE);
    then_int(expect_state(w.expect, PODS, object("b"), 0), EXPECT_PENDING);
    then_int(expect_next_due(w.expect), 0);
    step(&w, 1);
    then_str(w.woken, "r ");

    expect_version(w.expect, target(PODS, "d", "u"), "4", 0);
    expect_version(w.expect, target(PODS, "e", "v"), "5", 0);
    then_int(expect_count(w.expect), 4);
    then_int(expect_state(w.expect, PODS, object("a"), 0), EXPECT_NOTHING);
    then_int(expect_state(w.expect, PODS, object("b"), 0), EXPECT_READ_LIVE);
    then_int(expect_state(w.expect, PODS, object("e"), 0), EXPECT_PENDING);
}

TEST(an_impossible_object_key_is_not_remembered_as_expectation)
{
    SCOPED_EXPECT w;
    given_expect(&w, 2);
    expect_version(w.expect, target(PODS, "a/b", "r"), "1", 0);
    expect_version(w.expect, target(PODS, "a", "r/s"), "1", 0);
    then_int(expect_count(w.expect), 0);
    then_int(expect_state(w.expect, PODS, object("a/b"), 0), EXPECT_NOTHING);
    expect_close(NULL);
}

/* A thousand random writes and sights: in the end nothing is left, whatever came in between. */
TEST(after_random_writes_and_watch_events_no_expectation_is_left)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    SCOPED_EXPECT w;
    given_expect(&w, 8);
    SeededRng rng;
    rng_seed(&rng, 3);
    char version[16];

    for (int round = 1; round <= 20000; round++) {
        const char *name = names[rng_below(&rng.port, 5)];
        ExpectTarget t = target((int)rng_below(&rng.port, 2), name, names[rng_below(&rng.port, 5)]);
        snprintf(version, sizeof version, "%d", round + (int)rng_below(&rng.port, 10) - 5);
        switch (rng_below(&rng.port, 8)) {
        case 0:
        case 1:
            expect_version(w.expect, t, version, round);
            break;
        case 2:
            expect_gone(w.expect, t, name, round);
            break;
        case 3:
            expect_unknown(w.expect, t, round);
            break;
        case 4:
            expect_see_removed(w.expect, t, name);
            break;
        case 5:
            expect_settle(w.expect, t, (ExpectRead){0}, round);
            break;
        case 6:
            see_version(&w, t.cache, version);
            break;
        default:
            step(&w, round);
            break;
        }
        then_true(expect_count(w.expect) <= 16);
    }
    for (size_t i = 0; i < array_count(names); i++) {
        expect_settle(w.expect, target(PODS, names[i], "reader"), (ExpectRead){0}, INT64_MAX);
        expect_settle(w.expect, target(JOBS, names[i], "reader"), (ExpectRead){0}, INT64_MAX);
    }
    then_int(expect_count(w.expect), 0);
    step(&w, INT64_MAX);
    then_int(expect_next_due(w.expect), INT64_MAX);
}
