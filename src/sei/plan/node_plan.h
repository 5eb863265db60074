/* NodePlan: what should happen next with a node. Pure: snapshot in, decision out; nobody is asked
 * and nothing is changed here.
 *
 * Order of judgement, each a function of its own in node_plan.c:
 *   1. checks of the spec (plan/check.c): Stalled/InvalidSpec
 *   2. an Active plan: kept, superseded (target hash moved), re-armed, or not ours (UnknownPlan)
 *   3. a node that is not Running: taken over (status lost), or init
 *   4. Running: volume lost or going, identity edited; then drift, then repair, then mark-ready
 *
 * Invariants: a bootstrap task never stands in a plan of a Running node; a plan of the same target
 * is never built twice; a submitted sidecar task is never dropped without being polled to its end.
 */
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

typedef enum HandEdit { EDIT_UNREAD, EDIT_METADATA_ONLY, EDIT_TEMPLATE } HandEdit;

/* Everything that counts, read once. NULL objects do not exist. */
typedef struct NodeSnapshot {
    const SeiNode *node;
    const Settings *settings;
    const Wanted *wanted;
    const Json *statefulset, *service, *proxy_config; /* cached, of our names, whoever's */
    const Json *volume;                               /* the claim of wanted->claim */
    bool volume_absent_for_sure;                      /* a live GET said so in this reconcile */
    const Json *pod;    /* the pod of the StatefulSet: the one that is not terminating, if any */
    HandEdit hand_edit; /* of a POD_UNCLEAR pod */
    SidecarHealth health;
    const char *health_message; /* of HEALTH_UNREACHABLE, or NULL */
    bool statefulset_was_right; /* what is there was right for the rendering last acknowledged */
    bool may_disrupt;           /* a platform permit is held or free */
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
    NodeStatus status;       /* what the status becomes, before any task has run: plan, history,
                              * phase, drift, identity, adoption, observed image */
    bool plan_is_new;        /* or changed in a way that must be stored before it is carried out */
    bool hold_statefulset;   /* it must be neither created nor changed now */
    bool stop_no_pod;        /* no step that stops a pod */
    bool needs_explanation;  /* drift: read the live StatefulSet and ask again */
    bool needs_hand_edit;    /* read the pod's ControllerRevision and ask again */
    bool needs_volume_proof; /* read the claim live and ask again */
    bool wants_permit;       /* platform drift waits for its turn */
    bool finished;           /* a plan ended in this decision: events and metrics */
    NodeStall stall;
    int64_t again_after_ms; /* back-off of a failed update; 0: none */
} NodeDecision;

/* Decides. ERR_TERMINAL only when the spec is refused (the message says by what). */
Err *plan_node(Arena *a, const NodeSnapshot *snapshot, NodeDecision *ret) MUST_CHECK;

/* How the pod stands to what is wanted. */
PodMatch plan_pod_match(const NodeSnapshot *snapshot);

/* The wanted object is there, ours, and as we last rendered it. */
bool plan_object_is_right(const Json *object, const SeiNode *node, const char *owned_hash);

/* The conditions that follow from the decision and from how far the tasks came: into `status`. To
 * be called once, last. `waiting` is what the plan waits for, or NULL. */
void plan_conditions(Arena *a, const NodeSnapshot *snapshot, const NodeDecision *decision,
    const char *waiting, NodeStatus *status);

/* The checks of the spec that the schema cannot make. ERR_TERMINAL with the words of the reference.
 */
Err *plan_check_spec(Arena *a, const SeiNode *node) MUST_CHECK;

/* Field by field, how two pod templates differ: only what `want` has, elements of lists by name.
 * Values of Secrets never. Cut at DRIFT_FIELDS_MAX fields. */
void plan_explain(Arena *a, const Json *have, const Json *want, Drift *ret);

#endif
