/* What is told about a node: phases, plans, its sidecar, and conditions that need a person; of the
 * other conditions the log alone speaks. */
#include "sei/reconcile/telling.h"

#include "base/str.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "sei/plan/pod_report.h"

static void tell(Ctx *c, const SeiNode *about, Tidings tidings, const char *note)
{
    tidings_tell(c, about->object, tidings, note);
}

/* --- phases ------------------------------------------------------------------------------------
 */

static void tell_failed(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const PlanEnded *ended =
        now->history.count ? &now->history.items[now->history.count - 1] : NULL;
    const char *why = ended && !str_empty(ended->message) ? ended->message : "see status.plan";

    tell(c,
        was,
        TIDINGS_NODE_FAILED,
        str_format(c->arena,
            "Setting up failed: %s. Correct the %s set the annotation %s to a new value to try "
            "again",
            why,
            now->has_plan && plan_failed_by_secret(&now->plan) ? "Secret, then" : "spec, or",
            ANNOTATION_RETRY));
}

static void tell_phase(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now)
{
    const char *from = node_phase_text(was->status.phase), *to = node_phase_text(now->phase);

    if (was->status.phase == now->phase)
        return;
    figures_phase(f, was, now);
    if (now->phase == PHASE_TERMINATING)
        tidings_note_phase(c, from, to);
    else
        tell(c, was, TIDINGS_PHASE_TRANSITION, tidings_phase_note(c->arena, from, to));
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

    if (!now->has_plan
        || !tidings_plan_is_new(was->status.has_plan ? &was->status.plan : NULL, &now->plan))
        return;
    tell(c,
        was,
        TIDINGS_PLAN_STARTED,
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
    const PlanEnded *ended = tidings_plan_ended(&was->status.history, &now->history);

    if (!ended)
        return;
    bool failed = str_eq(ended->result, "Failed");
    bool superseded = str_eq(ended->result, "Superseded");
    const char *note = tidings_ended_note(c->arena, ended);
    if (!superseded)
        figures_plan(f, NODE_CONTROLLER, was->key.namespace, ended);
    if (failed) {
        count_failed_task(f, was, now);
        tell(c, was, TIDINGS_PLAN_FAILED, note);
        return;
    }
    tell(c, was, superseded ? TIDINGS_PLAN_SUPERSEDED : TIDINGS_PLAN_COMPLETE, note);
}

/* --- conditions --------------------------------------------------------------------------------
 */

static bool is_updating(const NodeStatus *status)
{
    return status->has_plan && status->plan.phase == PLAN_ACTIVE
        && status->plan.kind == PLAN_NODE_UPDATE;
}

/* True when there was something to tell; so do those below. The sidecar of a pod that a plan has
 * replaced is shut until that plan lets it run: that is no news. */
static bool tell_sidecar(Ctx *c, const SeiNode *was, const NodeStatus *now, const Cond *after)
{
    const Cond *before = conds_find(&was->status.conds, COND_SIDECAR_READY);
    const char *from = before ? before->status : "";
    bool is_lost = str_eq(after->status, "False");

    if (!str_eq(after->type, COND_SIDECAR_READY) || str_eq(from, after->status))
        return false;
    if (is_updating(&was->status) || is_updating(now))
        return false;
    if (!is_lost && !(str_eq(from, "False") && str_eq(after->status, "True")))
        return false;
    tidings_tell_cond(
        c, was->object, is_lost ? TIDINGS_SIDECAR_LOST : TIDINGS_SIDECAR_RESTORED, after);
    return true;
}

/* Differences that are only reported, or wait: the others are told with the plan that they make. */
static bool is_reported_drift(Reason reason)
{
    return reason == REASON_PLATFORM_DRIFT || reason == REASON_AWAITS_FLEET
        || reason == REASON_ADOPTED_DRIFT || reason == REASON_FOREIGN_FIELDS
        || reason == REASON_CONFIG_DRIFT;
}

/* What needs a person, or things that a person has to provide. A plan that failed, and the phase
 * with it, are told by their own events. */
static bool is_trouble(Reason reason)
{
    switch (reason) {
    case REASON_SCALED_BY_HAND:
    case REASON_VOLUME_IN_USE:
    case REASON_TASK_OVERDUE:
    case REASON_PVC_NOT_READY:
    case REASON_PVC_INVALID:
    case REASON_SIGNING_KEY_NOT_READY:
    case REASON_SIGNING_KEY_INVALID:
    case REASON_NODE_KEY_NOT_READY:
    case REASON_NODE_KEY_INVALID:
    case REASON_OPERATOR_KEYRING_NOT_READY:
    case REASON_OPERATOR_KEYRING_INVALID:
        return true;
    case REASON_NOT_STALLED:
    case REASON_PLAN_FAILED:
        return false;
    default:
        return str_eq(reason_condition(reason), COND_STALLED);
    }
}

bool telling_tells(Reason reason)
{
    return is_trouble(reason) || is_reported_drift(reason);
}

/* What stops a pod stays the same trouble when the kubelet finds other words for it. */
static bool is_new(const Conds *was, const Cond *now, Reason reason)
{
    const Cond *before = conds_find(was, now->type);

    if (plan_stall_is_of_pod(reason))
        return !before || !str_eq(before->reason, now->reason);
    return tidings_is_new(was, now);
}

static bool tell_reason(Ctx *c, const SeiNode *was, const NodeStatus *now, const Cond *after)
{
    Reason reason = reason_parse(after->type, after->reason);
    bool is_planned = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (reason == REASON_COUNT || !is_new(&was->status.conds, after, reason))
        return false;
    if (!is_trouble(reason) && (!is_reported_drift(reason) || is_planned))
        return false;
    tidings_repeat(c, was->object, is_trouble(reason) ? "Warning" : "Normal", after);
    return true;
}

/* They begin and end with plans, which are told. */
static bool goes_with_plans(const Cond *cond)
{
    return str_eq(cond->type, COND_RECONCILING) || str_eq(cond->type, COND_NODE_UPDATE);
}

static void tell_condition(Ctx *c, const SeiNode *was, const NodeStatus *now, const Cond *after)
{
    bool is_told = tell_sidecar(c, was, now, after) || tell_reason(c, was, now, after);

    if (!is_told && !goes_with_plans(after))
        tidings_note_cond(c, &was->status.conds, after);
}

void telling_changed(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now)
{
    tell_phase(c, f, was, now);
    tell_new_plan(c, was, now);
    tell_ended_plan(c, f, was, now);
    for (size_t i = 0; i < now->conds.count; i++)
        tell_condition(c, was, now, &now->conds.items[i]);
}

/* --- beside the status -------------------------------------------------------------------------
 */

void telling_kept(Ctx *c, const SeiNode *node, const char *claim, const char *why)
{
    tell(c,
        node,
        TIDINGS_VOLUME_KEPT,
        str_format(c->arena,
            "PersistentVolumeClaim %s stays: %s. Delete it by hand when its data is not needed",
            claim,
            why));
}

void telling_conflict(Ctx *c, Figures *f, const SeiNode *node)
{
    figures_conflict(f, node->key);
    tell(c, node, TIDINGS_STATUS_CONFLICT, tidings_conflict_note(c->arena, "node"));
}
