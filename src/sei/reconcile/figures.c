/* Figures: one row per family. What surprises: plan_active has a label `name` that the reference
 * lacks and that its own alert joins on; its sum is what the reference meant to count. And lengths
 * of phases, which are told of a chain and not of a node, go with the chain's last node. */
#include "sei/reconcile/figures.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

static const double phase_buckets[] = {10, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 0};
static const double plan_buckets[] = {1, 5, 10, 30, 60, 120, 300, 600, 1800, 0};

static const MetricSpec specs[FIGURE_COUNT] = {
    [FIGURE_BUILD] = {.name = "sei_operator_build_info",
        .help = "1, with the version of the operator.",
        .type = METRIC_GAUGE,
        .labels = {"version"}},
    [FIGURE_INFO] = {.name = "sei_controller_seinode_info",
        .help = "1, with what a node is and the fleet that it belongs to.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "fleet", "chain_id", "mode"},
        .object_labels = 2},
    [FIGURE_PHASE] = {.name = "sei_controller_seinode_phase",
        .help = "1 for the phase that a node is in, 0 for the others.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "phase"},
        .object_labels = 2},
    [FIGURE_PHASE_TRANSITIONS] = {.name = "sei_controller_seinode_phase_transitions_total",
        .help = "Changes of phase.",
        .type = METRIC_COUNTER,
        .labels = {"controller", "namespace", "from_phase", "to_phase"},
        .object_labels = 2},
    [FIGURE_PHASE_SECONDS] = {.name = "sei_controller_seinode_phase_duration_seconds",
        .help = "How long nodes were in a phase, when they left it.",
        .type = METRIC_HISTOGRAM,
        .labels = {"namespace", "chain_id", "phase"},
        .object_labels = 2,
        .buckets = phase_buckets},
    [FIGURE_PLAN_SECONDS] = {.name = "sei_controller_plan_duration_seconds",
        .help = "How long plans took, from being made to their end.",
        .type = METRIC_HISTOGRAM,
        .labels = {"controller", "namespace", "plan_type", "outcome"},
        .object_labels = 2,
        .buckets = plan_buckets},
    [FIGURE_PLAN_ACTIVE] = {.name = "sei_controller_plan_active",
        .help = "1 while a plan of the node or fleet is being carried out.",
        .type = METRIC_GAUGE,
        .labels = {"controller", "namespace", "name"},
        .object_labels = 3},
    [FIGURE_PLAN_SINCE] = {.name = "sei_controller_plan_start_time_seconds",
        .help = "When the plan began that is being carried out, in Unix time; there while there is "
                "one.",
        .type = METRIC_GAUGE,
        .labels = {"controller", "namespace", "name", "plan_type"},
        .object_labels = 3},
    [FIGURE_TASK_FAILURES] = {.name = "sei_controller_task_failures_total",
        .help = "Tasks that failed, and their plans with them.",
        .type = METRIC_COUNTER,
        .labels = {"controller", "namespace", "task_type"},
        .object_labels = 2},
    [FIGURE_PROBES] = {.name = "sei_controller_seinode_sidecar_health_probes_total",
        .help = "Health probes of sidecars by what came of them.",
        .type = METRIC_COUNTER,
        .labels = {"controller", "namespace", "outcome"},
        .object_labels = 2},
    [FIGURE_SIDECAR_READY] = {.name = "sei_controller_seinode_sidecar_ready",
        .help = "1 when the sidecar lets seid run.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_UNREACHABLE] = {.name = "sei_controller_sidecar_unreachable_total",
        .help = "Calls of a node's sidecar that got no answer of use.",
        .type = METRIC_COUNTER,
        .labels = {"namespace", "node"},
        .object_labels = 2},
    [FIGURE_SIDECARS_AT_ONCE] = {.name = "sei_controller_sidecars_at_once_max",
        .help =
            "Sidecars that are asked at the same time at most. Fewer than 64: the limit on open "
            "files is low.",
        .type = METRIC_GAUGE},
    [FIGURE_RECONCILE_ERRORS] = {.name = "sei_controller_reconcile_errors_total",
        .help = "Reconciles that ended in an error.",
        .type = METRIC_COUNTER},
    [FIGURE_READY] = {.name = "sei_controller_seinode_ready",
        .help = "1 while a node does its work: its condition Ready is True.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_PAUSED] = {.name = "sei_controller_seinode_paused_start_time_seconds",
        .help = "Since when a node is paused, in Unix time; there while it is. The reason is "
                "Maintenance while `kubectl sei maintain` has the node, else Paused.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "reason"},
        .object_labels = 2},
    [FIGURE_DRIFT] = {.name = "sei_controller_seinode_drift_fields",
        .help = "Fields in which the running pod differs from what is wanted, while there are any.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_OUTDATED] = {.name = "sei_controller_seinode_outdated_start_time_seconds",
        .help = "Since when the condition UpToDate of a node is False, in Unix time, with its "
                "reason of now; there while it is.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "reason"},
        .object_labels = 2},
    [FIGURE_ATTENTION] = {.name = "sei_controller_seinode_attention",
        .help = "1 while a node waits for a person: see the condition that has this reason.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "reason"},
        .object_labels = 2},
    [FIGURE_CONFLICTS] = {.name = "sei_controller_seinode_status_conflicts_total",
        .help = "Status writes given up because another writer changed the status meanwhile.",
        .type = METRIC_COUNTER,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_FLEET_PHASE] = {.name = "sei_controller_seinodedeployment_phase",
        .help = "1 for the phase that a fleet is in, 0 for the others.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "phase"},
        .object_labels = 2},
    [FIGURE_FLEET_REPLICAS] = {.name = "sei_controller_seinodedeployment_replicas",
        .help = "Nodes of a fleet: desired, ready (phase Running), available (they serve), "
                "unavailable and updated (they have what the template asks for).",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "replica_state"},
        .object_labels = 2},
    [FIGURE_FLEET_AVAILABLE] = {.name = "sei_controller_seinodedeployment_available",
        .help = "1 while enough nodes of a fleet serve: its condition Available is True.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_FLEET_PAUSED] = {.name = "sei_controller_seinodedeployment_paused_start_time_seconds",
        .help = "Since when a fleet is paused, in Unix time; there while it is.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "reason"},
        .object_labels = 2},
    [FIGURE_FLEET_ROLLOUT] = {.name = "sei_controller_seinodedeployment_rollout_start_time_seconds",
        .help = "When the rollout began that is under way, in Unix time; there while there is one. "
                "Its age is time() less this.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"},
        .object_labels = 2},
    [FIGURE_FLEET_ATTENTION] = {.name = "sei_controller_seinodedeployment_attention",
        .help = "1 while a fleet waits for a person: see the condition that has this reason.",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name", "reason"},
        .object_labels = 2},
    [FIGURE_FLEET_CONFLICTS] = {.name = "sei_controller_seinodedeployment_status_conflicts_total",
        .help = "Status writes given up because another writer changed the status meanwhile.",
        .type = METRIC_COUNTER,
        .labels = {"namespace", "name"},
        .object_labels = 2},
};

static const NodePhase phases[] = {
    PHASE_PENDING, PHASE_INITIALIZING, PHASE_RUNNING, PHASE_FAILED, PHASE_TERMINATING};

enum { PHASES = sizeof phases / sizeof phases[0] };

void figures_declare(Figures *f, Metrics *metrics, Guard *guard)
{
    guard_enter(guard);
    for (int i = 0; i < FIGURE_COUNT; i++)
        f->families[i] = metrics_declare(metrics, &specs[i]);
    /* An alert asks by how much it grew: it must be there before it does. */
    metrics_add(f->families[FIGURE_RECONCILE_ERRORS], (MetricLabels){0}, 0);
    f->chains = chains_open();
    f->fleets = chains_open();
    f->guard = guard;
    guard_leave(guard);
}

void figures_close(Figures *f)
{
    chains_close(f->chains);
    chains_close(f->fleets);
    *f = (Figures){0};
}

void figures_build(Figures *f, const char *version)
{
    if (!f->guard)
        return;
    guard_enter(f->guard);
    metrics_set(f->families[FIGURE_BUILD], (MetricLabels){{version}}, 1);
    guard_leave(f->guard);
}

void figures_sidecars(Figures *f, int at_once)
{
    if (!f->guard)
        return;
    guard_enter(f->guard);
    metrics_set(f->families[FIGURE_SIDECARS_AT_ONCE], (MetricLabels){0}, at_once);
    guard_leave(f->guard);
}

/* Adds one, where anything is counted at all. */
static void count(Figures *f, Figure figure, MetricLabels labels)
{
    if (!f->guard)
        return;
    guard_enter(f->guard);
    metrics_add(f->families[figure], labels, 1);
    guard_leave(f->guard);
}

static void observe(Figures *f, Figure figure, MetricLabels labels, double seconds)
{
    if (!f->guard)
        return;
    guard_enter(f->guard);
    metrics_observe(f->families[figure], labels, seconds);
    guard_leave(f->guard);
}

/* Seconds between two times of the API; 0 when one of them is absent. */
static double seconds_between(const char *from, const char *to)
{
    int64_t from_ns, to_ns;

    if (!timestamp_parse(from, &from_ns) || !timestamp_parse(to, &to_ns) || to_ns < from_ns)
        return 0;
    return (double)(to_ns - from_ns) / 1e9;
}

/* The guard is held. What is told of a chain goes with its last node. */
static void follow_chain(Figures *f, Key node, const char *chain)
{
    char left[CHAINS_NAME_SIZE];

    if (chains_move(f->chains, node, chain, left))
        metrics_remove_object(
            f->families[FIGURE_PHASE_SECONDS], (MetricLabels){{node.namespace, left}});
}

/* --- what happens ------------------------------------------------------------------------------
 */

/* How long it was in it: told of a chain that has nodes, as one that has none is forgotten. */
static void observe_phase(Figures *f, const SeiNode *was, const char *phase, double seconds)
{
    const char *ns = was->key.namespace, *chain = was->spec.chain_id;

    guard_enter(f->guard);
    follow_chain(f, was->key, chain);
    if (chain && chains_has(f->chains, ns, chain))
        metrics_observe(
            f->families[FIGURE_PHASE_SECONDS], (MetricLabels){{ns, chain, phase}}, seconds);
    guard_leave(f->guard);
}

void figures_phase(Figures *f, const SeiNode *was, const NodeStatus *now)
{
    const char *from = node_phase_text(was->status.phase), *to = node_phase_text(now->phase);
    const char *ns = was->key.namespace;

    count(f, FIGURE_PHASE_TRANSITIONS, (MetricLabels){{NODE_CONTROLLER, ns, from, to}});
    if (f->guard && was->status.phase != PHASE_NONE)
        observe_phase(f,
            was,
            from,
            seconds_between(was->status.phase_transition_time, now->phase_transition_time));
}

void figures_plan(Figures *f, const char *controller, const char *namespace, const PlanEnded *ended)
{
    const char *type = str_empty(ended->kind) ? "unknown" : ended->kind;
    const char *outcome = str_eq(ended->result, "Failed") ? "failed" : "complete";

    observe(f,
        FIGURE_PLAN_SECONDS,
        (MetricLabels){{controller, namespace, type, outcome}},
        seconds_between(ended->started_at, ended->finished_at));
}

void figures_task_failed(Figures *f, Key node, const char *type)
{
    count(f, FIGURE_TASK_FAILURES, (MetricLabels){{NODE_CONTROLLER, node.namespace, type}});
}

void figures_sidecar(Figures *f, const SidecarExchange *exchange)
{
    static const char *const outcomes[] = {[PROBE_READY] = "ready",
        [PROBE_NOT_READY] = "not_ready",
        [PROBE_UNREACHABLE] = "unreachable"};
    Key node = exchange->node;

    if (!f->guard)
        return;
    if (exchange->is_probe)
        metrics_add(f->families[FIGURE_PROBES],
            (MetricLabels){{NODE_CONTROLLER, node.namespace, outcomes[exchange->health]}},
            1);
    if (exchange->is_unanswered)
        metrics_add(
            f->families[FIGURE_UNREACHABLE], (MetricLabels){{node.namespace, node.name}}, 1);
}

void figures_reconciled(Figures *f, const Err *err)
{
    if (err && err->class != ERR_WAIT)
        count(f, FIGURE_RECONCILE_ERRORS, (MetricLabels){0});
}

void figures_conflict(Figures *f, Key node)
{
    count(f, FIGURE_CONFLICTS, (MetricLabels){{node.namespace, node.name}});
}

void figures_fleet_conflict(Figures *f, Key fleet)
{
    count(f, FIGURE_FLEET_CONFLICTS, (MetricLabels){{fleet.namespace, fleet.name}});
}

/* --- what is -----------------------------------------------------------------------------------
 */

const Cond *figures_cond(const Conds *conds, const char *type, const char *status)
{
    const Cond *cond = conds_find(conds, type);

    return cond && str_eq(cond->status, status) ? cond : NULL;
}

/* Why a node waits for a person, or NULL. */
static const char *attention_of(const NodeStatus *now)
{
    const Cond *stalled = figures_cond(&now->conds, COND_STALLED, "True");
    const Cond *ready = conds_find(&now->conds, COND_READY);

    if (stalled)
        return stalled->reason;
    if (ready
        && (str_eq(ready->reason, reason_text(REASON_SCALED_BY_HAND))
            || str_eq(ready->reason, reason_text(REASON_VOLUME_IN_USE))))
        return ready->reason;
    return NULL;
}

/* Of the series that begin with the labels of the object this one alone is shown; 0: none. A pass
 * that finds it there already looks no further. */
static void show_only(MetricFamily *family, MetricLabels object, MetricLabels wanted, double value)
{
    if (value > 0 && metrics_value(family, wanted) == value)
        return;
    metrics_remove_object(family, object);
    if (value > 0)
        metrics_set(family, wanted, value);
}

void figures_show_attention(Figures *f, bool of_fleet, Key about, const char *reason)
{
    show_only(f->families[of_fleet ? FIGURE_FLEET_ATTENTION : FIGURE_ATTENTION],
        (MetricLabels){{about.namespace, about.name}},
        (MetricLabels){{about.namespace, about.name, reason}},
        reason ? 1 : 0);
}

/* A time of the API in seconds since 1970; 0 when it is none. */
static double unix_seconds(const char *time)
{
    int64_t ns;

    return timestamp_parse(time, &ns) ? (double)ns / 1e9 : 0;
}

void figures_show_plan(Figures *f, const char *controller, Key about, const Plan *plan)
{
    MetricLabels name = {{controller, about.namespace, about.name}};
    const char *kind = plan ? plan_kind_text(plan->kind) : NULL;

    metrics_set(f->families[FIGURE_PLAN_ACTIVE], name, plan != NULL);
    show_only(f->families[FIGURE_PLAN_SINCE],
        name,
        (MetricLabels){
            {controller, about.namespace, about.name, str_empty(kind) ? "unknown" : kind}},
        plan ? unix_seconds(plan->started_at) : 0);
}

void figures_show_since(Figures *f, Figure figure, Key about, const Cond *cond)
{
    show_only(f->families[figure],
        (MetricLabels){{about.namespace, about.name}},
        (MetricLabels){{about.namespace, about.name, cond ? cond->reason : NULL}},
        cond ? unix_seconds(cond->last_transition_time) : 0);
}

/* A pass that finds its phase shown looks no further. The guard is held. */
static void show_phase(Figures *f, Key node, NodePhase now)
{
    MetricLabels shown = {{node.namespace, node.name, node_phase_text(now)}};

    if (metrics_value(f->families[FIGURE_PHASE], shown) > 0)
        return;
    for (size_t i = 0; i < PHASES; i++)
        metrics_set(f->families[FIGURE_PHASE],
            (MetricLabels){{node.namespace, node.name, node_phase_text(phases[i])}},
            now == phases[i]);
}

static void show_info(Figures *f, const SeiNode *node)
{
    Key key = node->key;
    const char *fleet = meta_label(node->object, LABEL_FLEET);
    const char *mode = node_mode_text(node->spec.mode);

    show_only(f->families[FIGURE_INFO],
        (MetricLabels){{key.namespace, key.name}},
        (MetricLabels){{key.namespace, key.name, fleet, node->spec.chain_id, mode}},
        1);
}

static void show_drift(Figures *f, Key node, const NodeStatus *now)
{
    MetricLabels name = {{node.namespace, node.name}};

    if (now->drift.count)
        metrics_set(f->families[FIGURE_DRIFT], name, (double)now->drift.count);
    else
        metrics_remove(f->families[FIGURE_DRIFT], name);
    figures_show_since(
        f, FIGURE_OUTDATED, node, figures_cond(&now->conds, COND_UP_TO_DATE, "False"));
}

void figures_state(Figures *f, const SeiNode *node, const NodeStatus *now)
{
    MetricLabels name = {{node->key.namespace, node->key.name}};
    bool active = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (!f->guard)
        return;
    guard_enter(f->guard);
    follow_chain(f, node->key, node->spec.chain_id);
    show_info(f, node);
    show_phase(f, node->key, now->phase);
    figures_show_plan(f, NODE_CONTROLLER, node->key, active ? &now->plan : NULL);
    metrics_set(f->families[FIGURE_READY], name, conds_is_true(&now->conds, COND_READY));
    figures_show_since(f, FIGURE_PAUSED, node->key, figures_cond(&now->conds, COND_PAUSED, "True"));
    metrics_set(
        f->families[FIGURE_SIDECAR_READY], name, conds_is_true(&now->conds, COND_SIDECAR_READY));
    show_drift(f, node->key, now);
    figures_show_attention(f, false, node->key, attention_of(now));
    guard_leave(f->guard);
}

void figures_forget_plan(Figures *f, const char *controller, Key about)
{
    MetricLabels name = {{controller, about.namespace, about.name}};

    metrics_remove(f->families[FIGURE_PLAN_ACTIVE], name);
    metrics_remove_object(f->families[FIGURE_PLAN_SINCE], name);
}

void figures_forget_namespace(Figures *f, const char *controller, const char *namespace)
{
    static const Figure counted[] = {
        FIGURE_PHASE_TRANSITIONS, FIGURE_PLAN_SECONDS, FIGURE_TASK_FAILURES, FIGURE_PROBES};

    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        metrics_remove_object(f->families[counted[i]], (MetricLabels){{controller, namespace}});
}

void figures_gone(Figures *f, Key node)
{
    static const Figure named[] = {FIGURE_INFO,
        FIGURE_PHASE,
        FIGURE_SIDECAR_READY,
        FIGURE_UNREACHABLE,
        FIGURE_READY,
        FIGURE_PAUSED,
        FIGURE_DRIFT,
        FIGURE_OUTDATED,
        FIGURE_ATTENTION,
        FIGURE_CONFLICTS};
    MetricLabels name = {{node.namespace, node.name}};

    if (!f->guard)
        return;
    guard_enter(f->guard);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        metrics_remove_object(f->families[named[i]], name);
    figures_forget_plan(f, NODE_CONTROLLER, node);
    follow_chain(f, node, NULL);
    if (!chains_has_any(f->chains, node.namespace))
        figures_forget_namespace(f, NODE_CONTROLLER, node.namespace);
    guard_leave(f->guard);
}
