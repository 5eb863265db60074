/* Tidings: what is heard of nodes and fleets, and how a transition is told from what was before.
 * They speak of transitions that have been stored: once each, in the pass that stored them, never
 * per poll. Each is one line of the log, and those that somebody may wait for are events, too.
 * Their reasons are API, as those of conditions are, and some events are told under the reason of a
 * condition.
 *
 * What surprises: nothing here remembers anything; a transition is the difference between the
 * status as read and as written, so a restart of the operator tells nothing twice. */
#ifndef SEI_RECONCILE_TIDINGS_H
#define SEI_RECONCILE_TIDINGS_H

#include "kube/cond.h"
#include "kube/ctx.h"
#include "sei/api/plan.h"

/* X(name, reason, type, when) */
#define TELLINGS(X)                                                                                \
    X(PHASE_TRANSITION, "PhaseTransition", "Normal", "the phase changed, but not to Terminating")  \
    X(NODE_FAILED, "NodeFailed", "Warning", "the phase became Failed: why, and how to go on")      \
    X(PLAN_STARTED, "PlanStarted", "Normal", "there is a new plan: its kind, and why")             \
    X(PLAN_COMPLETE, "PlanComplete", "Normal", "a plan has done all its tasks")                    \
    X(PLAN_FAILED, "PlanFailed", "Warning", "a task failed for good, and its plan with it")        \
    X(PLAN_SUPERSEDED, "PlanSuperseded", "Normal", "a plan gave way to another: why")              \
    X(SIDECAR_LOST,                                                                                \
        "SidecarReadinessLost",                                                                    \
        "Warning",                                                                                 \
        "SidecarReady became False, without an update of ours")                                    \
    X(SIDECAR_RESTORED, "SidecarReadinessRestored", "Normal", "SidecarReady became True again")    \
    X(VOLUME_KEPT, "VolumeKept", "Normal", "the node was deleted and its volume stays: why")       \
    X(STATUS_CONFLICT, "StatusConflict", "Warning", "another writer changes the status")

/* The same about fleets. */
#define FLEET_TELLINGS(X)                                                                          \
    X(CHILD_CREATED, "SeiNodeCreated", "Normal", "a node was made")                                \
    X(CHILD_DELETED, "SeiNodeDeleted", "Normal", "a node was scaled away")                         \
    X(CHILD_PAUSED, "ChildPaused", "Normal", "a node was paused with its fleet")                   \
    X(CHILD_RESUMED, "ChildResumed", "Normal", "a node was unpaused with its fleet")               \
    X(CHILD_ADMITTED,                                                                              \
        "ChildChangedByAdmission",                                                                 \
        "Warning",                                                                                 \
        "an admission policy or webhook changed a node: field, wanted and stored value")           \
    X(PAUSED, "Paused", "Normal", "spec.paused became true; a plan that stands still is named")    \
    X(UNPAUSED, "Unpaused", "Normal", "spec.paused became false")                                  \
    X(ROLLOUT_STARTED, "RolloutStarted", "Normal", "an edit of the template is being rolled out")  \
    X(ROLLOUT_SUPERSEDED,                                                                          \
        "RolloutSuperseded",                                                                       \
        "Normal",                                                                                  \
        "the template was edited during a rollout: the hash that it was to, in full")              \
    X(ROLLOUT_COMPLETE,                                                                            \
        "RolloutComplete",                                                                         \
        "Normal",                                                                                  \
        "every node in scope is on the target and available")                                      \
    X(ROLLOUT_FAILED, "RolloutFailed", "Warning", "a rollout made no progress for too long")       \
    X(ROLLED_BACK, "RolledBack", "Normal", "every node is back on the last complete template")     \
    X(PLAN_STARTED, "PlanStarted", "Normal", "there is a new plan: its kind, and why")             \
    X(PLAN_COMPLETE, "PlanComplete", "Normal", "a plan has done all its tasks")                    \
    X(PLAN_FAILED, "PlanFailed", "Warning", "a plan has failed: why")                              \
    X(ROUTES_PUBLISHED, "HTTPRoutesPublished", "Normal", "the HTTPRoutes were applied")            \
    X(NO_ROUTE_KIND,                                                                               \
        "CRDNotInstalled",                                                                         \
        "Warning",                                                                                 \
        "the cluster does not know HTTPRoutes, or hides them from the operator")                   \
    X(RETAINED, "RetainResources", "Normal", "the fleet was deleted and its nodes stay")           \
    X(DELETE_FAILED, "DeleteFailed", "Warning", "cleaning up after a deleted fleet failed")        \
    X(STATUS_CONFLICT, "StatusConflict", "Warning", "another writer changes the status")

typedef enum Tidings {
#define X(name, reason, type, when) TIDINGS_##name,
    TELLINGS(X)
#undef X
#define X(name, reason, type, when) FLEET_TIDINGS_##name,
        FLEET_TELLINGS(X)
#undef X
            TIDINGS_COUNT,
} Tidings;

/* One event about an object, and its line. */
void tidings_tell(Ctx *c, const Json *about, Tidings tidings, const char *note);

/* The same in the words of the condition that it is about, which the line names. */
void tidings_tell_cond(Ctx *c, const Json *about, Tidings tidings, const Cond *cond);

/* The same under the condition's own reason. */
void tidings_repeat(Ctx *c, const Json *about, const char *type, const Cond *cond);

/* A line and no event: a condition has another status or reason than before. Other words are no
 * transition, and neither is the beginning: of a new object every condition would be one. */
void tidings_note_cond(Ctx *c, const Conds *was, const Cond *now);

/* A line and no event: a phase that nobody waits for. */
void tidings_note_phase(Ctx *c, const char *was, const char *now);

/* "Phase changed from Pending to Running", or "Phase set to Pending" of the first one. */
const char *tidings_phase_note(Arena *a, const char *was, const char *now);

/* The plan is Active and was not there before; `was` NULL: there was none. */
bool tidings_plan_is_new(const Plan *was, const Plan *now);

/* The plan that has ended since, or NULL. */
const PlanEnded *tidings_plan_ended(const PlanHistory *was, const PlanHistory *now);

/* "Plan init: config-apply: disk full" */
const char *tidings_ended_note(Arena *a, const PlanEnded *ended);

/* What is said of another writer of the status of a "node", or "fleet". */
const char *tidings_conflict_note(Arena *a, const char *about);

/* Whether a condition began to have its reason now: a stall is another one when its message is. */
bool tidings_is_new(const Conds *was, const Cond *now);

#endif
