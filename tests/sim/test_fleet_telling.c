/* What people and machines are told of the life of a fleet: every event and every figure, as agreed
 * in tests/golden/telling; and how tools read it at every moment (kstatus). */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/node.h"
#include "tests/sei/golden.h"
#include "tests/sim/asked.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"

#include <string.h>

enum {
    STEP_MS = 10,
    A_MINUTE_MS = 60 * 1000,
    A_WHILE_MS = 20 * A_MINUTE_MS,
    CHANCES = 3,
    LOOK_MAX = 1 << 20
};

#define FIGURES "sei_controller_seinodedeployment_"

static bool is_paused(Play *p, const char *name)
{
    return play_fleet(p, name)->status.phase == FLEET_PAUSED;
}

static bool is_ending(Play *p, const char *name)
{
    return play_fleet(p, name)->status.phase == FLEET_TERMINATING;
}

static bool is_rolling(Play *p, const char *name)
{
    return play_fleet(p, name)->status.has_plan;
}

static bool is_stalled(Play *p, const char *name)
{
    return str_eq(play_fleet_condition(p, name, COND_STALLED), "True");
}

static void then_well(Play *p, const char *tag)
{
    const char *wrong = play_fleet_trouble(p, "rpc", tag);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

/* Made, rolled, rolled somewhere bad and back, paused, scaled. */
static void live(Play *p)
{
    play_create_fleet(
        p, "rpc", "{spec: {replicas: 2, updateStrategy: {progressDeadlineSeconds: 300}}}");
    then_well(p, "v1");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_well(p, "v2");
    play_order(p, "bad-image seid:v3");
    play_edit_fleet(p, "rpc", PLAY_TO("v3"));
    then_true(play_until(p, is_stalled, "rpc"));
    play_run(p, A_WHILE_MS);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_well(p, "v2");
    play_edit_fleet(p, "rpc", "{spec: {paused: true}}");
    then_true(play_until(p, is_paused, "rpc"));
    play_run(p, A_MINUTE_MS);
    play_edit_fleet(p, "rpc", "{spec: {paused: false}}");
    then_well(p, "v2");
    play_scale_fleet(p, "rpc", 1);
    then_well(p, "v2");
    play_run(p, A_WHILE_MS);
}

/* Hashes hang on the image alone; plans have ids by chance. */
static const char *told(Play *p)
{
    return play_told(p, "rpc");
}

TEST(the_events_of_a_fleet_life_equal_the_golden_file_for_every_seed)
{
    for (uint64_t seed = 0; seed < CHANCES; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        live(p);
        then_golden_text(play_arena(p), told(p), "telling/fleet-events.txt");
        then_golden_text(play_arena(p), play_metrics(p, FIGURES), "telling/fleet-figures.txt");
    }
}

/* O-16 */
TEST(the_metrics_of_a_fleet_are_removed_with_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    play_given_fleet(p, "rpc", "{}");
    then_true(strstr(play_metrics(p, "sei_controller_"), "name=\"rpc\"") != NULL);
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_ending, "rpc"));
    then_true(strstr(play_metrics(p, FIGURES), "phase=\"Terminating\"} 1") != NULL);
    then_str(play_settle(p), NULL);
    then_str(strstr(play_metrics(p, "sei_controller_"), "\"rpc"), NULL);
}

/* O-16: the reference never showed a rollout while it was under way. */
TEST(a_running_rollout_has_a_start_time_series)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 13}});

    play_given_fleet(p, "rpc", "{}");
    then_str(strstr(play_metrics(p, FIGURES), "rollout_start_time_seconds{"), NULL);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, "rpc"));
    const char *page = play_metrics(p, FIGURES);
    then_true(strstr(page, "phase=\"Upgrading\"} 1") != NULL);
    then_true(strstr(page, "rollout_start_time_seconds{") != NULL);
    then_well(p, "v2");
    then_str(strstr(play_metrics(p, FIGURES), "rollout_start_time_seconds{"), NULL);
}

/* --- kstatus --- */

/* As kstatus reads an object of a kind that it does not know. */
static bool is_current(Play *p)
{
    SCOPED_ARENA a = arena_open(LOOK_MAX);
    const Json *fleet = play_look(p, a, kind_seinodedeployment, "rpc");
    Conds conds;

    conds_decode(json_find(fleet, ".status.conditions"), &conds);
    return json_int(fleet, ".status.observedGeneration", -1) == meta_generation(fleet)
        && conds_is_true(&conds, COND_READY) && !conds_is_true(&conds, COND_RECONCILING)
        && !conds_is_true(&conds, COND_STALLED);
}

static bool serves(Play *p, Arena *a, int ordinal, const Json *asked)
{
    const Json *pod = play_find(p, kind_pod, play_child_pod(p, "rpc", ordinal));

    return pod && !meta_deleting(pod) && pod_is_ready(pod)
        && asked_is_shown(asked, asked_shown(a, pod));
}

static int serving(Play *p)
{
    SCOPED_ARENA a = arena_open(LOOK_MAX);
    const Json *fleet = play_look(p, a, kind_seinodedeployment, "rpc");
    const Json *asked = asked_of(a, json_find(fleet, ".spec.template"));
    int count = 0;

    for (int i = 0; i < 3; i++)
        count += serves(p, a, i, asked);
    return count;
}

static const struct {
    const char *name, *fleet, *edit;
} edits[] = {
    {"an image", "{}", PLAY_TO("v2")},
    {"an image, all at once", "{spec: {updateStrategy: {maxUnavailable: '100%'}}}", PLAY_TO("v2")},
    {"an image, slowly", "{spec: {updateStrategy: {minReadySeconds: 20}}}", PLAY_TO("v2")},
    {"the sidecar alone", "{}", "{spec: {template: {spec: {sidecar: {image: 'seictl:v9'}}}}}"},
    {"the resources of the sidecar",
        "{}",
        "{spec: {template: {spec: {sidecar: {resources: {requests: {cpu: '1'}}}}}}}"},
    {"a label, which restarts no node",
        "{}",
        "{spec: {template: {spec: {podLabels: {team: 'blue'}}}}}"},
};

/* O-3, O-32: whoever waits for an edit is let go when every node serves it, and not before. */
TEST(a_fleet_is_current_when_every_node_runs_the_requested_spec_and_not_before)
{
    each_case(i, edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20 + i}});
        int looks = 0;

        play_given_fleet(p, "rpc", edits[i].fleet);
        then_true(is_current(p));
        play_edit_fleet(p, "rpc", edits[i].edit);
        then_int(serving(p), 0);
        for (; !is_current(p) && looks < A_WHILE_MS / STEP_MS; looks++)
            play_run(p, STEP_MS);
        then_true(looks > 0 && is_current(p));
        then_int(serving(p), 3);
    }
}

/* O-4: pods that die take Ready and Available with them. */
TEST(a_fleet_whose_pods_crash_is_neither_ready_nor_available)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < 3; i++)
        play_order(p, str_format(play_arena(p), "never-ready sei/rpc-%d-0", i));
    play_run(p, A_MINUTE_MS);
    then_int(play_fleet(p, "rpc")->status.counts.ready, 3);
    then_int(play_fleet(p, "rpc")->status.counts.available, 0);
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_str(play_fleet_condition(p, "rpc", COND_AVAILABLE), "False");
    then_true(strstr(play_fleet_message(p, "rpc", COND_READY), "rpc-0 (") != NULL);
}

TEST(the_fleet_condition_quotes_the_failing_probe_output_of_a_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}, .kubelet_tells = true});

    play_given_fleet(p, "rpc", "{}");
    play_order(p, "never-ready sei/rpc-1-0");
    play_run(p, 2 * A_MINUTE_MS);
    const char *message = play_fleet_message(p, "rpc", COND_READY);
    then_true(strstr(message,
        "rpc-1 (pod rpc-1-0: container seid runs, and its readiness probe fails: HTTP probe "
        "failed with statuscode: 503"));
    play_mark(p);
    play_run(p, 3 * A_WHILE_MS);
    then_int(play_writes(p, -1, NULL), 0);
    then_str(play_fleet_message(p, "rpc", COND_READY), message);
}

/* --- what goes wrong --- */

/* The server takes no SeiNode while this is true. */
static PortFault refuse_nodes(void *self, const PortCall *call)
{
    const bool *refuses = self;
    bool is_node = call->request && call->request->verb == VERB_APPLY
        && kind_eq(call->request->kind, kind_seinode);

    return *refuses && is_node ? (PortFault){.kind = PORT_REFUSED, .status = 403} : (PortFault){0};
}

static bool says_forbidden(Play *p, const char *name)
{
    const char *message = play_fleet_message(p, name, COND_RECONCILING);

    return message && strstr(message, "seinodes") && strstr(message, "forbidden");
}

/* O-28: whatever goes wrong in a pass, what it found out is stored, and the error with it. */
TEST(an_error_is_reported_in_the_conditions_and_the_rest_of_the_status_is_stored)
{
    bool refuses = true;
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 40, .judge = refuse_nodes, .judge_self = &refuses}});

    play_create_fleet(p, "rpc", "{}");
    then_true(play_until(p, says_forbidden, "rpc"));
    then_str(play_fleet_condition(p, "rpc", COND_RECONCILING), "True");
    then_str(play_fleet_reason(p, "rpc", COND_READY), "Initializing");
    then_int(play_fleet(p, "rpc")->status.phase, FLEET_PENDING);
    refuses = false;
    then_well(p, "v1");
}

static const PortFault faults[] = {
    {.kind = PORT_CRASH_AFTER},
    {.kind = PORT_REFUSED, .status = 500},
    {.kind = PORT_LOST},
};

enum { FAULTS = sizeof faults / sizeof faults[0], WRITES = 8 };

/* O-44: an event follows the write that it tells of, so it is told once or, when the operator dies
 * in between, not at all. */
CAMPAIGN(no_event_is_sent_twice_whatever_write_fails)
{
    static const char *const reasons[] = {
        "RolloutStarted", "PlanStarted", "RolloutComplete", "PlanComplete"};

    for (uint64_t n = 0; n < WRITES * FAULTS; n++) {
        Strike strike = {
            .number = 1 + n / FAULTS, .writes_only = true, .fault = faults[n % FAULTS]};
        SCOPED_PLAY p = play_open(
            &(PlayOptions){.sim = {.seed = 50 + n, .judge = strike_judge, .judge_self = &strike}});

        play_given_fleet(p, "rpc", "{spec: {replicas: 2}}");
        strike.armed = true;
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        then_well(p, "v2");
        play_run(p, A_MINUTE_MS);
        for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
            then_true(play_events(p, "rpc", reasons[i], NULL) <= 1);
    }
}
