/* What is said of a fleet in its status, and told of it once that is stored. A wait is told when it
 * has lasted two seconds, as that of a node is; from then on every change of what is waited for. */
#include "base/str.h"
#include "sei/reconcile/fleet_figures.h"
#include "sei/reconcile/fleet_parts.h"
#include "sei/reconcile/fleet_telling.h"

/* It was told before, perhaps by an operator before this one. */
static bool was_told(const FleetPass *p, const char *waiting)
{
    const Cond *told = conds_find(&p->fleet.status.conds, COND_RECONCILING);

    return told && str_eq(told->status, "True") && str_eq(told->message, waiting);
}

/* Only a person can end it, so nobody is to be kept waiting for it. */
static bool is_stall(const FleetProgress *progress)
{
    return fleet_reason_parse(COND_STALLED, progress->reason) != REASON_COUNT;
}

/* Whether a wait is to be told now; if not yet, looks again when it is. */
static bool is_wait_told(FleetPass *p, const char *waiting)
{
    App *app = p->app;

    guard_enter(app->guard);
    int64_t left = waits_note(
        app->fleet_waits, p->fleet.key, waiting ? "waits" : NULL, clock_mono_ms(p->c->clock));
    guard_leave(app->guard);
    if (!waiting)
        return false;
    if (was_told(p, waiting) || p->progress.waiting_is_error || p->progress.trouble_is_new
        || is_stall(&p->progress))
        return true;
    fleet_look_again(p, left);
    return !left;
}

static void say_waiting(FleetPass *p)
{
    FleetProgress *progress = &p->progress;
    FleetStatus *status = &p->decision.status;

    if (!progress->waiting)
        progress->waiting =
            plan_fleet_waiting(p->c->arena, &p->snapshot, &p->decision, &progress->reason);
    progress->waits = progress->waiting != NULL;
    progress->trouble_is_new =
        plan_fleet_trouble_is_new(p->c->arena, &p->snapshot, progress->waiting);
    if (!is_wait_told(p, progress->waiting))
        progress->waiting = NULL;
    if (status->has_plan)
        status->plan.waiting = progress->waiting;
}

void fleet_say(FleetPass *p)
{
    FleetStatus *status = &p->decision.status;

    say_waiting(p);
    plan_fleet_conditions(p->c->arena, &p->snapshot, &p->decision, &p->progress, status);
    fleet_figures_state(&p->app->figures, &p->fleet, status);
}

void fleet_tell(FleetPass *p, const StatusWrite *write)
{
    if (write->contested)
        fleet_telling_conflict(p->c, &p->app->figures, &p->fleet);
    if (write->written)
        fleet_telling_changed(p->c, &p->app->figures, &p->fleet, &p->decision.status);
}

void fleet_silence(App *app, Key key)
{
    guard_enter(app->guard);
    waits_note(app->fleet_waits, key, NULL, 0);
    guard_leave(app->guard);
    fleet_figures_gone(&app->figures, key);
}
