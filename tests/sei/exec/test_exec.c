/* The executor: tasks one after another, budgets, back-offs, and how plans end. */
#include "sei/exec/exec.h"
#include "tests/sei/pods.h"

#define NOW     "2026-01-01T00:00:00Z"
#define LATER   "2026-01-01T00:00:10Z"
#define PLAN_ID "11111111-2222-4333-8444-555555555555"

/* A plan of these types, ended by TASK_UNKNOWN, on a node that has its pod. */
static void given_plan(TaskWorld *w, PlanKind kind, const TaskType *types)
{
    Plan *plan = &w->status.plan;

    given_statefulset(w);
    w->run.pod = given_pod(w, new_pod(w));
    *plan = (Plan){.id = PLAN_ID,
        .kind = kind,
        .failed_index = -1,
        .started_at = NOW,
        .target_phase = "Running",
        .failed_phase = kind == PLAN_INIT ? "Failed" : NULL};
    w->status.has_plan = true;
    for (; *types != TASK_UNKNOWN; types++)
        plan_add_task(w->arena, plan, *types, NULL);
    w->said = NULL;
}

#define given_tasks(w, kind, ...)                                                                  \
    given_plan((w), (kind), (const TaskType[]){__VA_ARGS__, TASK_UNKNOWN})

static ExecResult when_executed(TaskWorld *w, const char *now, Want want)
{
    ExecResult result;

    w->said = NULL;
    w->calls = 0;
    then_err(exec_plan(&w->ctx, &w->run, now, &result), want);
    return result;
}

static const PlannedTask *task(const TaskWorld *w, size_t i)
{
    return &w->status.plan.tasks[i];
}

/* The pod on its way out is gone, and the StatefulSet has made the next. */
static void given_next_pod(TaskWorld *w)
{
    Request force = {
        .verb = VERB_DELETE, .kind = kind_pod, .key = {"sei", "rpc-0-0"}, .has_grace = true};
    Answer answer;

    world_ask(w, force, &answer);
    w->run.pod = given_pod(w, new_pod(w));
}

/* --- moving --- */

TEST(tasks_run_one_after_another_until_one_must_wait)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE, TASK_CONFIGURE_GENESIS, TASK_MARK_READY);

    ExecResult r = when_executed(w, NOW, OKAY);

    then_int(task(w, 0)->status, TASK_COMPLETE);
    then_int(task(w, 1)->status, TASK_PENDING);
    then_str(r.waiting, "configure-genesis: the sidecar of SeiNode rpc-0 has not answered yet");
    then_true(!r.waiting_is_error && !r.must_store && !r.ended);
    then_str(task(w, 1)->submitted_at, NULL);
    then_int(w->sidecar.asked, 1); /* mark-ready is not even asked for */
}

TEST(the_submission_time_of_a_task_is_recorded_once_and_stored)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_CONFIGURE_GENESIS);
    sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_RUNNING, .submitted = true});

    then_true(when_executed(w, NOW, OKAY).must_store);
    then_str(task(w, 0)->submitted_at, NOW);

    then_true(!when_executed(w, LATER, OKAY).must_store);
    then_str(task(w, 0)->submitted_at, NOW);
    then_true(w->sidecar.job.submitted);
}

TEST(an_unreachable_sidecar_is_awaited_and_the_wait_reports_its_reason)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_MARK_READY);
    sidecar_says(w, TASK_MARK_READY, (SidecarNews){SIDECAR_UNREACHABLE, .message = "refused"});

    ExecResult r = when_executed(w, NOW, OKAY);

    then_int(task(w, 0)->status, TASK_PENDING);
    then_true(!r.waiting_is_error && !r.must_store);
    then_str(r.reason, "SidecarNotReady");
    then_str(r.waiting, "mark-ready: the sidecar of SeiNode rpc-0 does not answer: refused");
}

TEST(an_error_of_the_api_server_is_returned_and_reported)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    w->fault_at = 2;
    w->fault = FAULT_BEFORE;

    ExecResult r = when_executed(w, NOW, RETRY("no answer"));

    then_true(r.waiting_is_error && strstr(r.waiting, "no answer"));
    then_int(task(w, 0)->status, TASK_PENDING);
    then_int(w->status.plan.phase, PLAN_ACTIVE);
}

TEST(a_lost_write_conflict_reports_no_condition_reason)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    given(w,
        kind_service,
        "{metadata: {name: 'rpc-0', namespace: 'sei', labels: {'sei.io/node': 'rpc-0'}},"
        " spec: {selector: {'sei.io/node': 'rpc-0'}, ports: [{port: 1}]}}",
        NULL);
    w->refusal.verb = VERB_APPLY;
    w->refusal.status = 409;
    w->refusal.message = "modified";

    ExecResult r = when_executed(w, NOW, RETRY("modified"));

    then_str(r.reason, NULL);
    then_true(r.waiting && !r.waiting_is_error);
}

TEST(a_task_that_meets_a_foreign_object_is_requeued)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    given(w,
        kind_service,
        "{metadata: {name: 'rpc-0', namespace: 'sei'}, spec: {ports: [{port: 1}]}}",
        NULL);

    ExecResult r = when_executed(w, NOW, OKAY);

    then_str(r.reason, "ForeignObject");
    then_int(r.again_after_ms, 30000);
    then_int(w->status.plan.phase, PLAN_ACTIVE);
    then_true(r.waiting_is_error);
}

TEST(a_wait_that_no_watch_event_ends_is_requeued)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    given_tasks(w, PLAN_INIT, TASK_ENSURE_DATA_PVC);

    then_int(when_executed(w, NOW, OKAY).again_after_ms, 5000);
}

TEST(a_completed_task_leaves_no_requeue_to_the_next_task)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_ENSURE_DATA_PVC, TASK_CONFIGURE_GENESIS);

    then_int(when_executed(w, NOW, OKAY).again_after_ms, 0);

    then_int(task(w, 0)->status, TASK_COMPLETE);
}

TEST(a_task_type_that_this_operator_does_not_know_is_not_run)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    w->status.plan.tasks[0].type = TASK_UNKNOWN;
    w->status.plan.tasks[0].spelling = "do-a-dance";

    ExecResult r = when_executed(w, NOW, OKAY);

    then_str(r.waiting, "do-a-dance: a task that this operator does not know");
    then_true(r.waiting_is_error);
    then_str(w->said, NULL);
}

/* --- failing --- */

TEST(a_task_of_a_superseded_plan_is_only_awaited_whatever_its_result)
{
    static const SidecarState ends[] = {SIDECAR_COMPLETED, SIDECAR_FAILED, SIDECAR_REFUSED};

    for (size_t i = 0; i < array_count(ends); i++) {
        SCOPED_WORLD w = world_of(NULL);
        given_tasks(w, PLAN_INIT, TASK_CONFIGURE_GENESIS, TASK_APPLY_SERVICE);
        w->status.plan.tasks[0].superseded = true;
        w->status.plan.tasks[0].submitted_at = NOW;
        sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_RUNNING, .submitted = true});
        when_executed(w, NOW, OKAY);
        then_int(task(w, 0)->status, TASK_PENDING);
        then_true(w->sidecar.job.only_awaited);

        sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){ends[i], .submitted = true});
        when_executed(w, LATER, OKAY);

        then_int(task(w, 0)->status, TASK_COMPLETE);
        then_int(task(w, 0)->retry_count, 0);
        then_int(task(w, 0)->error != NULL, ends[i] != SIDECAR_COMPLETED);
        then_int(task(w, 1)->status, TASK_PENDING); /* the planner judges the end first */

        when_executed(w, LATER, OKAY);

        then_int(w->status.plan.phase, PLAN_COMPLETE);
    }
}

TEST(a_failed_task_with_retries_left_is_counted_and_retried_after_a_backoff)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_CONFIGURE_GENESIS);
    w->status.plan.tasks[0].submitted_at = "2025-12-31T23:00:00Z";
    const char *id = task(w, 0)->id;
    sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_FAILED, true, "no bucket"});

    ExecResult r = when_executed(w, NOW, OKAY);
    then_int(task(w, 0)->retry_count, 1);
    then_int(task(w, 0)->status, TASK_PENDING);
    then_str(task(w, 0)->id, id);
    then_true(r.must_store && r.waiting_is_error && !r.ended);
    then_str(r.waiting,
        "configure-genesis: no bucket (failing since " NOW
        "; it is retried at least until 2026-01-01T01:29:30Z)");
    then_int(r.again_after_ms, 10000);
    then_int(w->sidecar.asked, 1);

    r = when_executed(w, "2026-01-01T00:00:04Z", OKAY); /* woken too early, or restarted */
    then_int(r.again_after_ms, 6000);
    then_str(r.waiting,
        "configure-genesis: no bucket (failing since " NOW
        "; it is retried at least until 2026-01-01T01:29:30Z)");
    then_int(w->sidecar.asked, 1);
    then_int(task(w, 0)->retry_count, 1);

    sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_ASKED});
    when_executed(w, LATER, OKAY);
    then_int(w->sidecar.asked, 2);
    then_int(w->sidecar.job.attempt, 1);
    then_true(!w->sidecar.job.submitted);
    then_str(task(w, 0)->error, NULL);
    then_str(task(w, 0)->submitted_at, NULL);
}

TEST(a_task_failure_is_reported_with_one_text_until_the_task_succeeds)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_SNAPSHOT_RESTORE);
    sidecar_says(
        w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_FAILED, true, "snapshot-restore: S3: no"});
    static const char report[] = "snapshot-restore: S3: no (failing since " NOW
                                 "; it is retried at least until 2026-01-01T00:10:00Z)";

    then_str(when_executed(w, NOW, OKAY).waiting, report);
    w->status.plan.waiting = report;
    then_str(task(w, 0)->failing_since, NOW);
    then_str(when_executed(w, "2026-01-01T00:00:04Z", OKAY).waiting, report);

    sidecar_says(w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_RUNNING, .submitted = true});
    then_str(when_executed(w, LATER, OKAY).waiting, report);

    sidecar_says(
        w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_FAILED, true, "snapshot-restore: S3: no"});
    then_str(when_executed(w, "2026-01-01T00:00:12Z", OKAY).waiting, report);
    then_int(task(w, 0)->retry_count, 2);

    sidecar_says(w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_COMPLETED, .submitted = true});
    when_executed(w, "2026-01-01T00:01:00Z", OKAY);
    then_int(task(w, 0)->status, TASK_COMPLETE);
    then_str(task(w, 0)->failing_since, NULL);
}

TEST(an_unreachable_sidecar_is_reported_instead_of_the_failure_of_the_previous_attempt)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_SNAPSHOT_RESTORE);
    sidecar_says(w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_FAILED, true, "S3 is away"});
    w->status.plan.waiting = when_executed(w, NOW, OKAY).waiting;

    sidecar_says(w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_UNREACHABLE, .message = "gone"});
    ExecResult r = when_executed(w, LATER, OKAY);

    then_true(strstr(r.waiting, "gone") != NULL);
    then_str(r.reason, "SidecarNotReady");
}

TEST(a_stored_plan_of_an_earlier_version_uses_the_current_retry_budget)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_SNAPSHOT_RESTORE);
    w->status.plan.tasks[0].retries_max = 0;
    sidecar_says(w, TASK_SNAPSHOT_RESTORE, (SidecarNews){SIDECAR_FAILED, true, "S3 is away"});

    then_true(!when_executed(w, NOW, OKAY).ended);

    then_int(task(w, 0)->retry_count, 1);
    then_int(task(w, 0)->retries_max, 21);
}

TEST(a_task_that_failed_with_a_permanent_cause_is_not_retried)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_SNAPSHOT_RESTORE);
    w->status.phase = PHASE_INITIALIZING;
    sidecar_says(w,
        TASK_SNAPSHOT_RESTORE,
        (SidecarNews){SIDECAR_FAILED, true, "no snapshots found in s3://b/c/state-sync/"});

    then_true(when_executed(w, NOW, OKAY).ended);

    then_int(w->status.phase, PHASE_FAILED);
    then_str(w->status.history.items[0].message,
        "snapshot-restore: no snapshots found in s3://b/c/state-sync/");
}

TEST(the_retries_of_a_task_that_needs_s3_last_ten_minutes)
{
    int64_t total_ms = 0;

    for (int64_t i = 1; i <= task_type_retries(TASK_SNAPSHOT_RESTORE); i++)
        total_ms += exec_backoff_ms(i);

    then_int(total_ms, 600000);
}

TEST(a_clock_that_stepped_back_does_not_prolong_a_backoff)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_CONFIGURE_GENESIS);
    sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_FAILED, true, "no bucket"});
    when_executed(w, NOW, OKAY);

    then_int(when_executed(w, "2025-01-01T00:00:00Z", OKAY).again_after_ms, 10000);
}

TEST(a_task_failure_beyond_the_retry_budget_fails_the_plan)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE, TASK_CONFIGURE_GENESIS);
    w->status.phase = PHASE_INITIALIZING;
    w->status.plan.tasks[1].retry_count = w->status.plan.tasks[1].retries_max;
    sidecar_says(w, TASK_CONFIGURE_GENESIS, (SidecarNews){SIDECAR_FAILED, true, "no bucket"});

    ExecResult r = when_executed(w, NOW, OKAY);

    then_true(r.ended && r.must_store && !r.waiting);
    then_int(w->status.plan.phase, PLAN_FAILED);
    then_int(w->status.plan.failed_index, 1);
    then_int(task(w, 1)->status, TASK_FAILED);
    then_str(task(w, 1)->error, "no bucket");
    then_int(w->status.phase, PHASE_FAILED);
    then_str(w->status.phase_transition_time, NOW);
    then_str(w->status.history.items[0].result, "Failed");
    then_str(w->status.history.items[0].message,
        "configure-genesis: no bucket (after 180 of 180 retries)");
}

TEST(a_task_without_retries_fails_an_update_at_once_and_the_phase_stays)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_NODE_UPDATE, TASK_MARK_READY);
    w->status.phase = PHASE_RUNNING;
    sidecar_says(w, TASK_MARK_READY, (SidecarNews){SIDECAR_FAILED, true, "no"});

    then_true(when_executed(w, NOW, OKAY).ended);

    then_int(w->status.plan.phase, PLAN_FAILED);
    then_int(w->status.phase, PHASE_RUNNING);
}

TEST(a_task_that_can_never_succeed_fails_the_plan)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_CONFIG_APPLY); /* without a mode */

    then_true(when_executed(w, NOW, OKAY).ended);

    then_int(w->status.phase, PHASE_FAILED);
    then_true(strstr(task(w, 0)->error, "mode is missing") != NULL);
}

TEST(a_failed_plan_is_not_executed)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    w->status.plan.phase = PLAN_FAILED;

    ExecResult r = when_executed(w, NOW, OKAY);

    then_true(!r.ended && !r.must_store && !r.waiting);
    then_int(task(w, 0)->status, TASK_PENDING);
    then_str(w->said, NULL);
}

TEST(executing_a_node_without_a_plan_is_an_error)
{
    SCOPED_WORLD w = world_of(NULL);

    when_executed(w, NOW, TERMINAL("no plan"));
}

/* --- completing --- */

TEST(a_completed_init_makes_the_node_running_and_records_what_it_was_made_from)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE, TASK_MARK_READY);
    w->status.phase = PHASE_INITIALIZING;
    w->status.plan.waiting = "something";
    sidecar_says(w, TASK_MARK_READY, (SidecarNews){SIDECAR_COMPLETED, .submitted = true});

    ExecResult r = when_executed(w, NOW, OKAY);

    then_true(r.ended && r.must_store && !r.waiting);
    then_int(w->status.plan.phase, PLAN_COMPLETE);
    then_str(w->status.plan.waiting, NULL);
    then_str(task(w, 1)->submitted_at, NOW);
    then_int(w->status.phase, PHASE_RUNNING);
    then_str(w->status.phase_transition_time, NOW);
    then_str(w->status.current_image, "ghcr.io/example/seid:v6.4.1");
    then_str(w->status.pod_template_hash, w->wanted.template_hash);
    then_true(w->status.spec_hash != NULL);
    then_int(w->status.history.count, 1);
    then_str(w->status.history.items[0].result, "Complete");
    then_str(w->status.history.items[0].kind, "init");
}

TEST(an_init_plan_completes_only_after_seid_has_started_in_its_pod)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    w->run.pod = changed(w, kind_pod, "rpc-0-0", "status", "{status: {containerStatuses: null}}");

    ExecResult r = when_executed(w, NOW, OKAY);

    then_true(!r.ended && strstr(r.waiting, "has not started"));
    then_int(w->status.plan.phase, PLAN_ACTIVE);
    then_str(w->status.pod_template_hash, NULL);
}

TEST(an_init_plan_whose_pod_cannot_start_reports_the_cause)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_INIT, TASK_APPLY_SERVICE);
    w->run.pod = changed(w,
        kind_pod,
        "rpc-0-0",
        "status",
        "{status: {containerStatuses: [{name: 'seid', image: 'x', imageID: 'x', ready: false,"
        " restartCount: 0, state: {waiting: {reason: 'CreateContainerError', message: 'no'}}}]}}");

    ExecResult r = when_executed(w, NOW, OKAY);

    then_true(!r.ended && strstr(r.waiting, "CreateContainerError"));
    then_str(r.reason, "PodNotReady");
}

TEST(a_repair_plan_that_completes_keeps_the_phase_transition_time)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w, PLAN_REPAIR, TASK_APPLY_SERVICE);
    w->status.phase = PHASE_RUNNING;
    w->status.phase_transition_time = "long ago";

    then_true(when_executed(w, NOW, OKAY).ended);

    then_str(w->status.phase_transition_time, "long ago");
    then_str(w->status.current_image, NULL); /* a repair has looked at no pod */
}

TEST(an_update_deletes_one_pod_and_waits_for_the_next)
{
    SCOPED_WORLD w = world_of(NULL);
    given_tasks(w,
        PLAN_NODE_UPDATE,
        TASK_APPLY_STATEFULSET,
        TASK_REPLACE_POD,
        TASK_OBSERVE_IMAGE,
        TASK_MARK_READY);
    w->node = sample_node(w->arena, "{spec: {image: 'seid:v2'}}");
    world_render(w, REPLICAS_ONE);

    ExecResult r = when_executed(w, NOW, OKAY);
    then_str(w->said, "apply statefulsets rpc-0");
    then_str(r.waiting,
        "replace-pod: the StatefulSet controller has not seen the new template of StatefulSet "
        "rpc-0: if that lasts, look at kube-controller-manager");

    changed(w, kind_statefulset, "rpc-0", "status", "{status: {observedGeneration: 2}}");
    r = when_executed(w, NOW, OKAY);
    then_str(w->said, "get persistentvolumeclaims data-rpc-0, delete pods rpc-0-0");
    then_true(r.waiting && !r.must_store && !r.waiting_is_error);

    when_executed(w, NOW, OKAY); /* nothing is done twice */
    then_str(w->said, NULL);

    sidecar_says(w, TASK_MARK_READY, (SidecarNews){SIDECAR_COMPLETED, .submitted = true});
    given_next_pod(w);
    then_true(when_executed(w, NOW, OKAY).ended);
    then_str(w->said, "create serviceaccounts/token sei-operator-sidecar");
    then_str(w->status.current_image, "seid:v2");
    then_str(w->status.pod_template_hash, w->wanted.template_hash);
}

TEST(the_backoff_between_task_attempts_grows_to_thirty_seconds)
{
    then_int(exec_backoff_ms(1), 10000);
    then_int(exec_backoff_ms(2), 20000);
    then_int(exec_backoff_ms(3), 30000);
    then_int(exec_backoff_ms(180), 30000);
}

/* --- single tasks, of plans that somebody else moves --- */

TEST(a_single_task_ends_without_ending_its_plan)
{
    static const struct {
        const char *name;
        SidecarNews news;
        TaskStatus status;
        bool must_store;
    } cases[] = {
        {"done", {SIDECAR_COMPLETED, .submitted = true}, TASK_COMPLETE, true},
        {"refused", {SIDECAR_REFUSED, false, "bad"}, TASK_FAILED, true},
        {"failed, with attempts left", {SIDECAR_FAILED, true, "no"}, TASK_PENDING, true},
        {"not answered", {SIDECAR_ASKED}, TASK_PENDING, false},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        ExecResult result = {0};
        given_tasks(w, PLAN_INIT, TASK_CONFIGURE_GENESIS);
        w->run.task = &w->status.plan.tasks[0];
        sidecar_says(w, TASK_CONFIGURE_GENESIS, cases[i].news);
        then_ok(exec_task(&w->ctx, &w->run, NOW, &result));
        then_int(task(w, 0)->status, cases[i].status);
        then_int(w->status.plan.phase, PLAN_ACTIVE);
        then_int(result.must_store, cases[i].must_store);
        then_true(!result.ended);
    }
}
