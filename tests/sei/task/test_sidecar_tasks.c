/* The tasks of sidecars: whom they ask, what for, and what the answers mean. */
#include "sei/sidecar/task_versions.h"
#include "tests/sei/pods.h"

static const struct {
    const char *name;
    SidecarNews news;
    bool handed_over;
    const char *reason;
    Want want;
} answers[] = {
    {"no answer yet", {SIDECAR_ASKED}, .want = WAIT("of SeiNode rpc-0 has not answered yet")},
    {"at work", {SIDECAR_RUNNING, .submitted = true}, true, .want = WAIT("at work")},
    {"done", {SIDECAR_COMPLETED, .submitted = true}, true},
    {"failed with a word", {SIDECAR_FAILED, true, "disk full"}, true, .want = FAILED("disk full")},
    {"failed without one",
        {SIDECAR_FAILED, true, ""},
        true,
        .want = FAILED("task 0728b42e-aa1b-51ac-aa2a-31e88ac6b3dc failed with unknown error")},
    {"refused", {SIDECAR_REFUSED, false, "bad key"}, .want = TERMINAL("bad key")},
    {"not there",
        {SIDECAR_UNREACHABLE, false, "connection refused"},
        .reason = "SidecarNotReady",
        .want = WAIT("connection refused")},
    {"not there in mid-task",
        {SIDECAR_UNREACHABLE, true, "timeout"},
        true,
        .reason = "SidecarNotReady",
        .want = WAIT("timeout")},
    {"a token that is not accepted",
        {SIDECAR_UNAUTHORIZED, false, "401"},
        .reason = "SidecarNotReady",
        .want = WAIT("does not accept our token (may the pod's account review tokens?")},
};

static void given_task(TaskWorld *w)
{
    given_statefulset(w);
    given_pod(w, new_pod(w));
    w->run.task->params = json_fixture(w->arena, "{mode: 'full'}");
}

TEST(each_answer_of_the_sidecar_continues_or_ends_or_fails_its_task)
{
    each_case(i, answers) {
        SCOPED_WORLD w = world_of(NULL);
        given_task(w);
        sidecar_says(w, TASK_CONFIG_APPLY, answers[i].news);

        Err *err = when_task_runs(w, TASK_CONFIG_APPLY);

        then_err(err, answers[i].want);
        then_str(err ? err->reason : NULL, answers[i].reason);
        then_true(w->run.handed_over == answers[i].handed_over);
    }
}

TEST(a_sidecar_task_is_sent_to_the_live_pod_with_its_id_and_attempt)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    w->run.task->submitted_at = "2026-01-01T00:00:00Z";
    w->run.task->retry_count = 2;

    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT(""));

    const SidecarTarget *target = &w->sidecar.target;
    const SidecarJob *job = &w->sidecar.job;
    then_str(target->pod_uid, meta_uid(stored(w, kind_pod, "rpc-0-0")));
    then_str(target->pod_ip, "10.0.0.7");
    then_str(target->host, "rpc-0-0.rpc-0.sei.svc.cluster.local:8443");
    then_true(!str_empty(target->bearer));
    then_str(job->id, "0728b42e-aa1b-51ac-aa2a-31e88ac6b3dc");
    then_str(job->type, "config-apply");
    then_json(job->params, "{mode: 'full', incremental: false, targetVersion: 0}");
    then_true(job->submitted && !job->submit_and_go);
    then_int(job->attempt, 2);
}

TEST(a_sidecar_that_lacks_a_task_is_reported_with_the_versions_that_have_it)
{
    SCOPED_WORLD w = world_of(NULL);
    given_statefulset(w);
    given_pod(w,
        "{status: {initContainerStatuses: [{name: 'sei-sidecar', image: 'seictl:v0.0.68',"
        " imageID: 'x', ready: true, restartCount: 0}]}}");
    w->run.task->params = json_fixture(w->arena, "{mode: 'full'}");
    sidecar_says(w,
        TASK_CONFIG_APPLY,
        (SidecarNews){SIDECAR_REFUSED, .message = "unknown task type: config-apply"});

    then_err(when_task_runs(w, TASK_CONFIG_APPLY),
        TERMINAL("sidecar image seictl:v0.0.68 does not have the task config-apply: set "
                 "spec.sidecar.image to a version that has it (v0.0.50 and later)"));
}

TEST(the_versions_that_have_a_task_include_only_those_before_it_was_removed)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(task_versions_text(a, "discover-peers"), "v0.0.50 to v0.0.56");
}

TEST(a_sidecar_task_that_runs_for_too_long_is_reported)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    sidecar_says(w, TASK_CONFIG_APPLY, (SidecarNews){SIDECAR_RUNNING, .submitted = true});
    w->run.task->submitted_at = "2025-12-31T23:50:00Z";
    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT("at work in the sidecar of SeiNode rpc-0"));
    then_int(w->run.look_again_ms, 5 * 60000);

    w->run.task->submitted_at = "2025-12-31T23:45:00Z";
    Err *err = when_task_runs(w, TASK_CONFIG_APPLY);
    then_err(err, WAIT("has been at work since 2025-12-31T23:45:00Z, which is longer than 15 min"));
    then_str(err->reason, "TaskOverdue");
}

TEST(a_snapshot_upload_is_submitted_and_its_end_is_not_awaited)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);

    then_err(when_task_runs(w, TASK_SNAPSHOT_UPLOAD), WAIT(""));

    then_str(w->sidecar.job.type, "snapshot-upload");
    then_true(w->sidecar.job.submit_and_go);
    then_json(w->sidecar.job.params, NULL);
}

static const struct {
    const char *name, *pod;
    bool dying;
    Want want;
} pods[] = {
    {"no pod", ABSENT, .want = WAIT("has not been made")},
    {"a pod on its way out",
        "{metadata: {finalizers: ['t.io/x']}}",
        .dying = true,
        .want = WAIT("still terminating")},
    {"a foreign pod of that name",
        "{metadata: {ownerReferences: null}}",
        .want = WAIT("not of this node's StatefulSet")},
    {"a pod without an address", "{status: {podIP: null}}", .want = WAIT("no address yet")},
    {"a pod that cannot be scheduled",
        "{status: {podIP: null, containerStatuses: null, phase: 'Pending', conditions: ["
        " {type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room'}]}}",
        .want = WAIT("no room")},
};

TEST(no_sidecar_is_called_while_the_node_has_no_usable_pod)
{
    each_case(i, pods) {
        SCOPED_WORLD w = world_of(NULL);
        given_statefulset(w);
        given_pod(w, pods[i].pod);
        if (pods[i].dying)
            deleted(w, kind_pod, "rpc-0-0");

        then_err(when_task_runs(w, TASK_MARK_READY), pods[i].want);

        then_int(w->sidecar.asked, 0);
    }
}

TEST(the_pod_of_a_foreign_statefulset_is_not_called)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    changed(w, kind_statefulset, "rpc-0", NULL, "{metadata: {ownerReferences: null}}");

    then_err(when_task_runs(w, TASK_MARK_READY), WAIT("not of this node's StatefulSet"));

    then_int(w->sidecar.asked, 0);
}

static void ready_to_mark(TaskWorld *w)
{
    given_task(w);
    sidecar_says(w, TASK_MARK_READY, (SidecarNews){SIDECAR_COMPLETED, .submitted = true});
}

TEST(each_api_call_of_a_sidecar_task_may_fail_and_the_retry_completes_it)
{
    each_fault(ready_to_mark, TASK_MARK_READY)
        ;
}

TEST(task_parameters_that_no_sidecar_accepts_are_not_submitted)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    w->run.task->params = json_fixture(w->arena, "{mode: 'light'}");

    then_err(when_task_runs(w, TASK_CONFIG_APPLY), TERMINAL("mode is light"));

    then_int(w->sidecar.asked, 0);
}

TEST(a_refused_token_is_renewed_and_used_at_once)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT("has not answered"));
    clock_manual_advance_ms(&w->clock, CREDENTIALS_YOUNG_MS);
    sidecar_says(w, TASK_CONFIG_APPLY, (SidecarNews){SIDECAR_UNAUTHORIZED});

    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT("does not accept"));

    then_int(w->sidecar.asked, 3);
    then_str(w->said, "create serviceaccounts/token sei-operator-sidecar");
}

TEST(a_refused_token_is_not_renewed_before_its_minimum_age)
{
    SCOPED_WORLD w = world_of(NULL);
    given_task(w);
    sidecar_says(w, TASK_CONFIG_APPLY, (SidecarNews){SIDECAR_UNAUTHORIZED});

    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT("does not accept"));
    then_str(w->said, "create serviceaccounts/token sei-operator-sidecar");
    then_err(when_task_runs(w, TASK_CONFIG_APPLY), WAIT("does not accept"));
    then_str(w->said, NULL);
    then_int(w->run.look_again_ms, CREDENTIALS_YOUNG_MS);
}

static const struct {
    const char *name, *pod, *audiences;
} audiences[] = {
    {"our own proxy", NULL, "['sei-sidecar.sei']"},
    {"the proxy of another operator", "{metadata: {annotations: null}}", NULL},
};

TEST(a_sidecar_token_is_requested_for_the_audience_that_the_proxy_accepts)
{
    each_case(i, audiences) {
        SCOPED_WORLD w = world_of(NULL);
        given_statefulset(w);
        given_pod(w, audiences[i].pod);

        then_err(when_task_runs(w, TASK_MARK_READY), WAIT("has not answered"));

        then_json(json_find(w->sent, ".spec.audiences"), audiences[i].audiences);
    }
}
