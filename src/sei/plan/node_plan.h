/* NodePlan: what should happen next with a node. Pure: snapshot in, decision out.
 *
 * Order of judgement, in node_plan.c:
 *   1. status lost: taken over as Running, unless its bootstrap Job is there; other pods adopted
 *   2. what stands in the way: a plan that is not ours, a foreign object, a volume that is gone or
 *      going, an edit of the identity, a spec that is refused. Each is a NodeStall with a way out
 *   3. paused: nothing moves
 *   4. an Active plan: kept, re-armed, superseded (its target moved), stamped (the reference's)
 *   5. not Running: init. Running: drift, then repair, then mark-ready
 *
 * A plan that supersedes another takes over what was done (carry.c): sidecar tasks of the same
 * type, params and purpose (purpose.h) that are Complete or submitted keep id, status and
 * submittedAt, up to the first one that has to be done anew; each later one builds on it. If the
 * volume was prepared for another purpose, the node is Stalled/NeedsReset. A submitted task that is
 * not wanted any more stands in the new plan under its old id, marked `superseded`, in front of the
 * first task to be submitted. It is polled until its end, which counts for NeedsReset only.
 *
 * Invariants (tests/sei/plan/test_every_node.c): a bootstrap task never stands in a plan of a
 * Running node; a plan of the same target is never built twice; a task that was handed over is
 * never dropped without being polled to its end; nothing is stopped while the volume is
 * Terminating; every stall has a message; the conditions are complete, and kstatus never reads
 * Current from them while there is something left to do. */
#ifndef SEI_PLAN_NODE_PLAN_H
#define SEI_PLAN_NODE_PLAN_H

#include "base/json.h"
#include "sei/api/condition.h"
#include "sei/api/node.h"
#include "sei/api/settings.h"
#include "sei/api/wanted.h"

#include <stdbool.h>
#include <stdint.h>

/* What the sidecar's health probe last said. */
typedef enum SidecarHealth {
    HEALTH_UNKNOWN, /* not asked yet */
    HEALTH_READY,
    HEALTH_NOT_READY,
    HEALTH_UNREACHABLE,
} SidecarHealth;

/* How a pod stands to the wanted template. */
typedef enum PodMatch {
    POD_MISSING,
    POD_CURRENT,
    POD_STALE,
    POD_ADOPTED, /* another operator's, taken over as it is */
    POD_UNCLEAR, /* same hash, other revision: its ControllerRevision must be read first */
} PodMatch;

typedef enum HandEdit {
    EDIT_UNREAD,
    EDIT_METADATA_ONLY, /* or what others added: nothing of ours was edited */
    EDIT_TEMPLATE,
} HandEdit;

/* The claim that spec.dataVolume.import names, of a node that has recorded another one: looked at
 * live, by all that a volume must be before a node is put on it. */
typedef struct ImportProof {
    bool is_read;
    const Json *claim;   /* it can carry the node; NULL: it cannot */
    const char *trouble; /* why not */
} ImportProof;

/* Everything that counts, read once. NULL objects do not exist. */
typedef struct NodeSnapshot {
    const SeiNode *node;
    const Settings *settings;
    const char *const *namespaces; /* that are watched, ended by NULL; NULL: all */
    const Wanted *wanted;
    const Json *statefulset, *service, *proxy_config, *bootstrap_job; /* cached, whoever's */
    SidecarHealth bootstrap_health; /* of the Job's pod, while it is awaited */
    const Json *volume;             /* the claim of wanted->claim */
    bool volume_absent_for_sure;    /* a live GET said so in this reconcile */
    ImportProof import;
    const Json *pod; /* the pod of the StatefulSet; one that is terminating counts as none */
    const Json *refused_pod; /* the same, of a node whose spec is refused: for status.seid alone */
    HandEdit hand_edit;      /* of a POD_UNCLEAR pod */
    const char *pod_held_back; /* by what its own status does not tell, in words, or NULL */
    const char *probe_output;  /* of a failing probe, one line of it, or NULL */
    SidecarHealth health;
    const char *health_message;            /* of HEALTH_UNREACHABLE, or NULL */
    const char *seid_chain, *seid_trouble; /* of a new node: what seid reports, or why nothing */
    const char *signing_twin;   /* another that runs with the same signing key, or NULL */
    bool statefulset_was_right; /* for the rendering last acknowledged, or nothing is known of it */
    bool scaled_by_hand;        /* replicas 0 that our apply does not own, paused or not */
    const char *foreign_fields; /* what others have added to the template, in words, or NULL */
    bool may_disrupt;           /* a platform permit is held or free */
    const char *permit_wait;    /* what it waits for that was refused one, or NULL */
    bool drift_explained;       /* `explained` is filled */
    Drift explained;            /* field by field, from the live StatefulSet */
    const char *plan_id;        /* a fresh UUID for a plan that may be built */
    const char *now;            /* RFC 3339 */
    int64_t now_ms;             /* wall clock */
} NodeSnapshot;

/* Why nothing destructive may be done now, and what a person can do. */
typedef struct NodeStall {
    bool is_set;
    Reason reason;
    const char *message;
    int64_t look_again_ms; /* 0: an event will tell */
} NodeStall;

typedef struct NodeDecision {
    NodeStatus status;       /* what it becomes, before any task has run */
    bool plan_is_new;        /* or changed in a way that must be stored before it is carried out */
    bool frozen;             /* the Active plan is not to be carried on now */
    bool hold_statefulset;   /* it must be neither created nor changed now */
    bool stop_no_pod;        /* no step that stops a pod */
    bool needs_explanation;  /* drift: read the live StatefulSet and ask again */
    bool needs_hand_edit;    /* read the pod's ControllerRevision and ask again */
    bool needs_volume_proof; /* read the claim live and ask again */
    bool needs_import_proof; /* look at the claim to be imported and ask again */
    bool repair_waits;       /* something is missing or different, and is put right later */
    bool wants_permit;       /* platform drift waits for its turn */
    bool awaits_fleet;       /* spec drift waits for its turn in the fleet of the node */
    bool scale_only;         /* the spec waits for that turn: replicas alone may follow it */
    bool finished;           /* a plan was superseded: it is the newest of the history */
    NodeStall stall;
    int64_t again_after_ms; /* back-off of a failed update; 0: none */
} NodeDecision;

/* Decides. A refused spec is a stall: a Running node keeps what it has. ERR_TERMINAL only when
 * memory does not suffice. While one of the needs_ is set, the rest of the decision does not count:
 * read that, and ask again. While wants_permit is set, the decision holds. */
Err *plan_node(Arena *a, const NodeSnapshot *snapshot, NodeDecision *ret) MUST_CHECK;

/* How the pod stands to what is wanted, by its annotations and by what status.adopted records. */
PodMatch plan_pod_match(const NodeSnapshot *snapshot);

/* The wanted object is there, ours, and as we last rendered it. */
bool plan_object_is_right(const Json *object, const SeiNode *node, const char *owned_hash);

typedef struct NodeProgress { /* how far the tasks came */
    const char *waiting;      /* what the plan waits for, or NULL */
    const char *reason;       /* of that, a word of condition.h, or NULL */
    bool runs_on;             /* it is to be paused, and what runs of it was not stopped */
} NodeProgress;

/* What follows from that, into `status`: all conditions, and what a node records when it has come
 * to Running (identity, volume). Once, last. snapshot->wanted NULL: it could not be rendered. */
void plan_conditions(Arena *a, const NodeSnapshot *snapshot, const NodeDecision *decision,
    const NodeProgress *progress, NodeStatus *status);

/* Checks of the spec that no schema can make. ERR_TERMINAL with the words of the reference. */
Err *plan_check_spec(Arena *a, const SeiNode *node) MUST_CHECK;

#endif
