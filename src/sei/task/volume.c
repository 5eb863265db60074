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

/* An unfinished pod that mounts the claim, or NULL. */
static const Json *find_user(Arena *a, const TaskRun *run, const Objects *pods, bool own_counts)
{
    for (size_t i = 0; i < pods->count; i++) {
        const Json *pod = pods->items[i];
        if (pod_mounts_claim(pod, run->wanted->claim) && !pod_is_finished(pod)
            && (own_counts || !task_is_own_pod(a, pod, run->node)))
            return pod;
    }
    return NULL;
}

static Err *err_in_use(Ctx *c, TaskRun *run, const Json *user)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "volume %s is in use by pod %s: seid starts when that has ended or is "
                            "deleted",
                            run->wanted->claim,
                            meta_name(user)),
        REASON_VOLUME_IN_USE);
}

Err *task_list_pods(Ctx *c, const TaskRun *run, Objects *ret)
{
    Request list = {
        .verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = run->node->key.namespace}};

    return kube_list(c, &list, ret);
}

Err *task_volume_is_free_of(Ctx *c, TaskRun *run, const Objects *pods)
{
    const Json *user = find_user(c->arena, run, pods, false);

    return user ? err_in_use(c, run, user) : OK;
}

static Err *check_free(Ctx *c, TaskRun *run, bool own_counts)
{
    Objects pods;

    TRY(task_list_pods(c, run, &pods));
    const Json *user = find_user(c->arena, run, &pods, own_counts);
    return user ? err_in_use(c, run, user) : OK;
}

Err *task_volume_looks_free(Ctx *c, TaskRun *run)
{
    Arena *a = c->arena;
    Key node = run->node->key;
    const Selector *selector;
    Objects pods;

    TRY(selector_parse(a, str_format(a, LABEL_NODE "=%s", node.name), &selector));
    TRY(kube_select(c, kind_pod, node.namespace, selector, &pods));
    const Json *user = find_user(a, run, &pods, false);
    return user ? err_in_use(c, run, user) : OK;
}

Err *task_volume_is_free(Ctx *c, TaskRun *run)
{
    return check_free(c, run, false);
}

Err *task_volume_is_unused(Ctx *c, TaskRun *run)
{
    return check_free(c, run, true);
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
    return OK;
}
