/* Exec: moves a plan: does the next task until one has to wait, counts retries, ends the plan.
 * Nothing else. Works on the plan in memory; storing it is the caller's. */
#ifndef SEI_EXEC_EXEC_H
#define SEI_EXEC_EXEC_H

#include "sei/task/task.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ExecResult {
    const char *waiting;   /* what the plan waits for, or NULL */
    bool waiting_is_error; /* it waits because something goes wrong: told at once */
    const char *reason; /* of that, a word of condition.h (ForeignObject, VolumeInUse), or NULL */
    bool must_store;    /* something happened that may not be lost: a hand-over, a retry, the end */
    bool ended;         /* Complete or Failed in this call */
    int64_t again_after_ms; /* back-off of a retry; 0: an event will tell */
} ExecResult;

/* Carries on with run->status->plan; nothing happens unless it is Active. Stamps submitted_at,
 * retry_count, error, failed_index. When the plan ends, sets the phase and appends to the history;
 * an init ends only when its pod runs seid, and stamps what that was made from. Errors of single
 * tasks are in the result; an error is returned only when the reconcile itself should be retried
 * (ERR_RETRY of the API), and then the result says what is wrong as well.
 *
 * A Pending task with an error is one whose last attempt failed at submitted_at: it is tried again
 * exec_backoff_ms later. A foreign object does not end a plan: it is looked at again. */
Err *exec_plan(Ctx *c, TaskRun *run, const char *now, ExecResult *ret) MUST_CHECK;

/* One step of one task, which is run->task: for plans that somebody else moves. The task becomes
 * Complete or Failed (then with its error), or the result says what it waits for; the plan is left
 * alone, and `ended` is never set. Errors as above. */
Err *exec_task(Ctx *c, TaskRun *run, const char *now, ExecResult *ret) MUST_CHECK;

/* How long before attempt n (counted from 1): 10 s, 20 s, 30 s, 30 s, ... */
int64_t exec_backoff_ms(int64_t attempt);

#endif
