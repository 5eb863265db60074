/* The reconcile of SeiNodes. */
#ifndef SEI_RECONCILE_NODE_H
#define SEI_RECONCILE_NODE_H

#include "kube/manager.h"

/* The controller as it watches all namespaces. */
extern const Controller node_controller[1];

/* Moves one node a step. Ctx.app is the App. */
Err *node_reconcile(Ctx *c, Key key, Reconciled *ret) MUST_CHECK;

#endif
