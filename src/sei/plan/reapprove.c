/* Re-approval: a sidecar that was started anew waits to be told that seid may run. A fresh plan, so
 * a fresh id: the sidecar takes one that it has done before for done. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/plan/parts.h"

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
    plan_add_task(p->a, plan, TASK_MARK_READY, json_seal(p->a, draft_object(p->a)));
    plan_install(p, plan);
    return true;
}
