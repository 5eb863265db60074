/* The nodes of a fleet in sentences. A node that has been down for a while is quoted: what it says
 * of itself names the image that cannot be pulled, and a person need not look further. Before that
 * it is only named, since what a starting pod says changes every second, and each change would be a
 * write; but an image that cannot be pulled is told at once, because the wrong one is what people
 * look for right after an edit. */
#include "base/str.h"
#include "sei/plan/fleet_says.h"
#include "sei/plan/pod_report.h"

#include <string.h>

enum { NAMES_MAX = 5, QUOTE_MAX = 200, QUOTED_AFTER_MS = 10000 };

/* --- what is asked of a child --- */

bool child_counts(const FleetSays *t, size_t child)
{
    return t->s->children[child].health.ordinal < t->fleet->spec.replicas;
}

bool child_is_available(const FleetSays *t, size_t child)
{
    return batch_is_available(&t->fleet->spec.strategy, &t->s->children[child].health);
}

bool child_is_unavailable(const FleetSays *t, size_t child)
{
    return !child_is_available(t, child);
}

static bool is_stalled(const FleetSays *t, size_t child)
{
    return conds_is_true(&t->s->children[child].node->status.conds, COND_STALLED);
}

static bool is_stalled_by_pod(const FleetSays *t, size_t child)
{
    const Cond *stalled = conds_find(&t->s->children[child].node->status.conds, COND_STALLED);

    return is_stalled(t, child)
        && plan_stall_is_of_pod(reason_parse(COND_STALLED, stalled->reason));
}

/* Nothing that the fleet does helps. */
static bool needs_person(const FleetSays *t, size_t child)
{
    const BatchNode *health = &t->s->children[child].health;

    return !health->leaving
        && (health->failed || (is_stalled(t, child) && !is_stalled_by_pod(t, child)));
}

static bool is_in_rollout(const FleetSays *t)
{
    const FleetStatus *status = &t->d->status;

    return status->has_plan && status->plan.phase == PLAN_ACTIVE && !t->fleet->spec.strategy.hold;
}

bool child_is_stuck(const FleetSays *t, size_t child)
{
    bool is_leaving = t->s->children[child].health.leaving;

    return needs_person(t, child)
        || (!is_leaving && is_stalled_by_pod(t, child) && !is_in_rollout(t));
}

bool child_refuses(const FleetSays *t, size_t child)
{
    return t->s->children[child].health.refuses;
}

bool child_is_awaited(const FleetSays *t, size_t child)
{
    return child_is_unavailable(t, child) && !child_is_stuck(t, child)
        && !t->s->children[child].health.paused;
}

bool child_is_pending(const FleetSays *t, size_t child)
{
    return batch_is_pending(t->d->verdicts[child]);
}

bool child_drifts(const FleetSays *t, size_t child)
{
    const Cond *cond = conds_find(&t->s->children[child].node->status.conds, COND_UP_TO_DATE);
    Reason reason = cond ? reason_parse(COND_UP_TO_DATE, cond->reason) : REASON_COUNT;

    return reason == REASON_SPEC_DRIFT || reason == REASON_AWAITS_FLEET
        || reason == REASON_PLATFORM_DRIFT;
}

bool child_will_follow(const FleetSays *t, size_t child)
{
    return child_drifts(t, child) && !needs_person(t, child);
}

bool child_is_unheard(const FleetSays *t, size_t child)
{
    const SeiNode *node = t->s->children[child].node;

    return !node->deleting && node->status.observed_generation != node->generation;
}

/* --- all of them --- */

int64_t count_children(const FleetSays *t, ChildQuestion *is)
{
    int64_t count = 0;

    for (size_t i = 0; i < t->s->count; i++)
        count += child_counts(t, i) && is(t, i);
    return count;
}

int64_t surplus_children(const FleetSays *t)
{
    return (int64_t)t->s->count - count_children(t, child_counts);
}

int64_t missing_children(const FleetSays *t)
{
    return t->fleet->spec.replicas - count_children(t, child_counts);
}

/* What a node says of its trouble itself, or NULL. */
static const char *words_of(const FleetSays *t, size_t child)
{
    const Conds *conds = &t->s->children[child].node->status.conds;
    const Cond *stalled = conds_find(conds, COND_STALLED);
    const Cond *reconciling = conds_find(conds, COND_RECONCILING);
    const Cond *ready = conds_find(conds, COND_READY);

    if (stalled && str_eq(stalled->status, "True"))
        return stalled->message;
    if (reconciling && str_eq(reconciling->status, "True"))
        return reconciling->message;
    return ready && !str_eq(ready->status, "True") ? ready->message : NULL;
}

/* How somebody has taken it out. */
static const char *rest_of(const SeiNode *node)
{
    const Cond *ready = conds_find(&node->status.conds, COND_READY);
    bool is_scaled = ready && str_eq(ready->reason, reason_text(REASON_SCALED_BY_HAND));

    if (node->in_maintenance)
        return "in maintenance";
    return is_scaled && !node->spec.paused ? "scaled to 0 by hand" : "paused";
}

static const char *quote(const FleetSays *t, size_t child)
{
    const FleetChild *c = &t->s->children[child];
    bool is_in_trouble = child_is_unavailable(t, child) || child_is_stuck(t, child);
    bool is_told = c->health.since_ms >= QUOTED_AFTER_MS && is_in_trouble;
    const char *words = is_told ? words_of(t, child) : NULL;

    if (!is_told && is_in_trouble)
        words = c->trouble;
    if (c->health.paused)
        return str_format(t->a, "%s (%s)", c->node->key.name, rest_of(c->node));
    if (str_empty(words))
        return c->node->key.name;
    return str_format(t->a, "%s (%s)", c->node->key.name, str_cut(t->a, words, QUOTE_MAX));
}

static const char *name(const FleetSays *t, size_t child)
{
    return t->s->children[child].node->key.name;
}

const char *enumerate_children(const FleetSays *t, ChildQuestion *is, ChildText *text_of)
{
    const char *text = "";
    int64_t count = 0;

    for (size_t i = 0; i < t->s->count; i++) {
        if (!child_counts(t, i) || !is(t, i))
            continue;
        if (count++ < NAMES_MAX)
            text = str_format(t->a, "%s%s%s", text, count > 1 ? ", " : "", text_of(t, i));
    }
    if (count > NAMES_MAX)
        text = str_format(t->a, "%s and %lld more", text, (long long)(count - NAMES_MAX));
    return text;
}

/* " rpc-2 (" */
static bool quotes(const FleetSays *t, const char *text, size_t child)
{
    return text && strstr(text, str_format(t->a, " %s (", t->s->children[child].node->key.name));
}

static bool was_quoted(const FleetSays *t, size_t child)
{
    const Conds *told = &t->fleet->status.conds;

    for (size_t i = 0; i < told->count; i++)
        if (quotes(t, told->items[i].message, child))
            return true;
    return false;
}

/* Told once: the kubelet finds other words with every try. */
bool plan_fleet_trouble_is_new(Arena *a, const FleetSnapshot *s, const char *waiting)
{
    const FleetSays t = {.a = a, .s = s, .fleet = s->fleet};
    bool is_quoted = false;

    for (size_t i = 0; i < s->count; i++) {
        if (!s->children[i].trouble)
            continue;
        if (was_quoted(&t, i))
            return false;
        is_quoted = is_quoted || quotes(&t, waiting, i);
    }
    return is_quoted;
}

const char *name_children(const FleetSays *t, ChildQuestion *is)
{
    return enumerate_children(t, is, name);
}

const char *quote_children(const FleetSays *t, ChildQuestion *is)
{
    return enumerate_children(t, is, quote);
}
