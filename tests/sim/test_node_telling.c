/* What people and machines are told of whole lives: every event and every figure, as agreed in
 * tests/golden/telling. */
#include "base/str.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sei/golden.h"
#include "tests/sim/play.h"

#include <string.h>

#define NODE "rpc-0"

enum { A_MINUTE_MS = 60 * 1000, A_WHILE_MS = 20 * A_MINUTE_MS, CHANCES = 5, NOTES_MAX = 8 << 20 };

static void then_settles(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

/* What hangs on how long something took by chance is left out. */
static bool is_by_chance(const char *line)
{
    return strstr(line, "_bucket{") || strstr(line, "_sum{") || strstr(line, "_probes_total{")
        || strstr(line, "_unreachable_total{") || strstr(line, "_errors_total ");
}

static const char *figures(Play *p)
{
    const char *page = play_metrics(p, "sei_controller_"), *text = "";

    for (const char *line = page; *line; line += strcspn(line, "\n") + 1) {
        const char *one = str_slice(play_arena(p), line, strcspn(line, "\n"));
        if (!is_by_chance(one))
            text = str_format(play_arena(p), "%s%s\n", text, one);
    }
    return text;
}

/* The value of a series; -1 for none. */
static double figure(Play *p, const char *series)
{
    const char *page = play_metrics(p, "sei_controller_");
    const char *at = strstr(page, str_format(play_arena(p), "\n%s ", series));

    return at ? strtod(at + strlen(series) + 2, NULL) : -1;
}

static bool lost_its_sidecar(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_SIDECAR_READY), "False");
}

static bool is_scaled_by_hand(Play *p, const char *name)
{
    return str_eq(play_reason(p, name, COND_READY), "ScaledByHand");
}

static void live(Play *p)
{
    play_create_node(p, NODE, "{}");
    then_settles(p);
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'seid:v2'}}");
    then_settles(p);
    play_order(p, "kill-sidecar sei/rpc-0-0");
    then_true(play_until(p, lost_its_sidecar, NODE));
    then_settles(p);
    play_scale(p, NODE, 0);
    then_true(play_until(p, is_scaled_by_hand, NODE));
    play_run(p, A_MINUTE_MS); /* the pod is gone by then */
    play_scale(p, NODE, 1);
    then_settles(p);
    play_run(p, A_WHILE_MS);
}

TEST(the_events_of_a_node_life_equal_the_golden_file_for_every_seed)
{
    for (uint64_t seed = 0; seed < CHANCES; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        live(p);
        then_golden_text(play_arena(p), play_told(p, NODE), "telling/life-events.txt");
        then_golden_text(play_arena(p), figures(p), "telling/life-figures.txt");
    }
}

TEST(the_metrics_of_a_node_are_removed_with_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    live(p);
    play_create_node(p, "rpc-1", "{}");
    then_settles(p);
    play_delete(p, kind_seinode, NODE);
    then_settles(p);
    then_str(play_find(p, kind_seinode, NODE) ? "there" : NULL, NULL);
    const char *page = play_metrics(p, "sei_controller_");
    then_str(strstr(page, NODE), NULL);
    then_true(strstr(page, "to_phase=\"Terminating\"} 1") != NULL);
    play_delete(p, kind_seinode, "rpc-1");
    then_settles(p);
    then_str(strstr(play_metrics(p, "sei_controller_"), "namespace=\""), NULL);
}

/* The phase lasted as long as it did: not the nothing between two writes of one pass. */
TEST(the_duration_of_a_phase_is_measured_from_its_transition_time)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 13}});

    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 100000");
    play_create_node(p, NODE, "{}");
    then_settles(p);
    then_true(figure(p,
                  "sei_controller_seinode_phase_duration_seconds_sum{namespace=\"sei\","
                  "chain_id=\"pacific-1\",phase=\"Initializing\"}")
        >= 60);
}

TEST(about_twenty_health_probes_of_a_ready_sidecar_are_counted_in_ten_minutes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 14}});
    const char *series =
        "sei_controller_seinode_sidecar_health_probes_total{controller=\"seinode\","
        "namespace=\"sei\",outcome=\"ready\"}";

    play_create_node(p, NODE, "{}");
    then_settles(p);
    double before = figure(p, series);
    play_run(p, 600000);
    double made = figure(p, series) - before;
    then_true(made >= 17 && made <= 23); /* every 30 s */
}

TEST(a_plan_failure_sends_one_event_in_the_reconcile_that_fails_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 15}});

    play_order(p, "fail-task sei/rpc-0-0 config-apply 1 disk is on fire");
    play_create_node(p, NODE, "{}");
    then_settles(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
    play_run(p, 1000);
    then_int(play_events(p, NODE, "NodeFailed", NULL), 1);
    play_run(p, A_WHILE_MS);
    then_golden_text(play_arena(p), play_told(p, NODE), "telling/failure-events.txt");
    then_golden_text(play_arena(p), figures(p), "telling/failure-figures.txt");
}

TEST(a_retained_volume_is_reported_with_an_event)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 16}});
    const char *note;

    play_create_node(p, NODE, "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}");
    then_settles(p);
    play_delete(p, kind_seinode, NODE);
    then_settles(p);
    play_run(p, 1000);
    then_int(play_events(p, NODE, "VolumeKept", &note), 1);
    then_str(note,
        "PersistentVolumeClaim data-rpc-0 stays: its policy is Retain. Delete it by hand when its "
        "data is not needed");
}

/* --- the log --- */

/* Transitions in the log of the operator, which is in the trace. */
typedef struct Notes {
    LogSink sink; /* first, so that the sink is this */
    Arena *arena;
    const char *text; /* what was logged, a line each */
    int lines;
} Notes;

static void write_note(LogSink *self, const char *line, size_t len)
{
    Notes *d = (Notes *)(void *)self;

    if (!memmem(line, len, " transition ", strlen(" transition ")))
        return;
    d->lines++;
    d->text = str_format(d->arena, "%s%.*s\n", d->text, (int)len, line);
}

static int times_noted(const Notes *d, const char *words)
{
    int count = 0;

    for (const char *at = strstr(d->text, words); at; at = strstr(at + 1, words))
        count++;
    return count;
}

static bool lost_its_pod(Play *p, const char *name)
{
    return str_eq(play_reason(p, name, COND_READY), "PodNotReady");
}

static bool is_ready(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_READY), "True");
}

/* An event for each pod that comes and goes would drown the others; whoever looks for what happened
 * at night finds it in the log. */
TEST(a_crashed_pod_is_logged_in_two_lines_and_sends_no_event)
{
    SCOPED_ARENA a = arena_open(NOTES_MAX);
    Notes notes = {.sink = {write_note}, .arena = a, .text = ""};
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 18, .print = &notes.sink}});

    play_create_node(p, NODE, "{}");
    then_settles(p);
    play_run(p, A_MINUTE_MS);
    const char *before = play_told(p, NODE);
    notes.text = "";
    play_order(p, "crash sei/rpc-0-0 0");
    then_true(play_until(p, lost_its_pod, NODE));
    then_true(play_until(p, is_ready, NODE));
    play_run(p, A_MINUTE_MS);
    then_int(times_noted(&notes, "condition=Ready status=False reason=PodNotReady"), 1);
    then_int(times_noted(&notes, "condition=Ready status=True reason=Available"), 1);
    then_int(times_noted(&notes, "condition=Ready"), 2);
    then_str(play_told(p, NODE), before);
}

/* An hour in which nothing changes but time. */
TEST(polling_without_changes_sends_no_events_and_logs_nothing)
{
    SCOPED_ARENA a = arena_open(NOTES_MAX);
    Notes notes = {.sink = {write_note}, .arena = a, .text = ""};
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 17, .print = &notes.sink}});

    play_create_node(p, NODE, "{}");
    then_settles(p);
    play_order(p, "temper sei/rpc-0-0 hanging 0");
    play_run(p, A_WHILE_MS);
    const char *before = play_told(p, NODE);
    then_str(play_condition(p, NODE, COND_SIDECAR_READY), "Unknown");
    then_int(times_noted(&notes, "condition=SidecarReady status=Unknown reason=Unreachable"), 1);
    int lines = notes.lines;
    play_run(p, 3 * A_WHILE_MS);
    then_str(play_told(p, NODE), before);
    then_int(notes.lines, lines);
    then_true(
        figure(p, "sei_controller_sidecar_unreachable_total{namespace=\"sei\",node=\"rpc-0\"}")
        > 10);
}

/* --- a probe that fails --- */

#define PROBE_FAILS "pod rpc-0-0: container seid runs, and its readiness probe fails"
#define PROBE_GOT   ": HTTP probe failed with statuscode: 503; see kubectl logs rpc-0-0 -c seid"

typedef struct EventLists {
    int count;
    bool is_forbidden;
} EventLists;

static PortFault count_event_lists(void *self, const PortCall *call)
{
    EventLists *lists = self;

    if (!call->request || !kind_eq(call->request->kind, kind_core_event))
        return (PortFault){0};
    lists->count++;
    return lists->is_forbidden ? (PortFault){.kind = PORT_REFUSED, .status = 403} : (PortFault){0};
}

static Play *open_probe_play(EventLists *lists, bool kubelet_tells)
{
    Play *p = play_open(&(PlayOptions){
        .sim = {.seed = 18, .judge = count_event_lists, .judge_self = lists},
        .kubelet_tells = kubelet_tells,
    });

    play_create_node(p, NODE, "{}");
    then_settles(p);
    play_run(p, 2 * A_MINUTE_MS);
    then_int(lists->count, 0);
    play_order(p, "never-ready sei/rpc-0-0");
    play_run(p, A_MINUTE_MS);
    then_str(play_reason(p, NODE, COND_READY), "PodNotReady");
    return p;
}

TEST(the_output_of_a_failing_probe_is_read_three_times_at_most_and_reported)
{
    EventLists lists = {0};
    SCOPED_PLAY p = open_probe_play(&lists, true);

    then_str(play_message(p, NODE, COND_READY), PROBE_FAILS PROBE_GOT);
    then_int(lists.count, 1);
    play_mark(p);
    play_run(p, 3 * A_WHILE_MS);
    then_int(lists.count, 3);
    then_int(play_writes(p, -1, NULL), 0);
    play_order(p, "ready-again sei/rpc-0-0");
    then_true(play_until(p, is_ready, NODE));
    play_order(p, "never-ready sei/rpc-0-0");
    play_run(p, 2 * A_MINUTE_MS);
    then_str(play_message(p, NODE, COND_READY), PROBE_FAILS PROBE_GOT);
    then_true(lists.count > 3);
}

/* By then the Events may have expired. */
TEST(a_restarted_operator_keeps_the_reported_output_of_a_probe)
{
    EventLists lists = {0};
    SCOPED_PLAY p = open_probe_play(&lists, true);

    lists.is_forbidden = true;
    play_mark(p);
    replica_crash(play_replica(p, 0));
    play_run(p, 5 * A_MINUTE_MS);
    then_str(play_message(p, NODE, COND_READY), PROBE_FAILS PROBE_GOT);
    then_int(lists.count, 1);
    then_int(play_writes(p, VERB_MERGE_PATCH, kind_seinode), 0);
}

static const struct {
    const char *name;
    bool kubelet_tells, is_forbidden;
} mute[] = {
    {"the Events have expired or were dropped", false, false},
    {"the permission to list Events is missing", true, true},
};

TEST(a_failing_probe_without_events_is_reported_without_its_output)
{
    each_case(i, mute) {
        EventLists lists = {.is_forbidden = mute[i].is_forbidden};
        SCOPED_PLAY p = open_probe_play(&lists, mute[i].kubelet_tells);

        then_true(str_has_prefix(play_message(p, NODE, COND_READY), PROBE_FAILS "; kubectl"));
        play_mark(p);
        play_run(p, 3 * A_WHILE_MS);
        then_int(lists.count, 3);
        then_int(play_writes(p, -1, NULL), 0);
    }
}

static const char *event_of_now(Play *p, const char *name, const char *year, const char *output)
{
    return str_format(play_arena(p),
        "{metadata: {name: 'rpc-0-0.%s'}, involvedObject: {apiVersion: 'v1', kind: 'Pod', "
        "namespace: 'sei', name: 'rpc-0-0', uid: '%s', fieldPath: 'spec.containers{seid}'}, type: "
        "'Warning', reason: 'Unhealthy', message: 'Readiness probe failed: %s', count: 3, "
        "firstTimestamp: '%s-01-01T00:00:00Z', lastTimestamp: '%s-01-01T00:00:00Z', source: "
        "{component: 'kubelet', host: 'node-1'}, reportingComponent: 'kubelet', "
        "reportingInstance: 'node-1'}",
        name,
        json_str(play_find(p, kind_pod, "rpc-0-0"), ".metadata.uid"),
        output,
        year,
        year);
}

TEST(a_probe_event_that_arrives_late_is_found_a_minute_later_and_a_huge_output_is_cut)
{
    char huge[1000];
    EventLists lists = {0};
    SCOPED_PLAY p = open_probe_play(&lists, false);

    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    then_int(lists.count, 1);
    play_create(p, kind_core_event, event_of_now(p, "late", "2030", huge));
    play_run(p, 2 * A_MINUTE_MS);
    then_true(str_has_prefix(play_message(p, NODE, COND_READY), PROBE_FAILS ": xxx"));
    then_true(strlen(play_message(p, NODE, COND_READY)) < 350);
    then_int(lists.count, 2);
}

TEST(a_newer_output_of_a_failing_probe_replaces_the_reported_one)
{
    EventLists lists = {0};
    SCOPED_PLAY p = open_probe_play(&lists, false);

    play_create(p, kind_core_event, event_of_now(p, "first", "2030", "connection refused"));
    play_run(p, 2 * A_MINUTE_MS);
    then_true(
        str_has_prefix(play_message(p, NODE, COND_READY), PROBE_FAILS ": connection refused"));
    play_create(p, kind_core_event, event_of_now(p, "second", "2031", "statuscode: 417"));
    play_run(p, 10 * A_MINUTE_MS);
    then_true(str_has_prefix(play_message(p, NODE, COND_READY), PROBE_FAILS ": statuscode: 417"));
    then_int(lists.count, 3);
}
