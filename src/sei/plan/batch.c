/* The batch decision. Everything is counted first, then nodes are taken in their order until the
 * budget is spent: so the verdict on each follows from numbers that can be told to people. */
#include "sei/plan/batch.h"

#include "base/str.h"

int64_t batch_budget(const FleetStrategy *strategy, int64_t replicas, bool validators)
{
    int64_t budget = int_or_percent_of(strategy->max_unavailable, replicas, ROUND_DOWN);
    int64_t tolerated = (replicas + 2) / 3 - 1; /* fewer than a third, so that blocks go on */

    if (validators && budget > tolerated)
        budget = tolerated;
    return budget > 1 ? budget : 1;
}

bool batch_is_available(const FleetStrategy *strategy, const BatchNode *node)
{
    return node->serves && !node->disturbed && !node->leaving
        && node->since_ms >= strategy->min_ready_seconds * 1000;
}

/* --- what is asked of one node --- */

static bool is_counted(const Batch *b, const BatchNode *node)
{
    return node->ordinal < b->replicas;
}

static bool is_in_scope(const Batch *b, const BatchNode *node)
{
    return is_counted(b, node) && node->ordinal >= b->strategy->partition;
}

/* A node that refuses the target may well be available: it has never followed. */
static bool has_arrived(const Batch *b, const BatchNode *node)
{
    return batch_is_available(b->strategy, node) && !node->refuses;
}

/* Skipped ones are not: nobody knows whether they ever arrive. */
static bool is_in_flight(const Batch *b, const BatchNode *node)
{
    return node->on_target && !node->paused && !node->failed && !has_arrived(b, node);
}

static bool is_down(const Batch *b, const BatchNode *node)
{
    return node->once_ready && !batch_is_available(b->strategy, node);
}

/* It does not serve, or its update is under way and stops it at any moment: to write it takes
 * nobody down. */
static bool is_out(const BatchNode *node)
{
    return !node->serves || node->updating;
}

/* For how long seid must have been down. To come back from a pause takes longer the longer that
 * was, and nobody can tell who is on his way from who never arrives. */
static int64_t halted_after_ms(const Batch *b, const BatchNode *node)
{
    int64_t to_come_back_ms = b->strategy->progress_deadline_seconds * 1000 / 2;

    return BATCH_HALTED_MS + (node->resumed ? to_come_back_ms : 0);
}

static bool is_seid_down(const BatchNode *node)
{
    return !node->serves && node->seid_down;
}

static bool has_halted(const Batch *b, const BatchNode *node)
{
    return is_seid_down(node) && node->down_ms >= halted_after_ms(b, node);
}

/* The verdict that needs no budget, or BATCH_WRITE for a node that would be written. */
static BatchVerdict judge_alone(const Batch *b, const BatchNode *node)
{
    if (!is_counted(b, node))
        return BATCH_SURPLUS;
    if (node->leaving)
        return BATCH_LEAVING;
    if (node->on_target) {
        if (has_arrived(b, node))
            return BATCH_UPDATED;
        if (node->paused)
            return BATCH_PAUSED;
        return node->failed ? BATCH_FAILED : BATCH_COMING;
    }
    if (!is_in_scope(b, node))
        return BATCH_BELOW_PARTITION;
    if (node->paused)
        return BATCH_PAUSED;
    return b->strategy->hold || b->overdue ? BATCH_HELD : BATCH_WRITE;
}

/* --- the whole fleet --- */

static int64_t time_left_ms(const Batch *b, const BatchNode *node)
{
    if (node->serves)
        return b->strategy->min_ready_seconds * 1000 - node->since_ms;
    return is_seid_down(node) ? halted_after_ms(b, node) - node->down_ms : 0;
}

/* Time alone makes a node available, or a fleet halted. */
static void note_time(Batch *b, int64_t left)
{
    if (left > 0 && (!b->look_again_ms || left < b->look_again_ms))
        b->look_again_ms = left;
}

static void count_all(Batch *b)
{
    size_t in_scope = 0, down = 0, standing = 0;

    for (size_t i = 0; i < b->count; i++) {
        const BatchNode *node = &b->nodes[i];
        if (!is_counted(b, node))
            continue;
        b->in_flight += is_in_flight(b, node);
        b->down += is_down(b, node);
        note_time(b, time_left_ms(b, node));
        if (!is_in_scope(b, node))
            continue;
        in_scope++;
        down += is_seid_down(node);
        standing += has_halted(b, node);
    }
    b->all_down = in_scope > 0 && down == in_scope;
    if (b->all_down)
        note_time(b, BATCH_HALTED_MS - b->all_down_seen_ms);
    b->halted = b->caused_by_spec && b->all_down && standing == in_scope
        && b->all_down_seen_ms >= BATCH_HALTED_MS;
}

typedef struct Spent {
    size_t in_flight, down;
} Spent;

/* The candidate is not counted against itself: else it would hold up its own revert. */
static bool takes_too_many(const Batch *b, const BatchNode *node, const Spent *spent)
{
    return !is_out(node) && spent->down - is_down(b, node) >= (size_t)b->budget;
}

static BatchVerdict judge_candidate(const Batch *b, const BatchNode *node, Spent *spent)
{
    if (!b->halted && spent->in_flight >= (size_t)b->budget)
        return BATCH_IN_FLIGHT;
    if (!b->halted && takes_too_many(b, node, spent))
        return BATCH_DOWN;
    spent->in_flight++;
    spent->down += node->once_ready && !is_down(b, node);
    return BATCH_WRITE;
}

/* Who has least to lose comes first. */
typedef enum Turn { TURN_OUT, TURN_DOWN, TURN_AVAILABLE, TURN_COUNT } Turn;

static Turn turn_of(const Batch *b, const BatchNode *node)
{
    if (is_out(node))
        return TURN_OUT;
    return is_down(b, node) ? TURN_DOWN : TURN_AVAILABLE;
}

/* Those of one turn, from the highest ordinal. */
static void spend_budget(Batch *b, Turn turn, Spent *spent)
{
    for (size_t i = b->count; i-- > 0;) {
        if (b->verdicts[i] != BATCH_WRITE || turn_of(b, &b->nodes[i]) != turn)
            continue;
        b->verdicts[i] = judge_candidate(b, &b->nodes[i], spent);
        b->write_count += b->verdicts[i] == BATCH_WRITE;
    }
}

static bool is_settled(BatchVerdict verdict)
{
    return verdict == BATCH_UPDATED || verdict == BATCH_PAUSED || verdict == BATCH_FAILED
        || verdict == BATCH_BELOW_PARTITION || verdict == BATCH_SURPLUS;
}

static void sum_up(Batch *b)
{
    int64_t present = 0, on_target = 0;

    b->complete = true;
    for (size_t i = 0; i < b->count; i++) {
        if (!is_counted(b, &b->nodes[i]))
            continue;
        present++;
        on_target += b->nodes[i].on_target && !b->nodes[i].leaving;
        if (!is_settled(b->verdicts[i]))
            b->complete = false;
    }
    b->complete = b->complete && present == b->replicas;
    b->everywhere = on_target == b->replicas && b->strategy->partition == 0;
}

void plan_batch(Batch *b)
{
    b->budget = batch_budget(b->strategy, b->replicas, b->validators);
    b->in_flight = b->down = b->write_count = 0;
    b->look_again_ms = 0;
    count_all(b);
    for (size_t i = 0; i < b->count; i++)
        b->verdicts[i] = judge_alone(b, &b->nodes[i]);
    Spent spent = {.in_flight = b->in_flight, .down = b->down};
    for (Turn turn = TURN_OUT; turn < TURN_COUNT; turn++)
        spend_budget(b, turn, &spent);
    sum_up(b);
}

/* --- for people --- */

bool batch_is_pending(BatchVerdict verdict)
{
    return verdict == BATCH_WRITE || verdict == BATCH_HELD || verdict == BATCH_IN_FLIGHT
        || verdict == BATCH_DOWN;
}

RolloutState batch_state(BatchVerdict verdict)
{
    switch (verdict) {
    case BATCH_UPDATED:
        return ROLLOUT_UPDATED;
    case BATCH_WRITE:
    case BATCH_COMING:
        return ROLLOUT_UPDATING;
    case BATCH_FAILED:
    case BATCH_PAUSED:
    case BATCH_BELOW_PARTITION:
    case BATCH_SURPLUS:
        return ROLLOUT_SKIPPED;
    case BATCH_LEAVING:
    case BATCH_HELD:
    case BATCH_IN_FLIGHT:
    case BATCH_DOWN:
        return ROLLOUT_PENDING;
    case BATCH_VERDICT_COUNT:
        break;
    }
    BUG("a verdict on a node out of its range");
}

typedef bool BatchQuestion(const Batch *b, const BatchNode *node);

static bool is_taken_down(const Batch *b, const BatchNode *node)
{
    return is_down(b, node) || b->verdicts[node - b->nodes] == BATCH_WRITE;
}

static bool is_on_its_way(const Batch *b, const BatchNode *node)
{
    return is_in_flight(b, node) || b->verdicts[node - b->nodes] == BATCH_WRITE;
}

enum { NAMES_MAX = 5 };

/* "rpc-4, rpc-2": the others of whom it is true, but not too many. */
static const char *names_of(
    Arena *a, const Batch *b, size_t but, BatchQuestion *is, const char *fleet)
{
    const char *names = "";
    size_t count = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (i == but || !is_counted(b, &b->nodes[i]) || !is(b, &b->nodes[i]))
            continue;
        if (count++ >= NAMES_MAX)
            continue;
        const char *name = str_format(a,
            "%s%s",
            fleet_child_name(a, fleet, b->nodes[i].ordinal),
            b->nodes[i].paused ? " (paused)" : "");
        names = *names ? str_format(a, "%s, %s", names, name) : name;
    }
    return count > NAMES_MAX ? str_format(a, "%s and %zu more", names, count - NAMES_MAX) : names;
}

/* Without a clock in it: it is stored, and a status is not written every second. */
static const char *coming_sentence(Arena *a, const Batch *b, const BatchNode *node)
{
    if (!node->serves)
        return "was updated, and is not available yet";
    if (node->refuses)
        return "was written, and refuses it: its condition Stalled says why";
    if (node->disturbed)
        return "was written, and its pod is yet to be replaced";
    return str_format(a,
        "was updated and serves; it counts as available after %lld s (minReadySeconds)",
        (long long)b->strategy->min_ready_seconds);
}

const char *batch_sentence(Arena *a, const Batch *b, size_t node, const char *name)
{
    long long budget = (long long)b->budget;

    switch (b->verdicts[node]) {
    case BATCH_WRITE:
        return b->halted ? "is updated now, with all others: the whole fleet has halted"
                         : "is updated now";
    case BATCH_UPDATED:
        return "is on the target and available";
    case BATCH_COMING:
        return coming_sentence(a, b, &b->nodes[node]);
    case BATCH_FAILED:
        return "was updated and has failed; the rollout does not wait for it";
    case BATCH_PAUSED:
        return "is paused or scaled to 0, and left alone; it is updated when that has ended";
    case BATCH_BELOW_PARTITION:
        return str_format(a,
            "keeps its revision: its ordinal is below the partition %lld",
            (long long)b->strategy->partition);
    case BATCH_SURPLUS:
        return "is beyond the replicas and will be deleted";
    case BATCH_LEAVING:
        return "is being deleted, and will be made anew";
    case BATCH_HELD:
        return b->overdue
            ? "waits: the rollout has stopped at its progress deadline; edit the template, or set "
              "the annotation sei.io/retry of the fleet to a new value"
            : "waits: updateStrategy.hold is set";
    case BATCH_IN_FLIGHT:
        return str_format(a,
            "waits: at most %lld may be updated at once, and %s is not available yet",
            budget,
            names_of(a, b, node, is_on_its_way, name));
    case BATCH_DOWN:
        return str_format(a,
            "waits: at most %lld may be unavailable, and %s is",
            budget,
            names_of(a, b, node, is_taken_down, name));
    case BATCH_VERDICT_COUNT:
        break;
    }
    BUG("a verdict on a node out of its range");
}
