/* Telling: events and metrics of nodes. Both speak of transitions that have been stored: once each,
 * never per poll. */
#ifndef SEI_RECONCILE_TELLING_H
#define SEI_RECONCILE_TELLING_H

#include "kube/ctx.h"
#include "kube/guard.h"
#include "kube/metrics.h"
#include "sei/api/node.h"

/* Families of metrics; all NULL until they are declared. */
typedef struct Telling {
    Guard *guard;
    MetricFamily *phase, *transitions, *phase_seconds, *plan_seconds, *plan_active;
    MetricFamily *probes, *sidecar_ready, *drift, *conflicts;
} Telling;

/* Declares the families. */
void telling_declare(Telling *t, Metrics *metrics, Guard *guard);

/* What has changed between what was stored and what is stored now: events, counters, durations. */
void telling_changed(Ctx *c, Telling *t, const SeiNode *was, const NodeStatus *now);

/* The gauges of a node as it is. */
void telling_state(Telling *t, const SeiNode *node, const NodeStatus *now);

/* Another writer keeps changing the status of a node. */
void telling_conflict(Ctx *c, Telling *t, const SeiNode *node);

/* The series of a node that is gone. */
void telling_gone(Telling *t, Key node);

#endif
