/* Back-off between plans, computed from the history: it survives restarts, and a person can check
 * it. That of a gate which does not stay open stands in its task. */
#include "sei/plan/backoff.h"

#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/plan/parts.h"

static bool counts(const PlanEnded *ended, bool counts_complete)
{
    return str_eq(ended->result, "Failed")
        || (counts_complete
            && (str_eq(ended->result, "Complete") || str_eq(ended->result, "Superseded")));
}

/* An approval that waited while something had to be put right: it is part of that story. */
static bool gave_way(const PlanEnded *ended)
{
    return str_eq(ended->kind, plan_kind_text(PLAN_MARK_READY))
        && str_eq(ended->result, "Superseded");
}

BackoffRow backoff_row(const PlanHistory *history, PlanKind kind, bool counts_complete)
{
    BackoffRow row = {0};

    for (size_t i = history->count; i-- > 0;) {
        const PlanEnded *ended = &history->items[i];
        if (!str_eq(ended->kind, plan_kind_text(kind))) {
            if (counts_complete && !gave_way(ended))
                break; /* something else happened in between: it is another story */
            continue;
        }
        if (!counts(ended, counts_complete))
            break;
        if (!row.last)
            row.last = ended;
        row.count++;
    }
    return row;
}

static int64_t delay_ms(int64_t row)
{
    int64_t delay = PLAN_BACKOFF_FIRST_MS;

    for (int64_t i = 1; i < row && delay < PLAN_BACKOFF_MAX_MS; i++)
        delay *= 2;
    return delay < PLAN_BACKOFF_MAX_MS ? delay : PLAN_BACKOFF_MAX_MS;
}

int64_t backoff_left_ms(int64_t row, const char *since, int64_t now_ms)
{
    int64_t since_ns;

    if (row <= 0 || !timestamp_parse(since, &since_ns))
        return 0;
    int64_t delay = delay_ms(row), passed = now_ms - since_ns / 1000000;
    int64_t left = delay - passed;
    return left <= 0 ? 0 : left < delay ? left : delay; /* the clock may have stepped back */
}

int64_t plan_backoff_ms(const Planning *p, PlanKind kind, bool counts_complete, int allowed)
{
    BackoffRow row = backoff_row(&p->status->history, kind, counts_complete);

    return row.last ? backoff_left_ms(row.count - allowed, row.last->finished_at, p->s->now_ms) : 0;
}

int64_t plan_gate_backoff_ms(const Planning *p, const PlannedTask *gate)
{
    return backoff_left_ms(
        gate->retry_count + 1 - PLAN_APPROVALS_FREE, gate->submitted_at, p->s->now_ms);
}

bool plan_gate_has_held(const Planning *p, const PlannedTask *gate)
{
    int64_t opened_ns;

    return timestamp_parse(gate->submitted_at, &opened_ns)
        && p->s->now_ms - opened_ns / 1000000 > 2 * PLAN_BACKOFF_MAX_MS;
}
