/* Sums over the children of a fleet. */
#include "sei/plan/fleet_sums.h"

#include "base/str.h"
#include "sei/api/names.h"

typedef struct Sums {
    int64_t children, running, failed, available, updated;
} Sums;

/* The node has what the template asks for; that is not the target while a rollback leads away from
 * it. */
static bool is_updated(const FleetSnapshot *s, const FleetDecision *d, size_t i)
{
    return d->target_is_complete_revision ? str_eq(s->children[i].revision, s->revision)
                                          : d->nodes[i].on_target;
}

static Sums sum_up(const FleetSnapshot *s, const FleetDecision *d)
{
    Sums sums = {.children = (int64_t)s->count};

    for (size_t i = 0; i < s->count; i++) {
        NodePhase phase = s->children[i].node->status.phase;
        sums.running += phase == PHASE_RUNNING;
        sums.failed += phase == PHASE_FAILED;
        sums.available += batch_is_available(&s->fleet->spec.strategy, &s->children[i].health);
        sums.updated += is_updated(s, d, i);
    }
    return sums;
}

/* The first that is true, as the reference asks. */
static FleetPhase phase_of(const FleetSnapshot *s, const FleetStatus *status, const Sums *sums)
{
    bool has_plan = status->has_plan && status->plan.phase == PLAN_ACTIVE;

    if (s->fleet->deleting)
        return FLEET_TERMINATING;
    if (s->fleet->spec.paused)
        return FLEET_PAUSED;
    if (has_plan)
        return status->rollout.target_hash ? FLEET_UPGRADING : FLEET_INITIALIZING;
    if (sums->children == 0)
        return FLEET_PENDING;
    if (sums->running >= s->fleet->spec.replicas)
        return FLEET_READY;
    if (sums->failed == sums->children)
        return FLEET_FAILED;
    return sums->failed > 0 && sums->running > 0 ? FLEET_DEGRADED : FLEET_INITIALIZING;
}

static const Json *incumbents(Arena *a, const FleetSnapshot *s)
{
    Draft *names = draft_array(a);

    for (size_t i = 0; i < s->count; i++)
        draft_push_str(names, s->children[i].node->key.name);
    return json_seal(a, names);
}

void plan_fleet_sums(Arena *a, const FleetSnapshot *s, FleetDecision *d)
{
    Sums sums = sum_up(s, d);
    FleetStatus *status = &d->status;

    status->observed_generation = s->fleet->generation;
    status->counts = (FleetCounts){
        .replicas = sums.children,
        .ready = sums.running,
        .available = sums.available,
        .unavailable = sums.children - sums.available,
        .updated = sums.updated,
    };
    status->selector = str_format(a, "%s=%s", LABEL_FLEET, s->fleet->key.name);
    status->incumbents = incumbents(a, s);
    status->phase = phase_of(s, status, &sums);
}
