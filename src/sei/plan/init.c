/* Init: setting a node up, by one of three courses, and what of an earlier attempt still counts. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/plan/course.h"
#include "sei/plan/purpose.h"

static Plan *build(Planning *p)
{
    Plan *plan = plan_new(p, PLAN_INIT, p->is_fresh ? "new volume" : "spec");
    const NodeSpec *spec = &p->node->spec;

    if (spec->ceremony.is_set)
        plan_ceremony_init(p, plan);
    else if (node_has_bootstrap(spec))
        plan_bootstrap_init(p, plan);
    else
        plan_base_init(p, plan);
    if (plan->task_count > PLAN_INIT_TASKS_MAX)
        BUG("an init with more tasks than PLAN_INIT_TASKS_MAX");
    for (size_t i = 0; i < plan->task_count; i++)
        plan->tasks[i].done_for = plan_purpose(p, plan->tasks[i].type);
    return plan;
}

/* The init before this one, of which much may be done already. */
static const Plan *find_old(const Planning *p)
{
    if (p->is_fresh)
        return NULL;
    if (p->status->has_plan && p->status->plan.kind == PLAN_INIT)
        return &p->status->plan;
    return p->superseded;
}

static bool is_complete(const Plan *plan, TaskType type)
{
    const PlannedTask *task = plan_find_task((Plan *)plan, type);
    return task && task->status == TASK_COMPLETE;
}

/* It was done, and would have to be done in another way. */
static bool is_done_over(const Plan *old, const Plan *next, TaskType type)
{
    return is_complete(old, type) && plan_find_task((Plan *)next, type) && !is_complete(next, type);
}

/* What was done on the volume cannot be done in another way. State sync reads the configuration
 * once: written again, it would lack what state sync added to it. */
static const char *needs_reset(const Planning *p, const Plan *old, const Plan *next)
{
    if (is_done_over(old, next, TASK_GENERATE_IDENTITY)
        || is_done_over(old, next, TASK_GENERATE_GENTX))
        return "the genesis ceremony was edited after the validator had made its identity or its "
               "first transaction for it";
    if (plan_failed_at(old, TASK_GENERATE_GENTX))
        return "generate-gentx failed, and the sidecar cannot repeat it on the same data volume";
    const char *conflict = plan_volume_conflict(p, old, next);
    if (conflict)
        return conflict;
    if (is_complete(old, TASK_CONFIGURE_STATE_SYNC) && is_done_over(old, next, TASK_CONFIG_APPLY))
        return "the configuration was edited after state sync had been set up from it";
    return NULL;
}

/* Stored: the message of either stall asks for a reset of the data. */
static bool has_asked_for_reset(const Planning *p, const Plan *old)
{
    const Cond *stalled = conds_find(&p->node->status.conds, COND_STALLED);

    if (!stalled || !str_eq(stalled->status, "True"))
        return false;
    return str_eq(stalled->reason, reason_text(REASON_NEEDS_RESET))
        || (str_eq(stalled->reason, reason_text(REASON_PLAN_FAILED))
            && plan_failed_at(old, TASK_GENERATE_GENTX));
}

/* A retry says that the data was reset only if it was set after the node asked for that. */
static bool is_reset_confirmed(const Planning *p, const Plan *old)
{
    const char *retry = p->node->wishes.retry;

    return !str_empty(retry) && !str_eq(retry, old->retry) && has_asked_for_reset(p, old);
}

static void tell_reset(Planning *p, const char *why)
{
    plan_stall(p,
        REASON_NEEDS_RESET,
        str_format(p->a,
            "%s; reset the data of the node and then set the annotation " ANNOTATION_RETRY
            " to a new value, or undo the change",
            why));
    p->d->frozen = true;
    if (p->status->has_plan)
        p->status->plan.retry = p->node->wishes.retry;
}

/* The plan that follows an old one; NULL: not before its data was reset. */
static Plan *build_on(Planning *p, const Plan *old)
{
    Plan *next = build(p);

    plan_carry_over(p, old, next, true);
    const char *why = needs_reset(p, old, next);
    if (!why)
        return next;
    if (!is_reset_confirmed(p, old)) {
        tell_reset(p, why);
        return NULL;
    }
    next = build(p);
    plan_carry_over(p, old, next, false);
    return next;
}

void plan_init(Planning *p)
{
    if (p->spec_refused || p->object_foreign) {
        p->d->frozen = true;
        return;
    }
    const Plan *old = find_old(p);
    const Plan *next = old ? build_on(p, old) : build(p);

    if (!next)
        return;
    if (plan_is_active(p->status))
        plan_supersede(p, "the spec was edited");
    p->superseded = NULL;
    plan_install(p, next);
    node_set_phase(p->status, PHASE_INITIALIZING, p->s->now);
}
