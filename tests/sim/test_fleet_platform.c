/* The operator is replaced by one that makes other pods. Its fleets follow, each within its own
 * budget, which is the same that rollouts spend; and not at all while they are on hold. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <string.h>

enum { QUIET_MS = 900000 };

/* It is well, and every pod is one of the new operator. */
static const char *not_upgraded(Play *p, const char *fleet, const char *tag)
{
    const char *trouble = play_fleet_trouble(p, fleet, tag);

    for (int i = 0; !trouble && i < (int)play_fleet(p, fleet)->spec.replicas; i++) {
        const char *child = play_child(p, fleet, i);
        if (!str_eq(play_condition(p, child, COND_UP_TO_DATE), "True"))
            trouble =
                str_format(play_arena(p), "%s: %s", child, play_message(p, child, COND_UP_TO_DATE));
    }
    return trouble;
}

static const struct {
    const char *name, *fleet;
    int replicas, most;
} fleets[] = {
    {"one by one", "{}", 3, 1},
    {"two at a time",
        "{spec: {replicas: 5, updateStrategy: {type: 'InPlace', maxUnavailable: 2}}}",
        5,
        2},
    {"of four validators one, whatever is allowed",
        "{spec: {replicas: 4, updateStrategy: {type: 'InPlace', maxUnavailable: '100%'},"
        " template: {spec: {fullNode: null, validator: {}}}}}",
        4,
        1},
};

TEST(an_operator_upgrade_rolls_a_fleet_within_its_budget)
{
    each_case(i, fleets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}, .workers = 4});

        play_given_fleet(p, "rpc", fleets[i].fleet);
        play_upgrade(p, "8");
        play_run(p, 5000);
        then_str(not_upgraded(p, "rpc", "v1"), NULL);
        then_int(play_pods_deleted(p), fleets[i].replicas);
        then_int(play_most_down(p), fleets[i].most);
    }
}

/* Each has a budget of its own, and none waits for another. */
TEST(two_fleets_are_upgraded_at_the_same_time)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 11}, .workers = 4});

    play_given_fleet(p, "rpc", "{}");
    play_given_fleet(p, "api", "{}");
    play_order(p, "never-ready sei/rpc-1-0");
    play_run(p, 120000);
    play_upgrade(p, "8");
    play_run(p, 120000);
    then_str(play_condition(p, "api-0", COND_UP_TO_DATE), "True");
    then_str(play_condition(p, "api-1", COND_UP_TO_DATE), "True");
    then_str(play_condition(p, "api-2", COND_UP_TO_DATE), "True");
    then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "False");
    then_str(play_broken_promise(p), NULL);
}

/* --- beside a rollout --- */

enum { ROLLOUT_MS = 40000, STRIDE_MS = 1999 };

CAMPAIGN(an_operator_upgrade_during_a_rollout_shares_one_budget_with_it)
{
    for (int64_t after_ms = 0; after_ms < ROLLOUT_MS; after_ms += STRIDE_MS) {
        SCOPED_PLAY p =
            play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}, .workers = 4});

        play_given_fleet(p, "rpc", "{}");
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        play_run(p, after_ms);
        play_upgrade(p, "8");
        play_run(p, 5000);
        then_str(not_upgraded(p, "rpc", "v2"), NULL);
        then_true(play_most_down(p) <= 1);
    }
}

CAMPAIGN(a_rollout_during_an_operator_upgrade_shares_one_budget_with_it)
{
    for (int64_t after_ms = 0; after_ms < ROLLOUT_MS; after_ms += STRIDE_MS) {
        SCOPED_PLAY p =
            play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}, .workers = 4});

        play_given_fleet(p, "rpc", "{}");
        play_upgrade(p, "8");
        play_run(p, after_ms);
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        then_str(not_upgraded(p, "rpc", "v2"), NULL);
        then_true(play_most_down(p) <= 1);
    }
}

CAMPAIGN(an_operator_that_crashes_during_an_upgrade_continues_within_the_budget)
{
    for (int64_t after_ms = 500; after_ms < ROLLOUT_MS; after_ms += STRIDE_MS) {
        SCOPED_PLAY p =
            play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}, .workers = 4});

        play_given_fleet(p, "rpc", "{}");
        play_upgrade(p, "8");
        play_run(p, after_ms);
        replica_crash(play_replica(p, 0));
        play_run(p, 5000);
        then_str(not_upgraded(p, "rpc", "v1"), NULL);
        then_int(play_pods_deleted(p), 3);
        then_int(play_most_down(p), 1);
    }
}

/* --- who is down, and who holds --- */

#define HOLD(word) "{spec: {updateStrategy: {type: 'InPlace', hold: " word "}}}"

TEST(a_fleet_on_hold_is_not_upgraded_until_the_hold_is_removed)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 21}});

    play_given_fleet(p, "rpc", HOLD("true"));
    const char *pods = play_pods(p, "rpc");
    play_upgrade(p, "8");
    play_run(p, QUIET_MS);
    then_str(play_pods(p, "rpc"), pods);
    for (int i = 0; i < 3; i++) {
        const char *child = play_child(p, "rpc", i);
        then_str(play_reason(p, child, COND_UP_TO_DATE), "PlatformDrift");
        then_str(play_condition(p, child, COND_READY), "True");
        then_true(strstr(play_message(p, child, COND_UP_TO_DATE),
            "waits for its turn: updateStrategy.hold of fleet rpc is set; "));
    }
    play_edit_fleet(p, "rpc", HOLD("false"));
    play_run(p, 60000); /* less than the look of one that nobody wakes */
    then_str(not_upgraded(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 3);
    then_int(play_most_down(p), 1);
}

TEST(an_upgrade_waits_for_an_unready_node_and_names_it_and_continues_when_it_recovers)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});

    play_given_fleet(p, "rpc", "{}");
    play_order(p, "never-ready sei/rpc-1-0");
    play_run(p, 60000);
    then_str(play_condition(p, "rpc-1", COND_READY), "False");
    play_upgrade(p, "8");
    play_run(p, 120000);
    then_true(play_pods_deleted(p) <= 1); /* its own, for that may cure it */
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_condition(p, "rpc-2", COND_READY), "True");
    then_str(play_reason(p, "rpc-2", COND_UP_TO_DATE), "PlatformDrift");
    then_true(
        strstr(play_message(p, "rpc-2", COND_UP_TO_DATE), "of fleet rpc may be down at once"));
    play_order(p, "ready-again sei/rpc-1-0");
    play_run(p, 120000); /* less than the look of one that nobody wakes */
    then_str(not_upgraded(p, "rpc", "v1"), NULL);
    then_int(play_most_down(p), 1);
}

TEST(an_upgrade_that_makes_a_bad_pod_stops_after_the_budget)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 23}});

    play_given_fleet(p, "rpc", "{}");
    play_order(p, "bad-image kube-rbac-proxy:bad");
    play_settings(p)->proxy_image = "quay.io/brancz/kube-rbac-proxy:bad";
    play_upgrade(p, "4");
    play_run(p, QUIET_MS);
    then_int(play_pods_deleted(p), 1);
    then_int(play_most_down(p), 1);
    then_str(play_broken_promise(p), NULL);
}
