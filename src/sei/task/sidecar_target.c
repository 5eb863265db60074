/* Whom a sidecar task asks: the pod that is there now, not the one of the beginning of the
 * reconcile, which the task before may have deleted. In the first stage of a set-up that has two it
 * is the pod of the Job: both stages have one name on the network, so the pod itself is dialled. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/secret_check.h"

static Err *check_pod(Arena *a, const char *name, const Json *pod)
{
    if (!pod)
        return err_wait(a, "pod %s has not been made by the StatefulSet controller yet", name);
    if (meta_deleting(pod))
        return err_wait(a, "pod %s is still terminating", name);
    if (!str_empty(json_str(pod, ".status.podIP")))
        return OK;
    const char *trouble = pod_trouble(a, pod);
    if (trouble)
        return task_trouble(err_wait(a, "pod %s: %s", name, trouble), REASON_POD_NOT_READY);
    return err_wait(a, "pod %s has no address yet", name);
}

/* The proxy of a pod that we rendered takes tokens of its own audience only; that of an older pod
 * takes the server's. */
static const char *audience_of(Arena *a, const Json *pod)
{
    return meta_annotation(pod, ANNOTATION_TEMPLATE_HASH)
        ? name_sidecar_audience(a, meta_namespace(pod))
        : NULL;
}

/* The pod of the Job; its name is made by the Job controller. */
static Err *find_job_pod(Ctx *c, const TaskRun *run, const Json **ret)
{
    const Json *job;

    TRY(bootstrap_find_job(c, run, &job));
    if (!job)
        return err_wait(c->arena, "the bootstrap Job is gone, and is made again");
    if (job_is_failed(job))
        return bootstrap_err_failed(c, job);
    if (job_is_complete(job))
        return err_terminal(c->arena,
            "bootstrap Job %s has ended before its sidecar had done this",
            meta_name(job));
    TRY(bootstrap_find_pod(c, job, ret));
    if (!*ret)
        return err_wait(c->arena, "Job %s has no pod yet", meta_name(job));
    return check_pod(c->arena, meta_name(*ret), *ret);
}

static Err *find_own_pod(Ctx *c, const TaskRun *run, const Json **ret)
{
    Key node = run->node->key;
    Key key = {.namespace = node.namespace, .name = name_pod(c->arena, node.name)};
    const Json *sts;

    TRY(kube_find(c, kind_pod, key, ret));
    TRY(check_pod(c->arena, key.name, *ret));
    TRY(kube_find(c, kind_statefulset, node, &sts));
    /* A token goes to no pod but ours. */
    if (!meta_controlled_by(*ret, sts) || task_standing(sts, run->node) != STANDING_OURS)
        return err_wait(c->arena, "pod %s is not of this node's StatefulSet: delete it", key.name);
    return OK;
}

Err *task_sidecar_pod(Ctx *c, const TaskRun *run, const Json **ret)
{
    return plan_is_bootstrap_task(&run->status->plan, run->task) ? find_job_pod(c, run, ret)
                                                                 : find_own_pod(c, run, ret);
}

Err *task_sidecar_target(Ctx *c, const TaskRun *run, SidecarTarget *ret)
{
    Arena *a = c->arena;
    Key node = run->node->key;
    const char *bearer;
    const Json *pod = NULL;

    TRY(task_sidecar_pod(c, run, &pod));
    TRY(credentials_get(c, run->credentials, audience_of(a, pod), &bearer));
    *ret = (SidecarTarget){
        .node = node,
        .pod_uid = meta_uid(pod),
        .pod_ip = json_str(pod, ".status.podIP"),
        .host = name_sidecar_host(a, node),
        .bearer = bearer,
    };
    return OK;
}

/* The pod of a bootstrap Job mounts no key: it has the one on the volume, as its sidecar does. */
static bool has_key_of_secret(const TaskRun *run)
{
    return !str_empty(run->node->spec.node_key.secret)
        && !plan_is_bootstrap_task(&run->status->plan, run->task);
}

Err *task_sidecar_name(Ctx *c, TaskRun *run, SidecarTarget *ret_target, SidecarName *ret)
{
    TRY(task_sidecar_target(c, run, ret_target));
    if (has_key_of_secret(run)) {
        *ret = (SidecarName){0};
        return task_node_key_id(c, run, ret->node_id);
    }
    sidecar_name(run->sidecar, c->arena, ret_target, ret);
    if (!ret->needs_token)
        return OK;
    TRY(task_sidecar_retarget(c, run, ret_target));
    sidecar_name(run->sidecar, c->arena, ret_target, ret);
    return OK;
}

Err *task_sidecar_retarget(Ctx *c, const TaskRun *run, SidecarTarget *target)
{
    const Json *pod = NULL;

    TRY(task_sidecar_pod(c, run, &pod));
    credentials_drop(
        run->credentials, audience_of(c->arena, pod), target->bearer, clock_mono_ms(c->clock));
    return task_sidecar_target(c, run, target);
}
