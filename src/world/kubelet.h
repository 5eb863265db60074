/* Kubelet: an actor that plays the nodes of a cluster and their scheduler: it binds pods, runs them
 * as the machine of pod.h does, writes their status, and ends them. It never deletes by force.
 *
 * Scripts (kubelet_order) speak of pods by name and outlive them. Sidecars and seids are reached at
 * their pod's address (kubelet_ask), by whoever has a wire: the simulator, the player, the sandbox.
 */
#ifndef WORLD_KUBELET_H
#define WORLD_KUBELET_H

#include "base/clock.h"
#include "base/rng.h"
#include "world/actor.h"
#include "world/disks.h"
#include "world/hazard.h"
#include "world/outside.h"
#include "world/pod.h"
#include "world/ports.h"
#include "world/sidecar_door.h"

typedef struct Kubelet Kubelet;

enum {
    KUBELET_NODES_MAX = 64,
    KUBELET_BAD_IMAGES_MAX = 32,
    KUBELET_SCRIPTS_MAX = 20000,
};

typedef struct KubeletOptions {
    Clock *clock;              /* the wall's, for times in statuses */
    Rng *rng;                  /* which node, how long */
    Outside *outside;          /* chains and buckets; NULL: its own */
    size_t nodes;              /* 0: 3; "node-1", ... */
    size_t pods_max;           /* 0: 20,000; more are left pending */
    int network;               /* pods get addresses 127.<network>.x.y; 0: 200 */
    PodTimes times;            /* how long things take */
    int64_t node_lost_ms;      /* until the node controller gives a lost node up; 0: 40,000 */
    int64_t evict_ms;          /* from then until it deletes its pods; 0: 300,000 */
    int64_t detach_ms;         /* until a lost node's volume goes to another; 0: 360,000 */
    SidecarReviewer *reviewer; /* of tokens; NULL: any token is fine */
    void *reviewer_self;
    bool tells_events; /* posts Events for people */
} KubeletOptions;

Kubelet *kubelet_open(const KubeletOptions *options);

/* The kubelet as an actor, whose close closes it. */
Actor *kubelet_actor(Kubelet *k);

/* What its pods have on their disks. */
Disks *kubelet_disks(Kubelet *k);

/* --- scripts */

typedef enum KubeletDeed {
    DEED_FREEZE, /* a pod: nothing moves, nobody answers, nothing is written */
    DEED_THAW,
    DEED_NEVER_READY, /* a pod: seid's readiness probe fails */
    DEED_READY_AGAIN,
    DEED_SLOW_START,   /* a pod: seid needs `ms` until RPC answers; 0: as usual */
    DEED_SLOW_STOP,    /* a pod: seid needs `ms` to end; 0: as usual */
    DEED_CRASH,        /* a pod: seid ends now, and at its next `count` starts */
    DEED_KILL_SIDECAR, /* a pod: the sidecar's container ends now */
    DEED_EVICT,        /* a pod: the node is short of memory */
    DEED_TEMPER,       /* a pod's sidecar misbehaves; `temper`, `ms` */
    DEED_FAIL_TASK,    /* a pod's sidecar: the next `count` runs of `text` fail with `error` */
    DEED_TASK_TAKES,   /* a pod's sidecar: runs of `text` take `ms`; 0: as usual */
    DEED_FILL_DISK,    /* a pod's volume: `count` 1 is full, 0 is not */
    DEED_EMPTY_DISK,   /* a pod's volume: a person has removed its files */
    DEED_SPOIL_CONFIG, /* a pod's volume: its configuration does not validate */
    DEED_BAD_IMAGE,    /* images with `text` in their name cannot be pulled */
    DEED_GOOD_IMAGE,
    DEED_LOSE_NODE, /* the node `text` is cut off; its pods run on, unseen */
    DEED_RESTORE_NODE,
} KubeletDeed;

typedef struct KubeletOrder {
    KubeletDeed deed;
    Key pod;
    const char *text;
    const char *error;
    int64_t ms, count;
    SidecarTemper temper;
} KubeletOrder;

/* Carries out an order. False when there is nothing it could be about: no such node, no such pod
 * for what happens now, a table that is full. The actor wants to be woken afterwards. */
bool kubelet_order(Kubelet *k, const KubeletOrder *order, int64_t now_ms);

/* From now on every answer of a sidecar or a seid comes so much later, and the start of every
 * container takes so much longer; 0: as usual. */
void kubelet_slow(Kubelet *k, int64_t slow_ms);

/* --- the pods from outside */

/* Where something in a pod listens: POD_PORT_PROXY or POD_PORT_RPC. */
typedef struct PodEndpoint {
    const char *address; /* of the pod */
    int port;
} PodEndpoint;

/* What is answered there. The actor wants to be woken afterwards. */
void kubelet_ask(Kubelet *k, Arena *a, const PodEndpoint *endpoint, const SidecarRequest *request,
    SidecarAnswer *ret);

/* The pod of a name, for tests and people; NULL when it is not known. Borrowed until the next step.
 */
const Pod *kubelet_find(const Kubelet *k, Key pod);

/* The next place where something listens: start with *cursor 0; false at the end. */
bool kubelet_next_endpoint(const Kubelet *k, size_t *cursor, PodEndpoint *ret);

/* A number that changes whenever something begins or ends to listen. */
uint64_t kubelet_endpoints_version(const Kubelet *k);

/* What must never happen and did. */
const Hazards *kubelet_hazards(const Kubelet *k);

/* The outside of this kubelet's chains. */
Outside *kubelet_outside(Kubelet *k);

#endif
