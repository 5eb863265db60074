/* Events and metrics by the reference's names (reasons and series are API), without its defects:
 * gauges are set, never added; durations are measured from when the old phase began; a series goes
 * with its node. */
#include "sei/reconcile/telling.h"

#include "base/str.h"
#include "kube/kube.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

static const double phase_buckets[] = {10, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 0};
static const double plan_buckets[] = {1, 5, 10, 30, 60, 120, 300, 600, 1800, 0};

static const MetricSpec phase_spec = {
    .name = "sei_controller_seinode_phase",
    .help = "1 for the phase that a node is in, 0 for the others.",
    .type = METRIC_GAUGE,
    .labels = {"namespace", "name", "phase"},
};
static const MetricSpec transitions_spec = {
    .name = "sei_controller_seinode_phase_transitions_total",
    .help = "Changes of phase.",
    .type = METRIC_COUNTER,
    .labels = {"controller", "namespace", "from_phase", "to_phase"},
};
static const MetricSpec phase_seconds_spec = {
    .name = "sei_controller_seinode_phase_duration_seconds",
    .help = "How long nodes were in a phase, when they left it.",
    .type = METRIC_HISTOGRAM,
    .labels = {"namespace", "chain_id", "phase"},
    .buckets = phase_buckets,
};
static const MetricSpec plan_seconds_spec = {
    .name = "sei_controller_plan_duration_seconds",
    .help = "How long plans took, from being made to their end.",
    .type = METRIC_HISTOGRAM,
    .labels = {"controller", "namespace", "plan_type", "outcome"},
    .buckets = plan_buckets,
};
static const MetricSpec plan_active_spec = {
    .name = "sei_controller_plan_active",
    .help = "1 while a plan of the node is being carried out.",
    .type = METRIC_GAUGE,
    .labels = {"controller", "namespace", "name"},
};
static const MetricSpec probes_spec = {
    .name = "sei_controller_seinode_sidecar_health_changes_total",
    .help = "Changes of what a sidecar's health probe says.",
    .type = METRIC_COUNTER,
    .labels = {"controller", "namespace", "outcome"},
};
static const MetricSpec sidecar_ready_spec = {
    .name = "sei_controller_seinode_sidecar_ready",
    .help = "1 when the sidecar lets seid run.",
    .type = METRIC_GAUGE,
    .labels = {"namespace", "name"},
};
static const MetricSpec drift_spec = {
    .name = "sei_controller_seinode_drift_fields",
    .help = "Fields in which the running pod differs from what is wanted.",
    .type = METRIC_GAUGE,
    .labels = {"namespace", "name"},
};
static const MetricSpec conflicts_spec = {
    .name = "sei_controller_seinode_status_conflicts_total",
    .help = "Status writes given up because another writer changed the status meanwhile.",
    .type = METRIC_COUNTER,
    .labels = {"namespace", "name"},
};

void telling_declare(Telling *t, Metrics *metrics, Guard *guard)
{
    guard_enter(guard);
    *t = (Telling){
        .guard = guard,
        .phase = metrics_declare(metrics, &phase_spec),
        .transitions = metrics_declare(metrics, &transitions_spec),
        .phase_seconds = metrics_declare(metrics, &phase_seconds_spec),
        .plan_seconds = metrics_declare(metrics, &plan_seconds_spec),
        .plan_active = metrics_declare(metrics, &plan_active_spec),
        .probes = metrics_declare(metrics, &probes_spec),
        .sidecar_ready = metrics_declare(metrics, &sidecar_ready_spec),
        .drift = metrics_declare(metrics, &drift_spec),
        .conflicts = metrics_declare(metrics, &conflicts_spec),
    };
    guard_leave(guard);
}

/* Seconds between two times of the API; 0 when one of them is absent. */
static double seconds_between(const char *from, const char *to)
{
    int64_t from_ns, to_ns;

    if (!timestamp_parse(from, &from_ns) || !timestamp_parse(to, &to_ns) || to_ns < from_ns)
        return 0;
    return (double)(to_ns - from_ns) / 1e9;
}

/* --- phases ------------------------------------------------------------------------------------
 */

static void count_phase(Telling *t, const SeiNode *was, const NodeStatus *now)
{
    const char *from = node_phase_text(was->status.phase), *to = node_phase_text(now->phase);
    const char *ns = was->key.namespace;

    if (!t->guard)
        return;
    guard_enter(t->guard);
    metrics_add(t->transitions, (MetricLabels){{NODE_CONTROLLER, ns, from, to}}, 1);
    if (was->status.phase != PHASE_NONE)
        metrics_observe(t->phase_seconds,
            (MetricLabels){{ns, was->spec.chain_id, from}},
            seconds_between(was->status.phase_transition_time, now->phase_transition_time));
    guard_leave(t->guard);
}

static void tell_phase(Ctx *c, Telling *t, const SeiNode *was, const NodeStatus *now)
{
    if (was->status.phase == now->phase)
        return;
    count_phase(t, was, now);
    if (now->phase != PHASE_TERMINATING)
        kube_event(c,
            was->object,
            "Normal",
            "PhaseTransition",
            str_format(c->arena,
                "Phase changed from %s to %s",
                node_phase_text(was->status.phase),
                node_phase_text(now->phase)));
    if (now->phase == PHASE_FAILED)
        kube_event(c,
            was->object,
            "Warning",
            "NodeFailed",
            str_format(c->arena,
                "Setting up failed: %s. Correct the spec, or set the annotation %s to try again",
                now->history.count ? now->history.items[now->history.count - 1].message
                                   : "see status.plan",
                ANNOTATION_RETRY));
}

/* --- plans -------------------------------------------------------------------------------------
 */

static const PlanEnded *last_ended(const PlanHistory *h)
{
    return h->count ? &h->items[h->count - 1] : NULL;
}

static void count_plan(Telling *t, const SeiNode *was, const PlanEnded *ended)
{
    bool failed = str_eq(ended->result, "Failed");

    if (!t->guard)
        return;
    guard_enter(t->guard);
    metrics_observe(t->plan_seconds,
        (MetricLabels){{
            NODE_CONTROLLER,
            was->key.namespace,
            ended->kind,
            failed ? "failed" : "complete",
        }},
        seconds_between(ended->started_at, ended->finished_at));
    guard_leave(t->guard);
}

/* Why there is a new plan: what drifted, where that is known; else its cause. */
static const char *why_planned(Arena *a, const NodeStatus *now)
{
    const Cond *update = conds_find(&now->conds, COND_NODE_UPDATE);

    if (now->plan.kind == PLAN_NODE_UPDATE && update && !str_empty(update->message))
        return update->message;
    return str_format(a, "because of: %s", now->plan.cause ? now->plan.cause : "not recorded");
}

static void tell_new_plan(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const char *kind = plan_kind_text(now->plan.kind);

    if (!now->has_plan || now->plan.phase != PLAN_ACTIVE
        || (was->status.has_plan && str_eq(was->status.plan.id, now->plan.id)))
        return;
    kube_event(c,
        was->object,
        "Normal",
        "PlanStarted",
        str_format(
            c->arena, "Plan %s started, %s", kind ? kind : "unknown", why_planned(c->arena, now)));
}

static void tell_ended_plan(Ctx *c, Telling *t, const SeiNode *was, const NodeStatus *now)
{
    const PlanEnded *ended = last_ended(&now->history);
    const PlanEnded *before = last_ended(&was->status.history);

    if (!ended
        || (before && str_eq(before->id, ended->id) && str_eq(before->result, ended->result)))
        return;
    if (!str_eq(ended->result, "Superseded"))
        count_plan(t, was, ended);
    bool failed = str_eq(ended->result, "Failed");
    kube_event(c,
        was->object,
        failed ? "Warning" : "Normal",
        failed                                    ? "PlanFailed"
            : str_eq(ended->result, "Superseded") ? "PlanSuperseded"
                                                  : "PlanComplete",
        str_format(c->arena,
            "Plan %s%s%s",
            ended->kind,
            str_empty(ended->message) ? "" : ": ",
            str_empty(ended->message) ? "" : ended->message));
}

/* --- conditions --------------------------------------------------------------------------------
 */

static void tell_stall(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const Cond *before = conds_find(&was->status.conds, COND_STALLED);
    const Cond *after = conds_find(&now->conds, COND_STALLED);

    if (!after || !str_eq(after->status, "True"))
        return;
    if (before && str_eq(before->status, "True") && str_eq(before->reason, after->reason)
        && str_eq(before->message, after->message))
        return;
    kube_event(c, was->object, "Warning", after->reason, after->message);
}

static const char *status_of(const NodeStatus *s, const char *type)
{
    const Cond *cond = conds_find(&s->conds, type);

    return cond ? cond->status : NULL;
}

static void tell_sidecar(Ctx *c, Telling *t, const SeiNode *was, const NodeStatus *now)
{
    const char *before = status_of(&was->status, COND_SIDECAR_READY);
    const Cond *after = conds_find(&now->conds, COND_SIDECAR_READY);

    if (!after || str_eq(before, after->status))
        return;
    bool lost = str_eq(after->reason, reason_text(REASON_SIDECAR_UNREADY));
    if (t->guard && !str_eq(after->reason, reason_text(REASON_SIDECAR_UNASKED))) {
        const char *outcome = lost ? "not_ready" : "unreachable";
        guard_enter(t->guard);
        metrics_add(t->probes,
            (MetricLabels){{
                NODE_CONTROLLER,
                was->key.namespace,
                str_eq(after->status, "True") ? "ready" : outcome,
            }},
            1);
        guard_leave(t->guard);
    }
    if (lost && str_eq(before, "True"))
        kube_event(c, was->object, "Warning", "SidecarReadinessLost", after->message);
    if (str_eq(before, "False") && str_eq(after->status, "True"))
        kube_event(c, was->object, "Normal", "SidecarReadinessRestored", after->message);
}

/* Reasons of Ready that a person should hear of when they begin. */
static void tell_ready(Ctx *c, const SeiNode *was, const NodeStatus *now)
{
    const Cond *before = conds_find(&was->status.conds, COND_READY);
    const Cond *after = conds_find(&now->conds, COND_READY);

    if (!after || (before && str_eq(before->reason, after->reason)))
        return;
    if (str_eq(after->reason, reason_text(REASON_SCALED_BY_HAND))
        || str_eq(after->reason, reason_text(REASON_VOLUME_IN_USE)))
        kube_event(c, was->object, "Warning", after->reason, after->message);
}

void telling_changed(Ctx *c, Telling *t, const SeiNode *was, const NodeStatus *now)
{
    tell_phase(c, t, was, now);
    tell_new_plan(c, was, now);
    tell_ended_plan(c, t, was, now);
    tell_stall(c, was, now);
    tell_sidecar(c, t, was, now);
    tell_ready(c, was, now);
}

/* --- gauges ------------------------------------------------------------------------------------
 */

static const NodePhase phases[] = {
    PHASE_PENDING, PHASE_INITIALIZING, PHASE_RUNNING, PHASE_FAILED, PHASE_TERMINATING};

void telling_state(Telling *t, const SeiNode *node, const NodeStatus *now)
{
    const char *ns = node->key.namespace, *name = node->key.name;
    bool active = now->has_plan && now->plan.phase == PLAN_ACTIVE;

    if (!t->guard)
        return;
    guard_enter(t->guard);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        metrics_set(t->phase,
            (MetricLabels){{ns, name, node_phase_text(phases[i])}},
            now->phase == phases[i]);
    metrics_set(t->plan_active, (MetricLabels){{NODE_CONTROLLER, ns, name}}, active);
    metrics_set(t->sidecar_ready,
        (MetricLabels){{ns, name}},
        conds_is_true(&now->conds, COND_SIDECAR_READY));
    metrics_set(t->drift, (MetricLabels){{ns, name}}, (double)now->drift.count);
    guard_leave(t->guard);
}

void telling_conflict(Ctx *c, Telling *t, const SeiNode *node)
{
    kube_event(c,
        node->object,
        "Warning",
        "StatusConflict",
        "Another writer changes the status of this node; two operators may be running");
    if (!t->guard)
        return;
    guard_enter(t->guard);
    metrics_add(t->conflicts, (MetricLabels){{node->key.namespace, node->key.name}}, 1);
    guard_leave(t->guard);
}

void telling_gone(Telling *t, Key node)
{
    if (!t->guard)
        return;
    guard_enter(t->guard);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        metrics_remove(
            t->phase, (MetricLabels){{node.namespace, node.name, node_phase_text(phases[i])}});
    metrics_remove(t->plan_active, (MetricLabels){{NODE_CONTROLLER, node.namespace, node.name}});
    metrics_remove(t->sidecar_ready, (MetricLabels){{node.namespace, node.name}});
    metrics_remove(t->drift, (MetricLabels){{node.namespace, node.name}});
    metrics_remove(t->conflicts, (MetricLabels){{node.namespace, node.name}});
    guard_leave(t->guard);
}
