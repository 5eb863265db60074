/* Whether a data volume is free, and whether it stays. A ReadWriteOnce volume can be mounted twice
 * on one machine, so nothing but this look keeps two processes from writing to the same data: a
 * person's job that works on the volume of a paused node, and seid. And a claim that is being
 * deleted lives as long as its pod does, and goes with its data when that is stopped. Both are
 * asked of the server itself: caches hold only pods of ours, and may not know yet what a person has
 * just done. At a birth nobody has had the time: there what caches hold suffices. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/pod_search.h"

bool task_is_own_pod(Arena *a, const Json *pod, const SeiNode *node)
{
    const Json *controller = meta_controller(pod);

    if (!str_eq(meta_label(pod, LABEL_NODE), node->key.name)
        || !str_eq(meta_name(pod), name_pod(a, node->key.name)))
        return false;
    return !controller
        || (str_eq(json_str(controller, ".kind"), "StatefulSet")
            && str_eq(json_str(controller, ".name"), node->key.name));
}

static bool is_own_job_pod(Arena *a, const Json *pod, const SeiNode *node)
{
    const Json *controller = meta_controller(pod);

    return str_eq(meta_label(pod, LABEL_NODE), node->key.name)
        && str_eq(json_str(controller, ".kind"), "Job")
        && str_eq(json_str(controller, ".name"), name_bootstrap_job(a, node->key.name));
}

static bool is_left_out(Arena *a, const TaskRun *run, const Json *pod, const PodSearch *search)
{
    return (!search->own_counts && task_is_own_pod(a, pod, run->node))
        || (search->own_job_is_left_out && is_own_job_pod(a, pod, run->node));
}

/* The pod is at work on the claim. */
static bool uses_claim(Arena *a, const TaskRun *run, const Json *pod, const PodSearch *search)
{
    return pod_uses_claim(pod, search->claim) && !is_left_out(a, run, pod, search);
}

static bool uses_secret(Arena *a, const TaskRun *run, const Json *pod, const PodSearch *search)
{
    return search->secret && pod_mounts_secret(pod, search->secret) && !pod_is_finished(pod)
        && !task_is_own_pod(a, pod, run->node);
}

/* --- live --- */

typedef struct PodWalk {
    Walker port; /* first, so that the port is this */
    Arena *arena;
    const TaskRun *run;
    PodSearch *search;
} PodWalk;

static void see_pod(Walker *self, const Json *pod)
{
    PodWalk *w = (PodWalk *)(void *)self;
    PodSearch *search = w->search;

    if (!search->claim_user && uses_claim(w->arena, w->run, pod, search))
        search->claim_user = str_copy(w->arena, meta_name(pod));
    if (!search->secret_user && uses_secret(w->arena, w->run, pod, search))
        search->secret_user = str_copy(w->arena, meta_name(pod));
    self->is_done =
        (!search->claim || search->claim_user) && (!search->secret || search->secret_user);
}

Err *task_search_pods(Ctx *c, const TaskRun *run, PodSearch *search)
{
    PodWalk walk = {.port = {.see = see_pod}, .arena = c->arena, .run = run, .search = search};
    Request list = {
        .verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = run->node->key.namespace}};

    search->claim_user = search->secret_user = NULL;
    return kube_walk_live(c, &list, &walk.port);
}

Err *task_err_volume_in_use(Ctx *c, TaskRun *run, const char *pod)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "volume %s is in use by pod %s: seid starts when that has ended or is "
                            "deleted",
                            run->wanted->claim,
                            pod),
        REASON_VOLUME_IN_USE);
}

static Err *check_free(Ctx *c, TaskRun *run, PodSearch search)
{
    search.claim = run->wanted->claim;
    TRY(task_search_pods(c, run, &search));
    return search.claim_user ? task_err_volume_in_use(c, run, search.claim_user) : OK;
}

/* --- by the caches --- */

Err *task_volume_looks_free(Ctx *c, TaskRun *run)
{
    Arena *a = c->arena;
    Key node = run->node->key;
    PodSearch search = {.claim = run->wanted->claim};
    const Selector *selector;
    Objects pods;

    TRY(selector_parse(a, str_format(a, LABEL_NODE "=%s", node.name), &selector));
    TRY(kube_select(c, kind_pod, node.namespace, selector, &pods));
    for (size_t i = 0; i < pods.count; i++)
        if (uses_claim(a, run, pods.items[i], &search))
            return task_err_volume_in_use(c, run, meta_name(pods.items[i]));
    return OK;
}

Err *task_volume_is_free(Ctx *c, TaskRun *run)
{
    return check_free(c, run, (PodSearch){0});
}

Err *task_volume_is_unused(Ctx *c, TaskRun *run)
{
    return check_free(c, run, (PodSearch){.own_counts = true});
}

Err *task_volume_is_free_of_others(Ctx *c, TaskRun *run)
{
    return check_free(c, run, (PodSearch){.own_job_is_left_out = true});
}

Err *task_volume_stays(Ctx *c, const TaskRun *run)
{
    const char *name = run->wanted->claim, *recorded = run->status->volume.uid;
    const Json *claim;

    if (run->volume_was_read)
        return OK;
    TRY(kube_get_if_any(
        c, kind_pvc, (Key){.namespace = run->node->key.namespace, .name = name}, &claim));
    if (meta_deleting(claim))
        return task_trouble(err_wait(c->arena,
                                "volume %s is being deleted, and goes with its data when its pod "
                                "stops: the pod is left alone",
                                name),
            REASON_DATA_VOLUME_TERMINATING);
    if (recorded && !str_eq(meta_uid(claim), recorded))
        return task_trouble(
            err_wait(
                c->arena, "volume %s with the node's data is gone: the pod is left alone", name),
            REASON_DATA_VOLUME_MISSING);
    if (claim_is_lost(claim))
        return task_trouble(err_wait(c->arena,
                                "volume %s is Lost, and no new pod could mount it: the pod is left "
                                "alone",
                                name),
            REASON_DATA_VOLUME_LOST);
    return OK;
}
