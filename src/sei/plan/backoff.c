/* Back-off between plans, computed from the history: it survives restarts, and a person can check
 * it. That of a gate which does not stay open stands in its task. */
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

/* How many of a kind ended badly in a row, and the newest of them. */
static int count_row(
    const PlanHistory *history, const char *kind, bool counts_complete, const PlanEnded **ret_last)
{
    int row = 0;

    *ret_last = NULL;
    for (size_t i = history->count; i-- > 0;) {
        const PlanEnded *ended = &history->items[i];
        if (!str_eq(ended->kind, kind)) {
            if (counts_complete && !gave_way(ended))
                break; /* something else happened in between: it is another story */
            continue;
        }
        if (!counts(ended, counts_complete))
            break;
        if (!*ret_last)
            *ret_last = ended;
        row++;
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

/* How much of the delay of so many in a row is left, counted from an RFC 3339 time. */
static int64_t left_ms(const Planning *p, int64_t row, const char *since)
{
    int64_t since_ns;

    if (row <= 0 || !timestamp_parse(since, &since_ns))
        return 0;
    int64_t delay = delay_ms(row), passed = p->s->now_ms - since_ns / 1000000;
    int64_t left = delay - passed;
    return left <= 0 ? 0 : left < delay ? left : delay; /* the clock may have stepped back */
}

int64_t plan_backoff_ms(const Planning *p, PlanKind kind, bool counts_complete, int allowed)
{
    const PlanEnded *last = NULL;
    int row =
        count_row(&p->status->history, plan_kind_text(kind), counts_complete, &last) - allowed;

    return last ? left_ms(p, row, last->finished_at) : 0;
}

int64_t plan_gate_backoff_ms(const Planning *p, const PlannedTask *gate)
{
    return left_ms(p, gate->retry_count + 1 - PLAN_APPROVALS_FREE, gate->submitted_at);
}

bool plan_gate_has_held(const Planning *p, const PlannedTask *gate)
{
    int64_t opened_ns;

    return timestamp_parse(gate->submitted_at, &opened_ns)
        && p->s->now_ms - opened_ns / 1000000 > 2 * PLAN_BACKOFF_MAX_MS;
}
