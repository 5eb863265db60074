/* Init: setting a node up, by one of three courses, and what of an earlier attempt still counts. */
#include "base/str.h"
#include "sei/plan/course.h"

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

/* State sync reads the configuration once; writing it again behind its back would split the two.
 * And a sidecar makes the identity and the first transaction of a validator once for a volume. */
static const char *needs_reset(const Plan *old, const Plan *next)
{
    if (is_complete(old, TASK_CONFIGURE_STATE_SYNC) && is_done_over(old, next, TASK_CONFIG_APPLY))
        return is_done_over(old, next, TASK_SNAPSHOT_RESTORE)
            ? "the height of the snapshot was edited after another one had been restored"
            : "the configuration was edited after state sync had been set up from it";
    if (is_done_over(old, next, TASK_GENERATE_IDENTITY)
        || is_done_over(old, next, TASK_GENERATE_GENTX))
        return "the genesis ceremony was edited after the validator had made its identity or its "
               "first transaction for it";
    return NULL;
}

static bool is_retry_new(const Planning *p, const Plan *old)
{
    const char *retry = p->node->wishes.retry;
    return !str_empty(retry) && !str_eq(retry, old->retry);
}

static void tell_reset(Planning *p, const char *why)
{
    plan_stall(p,
        REASON_NEEDS_RESET,
        str_format(p->a,
            "%s; reset the data of the node and then set the annotation sei.io/retry to a new "
            "value, or take the edit back",
            why));
    p->d->frozen = true;
}

/* The plan that follows an old one; NULL: not before its data was reset. */
static Plan *build_on(Planning *p, const Plan *old)
{
    Plan *next = build(p);

    plan_carry_over(p, old, next, true);
    const char *why = needs_reset(old, next);
    if (!why)
        return next;
    if (!is_retry_new(p, old)) {
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
