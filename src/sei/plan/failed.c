/* A node whose set-up failed. It is left alone until a person changes something: the spec, or the
 * annotation sei.io/retry. What was done carries over. */
#include "base/str.h"
#include "sei/plan/parts.h"

static bool is_asked_again(const Planning *p)
{
    const Plan *plan = &p->status->plan;
    const char *retry = p->node->wishes.retry;

    if (p->superseded) /* somebody had begun something since */
        return true;
    if (!str_empty(retry) && !(p->status->has_plan && str_eq(retry, plan->retry)))
        return true;
    return p->status->has_plan && plan->target_hash
        && !str_eq(plan->target_hash, plan_target(p, PLAN_INIT));
}

void plan_failed(Planning *p)
{
    if (p->spec_refused)
        return;
    if (is_asked_again(p)) {
        plan_init(p);
        return;
    }
    /* The reference does not record what it tried: from now on an edit is noticed. */
    if (p->status->has_plan && !p->status->plan.target_hash)
        p->status->plan.target_hash = plan_target(p, PLAN_INIT);
}
