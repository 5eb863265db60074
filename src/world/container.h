/* Container: one container of a pod, from its image to its end, as a kubelet runs it: pulled with
 * back-off, started, probed, restarted with back-off, stopped by a signal and then by force. */
#ifndef WORLD_CONTAINER_H
#define WORLD_CONTAINER_H

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ContainerRole {
    ROLE_INIT,   /* runs to its end before the next */
    ROLE_NATIVE, /* an init container that stays: restartPolicy Always */
    ROLE_MAIN,
} ContainerRole;

/* What runs in it; known by the names of the rendered pods. */
typedef enum ContainerProgram {
    PROGRAM_PLAIN, /* runs on, or in a Job to its end */
    PROGRAM_SEID_INIT,
    PROGRAM_SIDECAR,
    PROGRAM_PROXY,
    PROGRAM_SEID, /* waits for the sidecar's word, then is seid */
} ContainerProgram;

typedef enum ContainerState {
    CONTAINER_IDLE, /* not its turn yet */
    CONTAINER_PULLING,
    CONTAINER_PULL_FAILED,  /* ErrImagePull */
    CONTAINER_PULL_BACKOFF, /* ImagePullBackOff */
    CONTAINER_RUNNING,
    CONTAINER_STOPPING, /* runs, and was told to end */
    CONTAINER_EXITED,
    CONTAINER_CRASH_BACKOFF, /* CrashLoopBackOff */
} ContainerState;

typedef enum ProbeTarget {
    PROBE_NONE,
    PROBE_PROXY_OPEN, /* a connection to the proxy's port */
    PROBE_PROXY_GET,  /* a page behind the proxy */
    PROBE_LAG,        /* seid's /lag_status */
    PROBE_SEID_OPEN,  /* a connection to one of seid's ports */
    PROBE_EXPORTER,   /* the exporter's port: it opens once seid answers gRPC */
    PROBE_FINE,       /* of programs without a model */
} ProbeTarget;

typedef struct Probe {
    ProbeTarget target;
    const char *path; /* of PROBE_PROXY_GET */
    int64_t delay_ms, period_ms;
    int64_t failures_max, successes_min;
    int64_t next_ms;             /* when it looks again; INT64_MAX while nothing can have changed */
    int64_t last_ms;             /* when it last looked, on its own beat */
    int64_t failures, successes; /* in a row */
} Probe;

/* How it ended. */
typedef struct ContainerEnd {
    int exit_code;
    const char *reason;
    int64_t started_ms, finished_ms; /* wall clock */
    int64_t run;                     /* which run it was, for its id */
} ContainerEnd;

typedef struct Container {
    const char *name, *image;
    ContainerRole role;
    ContainerProgram program;
    Probe startup, liveness, readiness;

    ContainerState state;
    int64_t due_ms;   /* of the state; INT64_MAX: somebody else ends it */
    int64_t since_ms; /* since when it runs */
    int64_t since_wall_ms;
    bool is_started; /* the startup probe has passed */
    bool is_ready;
    bool has_begun;  /* it has run at least once */
    bool is_seid_up; /* of PROGRAM_SEID: past the gate */
    int64_t restarts;
    int64_t pull_backoff_ms, crash_backoff_ms;
    bool has_end, has_last;
    ContainerEnd end, last; /* of CONTAINER_EXITED; of the run before */
} Container;

/* Reads a container of a pod's spec, its texts into the arena. */
void container_decode(Arena *a, Container *c, const Json *spec, bool is_init);

/* Runs now, told to end or not. */
bool container_is_running(const Container *c);

/* The pod may go on to the next: an init container has ended well, a native one has started. */
bool container_is_passed(const Container *c);

/* "ContainerCreating", "CrashLoopBackOff", ...: why it waits; NULL when it does not. */
const char *container_waiting_reason(const Container *c, bool is_initialized);

#endif
