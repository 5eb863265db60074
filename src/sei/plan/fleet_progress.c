/* Progress: something was written by this rollout, or became available after that. By stored times,
 * and no longer than this operator has been at work and has seen it so by the monotonic clock:
 * whoever was to be updated while there was none has had no time for it. Nothing happens in a
 * paused fleet, so whatever has a deadline begins anew after. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/plan/fleet_parts.h"

static int64_t wall_ms(const char *time, int64_t fallback)
{
    int64_t ns;
    return time && timestamp_parse(time, &ns) ? ns / 1000000 : fallback;
}

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

int64_t plan_fleet_running_since_ms(const FleetPlanning *p, const char *since)
{
    const Cond *paused = conds_find(&p->fleet->status.conds, COND_PAUSED);

    if (paused && str_eq(paused->status, "True")) /* until now */
        return p->s->now_ms;
    return later(
        wall_ms(since, p->s->now_ms), paused ? wall_ms(paused->last_transition_time, 0) : 0);
}

/* In the pass that ends a pause the children are as the pause left them: paused by the fleet, and
 * not by somebody who has taken them out. Only the next one sees how they are. One that cannot be
 * written until the deadline is left out of what the others do, like one that somebody paused. */
bool plan_fleet_is_resuming(FleetPlanning *p)
{
    int64_t deadline_ms = p->fleet->spec.strategy.progress_deadline_seconds * 1000;
    int64_t since_ms = wall_ms(p->fleet->status.resuming_since, p->s->now_ms);

    if (p->fleet->spec.paused || !conds_is_true(&p->fleet->status.conds, COND_PAUSED))
        return false;
    return p->s->now_ms - since_ms < deadline_ms;
}

/* When something was last written by this rollout or became available after that. */
static int64_t last_progress_ms(const FleetPlanning *p)
{
    int64_t last = later(
        p->s->working_since_ms, plan_fleet_running_since_ms(p, p->status->rollout.started_at));

    for (size_t i = 0; i < p->s->count; i++) {
        const char *written_at = plan_fleet_written_at(p->status, p->s->children[i].node);
        if (!written_at)
            continue;
        last = later(last, wall_ms(written_at, 0));
        if (p->d->verdicts[i] == BATCH_UPDATED)
            last = later(last, p->s->now_ms - p->d->nodes[i].since_ms);
    }
    return last;
}

/* To be available, or to let himself be written. How long others take to be set up, or to be well
 * again, says nothing about the template. */
static bool is_awaited(const FleetPlanning *p, size_t child)
{
    if (p->d->verdicts[child] == BATCH_COMING)
        return plan_fleet_written_at(p->status, p->s->children[child].node) != NULL;
    return plan_fleet_is_written_again(p, child);
}

static bool awaits_somebody(const FleetPlanning *p)
{
    for (size_t i = 0; i < p->s->count; i++)
        if (is_awaited(p, i))
            return true;
    return false;
}

/* For how long the rollout has made no progress: by stored times, and no longer than this process
 * has seen it so by the monotonic clock. */
static int64_t idle_ms(const FleetPlanning *p, int64_t progress_at_ms)
{
    const FleetSeen *seen = &p->s->seen;
    int64_t stored = p->s->now_ms - progress_at_ms;
    int64_t seen_ms = seen->progress_at_ms == progress_at_ms ? seen->progress_ms : 0;

    return stored < seen_ms ? stored : seen_ms;
}

bool plan_fleet_is_overdue(FleetPlanning *p)
{
    int64_t deadline_ms = p->d->strategy.progress_deadline_seconds * 1000;
    int64_t progress_at_ms = last_progress_ms(p);
    int64_t left = deadline_ms - idle_ms(p, progress_at_ms);

    p->d->progress_at_ms = progress_at_ms;
    if (p->status->rollout.failed_hash || !awaits_somebody(p))
        return false;
    plan_fleet_look_again(p, left);
    return left <= 0;
}
