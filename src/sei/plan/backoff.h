/* Backoff: how long after failed plans the next one waits: 10 s, doubled up to 5 minutes. Computed
 * from the history, so it survives restarts, and a person can check it. */
#ifndef SEI_PLAN_BACKOFF_H
#define SEI_PLAN_BACKOFF_H

#include "sei/api/plan.h"

enum { PLAN_BACKOFF_FIRST_MS = 10000, PLAN_BACKOFF_MAX_MS = 300000 };

/* The ends of plans of one kind that count, from the newest on. */
typedef struct BackoffRow {
    int count;
    const PlanEnded *last; /* the newest of them, or NULL */
} BackoffRow;

/* Those that failed in a row. `counts_complete`: success counts, too, because it did not help. */
BackoffRow backoff_row(const PlanHistory *history, PlanKind kind, bool counts_complete);

/* How much of the delay after so many in a row is left, counted from an RFC 3339 time. */
int64_t backoff_left_ms(int64_t row, const char *since, int64_t now_ms);

#endif
