/* teardown-bootstrap: Job, pod and Service of the first stage are gone.
 *
 * Waits until they are: the node's own pod would otherwise be on the volume beside the Job's. What
 * is not ours stays. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

static bool is_ours(const TaskRun *run, const Json *object)
{
    return object && task_standing(object, run->node) == STANDING_OURS;
}

static Err *remove_job(Ctx *c, const TaskRun *run)
{
    Arena *a = c->arena;
    Key key = {
        .namespace = run->node->key.namespace,
        .name = name_bootstrap_job(a, run->node->key.name),
    };
    const Json *job;

    TRY(kube_find(c, kind_job, key, &job));
    if (!is_ours(run, job))
        return OK;
    if (meta_deleting(job))
        return err_wait(a, "Job %s is being deleted with its pod", key.name);
    if (run->stop_no_pod) /* a pod keeps a volume that is going, also one that has ended */
        return err_wait(a, "Job %s is not deleted now: the condition Stalled says why", key.name);
    TRY(task_volume_stays(c, run));
    TRY(kube_delete(c, kind_job, job, (DeleteOptions){.propagation = PROPAGATION_FOREGROUND}));
    return err_wait(a, "Job %s is being deleted with its pod", key.name);
}

/* Also of a Job that left it behind. */
static bool is_of_job(const Json *pod)
{
    return str_eq(meta_label(pod, LABEL_COMPONENT), COMPONENT_BOOTSTRAP);
}

static Err *await_pods(Ctx *c, const TaskRun *run)
{
    Arena *a = c->arena;
    Key node = run->node->key;
    const Selector *selector;
    Objects pods;

    TRY(selector_parse(a, str_format(a, LABEL_NODE "=%s", node.name), &selector));
    TRY(kube_select(c, kind_pod, node.namespace, selector, &pods));
    for (size_t i = 0; i < pods.count; i++)
        if (is_of_job(pods.items[i]) && !pod_is_finished(pods.items[i]))
            return err_wait(
                a, "pod %s of the bootstrap Job has not ended yet", meta_name(pods.items[i]));
    return OK;
}

/* The node's own Service has the same name, and selects by other labels. */
static Err *remove_service(Ctx *c, const TaskRun *run)
{
    const Json *service;

    TRY(kube_find(c, kind_service, run->node->key, &service));
    const Json *component = json_member(json_find(service, ".spec.selector"), LABEL_COMPONENT);
    if (!is_ours(run, service) || meta_deleting(service)
        || !str_eq(json_text(component), COMPONENT_BOOTSTRAP))
        return OK;
    return kube_delete(c, kind_service, service, (DeleteOptions){0});
}

static Err *teardown_bootstrap(Ctx *c, TaskRun *run)
{
    TRY(remove_job(c, run));
    TRY(await_pods(c, run));
    TRY(remove_service(c, run));
    return task_volume_is_free(c, run);
}

const TaskKind task_teardown_bootstrap = {
    .type = TASK_TEARDOWN_BOOTSTRAP, .step = teardown_bootstrap};
