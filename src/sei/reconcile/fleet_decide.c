/* Decides what a fleet does now, in one section with the permits of its nodes: whatever this
 * decision takes down is reserved before anybody else can decide, and whoever has a permit counts
 * as down here. So a rollout and an upgrade of the operator never spend one budget twice. */
#include "sei/reconcile/fleet_parts.h"

#include "base/str.h"

enum { UNUSED_LOOK_MS = 5000 }; /* a node that gives a permit back unused tells nobody */

/* They are about to stop, whatever their status says. */
static void count_permits(FleetPass *p)
{
    for (size_t i = 0; i < p->snapshot.count; i++) {
        BatchNode *health = &p->children[i].health;
        if (!permits_is_held(p->app->permits, p->children[i].node->key))
            continue;
        if (!health->updating)
            fleet_look_again(p, UNUSED_LOOK_MS);
        health->disturbed = true;
    }
}

static bool reserve_batch(FleetPass *p)
{
    for (size_t i = 0; i < p->snapshot.count; i++)
        if (p->decision.verdicts[i] == BATCH_WRITE
            && !permits_reserve(p->app->permits, p->fleet.key, p->children[i].node->key))
            return false;
    return true;
}

Err *decide_fleet(FleetPass *p)
{
    Permits *permits = p->app->permits;

    permits_unreserve(permits, p->app->guard, p->fleet.key);
    guard_enter(p->app->guard);
    count_permits(p);
    FleetClocks *clocks = p->app->fleet_clocks;
    int64_t mono_ms = clock_mono_ms(p->c->clock);
    p->snapshot.seen = fleet_clocks_read(clocks, p->fleet.key, mono_ms);
    plan_fleet(p->c->arena, &p->snapshot, &p->decision);
    fleet_clocks_note(clocks, p->fleet.key, &p->decision, mono_ms);
    bool is_reserved = p->decision.frozen || reserve_batch(p);
    guard_leave(p->app->guard);
    if (is_reserved)
        return OK;
    return err_wait(p->c->arena,
        "%d nodes are being updated or wait for it in all fleets: this one waits until some are "
        "done",
        (int)PERMITS_NODES_MAX);
}
