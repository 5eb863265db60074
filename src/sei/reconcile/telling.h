/* Telling: events and lines of the log about nodes, and what is counted with them. */
#ifndef SEI_RECONCILE_TELLING_H
#define SEI_RECONCILE_TELLING_H

#include "kube/ctx.h"
#include "sei/api/condition.h"
#include "sei/api/node.h"
#include "sei/reconcile/figures.h"
#include "sei/reconcile/tidings.h"

/* Whether an event is told when a condition begins to have this reason. */
bool telling_tells(Reason reason);

/* What has changed between what was stored and what is stored now: a line of the log for each
 * transition, events for some, and what is counted with them. */
void telling_changed(Ctx *c, Figures *f, const SeiNode *was, const NodeStatus *now);

/* The volume outlives its node. */
void telling_kept(Ctx *c, const SeiNode *node, const char *claim, const char *why);

/* A status write was given up: another writer has changed the status meanwhile. */
void telling_conflict(Ctx *c, Figures *f, const SeiNode *node);

#endif
