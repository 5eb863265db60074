/* The metrics of nodes: whole pages, because names, labels and buckets are API. */
#include "sei/reconcile/figures.h"

#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sei/golden.h"
#include "tests/sei/nodes.h"
#include "tests/sei/reconcile/desk.h"

/* What a status says, in `status: {...}` of a node. */
static SeiNode node_of(Desk *d, const char *status)
{
    return sample_node(d->arena, str_format(d->arena, "{status: %s}", status));
}

static void given_state(Desk *d, const char *status)
{
    SeiNode node = node_of(d, status);

    figures_state(&d->figures, &node, &node.status);
}

static void given_life(Desk *d)
{
    Figures *f = &d->figures;
    SeiNode was =
        node_of(d, "{phase: 'Initializing', phaseTransitionTime: '2026-01-01T00:00:00Z'}");
    SeiNode now = node_of(d, "{phase: 'Running', phaseTransitionTime: '2026-01-01T00:00:45Z'}");
    PlanEnded init = {.kind = "init",
        .result = "Complete",
        .started_at = "2026-01-01T00:00:00Z",
        .finished_at = "2026-01-01T00:00:44Z"};
    PlanEnded update = {.kind = "node-update",
        .result = "Failed",
        .started_at = "2026-01-01T01:00:00Z",
        .finished_at = "2026-01-01T01:00:03Z"};
    SidecarExchange probe = {.node = now.key, .is_probe = true, .health = PROBE_READY};
    SidecarExchange lost = {
        .node = now.key, .is_probe = true, .health = PROBE_UNREACHABLE, .is_unanswered = true};
    SidecarExchange task = {.node = now.key, .is_unanswered = true};

    figures_phase(f, &was, &now.status);
    figures_plan(f, NODE_CONTROLLER, "sei", &init);
    figures_plan(f, NODE_CONTROLLER, "sei", &update);
    figures_task_failed(f, now.key, "replace-pod");
    figures_sidecar(f, &probe);
    figures_sidecar(f, &probe);
    figures_sidecar(f, &lost);
    figures_sidecar(f, &task);
    figures_reconciled(f, err_retry(d->arena, "the server is away"));
    figures_reconciled(f, err_wait(d->arena, "this is no error"));
    figures_reconciled(f, OK);
    figures_conflict(f, now.key);
    given_state(d,
        "{phase: 'Running', plan: {id: 'p', phase: 'Active', kind: 'node-update', tasks: [],"
        "  startedAt: '2026-01-01T02:00:00Z'},"
        " drift: {cause: 'spec', fields: [{path: 'a', have: 'b', want: 'c'}]},"
        " conditions: [{type: 'SidecarReady', status: 'True', reason: 'Ready'},"
        "  {type: 'Ready', status: 'True', reason: 'Available'},"
        "  {type: 'Paused', status: 'True', reason: 'Paused',"
        "   lastTransitionTime: '2026-01-01T03:00:00Z'},"
        "  {type: 'UpToDate', status: 'False', reason: 'SpecDrift',"
        "   lastTransitionTime: '2026-01-01T04:00:00Z'},"
        "  {type: 'Stalled', status: 'True', reason: 'ForeignObject'}]}");
}

TEST(the_metrics_page_of_a_complete_node_life_equals_its_golden_file)
{
    SCOPED_DESK d = desk_open();

    given_life(d);
    then_golden_text(d->arena, page(d), "metrics/life.txt");
}

/* Of another node of the namespace. */
static void given_neighbour(Desk *d)
{
    SeiNode other =
        sample_node(d->arena, "{metadata: {name: 'other'}, status: {phase: 'Pending'}}");

    figures_state(&d->figures, &other, &other.status);
}

TEST(deleting_a_node_removes_its_series_and_keeps_its_counters)
{
    SCOPED_DESK d = desk_open();

    given_life(d);
    given_neighbour(d);
    then_true(strstr(page(d), "rpc-0") != NULL);
    figures_gone(&d->figures, (Key){"sei", "rpc-0"});
    then_str(strstr(page(d), "rpc-0"), NULL);
    then_golden_text(d->arena, page(d), "metrics/after-life.txt");
}

static const char *phase_of(Desk *d, const char *name, const char *chain)
{
    SeiNode was = sample_node(d->arena,
        str_format(d->arena,
            "{metadata: {name: '%s'}, spec: {chainId: '%s'}, status: {phase: 'Pending'}}",
            name,
            chain));
    NodeStatus now = {.phase = PHASE_RUNNING};

    figures_state(&d->figures, &was, &was.status);
    figures_phase(&d->figures, &was, &now);
    then_true(strstr(page(d), "phase_duration_seconds_count") != NULL);
    return str_format(d->arena, "_count{namespace=\"sei\",chain_id=\"%s\"", chain);
}

static int count_lines(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

TEST(the_counters_of_a_namespace_are_removed_with_its_last_node)
{
    SCOPED_DESK d = desk_open();

    given_life(d);
    figures_plan(&d->figures, FLEET_CONTROLLER, "sei", &(PlanEnded){.kind = "rollout"});
    figures_gone(&d->figures, (Key){"sei", "rpc-0"});
    then_str(strstr(page(d), "{controller=\"seinode\""), NULL);
    then_true(strstr(page(d), "{controller=\"seinodedeployment\",namespace=\"sei\"") != NULL);
}

TEST(the_counters_of_a_recreated_namespace_start_at_zero)
{
    SCOPED_DESK d = desk_open();
    const char *series = "sei_controller_task_failures_total{controller=\"seinode\","
                         "namespace=\"sei\",task_type=\"replace-pod\"} 1\n";

    for (int i = 0; i < 2; i++) {
        given_life(d);
        then_true(strstr(page(d), series) != NULL);
        figures_gone(&d->figures, (Key){"sei", "rpc-0"});
    }
}

/* Some are longer than a label gets, and would be cut within a letter. */
TEST(a_year_of_short_lived_chains_leaves_no_series_behind)
{
    SCOPED_DESK d = desk_open();
    int after_one = 0;

    for (int i = 0; i < 100; i++) {
        const char *node = str_format(d->arena, "ci-%d", i);
        const char *chain = str_format(d->arena, "%03d%0*d\xc3\xa9", i, i % 2 ? 252 : 9, 0);
        phase_of(d, node, chain);
        figures_gone(&d->figures, (Key){"sei", node});
        after_one = after_one ? after_one : count_lines(page(d));
        then_int(count_lines(page(d)), after_one);
    }
}

TEST(phase_duration_series_stay_while_their_chain_has_a_node)
{
    SCOPED_DESK d = desk_open();
    const char *line = phase_of(d, "a", "pacific-1");

    phase_of(d, "b", "pacific-1");
    figures_gone(&d->figures, (Key){"sei", "a"});
    then_true(strstr(page(d), line) != NULL);
    const char *other = phase_of(d, "b", "atlantic-2");
    then_str(strstr(page(d), line), NULL);
    then_true(strstr(page(d), other) != NULL);
    figures_gone(&d->figures, (Key){"sei", "b"});
    then_str(strstr(page(d), other), NULL);
}

TEST(a_node_has_one_phase_series_and_a_drift_series_only_while_it_has_drift)
{
    SCOPED_DESK d = desk_open();

    given_life(d);
    given_state(d, "{phase: 'Failed'}");
    then_true(shows(
        d, "sei_controller_seinode_phase{namespace=\"sei\",name=\"rpc-0\",phase=\"Failed\"} 1"));
    then_true(shows(
        d, "sei_controller_seinode_phase{namespace=\"sei\",name=\"rpc-0\",phase=\"Running\"} 0"));
    then_str(strstr(page(d), "drift_fields"), NULL);
}

/* Counted by state, so that passes that find the same add nothing. */
TEST(an_active_plan_is_counted_once_however_often_it_is_reconciled)
{
    SCOPED_DESK d = desk_open();
    const char *line =
        "sei_controller_plan_active{controller=\"seinode\",namespace=\"sei\",name=\"rpc-0\"} ";

    for (int i = 0; i < 3; i++)
        given_state(d, "{plan: {id: 'p', phase: 'Active', tasks: []}}");
    then_true(shows(d, str_format(d->arena, "%s1", line)));
    given_state(d, "{plan: {id: 'p', phase: 'Complete', tasks: []}}");
    then_true(shows(d, str_format(d->arena, "%s0", line)));
}

static const struct {
    const char *name, *conditions, *reason;
} attentions[] = {
    {"a stall", "{type: 'Stalled', status: 'True', reason: 'InvalidSpec'}", "InvalidSpec"},
    {"hand-scaled", "{type: 'Ready', status: 'False', reason: 'ScaledByHand'}", "ScaledByHand"},
    {"a volume in use", "{type: 'Ready', status: 'False', reason: 'VolumeInUse'}", "VolumeInUse"},
    {"a pod that starts", "{type: 'Ready', status: 'False', reason: 'PodNotReady'}", NULL},
    {"nothing", "{type: 'Stalled', status: 'False', reason: 'NotStalled'}", NULL},
};

TEST(a_node_that_needs_a_person_has_an_attention_series_with_one_reason)
{
    SCOPED_DESK d = desk_open();

    for (size_t last = 0; last < array_count(attentions); last++)
        each_case(i, attentions) {
            given_state(d, str_format(d->arena, "{conditions: [%s]}", attentions[last].conditions));
            given_state(d, str_format(d->arena, "{conditions: [%s]}", attentions[i].conditions));
            const char *first = strstr(page(d), "\nsei_controller_seinode_attention{");
            then_true((first != NULL) == (attentions[i].reason != NULL));
            if (!first)
                continue;
            then_true(shows(d,
                str_format(d->arena,
                    "sei_controller_seinode_attention{namespace=\"sei\",name=\"rpc-0\","
                    "reason=\"%s\"} 1",
                    attentions[i].reason)));
            then_str(strstr(first + 1, "\nsei_controller_seinode_attention{"), NULL);
        }
}

static const struct {
    const char *name, *status, *reason;
} pauses[] = {
    {"paused", "True", "Paused"},
    {"in maintenance", "True", "Maintenance"},
    {"not paused", "False", "NotPaused"},
};

TEST(a_pause_series_shows_its_start_and_reason_while_the_pause_lasts)
{
    SCOPED_DESK d = desk_open();

    for (size_t last = 0; last < array_count(pauses); last++)
        each_case(i, pauses) {
            const size_t both[] = {last, (size_t)i};
            for (size_t k = 0; k < array_count(both); k++)
                given_state(d,
                    str_format(d->arena,
                        "{conditions: [{type: 'Paused', status: '%s', reason: '%s', "
                        "lastTransitionTime: '2026-01-01T00:00:05Z'}]}",
                        pauses[both[k]].status,
                        pauses[both[k]].reason));
            const char *first =
                strstr(page(d), "\nsei_controller_seinode_paused_start_time_seconds{");
            then_true((first != NULL) == str_eq(pauses[i].status, "True"));
            if (!first)
                continue;
            then_true(shows(d,
                str_format(d->arena,
                    "sei_controller_seinode_paused_start_time_seconds{namespace=\"sei\",name=\"rpc-"
                    "0\","
                    "reason=\"%s\"} 1767225605",
                    pauses[i].reason)));
            then_str(
                strstr(first + 1, "\nsei_controller_seinode_paused_start_time_seconds{"), NULL);
        }
}

/* What began is shown by its beginning, so that its age is right between two passes too. */
TEST(a_plan_or_pause_that_ended_has_no_start_time_series)
{
    SCOPED_DESK d = desk_open();

    given_life(d);
    then_true(strstr(page(d), "start_time_seconds{") != NULL);
    given_state(d,
        "{plan: {id: 'p', phase: 'Complete', kind: 'node-update', tasks: [],"
        "  startedAt: '2026-01-01T02:00:00Z'},"
        " conditions: [{type: 'Paused', status: 'False', reason: 'NotPaused',"
        "   lastTransitionTime: '2026-01-01T03:00:00Z'},"
        "  {type: 'UpToDate', status: 'Unknown', reason: 'NotObserved',"
        "   lastTransitionTime: '2026-01-01T04:00:00Z'}]}");
    then_str(strstr(page(d), "start_time_seconds{"), NULL);
}

#define MOVING(kind, reason)                                                                       \
    "{plan: {id: 'p', phase: 'Active', kind: '" kind "', tasks: [],"                               \
    "  startedAt: '2026-01-01T02:00:00Z'}, conditions: [{type: 'UpToDate', status: 'False',"       \
    "  reason: '" reason "', lastTransitionTime: '2026-01-01T04:00:00Z'}]}"

TEST(a_new_reason_or_plan_kind_replaces_the_series_of_the_previous_one)
{
    SCOPED_DESK d = desk_open();

    given_state(d, MOVING("init", "SpecDrift"));
    given_state(d, MOVING("repair", "AwaitsFleet"));
    then_str(strstr(page(d), "plan_type=\"init\""), NULL);
    then_str(strstr(page(d), "SpecDrift"), NULL);
    then_true(strstr(page(d), "plan_type=\"repair\"} 1767232800\n") != NULL);
    then_true(strstr(page(d), "reason=\"AwaitsFleet\"} 1767240000\n") != NULL);
}

/* A node that left its fleet, or whose spec was edited, is not there twice. */
TEST(a_node_has_one_info_series_with_its_current_labels)
{
    SCOPED_DESK d = desk_open();
    SeiNode was = sample_node(d->arena, "{metadata: {labels: {'sei.io/nodedeployment': 'rpc'}}}");
    SeiNode now = sample_node(d->arena, "{spec: {chainId: 'atlantic-2'}}");

    figures_state(&d->figures, &was, &was.status);
    then_true(shows(d,
        "sei_controller_seinode_info{namespace=\"sei\",name=\"rpc-0\",fleet=\"rpc\","
        "chain_id=\"pacific-1\",mode=\"fullNode\"} 1"));
    figures_state(&d->figures, &now, &now.status);
    then_true(shows(d,
        "sei_controller_seinode_info{namespace=\"sei\",name=\"rpc-0\",fleet=\"\","
        "chain_id=\"atlantic-2\",mode=\"fullNode\"} 1"));
    then_str(strstr(page(d), "fleet=\"rpc\""), NULL);
}

TEST(the_build_info_series_has_the_operator_version)
{
    SCOPED_DESK d = desk_open();

    figures_build(&d->figures, "1.2.3");
    then_true(shows(d, "sei_operator_build_info{version=\"1.2.3\"} 1"));
}

TEST(without_a_metrics_registry_no_node_series_is_written)
{
    SCOPED_DESK d = desk_open();
    Figures none = {0};
    SeiNode node = node_of(d, "{phase: 'Running'}");

    figures_state(&none, &node, &node.status);
    figures_phase(&none, &node, &node.status);
    figures_reconciled(&none, err_retry(d->arena, "x"));
    figures_sidecar(&none, &(SidecarExchange){.is_probe = true, .health = PROBE_READY});
    figures_gone(&none, node.key);
    figures_build(&none, "rpc-0");
    then_str(strstr(page(d), "rpc-0"), NULL);
}
