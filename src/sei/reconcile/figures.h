/* Figures: the metrics of nodes, and what those of fleets (fleet_figures.h) share with them. Names,
 * labels and buckets are the reference's, and so API; ours are what it had no name for: whether an
 * object is ready or waits for a person, since when, and who runs.
 *
 * Gauges are set from what an object is, never counted up and down; every series that names an
 * object goes with it, and every one that names a namespace alone with its last node or fleet
 * there: a year of short-lived namespaces would fill the page. One that comes back is counted from
 * the beginning, which Prometheus takes for a restart. A zero Figures counts nothing. */
#ifndef SEI_RECONCILE_FIGURES_H
#define SEI_RECONCILE_FIGURES_H

#include "base/err.h"
#include "kube/guard.h"
#include "kube/metrics.h"
#include "sei/api/node.h"
#include "sei/reconcile/chains.h"
#include "sei/sidecar/sidecars.h"

typedef enum Figure {
    FIGURE_BUILD,
    FIGURE_INFO,
    FIGURE_PHASE,
    FIGURE_PHASE_TRANSITIONS,
    FIGURE_PHASE_SECONDS,
    FIGURE_PLAN_SECONDS,
    FIGURE_PLAN_ACTIVE,
    FIGURE_PLAN_SINCE,
    FIGURE_TASK_FAILURES,
    FIGURE_PROBES,
    FIGURE_SIDECAR_READY,
    FIGURE_UNREACHABLE,
    FIGURE_SIDECARS_AT_ONCE,
    FIGURE_RECONCILE_ERRORS,
    FIGURE_READY,
    FIGURE_PAUSED,
    FIGURE_DRIFT,
    FIGURE_OUTDATED,
    FIGURE_ATTENTION,
    FIGURE_CONFLICTS,
    FIGURE_FLEET_PHASE,
    FIGURE_FLEET_REPLICAS,
    FIGURE_FLEET_AVAILABLE,
    FIGURE_FLEET_PAUSED,
    FIGURE_FLEET_ROLLOUT,
    FIGURE_FLEET_ATTENTION,
    FIGURE_FLEET_CONFLICTS,
    FIGURE_COUNT,
} Figure;

typedef struct Figures {
    Guard *guard; /* NULL: not declared */
    MetricFamily *families[FIGURE_COUNT];
    Chains *chains; /* that have nodes */
    Chains *fleets; /* as if they were nodes of one chain: which namespaces have any */
} Figures;

/* Declares the families. Close with figures_close. */
void figures_declare(Figures *f, Metrics *metrics, Guard *guard);

/* From here on nothing is counted; the families stay. */
void figures_close(Figures *f);

/* Which version of the operator this is. */
void figures_build(Figures *f, const char *version);

/* How many sidecars are asked at the same time at most. */
void figures_sidecars(Figures *f, int at_once);

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

/* The plan of the object that is being carried out, and since when; NULL: none. */
void figures_show_plan(Figures *f, const char *controller, Key about, const Plan *plan);

/* All that a controller has counted in a namespace that has none of its objects any more. */
void figures_forget_namespace(Figures *f, const char *controller, const char *namespace);

/* All that is shown of plans of an object that is gone. */
void figures_forget_plan(Figures *f, const char *controller, Key about);

/* The condition of a type, if it has this status; else NULL. */
const Cond *figures_cond(const Conds *conds, const char *type, const char *status);

/* Since when a condition is as it is, and its reason; NULL: it is not so. */
void figures_show_since(Figures *f, Figure figure, Key about, const Cond *cond);

#endif
