/* FleetFigures. What surprises: the age of a rollout is shown as when it began, because an age that
 * is set now and then is wrong in between. */
#include "sei/reconcile/fleet_figures.h"

#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

#define ALL_FLEETS "fleets"

static const char *const states[] = {"desired", "ready", "available", "unavailable", "updated"};

enum { STATES = sizeof states / sizeof states[0] };

static void show_phase(Figures *f, Key fleet, FleetPhase now)
{
    for (int i = FLEET_NONE + 1; i < FLEET_PHASE_COUNT; i++)
        metrics_set(f->families[FIGURE_FLEET_PHASE],
            (MetricLabels){{fleet.namespace, fleet.name, fleet_phase_text((FleetPhase)i)}},
            (int)now == i);
}

/* Counts that are not known yet are none. */
static void show_replicas(Figures *f, const Fleet *fleet, const FleetCounts *now)
{
    const int64_t counts[STATES] = {
        fleet->spec.replicas, now->ready, now->available, now->unavailable, now->updated};

    for (size_t i = 0; i < STATES; i++)
        metrics_set(f->families[FIGURE_FLEET_REPLICAS],
            (MetricLabels){{fleet->key.namespace, fleet->key.name, states[i]}},
            counts[i] > 0 ? (double)counts[i] : 0);
}

/* A rollout that was rolled back is remembered, and is not under way. */
static void show_rollout(Figures *f, Key fleet, const FleetStatus *now)
{
    MetricLabels labels = {{fleet.namespace, fleet.name}};
    bool is_under_way = now->rollout.target_hash && now->has_plan;
    int64_t ns;

    if (is_under_way && timestamp_parse(now->rollout.started_at, &ns))
        metrics_set(f->families[FIGURE_FLEET_ROLLOUT], labels, (double)ns / 1e9);
    else
        metrics_remove(f->families[FIGURE_FLEET_ROLLOUT], labels);
}

void fleet_figures_state(Figures *f, const Fleet *fleet, const FleetStatus *now)
{
    const Cond *stalled = figures_cond(&now->conds, COND_STALLED, "True");
    bool active = now->has_plan && now->plan.phase == PLAN_ACTIVE;
    char left[CHAINS_NAME_SIZE];

    if (!f->guard)
        return;
    guard_enter(f->guard);
    (void)chains_move(f->fleets, fleet->key, ALL_FLEETS, left);
    show_phase(f, fleet->key, now->phase);
    show_replicas(f, fleet, &now->counts);
    show_rollout(f, fleet->key, now);
    metrics_set(f->families[FIGURE_FLEET_AVAILABLE],
        (MetricLabels){{fleet->key.namespace, fleet->key.name}},
        conds_is_true(&now->conds, COND_AVAILABLE));
    figures_show_since(
        f, FIGURE_FLEET_PAUSED, fleet->key, figures_cond(&now->conds, COND_PAUSED, "True"));
    figures_show_plan(f, FLEET_CONTROLLER, fleet->key, active ? &now->plan : NULL);
    figures_show_attention(f, true, fleet->key, stalled ? stalled->reason : NULL);
    guard_leave(f->guard);
}

void fleet_figures_gone(Figures *f, Key fleet)
{
    static const Figure named[] = {FIGURE_FLEET_PHASE,
        FIGURE_FLEET_REPLICAS,
        FIGURE_FLEET_AVAILABLE,
        FIGURE_FLEET_PAUSED,
        FIGURE_FLEET_ROLLOUT,
        FIGURE_FLEET_ATTENTION,
        FIGURE_FLEET_CONFLICTS};
    MetricLabels name = {{fleet.namespace, fleet.name}};
    char left[CHAINS_NAME_SIZE];

    if (!f->guard)
        return;
    guard_enter(f->guard);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        metrics_remove_object(f->families[named[i]], name);
    figures_forget_plan(f, FLEET_CONTROLLER, fleet);
    (void)chains_move(f->fleets, fleet, NULL, left);
    if (!chains_has_any(f->fleets, fleet.namespace))
        figures_forget_namespace(f, FLEET_CONTROLLER, fleet.namespace);
    guard_leave(f->guard);
}
