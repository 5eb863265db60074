/* Why a pod is not Ready: one row per cause that people meet. */
#include "sei/api/pod_trouble.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/kinds.h"
#include "tests/test.h"

#include <string.h>

#define COND(type, status, rest) "{type: '" type "', status: '" status "', " rest "}"
#define UNREADY                                                                                    \
    COND("Ready", "False", "reason: 'ContainersNotReady', message: 'of [seid]'")                   \
    ", " COND("ContainersReady", "False", "")
#define SEID(state) "containerStatuses: [{name: 'seid', image: 'seid:v9', " state "}]"
#define POD(rest)                                                                                  \
    "{metadata: {name: 'rpc-0-0', creationTimestamp: '2026-11-15T11:00:00Z'},"                     \
    " spec: {nodeName: 'worker-3'}, status: {phase: 'Running', podIP: '10.0.0.7', conditions: "    \
    "[" UNREADY "], " rest "}}"

static const struct {
    const char *name, *pod, *text, *advice;
    PodCause cause;
} cases[] = {
    {"no machine takes it",
        "{metadata: {name: 'p'}, status: {phase: 'Pending', conditions: [" COND("PodScheduled",
            "False",
            "reason: 'Unschedulable', message: '0/3 nodes are available: 3 Insufficient cpu.'") "]}"
                                                                                                "}",
        "the pod cannot be scheduled: Unschedulable: Insufficient cpu",
        "make room",
        POD_CAUSE_UNSCHEDULABLE},
    {"its volume cannot be attached or mounted",
        "{metadata: {name: 'p'}, spec: {nodeName: 'worker-3'}, status: {phase: 'Pending', "
        "conditions: [" UNREADY "], " SEID("state: {waiting: {reason: 'PodInitializing'}}") "}}",
        "the pod waits for its volumes or network on machine worker-3",
        "kubectl describe pod p shows what cannot be attached or mounted",
        POD_CAUSE_VOLUMES},
    {"the registry does not know the image",
        POD(SEID("state: {waiting: {reason: 'ErrImagePull', message: 'rpc error: code = NotFound "
                 "desc = seid:v9: not found'}}")),
        "cannot pull image seid:v9 of container seid: ErrImagePull: rpc error: code = NotFound "
        "desc = seid:v9: not found",
        "correct spec.image",
        POD_CAUSE_IMAGE},
    {"the kubelet backs off from the same image",
        POD(SEID("state: {waiting: {reason: 'ImagePullBackOff', message: 'Back-off pulling image "
                 "\"seid:v9\": ErrImagePull: rpc error: code = NotFound desc = seid:v9: not "
                 "found'}}")),
        "cannot pull image seid:v9 of container seid: ErrImagePull: rpc error: code = NotFound "
        "desc = seid:v9: not found",
        "correct spec.image",
        POD_CAUSE_IMAGE},
    {"a Secret is missing",
        POD(SEID("state: {waiting: {reason: 'CreateContainerConfigError', message: 'secret \"key\" "
                 "not found'}}")),
        "container seid cannot be started: CreateContainerConfigError: secret \"key\" not found",
        "create or correct the Secret or ConfigMap",
        POD_CAUSE_CONFIG},
    {"its command does not exist",
        POD(SEID("state: {waiting: {reason: 'RunContainerError', message: 'exec: \"seid\": not "
                 "found'}}")),
        "container seid cannot be started: RunContainerError: exec: \"seid\": not found",
        NULL,
        POD_CAUSE_BLOCKED},
    {"seid crashes",
        POD(SEID("restartCount: 7, state: {waiting: {reason: 'CrashLoopBackOff'}}, lastState: "
                 "{terminated: {exitCode: 1, reason: 'Error', message: 'panic: no genesis'}}")),
        "container seid is crash-looping: exit code 1: panic: no genesis (5+ restarts)",
        "kubectl logs rpc-0-0 -c seid --previous",
        POD_CAUSE_CRASH},
    {"seid has too little memory",
        POD(SEID("restartCount: 1, ready: false, state: {running: {}}, lastState: {terminated: "
                 "{exitCode: 137, reason: 'OOMKilled'}}")),
        "container seid is crash-looping: exit code 137, OOMKilled (1 restart)",
        "give container seid more memory",
        POD_CAUSE_CRASH},
    {"an init container fails",
        POD("initContainerStatuses: [{name: 'seid-init', restartCount: 0, state: {terminated: "
            "{exitCode: 2, reason: 'Error'}}}], " SEID("state: {waiting: {reason: "
                                                       "'PodInitializing'}}")),
        "container seid-init has ended: exit code 2",
        "kubectl logs rpc-0-0 -c seid-init --previous",
        POD_CAUSE_CRASH},
    {"the sidecar does not let seid start",
        POD(SEID("ready: false, started: false, state: {running: {}}")),
        "container seid waits until the sidecar lets it start",
        NULL,
        POD_CAUSE_GATE},
    {"the readiness probe of seid fails",
        POD("initContainerStatuses: [{name: 'sei-sidecar', ready: false, state: {running: {}}}], "
            "containerStatuses: [{name: 'cosmos-exporter', ready: false, state: {running: {}}},"
            " {name: 'seid', ready: false, started: true, state: {running: {}}}]"),
        "container seid runs, and its readiness probe fails",
        "kubectl describe pod rpc-0-0 shows what the probe got, kubectl logs rpc-0-0 -c seid why",
        POD_CAUSE_PROBE},
    {"the readiness probe of a helper fails",
        POD("containerStatuses: [{name: 'cosmos-exporter', ready: false, state: {running: {}}},"
            " {name: 'seid', ready: true, started: true, state: {running: {}}}]"),
        "container seid is Ready, these are not: cosmos-exporter",
        "kubectl logs rpc-0-0 -c cosmos-exporter",
        POD_CAUSE_PROBE},
    {"its machine is lost",
        "{metadata: {name: 'p'}, spec: {nodeName: 'worker-3'}, status: {phase: 'Running', podIP: "
        "'10.0.0.7', conditions: [" COND("Ready", "False", "") ", " COND(
            "ContainersReady", "True", "") "], " SEID("ready: true, state: {running: {}}") "}}",
        "machine worker-3 does not report",
        "repair machine worker-3",
        POD_CAUSE_MACHINE_LOST},
    {"its machine was lost, and it is to go",
        "{metadata: {name: 'p', deletionTimestamp: '2026-11-15T12:00:00Z'}, spec: {nodeName: "
        "'worker-3'}, status: {phase: 'Running', reason: 'NodeLost'}}",
        "machine worker-3 does not report",
        "repair machine worker-3",
        POD_CAUSE_MACHINE_LOST},
    {"the kubelet has evicted it",
        "{metadata: {name: 'p'}, status: {phase: 'Failed', reason: 'Evicted', message: 'The node "
        "was low on resource: memory.'}}",
        "the pod has failed: Evicted: The node was low on resource: memory.",
        NULL,
        POD_CAUSE_FAILED},
    {"a pod of a higher priority takes its place",
        "{metadata: {name: 'p', deletionTimestamp: '2026-11-15T12:00:00Z'}, status: {conditions: "
        "[" UNREADY ", " COND("DisruptionTarget", "True",
            "reason: 'PreemptionByScheduler', message: 'preempting to accommodate a higher "
            "priority pod'") "]}}",
        "the pod is being evicted: PreemptionByScheduler: preempting to accommodate a higher "
        "priority pod",
        NULL,
        POD_CAUSE_EVICTED},
    {"it is terminating",
        "{metadata: {name: 'p', deletionTimestamp: '2026-11-15T12:00:00Z'}}",
        "the pod is terminating",
        NULL,
        POD_CAUSE_TERMINATING},
    {"a readiness gate is closed",
        "{metadata: {name: 'p'}, status: {podIP: '10.0.0.7', conditions: [" COND("Ready", "False",
            "reason: 'ReadinessGatesNotReady', message: 'gate x'") ", " COND("ContainersReady",
            "True", "") "], " SEID("ready: true, state: {running: {}}") "}}",
        "the pod is not Ready: ReadinessGatesNotReady: gate x",
        NULL,
        POD_CAUSE_UNKNOWN},
    {"nothing",
        "{metadata: {name: 'p'}, status: {conditions: [" COND("Ready", "True", "") "]}}",
        NULL,
        NULL,
        POD_CAUSE_NONE},
};

/* Of what a cache keeps of a pod, too. */
TEST(the_cause_and_the_remedy_of_a_pod_that_is_not_ready_are_reported)
{
    each_case(i, cases) {
        for (int cached = 0; cached < 2; cached++) {
            SCOPED_ARENA a = arena_open(1 << 20);
            const Json *pod = json_fixture(a, cases[i].pod);
            if (cached)
                pod = json_merge(a,
                    json_project(a, pod, cached_pod->projection),
                    json_seal(a, draft(a, draft_json("metadata", json_find(pod, ".metadata")))));
            PodTrouble trouble = pod_trouble_find(a, pod);
            then_int(trouble.cause, cases[i].cause);
            then_str(trouble.text, cases[i].text);
            if (!cases[i].advice)
                then_str(trouble.advice, NULL);
            else
                then_true(trouble.advice && strstr(trouble.advice, cases[i].advice));
        }
    }
}

static const struct {
    const char *name, *message, *text;
} unscheduled[] = {
    {"causes, numbers and preemption",
        "0/57 nodes are available: 12 Insufficient memory, 3 node(s) had untolerated taint {a: b}, "
        "42 Insufficient cpu. preemption: 0/57 nodes are available: 15 No preemption victims found "
        "for incoming pod, 42 Preemption is not helpful for scheduling.",
        "Unschedulable: Insufficient cpu, Insufficient memory, node(s) had untolerated taint {a: "
        "b}"},
    {"the same with other numbers, which sorts them otherwise",
        "0/60 nodes are available: 1 node(s) had untolerated taint {a: b}, 29 Insufficient cpu, 30 "
        "Insufficient memory.",
        "Unschedulable: Insufficient cpu, Insufficient memory, node(s) had untolerated taint {a: "
        "b}"},
    {"a cause twice",
        "0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient cpu.",
        "Unschedulable: Insufficient cpu"},
    {"a cause without a number",
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: "
        "0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
        "Unschedulable: pod has unbound immediate PersistentVolumeClaims"},
    {"a comma in a cause",
        "0/3 nodes are available: 3 volume a, b and c conflict.",
        "Unschedulable: volume a, b and c conflict"},
    {"no causes", "0/3 nodes are available: .", "Unschedulable"},
    {"other words",
        "running PreBind plugin: binding volumes: timed out",
        "Unschedulable: running PreBind plugin: binding volumes: timed out"},
};

TEST(the_text_for_an_unschedulable_pod_changes_only_with_its_causes)
{
    each_case(i, unscheduled) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *want = str_format(a, "the pod cannot be scheduled: %s", unscheduled[i].text);
        const Json *pod = json_fixture(a,
            str_format(a,
                "{metadata: {name: 'p'}, status: {conditions: [{type: 'PodScheduled', status: "
                "'False', reason: 'Unschedulable', message: '%s'}]}}",
                unscheduled[i].message));

        then_str(pod_trouble_find(a, pod).text, want);
    }
}

TEST(a_container_that_ended_several_times_in_a_row_is_in_a_crash_loop)
{
    for (int restarts = 0; restarts < 5; restarts++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *pod = json_fixture(a,
            str_format(a,
                POD(SEID("restartCount: %d, state: {waiting: {reason: 'CrashLoopBackOff'}},"
                         " lastState: {terminated: {exitCode: 1}}")),
                restarts));
        then_int(pod_trouble_find(a, pod).is_crash_loop, restarts >= 3);
    }
}

TEST(a_container_that_ran_for_minutes_before_it_ended_is_not_in_a_crash_loop)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *pod = json_fixture(a,
        POD(SEID("restartCount: 30, state: {waiting: {reason: 'CrashLoopBackOff'}}, lastState: "
                 "{terminated: {exitCode: 1, startedAt: '2026-11-15T11:00:00Z', finishedAt: "
                 "'2026-11-15T11:10:00Z'}}")));

    then_true(!pod_trouble_find(a, pod).is_crash_loop);
}

TEST(the_text_of_a_crash_loop_changes_only_ten_times_in_a_thousand_restarts)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *before = NULL;
    int changes = 0;

    for (int restarts = 1; restarts <= 1000; restarts++) {
        const Json *pod = json_fixture(a,
            str_format(a,
                POD(SEID("restartCount: %d, state: {waiting: {reason: 'CrashLoopBackOff'}},"
                         " lastState: {terminated: {exitCode: 1}}")),
                restarts));
        const char *text = pod_trouble(a, pod);
        changes += !str_eq(before, text);
        before = text;
    }
    then_int(changes, 10);
}

TEST(a_pod_problem_began_at_the_newest_timestamp_in_its_status)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *made = json_fixture(a, POD("x: 1"));
    const Json *turned = json_merge(a,
        made,
        json_fixture(a,
            "{status: {conditions: [{type: 'Ready', status: 'False', lastTransitionTime: "
            "'2026-11-15T11:30:00Z'}]}}"));

    then_int(pod_trouble_since_ms(turned) - pod_trouble_since_ms(made), 30 * 60 * 1000);
    then_int(pod_trouble_since_ms(NULL), 0);
}
