/* Telling: events about nodes. They speak of transitions that have been stored: once each, in the
 * pass that stored them, never per poll.
 *
 *     reason                      type      when
 *     PhaseTransition             Normal    the phase changed, but to Terminating
 *     NodeFailed                  Warning   the phase became Failed
 *     PlanStarted                 Normal    there is a new plan: its kind, and why
 *     PlanComplete, ...           Normal    a plan ended: PlanFailed is a Warning, PlanSuperseded
 *     SidecarReadinessLost        Warning   SidecarReady became False, from anything else
 *     SidecarReadinessRestored    Normal    it became True again
 *     a reason of Stalled         Warning   the node waits for a person: InvalidSpec, ForeignObject
 *     ScaledByHand, VolumeInUse   Warning   Ready became False for that
 *     PVCNotReady, ...            Warning   what a person has to provide is missing or wrong
 *     PlatformDrift, ...          Normal    UpToDate became False for what no plan is made for yet
 *     VolumeKept                  Normal    the node was deleted and its volume stays, and why
 *     StatusConflict              Warning   another writer changes the status */
#ifndef SEI_RECONCILE_TELLING_H
#define SEI_RECONCILE_TELLING_H

#include "kube/ctx.h"
#include "sei/api/node.h"
#include "sei/reconcile/figures.h"

/* What has changed between what was stored and what is stored now: events, and what is counted with
 * them. */
void telling_changed(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now);

/* The volume outlives its node. */
void telling_kept(Ctx *c, const SeiNode *node, const char *claim, const char *why);

/* A status write was given up: another writer has changed the status meanwhile. */
void telling_conflict(Ctx *c, Figures *f, const SeiNode *node);

#endif
