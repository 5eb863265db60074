/* One reconcile of a SeiNodeDeployment: gather, decide, store what is new, keep, say, store. */
#include "sei/reconcile/fleet.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/fleet_sums.h"
#include "sei/reconcile/fleet_parts.h"
#include "sei/reconcile/fleet_revisions.h"

enum { REFUSED_LOOK_MS = 30000, BEGUN_LOOK_MS = 1 };

void fleet_look_again(FleetPass *p, int64_t after_ms)
{
    if (after_ms > 0 && (!p->ret->again_after_ms || after_ms < p->ret->again_after_ms))
        p->ret->again_after_ms = after_ms;
}

void fleet_show(FleetPass *p, const Err *err)
{
    if (!err || p->progress.waiting)
        return;
    p->progress.waiting = err_text(p->c->arena, err);
    p->progress.waiting_is_error = !err_is(err, ERR_WAIT);
    p->progress.reason = err->reason;
}

static Err *store(FleetPass *p)
{
    plan_fleet_sums(p->c->arena, &p->snapshot, &p->decision);
    fleet_say(p);
    return flush_fleet(p);
}

/* --- what is done ------------------------------------------------------------------------------
 */

/* What is begun, a plan or the update of a node, is stored before it is done: who comes after a
 * death in between knows of it, and since when. */
static bool is_stored_first(const FleetPass *p)
{
    const FleetDecision *d = &p->decision;

    return d->news.started || d->news.founding || d->writes_anew;
}

/* What could not be gone back to, or has no room, is not begun: the fleet stays at what was decided
 * before. */
static void hold(FleetPass *p)
{
    p->decision.status = p->fleet.status;
    p->decision.news = (FleetNews){0};
    p->decision.frozen = true;
    p->decision.writes_anew = false;
}

/* What stands in front of the nodes is named after what they are. */
static Err *keep_networking_of_nodes(FleetPass *p)
{
    const SeiNode *other = p->decision.other;
    NodeSpec asked = p->fleet.spec.node;

    if (other) {
        p->fleet.spec.node.chain_id = node_chain_id(other);
        p->fleet.spec.node.mode = node_mode(other);
    }
    Err *err = keep_networking(p);
    p->fleet.spec.node = asked;
    return err;
}

static Err *move(FleetPass *p)
{
    show_foreign(p);
    Err *err = decide_fleet(p);
    if (!err)
        err = keep_revisions(p);
    if (err)
        hold(p);
    name_rollback(p);
    fleet_show(p, err);
    if (is_stored_first(p)) {
        if (p->before) /* something more has begun since */
            fleet_look_again(p, BEGUN_LOOK_MS);
        return store(p);
    }
    Err *not_brought = keep_children(p);
    prune_revisions(p);
    if (!not_brought)
        not_brought = carry_out_founding(p);
    fleet_show(p, not_brought);
    if (err_is(not_brought, ERR_TERMINAL)) /* whoever refused it may change his mind, unseen */
        fleet_look_again(p, REFUSED_LOOK_MS);
    Err *not_reached = keep_networking_of_nodes(p);
    fleet_look_again(p, p->decision.look_again_ms);
    Err *not_stored = store(p);
    return err ? err : not_brought ? not_brought : not_reached ? not_reached : not_stored;
}

static FleetProgress refused_progress(const FleetPass *p, const Err *why)
{
    return (FleetProgress){
        .waiting = err_text(p->c->arena, why),
        .waiting_is_error = true,
        .reason = reason_text(FLEET_REASON_INVALID_SPEC),
    };
}

/* A spec that cannot be read or carried out: said where people look; the children stay as they are.
 */
static Err *refuse(FleetPass *p, const Err *why)
{
    p->snapshot.fleet = &p->fleet;
    p->snapshot.now = now_text(p->c);
    p->snapshot.now_ms = clock_wall_ms(p->c->clock);
    p->decision = (FleetDecision){.status = p->fleet.status, .frozen = true};
    p->progress = refused_progress(p, why);
    fleet_say(p);
    return flush_fleet(p);
}

/* A fleet that may not found its chain creates no SeiNode, and its ceremony stands still. A pause,
 * the volume policy, networking and a scale-down still reach the SeiNodes that it has. */
static Err *hold_founding(FleetPass *p, const Err *why)
{
    p->decision = (FleetDecision){
        .status = p->fleet.status, .frozen = true, .other = plan_fleet_find_other(&p->snapshot)};
    p->progress = refused_progress(p, why);
    p->scale.create_count = 0;
    p->snapshot.making_count = 0;
    show_foreign(p);
    Err *not_kept = keep_children(p), *not_reached = keep_networking_of_nodes(p);
    Err *not_stored = store(p);
    return not_kept ? not_kept : not_reached ? not_reached : not_stored;
}

/* --- from key to fleet -------------------------------------------------------------------------
 */

static void forget(App *app, Key key)
{
    guard_enter(app->guard);
    pace_forget(app->pace, key);
    lookups_forget(app->lookups, key);
    likenesses_forget(app->likenesses, key);
    fleet_clocks_forget(app->fleet_clocks, key);
    guard_leave(app->guard);
    permits_unreserve(app->permits, app->guard, key);
    fleet_silence(app, key);
}

/* The finalizer first: nothing is made for a fleet that could vanish without us. */
static Err *ensure_finalizer(FleetPass *p)
{
    const Json *patch = meta_add_finalizer_patch(p->c->arena, p->fleet.object, FLEET_FINALIZER);
    const Json *changed;

    if (!patch)
        return OK;
    TRY(kube_json_patch(p->c, kind_seinodedeployment, p->fleet.key, patch, &changed));
    return fleet_decode(p->c->arena, changed, &p->fleet);
}

static Err *reconcile_object(FleetPass *p, const Json *object)
{
    Err *unreadable = fleet_decode(p->c->arena, object, &p->fleet);

    if (p->fleet.deleting)
        return delete_fleet(p);
    if (unreadable)
        return refuse(p, unreadable);
    TRY(ensure_finalizer(p));
    Err *err = gather_fleet(p);
    if (err_is(err, ERR_TERMINAL))
        return refuse(p, err);
    TRY(err);
    err = refuse_second_founding(p);
    if (err_is(err, ERR_TERMINAL))
        return hold_founding(p, err);
    TRY(err);
    return move(p);
}

static FleetPass *begin_pass(Ctx *c, Reconciled *ret)
{
    FleetPass *p = arena_new(c->arena, FleetPass);

    p->c = c;
    p->app = c->app;
    p->ret = ret;
    return p;
}

/* What is stored first is carried out at once after, on the fleet as the server has stored it. */
static Err *reconcile_key(Ctx *c, Key key, Reconciled *ret)
{
    FleetPass *p = begin_pass(c, ret), *next;
    const Json *object;

    TRY(kube_find(c, kind_seinodedeployment, key, &object));
    if (!object) {
        forget(p->app, key);
        return OK;
    }
    TRY(reconcile_object(p, object));
    if (!is_stored_first(p) || !p->stored)
        return OK;
    next = begin_pass(c, ret);
    next->before = p;
    next->revisions_grew = p->revisions_grew;
    return reconcile_object(next, p->stored);
}

Err *fleet_reconcile(Ctx *c, Key key, Reconciled *ret)
{
    App *app = c->app;
    Err *err = reconcile_key(c, key, ret);

    figures_reconciled(&app->figures, err);
    return err;
}
