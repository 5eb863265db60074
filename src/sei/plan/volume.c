/* Volume: the claim with the data of a node. One that is gone is never replaced by an empty one
 * unless a person asks for exactly that; one that is going is kept alive by its pod, so nothing may
 * stop that pod. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/parts.h"

static bool is_imported(const Planning *p)
{
    const char *import = p->node->spec.import_claim;
    return import && str_eq(import, p->s->wanted->claim);
}

static void record(Planning *p)
{
    p->status->volume = (NodeVolume){
        .name = p->s->wanted->claim,
        .uid = meta_uid(p->s->volume),
        .imported = is_imported(p),
    };
}

static bool is_ours(const Planning *p)
{
    const Json *volume = p->s->volume;
    const char *uid = meta_uid(volume);

    if (is_imported(p) || meta_controlled_by(volume, p->node->object))
        return true;
    if (meta_controller(volume) || !str_eq(meta_label(volume, LABEL_NODE), p->node->key.name))
        return false;
    return p->status->phase == PHASE_RUNNING
        || str_eq(meta_annotation(volume, ANNOTATION_RETAINED_BY), p->node->uid)
        || str_eq(p->node->wishes.adopt_volume, uid);
}

/* Another claim of the recorded name. */
static bool may_take_the_place(const Planning *p)
{
    const Json *volume = p->s->volume;

    if (meta_deleting(volume))
        return false;
    if (meta_controlled_by(volume, p->node->object))
        return true;
    if (!str_eq(p->node->wishes.adopt_volume, meta_uid(volume)))
        return false;
    return p->status->volume.imported
        || (!meta_controller(volume) && str_eq(meta_label(volume, LABEL_NODE), p->node->key.name));
}

static void hold(Planning *p)
{
    p->d->hold_statefulset = true;
    p->d->stop_no_pod = true;
    /* An init would make an empty one. */
    if (p->status->phase != PHASE_RUNNING)
        p->d->frozen = true;
}

static void tell_missing(Planning *p)
{
    const NodeVolume *volume = &p->status->volume;
    const char *claim = volume->name ? volume->name : p->s->wanted->claim;

    plan_stall(p,
        REASON_DATA_VOLUME_MISSING,
        str_format(p->a,
            "the claim %s with the data of the node (uid %s) is gone, and is not replaced by an "
            "empty one: restore it without an owner, with the label " LABEL_NODE
            "=%s, and set the annotation " ANNOTATION_ADOPT_VOLUME
            "=<its uid>; or set spec.dataVolume.import; or, to begin with an empty volume, set the "
            "annotation " ANNOTATION_ALLOW_NEW_VOLUME "=%s",
            claim,
            volume->uid ? volume->uid : "not recorded",
            p->node->key.name,
            volume->uid ? volume->uid : "<recorded uid>"));
    hold(p);
}

/* As if the node were new; nothing of what was done is left to carry over. */
static void begin_afresh(Planning *p)
{
    NodeStatus *status = p->status;

    if (plan_is_active(status))
        plan_supersede(p, "the data volume was given up for a new one");
    p->superseded = NULL;
    p->is_fresh = true;
    status->has_plan = false; /* a plan may have to wait: then nothing of the old one is found */
    status->plan = (Plan){.id = "", .failed_index = -1};
    status->volume = (NodeVolume){0};
    status->identity = (NodeIdentity){0};
    status->adopted = (NodeAdopted){0};
    status->drift = (Drift){0};
    status->current_image = status->pod_template_hash = status->spec_hash = NULL;
    node_set_phase(status, PHASE_INITIALIZING, p->s->now);
    /* It is hashed by its spec again, and no longer by what was recorded. */
    SeiNode *unsettled = arena_new(p->a, SeiNode);
    *unsettled = *p->node;
    unsettled->status = *status;
    p->init_hash = node_init_hash(p->a, unsettled);
}

static bool judge_missing(Planning *p)
{
    NodeVolume *volume = &p->status->volume;

    if (!p->s->volume_absent_for_sure) {
        p->d->needs_volume_proof = true;
        return false;
    }
    if (p->d->stall.is_set) { /* whose plan or objects these are comes first */
        hold(p);
        return true;
    }
    if (volume->uid && !volume->imported && p->node->spec.import_claim) {
        *volume = (NodeVolume){0};
        p->rendering_is_old = true;
        return true;
    }
    if (volume->uid && str_eq(p->node->wishes.allow_new_volume, volume->uid))
        begin_afresh(p);
    else
        tell_missing(p);
    return true;
}

static void tell_terminating(Planning *p)
{
    const char *name = json_str(p->s->volume, ".spec.volumeName");

    plan_stall(p,
        REASON_DATA_VOLUME_TERMINATING,
        str_format(p->a,
            "the claim %s is being deleted and goes with its data as soon as the pod stops, so "
            "nothing stops the pod now; to save the data set persistentVolumeReclaimPolicy: Retain "
            "on PersistentVolume %s first",
            p->s->wanted->claim,
            name ? name : "of the claim"));
    p->d->hold_statefulset = true;
    p->d->stop_no_pod = true;
}

static void tell_foreign(Planning *p)
{
    plan_stall(p,
        REASON_FOREIGN_OBJECT,
        str_format(p->a,
            "the claim %s belongs to somebody else; name it in spec.dataVolume.import if the node "
            "may use it, or move it away",
            p->s->wanted->claim));
    p->d->stall.look_again_ms = FOREIGN_LOOK_AGAIN_MS;
    hold(p);
}

/* What is there is looked at; false when it is not the one. */
static bool judge_present(Planning *p)
{
    NodeVolume *volume = &p->status->volume;
    bool is_recorded = volume->uid && str_eq(volume->uid, meta_uid(p->s->volume));

    if (is_recorded)
        return true;
    if (volume->uid ? may_take_the_place(p) : is_ours(p)) {
        record(p);
        return true;
    }
    if (volume->uid)
        tell_missing(p);
    else if (p->status->phase == PHASE_RUNNING)
        tell_foreign(p);
    return false;
}

bool plan_volume(Planning *p)
{
    NodeVolume *volume = &p->status->volume;
    bool is_running = p->status->phase == PHASE_RUNNING;

    if (p->claim_is_other && !volume->uid)
        return true;
    /* An init may still change its mind. */
    if (!is_running && volume->name && !str_eq(volume->name, p->s->wanted->claim))
        *volume = (NodeVolume){0};
    if (!p->s->volume)
        return is_running || volume->uid ? judge_missing(p) : true;
    if (judge_present(p) && volume->uid && meta_deleting(p->s->volume))
        tell_terminating(p);
    return true;
}
