/* The networking of a fleet: Services and HTTPRoutes as the spec asks for them, and nothing of ours
 * that it does not ask for. Whose an object is, is said by its controller's UID alone: what is not
 * the fleet's is neither changed nor deleted, whatever it is called.
 *
 * Nothing here holds up the nodes: what cannot be applied is told in the condition, and a name that
 * does not resolve is no trouble of ours. */
#include "sei/reconcile/fleet_parts.h"

#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/plan/fleet_networking.h"
#include "sei/reconcile/fleet_telling.h"
#include "sei/render/fleet_network.h"
#include "sei/task/owner.h"

enum {
    OBJECTS_MAX = 2 + 4 + FLEET_MEMBERS_MAX, /* Services, routes, endpoints of children */
    FOREIGN_LOOK_MS = 30000,                 /* nobody tells us when a stranger's object goes */
    TROUBLE_LOOK_MS = 5000,
};

typedef struct NetworkObject {
    const Kind *kind;
    const char *manager;
    const Json *wanted;
} NetworkObject;

typedef struct Networking {
    FleetPass *p;
    NetworkObject objects[OBJECTS_MAX];
    size_t count;
    NetworkingFacts facts;
    Err *wait;    /* what is waited for, first */
    Err *failure; /* what went wrong, first */
} Networking;

static void want(Networking *n, const Kind *kind, const char *manager, const Json *wanted)
{
    if (n->count == OBJECTS_MAX)
        BUG("more objects of networking than a fleet can have");
    n->objects[n->count++] = (NetworkObject){kind, manager, wanted};
}

static bool is_wanted(const Networking *n, const Kind *kind, const Json *object)
{
    for (size_t i = 0; i < n->count; i++)
        if (kind_eq(n->objects[i].kind, kind)
            && str_eq(meta_name(n->objects[i].wanted), meta_name(object)))
            return true;
    return false;
}

/* --- what is wanted ----------------------------------------------------------------------------
 */

static void want_routes(Networking *n)
{
    const FleetPass *p = n->p;

    for (const FleetRoute *r = fleet_routes(p->fleet.spec.node.mode); r->protocol; r++)
        want(n,
            kind_httproute,
            FLEET_MANAGER,
            render_http_route(p->c->arena, &p->fleet, p->app->settings, r));
}

static void want_endpoint(Networking *n, int64_t ordinal)
{
    const FleetPass *p = n->p;

    want(n,
        kind_service,
        P2P_MANAGER,
        render_p2p_service(p->c->arena, &p->fleet, p->app->settings, ordinal));
}

/* A child that is too many keeps its address until its turn to go has come: who scaled by mistake
 * can still take it back. */
static void want_endpoints(Networking *n)
{
    const FleetPass *p = n->p;

    for (int64_t ordinal = 0; ordinal < p->fleet.spec.replicas; ordinal++) {
        if (!plan_fleet_is_published(&p->snapshot, ordinal))
            continue;
        want_endpoint(n, ordinal);
        n->facts.endpoints++;
    }
    for (size_t i = 0; i < p->snapshot.count; i++) {
        int64_t ordinal = p->children[i].health.ordinal;
        if (ordinal >= p->fleet.spec.replicas && !p->children[i].node->deleting
            && ordinal != p->scale.remove)
            want_endpoint(n, ordinal);
    }
}

static void want_all(Networking *n)
{
    const FleetPass *p = n->p;
    Arena *a = p->c->arena;

    want(n, kind_service, FLEET_MANAGER, render_internal_service(a, &p->fleet));
    if (fleet_is_orphaned(&p->fleet))
        return;
    if (p->fleet.spec.has_http)
        want(n, kind_service, FLEET_MANAGER, render_external_service(a, &p->fleet));
    if (p->fleet.spec.has_http && !n->facts.routes_are_unknown)
        want_routes(n);
    if (fleet_has_endpoints(&p->fleet, p->app->settings))
        want_endpoints(n);
}

/* --- applying ----------------------------------------------------------------------------------
 */

/* Routes are also known as servers store them that fill in what is left out. */
static bool is_right(Arena *a, const Owner *owner, const NetworkObject *o, const Json *there)
{
    if (owner_has_right(a, owner, there, hash_owned_of_rendered(a, o->wanted)))
        return true;
    return kind_eq(o->kind, kind_httproute)
        && owner_has_right(
            a, owner, there, hash_owned_of_rendered(a, render_http_route_stored(a, o->wanted)));
}

static Err *keep_object(FleetPass *p, const NetworkObject *o)
{
    Owner owner = {kind_seinodedeployment, p->fleet.object, o->manager, LABEL_FLEET};
    Applying what = {.kind = o->kind, .wanted = o->wanted};
    const Json *applied;

    TRY(owner_look(p->c, o->kind, meta_key(o->wanted), &what.there));
    if (is_right(p->c->arena, &owner, o, what.there))
        return OK;
    return owner_apply(p->c, &owner, &what, &applied);
}

/* What came of one object: the others are gone on with. */
static void note(Networking *n, const Kind *kind, Err *err)
{
    NetworkingFacts *facts = &n->facts;
    bool is_foreign = err && str_eq(err->reason, reason_text(REASON_FOREIGN_OBJECT));

    if (!err)
        return;
    if (kind_eq(kind, kind_httproute) && err_has_status(err, 404)) {
        facts->routes_are_unknown = true; /* gone since the cache last looked */
        fleet_look_again(n->p, FOREIGN_LOOK_MS);
    } else if (err_is(err, ERR_WAIT)) {
        n->wait = n->wait ? n->wait : err;
    } else {
        if (is_foreign)
            fleet_look_again(n->p, FOREIGN_LOOK_MS);
        else if (!n->failure)
            n->failure = err;
        if (!facts->trouble) {
            facts->trouble = err_text(n->p->c->arena, err);
            facts->trouble_is_foreign = is_foreign;
        }
    }
}

static void keep_all(Networking *n)
{
    for (size_t i = 0; i < n->count; i++)
        note(n, n->objects[i].kind, keep_object(n->p, &n->objects[i]));
}

/* --- what the fleet has ------------------------------------------------------------------------
 */

/* A setting that is missing is a slip, and no wish: load balancers are not given up for it. */
static bool waits_for_setting(const FleetPass *p, const Json *object)
{
    return !p->fleet.deleting && !fleet_is_orphaned(&p->fleet) && p->fleet.spec.has_tcp
        && str_empty(p->app->settings->p2p_endpoint_domain)
        && str_eq(meta_label(object, LABEL_COMPONENT), COMPONENT_P2P);
}

/* Services that we make, other than the one that is always there. */
static bool is_ours_to_prune(const FleetPass *p, const Json *object)
{
    return str_eq(meta_label(object, LABEL_FLEET), p->fleet.key.name)
        && !waits_for_setting(p, object)
        && !str_eq(meta_name(object), name_internal_service(p->c->arena, p->fleet.key.name));
}

/* Does something to everything that the fleet controls, except for the internal Service. */
typedef Err *Deed(FleetPass *p, const Kind *kind, const Json *object);

static Err *delete_object(FleetPass *p, const Kind *kind, const Json *object)
{
    DeleteOptions as_seen = {.same_version = true}; /* it may have just been taken from the fleet */

    return meta_deleting(object) ? OK : kube_delete(p->c, kind, object, as_seen);
}

static Err *release_object(FleetPass *p, const Kind *kind, const Json *object)
{
    const Json *patch = meta_remove_owner_patch(p->c->arena, object, p->fleet.uid);

    return patch ? kube_json_patch(p->c, kind, meta_key(object), patch, NULL) : OK;
}

static void sweep_kind(Networking *n, const Kind *kind, Deed *deed)
{
    FleetPass *p = n->p;
    Objects owned;
    Err *err = kube_owned(p->c, kind, p->fleet.uid, &owned);

    note(n, kind, err);
    for (size_t i = 0; !err && i < owned.count; i++)
        if (is_ours_to_prune(p, owned.items[i]) && !is_wanted(n, kind, owned.items[i]))
            note(n, kind, deed(p, kind, owned.items[i]));
}

/* Routes of a kind that counts as unknown may be there all the same: a list of them is under way,
 * or only the right to see them is missing. Then nobody has said that they are not wanted. */
static void sweep(Networking *n, Deed *deed)
{
    sweep_kind(n, kind_service, deed);
    if (!n->facts.routes_are_unknown)
        sweep_kind(n, kind_httproute, deed);
}

/* --- the name ----------------------------------------------------------------------------------
 */

static void look_up(Networking *n)
{
    FleetPass *p = n->p;
    const char *host = plan_fleet_lookup(p->c->arena, &p->fleet, p->app->settings);
    Lookup lookup = {0};

    guard_enter(p->app->guard);
    if (host && !n->facts.routes_are_unknown)
        lookup = lookups_ask(p->app->lookups, p->fleet.key, host, clock_mono_ms(p->c->clock));
    else
        lookups_forget(p->app->lookups, p->fleet.key);
    guard_leave(p->app->guard);
    n->facts.name = lookup.state;
    fleet_look_again(p, lookup.again_ms);
}

/* --- the parts of a reconcile ------------------------------------------------------------------
 */

/* Whatever went wrong is a wait: the back-off of an error would be that of the nodes as well. */
static Err *hold_nobody_up(Networking *n)
{
    if (n->failure || n->wait)
        fleet_look_again(n->p, TROUBLE_LOOK_MS);
    return n->failure ? err_wait(n->p->c->arena, "%s", n->facts.trouble) : n->wait;
}

Err *keep_networking(FleetPass *p)
{
    Arena *a = p->c->arena;
    Networking *n = arena_new(a, Networking);

    n->p = p;
    n->facts.routes_are_unknown = !kube_is_served(p->c, kind_httproute, p->fleet.key.namespace);
    plan_fleet_addresses(a, &p->snapshot, p->app->settings, &p->decision.status);
    want_all(n);
    sweep(n, fleet_is_orphaned(&p->fleet) ? release_object : delete_object);
    keep_all(n);
    look_up(n);
    if (n->facts.trouble || !n->wait) /* else what was said stays */
        p->progress.networking =
            plan_fleet_networking_condition(a, &p->fleet, p->app->settings, &n->facts);
    return hold_nobody_up(n);
}

static Networking *end_of(FleetPass *p)
{
    Networking *n = arena_new(p->c->arena, Networking);

    n->p = p;
    guard_enter(p->app->guard);
    lookups_forget(p->app->lookups, p->fleet.key);
    guard_leave(p->app->guard);
    return n;
}

static Err *outcome_of_end(Networking *n)
{
    if (n->failure)
        fleet_telling_delete_failed(n->p->c, &n->p->fleet, n->facts.trouble);
    return n->failure ? n->failure : n->wait;
}

Err *remove_networking(FleetPass *p, const Json *live)
{
    Networking *n = end_of(p);
    bool is_given_away = str_eq(meta_annotation(live, ANNOTATION_ORPHANED), "true");

    sweep(n, is_given_away ? release_object : delete_object);
    return outcome_of_end(n);
}

static Err *release_internal(FleetPass *p)
{
    Key key = {p->fleet.key.namespace, name_internal_service(p->c->arena, p->fleet.key.name)};
    const Json *service;

    TRY(kube_find(p->c, kind_service, key, &service));
    return service ? release_object(p, kind_service, service) : OK;
}

Err *release_networking(FleetPass *p)
{
    Networking *n = end_of(p);

    sweep(n, release_object);
    note(n, kind_service, release_internal(p));
    return outcome_of_end(n);
}

Err *drop_endpoint(FleetPass *p, const char *child)
{
    Key key = {p->fleet.key.namespace, name_p2p_service(p->c->arena, child)};
    const Json *service;

    TRY(kube_find(p->c, kind_service, key, &service));
    if (!service || !meta_controlled_by(service, p->fleet.object))
        return OK;
    return delete_object(p, kind_service, service);
}
