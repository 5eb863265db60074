/* What a volume must be before a node is put on it, in the order in which it is looked at: the
 * first thing that is wrong decides, and says whether waiting can help. The storage class is
 * deliberately not among them. */
#include "sei/task/volume_import.h"

#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"

static bool can_be_written(const Json *claim)
{
    const Json *mode;

    json_each(mode, json_find(claim, ".spec.accessModes"))
        if (str_eq(json_text(mode), "ReadWriteOnce") || str_eq(json_text(mode), "ReadWriteOncePod"))
            return true;
    return false;
}

static Err *check_claim(Arena *a, const char *name, const Json *claim)
{
    const char *phase = json_str(claim, ".status.phase");

    if (!claim)
        return err_wait(a,
            "PersistentVolumeClaim %s does not exist: create it, or correct "
            "spec.dataVolume.import.pvcName",
            name);
    if (meta_deleting(claim))
        return err_wait(a,
            "PersistentVolumeClaim %s is being deleted: name another in "
            "spec.dataVolume.import.pvcName",
            name);
    if (claim_is_lost(claim))
        return err_terminal(a,
            "PersistentVolumeClaim %s has lost its volume: name another in "
            "spec.dataVolume.import.pvcName",
            name);
    if (!str_eq(phase, "Bound"))
        return err_wait(a,
            "PersistentVolumeClaim %s is %s, not Bound: its own events say why",
            name,
            phase ? phase : "Pending");
    if (!can_be_written(claim))
        return err_terminal(a,
            "PersistentVolumeClaim %s has neither access mode ReadWriteOnce nor ReadWriteOncePod, "
            "and seid needs one of them",
            name);
    return OK;
}

static Err *check_size(Arena *a, const TaskRun *run, const Json *claim)
{
    const Settings *settings = run->settings;
    const char *wanted = node_mode(run->node) == MODE_ARCHIVE ? settings->storage_size_archive
                                                              : settings->storage_size;
    const char *have = json_str(claim, ".status.capacity.storage");
    Quantity least, capacity;

    TRY(quantity_parse(a, wanted, &least));
    if (!have)
        return err_wait(a, "PersistentVolumeClaim %s has no capacity yet", meta_name(claim));
    TRY(quantity_parse(a, have, &capacity));
    if (quantity_compare(capacity, least) < 0)
        return err_terminal(a,
            "PersistentVolumeClaim %s has %s, and the node needs %s: expand it, or name another",
            meta_name(claim),
            have,
            wanted);
    return OK;
}

static Err *check_volume(Arena *a, const Json *claim, const char *name, const Json *volume)
{
    const char *have = json_str(volume, ".spec.capacity.storage");
    const char *claimed = json_str(claim, ".status.capacity.storage");

    if (!volume)
        return err_wait(a, "PersistentVolume %s does not exist", name);
    if (str_eq(json_str(volume, ".status.phase"), "Failed"))
        return err_terminal(a, "PersistentVolume %s is Failed", name);
    Quantity left, right;
    if (!have || quantity_parse(a, have, &left) || quantity_parse(a, claimed, &right)
        || quantity_compare(left, right) != 0)
        return err_terminal(a,
            "PersistentVolume %s has %s, and PersistentVolumeClaim %s says %s",
            name,
            have ? have : "no capacity",
            meta_name(claim),
            claimed);
    return OK;
}

/* A claim that another node controls goes when that node is deleted, with the data under this one.
 */
static Err *check_controller(Arena *a, const TaskRun *run, const Json *claim)
{
    const char *other = claim_other_node(claim, run->node->uid);

    if (!other)
        return OK;
    return err_wait(a,
        "PersistentVolumeClaim %s is controlled by SeiNode %s and is deleted with it: set the "
        "annotation " ANNOTATION_VOLUME_POLICY ": Retain on SeiNode %s, and this node goes on",
        meta_name(claim),
        other,
        other);
}

Err *volume_import_look(Ctx *c, const TaskRun *run, const Json **ret)
{
    Arena *a = c->arena;
    const char *name = run->wanted->claim;
    Key key = {.namespace = run->node->key.namespace, .name = name};
    const Json *claim, *volume;

    TRY(kube_get_if_any(c, kind_pvc, key, &claim));
    TRY(check_claim(a, name, claim));
    TRY(check_size(a, run, claim));
    const char *volume_name = json_str(claim, ".spec.volumeName");
    if (str_empty(volume_name))
        return err_wait(a, "PersistentVolumeClaim %s names no volume yet", name);
    TRY(kube_get_if_any(c, kind_pv, (Key){.name = volume_name}, &volume));
    TRY(check_volume(a, claim, volume_name, volume));
    TRY(check_controller(a, run, claim));
    *ret = claim;
    return OK;
}

void volume_import_tell(Ctx *c, const TaskRun *run, const Err *err)
{
    char *now = arena_alloc(c->arena, TIMESTAMP_SIZE);
    Cond cond = {
        .type = COND_IMPORT_READY,
        .status = err ? "False" : "True",
        .reason = reason_text(!err          ? REASON_PVC_VALIDATED
                : err_is(err, ERR_TERMINAL) ? REASON_PVC_INVALID
                                            : REASON_PVC_NOT_READY),
        .message = err ? err_text(c->arena, err) : "",
        .observed_generation = run->node->generation,
    };

    timestamp_format(c->clock->wall_ns(c->clock), now);
    conds_set(c->arena, &run->status->conds, &cond, now);
}

Err *volume_import(Ctx *c, TaskRun *run)
{
    const Json *claim = NULL;
    Err *err = volume_import_look(c, run, &claim);

    volume_import_tell(c, run, err);
    TRY(err);
    /* The Job may run already when an operator died before it stored that. */
    TRY(task_volume_is_free_of_others(c, run));
    run->status->volume =
        (NodeVolume){.name = meta_name(claim), .uid = meta_uid(claim), .imported = true};
    return OK;
}
