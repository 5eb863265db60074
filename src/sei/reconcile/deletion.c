/* The end of a node: decide what becomes of its data, store that it is ending, delete the volume if
 * it is ours to delete, let go. Everything else goes through owner references.
 *
 * A volume is deleted only when it was made for this node, is controlled by exactly this node, its
 * policy is Delete, no other node uses it, and all of that was read live in this very step; the
 * delete names uid and version. In every other case it stays, and an event says so. */
#include "sei/reconcile/volumes.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/names.h"
#include "sei/sidecar/seids.h"

/* The status shows the end before anything is lost. */
static Err *store_end(NodePass *p, bool *ret_stored)
{
    p->status = p->node.status;
    node_set_phase(&p->status, PHASE_TERMINATING, now_text(p->c));
    p->status.state = node_phase_text(PHASE_TERMINATING);
    p->status.observed_generation = p->node.generation;
    figures_state(&p->app->figures, &p->node, &p->status);
    Err *err = flush_status(p, ret_stored);
    if (!err && *ret_stored)
        telling_changed(p->c, &p->app->figures, &p->node, &p->status);
    return err;
}

static const char *claim_of(NodePass *p)
{
    const char *recorded = p->node.status.volume.name;

    return recorded ? recorded : name_data_volume(p->c->arena, p->node.key.name);
}

static bool is_imported(const NodePass *p)
{
    return p->node.status.volume.imported || !str_empty(p->node.spec.import_claim);
}

/* Why the volume outlives its node, or NULL. */
static Err *find_why_kept(NodePass *p, bool retained, const Json *volume, const char **ret)
{
    *ret = NULL;
    if (is_imported(p))
        *ret = "it was imported";
    else if (retained)
        *ret = "its policy is Retain";
    else if (!meta_controlled_by(volume, p->node.object))
        *ret = "it is not controlled by this node";
    else
        return find_volume_user(p, meta_name(volume), ret);
    return OK;
}

static Err *release_volume(NodePass *p, const Json *live)
{
    Key key = {.namespace = p->node.key.namespace, .name = claim_of(p)};
    const Json *volume;
    const char *why;
    bool retained;

    TRY(volume_is_retained(p->c, live, &retained));
    TRY(kube_get_if_any(p->c, kind_pvc, key, &volume));
    if (!volume || meta_deleting(volume))
        return OK;
    TRY(find_why_kept(p, retained, volume, &why));
    if (!why)
        return kube_delete(p->c, kind_pvc, volume, (DeleteOptions){.same_version = true});
    if (meta_controlled_by(volume, live))
        TRY(give_up_volume(p, volume)); /* or the garbage collector would take it */
    telling_kept(p->c, &p->node, key.name, why);
    return OK;
}

Err *delete_node(NodePass *p)
{
    const Json *live;
    bool stored;

    sidecar_forget(sidecars_port(p->app->sidecars), p->node.key);
    seids_forget(p->app->seids, p->node.key);
    permits_forget(p->app->permits, p->app->guard, p->node.key);
    if (!meta_has_finalizer(p->node.object, NODE_FINALIZER))
        return OK;
    TRY(store_end(p, &stored));
    if (stored)
        return OK; /* the change brings us back */
    TRY(kube_get_if_any(p->c, kind_seinode, p->node.key, &live));
    if (!live || !str_eq(meta_uid(live), p->node.uid))
        return OK;
    TRY(release_volume(p, live));
    const Json *patch = meta_remove_finalizer_patch(p->c->arena, live, NODE_FINALIZER);
    return patch ? kube_json_patch(p->c, kind_seinode, p->node.key, patch, NULL) : OK;
}
