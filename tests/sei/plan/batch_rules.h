/* The rules of batch.h, written down once more and the other way round: not how a batch is chosen,
 * but what must be true of one that was. Together they leave no choice: for each node there is one
 * verdict that keeps them all. */
#ifndef TESTS_SEI_PLAN_BATCH_RULES_H
#define TESTS_SEI_PLAN_BATCH_RULES_H

#include "sei/plan/batch.h"
#include "tests/test.h"

/* --- every state that a node may be in ---------------------------------------------------------*/

enum { AGE_LONG_MS = 3600000, DEADLINE_S = 1800 };

/* Too short for anything; too short after a pause; long enough for everything. */
static const int64_t ages_ms[] = {1000, 300000, AGE_LONG_MS};

enum { QUALITIES = 12, STATES = (1 << QUALITIES) * array_count(ages_ms) };

/* One whose update is under way is disturbed: batch.h. So half of those are the other half. */
static inline BatchNode state_of(int number)
{
    return (BatchNode){
        .on_target = number & 1,
        .serves = number & 2,
        .updating = number & 4,
        .disturbed = number & (4 | 8),
        .awaits = number & 16,
        .refuses = number & 32,
        .once_ready = number & 64,
        .paused = number & 128,
        .failed = number & 256,
        .leaving = number & 512,
        .resumed = number & 1024,
        .since_ms = ages_ms[number >> QUALITIES],
        .seid_down = number & 2048,
        .down_ms = number & 2048 ? ages_ms[number >> QUALITIES] : 0,
    };
}

/* --- one node ----------------------------------------------------------------------------------*/

/* What the rules say of one node, whoever the others are. */
typedef struct Fact {
    BatchVerdict alone;  /* its verdict without a budget; BATCH_WRITE: a candidate */
    BatchVerdict behind; /* the same below the partition */
    bool out;            /* to write it takes nobody down */
    bool up;             /* to write it takes it down */
    bool down, flight, halted;
    bool arrives; /* it is on the target, and stays */
} Fact;

static inline BatchVerdict verdict_alone(const BatchNode *n, bool arrived, bool in_scope)
{
    if (n->leaving)
        return BATCH_LEAVING;
    if (n->on_target && arrived)
        return BATCH_UPDATED;
    if (!n->on_target && !in_scope)
        return BATCH_BELOW_PARTITION;
    if (n->paused)
        return BATCH_PAUSED;
    if (!n->on_target)
        return BATCH_WRITE;
    return n->failed ? BATCH_FAILED : BATCH_COMING;
}

static inline Fact fact_of(const BatchNode *n, const FleetStrategy *strategy)
{
    bool available = n->serves && n->since_ms >= strategy->min_ready_seconds * 1000 && !n->disturbed
        && !n->leaving;
    bool arrived = available && !n->refuses;
    int64_t grace_ms = n->resumed ? strategy->progress_deadline_seconds * 500 : 0;

    return (Fact){
        .alone = verdict_alone(n, arrived, true),
        .behind = verdict_alone(n, arrived, false),
        .out = n->updating || !n->serves,
        .up = n->once_ready && available,
        .down = n->once_ready && !available,
        .flight = n->on_target && !arrived && !n->paused && !n->failed,
        .halted = !n->serves && n->seid_down && n->down_ms >= BATCH_HALTED_MS + grace_ms,
        .arrives = n->on_target && !n->leaving,
    };
}

static inline bool is_left_in_peace(BatchVerdict verdict)
{
    return verdict == BATCH_UPDATED || verdict == BATCH_PAUSED || verdict == BATCH_FAILED
        || verdict == BATCH_BELOW_PARTITION;
}

/* All that others may notice of a node, from the partition on or behind it. */
static inline int effect_of(const Fact *fact, bool behind)
{
    BatchVerdict verdict = behind ? fact->behind : fact->alone;
    bool is_candidate = verdict == BATCH_WRITE;

    return fact->flight | fact->down << 1 | is_left_in_peace(verdict) << 2
        | (!behind && fact->halted) << 3 | is_candidate << 4 | (is_candidate && fact->out) << 5
        | (is_candidate && fact->up) << 6;
}
/* --- a decision --------------------------------------------------------------------------------*/

typedef struct Tally {
    size_t present, arrived, settled, in_scope, halted, flight, down; /* before */
    size_t candidates, writes, taken_down;                            /* by the decision */
    bool waits; /* a candidate came before that was not written */
} Tally;

static inline bool is_scoped(const Batch *b, size_t i)
{
    return b->nodes[i].ordinal < b->replicas && b->nodes[i].ordinal >= b->strategy->partition;
}

static inline Tally tally_before(const Batch *b, const Fact *const *facts)
{
    Tally t = {0};

    for (size_t i = 0; i < b->count; i++) {
        const Fact *fact = facts[i];
        bool scoped = is_scoped(b, i);
        if (b->nodes[i].ordinal >= b->replicas)
            continue;
        t.present++;
        t.arrived += fact->arrives;
        t.flight += fact->flight;
        t.down += fact->down;
        t.in_scope += scoped;
        t.halted += scoped && fact->halted;
        t.settled += is_left_in_peace(scoped ? fact->alone : fact->behind);
    }
    return t;
}

/* The verdicts that leave no choice. */
static inline bool is_told_alone(const Batch *b, const Fact *const *facts, size_t i, bool held)
{
    BatchVerdict verdict = b->verdicts[i];
    bool scoped = is_scoped(b, i);

    if (b->nodes[i].ordinal >= b->replicas)
        return verdict == BATCH_SURPLUS;
    if (!scoped || facts[i]->alone != BATCH_WRITE)
        return verdict == (scoped ? facts[i]->alone : facts[i]->behind);
    if (held)
        return verdict == BATCH_HELD;
    return verdict == BATCH_WRITE || verdict == BATCH_IN_FLIGHT || verdict == BATCH_DOWN;
}

enum { TURNS = 3 };

static inline int turn_by_fact(const Fact *fact)
{
    return fact->out ? 0 : fact->down ? 1 : 2;
}

/* In the order of writing: those who are out, those who are down, all others, each from the highest
 * ordinal; whoever waits is the last who is asked. */
static inline bool tally_writes(const Batch *b, const Fact *const *facts, Tally *t)
{
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = b->count; i-- > 0;) {
            if (!is_scoped(b, i) || facts[i]->alone != BATCH_WRITE
                || turn_by_fact(facts[i]) != turn)
                continue;
            t->candidates++;
            if (b->verdicts[i] != BATCH_WRITE) {
                t->waits = true;
                continue;
            }
            if (t->waits)
                return false;
            t->writes++;
            t->taken_down += facts[i]->up;
        }
    return true;
}

/* Nobody is written beyond the budget, and whoever waits does so for the first reason that is true,
 * and is not himself. */
static inline bool is_within(
    const Batch *b, const Fact *const *facts, const Tally *t, size_t budget)
{
    size_t flight = t->flight + t->writes, down = t->down + t->taken_down;

    if (t->writes > 0 && flight > budget)
        return false;
    if (t->taken_down > 0 && down > budget)
        return false;
    for (size_t i = 0; i < b->count; i++) {
        bool is_full = down - facts[i]->down >= budget;
        switch (b->verdicts[i]) {
        case BATCH_WRITE:
            if (!facts[i]->out && facts[i]->down && t->down > budget)
                return false;
            break;
        case BATCH_IN_FLIGHT:
            if (flight < budget)
                return false;
            break;
        case BATCH_DOWN:
            if (flight >= budget || facts[i]->out || !is_full)
                return false;
            break;
        default:
            break;
        }
    }
    return true;
}

/* The first rule that is broken, or NULL. */
static inline const char *broken_rule(
    const Batch *b, const Fact *const *facts, size_t budget, Tally *t)
{
    bool held = b->strategy->hold || b->overdue;

    *t = tally_before(b, facts);
    bool halted = b->caused_by_spec && t->in_scope > 0 && t->halted == t->in_scope
        && b->all_down_seen_ms >= BATCH_HALTED_MS;
    for (size_t i = 0; i < b->count; i++)
        if (!is_told_alone(b, facts, i, held))
            return "a verdict that needs no budget";
    if (!tally_writes(b, facts, t))
        return "the order of writing";
    if ((size_t)b->budget != budget || b->write_count != t->writes || b->in_flight != t->flight
        || b->down != t->down || b->halted != halted)
        return "the sums that people are told";
    if (b->complete != (t->settled == t->present && (int64_t)t->present == b->replicas))
        return "when a rollout is complete";
    if (b->everywhere != ((int64_t)t->arrived == b->replicas && b->strategy->partition == 0))
        return "when all are on the target";
    if (held)
        return t->writes == 0 ? NULL : "nothing is written on hold";
    if (halted)
        return t->writes == t->candidates ? NULL : "a halted fleet is written at once";
    return is_within(b, facts, t, budget) ? NULL : "the budget";
}

#endif
