/* JobTally: a Job and its pods, counted and judged. Pure.
 *
 * A pod is counted in three writes, so that none is lost or counted twice: its UID goes into
 * status.uncountedTerminatedPods, its finalizer goes, and then the UID goes and the count grows. A
 * Job that is over says so twice: SuccessCriteriaMet or FailureTarget at once, Complete or Failed
 * when every pod is counted and none is left that still goes. */
#ifndef WORLD_JOB_TALLY_H
#define WORLD_JOB_TALLY_H

#include "base/json.h"
#include "world/view.h"

#include <stdbool.h>
#include <stdint.h>

enum { JOB_CONDITIONS_MAX = 16, JOB_BACKOFF_LIMIT = 6 };

typedef struct JobCondition {
    const char *type, *status, *reason, *message, *time;
} JobCondition;

/* How often the pods of a Job have failed since one succeeded, and when last. */
typedef struct JobMisses {
    int64_t count, last_ms;
} JobMisses;

typedef struct JobTally {
    /* given */
    Arena *arena;
    const Json *job;
    ViewList pods;    /* the Job's own */
    const char *now;  /* RFC 3339 */
    int64_t now_ms;   /* the same, of the wall clock */
    JobMisses misses; /* known before; then with the new ones */

    /* found */
    int64_t active, ready, terminating; /* pods */
    int64_t succeeded, failed;          /* counted and to be counted */
    int64_t deadline_ms;                /* until the deadline; 0: none */
    bool ends, succeeds;                /* the verdict, if there is one */
    const char *reason, *message;
    const char *started;
    JobCondition conditions[JOB_CONDITIONS_MAX];
    size_t condition_count;
} JobTally;

/* The Job is Complete or Failed; is not to run now. */
bool job_is_finished(const Json *job);
bool job_is_suspended(const Json *job);

/* Counts and judges what is given. */
void job_tally(JobTally *t);

/* Judges by the completions that are reached: once the pods are as many as are wanted. */
void job_tally_completions(JobTally *t);

/* Notes that the Job is or is no longer suspended. */
void job_tally_suspension(JobTally *t);

/* A pod whose finalizer may go, once the status says all there is to say; or NULL. */
const Json *job_tally_next_to_let_go(const JobTally *t);

/* The status that the Job should have now. */
const Json *job_tally_status(JobTally *t);

#endif
