/* await-bootstrap-complete: the Job has brought the data to their height.
 *
 * Writes nothing. A Job that is gone was not seen to end: the planner has it made again. That this
 * task is Complete is stored before the Job is deleted: nothing else would prove it. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/task/kinds.h"

static Err *wait_for(Ctx *c, const TaskRun *run, const Json *job)
{
    Arena *a = c->arena;
    const Json *pod;

    if (json_bool(job, ".spec.suspend", false))
        return err_wait(a,
            "Job %s is suspended: set its spec.suspend to false, or pause and unpause the node",
            meta_name(job));
    TRY(bootstrap_find_pod(c, job, &pod));
    const char *trouble = pod_trouble(a, pod);
    if (trouble)
        return task_trouble(
            err_wait(a, "pod %s: %s", meta_name(pod), trouble), REASON_POD_NOT_READY);
    return err_wait(a,
        "Job %s has not reached height %lld yet",
        meta_name(job),
        (long long)run->node->spec.snapshot.s3_height);
}

static Err *await_bootstrap_complete(Ctx *c, TaskRun *run)
{
    const Json *job;

    TRY(bootstrap_find_job(c, run, &job));
    if (!job)
        return err_wait(c->arena, "the bootstrap Job is gone, and is made again");
    if (job_is_complete(job))
        return OK;
    return job_is_failed(job) ? bootstrap_err_failed(c, job) : wait_for(c, run, job);
}

const TaskKind task_await_bootstrap_complete = {
    .type = TASK_AWAIT_BOOTSTRAP_COMPLETE, .step = await_bootstrap_complete};
