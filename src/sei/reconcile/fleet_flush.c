/* When the status of a fleet is written. A plan, its failure and who was written when are stored at
 * once. Counts of a large fleet change faster than anybody reads them, so they are written twice in
 * a second at most, and with them that a plan is complete, which every look at the nodes finds out
 * again; and what only says in other words how the nodes are getting on, which changes with every
 * step of every node, now and then. That the last pod has followed is such a word while a rollout
 * goes on: the counts of those that serve again come right after it. */
#include "sei/reconcile/fleet_parts.h"

#include "base/str.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_status.h"

enum {
    PACE_MS = 500,
    WORDS_PACE_MS = 20000,
};

/* What may not be lost or be late: a plan, its failure, and who was written when. */
static bool must_be_stored(const FleetPass *p)
{
    const FleetNews *news = &p->decision.news;

    return p->must_store || news->started || news->superseded || news->failed || news->founding
        || news->founded || news->not_founded || p->decision.writes_anew
        || !p->fleet.status.has_nodes;
}

static bool rolls(const FleetStatus *status)
{
    return status->has_plan && status->plan.phase == PLAN_ACTIVE && status->rollout.target_hash;
}

static Cond bare_cond(const FleetStatus *status, const Cond *cond)
{
    Cond bare = *cond;

    bare.message = "";
    if (rolls(status) && str_eq(cond->type, COND_UP_TO_DATE))
        bare.status = bare.reason = bare.last_transition_time = "";
    return bare;
}

/* The status without what it says in words. */
static const Json *bare_status(Arena *a, const FleetStatus *status)
{
    FleetStatus *bare = arena_new(a, FleetStatus);

    *bare = *status;
    for (size_t i = 0; i < bare->conds.count; i++)
        bare->conds.items[i] = bare_cond(status, &status->conds.items[i]);
    for (size_t i = 0; i < bare->rollout.node_count; i++)
        bare->rollout.nodes[i].message = NULL;
    bare->plan.waiting = NULL;
    return fleet_status_encode(a, bare);
}

/* What goes wrong is said at once. */
static bool only_words_differ(const FleetPass *p)
{
    return !p->progress.waiting_is_error && !p->progress.trouble_is_new
        && json_equal(bare_status(p->c->arena, &p->fleet.status),
            bare_status(p->c->arena, &p->decision.status));
}

static bool is_too_soon(FleetPass *p)
{
    int64_t now = clock_mono_ms(p->c->clock);

    if (must_be_stored(p))
        return false;
    if (only_words_differ(p))
        now -= WORDS_PACE_MS - PACE_MS;
    guard_enter(p->app->guard);
    int64_t left = pace_left(p->app->pace, p->fleet.key, now);
    guard_leave(p->app->guard);
    fleet_look_again(p, left);
    return left > 0;
}

static void note_write(FleetPass *p)
{
    guard_enter(p->app->guard);
    pace_note(p->app->pace, p->fleet.key, clock_mono_ms(p->c->clock), PACE_MS);
    guard_leave(p->app->guard);
}

Err *flush_fleet(FleetPass *p)
{
    StatusWrite write = {
        .kind = kind_seinodedeployment,
        .object = p->fleet.object,
        .status = fleet_status_encode(p->c->arena, &p->decision.status),
    };

    if (json_equal(json_find(p->fleet.object, ".status"), write.status) || is_too_soon(p))
        return OK;
    Err *err = status_write(p->c, &write);
    fleet_tell(p, &write);
    if (write.written) {
        p->stored = write.written;
        note_write(p);
    }
    return err;
}
