/* The operator is replaced by one that makes other pods. Nodes of no fleet follow in turn: as many
 * at once as --platform-max-unavailable says, of each chain in each namespace. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

enum { STEP_MS = 500, UPGRADE_MS = 280000, QUIET_MS = 600000 }; /* nobody looks again so early */

#define ARCTIC "{spec: {chainId: 'arctic-1'}}"

static void given_nodes(Play *p, const char *const *names, const char *change)
{
    for (; *names; names++)
        play_create_node(p, *names, change);
}

static bool is_down(Play *p, const char *node)
{
    const Json *pod = play_find(p, kind_pod, name_pod(play_arena(p), node));

    return !pod || meta_deleting(pod) || !pod_is_ready(pod);
}

static int count_down(Play *p, const char *const *names)
{
    int count = 0;

    for (; *names; names++)
        count += is_down(p, *names);
    return count;
}

/* The most that were down at once, of two groups, and of both together. */
typedef struct Most {
    int one, other, both;
} Most;

static int higher(int left, int right)
{
    return left > right ? left : right;
}

static Most watch(Play *p, const char *const *one, const char *const *other, int64_t for_ms)
{
    Most most = {0};

    for (int64_t ms = 0; ms < for_ms; ms += STEP_MS) {
        play_run(p, STEP_MS);
        int of_one = count_down(p, one), of_other = count_down(p, other);
        most.one = higher(most.one, of_one);
        most.other = higher(most.other, of_other);
        most.both = higher(most.both, of_one + of_other);
    }
    return most;
}

static int count_upgraded(Play *p, const char *const *names)
{
    int count = 0;

    for (; *names; names++)
        count += str_eq(play_condition(p, *names, COND_UP_TO_DATE), "True");
    return count;
}

static const char *const pacific[] = {"rpc-0", "rpc-1", "rpc-2", NULL};
static const char *const arctic[] = {"arc-0", "arc-1", "arc-2", NULL};
static const char *const nobody[] = {NULL};

TEST(each_chain_is_upgraded_one_by_one_and_no_chain_waits_for_another)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}, .workers = 4});

    given_nodes(p, pacific, "{}");
    given_nodes(p, arctic, ARCTIC);
    then_str(play_settle(p), NULL);
    play_mark(p);
    play_upgrade(p, "8");
    Most most = watch(p, pacific, arctic, UPGRADE_MS);
    then_int(most.one, 1);
    then_int(most.other, 1);
    then_int(most.both, 2);
    then_int(count_upgraded(p, pacific) + count_upgraded(p, arctic), 6);
    then_int(play_pods_deleted(p), 6);
    then_str(play_settle(p), NULL);
}

TEST(an_upgrade_stops_as_many_nodes_at_once_as_the_flag_allows)
{
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 2}, .workers = 4, .platform_max_unavailable = 2});

    given_nodes(p, pacific, "{}");
    given_nodes(p, arctic, "{}");
    then_str(play_settle(p), NULL);
    play_mark(p);
    play_upgrade(p, "8");
    then_int(watch(p, pacific, arctic, UPGRADE_MS).both, 2);
    then_int(play_pods_deleted(p), 6);
    then_str(play_settle(p), NULL);
}

CAMPAIGN(an_operator_that_crashes_during_an_upgrade_stops_no_second_node)
{
    for (int64_t after_ms = 500; after_ms < 15000; after_ms += 1499) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}});

        given_nodes(p, pacific, "{}");
        then_str(play_settle(p), NULL);
        play_mark(p);
        play_upgrade(p, "8");
        then_true(watch(p, pacific, nobody, after_ms).one <= 1);
        replica_crash(play_replica(p, 0));
        then_int(watch(p, pacific, nobody, 120000).one, 1);
        then_int(count_upgraded(p, pacific), 3);
        then_int(play_pods_deleted(p), 3);
    }
}

/* The first who is down, or NULL. */
static const char *who_is_down(Play *p)
{
    for (const char *const *name = pacific; *name; name++)
        if (is_down(p, *name))
            return *name;
    return NULL;
}

/* Whoever of the two was first in line: the other is not held up by him. */
TEST(a_node_whose_spec_is_refused_while_it_waits_leaves_the_permit_queue)
{
    for (int victim = 0; victim < 2; victim++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});
        const char *waiting[2] = {"rpc-0", "rpc-1"};
        int count = 0;

        given_nodes(p, pacific, "{}");
        then_str(play_settle(p), NULL);
        play_upgrade(p, "8");
        while (!who_is_down(p))
            play_run(p, STEP_MS);
        for (const char *const *name = pacific; *name; name++)
            if (!str_eq(*name, who_is_down(p)) && count < 2)
                waiting[count++] = *name;
        play_patch(p, kind_seinode, waiting[victim], "{spec: {sidecar: {port: 99999}}}");
        play_run(p, 120000);
        then_str(play_reason(p, waiting[victim], COND_STALLED), "InvalidSpec");
        then_str(play_condition(p, waiting[1 - victim], COND_UP_TO_DATE), "True");
    }
}

/* --- who counts --- */

TEST(an_unready_node_uses_the_budget_and_is_upgraded_first_and_named)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_nodes(p, pacific, "{}");
    then_str(play_settle(p), NULL);
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, 60000);
    play_mark(p);
    play_upgrade(p, "8");
    play_run(p, QUIET_MS);
    then_int(count_down(p, pacific), 1);
    then_int(play_pods_deleted(p), 1);
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "PlatformDrift");
    then_true(strstr(play_message(p, "rpc-0", COND_UP_TO_DATE),
        "at most 1 node of chain pacific-1 in namespace sei may be down at once "
        "(--platform-max-unavailable), and rpc-2 is"));
    play_order(p, "ready-again sei/rpc-2-0");
    then_int(watch(p, pacific, nobody, UPGRADE_MS).one, 1);
    then_int(count_upgraded(p, pacific), 3);
    then_int(play_pods_deleted(p), 3);
}

TEST(an_unready_node_that_is_paused_no_longer_blocks_the_upgrade)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_nodes(p, pacific, "{}");
    then_str(play_settle(p), NULL);
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, 60000);
    play_upgrade(p, "8");
    play_run(p, 60000);
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "PlatformDrift");
    play_patch(p, kind_seinode, "rpc-2", "{spec: {paused: true}}");
    play_run(p, UPGRADE_MS);
    then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
    then_str(play_condition(p, "rpc-1", COND_UP_TO_DATE), "True");
}

static void pause_one(Play *p)
{
    play_patch(p, kind_seinode, "rpc-2", "{spec: {paused: true}}");
}

static void scale_to_none(Play *p)
{
    play_scale(p, "rpc-2", 0);
}

static void add_one_that_never_runs(Play *p)
{
    play_order(p, "bad-image seid:never");
    play_create_node(p, "rpc-9", "{spec: {image: 'ghcr.io/example/seid:never'}}");
}

static const struct {
    const char *name;
    void (*happens)(Play *p);
    int upgraded;
} troubles[] = {
    {"one is paused", pause_one, 2},
    {"one is scaled to 0 by hand", scale_to_none, 2},
    {"one never was Running", add_one_that_never_runs, 3},
};

TEST(nodes_that_do_not_count_as_unavailable_do_not_block_an_upgrade)
{
    each_case(i, troubles) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_nodes(p, pacific, "{}");
        then_str(play_settle(p), NULL);
        troubles[i].happens(p);
        play_run(p, 60000);
        play_upgrade(p, "8");
        play_run(p, UPGRADE_MS);
        then_int(count_upgraded(p, pacific), troubles[i].upgraded);
    }
}

/* A person who edits a node of no fleet does not wait for the platform. */
TEST(an_edit_of_the_spec_of_a_node_needs_no_permit)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_nodes(p, pacific, "{}");
    then_str(play_settle(p), NULL);
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, 60000);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    play_run(p, 60000);
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
}
