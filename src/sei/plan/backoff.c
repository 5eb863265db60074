/* Back-off between plans, computed from the history: it survives restarts, and a person can check
 * it. */
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

static int64_t delay_ms(int row)
{
    int64_t delay = PLAN_BACKOFF_FIRST_MS;

    for (int i = 1; i < row && delay < PLAN_BACKOFF_MAX_MS; i++)
        delay *= 2;
    return delay < PLAN_BACKOFF_MAX_MS ? delay : PLAN_BACKOFF_MAX_MS;
}

int64_t plan_backoff_ms(const Planning *p, PlanKind kind, bool counts_complete, int allowed)
{
    const PlanEnded *last = NULL;
    int64_t ended_ns;
    int row =
        count_row(&p->status->history, plan_kind_text(kind), counts_complete, &last) - allowed;

    if (row <= 0 || !last || !timestamp_parse(last->finished_at, &ended_ns))
        return 0;
    int64_t delay = delay_ms(row), passed = p->s->now_ms - ended_ns / 1000000;
    int64_t left = delay - passed;
    return left <= 0 ? 0 : left < delay ? left : delay; /* the clock may have stepped back */
}
