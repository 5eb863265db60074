/* ensure-data-pvc: the volume with the node's data is there and is this node's.
 *
 * Never replaces data by an empty volume: what exists under the name is adopted, waited for or left
 * alone, and what was recorded once is not made again unless a person says so. That there is none
 * is proven by the server: only it can refuse to make a second one. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/volume_import.h"

static Err *record(const TaskRun *run, const Json *claim)
{
    run->status->volume =
        (NodeVolume){.name = meta_name(claim), .uid = meta_uid(claim), .imported = false};
    return OK;
}

/* --- what exists under the name --- */

static bool is_retained(const Json *claim, const SeiNode *node)
{
    return json_count(json_find(claim, ".metadata.ownerReferences")) == 0
        && str_eq(meta_label(claim, LABEL_NODE), node->key.name)
        && (meta_annotation(claim, ANNOTATION_RETAINED_BY)
            || str_eq(meta_uid(claim), node->wishes.adopt_volume));
}

static bool is_retained_by(const Json *claim, const SeiNode *node)
{
    return is_retained(claim, node)
        && str_eq(meta_annotation(claim, ANNOTATION_RETAINED_BY), node->uid);
}

static Err *check_chain(Arena *a, const Json *claim, const TaskRun *run)
{
    const char *have = meta_label(claim, LABEL_CHAIN);
    const char *want = meta_label(run->wanted->volume, LABEL_CHAIN);

    if (!have || !want || str_eq(have, want))
        return OK;
    return err_terminal(a,
        "PersistentVolumeClaim %s was kept with data of chain %s, and this node is for %s: import "
        "it on purpose with spec.dataVolume.import.pvcName, or delete or rename it",
        meta_name(claim),
        have,
        want);
}

/* Another node took the volume over while there was none of this name. */
static Err *check_not_imported(Ctx *c, TaskRun *run, const Json *claim)
{
    Key *others;

    if (!start_locks_others(
            run->start_locks, c->arena, run->node->key, exclusive_claim(meta_name(claim)), &others))
        return OK;
    return task_trouble(err_wait(c->arena,
                            "PersistentVolumeClaim %s was imported by SeiNode %s: delete that one, "
                            "or give this node another volume with spec.dataVolume.import",
                            meta_name(claim),
                            others[0].name),
        REASON_VOLUME_IN_USE);
}

/* The claim outlived an earlier node of this name. It becomes owned again; where it is to outlive
 * this node, too, it stays without an owner and says whose it is. */
static Err *adopt(Ctx *c, TaskRun *run, const Json *claim)
{
    Arena *a = c->arena;
    const SeiNode *node = run->node;
    Draft *metadata = draft(a, str("uid", meta_uid(claim)));
    const Json *adopted;

    TRY(check_chain(a, claim, run));
    TRY(check_not_imported(c, run, claim));
    TRY(task_volume_is_free(c, run));
    if (name_policy_retains(node->wishes.volume_policy)) {
        draft_set(metadata, obj("annotations", str(ANNOTATION_RETAINED_BY, node->uid)));
    } else {
        const Json *null;
        TRY(json_parse(a, bytes_of("null"), &null));
        draft_set(metadata, obj("annotations", draft_json(ANNOTATION_RETAINED_BY, null)));
        draft_set(
            metadata, list("ownerReferences", meta_owner_reference(a, kind_seinode, node->object)));
    }
    const Json *patch = json_seal(a, draft(a, sub("metadata", metadata)));
    TRY(kube_merge_patch(c, kind_pvc, claim, patch, &adopted));
    return record(run, adopted);
}

static Err *err_foreign(Arena *a, const Json *claim, const SeiNode *node)
{
    return err_terminal(a,
        "PersistentVolumeClaim %s exists and is not SeiNode %s's: use it with "
        "spec.dataVolume.import.pvcName, or delete it",
        key_text(a, meta_key(claim)),
        node->key.name);
}

static Err *take_existing(Ctx *c, TaskRun *run, const Json *claim)
{
    Arena *a = c->arena;
    const SeiNode *node = run->node;
    Standing standing = task_standing(claim, node);

    if (meta_deleting(claim))
        return err_wait(a,
            "PersistentVolumeClaim %s is being deleted: a new one is made when it is gone",
            meta_name(claim));
    if (standing == STANDING_OURS || is_retained_by(claim, node))
        return record(run, claim);
    if (standing == STANDING_PREVIOUS)
        return err_wait(a,
            "PersistentVolumeClaim %s is an earlier SeiNode's of this name, and is yet to be "
            "collected: if it stays, delete it, or use it with spec.dataVolume.import.pvcName",
            meta_name(claim));
    return is_retained(claim, node) ? adopt(c, run, claim) : err_foreign(a, claim, node);
}

/* --- nothing exists under the name --- */

/* A volume with data was recorded and is not there: an empty one would hide the loss. */
static Err *check_nothing_lost(Arena *a, const TaskRun *run)
{
    const NodeVolume *recorded = &run->status->volume;

    if (!recorded->uid || str_eq(recorded->uid, run->node->wishes.allow_new_volume))
        return OK;
    return task_trouble(err_wait(a,
                            "PersistentVolumeClaim %s (UID %s) with the node's data is gone: "
                            "restore it, or allow an empty one with annotation %s=%s",
                            recorded->name,
                            recorded->uid,
                            ANNOTATION_ALLOW_NEW_VOLUME,
                            recorded->uid),
        REASON_DATA_VOLUME_MISSING);
}

static Err *create(Ctx *c, TaskRun *run)
{
    const Json *made, *existing;

    TRY(check_nothing_lost(c->arena, run));
    Err *err = kube_create(c, kind_pvc, run->wanted->volume, &made);
    if (!err)
        return record(run, made);
    if (!status_is_already_exists(err))
        return err;
    /* Made in between, or there all the time without our label. */
    TRY(kube_get_if_any(c, kind_pvc, meta_key(run->wanted->volume), &existing));
    return existing ? take_existing(c, run, existing) : err;
}

static Err *ensure_data_pvc(Ctx *c, TaskRun *run)
{
    Key key = {.namespace = run->node->key.namespace, .name = run->wanted->claim};
    const Json *claim;

    run->look_again_ms = TASK_LOOK_MS; /* an import, or what is not ours, has not our label */
    if (!run->wanted->volume)
        return volume_import(c, run);
    TRY(kube_find(c, kind_pvc, key, &claim));
    return claim ? take_existing(c, run, claim) : create(c, run);
}

const TaskKind task_ensure_data_pvc = {.type = TASK_ENSURE_DATA_PVC, .step = ensure_data_pvc};
