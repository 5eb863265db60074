/* ProbeAsks: which failing probes the API server was asked about, and what their output was. In
 * memory only.
 *
 * An API server reads all Events of a namespace to answer. So a failure is asked about three times
 * at most, a node once per minute, and all nodes together a few times in ten seconds. An Event may
 * be late: a kubelet that has posted 25 about a pod posts one more in five minutes. The output may
 * change as well: connection refused while seid replays blocks, 417 while it catches up. */
#ifndef SEI_RECONCILE_PROBE_ASKS_H
#define SEI_RECONCILE_PROBE_ASKS_H

#include "base/arena.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ProbeAsks ProbeAsks;

enum {
    PROBE_NODES_MAX = 10000,
    PROBE_ASKS_MAX = 3,           /* about one failure */
    PROBE_PAUSE_MS = 60000,       /* after each of them */
    PROBE_LONG_PAUSE_MS = 330000, /* after the second */
    PROBE_TURN_MS = 10000,
    PROBE_TURN_ASKS = 10, /* of all nodes in so long */
};

/* Another pod, container or beginning is another failure. */
typedef struct ProbeFailure {
    const char *pod_uid, *container;
    int64_t since_ms;
} ProbeFailure;

typedef struct ProbeAnswer {
    bool node_is_known;   /* it was asked about this failure or another one of the node */
    const char *output;   /* of this failure, in the arena, or NULL */
    int64_t ask_after_ms; /* 0: ask now; below 0: do not ask */
} ProbeAnswer;

/* Nothing is known. */
ProbeAsks *probe_asks_open(void);
void probe_asks_close(ProbeAsks *p);

/* What is known of a failure, and when to ask. The guard is held, here and below. */
ProbeAnswer probe_asks_find(
    const ProbeAsks *p, Arena *a, Key node, const ProbeFailure *failure, int64_t now_ms);

/* It is being asked now. */
void probe_asks_begin(ProbeAsks *p, Key node, const ProbeFailure *failure, int64_t now_ms);

/* The answer; what is not this failure any more is left alone. */
void probe_asks_note(ProbeAsks *p, Key node, const ProbeFailure *failure, const char *output);

/* The node is gone. */
void probe_asks_forget(ProbeAsks *p, Key node);

#endif
