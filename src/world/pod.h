/* Pod: one pod on a node, from its binding to the end of its last container. It knows no API: the
 * kubelet tells it what was seen, steps it, and writes down what pod_status says. */
#ifndef WORLD_POD_H
#define WORLD_POD_H

#include "base/arena.h"
#include "base/draft.h"
#include "kube/key.h"
#include "world/container.h"
#include "world/sidecar.h"
#include "world/sidecar_door.h"

enum { POD_CONTAINERS_MAX = 16, POD_ADDRESS_SIZE = 16, POD_CONDITIONS = 6, POD_SPEC_MAX = 4 << 20 };

/* How long things take. 0: the default. */
typedef struct PodTimes {
    int64_t pull_ms;       /* 1,500 */
    int64_t init_ms;       /* an init container; 500 */
    int64_t job_ms;        /* a plain container of a Job; 5,000 */
    int64_t seid_start_ms; /* until its RPC answers; 3,000 */
    int64_t seid_stop_ms;  /* 2,000 */
    int64_t stop_ms;       /* any other program; 200 */
} PodTimes;

/* What a script makes of the pods of one name, also of those to come. Zero: nothing. */
typedef struct PodScript {
    SidecarScript sidecar;
    bool is_frozen;                      /* nothing moves, nothing is written, nobody answers */
    bool is_never_ready;                 /* seid's readiness probe fails */
    int64_t start_slow_ms, stop_slow_ms; /* seid takes so long; 0: as usual */
    int64_t crashes;                     /* so many starts of seid end at once, exit code 1 */
} PodScript;

/* What all pods of a kubelet share. */
typedef struct PodHost {
    PodTimes times;
    int64_t slow_ms; /* the start of every container takes so much longer */
    Clock *clock;
    Rng *rng;
    Outside *outside;
    Hazards *hazards;
    bool (*is_bad_image)(void *self, const char *image);
    void *self;
    SidecarReviewer *reviewer;
    void *reviewer_self;
} PodHost;

typedef enum PodStage {
    POD_UNBOUND,
    POD_MOUNTING, /* bound; its volume is not there yet */
    POD_ACTIVE,
    POD_STOPPING,
    POD_STOPPED, /* no container will run again */
} PodStage;

typedef enum PodConditionType {
    POD_READY_TO_START,
    POD_INITIALIZED,
    POD_READY,
    POD_CONTAINERS_READY,
    POD_SCHEDULED,
    POD_DISRUPTED,
} PodConditionType;

typedef struct PodCondition {
    bool is_known, is_true;
    int64_t since_ns; /* wall clock */
    const char *reason, *message;
} PodCondition;

/* One run of seid's container, for whoever reads its log. Times are of the pod's own clock. */
typedef struct SeidRun {
    int64_t up_ms;             /* the gate opened and seid began; 0: it did not */
    int64_t anchor, anchor_ms; /* the height it began with, and when it served */
    int64_t ended_ms;          /* 0: it has not */
    int64_t last;              /* height, when it has */
    int exit_code;             /* the same: seid's own */
    bool is_halted, is_crash;  /* it ended at its halt height; as it began */
    bool is_config_wrong;      /* the same: because of that */
} SeidRun;

typedef struct Pod {
    Arena *arena; /* holds the texts below: the few of the spec that matter here */
    PodHost *host;
    PodScript *script;
    Key key;
    const char *key_text, *uid;
    int64_t generation;
    const char *restart_policy, *claim;
    const Json *secrets;   /* of the spec: its volumes, with nothing but the secrets they mount */
    int64_t grace_s;       /* of the spec */
    Container *containers; /* init containers first */
    size_t count;

    PodStage stage;
    char address[POD_ADDRESS_SIZE];
    const char *host_address;
    int64_t started_ns;  /* wall clock: the kubelet saw it */
    int64_t deadline_ms; /* of STOPPING: then it is killed */
    bool has_begun;      /* a main container has run: the pod counts as initialized from then on */
    bool is_evicted;
    bool is_node_lost;         /* the node controller has given it up */
    const char *unschedulable; /* why, or NULL */
    PodCondition conditions[POD_CONDITIONS];

    Volume *volume;
    Seid seid;
    SeidRun run, last_run;
    bool excuses_interrupt, excuses_termination; /* the script makes 0 of seid's code 130, of 143 */
    bool tells_termination; /* and 143 of whatever it ends with after SIGTERM */
    Sidecar sidecar;
    SidecarProxy proxy;
} Pod;

/* Reads a pod into its own arena: everything up to `count`. False when it has too many containers,
 * or is too large. */
bool pod_decode(Pod *p, const Json *object);

/* Its volume is there: containers begin. */
void pod_mount(Pod *p, Volume *volume, int64_t now_ms);

/* Lets time pass up to now, and says when it wants to be stepped again. */
int64_t pod_step(Pod *p, int64_t now_ms);

/* Begins to stop it, or stops it faster than it was going to. */
void pod_stop(Pod *p, int64_t grace_s, int64_t now_ms);

/* Whether a container of it runs. */
bool pod_is_running(const Pod *p);

/* The container of a program, or NULL. */
Container *pod_find(Pod *p, ContainerProgram program);

/* Ends a container now, as a crash does. */
void pod_crash(Pod *p, Container *c, int exit_code, int64_t now_ms);

/* A connection to that port of it is taken; of ports.h: the proxy's, RPC's. */
bool pod_listens(const Pod *p, int port);

/* The status that a kubelet writes: pod_status.c. Moves the conditions' times. */
Draft *pod_status(Pod *p, Arena *a);

/* Looks where a running container's probes look, when they are due, and sets what they mean for it.
 * False when it must be killed: pod_probe.c. */
bool pod_probe(Pod *p, Container *c, int64_t now_ms);

/* When the next probe of a container could change anything. */
int64_t pod_probe_due(const Container *c);

#endif
