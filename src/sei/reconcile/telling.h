/* Telling: events about nodes. They speak of transitions that have been stored: once each, in the
 * pass that stored them, never per poll. Their reasons are API, as those of conditions are, and
 * some events are told under the reason of a condition. */
#ifndef SEI_RECONCILE_TELLING_H
#define SEI_RECONCILE_TELLING_H

#include "kube/ctx.h"
#include "sei/api/condition.h"
#include "sei/api/node.h"
#include "sei/reconcile/figures.h"

/* X(name, reason, type, when) */
#define TELLINGS(X)                                                                                \
    X(PHASE_TRANSITION, "PhaseTransition", "Normal", "the phase changed, but not to Terminating")  \
    X(NODE_FAILED, "NodeFailed", "Warning", "the phase became Failed: why, and how to go on")      \
    X(PLAN_STARTED, "PlanStarted", "Normal", "there is a new plan: its kind, and why")             \
    X(PLAN_COMPLETE, "PlanComplete", "Normal", "a plan has done all its tasks")                    \
    X(PLAN_FAILED, "PlanFailed", "Warning", "a task failed for good, and its plan with it")        \
    X(PLAN_SUPERSEDED, "PlanSuperseded", "Normal", "a plan gave way to another: why")              \
    X(SIDECAR_LOST, "SidecarReadinessLost", "Warning", "SidecarReady became False")                \
    X(SIDECAR_RESTORED, "SidecarReadinessRestored", "Normal", "SidecarReady became True again")    \
    X(VOLUME_KEPT, "VolumeKept", "Normal", "the node was deleted and its volume stays: why")       \
    X(STATUS_CONFLICT, "StatusConflict", "Warning", "another writer changes the status")

typedef enum Tidings {
#define X(name, reason, type, when) TIDINGS_##name,
    TELLINGS(X)
#undef X
        TIDINGS_COUNT,
} Tidings;

/* Whether an event is told when a condition begins to have this reason. */
bool telling_tells(Reason reason);

/* What has changed between what was stored and what is stored now: events, and what is counted with
 * them. */
void telling_changed(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now);

/* The volume outlives its node. */
void telling_kept(Ctx *c, const SeiNode *node, const char *claim, const char *why);

/* A status write was given up: another writer has changed the status meanwhile. */
void telling_conflict(Ctx *c, Figures *f, const SeiNode *node);

#endif
