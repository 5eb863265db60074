/* The decision about a permit: the domain is counted without the asker, then the numbers decide, so
 * that they can be told to people. */
#include "sei/plan/permit.h"

#include "base/str.h"
#include "sei/api/fleet_hash.h"
#include "sei/plan/fleet_plan.h"

/* --- what is asked of one node --- */

/* One that is beyond the replicas is scaled away, and counts for nothing. */
static bool is_counted(const PermitQuestion *q, const PermitNode *node)
{
    return node != q->asker && (!q->strategy || node->health.ordinal < q->replicas);
}

static bool is_updating(const BatchNode *node)
{
    return node->updating && !node->paused;
}

/* Somebody has taken it out: of a fleet it is missed all the same. */
static bool is_taken_out(const BatchNode *node)
{
    return node->paused || node->failed || node->leaving;
}

bool permit_is_down(const FleetStrategy *strategy, const BatchNode *node)
{
    static const FleetStrategy of_no_fleet = {0};

    if (is_updating(node))
        return true;
    if (!node->once_ready || (!strategy && is_taken_out(node)))
        return false;
    return !batch_is_available(strategy ? strategy : &of_no_fleet, node);
}

static bool is_in_flight(const PermitQuestion *q, const PermitNode *node)
{
    (void)q;
    return node->held || is_updating(&node->health);
}

static bool is_down(const PermitQuestion *q, const PermitNode *node)
{
    return node->held || permit_is_down(q->strategy, &node->health);
}

/* It serves, and in time it counts as available. */
static void note_time(const PermitQuestion *q, const PermitNode *node, PermitVerdict *ret)
{
    int64_t until = q->strategy ? q->strategy->min_ready_seconds * 1000 : 0;
    int64_t left = node->health.serves ? until - node->health.since_ms : 0;

    if (left > 0 && (!ret->look_again_ms || left < ret->look_again_ms))
        ret->look_again_ms = left;
}

/* --- for people --- */

typedef bool PermitIs(const PermitQuestion *q, const PermitNode *node);

enum { NAMES_MAX = 5 };

/* "rpc-4, rpc-2 are": of whom it is true, but not too many. */
static const char *names_of(Arena *a, const PermitQuestion *q, PermitIs *is)
{
    const char *names = "";
    size_t count = 0;

    for (size_t i = 0; i < q->count; i++) {
        const PermitNode *node = &q->nodes[i];
        if (!is_counted(q, node) || !is(q, node))
            continue;
        if (count++ < NAMES_MAX)
            names = *names ? str_format(a, "%s, %s", names, node->name) : node->name;
    }
    if (count > NAMES_MAX)
        return str_format(a, "%s and %zu more are", names, count - NAMES_MAX);
    return str_format(a, "%s %s", names, count == 1 ? "is" : "are");
}

static const char *limit_sentence(Arena *a, const PermitQuestion *q)
{
    return str_format(a,
        "at most %lld node%s of %s may be down at once (%s)",
        (long long)q->budget,
        q->budget == 1 ? "" : "s",
        q->domain,
        q->limit);
}

static const char *sentence(Arena *a, const PermitQuestion *q, const PermitVerdict *v)
{
    if (q->closed)
        return q->closed;
    if (q->budget < 1)
        return str_format(a, "%s is 0: nothing is stopped for a change of the operator", q->limit);
    if (v->full)
        return str_format(
            a, "%s, and %s being updated", limit_sentence(a, q), names_of(a, q, is_in_flight));
    return str_format(a, "%s, and %s", limit_sentence(a, q), names_of(a, q, is_down));
}

/* --- the decision --- */

static size_t budget_of(const PermitQuestion *q)
{
    return q->closed || q->budget < 1 ? 0 : (size_t)q->budget;
}

static void count(const PermitQuestion *q, PermitVerdict *ret)
{
    *ret = (PermitVerdict){0};
    for (size_t i = 0; i < q->count; i++) {
        const PermitNode *node = &q->nodes[i];
        if (!is_counted(q, node))
            continue;
        ret->in_flight += is_in_flight(q, node);
        ret->down += is_down(q, node);
        note_time(q, node, ret);
    }
    ret->full = ret->in_flight >= budget_of(q);
}

const char *permit_line_sentence(Arena *a, const PermitQuestion *q)
{
    PermitVerdict verdict;

    count(q, &verdict);
    if (budget_of(q) && q->count > PERMIT_NAMED_MAX)
        return str_format(a, "%s, and others are before it", limit_sentence(a, q));
    return sentence(a, q, &verdict);
}

void plan_permit(Arena *a, const PermitQuestion *q, PermitVerdict *ret)
{
    count(q, ret);
    ret->granted = !ret->full && (!q->asker->health.serves || ret->down < budget_of(q));
    if (!ret->granted)
        ret->sentence = sentence(a, q, ret);
}

/* --- fleets --- */

/* Judged as the rollout itself is: one that has gone back to the last complete template is not
 * held. */
static bool is_held_after_failure(Arena *a, const Fleet *fleet)
{
    const FleetStatus *status = &fleet->status;
    const char *revision;

    if (!status->rollout.failed_hash || fleet_revision(a, fleet->spec.template, &revision))
        return false;
    bool goes_back = fleet->spec.strategy.rolls_back && status->complete_revision
        && !str_eq(status->complete_revision, revision);
    return !goes_back
        && str_eq(status->rollout.failed_hash, plan_fleet_attempt(a, revision, fleet->retry));
}

const char *permit_fleet_closed(Arena *a, const Fleet *fleet)
{
    const char *name = fleet->key.name;

    if (fleet->deleting)
        return str_format(a, "fleet %s is being deleted", name);
    if (fleet->spec.paused)
        return str_format(a, "fleet %s is paused", name);
    if (fleet->spec.strategy.hold)
        return str_format(a, "updateStrategy.hold of fleet %s is set", name);
    if (is_held_after_failure(a, fleet))
        return str_format(a,
            "the rollout of fleet %s has failed and is held: correct the template, or set the "
            "annotation sei.io/retry of the fleet to a new value",
            name);
    return NULL;
}
