/* The output of a failing probe, as the Events of kubelets have it. */
#include "sei/api/probe_output.h"

#include "base/str.h"
#include "tests/test.h"

#include <string.h>

/* seid runs since 12:00:00, and the pod is not Ready since 12:30:00. */
static const char pod_text[] =
    "{metadata: {name: 'rpc-0-0', uid: 'u'}, status: {conditions: [{type: 'Ready', status: 'False',"
    " lastTransitionTime: '2026-11-15T12:30:00Z'}], initContainerStatuses: [{name: 'sei-sidecar',"
    " state: {running: {startedAt: '2026-11-15T12:29:00Z'}}}], containerStatuses: [{name: 'seid',"
    " state: {running: {startedAt: '2026-11-15T12:00:00Z'}}}]}}";

#define EVENT_OF(part, time, message)                                                              \
    "{reason: 'Unhealthy', involvedObject: {kind: 'Pod', uid: 'u', fieldPath: '" part "'},"        \
    " message: '" message "', firstTimestamp: '2026-11-15T11:00:00Z', lastTimestamp:"              \
    " '2026-11-15T" time "Z', count: 7, source: {component: 'kubelet', host: 'm'},"                \
    " reportingComponent: 'kubelet'}"
#define EVENT(time, message) EVENT_OF("spec.containers{seid}", time, message)
#define SAYS(message)        EVENT("12:29:58", message)

static const struct {
    const char *name, *events, *want;
} cases[] = {
    {"no Event", "", NULL},
    {"an HTTP probe",
        SAYS("Readiness probe failed: HTTP probe failed with statuscode: 503"),
        "HTTP probe failed with statuscode: 503"},
    {"an HTTP probe that is not answered",
        SAYS("Readiness probe failed: Get \"http://10.0.0.7:26657/lag_status\": context deadline "
             "exceeded (Client.Timeout exceeded while awaiting headers)"),
        "Get \"http://10.0.0.7:26657/lag_status\": context deadline exceeded (Client.Timeout "
        "exceeded while awaiting headers)"},
    {"a TCP probe",
        SAYS("Readiness probe failed: dial tcp 10.0.0.7:26657: connect: connection refused"),
        "dial tcp 10.0.0.7:26657: connect: connection refused"},
    {"an exec probe of several lines",
        SAYS("Readiness probe failed: cat: /ready:\\n\\tNo such file\\r\\n"),
        "cat: /ready: No such file"},
    {"an exec probe without output", SAYS("Readiness probe failed: "), "no output"},
    {"an exec probe that takes too long",
        SAYS("Readiness probe failed: command timed out: \"/bin/up\" timed out after 1s"),
        "command timed out: \"/bin/up\" timed out after 1s"},
    {"an exec probe that cannot be run",
        SAYS("Readiness probe errored: rpc error: code = NotFound"),
        "rpc error: code = NotFound"},
    {"the same of a newer kubelet",
        SAYS("Readiness probe errored and resulted in unknown state: rpc error: code = NotFound"),
        "rpc error: code = NotFound"},
    {"a gRPC probe",
        SAYS("Readiness probe failed: service unhealthy (responded with \"NOT_SERVING\")"),
        "service unhealthy (responded with \"NOT_SERVING\")"},
    {"a gRPC probe that is not answered",
        SAYS("Readiness probe failed: timeout: failed to connect service \"10.0.0.7:9090\" within "
             "1s: context deadline exceeded"),
        "timeout: failed to connect service \"10.0.0.7:9090\" within 1s: context deadline "
        "exceeded"},
    {"a startup probe", SAYS("Startup probe failed: not yet"), "not yet"},
    {"many different outputs, combined by the kubelet",
        SAYS("(combined from similar events): Readiness probe failed: at 7"),
        "at 7"},
    {"the newest of several, whatever their order",
        EVENT("12:29:50", "Readiness probe failed: 1") ", " EVENT("12:29:58",
            "Readiness probe failed: 3") ", " EVENT("12:29:55", "Readiness probe failed: 2"),
        "3"},
    {"an Event of the series kind",
        "{eventTime: '2026-11-15T11:00:00.000000Z', series: {count: 3, lastObservedTime:"
        " '2026-11-15T12:29:58.123456Z'}, reportingComponent: 'kubelet', involvedObject:"
        " {fieldPath: 'spec.containers{seid}'}, message: 'Readiness probe failed: x'}",
        "x"},
    {"characters that are not printable",
        SAYS("Readiness probe failed: a\\u0007\\u001b[31mb \\u202e\\u00e4"),
        "a [31mb ??"},
    {"an earlier time in which the pod was not Ready",
        EVENT("12:10:00", "Readiness probe failed: connection refused"),
        NULL},
    {"another container",
        EVENT_OF("spec.containers{cosmos-exporter}", "12:29:58", "Readiness probe failed: x"),
        NULL},
    {"a liveness probe", SAYS("Liveness probe failed: x"), NULL},
    {"words of another kind", SAYS("Readiness probe is fine"), NULL},
    {"an Event of another component",
        "{lastTimestamp: '2026-11-15T12:29:58Z', reportingComponent: 'prankster', involvedObject:"
        " {fieldPath: 'spec.containers{seid}'}, message: 'Readiness probe failed: x'}",
        NULL},
    {"an Event without anything", "{}", NULL},
};

static const char *output_of(Arena *a, const char *container, const char *events)
{
    return probe_output_find(
        a, json_fixture(a, pod_text), container, json_fixture(a, str_format(a, "[%s]", events)));
}

TEST(the_output_of_a_failing_probe_is_read_from_the_newest_event_of_its_container)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);

        then_str(output_of(a, "seid", cases[i].events), cases[i].want);
    }
}

/* It was restarted after the other failures. */
TEST(an_event_of_a_previous_run_of_the_container_gives_no_probe_output)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *part = "spec.initContainers{sei-sidecar}";
    const char *old =
        str_format(a, EVENT_OF("%s", "12:28:59", "Readiness probe failed: old"), part);
    const char *now =
        str_format(a, EVENT_OF("%s", "12:29:00", "Readiness probe failed: now"), part);

    then_str(output_of(a, "sei-sidecar", old), NULL);
    then_str(output_of(a, "sei-sidecar", str_format(a, "%s, %s", now, old)), "now");
}

TEST(a_huge_probe_output_is_cut_to_its_maximum)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char huge[9000];

    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    const char *events = str_format(a, SAYS("Readiness probe failed: %s"), huge);
    const char *output = output_of(a, "seid", events);

    then_int((int64_t)strlen(output), PROBE_OUTPUT_MAX);
    then_true(str_has_suffix(output, "x\xe2\x80\xa6"));
}
