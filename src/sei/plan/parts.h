/* Parts: what the files of this room share. One decision in the making is a Planning; each file
 * judges one thing about it and writes into the decision. */
#ifndef SEI_PLAN_PARTS_H
#define SEI_PLAN_PARTS_H

#include "sei/plan/backoff.h"
#include "sei/plan/explain.h"
#include "sei/plan/node_plan.h"

enum {
    PLAN_APPROVALS_FREE =
        3, /* in a row, before the next ones wait: some sidecars never get ready */
    FOREIGN_LOOK_AGAIN_MS = 30000, /* what is foreign has not our label, so no event comes */
    IMPORT_LOOK_AGAIN_MS = 5000,   /* nor of a claim that is to be imported */
};

typedef struct Planning {
    Arena *a;
    const NodeSnapshot *s;
    const SeiNode *node;
    NodeDecision *d;
    NodeStatus *status; /* of the decision */
    const Json *pod;    /* of the snapshot, unless it is terminating */
    PodMatch match;
    const char *spec_hash, *init_hash; /* the latter NULL: the node's own, see plan_target */
    bool rendering_is_old;    /* the identity was read just now: `wanted` does not know it yet */
    bool statefulset_foreign; /* the pod is not ours either: nothing moves */
    bool object_foreign;      /* Service or ConfigMap */
    bool service_foreign, config_foreign; /* which of them */
    bool identity_changed, spec_refused;
    bool claim_is_other;    /* of the identity, the volume */
    bool drift_waits;       /* for a permit, its fleet, or the end of a back-off */
    bool is_fresh;          /* the volume was given up: set up as if new */
    const Plan *superseded; /* what a new plan may take over from, or NULL */
} Planning;

/* A stall, unless there is one already: the first reason found is the one that people see. */
void plan_stall(Planning *p, Reason reason, const char *message);
/* Looks again after so long, or earlier if that was wanted already. */
void plan_look_again(Planning *p, int64_t after_ms);

/* There is a plan, and it is Active. */
bool plan_is_active(const NodeStatus *status);

/* takeover.c: status lost. True: taken over or stalled, and nothing else is decided. */
bool plan_take_over(Planning *p);
/* What to do after status.plan was removed, or NULL if the node then goes on by itself. */
const char *plan_ways_without_plan(const Planning *p);

/* identity.c: records what the node is, from what lives, when it was not yet; and notices edits. */
void plan_identity(Planning *p);
void plan_tell_identity(Planning *p);

/* adopt.c: what the live pod says: adoption, image, template hash. */
void plan_observe_pod(Planning *p);

/* foreign.c: StatefulSet, Service or ConfigMap of our name that are somebody else's. */
void plan_foreign(Planning *p);

/* volume.c: the recorded claim is gone, or another one has its name. Records the volume, and
 * notices when it is gone or going (false: nothing more can be decided now). Reports an imported
 * claim that another SeiNode controls, unless there is a stall. */
bool plan_volume_is_lost(const Planning *p);
bool plan_volume(Planning *p);
void plan_tell_volume_of_other_node(Planning *p);

/* active.c: an Active plan. True: it stays, and nothing else is decided. */
bool plan_active(Planning *p);

/* peers.c: discover-peers of the Active plan is told of the peers that are known now, as long as it
 * has not been handed over. */
void plan_refresh_peers(Planning *p);

/* init.c, failed.c: a node that is not Running. */
void plan_init(Planning *p);
void plan_failed(Planning *p);

/* update.c: the spec has moved, and the fleet of the node has not released the new one yet. */
bool plan_awaits_fleet(const Planning *p);

/* update.c: without a plan, an update would await the fleet, or one of the spec would be built. */
bool plan_update_awaits_fleet(const Planning *p);
bool plan_update_of_spec_is_due(const Planning *p);

/* update.c, repair.c, reapprove.c: a Running node. True: there is a plan now, or a question. */
bool plan_update(Planning *p);
bool plan_repair(Planning *p);

/* repair.c: a repair would be built now, were there no plan. Slower than a repair at rest: of what
 * differs again right after one, a webhook may be the cause. */
bool plan_repair_is_due(Planning *p);
bool plan_reapprove(Planning *p);

/* pod_match.c: the image of a pod's seid; and the image of a pod that the reference made. */
const char *plan_pod_image(const Json *pod);
const char *plan_reference_image(const SeiNode *node, const NodeStatus *status, const Json *pod);

/* update.c: the pod is not what is wanted, or its image is not. */
bool plan_has_drift(const SeiNode *node, const NodeStatus *status, PodMatch match);

/* The spec, of this hash, is not that of the last roll; where none is recorded the image tells. */
bool plan_spec_has_moved(const SeiNode *node, const NodeStatus *status, const char *spec_hash);

/* repair.c: how one of the three objects stands to what is wanted, by the task that applies it. One
 * that is being deleted is still there, and is left alone until it is gone. */
typedef enum ObjectState { OBJECT_RIGHT, OBJECT_MISSING, OBJECT_DIFFERS } ObjectState;
ObjectState plan_object_state(const Planning *p, TaskType apply);

/* A new plan of a kind, Active and without tasks. */
Plan *plan_new(Planning *p, PlanKind kind, const char *cause);

/* Adds a task that the operator does itself. */
void plan_add_own_task(Planning *p, Plan *plan, TaskType type);

/* Makes it the plan of the decision, with what it takes over from the superseded one. */
void plan_install(Planning *p, const Plan *plan);

/* The hash that a plan of that kind carries out. */
const char *plan_target(const Planning *p, PlanKind kind);

/* The Active plan goes to the history. */
void plan_supersede(Planning *p, const char *why);

/* carry.c: what `next` takes over from `old`. `keeps_data`: what was done stays done; otherwise
 * only what is still at work is awaited. */
void plan_carry_over(Planning *p, const Plan *old, Plan *next, bool keeps_data);

/* Every task of it that may be at work can be awaited by the plan that follows. */
enum { PLAN_AWAITED_MAX = 8 };
bool plan_can_be_superseded(const Plan *plan);

/* Handed over to the sidecar, and not known to have ended. */
bool plan_task_is_at_work(const PlannedTask *task);

/* backoff.c: how long until another plan of that kind may be built, by how the last ones ended. The
 * first `allowed` in a row are free. `counts_complete`: success counts, too, because it did not
 * help. */
int64_t plan_backoff_ms(const Planning *p, PlanKind kind, bool counts_complete, int allowed);

/* How long until the gate of the first stage may be opened again, of which its retry_count says how
 * often that was done in a row. */
int64_t plan_gate_backoff_ms(const Planning *p, const PlannedTask *gate);

/* The gate was opened long ago: what closes it now is another story. */
bool plan_gate_has_held(const Planning *p, const PlannedTask *gate);

/* explain.c: "image v1 -> v2, ..." for a message. */
const char *plan_drift_text(Arena *a, const Drift *drift);

#endif
