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

/* --- phases ------------------------------------------------------------------------------------
 */

/* In the log alone: what a phase is made of has events of its own. */
static void note_phase(Ctx *c, const Fleet *was, const FleetStatus *now)
{
    if (was->status.phase != now->phase)
        tidings_note_phase(c, fleet_phase_text(was->status.phase), fleet_phase_text(now->phase));
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

static const char *pause_note(Arena *a, const FleetStatus *now, bool is_paused)
{
    bool is_frozen = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (!is_paused)
        return "The fleet is no longer paused: its nodes start";
    if (!is_frozen)
        return "The fleet is paused: its nodes stop";
    return str_format(
        a, "The fleet is paused: its nodes stop, and plan %s stands still", now->plan.id);
}

/* True when there was something to tell; so do those below. Not told of a fleet that is made so. */
static bool tell_pause(Ctx *c, const Fleet *was, const FleetStatus *now, const Cond *after)
{
    const Cond *before = conds_find(&was->status.conds, COND_PAUSED);
    bool is_paused = str_eq(after->status, "True");
    Cond told = *after;

    if (!str_eq(after->type, COND_PAUSED) || !before || str_eq(before->status, after->status))
        return false;
    told.message = pause_note(c->arena, now, is_paused);
    tidings_tell_cond(
        c, was->object, is_paused ? FLEET_TIDINGS_PAUSED : FLEET_TIDINGS_UNPAUSED, &told);
    return true;
}

/* What needs a person. A rollout that failed is told by its own event. */
static bool is_trouble(Reason reason)
{
    if (reason == FLEET_REASON_FOUNDER_LOST)
        return true;
    return str_eq(reason_condition(reason), COND_STALLED) && reason != FLEET_REASON_NOT_STALLED
        && reason != FLEET_REASON_STALLED_DEADLINE;
}

bool fleet_telling_tells(Reason reason)
{
    return reason_is_of_fleet(reason)
        && (is_trouble(reason) || reason == FLEET_REASON_ADOPTED_DRIFT);
}

/* What names nodes is no other trouble when one of them finds other words, or has come or gone. */
static bool is_new(const Conds *was, const Cond *now, Reason reason)
{
    const Cond *before = conds_find(was, now->type);

    if (reason == FLEET_REASON_NODES_STALLED || reason == FLEET_REASON_IDENTITY_CHANGED)
        return !before || !str_eq(before->reason, now->reason);
    return tidings_is_new(was, now);
}

static bool tell_reason(Ctx *c, const Fleet *was, const Cond *after)
{
    Reason reason = fleet_reason_parse(after->type, after->reason);

    if (reason == REASON_COUNT || !is_new(&was->status.conds, after, reason))
        return false;
    if (is_trouble(reason))
        tidings_repeat(c, was->object, "Warning", after);
    else if (reason == FLEET_REASON_ADOPTED_DRIFT)
        tidings_repeat(c, was->object, "Normal", after);
    else if (reason == FLEET_REASON_ROUTES_PUBLISHED)
        tidings_tell_cond(c, was->object, FLEET_TIDINGS_ROUTES_PUBLISHED, after);
    else if (reason == FLEET_REASON_NO_ROUTE_KIND)
        tidings_tell_cond(c, was->object, FLEET_TIDINGS_NO_ROUTE_KIND, after);
    else
        return false;
    return true;
}

/* They begin and end with plans, which are told. */
static bool goes_with_plans(const Cond *cond)
{
    return str_eq(cond->type, COND_RECONCILING) || str_eq(cond->type, COND_PLAN)
        || str_eq(cond->type, COND_ROLLOUT);
}

static void tell_condition(Ctx *c, const Fleet *was, const FleetStatus *now, const Cond *after)
{
    bool is_told = tell_pause(c, was, now, after) || tell_reason(c, was, after);

    if (!is_told && !goes_with_plans(after))
        tidings_note_cond(c, &was->status.conds, after);
}

void fleet_telling_changed(Ctx *c, Figures *f, const Fleet *was, const FleetStatus *now)
{
    note_phase(c, was, now);
    tell_ended_plan(c, f, was, now);
    tell_failed_rollout(c, was, now);
    tell_new_plan(c, was, now);
    for (size_t i = 0; i < now->conds.count; i++)
        tell_condition(c, was, now, &now->conds.items[i]);
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

void fleet_telling_admission(Ctx *c, const Fleet *fleet, const char *child, const char *fields)
{
    tell(c,
        fleet,
        FLEET_TIDINGS_CHILD_ADMITTED,
        str_format(c->arena,
            "An admission policy or webhook changed SeiNode %s: %s; the node runs what was stored",
            child,
            fields));
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
