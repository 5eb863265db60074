/* Permits: a table of what is promised, then every domain of up to four nodes. */
#include "sei/plan/permit.h"

#include "sei/api/fleet_hash.h"
#include "sei/plan/fleet_plan.h"
#include "tests/sei/fleets.h"
#include "tests/test.h"

#include <string.h>

enum { NODES_MAX = 4, LONG_MS = 3600000 };

/* A node is a letter. What it counts for stands here once more, by hand. */
static const struct {
    char letter;
    const char *about;
    BatchNode health;
    bool held, in_flight, down_in_fleet, down_alone;
} states[] = {
    {'a', "available", {.serves = true, .once_ready = true}, 0, 0, 0, 0},
    {'s', "sick", {.once_ready = true}, 0, 0, 1, 1},
    {'n', "never was Running", {0}, 0, 0, 0, 0},
    {'f', "failed", {.failed = true}, 0, 0, 0, 0},
    {'F', "failed, after it had run", {.failed = true, .once_ready = true}, 0, 0, 1, 0},
    {'p', "paused", {.paused = true, .once_ready = true}, 0, 0, 1, 0},
    {'P',
        "paused in its update",
        {.paused = true, .once_ready = true, .updating = true, .disturbed = true},
        0,
        0,
        1,
        0},
    {'d', "being deleted", {.serves = true, .once_ready = true, .leaving = true}, 0, 0, 1, 0},
    {'w', "just written", {.serves = true, .once_ready = true, .disturbed = true}, 0, 0, 1, 1},
    {'u',
        "being updated",
        {.serves = true, .once_ready = true, .updating = true, .disturbed = true},
        0,
        1,
        1,
        1},
    {'h', "has a permit, and serves", {.serves = true, .once_ready = true}, 1, 1, 1, 1},
    {'H', "has a permit, and is down", {.once_ready = true}, 1, 1, 1, 1},
};

static const char *const names[NODES_MAX] = {"rpc-0", "rpc-1", "rpc-2", "rpc-3"};

static size_t state_of(char letter)
{
    size_t i = 0;

    while (states[i].letter != letter)
        i++;
    return i;
}

/* A domain whose first node asks. */
typedef struct Domain {
    PermitNode nodes[NODES_MAX];
    FleetStrategy strategy;
    PermitQuestion question;
} Domain;

static void domain_of(Domain *ret, const char *word, int64_t budget, bool is_fleet)
{
    *ret = (Domain){.strategy = {.max_unavailable = {.value = budget}}};
    for (size_t i = 0; word[i]; i++) {
        size_t state = state_of(word[i]);
        ret->nodes[i] = (PermitNode){
            .name = names[i], .health = states[state].health, .held = states[state].held};
        ret->nodes[i].health.ordinal = (int64_t)i;
        ret->nodes[i].health.since_ms = LONG_MS;
    }
    ret->question = (PermitQuestion){
        .domain = is_fleet ? "fleet rpc" : "chain pacific-1",
        .limit = is_fleet ? "maxUnavailable" : "--platform-max-unavailable",
        .strategy = is_fleet ? &ret->strategy : NULL,
        .replicas = NODES_MAX,
        .budget = budget,
        .nodes = ret->nodes,
        .count = strlen(word),
        .asker = &ret->nodes[0],
    };
}

/* --- the promises, in words --- */

static const struct {
    const char *name, *domain;
    int64_t budget;
    bool is_fleet;
    const char *sentence; /* NULL: granted */
} cases[] = {
    {"a single node", "a", 1, true, NULL},
    {"one of three available nodes", "aaa", 1, true, NULL},
    {"an unready node counts",
        "aas",
        1,
        true,
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-2 is"},
    {"two nodes may be down, and only one is", "aas", 2, true, NULL},
    {"two nodes may be down, and both are",
        "aass",
        2,
        false,
        "at most 2 nodes of chain pacific-1 may be down at once (--platform-max-unavailable), and "
        "rpc-2, rpc-3 are"},
    {"a node with a permit counts",
        "aha",
        1,
        false,
        "at most 1 node of chain pacific-1 may be down at once (--platform-max-unavailable), and "
        "rpc-1 is being updated"},
    {"a node that is being updated counts",
        "aua",
        1,
        true,
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-1 is being "
        "updated"},
    {"a node that was just written counts",
        "awa",
        1,
        true,
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-1 is"},
    {"a node that never was Running does not count", "ana", 1, true, NULL},
    {"a node whose init failed does not count", "afa", 1, true, NULL},
    {"a paused node of a fleet counts",
        "apa",
        1,
        true,
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-1 is"},
    {"a paused node of no fleet does not count", "apa", 1, false, NULL},
    {"a failed node of no fleet does not count", "aFa", 1, false, NULL},
    {"a node of no fleet that is being deleted does not count", "ada", 1, false, NULL},
    {"an unready node is not denied its own update", "ssa", 1, true, NULL},
    {"an unready node waits for a node that is being updated",
        "sua",
        1,
        true,
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-1 is being "
        "updated"},
    {"a node is not denied because of its own unavailability", "waa", 1, true, NULL},
    {"no budget at all",
        "a",
        0,
        false,
        "--platform-max-unavailable is 0: nothing is stopped for a change of the operator"},
};

TEST(each_disruption_domain_grants_or_denies_a_permit_as_the_table_says)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        PermitVerdict verdict;
        Domain d;

        domain_of(&d, cases[i].domain, cases[i].budget, cases[i].is_fleet);
        plan_permit(a, &d.question, &verdict);
        then_int(verdict.granted, cases[i].sentence == NULL);
        then_str(verdict.sentence, cases[i].sentence);
    }
}

TEST(a_permit_waits_until_every_node_has_been_ready_for_the_minimum_time)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PermitVerdict verdict;
    Domain d;

    domain_of(&d, "aaa", 1, true);
    d.strategy.min_ready_seconds = 30;
    d.nodes[1].health.since_ms = 12000;
    plan_permit(a, &d.question, &verdict);
    then_true(!verdict.granted && !verdict.full);
    then_int(verdict.look_again_ms, 18000);
    d.nodes[1].health.since_ms = 30000;
    plan_permit(a, &d.question, &verdict);
    then_true(verdict.granted);
}

TEST(nodes_beyond_the_replicas_use_no_disruption_budget)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PermitVerdict verdict;
    Domain d;

    domain_of(&d, "aas", 1, true);
    d.question.replicas = 2;
    plan_permit(a, &d.question, &verdict);
    then_true(verdict.granted);
}

TEST(a_node_that_joins_the_permit_queue_gets_the_same_message)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Domain d;

    domain_of(&d, "aas", 1, true);
    d.question.asker = NULL;
    then_str(permit_line_sentence(a, &d.question),
        "at most 1 node of fleet rpc may be down at once (maxUnavailable), and rpc-2 is");
    d.question.closed = "fleet rpc is paused";
    then_str(permit_line_sentence(a, &d.question), "fleet rpc is paused");
}

/* --- every domain --- */

typedef struct Sum {
    size_t in_flight, down;
} Sum;

static Sum sum_of_others(const char *word, bool is_fleet)
{
    Sum sum = {0};

    for (size_t i = 1; word[i]; i++) {
        size_t state = state_of(word[i]);
        sum.in_flight += states[state].in_flight;
        sum.down += is_fleet ? states[state].down_in_fleet : states[state].down_alone;
    }
    return sum;
}

static void then_it_is_right(Arena *a, const char *word, int64_t budget, bool is_fleet)
{
    Sum others = sum_of_others(word, is_fleet);
    bool serves = states[state_of(word[0])].health.serves;
    PermitVerdict v, sick;
    Domain d;

    domain_of(&d, word, budget, is_fleet);
    plan_permit(a, &d.question, &v);
    then_int((int)v.in_flight, (int)others.in_flight);
    then_int((int)v.down, (int)others.down);
    if (v.granted) {
        then_true(!v.sentence && (int64_t)others.in_flight < budget);
        then_true(!serves || (int64_t)others.down < budget); /* with it never more than budget */
        return;
    }
    then_true(v.sentence && *v.sentence);
    then_true(budget == 0 || strstr(v.sentence, "rpc-")); /* for whom */
    then_true(budget == 0 || (int64_t)others.in_flight >= budget || serves);
    then_true((int64_t)others.down >= budget);
    d.nodes[0].health.serves = false;
    plan_permit(a, &d.question, &sick);
    then_int(v.full, !sick.granted);
}

/* The next word of so many letters, as one counts; false after the last. */
static bool next_word(char *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t state = state_of(word[i]) + 1;
        word[i] = states[state % array_count(states)].letter;
        if (state < array_count(states))
            return true;
    }
    return false;
}

TEST(in_every_domain_at_most_as_many_nodes_are_stopped_as_the_budget_allows)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    size_t checked = 0;

    for (size_t count = 1; count <= NODES_MAX; count++) {
        char word[NODES_MAX + 1] = {0};
        memset(word, states[0].letter, count);
        do {
            for (int64_t budget = 0; budget <= 3; budget++, checked += 2, arena_reset(a)) {
                then_it_is_right(a, word, budget, true);
                then_it_is_right(a, word, budget, false);
            }
        } while (next_word(word, count));
    }
    print_message("# %zu domains\n", checked);
    then_true(checked > 100000);
}

/* --- fleets that stop nothing --- */

static const struct {
    const char *name, *fleet, *closed;
} closed[] = {
    {"none", "{}", NULL},
    {"on hold",
        "{spec: {updateStrategy: {type: 'InPlace', hold: true}}}",
        "updateStrategy.hold of fleet rpc is set"},
    {"paused", "{spec: {paused: true}}", "fleet rpc is paused"},
    {"being deleted",
        "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}}",
        "fleet rpc is being deleted"},
    {"another template failed", "{status: {rollout: {targetHash: 't', failedHash: 'x'}}}", NULL},
};

TEST(a_fleet_that_grants_no_permit_gives_the_reason)
{
    each_case(i, closed) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Fleet *fleet = sample_fleet(a, closed[i].fleet);

        then_str(permit_fleet_closed(a, fleet), closed[i].closed);
    }
}

TEST(a_failed_rollout_grants_no_permit_until_it_is_retried)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Fleet *fleet = sample_fleet(a, NULL);
    const char *revision;

    then_ok(fleet_revision(a, fleet->spec.template, &revision));
    fleet->status.rollout.failed_hash = plan_fleet_attempt(a, revision, NULL);
    then_true(strstr(permit_fleet_closed(a, fleet), "has failed and is held"));
    fleet->retry = "again";
    then_str(permit_fleet_closed(a, fleet), NULL);
    fleet->retry = NULL;
    fleet->spec.strategy.rolls_back = true;
    fleet->status.complete_revision = "the one before";
    then_str(permit_fleet_closed(a, fleet), NULL);
}
