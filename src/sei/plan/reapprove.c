/* Re-approval: the sidecar of a new pod, or one that restarted, holds seid back until it gets a
 * mark-ready. The plan is new and so is the id: the sidecar does nothing for an id that it has
 * completed. An upload of snapshots that the restart interrupted is started again. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/plan/course.h"

enum {
    PROBE_LAG_MS = 3000, /* what a probe says may be from before the last approval */
};

static bool approves(const PlanEnded *ended)
{
    return str_eq(ended->result, "Complete") && !str_eq(ended->kind, plan_kind_text(PLAN_REPAIR));
}

/* How long until what the probe says is surely newer than the last approval. */
static int64_t lag_left(const Planning *p)
{
    const PlanHistory *history = &p->status->history;
    const PlanEnded *last = history->count ? &history->items[history->count - 1] : NULL;
    int64_t ended_ns;

    if (!last || !approves(last) || !timestamp_parse(last->finished_at, &ended_ns))
        return 0;
    int64_t passed = p->s->now_ms - ended_ns / 1000000;
    return passed < 0 || passed >= PROBE_LAG_MS ? 0 : PROBE_LAG_MS - passed;
}

/* A superseded plan left something at work, and no other plan awaits it. */
static bool leaves_work(const Planning *p)
{
    for (size_t i = 0; p->superseded && i < p->superseded->task_count; i++)
        if (plan_task_is_at_work(&p->superseded->tasks[i]))
            return true;
    return false;
}

/* An earlier version of the operator gave the upload an id of its plan. As long as that plan is
 * stored, that id counts: under another one the sidecar would upload twice. */
static const PlannedTask *find_upload(const Planning *p)
{
    const Plan *old = p->superseded ? p->superseded : &p->status->plan;

    if (p->is_fresh || !(p->superseded || p->status->has_plan))
        return NULL;
    return plan_find_task((Plan *)old, TASK_SNAPSHOT_UPLOAD);
}

void plan_add_upload(Planning *p, Plan *plan)
{
    const PlannedTask *there = find_upload(p);

    if (!p->node->spec.generates.publish)
        return;
    plan_add_task(p->a, plan, TASK_SNAPSHOT_UPLOAD, json_seal(p->a, draft_object(p->a)));
    PlannedTask *upload = &plan->tasks[plan->task_count - 1];
    if (there)
        upload->id = there->id;
    else
        plan_fix_task(p->a, upload, p->node->uid);
}

void plan_add_approval(Planning *p, Plan *plan)
{
    plan_add_task(p->a, plan, TASK_MARK_READY, json_seal(p->a, draft_object(p->a)));
    plan_add_upload(p, plan);
}

bool plan_reapprove(Planning *p)
{
    bool is_asked_for = p->s->health == HEALTH_NOT_READY && p->pod;

    if (!is_asked_for && !leaves_work(p))
        return false;
    int64_t left_ms = plan_backoff_ms(p, PLAN_MARK_READY, false, 0);
    if (!left_ms)
        left_ms = plan_backoff_ms(p, PLAN_MARK_READY, true, PLAN_APPROVALS_FREE);
    if (!left_ms)
        left_ms = lag_left(p);
    if (left_ms > 0 && !leaves_work(p)) {
        plan_look_again(p, left_ms);
        return false;
    }
    Plan *plan = plan_new(p, PLAN_MARK_READY, "the sidecar is not ready");
    plan_add_approval(p, plan);
    plan_install(p, plan);
    return true;
}
