/* Whether a data volume is free. A ReadWriteOnce volume can be mounted twice on one machine, so
 * nothing but this look keeps two processes from writing to the same data: a person's job that
 * works on the volume of a paused node, and seid. Asked of the server itself, because caches hold
 * only pods of ours. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

/* The pod of our StatefulSet, also of one that was deleted and left it behind. */
static bool is_own_pod(Arena *a, const Json *pod, const SeiNode *node)
{
    const Json *controller = meta_controller(pod);

    if (!str_eq(meta_label(pod, LABEL_NODE), node->key.name)
        || !str_eq(meta_name(pod), name_pod(a, node->key.name)))
        return false;
    return !controller
        || (str_eq(json_str(controller, ".kind"), "StatefulSet")
            && str_eq(json_str(controller, ".name"), node->key.name));
}

Err *task_volume_is_free(Ctx *c, TaskRun *run)
{
    const char *claim = run->wanted->claim;
    Request list = {
        .verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = run->node->key.namespace}};
    Objects pods;

    TRY(kube_list(c, &list, &pods));
    for (size_t i = 0; i < pods.count; i++) {
        const Json *pod = pods.items[i];
        if (pod_mounts_claim(pod, claim) && !pod_is_finished(pod)
            && !is_own_pod(c->arena, pod, run->node)) {
            run->look_again_ms = TASK_LOOK_MS;
            return task_trouble(err_wait(c->arena,
                                    "volume %s is in use by pod %s: seid starts when that has "
                                    "ended or is deleted",
                                    claim,
                                    meta_name(pod)),
                REASON_VOLUME_IN_USE);
        }
    }
    return OK;
}
