/* Exec: see exec.h. The table of outcomes:
 *
 *     OK         the task is Complete, the next one is tried in the same pass
 *     wait       the plan waits; nothing is stored for it
 *     retry      the reconcile is tried again by the queue, which backs off
 *     failed     counted; tried again after a while, as long as the budget lasts
 *     terminal   the plan has failed
 *
 * A back-off survives a restart because it stands in the plan: a Pending task with an error failed
 * at its submittedAt. */
#include "sei/exec/exec.h"

#include "base/str.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/task/kinds.h"

enum {
    BACKOFF_FIRST_MS = 10000,
    BACKOFF_MAX_MS = 30000,
    RETRIES_REPORTED_MAX = 1000,
    RETRY_NOTE_MAX = 128,
    FOREIGN_LOOK_MS = 30000, /* a foreign object has not our label, so no event tells of it */
};

int64_t exec_backoff_ms(int64_t attempt)
{
    int64_t backoff = BACKOFF_FIRST_MS;

    for (int64_t i = 1; i < attempt && backoff < BACKOFF_MAX_MS; i++)
        backoff *= 2;
    return backoff < BACKOFF_MAX_MS ? backoff : BACKOFF_MAX_MS;
}

/* --- the end of a plan --- */

static void end_plan(Ctx *c, TaskRun *run, const char *message, const char *now, ExecResult *ret)
{
    NodeStatus *status = run->status;
    Plan *plan = &status->plan;
    bool complete = plan->phase == PLAN_COMPLETE;
    NodePhase phase = node_phase_parse(complete ? plan->target_phase : plan->failed_phase);
    PlanEnded ended = plan_ended(c->arena, plan, complete ? "Complete" : "Failed", message, now);

    if (phase != PHASE_NONE)
        node_set_phase(status, phase, now);
    plan->waiting = NULL;
    plan_history_add(&status->history, &ended);
    ret->ended = true;
    ret->must_store = true;
}

static void complete_plan(Ctx *c, TaskRun *run, const char *now, ExecResult *ret)
{
    Plan *plan = &run->status->plan;

    /* An init has no observe-image: it ends when its pod runs, and records what that was made from.
     */
    Err *err = plan->kind == PLAN_INIT ? task_await_seid(c->arena, run, run->pod) : OK;
    if (err) {
        ret->waiting = err_text(c->arena, err);
        ret->reason = err->reason;
        return;
    }
    plan->phase = PLAN_COMPLETE;
    if (plan->kind == PLAN_INIT)
        task_stamp_pod(c->arena, run, run->pod);
    end_plan(c, run, NULL, now, ret);
}

/* "configure-genesis: no bucket"; a sidecar often begins its text with the task itself. */
static const char *named(Arena *a, const PlannedTask *task, const char *text)
{
    if (str_has_prefix(text, str_format(a, "%s: ", task->spelling)))
        return text;
    return str_format(a, "%s: %s", task->spelling, text);
}

/* "configure-genesis: no bucket (after 180 of 180 retries)" */
static const char *failure_text(Arena *a, const PlannedTask *task)
{
    const char *text = named(a, task, task->error);

    if (task->retry_count == 0)
        return text;
    return str_format(a,
        "%s (after %lld of %lld retries)",
        text,
        (long long)task->retry_count,
        (long long)task->retries_max);
}

/* How long the pauses of all retries take. A stored budget may be any number. */
static int64_t retries_ms(int64_t retries)
{
    int64_t total = 0;

    for (int64_t i = 1; i <= retries && i <= RETRIES_REPORTED_MAX; i++)
        total += exec_backoff_ms(i);
    return total;
}

/* "(failing since ...)": the same text for every attempt, so that a retry alone changes no message.
 */
static const char *retry_note(Arena *a, const PlannedTask *task)
{
    int64_t since_ns, end_ns;
    char end[TIMESTAMP_SIZE];

    if (!timestamp_parse(task->failing_since, &since_ns)
        || __builtin_add_overflow(since_ns, retries_ms(task->retries_max) * 1000000, &end_ns))
        return "(it is retried)";
    return str_format(a,
        "(failing since %s; it is retried at least until %s)",
        task->failing_since,
        timestamp_format(end_ns, end));
}

/* "configure-genesis: no bucket (failing since ...)" */
static const char *retry_text(Arena *a, const PlannedTask *task)
{
    const char *text = str_cut(a, named(a, task, task->error), PLAN_MESSAGE_MAX - RETRY_NOTE_MAX);

    return str_format(a, "%s %s", text, retry_note(a, task));
}

static void fail_plan(Ctx *c, TaskRun *run, const char *now, ExecResult *ret)
{
    Plan *plan = &run->status->plan;

    plan->phase = PLAN_FAILED;
    plan->failed_index = run->task - plan->tasks;
    end_plan(c, run, failure_text(c->arena, run->task), now, ret);
}

/* --- one task --- */

/* The plan has reported why its task is retried, and this attempt has no trouble of its own: the
 * report stands until the task succeeds. */
static const char *reported_failure(Arena *a, const TaskRun *run, const Err *err)
{
    const char *waiting = run->status->plan.waiting;

    if (!run->task->failing_since || err->class != ERR_WAIT || err->reason || !waiting)
        return NULL;
    return str_has_suffix(waiting, retry_note(a, run->task)) ? waiting : NULL;
}

static void wait_for(Ctx *c, const TaskRun *run, const Err *err, ExecResult *ret)
{
    const char *reported = reported_failure(c->arena, run, err);

    ret->waiting = reported
        ? reported
        : str_cut(c->arena, named(c->arena, run->task, err_text(c->arena, err)), PLAN_MESSAGE_MAX);
    /* A lost race is no news: the next pass sees what won. */
    ret->waiting_is_error = err->class != ERR_WAIT && !status_is_conflict(err);
    ret->reason = err->class == ERR_RETRY ? NULL : err->reason;
}

static void fail_task(Ctx *c, PlannedTask *task, const Err *err, ExecResult *ret)
{
    task->status = TASK_FAILED;
    task->error = str_cut(c->arena, err_text(c->arena, err), PLAN_MESSAGE_MAX);
    ret->must_store = true;
}

static void count_failure(Ctx *c, TaskRun *run, const Err *err, const char *now, ExecResult *ret)
{
    PlannedTask *task = run->task;
    int64_t retries_max = task_type_retries(task->type);

    if (task->retries_max < retries_max) /* an earlier version stored the plan */
        task->retries_max = retries_max;
    if (task->retry_count >= task->retries_max) {
        fail_task(c, task, err, ret);
        return;
    }
    task->retry_count++;
    task->error = str_cut(c->arena, err_text(c->arena, err), PLAN_MESSAGE_MAX);
    task->submitted_at = now;
    if (!task->failing_since)
        task->failing_since = now;
    wait_for(c, run, err, ret);
    ret->waiting = retry_text(c->arena, task);
    ret->must_store = true;
    ret->again_after_ms = exec_backoff_ms(task->retry_count);
}

/* How long a task that failed has still to wait; 0: it may be tried. */
static int64_t left_of_backoff(const PlannedTask *task, const char *now)
{
    int64_t failed_ns, now_ns;

    if (!task->error || !timestamp_parse(task->submitted_at, &failed_ns)
        || !timestamp_parse(now, &now_ns))
        return 0;
    int64_t backoff = exec_backoff_ms(task->retry_count);
    int64_t left = backoff - (now_ns - failed_ns) / 1000000;
    return left < 0 ? 0 : left < backoff ? left : backoff; /* the clock may have stepped */
}

static void wait_for_backoff(Ctx *c, const TaskRun *run, int64_t left_ms, ExecResult *ret)
{
    ret->waiting = retry_text(c->arena, run->task);
    ret->waiting_is_error = true;
    ret->again_after_ms = left_ms;
}

/* What comes of one step. */
static void take_outcome(Ctx *c, TaskRun *run, Err *err, const char *now, ExecResult *ret)
{
    PlannedTask *task = run->task;
    bool has_ended = err_is(err, ERR_FAILED) || err_is(err, ERR_TERMINAL);

    if (!err) {
        task->status = TASK_COMPLETE;
        task->failing_since = NULL;
    } else if (task->superseded && has_ended) {
        fail_task(c, task, err, ret);
        task->status = TASK_COMPLETE;
        task->failing_since = NULL;
    } else if (err->class == ERR_FAILED) {
        count_failure(c, run, err, now, ret);
    } else if (err->class == ERR_TERMINAL
        && !str_eq(err->reason, reason_text(REASON_FOREIGN_OBJECT))) {
        fail_task(c, task, err, ret);
    } else {
        wait_for(c, run, err, ret);
        ret->again_after_ms = err->class == ERR_TERMINAL ? FOREIGN_LOOK_MS : run->look_again_ms;
    }
}

static void note_hand_over(TaskRun *run, const char *now, ExecResult *ret)
{
    if (!run->handed_over || run->task->submitted_at)
        return;
    run->task->submitted_at = now;
    ret->must_store = true;
}

Err *exec_task(Ctx *c, TaskRun *run, const char *now, ExecResult *ret)
{
    PlannedTask *task = run->task;
    const TaskKind *kind = task_find(task->type);
    int64_t left_ms = left_of_backoff(task, now);

    if (!kind) {
        ret->waiting =
            str_format(c->arena, "%s: a task that this operator does not know", task->spelling);
        ret->waiting_is_error = true;
        return OK;
    }
    if (left_ms > 0) {
        wait_for_backoff(c, run, left_ms, ret);
        return OK;
    }
    if (task->error) { /* the next attempt */
        task->error = NULL;
        task->submitted_at = NULL;
    }
    run->handed_over = false;
    run->look_again_ms = 0;
    Err *err = kind->step(c, run);
    note_hand_over(run, now, ret);
    take_outcome(c, run, err, now, ret);
    return err_is(err, ERR_RETRY) ? err : OK;
}

/* That a sidecar has ended a task is stored before it is given another one: so whoever comes after
 * a crash knows which one may be at work. That a Job has ended is stored before it is deleted. */
static bool is_stored_first(const Plan *plan, const PlannedTask *done)
{
    const PlannedTask *next = plan_next_task((Plan *)plan);

    if (task_type_is_stored_first(done->type) || done->superseded)
        return true;
    return next && task_type_is_sidecar(done->type) && task_type_is_sidecar(next->type);
}

Err *exec_plan(Ctx *c, TaskRun *run, const char *now, ExecResult *ret)
{
    Plan *plan = &run->status->plan;

    *ret = (ExecResult){0};
    if (!run->status->has_plan)
        return err_terminal(c->arena, "there is no plan to carry out");
    if (plan->phase != PLAN_ACTIVE)
        return OK;
    while ((run->task = plan_next_task(plan))) {
        TRY(exec_task(c, run, now, ret));
        if (run->task->status == TASK_FAILED)
            fail_plan(c, run, now, ret);
        if (run->task->status != TASK_COMPLETE)
            return OK;
        if (is_stored_first(plan, run->task)) {
            ret->must_store = true;
            return OK;
        }
    }
    complete_plan(c, run, now, ret);
    return OK;
}
