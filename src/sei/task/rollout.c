/* Rollout: what replace-pod and observe-image see of a StatefulSet and its pod.
 *
 * A pod is known by what it was made from, never by status.currentRevision: OnDelete does not
 * advance that. Nothing is judged before the StatefulSet controller has seen our own last write. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

enum { SETTLED_MS = 60000, SHORT_GRACE_SECONDS = 60 };

/* Somebody has scaled it up. Put back; when the server's answer is still more than one, an
 * admission policy wants it so, and which pod goes first is not defined. */
static Err *scale_back(Ctx *c, TaskRun *run, const Json *statefulset)
{
    const Json *applied;

    TRY(task_apply_statefulset_over(c, run, statefulset, &applied));
    if (json_int(applied, ".spec.replicas", 1) > 1)
        return err_terminal(c->arena,
            "StatefulSet %s has more than one replica right after it was applied with one: another "
            "controller scales it; stop that (no pod is replaced meanwhile)",
            run->node->key.name);
    return err_wait(c->arena, "StatefulSet %s is being scaled back to 1", run->node->key.name);
}

static Err *check_statefulset(Ctx *c, TaskRun *run, const Json *sts)
{
    Arena *a = c->arena;
    const char *name = run->node->key.name;

    if (!sts)
        return err_wait(a, "StatefulSet %s does not exist yet, and is applied again", name);
    if (meta_deleting(sts))
        return err_wait(
            a, "StatefulSet %s is being deleted: it is made again when it is gone", name);
    if (task_standing(sts, run->node) != STANDING_OURS)
        return err_wait(
            a, "StatefulSet %s is not this node's: delete it, and the node makes its own", name);
    if (json_int(sts, ".status.observedGeneration", 0) < meta_generation(sts))
        return err_wait(a,
            "the StatefulSet controller has not seen the new template of StatefulSet %s: if that "
            "lasts, look at kube-controller-manager",
            name);
    if (str_empty(json_str(sts, ".status.updateRevision")))
        return err_wait(a,
            "StatefulSet %s has no update revision yet: if that lasts, look at "
            "kube-controller-manager",
            name);
    return json_int(sts, ".spec.replicas", 1) > 1 ? scale_back(c, run, sts) : OK;
}

Err *rollout_look(Ctx *c, TaskRun *run, Rollout *ret)
{
    Rollout rollout = {0};
    const Selector *selector;

    TRY(kube_find(c, kind_statefulset, run->node->key, &rollout.statefulset));
    TRY(check_statefulset(c, run, rollout.statefulset));
    TRY(err_wrap(c->arena,
        selector_decode(c->arena, json_find(rollout.statefulset, ".spec.selector"), &selector),
        "StatefulSet %s",
        run->node->key.name));
    TRY(kube_select(c, kind_pod, run->node->key.namespace, selector, &rollout.pods));
    *ret = rollout;
    return OK;
}

bool rollout_has(const Rollout *rollout, const Json *pod)
{
    return meta_controlled_by(pod, rollout->statefulset) && meta_label(pod, LABEL_REVISION)
        && !meta_deleting(pod);
}

bool rollout_is_stale(const Rollout *rollout, const TaskRun *run, const Json *pod)
{
    const char *hash = meta_annotation(pod, ANNOTATION_TEMPLATE_HASH);
    const char *applied = run->status->plan.applied_hash;
    const NodeAdopted *adopted = &run->status->adopted;

    if (!rollout_has(rollout, pod))
        return false;
    if (run->pod_is_edited && str_eq(meta_uid(pod), meta_uid(run->pod)))
        return true;
    /* A pod of another operator that was taken over counts as made from what was wanted then. */
    if (!hash && adopted->pod_uid && str_eq(adopted->pod_uid, meta_uid(pod)))
        hash = adopted->template_hash;
    if (hash && applied)
        return !str_eq(hash, applied);
    return !str_eq(
        meta_label(pod, LABEL_REVISION), json_str(rollout->statefulset, ".status.updateRevision"));
}

/* A start in the future shows that our clock is slow, so seid may have run for any time. */
static bool seid_is_settled(Ctx *c, const Json *pod)
{
    const Json *status;
    int64_t started_ns;

    json_each(status, json_find(pod, ".status.containerStatuses"))
        if (str_eq(json_str(status, ".name"), CONTAINER_SEID)
            && timestamp_parse(json_str(status, ".state.running.startedAt"), &started_ns)) {
            int64_t age_ms = clock_wall_ms(c->clock) - started_ns / 1000000;
            return age_ms < 0 || age_ms >= SETTLED_MS;
        }
    return false;
}

/* A seid that has run for a while has a state to save and gets the pod's own grace. */
static DeleteOptions delete_options(Ctx *c, const Json *pod)
{
    int64_t own = json_int(pod, ".spec.terminationGracePeriodSeconds", INT64_MAX);

    if (own <= SHORT_GRACE_SECONDS || seid_is_settled(c, pod))
        return (DeleteOptions){0};
    return (DeleteOptions){.has_grace = true, .grace_seconds = SHORT_GRACE_SECONDS};
}

/* A pod that signs is not stopped for one that could not start. And of two nodes that run with one
 * key, as another operator has left them, neither is started anew: it may be that its pod does not
 * sign, for whatever is wrong with it, and that the next one would. */
static Err *check_next_can_start(Ctx *c, TaskRun *run, const Json *pod)
{
    const Err *err;

    if (task_signing_secret(run))
        TRY(task_signs_alone(c, run));
    err = task_keys_are_there(c, run);
    return err ? err_wait(c->arena,
                     "pod %s is not stopped now, for the next could not start: %s",
                     meta_name(pod),
                     err_text(c->arena, err))
               : OK;
}

Err *rollout_replace(Ctx *c, TaskRun *run, const Rollout *rollout)
{
    for (size_t i = 0; i < rollout->pods.count; i++) {
        const Json *pod = rollout->pods.items[i];
        if (!rollout_is_stale(rollout, run, pod))
            continue;
        if (run->stop_no_pod)
            return err_wait(c->arena,
                "pod %s is not stopped now: the condition Stalled says why",
                meta_name(pod));
        TRY(task_volume_stays(c, run));
        TRY(check_next_can_start(c, run, pod));
        TRY(kube_delete(c, kind_pod, pod, delete_options(c, pod)));
    }
    return OK;
}
