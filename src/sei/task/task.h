/* Task: one step of a plan, one file, one const struct at its foot, one line in registry.c.
 *
 * A task is idempotent: killed after any call and run again it does the rest and no more. It is
 * called until it gives OK or ERR_TERMINAL; ERR_WAIT says in words what it waits for, ERR_FAILED
 * counts against its budget. An error with a reason (Err.reason) of condition.h says what kind of
 * trouble it is: VolumeInUse, SigningKeyInUse, ForeignObject; PodNotReady for a pod that does not
 * get on, SidecarNotReady for a sidecar that does not answer. It acts on what the caches show,
 * which is never older than our own writes; where that is not enough it reads live and says why. */
#ifndef SEI_TASK_TASK_H
#define SEI_TASK_TASK_H

#include "base/err.h"
#include "kube/ctx.h"
#include "sei/api/fleet.h"
#include "sei/api/settings.h"
#include "sei/api/wanted.h"
#include "sei/sidecar/credentials.h"
#include "sei/sidecar/sidecar.h"
#include "sei/task/start_locks.h"

/* Whom the labels of spec.peers name. */
typedef struct TaskPeers {
    bool is_known;          /* else it is still being found out */
    size_t matched;         /* nodes, whether or not they have said what they are called */
    const char *silent;     /* one that has not, or NULL */
    const char *silent_why; /* why its id cannot be read, or NULL */
} TaskPeers;

/* What a task of a fleet works on besides: its founders, by ordinal. */
typedef struct TaskFleet {
    const Fleet *fleet;
    const SeiNode *nodes[FLEET_REPLICAS_MAX];
    size_t count;
} TaskFleet;

/* What a task works on. Tasks change `status` (what they observed) and `plan` (applied_hash), never
 * each other's part. */
typedef struct TaskRun {
    const SeiNode *node;    /* of a fleet's task: the first of its nodes */
    const TaskFleet *fleet; /* of a fleet's task, else NULL */
    const Settings *settings;
    const Wanted *wanted;
    NodeStatus *status;
    PlannedTask *task;
    Sidecar *sidecar;
    Credentials *credentials;
    StartLocks *start_locks; /* of tasks that start pods */
    TaskPeers peers;
    const Json *pod;    /* as in the snapshot */
    bool pod_is_edited; /* that pod has the right hash, but was made from a template that somebody
                         * had edited (EDIT_TEMPLATE): it is to be replaced all the same */
    bool hold_statefulset; /* as in the decision */
    bool stop_no_pod;
    bool volume_was_read;  /* live, in this reconcile: the decision rests on it */
    bool handed_over;      /* out: the task is known at the sidecar */
    const char *result;    /* out: what a sidecar says of a task that it has done, or NULL */
    int64_t look_again_ms; /* out: no event tells when this wait is over; 0: one does */
} TaskRun;

typedef struct TaskKind {
    TaskType type;
    Err *(*step)(Ctx *c, TaskRun *run);
} TaskKind;

/* The task of a type; never NULL for a type that is known. */
const TaskKind *task_find(TaskType type);

/* --- for the tasks --- */

/* Server-side apply of one object of a node, when it is not already right. Ours by controller UID:
 * changed; ownerless with our selector: taken; of an earlier SeiNode of this name, or Terminating:
 * waited for; somebody else's: ERR_TERMINAL, reason ForeignObject, and never touched. */
Err *task_apply_object(Ctx *c, const TaskRun *run, const Kind *kind, const Json *wanted,
    const char *owned_hash) MUST_CHECK;

/* How often a task looks again at what nobody tells us of: a stranger's pod, a claim, a Secret. */
enum { TASK_LOOK_MS = 5000 };

/* The volume is free: no foreign, unfinished pod mounts it. One live LIST. ERR_WAIT, reason
 * VolumeInUse, names the pod, and is looked at again. */
Err *task_volume_is_free(Ctx *c, TaskRun *run) MUST_CHECK;

/* The same by what the cache knows, which is pods with the node's label: no request. */
Err *task_volume_looks_free(Ctx *c, TaskRun *run) MUST_CHECK;

/* As is_free, with the node's own pod counting as well: nothing at all may be on the volume. */
Err *task_volume_is_unused(Ctx *c, TaskRun *run) MUST_CHECK;

/* How pods on the volume are looked for before one of the node starts. */
typedef enum VolumeLook {
    VOLUME_LOOK_CACHED, /* task_volume_looks_free; live when another node names the volume */
    VOLUME_LOOK_LIVE,   /* task_volume_is_free */
    VOLUME_LOOK_UNUSED, /* task_volume_is_unused */
    VOLUME_LOOK_NODES,  /* not at all: the caller looks for pods itself */
} VolumeLook;

/* A pod may start on the volume: no other node runs on it, and no pod is in the way. From here on
 * until the next reconcile of this node no other node that names the volume is let through. Two
 * live GETs for each such node. ERR_WAIT, reason VolumeInUse, names the node or the pod. */
Err *task_start_on_volume(Ctx *c, TaskRun *run, VolumeLook pods) MUST_CHECK;

/* The node does not start after all. */
void task_give_up_volume(const TaskRun *run);

/* After the write that starts a pod: while its outcome is unknown, no other node is let through. */
void task_doubt_start(Ctx *c, const TaskRun *run, const Err *err);

/* As is_free, without the pod of the node's own bootstrap Job: what it was started on is its own.
 */
Err *task_volume_is_free_of_others(Ctx *c, TaskRun *run) MUST_CHECK;

/* The next pod can mount the volume when this one is stopped: the claim is the recorded one, is not
 * being deleted, and is not Lost. One live GET, unless it was read already. ERR_WAIT, reason
 * DataVolumeTerminating, DataVolumeMissing or DataVolumeLost. For every step that stops a pod. */
Err *task_volume_stays(Ctx *c, const TaskRun *run) MUST_CHECK;

/* The Secrets that a validator's pod mounts are there, so that it can start; other nodes mount
 * none. A live GET of each. ERR_WAIT names the first that is not, and is looked at again. */
Err *task_keys_are_there(Ctx *c, TaskRun *run) MUST_CHECK;

/* Whom a sidecar task asks: the live pod, with a token that its proxy accepts. */
Err *task_sidecar_target(Ctx *c, const TaskRun *run, SidecarTarget *ret) MUST_CHECK;

/* Applies the node's StatefulSet and records its UID; no write when it is right. For outside of
 * plans as well: pausing, unpausing, being adopted. */
Err *task_sync_statefulset(Ctx *c, TaskRun *run) MUST_CHECK;

#endif
