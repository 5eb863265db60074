/* apply-statefulset: the StatefulSet that runs a node's one pod.
 *
 * A pod starts when the StatefulSet is made or goes from 0 to 1: then the volume must be free, and
 * the key free with which it signs. How many replicas are wanted, or whether that is not ours to
 * say, stands in what was rendered. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/kinds.h"
#include "sei/task/kinds.h"

#include <string.h>

enum { REPLICAS_NOT_OURS = -1 };

static bool starts_pod(const TaskRun *run, const Json *there)
{
    int64_t wanted = json_int(run->wanted->statefulset, ".spec.replicas", REPLICAS_NOT_OURS);

    return there ? wanted > 0 && json_int(there, ".spec.replicas", 1) == 0 : wanted != 0;
}

/* From here on any pod of it would sign, and none of them did before. */
static bool brings_key(const TaskRun *run, const Json *there)
{
    const char *secret = task_signing_secret(run);
    int64_t wanted = json_int(run->wanted->statefulset, ".spec.replicas", REPLICAS_NOT_OURS);

    return secret && there && wanted != 0 && !statefulset_mounts_secret(there, secret);
}

static Err *check_signer_start(Ctx *c, TaskRun *run)
{
    TRY(task_start_on_volume(c, run, VOLUME_LOOK_NODES));
    Err *err = task_start_signer(c, run, true);
    if (err)
        task_give_up_volume(run);
    return err;
}

/* When a node is created, only a Job of its own can be on the volume, unless other nodes name the
 * volume. For a node that signs, one LIST of pods answers for key and volume. */
static Err *check_start(Ctx *c, TaskRun *run, const Json *there)
{
    if (task_signing_secret(run))
        return check_signer_start(c, run);
    bool is_birth = !there && run->status->phase != PHASE_RUNNING && !run->status->statefulset_uid;

    return task_start_on_volume(c, run, is_birth ? VOLUME_LOOK_CACHED : VOLUME_LOOK_LIVE);
}

/* Also the pod that a deleted StatefulSet has left behind. */
static bool stops_pod(const TaskRun *run, const Json *there)
{
    int64_t wanted = json_int(run->wanted->statefulset, ".spec.replicas", REPLICAS_NOT_OURS);

    return wanted == 0 && (there ? json_int(there, ".spec.replicas", 1) > 0 : run->pod != NULL);
}

/* A StatefulSet of earlier days has updateStrategy.rollingUpdate, which the server does not allow
 * beside OnDelete, and which an apply cannot remove because somebody else owns it. */
static bool is_legacy_strategy(Arena *a, const Err *err)
{
    return status_is_invalid(err) && strstr(err_text(a, err), "rollingUpdate");
}

static Draft *operation(Arena *a, const char *op, const char *path, const Json *value)
{
    return draft(a, str("op", op), str("path", path), draft_json("value", value));
}

static Err *drop_legacy_strategy(Ctx *c, const TaskRun *run, const Json *there, const Json **ret)
{
    Arena *a = c->arena;
    Draft *operations = draft_array(a);
    const Json *strategy = json_find(run->wanted->statefulset, ".spec.updateStrategy");

    draft_push(
        operations, operation(a, "test", "/metadata/uid", json_find(there, ".metadata.uid")));
    draft_push(operations, operation(a, "replace", "/spec/updateStrategy", strategy));
    return kube_json_patch(c, kind_statefulset, run->node->key, json_seal(a, operations), ret);
}

static Err *apply_over(Ctx *c, const TaskRun *run, const Applying *what, const Json **ret)
{
    Err *err = task_apply_over(c, run, what, ret);

    task_doubt_start(c, run, err);
    return err;
}

Err *task_apply_statefulset_over(Ctx *c, TaskRun *run, const Json *there, const Json **ret)
{
    Applying what = {.kind = kind_statefulset, .there = there, .wanted = run->wanted->statefulset};

    if (run->hold_statefulset)
        return err_wait(
            c->arena, "the StatefulSet is held as it is: the condition Stalled says why");
    if (starts_pod(run, there))
        TRY(check_start(c, run, there));
    else if (brings_key(run, there))
        TRY(task_start_signer(c, run, false));
    if (stops_pod(run, there))
        TRY(task_volume_stays(c, run));
    Err *err = apply_over(c, run, &what, ret);
    if (!is_legacy_strategy(c->arena, err))
        return err;
    TRY(kube_get(c, kind_statefulset, run->node->key, &there));
    TRY(drop_legacy_strategy(c, run, there, &what.there));
    return apply_over(c, run, &what, ret);
}

Err *task_sync_statefulset(Ctx *c, TaskRun *run)
{
    const Json *there, *applied;

    TRY(kube_find(c, kind_statefulset, run->node->key, &there));
    applied = there;
    if (!task_is_right(c->arena, run, there, run->wanted->statefulset_owned))
        TRY(task_apply_statefulset_over(c, run, there, &applied));
    run->status->statefulset_name = meta_name(applied);
    run->status->statefulset_uid = meta_uid(applied);
    return OK;
}

static Err *apply_statefulset(Ctx *c, TaskRun *run)
{
    TRY(task_sync_statefulset(c, run));
    run->status->plan.applied_hash = run->wanted->template_hash;
    return OK;
}

const TaskKind task_apply_statefulset = {.type = TASK_APPLY_STATEFULSET, .step = apply_statefulset};
