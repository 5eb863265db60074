/* observe-image: waits until a pod of the new template runs seid, and records what it was made
 * from.
 *
 * Started is enough: a seid in its start gate, or halted, counts; what comes next (mark-ready)
 * opens the gate. A pod that cannot be scheduled, pull or start is told in the words of the
 * kubelet. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/task/kinds.h"

static const char *image_of(const Json *pod)
{
    const Json *container;

    json_each(container, json_find(pod, ".spec.containers"))
        if (str_eq(json_str(container, ".name"), CONTAINER_SEID))
            return json_str(container, ".image");
    return NULL;
}

void task_stamp_pod(Arena *a, const TaskRun *run, const Json *pod)
{
    NodeStatus *status = run->status;
    const char *hash = meta_annotation(pod, ANNOTATION_TEMPLATE_HASH);
    const char *image = image_of(pod);

    /* A registry-rewriting webhook changes the pod's image, not what it was made from. */
    if (str_eq(hash, run->wanted->template_hash))
        image = run->wanted->image;
    if (image)
        status->current_image = image;
    if (hash)
        status->pod_template_hash = hash;
    status->spec_hash = node_spec_hash(a, run->node);
    status->restarted_at = node_restarted_at(run->node);
}

/* The pod of the rollout, or NULL. */
static const Json *find_pod(const Rollout *rollout)
{
    for (size_t i = 0; i < rollout->pods.count; i++)
        if (rollout_has(rollout, rollout->pods.items[i]))
            return rollout->pods.items[i];
    return NULL;
}

static Err *wait_for_pod(Arena *a, const TaskRun *run, const Rollout *rollout)
{
    const char *name = name_pod(a, run->node->key.name);

    if (json_int(rollout->statefulset, ".spec.replicas", 0) == 0)
        return err_wait(
            a, "StatefulSet %s is scaled to 0: pause and unpause the node", run->node->key.name);
    for (size_t i = 0; i < rollout->pods.count; i++)
        if (meta_deleting(rollout->pods.items[i]))
            return err_wait(a, "pod %s is still terminating", meta_name(rollout->pods.items[i]));
    return err_wait(a, "pod %s has not been made by the StatefulSet controller yet", name);
}

Err *task_await_seid(Arena *a, const TaskRun *run, const Json *pod)
{
    const char *name = name_pod(a, run->node->key.name), *trouble = pod_trouble(a, pod);

    if (pod_has_started_seid(pod))
        return OK;
    if (trouble)
        return task_trouble(err_wait(a, "pod %s: %s", name, trouble), REASON_POD_NOT_READY);
    return err_wait(a, "seid of pod %s has not started yet", name);
}

static Err *observe_image(Ctx *c, TaskRun *run)
{
    Rollout rollout;

    TRY(rollout_look(c, run, &rollout));
    const Json *pod = find_pod(&rollout);
    if (!pod)
        return wait_for_pod(c->arena, run, &rollout);
    if (rollout_is_stale(&rollout, run, pod)) { /* it came back from the old template */
        TRY(rollout_replace(c, run, &rollout));
        return err_wait(
            c->arena, "pod %s was made from the old template, and is replaced", meta_name(pod));
    }
    TRY(task_await_seid(c->arena, run, pod));
    task_stamp_pod(c->arena, run, pod);
    return OK;
}

const TaskKind task_observe_image = {.type = TASK_OBSERVE_IMAGE, .step = observe_image};
