/* Volume: the claim with the data of a node. One that is gone is never replaced by an empty one
 * unless a person asks for exactly that; one that is going is kept alive by its pod, so nothing may
 * stop that pod. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
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

bool plan_volume_is_lost(const Planning *p)
{
    const char *recorded = p->status->volume.uid;

    return !p->s->volume || (recorded && !str_eq(recorded, meta_uid(p->s->volume)));
}

static bool is_named(const Planning *p, const Json *volume)
{
    return volume && str_eq(p->node->wishes.adopt_volume, meta_uid(volume));
}

/* Another claim of the recorded name. */
static bool may_take_the_place(const Planning *p)
{
    const Json *volume = p->s->volume;

    if (meta_deleting(volume))
        return false;
    if (meta_controlled_by(volume, p->node->object))
        return true;
    return is_named(p, volume) && !meta_controller(volume)
        && str_eq(meta_label(volume, LABEL_NODE), p->node->key.name);
}

/* A person has brought a volume for the one that is lost: another claim than the recorded one, or,
 * for one that was imported itself, a new claim of its name. */
static bool is_import_offered(const Planning *p)
{
    const NodeVolume *volume = &p->status->volume;
    const char *import = p->node->spec.import_claim;

    if (!volume->uid || !import)
        return false;
    return !volume->imported || !str_eq(volume->name, import) || is_named(p, p->s->volume);
}

static void hold(Planning *p)
{
    p->d->hold_statefulset = true;
    p->d->stop_no_pod = true;
    /* An init would make an empty one. */
    if (p->status->phase != PHASE_RUNNING)
        p->d->frozen = true;
}

/* Only ways that work: the schema keeps an import from being changed, but not from being removed
 * with all of spec.dataVolume. */
static const char *ways_out(const Planning *p)
{
    const NodeVolume *volume = &p->status->volume;
    const char *restore = str_format(
        p->a, "restore it without an owner, with the label " LABEL_NODE "=%s", p->node->key.name);
    const char *trouble = p->s->import.trouble;

    if (!volume->uid)
        return is_imported(p) ? "restore it" : restore;
    if (volume->imported && !trouble)
        return str_format(p->a,
            "restore a claim of that name and set the annotation " ANNOTATION_ADOPT_VOLUME
            "=<its uid>; or, to set the node up anew on a claim of that name, set the "
            "annotation " ANNOTATION_ALLOW_NEW_VOLUME "=%s",
            volume->uid);
    const char *others = str_format(p->a,
        "%s, and set the annotation " ANNOTATION_ADOPT_VOLUME
        "=<its uid>; or set spec.dataVolume.import; or, to begin with an empty volume, set the "
        "annotation " ANNOTATION_ALLOW_NEW_VOLUME "=%s",
        restore,
        volume->uid);
    if (!trouble)
        return others;
    return str_format(p->a,
        "spec.dataVolume.import cannot take its place: %s. Put that right; or remove "
        "spec.dataVolume and choose another way: %s",
        trouble,
        others);
}

/* What keeps another claim of the name from being taken, although a person has named it. */
static const char *fault_of(const Planning *p, const Json *claim)
{
    const Json *owner = meta_controller(claim);

    if (meta_deleting(claim))
        return "is being deleted";
    if (owner)
        return str_format(p->a,
            "belongs to %s %s, whose reference has to go",
            json_str(owner, ".kind"),
            json_str(owner, ".name"));
    return str_format(p->a, "lacks the label " LABEL_NODE "=%s", p->node->key.name);
}

/* Why what is there does not take the place of what is gone; NULL: there is nothing to say. */
static const char *why_not_taken(const Planning *p)
{
    const Json *claim = p->s->volume;
    const char *named = p->node->wishes.adopt_volume, *uid = claim ? meta_uid(claim) : NULL;

    if (!claim && !named)
        return NULL;
    if (!claim)
        return str_format(p->a,
            "The annotation " ANNOTATION_ADOPT_VOLUME
            " names the uid %s, and no claim of that name is there",
            named);
    if (!named)
        return str_format(p->a,
            "Now a claim of that name is there, with the uid %s: set the "
            "annotation " ANNOTATION_ADOPT_VOLUME "=%s if it has the data",
            uid,
            uid);
    if (!is_named(p, claim))
        return str_format(p->a,
            "The annotation " ANNOTATION_ADOPT_VOLUME
            " names the uid %s, and the claim that is there has the uid %s: set it to %s if that "
            "one has the data",
            named,
            uid,
            uid);
    return str_format(
        p->a, "The claim of that name that is there (uid %s) %s", uid, fault_of(p, claim));
}

static void tell_missing(Planning *p)
{
    const NodeVolume *volume = &p->status->volume;
    const char *why_not = volume->uid ? why_not_taken(p) : NULL;

    plan_stall(p,
        REASON_DATA_VOLUME_MISSING,
        str_format(p->a,
            "the claim %s with the data of the node (uid %s) is gone, and is not replaced by an "
            "empty one%s%s: %s",
            volume->name ? volume->name : p->s->wanted->claim,
            volume->uid ? volume->uid : "not recorded",
            why_not ? ". " : "",
            why_not ? str_format(p->a, "%s. Other ways", why_not) : "",
            ways_out(p)));
    hold(p);
}

/* The claim is known to be good: it is recorded now, and what was recorded is forgotten. */
static void take_import(Planning *p)
{
    p->status->volume = (NodeVolume){
        .name = p->node->spec.import_claim,
        .uid = meta_uid(p->s->import.claim),
        .imported = true,
    };
    p->rendering_is_old = true;
    p->d->repair_waits = true; /* for the next look, which is put on the new claim */
}

/* The record stays until the import is known to be good: so it can still be taken back. */
static bool judge_import(Planning *p)
{
    if (!p->s->import.is_read) {
        p->d->needs_import_proof = true;
        return false;
    }
    if (p->s->import.claim) {
        take_import(p);
        return true;
    }
    tell_missing(p);
    plan_look_again(p, IMPORT_LOOK_AGAIN_MS);
    return true;
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
    const char *uid = p->status->volume.uid;

    if (!p->s->volume_absent_for_sure) {
        p->d->needs_volume_proof = true;
        return false;
    }
    if (p->d->stall.is_set) { /* whose plan or objects these are comes first */
        hold(p);
        return true;
    }
    if (is_import_offered(p))
        return judge_import(p);
    if (uid && str_eq(p->node->wishes.allow_new_volume, uid))
        begin_afresh(p);
    else
        tell_missing(p);
    return true;
}

/* The pod that runs has the data; the next one would not. */
static void stop_no_pod(Planning *p)
{
    p->d->hold_statefulset = true;
    p->d->stop_no_pod = true;
}

static void tell_terminating(Planning *p)
{
    const char *name = json_str(p->s->volume, ".spec.volumeName");

    plan_stall(p,
        REASON_DATA_VOLUME_TERMINATING,
        str_format(p->a,
            "the claim %s is being deleted and goes with its data as soon as the pod stops, so "
            "nothing stops the pod now; the data is saved if PersistentVolume %s has "
            "persistentVolumeReclaimPolicy: Retain by then: look, and set it if it has not",
            p->s->wanted->claim,
            name ? name : "of the claim"));
    stop_no_pod(p);
}

static void tell_without_volume(Planning *p)
{
    const char *name = json_str(p->s->volume, ".spec.volumeName");

    plan_stall(p,
        REASON_DATA_VOLUME_LOST,
        str_format(p->a,
            "the claim %s is Lost because its PersistentVolume %s is gone; no new pod could mount "
            "it, so nothing stops the pod now: create PersistentVolume %s again for the same disk, "
            "with this claim as spec.claimRef",
            p->s->wanted->claim,
            name ? name : "",
            name ? name : "of the claim"));
    stop_no_pod(p);
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

/* The status names an imported claim before any pod mounts it. */
static bool runs_on_volume(const Planning *p)
{
    return p->status->phase == PHASE_RUNNING || pod_mounts_claim(p->s->pod, p->s->wanted->claim);
}

/* The node is never stopped for that: an older operator started nodes on such a claim. */
void plan_tell_volume_of_other_node(Planning *p)
{
    const char *other = claim_other_node(p->s->volume, p->node->uid);

    if (!other || !p->status->volume.imported || plan_volume_is_lost(p) || !runs_on_volume(p))
        return;
    plan_stall(p,
        REASON_DATA_VOLUME_OF_OTHER_NODE,
        str_format(p->a,
            "this node runs on the claim %s, which SeiNode %s controls: set the "
            "annotation " ANNOTATION_VOLUME_POLICY ": Retain on SeiNode %s, or the claim can be "
            "deleted with it",
            p->s->wanted->claim,
            other,
            other));
    plan_look_again(p, FOREIGN_LOOK_AGAIN_MS);
}

/* What is there is looked at; false when it is not the one, or when that is not known yet. */
static bool judge_present(Planning *p)
{
    NodeVolume *volume = &p->status->volume;
    bool is_recorded = volume->uid && !plan_volume_is_lost(p);

    if (is_recorded)
        return true;
    if (volume->uid ? may_take_the_place(p) : is_ours(p)) {
        record(p);
        return true;
    }
    if (is_import_offered(p))
        (void)judge_import(p);
    else if (volume->uid)
        tell_missing(p);
    else if (p->status->phase == PHASE_RUNNING)
        tell_foreign(p);
    return false;
}

/* --- a node that does not run yet may still go to another claim --------------------------------
 */

static bool asks_for_another(const Planning *p)
{
    const char *import = p->node->spec.import_claim;
    const char *asked = import ? import : name_data_volume(p->a, p->node->key.name);

    return p->status->phase != PHASE_RUNNING && p->status->volume.uid
        && !str_eq(p->status->volume.name, asked);
}

/* What was done on the other claim does not count here, and what is at work there ends with its
 * pod, which is replaced. */
static void move_to_asked(Planning *p)
{
    if (plan_is_active(p->status))
        plan_supersede(p, "the node is set up on another volume");
    p->superseded = NULL;
    p->status->has_plan = false;
    p->status->plan = (Plan){.id = "", .failed_index = -1};
    p->status->volume = (NodeVolume){0};
    p->rendering_is_old = true;
    node_set_phase(p->status, PHASE_INITIALIZING, p->s->now);
    if (p->s->import.claim)
        take_import(p);
}

static bool judge_asked(Planning *p)
{
    const char *import = p->node->spec.import_claim;

    if (p->d->stall.is_set) {
        hold(p);
        return true;
    }
    if (import && !p->s->import.is_read) {
        p->d->needs_import_proof = true;
        return false;
    }
    if (!import || p->s->import.claim) {
        move_to_asked(p);
        return true;
    }
    plan_stall(p,
        REASON_IMPORT_NOT_READY,
        str_format(p->a,
            "the claim that spec.dataVolume.import names cannot be used: %s. The set-up waits for "
            "it; remove spec.dataVolume to go on with the claim %s",
            p->s->import.trouble,
            p->status->volume.name));
    hold(p);
    plan_look_again(p, IMPORT_LOOK_AGAIN_MS);
    return true;
}

/* The recorded claim is there, and may be on its way out. */
static void judge_end(Planning *p)
{
    if (meta_deleting(p->s->volume))
        tell_terminating(p);
    else if (claim_is_lost(p->s->volume))
        tell_without_volume(p);
}

bool plan_volume(Planning *p)
{
    NodeVolume *volume = &p->status->volume;
    bool is_running = p->status->phase == PHASE_RUNNING;

    if (p->claim_is_other && !volume->uid)
        return true;
    if (asks_for_another(p))
        return judge_asked(p);
    if (!p->s->volume)
        return is_running || volume->uid ? judge_missing(p) : true;
    if (judge_present(p) && volume->uid)
        judge_end(p);
    return !p->d->needs_import_proof;
}
