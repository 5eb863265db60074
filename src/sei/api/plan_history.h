/* PlanHistory: status.history, how the last plans of a node or a fleet ended. */
#ifndef SEI_API_PLAN_HISTORY_H
#define SEI_API_PLAN_HISTORY_H

#include "base/draft.h"
#include "base/json.h"

#include <stddef.h>

enum { PLAN_HISTORY_MAX = 10 };

typedef struct PlanEnded { /* one entry of status.history */
    const char *id, *kind, *cause;
    const char *result; /* "Complete", "Failed", "Superseded" */
    const char *started_at, *finished_at, *message;
} PlanEnded;

typedef struct PlanHistory { /* oldest first */
    PlanEnded items[PLAN_HISTORY_MAX];
    size_t count;
} PlanHistory;

/* Reads status.history. ERR_TERMINAL names what makes no sense, by its path in there. Strings are
 * borrowed. */
Err *plan_history_decode(Arena *a, const Json *history, PlanHistory *ret) MUST_CHECK;

/* The array for status.history; NULL for an empty one. */
Draft *plan_history_encode(Arena *a, const PlanHistory *history);

/* Appends to the history; the oldest goes when it is full. */
void plan_history_add(PlanHistory *history, const PlanEnded *ended);

#endif
