/* Figures: the metrics of nodes. Names, labels and buckets are the reference's, and so API; three
 * are ours: drift_fields, attention, status_conflicts_total.
 *
 * Gauges are set from what a node is, never counted up and down; every series that names a node
 * goes with it. A zero Figures counts nothing. */
#ifndef SEI_RECONCILE_FIGURES_H
#define SEI_RECONCILE_FIGURES_H

#include "base/err.h"
#include "kube/guard.h"
#include "kube/metrics.h"
#include "sei/api/node.h"
#include "sei/sidecar/sidecars.h"

typedef enum Figure {
    FIGURE_PHASE,
    FIGURE_PHASE_TRANSITIONS,
    FIGURE_PHASE_SECONDS,
    FIGURE_PLAN_SECONDS,
    FIGURE_PLAN_ACTIVE,
    FIGURE_TASK_FAILURES,
    FIGURE_PROBES,
    FIGURE_SIDECAR_READY,
    FIGURE_UNREACHABLE,
    FIGURE_RECONCILE_ERRORS,
    FIGURE_DRIFT,
    FIGURE_ATTENTION,
    FIGURE_CONFLICTS,
    FIGURE_COUNT,
} Figure;

typedef struct Figures {
    Guard *guard; /* NULL: not declared */
    MetricFamily *families[FIGURE_COUNT];
} Figures;

/* Declares the families. */
void figures_declare(Figures *f, Metrics *metrics, Guard *guard);

/* The gauges of a node as it is. */
void figures_state(Figures *f, const SeiNode *node, const NodeStatus *now);

/* The node has left the phase that it was in; how long it was in it. */
void figures_phase(Figures *f, const SeiNode *was, const NodeStatus *now);

/* A plan has come to its end by itself. */
void figures_plan(Figures *f, const SeiNode *node, const PlanEnded *ended);

/* A task has failed, and its plan with it. */
void figures_task_failed(Figures *f, Key node, const char *type);

/* An exchange with a sidecar is over. The guard is held: no series may come to life once its node
 * is gone. */
void figures_sidecar(Figures *f, const SidecarExchange *exchange);

/* A reconcile has ended; only what is no wait is an error. */
void figures_reconciled(Figures *f, const Err *err);

/* A status write was given up because of another writer. */
void figures_conflict(Figures *f, Key node);

/* All series of a node that is gone. */
void figures_gone(Figures *f, Key node);

#endif
