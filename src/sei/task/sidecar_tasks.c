/* The tasks that a sidecar does: all alike, and different in their parameters alone.
 *
 * Handed over once under the task's id, then asked for until it has ended; the port does both on
 * its own and never makes us wait. That it was handed over is stored before anything else counts on
 * it: run->handed_over says so to the executor. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/sidecar/task_failure.h"
#include "sei/sidecar/task_versions.h"
#include "sei/task/kinds.h"
#include "sei/task/sidecar_params.h"

static Err *err_unreachable(Arena *a, const char *what, const SidecarNews *news)
{
    return task_trouble(
        err_wait(a, "%s: %s", what, news->message ? news->message : "no reason was given"),
        REASON_SIDECAR_NOT_READY);
}

/* A sidecar that does not answer may never have been started: then its pod knows why. */
static Err *err_silent(Ctx *c, const TaskRun *run, const SidecarNews *news)
{
    Arena *a = c->arena;
    const Json *pod;

    TRY(task_sidecar_pod(c, run, &pod));
    const char *trouble = pod_trouble(a, pod);
    if (!trouble)
        return err_unreachable(a,
            str_format(a, "the sidecar of SeiNode %s does not answer", run->node->key.name),
            news);
    return task_trouble(err_wait(a, "pod %s: %s", meta_name(pod), trouble), REASON_POD_NOT_READY);
}

/* An attempt failed: whether another one may succeed. */
static Err *err_attempt(Arena *a, const PlannedTask *task, const char *said)
{
    if (!said)
        return err_failed(a, "task %s failed with unknown error", task->id);
    if (task_type_needs_remote(task->type) && task_failure_is_permanent(said))
        return err_terminal(a, "%s", said);
    return err_failed(a, "%s", said);
}

static const char *sidecar_image(const Json *pod)
{
    const Json *container;

    json_each(container, json_find(pod, ".status.initContainerStatuses"))
        if (str_eq(json_str(container, ".name"), CONTAINER_SIDECAR))
            return json_str(container, ".image");
    return NULL;
}

/* A 400: it can never be done as asked. */
static Err *err_refused(Ctx *c, const TaskRun *run, const char *said)
{
    Arena *a = c->arena;
    const char *type = run->task->spelling;
    const Json *pod;

    if (!said)
        said = "it gives no reason";
    if (!task_type_is_refused(said))
        return err_terminal(a, "the sidecar refuses it: %s; correct the spec", said);
    TRY(task_sidecar_pod(c, run, &pod));
    const char *image = sidecar_image(pod);
    return err_terminal(a,
        "sidecar image %s does not have the task %s: set spec.sidecar.image to a version that has "
        "it (%s)",
        image ? image : "of the pod",
        type,
        task_versions_text(a, type));
}

/* A task that runs is never stopped, but one that hangs is reported. */
static Err *err_running(Ctx *c, TaskRun *run)
{
    const PlannedTask *task = run->task;
    const char *name = run->node->key.name;
    int64_t limit_ms = task_type_overdue_ms(task->type), since_ns;
    Err *wait = err_wait(c->arena, "at work in the sidecar of SeiNode %s", name);

    if (!limit_ms || !timestamp_parse(task->submitted_at, &since_ns))
        return wait;
    int64_t left_ms = limit_ms - (clock_wall_ms(c->clock) - since_ns / 1000000);
    if (left_ms > limit_ms) /* the clock stepped back */
        left_ms = limit_ms;
    if (left_ms > 0) {
        if (!run->look_again_ms || left_ms < run->look_again_ms)
            run->look_again_ms = left_ms;
        return wait;
    }
    return task_trouble(
        err_wait(c->arena,
            "the sidecar of SeiNode %s has been at work since %s, which is longer than %lld "
            "minutes: look at the log of container " CONTAINER_SIDECAR
            "; if the task hangs, delete the pod, and a new sidecar starts it again",
            name,
            task->submitted_at,
            (long long)(limit_ms / 60000)),
        REASON_TASK_OVERDUE);
}

/* What the news mean for the plan. */
static Err *judge(Ctx *c, TaskRun *run, const SidecarNews *news)
{
    Arena *a = c->arena;
    const PlannedTask *task = run->task;
    const char *said = str_empty(news->message) ? NULL : news->message;
    const char *name = run->node->key.name;

    switch (news->state) {
    case SIDECAR_ASKED:
        return err_wait(a, "the sidecar of SeiNode %s has not answered yet", name);
    case SIDECAR_RUNNING:
        return err_running(c, run);
    case SIDECAR_COMPLETED:
        return OK;
    case SIDECAR_FAILED:
        return err_attempt(a, task, said);
    case SIDECAR_REFUSED:
        return err_refused(c, run, said);
    case SIDECAR_UNREACHABLE:
        return err_silent(c, run, news);
    case SIDECAR_UNAUTHORIZED:
        return err_unreachable(a,
            "the sidecar does not accept our token (may the pod's account review tokens? see "
            "deploy/rbac/nodes.yaml)",
            news);
    }
    BUG("a state of a sidecar task that there is not");
}

/* A Job that has ended well was let go, whoever was told of it; its sidecar ended with it. */
static Err *is_let_go(Ctx *c, const TaskRun *run, bool *ret)
{
    const Json *job = NULL;

    if (run->task->type == TASK_MARK_READY && plan_is_bootstrap_task(&run->status->plan, run->task))
        TRY(bootstrap_find_job(c, run, &job));
    *ret = job_is_complete(job);
    return OK;
}

Err *task_sidecar_step(Ctx *c, TaskRun *run)
{
    PlannedTask *task = run->task;
    SidecarJob job = {
        .id = task->id,
        .type = task_type_text(task->type),
        .submitted = task->submitted_at != NULL,
        .attempt = task->retry_count,
        .submit_and_go = task_type_never_ends(task->type),
        .only_awaited = task->superseded,
    };
    SidecarTarget target;
    SidecarNews news = {0};
    bool let_go;

    TRY(is_let_go(c, run, &let_go));
    if (let_go)
        return OK;
    TRY(sidecar_params(c->arena, task->type, task->params, &job.params));
    TRY(task_sidecar_target(c, run, &target));
    sidecar_task(run->sidecar, c->arena, &target, &job, &news);
    if (news.state == SIDECAR_UNAUTHORIZED) {
        TRY(task_sidecar_retarget(c, run, &target));
        sidecar_task(run->sidecar, c->arena, &target, &job, &news);
        if (news.state == SIDECAR_UNAUTHORIZED) /* the token is too young to be given up */
            run->look_again_ms = CREDENTIALS_YOUNG_MS;
    }
    run->handed_over = news.submitted;
    run->result = news.result;
    return judge(c, run, &news);
}

static const TaskKind kinds[] = {
    {TASK_SNAPSHOT_RESTORE, task_sidecar_step},
    {TASK_CONFIGURE_GENESIS, task_configure_genesis},
    {TASK_CONFIG_APPLY, task_sidecar_step},
    {TASK_DISCOVER_PEERS, task_discover_peers},
    {TASK_CONFIGURE_STATE_SYNC, task_sidecar_step},
    {TASK_CONFIG_VALIDATE, task_sidecar_step},
    {TASK_SNAPSHOT_UPLOAD, task_sidecar_step},
    {TASK_GENERATE_IDENTITY, task_sidecar_step},
    {TASK_GENERATE_GENTX, task_sidecar_step},
    {TASK_UPLOAD_GENESIS_ARTIFACTS, task_sidecar_step},
    {TASK_SET_GENESIS_PEERS, task_sidecar_step},
    {TASK_MARK_READY, task_sidecar_step},
    {TASK_ASSEMBLE_GENESIS, task_assemble_genesis},
};

const TaskKind *task_find_sidecar(TaskType type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}
