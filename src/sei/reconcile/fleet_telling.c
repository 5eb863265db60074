/* What is told about a fleet. What surprises: rollouts are told by the plans that ended, as the
 * history has them, because a rollout itself is gone from the status when it has. */
#include "sei/reconcile/fleet_telling.h"

#include "base/str.h"
#include "sei/api/names.h"

enum { HASH_SHOWN = 8 };

static void tell(Ctx *c, const Fleet *about, Tidings tidings, const char *note)
{
    tidings_tell(c, about->object, tidings, note);
}

static const char *hash_text(const char *hash)
{
    return hash ? hash : "none";
}

/* --- pause -------------------------------------------------------------------------------------
 */

/* Not told of a fleet that is made so. */
static void tell_pause(Ctx *c, const Fleet *was, const FleetStatus *now)
{
    const Cond *before = conds_find(&was->status.conds, COND_PAUSED);
    bool is_paused = conds_is_true(&now->conds, COND_PAUSED);
    bool is_frozen = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (!before || str_eq(before->status, "True") == is_paused)
        return;
    if (!is_paused)
        tell(c, was, FLEET_TIDINGS_UNPAUSED, "The fleet is no longer paused: its nodes start");
    else if (is_frozen)
        tell(c,
            was,
            FLEET_TIDINGS_PAUSED,
            str_format(c->arena,
                "The fleet is paused: its nodes stop, and plan %s stands still",
                now->plan.id));
    else
        tell(c, was, FLEET_TIDINGS_PAUSED, "The fleet is paused: its nodes stop");
}

/* --- rollouts ----------------------------------------------------------------------------------
 */

static bool is_back(const char *cause)
{
    return str_eq(cause, "rollback");
}

static void tell_ended_rollout(
    Ctx *c, const Fleet *was, const FleetStatus *now, const PlanEnded *ended)
{
    const char *target = hash_text(was->status.rollout.target_hash);

    if (str_eq(ended->result, "Superseded"))
        tell(c,
            was,
            FLEET_TIDINGS_ROLLOUT_SUPERSEDED,
            str_format(c->arena,
                "The rollout to template %s gave way to one to %s",
                target,
                hash_text(now->rollout.target_hash)));
    else if (str_eq(ended->result, "Complete") && is_back(ended->cause))
        tell(c, was, FLEET_TIDINGS_ROLLED_BACK, "Every node is back on the last complete template");
    else if (str_eq(ended->result, "Complete"))
        tell(c,
            was,
            FLEET_TIDINGS_ROLLOUT_COMPLETE,
            str_format(c->arena, "Every node in scope is on template %s", target));
}

/* Held, or on its way back: the plan goes on in the one case, and has ended in the other. */
static void tell_failed_rollout(Ctx *c, const Fleet *was, const FleetStatus *now)
{
    const Cond *stalled = conds_find(&now->conds, COND_STALLED);
    const char *why = stalled && str_eq(stalled->status, "True") ? stalled->message : "";

    if (!now->rollout.failed_hash
        || str_eq(was->status.rollout.failed_hash, now->rollout.failed_hash))
        return;
    tell(c,
        was,
        FLEET_TIDINGS_ROLLOUT_FAILED,
        *why ? why : "The rollout made no progress for updateStrategy.progressDeadlineSeconds");
}

static void tell_new_rollout(Ctx *c, const Fleet *was, const FleetStatus *now)
{
    if (now->plan.kind != PLAN_ROLLOUT || is_back(now->plan.cause))
        return;
    tell(c,
        was,
        FLEET_TIDINGS_ROLLOUT_STARTED,
        str_format(c->arena,
            "Rollout to template %.*s started",
            HASH_SHOWN,
            hash_text(now->rollout.target_hash)));
}

/* --- plans -------------------------------------------------------------------------------------
 */

static void tell_new_plan(Ctx *c, const Fleet *was, const FleetStatus *now)
{
    const char *kind = plan_kind_text(now->plan.kind);

    if (!now->has_plan
        || !tidings_plan_is_new(was->status.has_plan ? &was->status.plan : NULL, &now->plan))
        return;
    tell_new_rollout(c, was, now);
    tell(c,
        was,
        FLEET_TIDINGS_PLAN_STARTED,
        str_format(c->arena,
            "Plan %s started, because of: %s",
            kind ? kind : "unknown",
            now->plan.cause ? now->plan.cause : "not recorded"));
}

static void tell_ended_plan(Ctx *c, Figures *f, const Fleet *was, const FleetStatus *now)
{
    const PlanEnded *ended = tidings_plan_ended(&was->status.history, &now->history);

    if (!ended)
        return;
    if (str_eq(ended->kind, plan_kind_text(PLAN_ROLLOUT)))
        tell_ended_rollout(c, was, now, ended);
    if (str_eq(ended->result, "Superseded"))
        return;
    figures_plan(f, FLEET_CONTROLLER, was->key.namespace, ended);
    tell(c,
        was,
        str_eq(ended->result, "Failed") ? FLEET_TIDINGS_PLAN_FAILED : FLEET_TIDINGS_PLAN_COMPLETE,
        tidings_ended_note(c->arena, ended));
}

/* --- conditions --------------------------------------------------------------------------------
 */

/* What needs a person. A rollout that failed is told by its own event. */
static bool is_trouble(Reason reason)
{
    return str_eq(reason_condition(reason), COND_STALLED) && reason != FLEET_REASON_NOT_STALLED
        && reason != FLEET_REASON_STALLED_DEADLINE;
}

bool fleet_telling_tells(Reason reason)
{
    return reason_is_of_fleet(reason)
        && (is_trouble(reason) || reason == FLEET_REASON_ADOPTED_DRIFT);
}

/* What quotes nodes is no other trouble when one of them finds other words. */
static bool is_new(const Conds *was, const Cond *now, Reason reason)
{
    const Cond *before = conds_find(was, now->type);

    if (reason == FLEET_REASON_NODES_STALLED)
        return !before || !str_eq(before->reason, now->reason);
    return tidings_is_new(was, now);
}

static void tell_condition(Ctx *c, const Fleet *was, const Cond *after)
{
    Reason reason = fleet_reason_parse(after->type, after->reason);

    if (reason == REASON_COUNT || !is_new(&was->status.conds, after, reason))
        return;
    if (is_trouble(reason))
        tidings_repeat(c, was->object, "Warning", after);
    else if (reason == FLEET_REASON_ADOPTED_DRIFT)
        tidings_repeat(c, was->object, "Normal", after);
    else if (reason == FLEET_REASON_ROUTES_PUBLISHED)
        tell(c, was, FLEET_TIDINGS_ROUTES_PUBLISHED, after->message);
    else if (reason == FLEET_REASON_NO_ROUTE_KIND)
        tell(c, was, FLEET_TIDINGS_NO_ROUTE_KIND, after->message);
}

void fleet_telling_changed(Ctx *c, Figures *f, const Fleet *was, const FleetStatus *now)
{
    tell_pause(c, was, now);
    tell_ended_plan(c, f, was, now);
    tell_failed_rollout(c, was, now);
    tell_new_plan(c, was, now);
    for (size_t i = 0; i < now->conds.count; i++)
        tell_condition(c, was, &now->conds.items[i]);
}

/* --- beside the status -------------------------------------------------------------------------
 */

void fleet_telling_child(Ctx *c, const Fleet *fleet, Tidings tidings, const char *child)
{
    static const char *const deeds[TIDINGS_COUNT] = {
        [FLEET_TIDINGS_CHILD_CREATED] = "Created",
        [FLEET_TIDINGS_CHILD_DELETED] = "Deleted",
        [FLEET_TIDINGS_CHILD_PAUSED] = "Paused",
        [FLEET_TIDINGS_CHILD_RESUMED] = "Unpaused",
    };

    if (!deeds[tidings])
        BUG("an event that is not about a child");
    tell(c, fleet, tidings, str_format(c->arena, "%s SeiNode %s", deeds[tidings], child));
}

void fleet_telling_retained(Ctx *c, const Fleet *fleet)
{
    tell(c,
        fleet,
        FLEET_TIDINGS_RETAINED,
        "deletionPolicy is Retain: the nodes run on by themselves, and a fleet of this name takes "
        "them back");
}

void fleet_telling_delete_failed(Ctx *c, const Fleet *fleet, const char *why)
{
    tell(c,
        fleet,
        FLEET_TIDINGS_DELETE_FAILED,
        str_format(c->arena, "Cleaning up failed and is tried again: %s", why));
}

void fleet_telling_conflict(Ctx *c, Figures *f, const Fleet *fleet)
{
    figures_fleet_conflict(f, fleet->key);
    tell(c, fleet, FLEET_TIDINGS_STATUS_CONFLICT, tidings_conflict_note(c->arena, "fleet"));
}
