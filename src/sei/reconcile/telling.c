/* Events by the reference's reasons where it has one. What surprises: nothing here remembers
 * anything; a transition is the difference between the status as read and as written, so a restart
 * of the operator tells nothing twice. */
#include "sei/reconcile/telling.h"

#include "base/str.h"
#include "kube/kube.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

static void normal(Ctx *c, const SeiNode *about, const char *reason, const char *note)
{
    kube_event(c, about->object, "Normal", reason, note);
}

static void warning(Ctx *c, const SeiNode *about, const char *reason, const char *note)
{
    kube_event(c, about->object, "Warning", reason, note);
}

/* --- phases ------------------------------------------------------------------------------------
 */

static const PlanEnded *last_ended(const PlanHistory *h)
{
    return h->count ? &h->items[h->count - 1] : NULL;
}

static void tell_failed(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const PlanEnded *ended = last_ended(&now->history);
    const char *why = ended && !str_empty(ended->message) ? ended->message : "see status.plan";

    warning(c,
        was,
        "NodeFailed",
        str_format(c->arena,
            "Setting up failed: %s. Correct the spec, or set the annotation %s to a new value to "
            "try again",
            why,
            ANNOTATION_RETRY));
}

static void tell_phase(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now)
{
    if (was->status.phase == now->phase)
        return;
    figures_phase(f, was, now);
    if (now->phase != PHASE_TERMINATING)
        normal(c,
            was,
            "PhaseTransition",
            str_format(c->arena,
                "Phase changed from %s to %s",
                node_phase_text(was->status.phase),
                node_phase_text(now->phase)));
    if (now->phase == PHASE_FAILED)
        tell_failed(c, was, now);
}

/* --- plans -------------------------------------------------------------------------------------
 */

/* Why there is a new plan: what drifted, where that is known; else its cause. */
static const char *why_planned(Arena *a, const NodeStatus *now)
{
    const Cond *update = conds_find(&now->conds, COND_NODE_UPDATE);

    if (now->plan.kind == PLAN_NODE_UPDATE && update && !str_empty(update->message))
        return update->message;
    if (now->plan.kind == PLAN_INIT)
        return "to set the node up";
    return str_format(a, "because of: %s", now->plan.cause ? now->plan.cause : "not recorded");
}

static void tell_new_plan(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const char *kind = plan_kind_text(now->plan.kind);

    if (!now->has_plan || now->plan.phase != PLAN_ACTIVE
        || (was->status.has_plan && str_eq(was->status.plan.id, now->plan.id)))
        return;
    normal(c,
        was,
        "PlanStarted",
        str_format(
            c->arena, "Plan %s started, %s", kind ? kind : "unknown", why_planned(c->arena, now)));
}

static void count_failed_task(Figures *f, const SeiNode *was, const NodeStatus *now)
{
    const Plan *plan = &now->plan;

    if (now->has_plan && plan->phase == PLAN_FAILED && plan->failed_index >= 0)
        figures_task_failed(f, was->key, plan->tasks[plan->failed_index].spelling);
}

static void tell_ended_plan(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now)
{
    const PlanEnded *ended = last_ended(&now->history);
    const PlanEnded *before = last_ended(&was->status.history);

    if (!ended
        || (before && str_eq(before->id, ended->id) && str_eq(before->result, ended->result)))
        return;
    bool failed = str_eq(ended->result, "Failed");
    bool superseded = str_eq(ended->result, "Superseded");
    const char *note = str_format(c->arena,
        "Plan %s%s%s",
        ended->kind ? ended->kind : "unknown",
        str_empty(ended->message) ? "" : ": ",
        str_empty(ended->message) ? "" : ended->message);
    if (!superseded)
        figures_plan(f, was, ended);
    if (failed) {
        count_failed_task(f, was, now);
        warning(c, was, "PlanFailed", note);
        return;
    }
    normal(c, was, superseded ? "PlanSuperseded" : "PlanComplete", note);
}

/* --- conditions --------------------------------------------------------------------------------
 */

static void tell_stall(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const Cond *before = conds_find(&was->status.conds, COND_STALLED);
    const Cond *after = conds_find(&now->conds, COND_STALLED);

    if (!after || !str_eq(after->status, "True"))
        return;
    if (before && str_eq(before->status, "True") && str_eq(before->reason, after->reason)
        && str_eq(before->message, after->message))
        return;
    /* A plan that failed, and the phase with it, have been told already. */
    if (!str_eq(after->reason, reason_text(REASON_PLAN_FAILED)))
        warning(c, was, after->reason, after->message);
}

static void tell_sidecar(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const Cond *before = conds_find(&was->status.conds, COND_SIDECAR_READY);
    const Cond *after = conds_find(&now->conds, COND_SIDECAR_READY);
    const char *from = before ? before->status : "";

    if (!after || str_eq(from, after->status))
        return;
    if (str_eq(after->status, "False"))
        warning(c, was, "SidecarReadinessLost", after->message);
    if (str_eq(from, "False") && str_eq(after->status, "True"))
        normal(c, was, "SidecarReadinessRestored", after->message);
}

/* The condition, if its reason is new; else NULL. */
static const Cond *newly(const SeiNode *was, const NodeStatus *now, const char *type)
{
    const Cond *before = conds_find(&was->status.conds, type);
    const Cond *after = conds_find(&now->conds, type);

    return before && after && str_eq(before->reason, after->reason) ? NULL : after;
}

static bool is_any(const Cond *cond, const Reason *reasons, size_t count)
{
    for (size_t i = 0; cond && i < count; i++)
        if (str_eq(cond->reason, reason_text(reasons[i])))
            return true;
    return false;
}

/* Reasons of Ready that a person should hear of when they begin. */
static void tell_ready(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    static const Reason told[] = {REASON_SCALED_BY_HAND, REASON_VOLUME_IN_USE};
    const Cond *after = newly(was, now, COND_READY);

    if (is_any(after, told, sizeof told / sizeof told[0]))
        warning(c, was, after->reason, after->message);
}

/* What a task found missing or wrong among things that a person has to provide. */
static void tell_provision(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    static const char *const types[] = {COND_IMPORT_READY};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const Cond *after = newly(was, now, types[i]);
        if (after && str_eq(after->status, "False"))
            warning(c, was, after->reason, after->message);
    }
}

/* Differences that are only reported, or wait: the others are told with the plan that they make. */
static void tell_up_to_date(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    static const Reason told[] = {
        REASON_PLATFORM_DRIFT, REASON_ADOPTED_DRIFT, REASON_FOREIGN_FIELDS, REASON_CONFIG_DRIFT};
    const Cond *after = newly(was, now, COND_UP_TO_DATE);
    bool is_planned = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (!is_planned && is_any(after, told, sizeof told / sizeof told[0]))
        normal(c, was, after->reason, after->message);
}

void telling_changed(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now)
{
    tell_phase(c, f, was, now);
    tell_new_plan(c, was, now);
    tell_ended_plan(c, f, was, now);
    tell_stall(c, was, now);
    tell_sidecar(c, was, now);
    tell_ready(c, was, now);
    tell_provision(c, was, now);
    tell_up_to_date(c, was, now);
}

/* --- beside the status -------------------------------------------------------------------------
 */

void telling_kept(Ctx *c, const SeiNode *node, const char *claim, const char *why)
{
    normal(c,
        node,
        "VolumeKept",
        str_format(c->arena,
            "PersistentVolumeClaim %s stays: %s. Delete it by hand when its data is not needed",
            claim,
            why));
}

void telling_conflict(Ctx *c, Figures *f, const SeiNode *node)
{
    figures_conflict(f, node->key);
    warning(c,
        node,
        "StatusConflict",
        "Another writer has changed the status of this node while it was being written. If this is "
        "repeated, two operators are running: stop one");
}
