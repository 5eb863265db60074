/* PodTrouble: why a pod is not Ready, in words for people, from the pod alone. Pure.
 *
 * The words do not change with time or with every restart: each change of them is a write of a
 * status. Restarts are counted in steps, and a registry's error is the same while the kubelet pulls
 * and while it backs off. Test: tests/sei/api/test_pod_trouble.c. */
#ifndef SEI_API_POD_TROUBLE_H
#define SEI_API_POD_TROUBLE_H

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum PodCause {
    POD_CAUSE_NONE, /* no pod, or the pod is Ready */
    POD_CAUSE_EVICTED,
    POD_CAUSE_TERMINATING,
    POD_CAUSE_UNSCHEDULABLE,
    POD_CAUSE_FAILED, /* its phase is Failed */
    POD_CAUSE_MACHINE_LOST,
    POD_CAUSE_IMAGE,   /* an image cannot be pulled */
    POD_CAUSE_CONFIG,  /* a Secret or ConfigMap of its environment is missing */
    POD_CAUSE_BLOCKED, /* the kubelet cannot create or start a container */
    POD_CAUSE_CRASH,   /* a container ended, or ends again and again */
    POD_CAUSE_VOLUMES, /* it waits for its volumes or its network */
    POD_CAUSE_GATE,    /* seid waits for the sidecar */
    POD_CAUSE_PROBE,   /* a container runs, and its readiness probe fails */
    POD_CAUSE_UNKNOWN, /* nothing of the above; the text repeats condition Ready */
} PodCause;

typedef struct PodTrouble {
    PodCause cause;
    const char *container; /* that it is about, or NULL */
    const char *text;      /* what is wrong; NULL without a cause */
    const char *advice;    /* what to do about it; NULL: wait */
    bool is_crash_loop;    /* POD_CAUSE_CRASH: several short runs in a row */
} PodTrouble;

/* Why the pod is not Ready. A NULL pod has no trouble. */
PodTrouble pod_trouble_find(Arena *a, const Json *pod);

/* The cause keeps the pod from starting or running, as pod_trouble() reports it. */
bool pod_trouble_is_hard(const PodTrouble *trouble);

/* Since when the pod has been as it is, by the times that the server stores: the newest of its
 * creation and of the transition of its condition Ready, or of PodScheduled while it has no
 * machine. 0: unknown. */
int64_t pod_trouble_since_ms(const Json *pod);

#endif
