/* The pods of a Job: what has become of them, when they ended, and new ones. Pure. */
#ifndef WORLD_JOB_POD_H
#define WORLD_JOB_POD_H

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

/* A pod keeps this finalizer until the Job has counted it. */
#define JOB_TRACKING "batch.kubernetes.io/job-tracking"

/* Neither over nor going. */
bool job_pod_is_active(const Json *pod);

/* Active and Ready. */
bool job_pod_is_ready(const Json *pod);

/* Going, and not over. */
bool job_pod_is_terminating(const Json *pod);

bool job_pod_has_succeeded(const Json *pod);

/* Failed; a pod that is going counts too, unless the Job replaces failed ones only. */
bool job_pod_has_failed(const Json *pod, const Json *job);

/* When it ended, as far as can be told, in milliseconds of the wall clock. */
int64_t job_pod_ended_ms(const Json *pod);

/* How often its containers were restarted while it runs. */
int64_t job_pod_restarts(const Json *pod);

/* A pod of the Job to be created. */
const Json *job_pod_new(Arena *a, const Json *job);

#endif
