/* Figures: the metrics of nodes, and what those of fleets (fleet_figures.h) share with them. Names,
 * labels and buckets are the reference's, and so API; ours are drift_fields, attention,
 * paused_since_seconds, status_conflicts_total and when a rollout began.
 *
 * Gauges are set from what an object is, never counted up and down; every series that names an
 * object goes with it. A zero Figures counts nothing. */
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
    FIGURE_PAUSED_SINCE,
    FIGURE_CONFLICTS,
    FIGURE_FLEET_PHASE,
    FIGURE_FLEET_REPLICAS,
    FIGURE_FLEET_ROLLOUT,
    FIGURE_FLEET_ATTENTION,
    FIGURE_FLEET_CONFLICTS,
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

/* A plan has come to its end by itself: of a node or of a fleet, as the controller says. */
void figures_plan(
    Figures *f, const char *controller, const char *namespace, const PlanEnded *ended);

/* A task has failed, and its plan with it. */
void figures_task_failed(Figures *f, Key node, const char *type);

/* An exchange with a sidecar is over. The guard is held: no series may come to life once its node
 * is gone. */
void figures_sidecar(Figures *f, const SidecarExchange *exchange);

/* A reconcile has ended; only what is no wait is an error. */
void figures_reconciled(Figures *f, const Err *err);

/* A status write was given up because of another writer. */
void figures_conflict(Figures *f, Key node);
void figures_fleet_conflict(Figures *f, Key fleet);

/* All series of a node that is gone. */
void figures_gone(Figures *f, Key node);

/* --- for fleet_figures.c; the guard is held --- */

/* Of the reasons why a node, or a fleet, may wait for a person this one is shown; NULL: none. */
void figures_show_attention(Figures *f, bool of_fleet, Key about, const char *reason);

/* A plan of the object is being carried out, or not. */
void figures_show_plan(Figures *f, const char *controller, Key about, bool is_active);

#endif
