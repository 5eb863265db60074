/* The reconcile of SeiNodeDeployments. */
#ifndef SEI_RECONCILE_FLEET_H
#define SEI_RECONCILE_FLEET_H

#include "kube/manager.h"

/* The controller as it watches all namespaces. */
extern const Controller fleet_controller[1];

/* Moves one fleet a step. Ctx.app is the App. */
Err *fleet_reconcile(Ctx *c, Key key, Reconciled *ret) MUST_CHECK;

#endif
