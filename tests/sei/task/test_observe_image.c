/* observe-image: what has started is recorded, and what does not start is told. */
#include "tests/sei/pods.h"

#define OLD_HASH "metadata: {annotations: {'sei.io/template-hash': 'old'}}"
#define SEID(state)                                                                                \
    "{status: {containerStatuses: [{name: 'seid', image: 'x', imageID: 'x', ready: false,"         \
    " restartCount: 0, " state "}]}}"

/* The pod of the new template, settled; and what differs. */
static const struct {
    const char *name, *pod, *status, *said;
    int replicas;
    bool dying;
    Want want;
} cases[] = {
    {"a pod that runs seid is observed"},
    {"a halted seid counts", SEID("containerID: 'c://1', state: {terminated: {exitCode: 2}}")},
    {"a seid between two starts counts",
        SEID("containerID: 'c://1', state: {waiting: {reason: 'CrashLoopBackOff'}},"
             " lastState: {terminated: {exitCode: 1}}")},
    {"a pod that is not made yet", ABSENT, .want = WAIT("has not been made by the StatefulSet")},
    {"an old pod that is still there",
        "{metadata: {finalizers: ['t.io/x']}}",
        .dying = true,
        .want = WAIT("still terminating")},
    {"a seid that has not started",
        SEID("state: {waiting: {reason: 'ContainerCreating'}}"),
        .want = WAIT("has not started")},
    {"an image that cannot be pulled is reported",
        SEID("state: {waiting: {reason: 'ImagePullBackOff', message: 'no such tag'}}"),
        .want = WAIT("no such tag")},
    {"a pod of an old template is replaced once more",
        "{" OLD_HASH "}",
        .said = "get persistentvolumeclaims data-rpc-0, delete pods rpc-0-0",
        .want = WAIT("old template")},
    {"template not observed",
        .status = "{status: {observedGeneration: 0}}",
        .want = WAIT("not seen")},
};

TEST(the_image_of_a_new_pod_is_recorded_when_its_seid_has_started)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_statefulset(w);
        const Json *patch = cases[i].pod && !str_eq(cases[i].pod, ABSENT)
            ? json_merge(w->arena,
                  json_fixture(w->arena, new_pod(w)),
                  json_fixture(w->arena, cases[i].pod))
            : json_fixture(w->arena, new_pod(w));
        given_pod(w, str_eq(cases[i].pod, ABSENT) ? ABSENT : json_write(w->arena, patch).data);
        if (cases[i].dying)
            deleted(w, kind_pod, "rpc-0-0");
        if (cases[i].status)
            changed(w, kind_statefulset, "rpc-0", "status", cases[i].status);

        then_err(when_task_runs(w, TASK_OBSERVE_IMAGE), cases[i].want);

        then_str(w->said, cases[i].said);
        then_str(w->status.pod_template_hash, cases[i].want ? NULL : w->wanted.template_hash);
        then_str(w->status.current_image, cases[i].want ? NULL : "ghcr.io/example/seid:v6.4.1");
        then_true(!w->status.spec_hash == (cases[i].want != OKAY));
    }
}

TEST(a_problem_of_the_new_pod_is_reported_at_once)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, new_pod(w));
    changed(w,
        kind_pod,
        "rpc-0-0",
        "status",
        SEID("state: {waiting: {reason: 'ErrImagePull', message: 'no'}}"));

    Err *err = when_task_runs(w, TASK_OBSERVE_IMAGE);

    then_str(err->reason, "PodNotReady");
}

TEST(a_pod_made_from_the_applied_template_records_its_own_image)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w, NULL);
    w->status.plan.applied_hash = "old"; /* and the settings have moved since */

    then_ok(when_task_runs(w, TASK_OBSERVE_IMAGE));

    then_str(w->status.current_image, "mirror/seid:v6");
    then_str(w->status.pod_template_hash, "old");
}

TEST(the_image_of_a_pod_of_the_go_operator_is_recorded_without_a_template_hash)
{
    SCOPED_WORLD w = world_of("{status: {podTemplateHash: 'before'}}");
    given_statefulset(w);
    given_pod(
        w, "{metadata: {annotations: null, labels: {'controller-revision-hash': 'rpc-0-new'}}}");

    then_ok(when_task_runs(w, TASK_OBSERVE_IMAGE));

    then_str(w->status.current_image, "mirror/seid:v6");
    then_str(w->status.pod_template_hash, "before");
}

TEST(a_requested_restart_is_recorded_with_the_new_pod)
{
    SCOPED_WORLD w = world_of("{metadata: {annotations:"
                              " {'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z'}}}");
    given_statefulset(w);
    given_pod(w, new_pod(w));

    then_ok(when_task_runs(w, TASK_OBSERVE_IMAGE));

    then_str(w->status.restarted_at, "2026-01-01T00:00:00Z");
}

TEST(observing_the_image_waits_for_a_statefulset_that_is_scaled_to_0)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    changed(w, kind_statefulset, "rpc-0", NULL, "{spec: {replicas: 0}}");
    changed(w, kind_statefulset, "rpc-0", "status", "{status: {observedGeneration: 2}}");

    then_err(when_task_runs(w, TASK_OBSERVE_IMAGE), WAIT("scaled to 0"));
}

static void observable(TaskWorld *w)
{
    given_statefulset(w);
    given_pod(w, new_pod(w));
}

TEST(each_api_call_of_observing_the_image_may_fail_and_the_retry_completes_it)
{
    each_fault(observable, TASK_OBSERVE_IMAGE)
        ;
}

TEST(observing_the_image_waits_for_a_missing_statefulset)
{
    SCOPED_WORLD w = world_of(NULL);

    then_err(when_task_runs(w, TASK_OBSERVE_IMAGE), WAIT("does not exist"));
}
