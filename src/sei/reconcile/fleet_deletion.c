/* The end of a fleet. Its nodes go with it, all at once; or they stay, each for itself, when the
 * policy is Retain, when the deletion orphans its dependents, or when the whole kind is being
 * deleted: a definition that is taken away by mistake takes no data with it.
 *
 * The fleet itself goes when its nodes are gone: who makes it anew meets none of the old ones.
 *
 * Only the metadata of its nodes is read: a fleet can be deleted whatever the size of its nodes. */
#include "sei/reconcile/fleet_parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_status.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet_figures.h"
#include "sei/reconcile/fleet_telling.h"

static const char crd_name[] = "seinodedeployments.sei.io";

/* Decided on what the server says now. */
static Err *nodes_stay(FleetPass *p, const Json *live, bool *ret)
{
    *ret = str_eq(json_str(live, ".spec.deletionPolicy"), "Retain")
        || meta_has_finalizer(live, "orphan") || meta_has_finalizer(p->fleet.object, "orphan");
    return *ret ? OK : crd_is_going(p->c, crd_name, ret);
}

static Err *store_end(FleetPass *p)
{
    FleetStatus *status = &p->decision.status;
    StatusWrite write = {.kind = kind_seinodedeployment, .object = p->fleet.object};

    *status = p->fleet.status;
    status->phase = FLEET_TERMINATING;
    plan_fleet_ending(p->c->arena, &p->fleet, now_text(p->c), status);
    fleet_figures_state(&p->app->figures, &p->fleet, status);
    write.status = fleet_status_encode(p->c->arena, status);
    Err *err = status_write(p->c, &write);
    p->stored = write.written;
    return err;
}

/* --- nodes that stay --- */

static Err *let_go(FleetPass *p, const Json *node)
{
    const Json *patch = meta_remove_owner_patch(p->c->arena, node, p->fleet.uid);

    return patch ? kube_json_patch(p->c, kind_seinode, meta_key(node), patch, NULL) : OK;
}

/* Whatever they are called: the garbage collector takes all that have no other owner. */
static Err *let_nodes_go(FleetPass *p)
{
    Objects owned;

    TRY(kube_owned_trimmed(p->c, kind_seinode, p->fleet.uid, kube_metadata_alone, &owned));
    for (size_t i = 0; i < owned.count; i++)
        TRY(let_go(p, owned.items[i]));
    for (size_t i = 0; i < p->member_count; i++)
        if (!p->members[i].ours)
            TRY(let_go(p, p->members[i].object));
    return OK;
}

/* --- nodes that go --- */

/* Each as it was seen: the garbage collector may have just taken it from the fleet, to orphan it.
 */
static Err *delete_nodes(FleetPass *p, bool *ret_gone)
{
    *ret_gone = true;
    for (size_t i = 0; i < p->member_count; i++) {
        const Json *node = p->members[i].object;
        if (!p->members[i].ours)
            continue;
        *ret_gone = false;
        if (meta_deleting(node))
            continue;
        TRY(kube_delete(p->c, kind_seinode, node, (DeleteOptions){.same_version = true}));
        fleet_telling_child(p->c, &p->fleet, FLEET_TIDINGS_CHILD_DELETED, meta_name(node));
    }
    return OK;
}

static Err *remove_finalizer(FleetPass *p, const Json *live)
{
    const Json *patch = meta_remove_finalizer_patch(p->c->arena, live, FLEET_FINALIZER);

    return patch ? kube_json_patch(p->c, kind_seinodedeployment, p->fleet.key, patch, NULL) : OK;
}

static Err *end_fleet(FleetPass *p, const Json *live)
{
    bool stay, gone;

    TRY(nodes_stay(p, live, &stay));
    if (stay) {
        TRY(let_nodes_go(p));
        TRY(release_networking(p));
        fleet_telling_retained(p->c, &p->fleet);
        return remove_finalizer(p, live);
    }
    Err *left = remove_networking(p, live);
    TRY(delete_nodes(p, &gone));
    TRY(left);
    return gone ? remove_finalizer(p, live) : OK; /* the end of each node brings us back */
}

Err *delete_fleet(FleetPass *p)
{
    const Json *live;

    if (!meta_has_finalizer(p->fleet.object, FLEET_FINALIZER))
        return OK;
    TRY(find_members(p, kube_metadata_alone));
    TRY(store_end(p));
    if (p->stored)
        return OK; /* the change brings us back */
    TRY(kube_get_if_any(p->c, kind_seinodedeployment, p->fleet.key, &live));
    if (!live || !str_eq(meta_uid(live), p->fleet.uid))
        return OK;
    return end_fleet(p, live);
}
