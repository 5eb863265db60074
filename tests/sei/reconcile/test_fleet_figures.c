/* The metrics of fleets: whole pages, because names and labels are API. */
#include "sei/reconcile/fleet_figures.h"

#include "sei/api/names.h"
#include "tests/sei/fleets.h"
#include "tests/sei/golden.h"
#include "tests/sei/reconcile/desk.h"

static void given_state(Desk *d, const char *status)
{
    const Fleet *fleet = sample_fleet(d->arena, str_format(d->arena, "{status: {%s}}", status));

    fleet_figures_state(&d->figures, fleet, &fleet->status);
}

#define ROLLING                                                                                    \
    "phase: 'Upgrading', replicas: 3, readyReplicas: 3, availableReplicas: 2,"                     \
    " unavailableReplicas: 1, updatedReplicas: 1,"                                                 \
    " rollout: {targetHash: 'h', startedAt: '2026-01-02T03:04:05Z'},"                              \
    " plan: {id: 'p', kind: 'rollout', targetHash: 'r', phase: 'Active', tasks: [],"               \
    "  startedAt: '2026-01-02T03:04:06Z'},"                                                        \
    " conditions: [{type: 'Stalled', status: 'True', reason: 'ProgressDeadlineExceeded'},"         \
    "  {type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable'},"                   \
    "  {type: 'Paused', status: 'True', reason: 'Paused',"                                         \
    "   lastTransitionTime: '2026-01-02T03:04:07Z'}]"

/* O-16: in the middle of a rollout the page shows it, with its beginning. */
TEST(the_metrics_page_of_a_rollout_equals_its_golden_file)
{
    SCOPED_DESK d = desk_open();

    given_state(d, ROLLING);
    then_golden_text(d->arena, page(d), "metrics/fleet.txt");
}

/* O-16: the reference left the replicas of deleted fleets behind. */
TEST(deleting_a_fleet_removes_every_series_with_its_name)
{
    SCOPED_DESK d = desk_open();
    const char *empty = page(d);

    given_state(d, ROLLING);
    figures_fleet_conflict(&d->figures, (Key){"sei", "rpc"});
    figures_plan(&d->figures, FLEET_CONTROLLER, "sei", &(PlanEnded){.kind = "rollout"});
    then_true(strstr(page(d), "\"rpc\"") != NULL);
    fleet_figures_gone(&d->figures, (Key){"sei", "rpc"});
    then_str(page(d), empty);
}

TEST(the_counters_of_fleets_stay_while_their_namespace_has_a_fleet)
{
    SCOPED_DESK d = desk_open();
    const Fleet *other = sample_fleet(d->arena, "{metadata: {name: 'other'}}");

    given_state(d, ROLLING);
    fleet_figures_state(&d->figures, other, &other->status);
    figures_plan(&d->figures, FLEET_CONTROLLER, "sei", &(PlanEnded){.kind = "rollout"});
    fleet_figures_gone(&d->figures, (Key){"sei", "rpc"});
    then_true(strstr(page(d), "plan_type=\"rollout\"") != NULL);
}

TEST(a_fleet_has_one_phase_series_with_the_value_1)
{
    SCOPED_DESK d = desk_open();

    given_state(d, "phase: 'Initializing'");
    given_state(d, "phase: 'Ready'");
    for (int i = FLEET_NONE + 1; i < FLEET_PHASE_COUNT; i++)
        then_true(shows(d,
            str_format(d->arena,
                "sei_controller_seinodedeployment_phase{namespace=\"sei\",name=\"rpc\","
                "phase=\"%s\"} %d",
                fleet_phase_text((FleetPhase)i),
                i == FLEET_READY)));
}

/* An alert on old rollouts must not go off for one that has ended, or was rolled back. */
TEST(a_rollout_that_ended_has_no_start_time_series)
{
    SCOPED_DESK d = desk_open();

    given_state(d, ROLLING);
    given_state(d, "rollout: {targetHash: 'h', startedAt: '2026-01-02T03:04:05Z'}");
    then_str(strstr(page(d), "rollout_start_time_seconds{"), NULL);
    then_str(strstr(page(d), "attention{"), NULL);
    then_true(shows(d,
        "sei_controller_plan_active{controller=\"seinodedeployment\",namespace=\"sei\","
        "name=\"rpc\"} 0"));
}

TEST(a_fleet_that_needs_a_person_has_an_attention_series_with_one_reason)
{
    SCOPED_DESK d = desk_open();

    given_state(d, "conditions: [{type: 'Stalled', status: 'True', reason: 'InvalidSpec'}]");
    given_state(d, "conditions: [{type: 'Stalled', status: 'True', reason: 'ForeignObject'}]");
    then_true(shows(d,
        "sei_controller_seinodedeployment_attention{namespace=\"sei\",name=\"rpc\","
        "reason=\"ForeignObject\"} 1"));
    then_str(strstr(page(d), "InvalidSpec"), NULL);
}

TEST(without_a_metrics_registry_no_fleet_series_is_written)
{
    SCOPED_DESK d = desk_open();
    Figures none = {0};
    const Fleet *fleet = sample_fleet(d->arena, "{status: {" ROLLING "}}");

    fleet_figures_state(&none, fleet, &fleet->status);
    fleet_figures_gone(&none, fleet->key);
    figures_fleet_conflict(&none, fleet->key);
    then_str(strstr(page(d), "\"rpc\""), NULL);
}
