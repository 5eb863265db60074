/* ControllerRevisions of a fleet. They are not watched: a template is kept when it is first rolled
 * and read when one of before is needed, so a fleet at rest asks nothing. */
#include "sei/reconcile/fleet_revisions.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "sei/render/fleet_revision.h"

#include <string.h>

enum { REVISIONS_MAX = 10 };

static bool is_named(const FleetStatus *status, const char *hash)
{
    if (str_eq(status->complete_revision, hash)
        || (status->has_plan && str_eq(status->plan.target_hash, hash)))
        return true;
    for (size_t i = 0; i < status->node_count; i++)
        if (str_eq(status->nodes[i].revision, hash))
            return true;
    return false;
}

static Key key_of(FleetPass *p, const char *hash)
{
    return (Key){
        .namespace = p->fleet.key.namespace,
        .name = name_fleet_revision(p->c->arena, p->fleet.key.name, hash),
    };
}

/* --- keeping -----------------------------------------------------------------------------------
 */

static Err *err_foreign(FleetPass *p, const Json *there, const char *how)
{
    Err *err = err_wait(p->c->arena,
        "ControllerRevision %s, under whose name the template is to be kept, %s: it is left alone; "
        "delete it",
        meta_name(there),
        how);

    err->reason = reason_text(FLEET_REASON_FOREIGN_OBJECT);
    return err;
}

/* Nobody's, and labelled as the fleet's: one of this name was deleted and left it behind. */
static bool is_orphan(const FleetPass *p, const Json *there)
{
    return json_count(json_find(there, ".metadata.ownerReferences")) == 0
        && str_eq(meta_label(there, LABEL_FLEET), p->fleet.key.name);
}

/* Whose it is, when it is not the fleet's. */
static Err *check_owner(FleetPass *p, const Json *there)
{
    const Json *owner = meta_controller(there);
    const char *kind = json_str(owner, ".kind"), *name = json_str(owner, ".name");

    bool is_of_namesake = !meta_controlled_by(there, p->fleet.object)
        && str_eq(kind, kind_seinodedeployment->name) && str_eq(name, p->fleet.key.name);

    if (meta_deleting(there) || is_of_namesake)
        return err_wait(p->c->arena,
            "ControllerRevision %s %s: the template is kept when it is gone",
            meta_name(there),
            is_of_namesake ? "is one of a fleet of this name that was deleted"
                           : "is being deleted");
    return err_foreign(p,
        there,
        owner ? str_format(p->c->arena, "belongs to %s %s", kind, name) : "is somebody else's");
}

/* One that is used again is the latest again, and the fleet's. */
static Err *renew(FleetPass *p, const Json *there)
{
    Arena *a = p->c->arena;
    bool is_ours = meta_controlled_by(there, p->fleet.object);
    Draft *metadata =
        draft(a, sub("annotations", render_came_after(a, &p->fleet, p->snapshot.revision)));

    if (is_ours && json_int(there, ".revision", 0) >= p->fleet.generation)
        return OK;
    if (!is_ours)
        draft_set(metadata,
            list("ownerReferences",
                meta_owner_reference(a, kind_seinodedeployment, p->fleet.object)));
    Draft *change = draft(a, num("revision", p->fleet.generation), sub("metadata", metadata));
    return kube_merge_patch(p->c, kind_controllerrevision, there, json_seal(a, change), NULL);
}

static Err *look_at_taken_name(FleetPass *p, const char *hash)
{
    const Json *there;

    TRY(kube_get(p->c, kind_controllerrevision, key_of(p, hash), &there));
    if (meta_deleting(there)
        || (!meta_controlled_by(there, p->fleet.object) && !is_orphan(p, there)))
        return check_owner(p, there);
    if (!render_template_of(p->c->arena, hash, there))
        return err_foreign(p, there, "holds another one");
    return renew(p, there);
}

/* --- no more than so many ----------------------------------------------------------------------
 */

/* The hash in the name of a revision of the fleet's, NULL when it is none. */
static const char *hash_of(const FleetPass *p, const Json *revision)
{
    const char *name = meta_name(revision);
    const char *fleet = p->fleet.key.name;

    if (!meta_controlled_by(revision, p->fleet.object) || !str_has_prefix(name, fleet))
        return NULL;
    name += strlen(fleet);
    return *name == '-' ? name + 1 : NULL;
}

static bool may_go(const FleetPass *p, const Json *revision)
{
    const char *hash = hash_of(p, revision);

    return hash && !str_eq(hash, p->snapshot.revision) && !is_named(&p->fleet.status, hash)
        && !is_named(&p->decision.status, hash);
}

static bool is_older(const Json *left, const Json *right)
{
    return json_int(left, ".revision", 0) < json_int(right, ".revision", 0);
}

/* The oldest that may go, taken out of the list; NULL when none may. */
static const Json *take_oldest(const FleetPass *p, Objects *all)
{
    const Json **oldest = NULL, *taken = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (all->items[i] && may_go(p, all->items[i])
            && (!oldest || is_older(all->items[i], *oldest)))
            oldest = &all->items[i];
    if (oldest) {
        taken = *oldest;
        *oldest = NULL;
    }
    return taken;
}

static Err *delete_oldest(FleetPass *p)
{
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_controllerrevision,
        .key.namespace = p->fleet.key.namespace,
        /* Those of its nodes' StatefulSets have the labels of their pods. */
        .labels = str_format(p->c->arena, "%s=%s,!%s", LABEL_FLEET, p->fleet.key.name, LABEL_NODE),
    };
    Objects all;
    size_t ours = 0;

    TRY(kube_list(p->c, &list, &all));
    for (size_t i = 0; i < all.count; i++)
        ours += hash_of(p, all.items[i]) != NULL;
    for (; ours > REVISIONS_MAX; ours--) {
        const Json *oldest = take_oldest(p, &all);
        if (!oldest)
            break;
        TRY(kube_delete(p->c, kind_controllerrevision, oldest, (DeleteOptions){0}));
    }
    return OK;
}

void prune_revisions(FleetPass *p)
{
    if (p->revisions_grew)
        fleet_show(p, delete_oldest(p)); /* one too many holds nothing up */
}

Err *keep_revisions(FleetPass *p)
{
    const char *hash = p->snapshot.revision;

    if (!is_named(&p->decision.status, hash) || is_named(&p->fleet.status, hash))
        return OK;
    const Json *revision = render_fleet_revision(p->c->arena, &p->fleet, hash);
    Err *err = kube_create(p->c, kind_controllerrevision, revision, NULL);
    if (status_is_already_exists(err))
        return look_at_taken_name(p, hash);
    TRY(err);
    p->revisions_grew = true;
    return OK;
}

/* --- reading -----------------------------------------------------------------------------------
 */

/* A child that is what the template would make of it, or NULL. */
static const Json *find_sibling(FleetPass *p, const char *hash)
{
    for (size_t i = 0; i < p->snapshot.count; i++) {
        const Json *child = p->snapshot.children[i].node->object;
        const char *revision = NULL;
        if (!fleet_revision(p->c->arena, child, &revision) && str_eq(revision, hash))
            return child;
    }
    return NULL;
}

static Err *err_lost(FleetPass *p, const char *hash)
{
    Err *err = err_wait(p->c->arena,
        "the template of revision %s is lost: ControllerRevision %s is gone or not this fleet's, "
        "and no node is on it; edit the template to what is to run, with updateStrategy.partition "
        "0 "
        "for nodes that were kept on that revision",
        hash,
        key_of(p, hash).name);

    err->reason = reason_text(FLEET_REASON_REVISION_LOST);
    return err;
}

/* A batch is made from one template: it is read once. */
Err *read_revision(FleetPass *p, const char *hash, const Json **ret_template)
{
    const Json *there;

    if (!str_eq(p->read.hash, hash)) {
        TRY(kube_get_if_any(p->c, kind_controllerrevision, key_of(p, hash), &there));
        p->read.hash = hash;
        p->read.template = meta_controlled_by(there, p->fleet.object)
            ? render_template_of(p->c->arena, hash, there)
            : NULL;
    }
    *ret_template = p->read.template ? p->read.template : find_sibling(p, hash);
    return *ret_template ? OK : err_lost(p, hash);
}

/* One that is lost is told of when the first node is to be made from it. */
void name_rollback(FleetPass *p)
{
    const Json *template;

    if (!p->decision.news.rolled_back || read_revision(p, p->decision.target, &template))
        return;
    FleetSpec *before = arena_new(p->c->arena, FleetSpec);
    if (!node_spec_decode(p->c->arena, template, &before->node))
        p->decision.status.rollout.target_hash = fleet_template_hash(p->c->arena, before);
}
