/* What is said of a Job that does not get on: never that it runs. */
#include "tests/cli/maintain_play.h"

/* Every line that is to be typed next names the node as it has to be typed. */
static void then_next_is_of(Terminal *t, const char *node)
{
    const char *line = talked(t);
    int lines = 0;

    while ((line = strstr(line, "next: kubectl sei "))) {
        const char *typed = str_slice(t->arena, line, strcspn(line, "\n"));
        terminal_has(typed, node, __FILE__, __LINE__);
        lines++;
        line++;
    }
    then_true(lines > 0);
}

static const struct {
    const char *name;
    bool is_asleep, fails;
    const char *lines[3];
} ends[] = {
    {"a success", false, false, {MAINTAIN}},
    {"a failure", false, true, {MAINTAIN, "maintain n --resume"}},
    {"the time is over", true, false, {"maintain n --timeout 5s --image tool:1"}},
    {"another has the node", true, false, {"maintain n --timeout 5s --image tool:1", MAINTAIN}},
    {"given up", false, true, {MAINTAIN, "maintain n --abort"}},
    {"a pause", false, false, {"pause n", "unpause n", "rollout restart n"}},
};

TEST(the_commands_that_maintain_suggests_name_the_namespace)
{
    each_case(i, ends) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        s.is_asleep = ends[i].is_asleep;
        s.fails = ends[i].fails;
        for (size_t n = 0; n < array_count(ends[i].lines) && ends[i].lines[n]; n++) {
            const char *line = ends[i].lines[n];
            size_t verb = strcspn(line, " ");
            type(t, str_format(t->arena, "%.*s -n default%s", (int)verb, line, line + verb));
            then_next_is_of(t, " node/n -n default");
        }
    }
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;
    type(t, MAINTAIN);
    then_next_is_of(t, " node/n --");
}

/* A run whose Job is let run, and does not end. */
static const Json *given_job(Terminal *t, Stage *s, bool makes_none)
{
    stage(t, s, "{}")->starts_bad = true;
    s->makes_none = makes_none;
    then_int(type(t, "maintain n --timeout 12s --image tool:1"), EXIT_TIMED_OUT);
    return only_job(s);
}

static const char *given_pod_status(Stage *s, const char *status)
{
    const char *name = str_format(s->t->arena, "%s-x", meta_name(only_job(s)));

    given_patch(s->t, kind_pod, name, "status", str_format(s->t->arena, "{status: %s}", status));
    return name;
}

static void given_event(Terminal *t, const char *name, const char *uid, const char *words)
{
    given(t,
        kind_event,
        str_format(t->arena,
            "{metadata: {name: '%s'}, regarding: {apiVersion: 'v1', kind: 'Pod', namespace:"
            " 'default', name: 'x', uid: '%s'}, eventTime: '2026-01-01T00:00:01.000000Z', action:"
            " 'a', reportingController: 'c/c', reportingInstance: 'i', %s}",
            name,
            uid,
            words));
}

TEST(an_image_pull_error_is_shown_while_maintain_waits)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->starts_bad = true;
    then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
    given_patch(t,
        kind_pod,
        str_format(t->arena, "%s-x", meta_name(only_job(&s))),
        "status",
        "{status: {phase: 'Pending', containerStatuses: [{name: 'maintain', ready: false,"
        " restartCount: 0, image: 'tool:1', imageID: '', state: {waiting: {reason: "
        "'ImagePullBackOff', message: 'no such image'}}}]}}");

    then_int(type(t, "maintain n --resume --timeout 3s"), EXIT_TIMED_OUT);
    then_talked(t, "does not get on: ");
    then_talked(t, "tool:1");
    then_int(type(t, "maintain n --abort"), EXIT_FINE);
    then_int((int)json_count(list_of(&s, kind_job)), 0);
    then_true(!is_marked(&s) && !is_paused(&s));
}

#define STATUS(name, state)                                                                        \
    "{name: '" name "', ready: false, restartCount: 0, image: 'x', imageID: 'x', state: {" state   \
    "}}"

static const struct {
    const char *name, *status, *want;
} pods[] = {
    {"a pod without a status", "{phase: 'Pending'}", "-x is being started"},
    {"one that waits for its volume",
        "{phase: 'Pending', containerStatuses: [" STATUS(
            "maintain", "waiting: {reason: 'ContainerCreating'}") "]}",
        "-x is being started"},
    {"a pod in which only an injected container runs",
        "{phase: 'Running', containerStatuses: [" STATUS(
            "injected", "running: {startedAt: '2026-01-01T00:00:01Z'}") ", " STATUS("maintain",
            "waiting: {reason: 'ContainerCreating'}") "]}",
        "-x is being started"},
    {"one that has ended but for an injected container",
        "{phase: 'Running', containerStatuses: [" STATUS(
            "injected", "running: {startedAt: '2026-01-01T00:00:01Z'}") ", " STATUS("maintain",
            "terminated: {exitCode: 3}") "]}",
        "the command has ended with code 3, and container injected of pod n-maintain-"},
};

TEST(maintain_reports_a_running_pod_only_when_its_command_runs)
{
    each_case(i, pods) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        given_job(t, &s, false);
        given_pod_status(&s, pods[i].status);

        then_int(type(t, "maintain n --resume --timeout 3s"), EXIT_TIMED_OUT);
        then_talked(t, pods[i].want);
        then_true(!strstr(talked(t), "-x runs\n"));
    }
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    given_job(t, &s, false);
    given_pod_status(&s,
        "{phase: 'Running', containerStatuses: [" STATUS(
            "maintain", "running: {startedAt: '2026-01-01T00:00:01Z'}") "]}");
    then_int(type(t, "maintain n --resume --timeout 3s"), EXIT_TIMED_OUT);
    then_talked(t, "-x runs\n");
}

TEST(the_cause_of_a_pod_that_does_not_start_is_taken_from_its_events)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    given_job(t, &s, false);
    const char *pod = given_pod_status(&s, "{phase: 'Pending'}");
    const char *uid = meta_uid(seen(t, kind_pod, pod));
    given_event(t, "a", uid, "type: 'Warning', reason: 'FailedAttachVolume', note: 'Multi-Attach'");
    given_event(t, "b", uid, "type: 'Normal', reason: 'Pulling', note: 'pulls'");
    given_event(t, "c", "x", "type: 'Warning', reason: 'Other', note: 'of another'");

    then_int(type(t, "maintain n --resume --timeout 10s"), EXIT_TIMED_OUT);
    then_true(!strstr(talked(t), "Multi-Attach")); /* that may pass */
    then_int(type(t, "maintain n --resume --timeout 20s"), EXIT_TIMED_OUT);
    then_talked(t, "-x is being started: FailedAttachVolume: Multi-Attach\n");
    then_true(!strstr(talked(t), "pulls") && !strstr(talked(t), "of another"));
}

TEST(the_cause_of_a_missing_pod_is_taken_from_the_events_of_its_job)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    const char *uid = meta_uid(given_job(t, &s, true));
    given_event(t, "a", uid, "type: 'Warning', reason: 'FailedCreate', note: 'exceeded quota'");

    then_int(type(t, "maintain n --resume --timeout 20s"), EXIT_TIMED_OUT);
    then_talked(t, ": its pod is being made: FailedCreate: exceeded quota\n");
}
