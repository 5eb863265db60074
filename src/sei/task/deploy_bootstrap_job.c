/* deploy-bootstrap-job: the Job that brings the data to a height.
 *
 * One that is there is kept when it is of use: of the wanted template, not failed, not ended before
 * this plan let its seid go, and not an earlier plan's of whose work this one has taken nothing
 * over: its seid may run already, and this plan would set the volume up anew beside it. Any other
 * is replaced, and with it waited until its pod is gone. It starts when nothing at all is on the
 * volume. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

/* That its data are those which the tasks of this plan have prepared. */
static bool was_let_go(const TaskRun *run)
{
    const PlannedTask *gate = plan_find_bootstrap_task(&run->status->plan, TASK_MARK_READY);

    return gate && (gate->status == TASK_COMPLETE || gate->submitted_at);
}

/* The sidecar has worked for this plan in the pod of the Job, or for one that it follows. */
static bool has_begun(const Plan *plan)
{
    for (size_t i = 0; i < plan->task_count; i++) {
        const PlannedTask *task = &plan->tasks[i];
        if (task_type_is_sidecar(task->type) && !task->superseded
            && plan_is_bootstrap_task(plan, task)
            && (task->status == TASK_COMPLETE || task->submitted_at))
            return true;
    }
    return false;
}

static bool is_of_plan(const TaskRun *run, const Json *job)
{
    const Plan *plan = &run->status->plan;

    return str_eq(meta_annotation(job, ANNOTATION_PLAN), plan->id) || has_begun(plan);
}

static bool is_of_use(const TaskRun *run, const Json *job)
{
    return bootstrap_is_as_wanted(job, run->wanted) && !job_is_failed(job) && is_of_plan(run, job)
        && (!job_is_complete(job) || was_let_go(run));
}

static Err *use_existing(Ctx *c, const TaskRun *run, const Json *job)
{
    Arena *a = c->arena;

    TRY(bootstrap_check_standing(a, run, kind_job, job));
    if (meta_deleting(job))
        return err_wait(a, "Job %s is being deleted with its pod", meta_name(job));
    if (is_of_use(run, job))
        return OK;
    if (run->stop_no_pod)
        return err_wait(
            a, "Job %s is not replaced now: the condition Stalled says why", meta_name(job));
    TRY(task_volume_stays(c, run));
    TRY(kube_delete(c, kind_job, job, (DeleteOptions){.propagation = PROPAGATION_FOREGROUND}));
    return err_wait(a, "Job %s is of an earlier attempt, and is replaced", meta_name(job));
}

static const Json *marked(Arena *a, const TaskRun *run)
{
    const Json *mark = json_seal(a,
        draft(a, obj("metadata", obj("annotations", str(ANNOTATION_PLAN, run->status->plan.id)))));

    return json_merge(a, run->wanted->bootstrap_job, mark);
}

static Err *create(Ctx *c, TaskRun *run)
{
    const Json *wanted = marked(c->arena, run), *there, *made;

    if (run->hold_statefulset)
        return err_wait(c->arena, "no pod is started now: the condition Stalled says why");
    TRY(task_start_on_volume(c, run, VOLUME_LOOK_UNUSED));
    Err *err = kube_create(c, kind_job, wanted, &made);
    task_doubt_start(c, run, err);
    if (!status_is_already_exists(err))
        return err;
    /* It has not our label. */
    TRY(kube_get_if_any(c, kind_job, meta_key(wanted), &there));
    return there ? use_existing(c, run, there) : err;
}

static Err *deploy_bootstrap_job(Ctx *c, TaskRun *run)
{
    const Json *job;

    if (!run->wanted->bootstrap_job)
        return err_terminal(c->arena, "the spec has no bootstrap image with a height any more");
    TRY(bootstrap_find_job(c, run, &job));
    return job ? use_existing(c, run, job) : create(c, run);
}

const TaskKind task_deploy_bootstrap_job = {
    .type = TASK_DEPLOY_BOOTSTRAP_JOB, .step = deploy_bootstrap_job};
