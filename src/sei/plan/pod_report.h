/* PodReport: what a node reports of a pod that is not Ready, and whether a person must act. Pure.
 *
 * A cause that may end by itself needs a person only after a grace period. It is measured by times
 * that the server stores, so a restart of the operator does not begin it anew. */
#ifndef SEI_PLAN_POD_REPORT_H
#define SEI_PLAN_POD_REPORT_H

#include "sei/plan/node_plan.h"

enum {
    GRACE_IMAGE_MS = 300000,
    GRACE_CRASH_MS = 300000,
    GRACE_CONFIG_MS = 60000, /* a Secret or ConfigMap may be applied after the node */
    GRACE_MACHINE_MS = 300000,
    GRACE_SCHEDULE_MS = 600000, /* an autoscaler may add a machine */
    POD_YOUNG_MS = 60000,       /* a pod that starts is not described step by step */
};

typedef struct PodReport {
    const char *message;   /* why the pod is not Ready and what to do; NULL: it is Ready */
    Reason stall;          /* of condition Stalled: a person must act; REASON_COUNT: none */
    int64_t look_again_ms; /* when time alone changes that; 0: never */
    const char *probed;    /* the container whose probe fails, by the message; or NULL */
} PodReport;

/* About the pod of the snapshot. */
PodReport plan_pod_report(Arena *a, const NodeSnapshot *snapshot);

/* The output of that probe, as condition Ready reports it already, or NULL. */
const char *plan_reported_output(Arena *a, const NodeSnapshot *snapshot);

/* The condition of a Secret that a plan has awaited for longer than the grace period, or NULL. */
const Cond *plan_missing_secret(const NodeSnapshot *snapshot, const NodeStatus *status);

/* The reason of condition Stalled is about the pod: it ends when the pod starts, and does not stop
 * a rollout from replacing the pod. */
bool plan_stall_is_of_pod(Reason reason);

#endif
