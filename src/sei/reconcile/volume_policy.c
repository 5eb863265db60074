/* Who may take a data volume with him. The garbage collector deletes the dependents of a foreground
 * deletion at once, whatever finalizers say; so a volume that is to be kept has no owner reference
 * at any time, not just from the moment of deletion on. Then it is known as ours by its label, by
 * the annotation sei.io/retained-by and by the uid in status.dataVolume. */
#include "sei/reconcile/volumes.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

Err *crd_is_going(Ctx *c, const char *crd_name, bool *ret)
{
    const Json *crd;
    Err *err = kube_get_if_any(c, kind_crd, (Key){.name = crd_name}, &crd);

    if (err && !err_has_status(err, 403))
        return err;
    *ret = err || !crd || meta_deleting(crd);
    return OK;
}

/* A fleet that keeps its volumes says so itself; one that cannot be read might. */
static Err *fleet_retains(Ctx *c, const Json *node, bool *ret)
{
    const Json *fleet, *controller = meta_controller(node);
    Key key = {.namespace = meta_namespace(node), .name = json_str(controller, ".name")};

    *ret = false;
    if (!str_eq(json_str(controller, ".kind"), kind_seinodedeployment->name))
        return OK;
    Err *err = kube_get_if_any(c, kind_seinodedeployment, key, &fleet);
    if (err && !err_has_status(err, 403))
        return err;
    *ret = err
        || (str_eq(meta_uid(fleet), json_str(controller, ".uid"))
            && str_eq(json_str(fleet, ".spec.deletionPolicy"), "Retain"));
    return OK;
}

static bool asks_to_retain(const Json *node)
{
    return name_policy_retains(meta_annotation(node, ANNOTATION_VOLUME_POLICY));
}

Err *volume_is_retained(Ctx *c, const Json *node, bool *ret)
{
    *ret = asks_to_retain(node) || meta_has_finalizer(node, "orphan");
    if (!*ret)
        TRY(fleet_retains(c, node, ret));
    return *ret ? OK : crd_is_going(c, "seinodes.sei.io", ret);
}

/* Names exactly what was seen: its UID, its version. */
static Draft *precondition(Arena *a, const char *path, const char *value)
{
    return draft(a, str("op", "test"), str("path", path), str("value", value));
}

static Draft *start_patch(Arena *a, const Json *volume)
{
    Draft *patch = draft_array(a);

    draft_push(patch, precondition(a, "/metadata/uid", meta_uid(volume)));
    draft_push(patch, precondition(a, "/metadata/resourceVersion", meta_resource_version(volume)));
    return patch;
}

static Draft *put(Arena *a, const char *path, const Json *value)
{
    return draft(a, str("op", "add"), str("path", path), draft_json("value", value));
}

static const Json *with_retainer(Arena *a, const Json *volume, const char *uid)
{
    Draft *change = draft(a, str(ANNOTATION_RETAINED_BY, uid));

    return json_merge(a, json_find(volume, ".metadata.annotations"), json_seal(a, change));
}

Err *give_up_volume(NodePass *p, const Json *volume)
{
    Arena *a = p->c->arena;
    Draft *patch = start_patch(a, volume);

    draft_push(
        patch, put(a, "/metadata/ownerReferences", meta_other_owners(a, volume, p->node.uid)));
    draft_push(patch, put(a, "/metadata/annotations", with_retainer(a, volume, p->node.uid)));
    return kube_json_patch(p->c, kind_pvc, meta_key(volume), json_seal(a, patch), NULL);
}

static const Json *with_owner(Arena *a, const Json *volume, const Json *node)
{
    const Json *owner;
    Draft *owners = draft_array(a);

    json_each(owner, json_find(volume, ".metadata.ownerReferences"))
        draft_push_json(owners, owner);
    draft_push(owners, meta_owner_reference(a, kind_seinode, node));
    return json_seal(a, owners);
}

static Err *take_volume_back(NodePass *p, const Json *volume)
{
    Arena *a = p->c->arena;
    Draft *patch = start_patch(a, volume);

    draft_push(patch, put(a, "/metadata/ownerReferences", with_owner(a, volume, p->node.object)));
    if (meta_annotation(volume, ANNOTATION_RETAINED_BY))
        draft_push(patch,
            draft(
                a, str("op", "remove"), str("path", "/metadata/annotations/sei.io~1retained-by")));
    return kube_json_patch(p->c, kind_pvc, meta_key(volume), json_seal(a, patch), NULL);
}

/* The recorded one, with nobody as its owner. */
static bool is_ours_to_mark(const NodePass *p, const Json *volume)
{
    const NodeVolume *recorded = &p->node.status.volume;

    return recorded->uid && !recorded->imported && str_eq(meta_uid(volume), recorded->uid)
        && !meta_controller(volume) && str_eq(meta_label(volume, LABEL_NODE), p->node.key.name);
}

Err *keep_volume_policy(NodePass *p)
{
    const Json *volume = p->snapshot.volume;
    bool retain = asks_to_retain(p->node.object);

    if (!volume || meta_deleting(volume))
        return OK;
    if (retain && meta_controlled_by(volume, p->node.object))
        return give_up_volume(p, volume);
    if (!is_ours_to_mark(p, volume))
        return OK;
    bool retained = str_eq(meta_annotation(volume, ANNOTATION_RETAINED_BY), p->node.uid);
    if (retain)
        return retained ? OK : give_up_volume(p, volume);
    /* An owner reference would let the volume go with this node, under the other one. */
    if (start_locks_is_shared(p->app->start_locks, p->node.key, exclusive_claim(meta_name(volume))))
        return OK;
    /* A person who took the owner off without a word may have meant to keep the data. */
    bool adopted = str_eq(p->node.wishes.adopt_volume, meta_uid(volume));
    return retained || adopted ? take_volume_back(p, volume) : OK;
}
