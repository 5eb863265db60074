/* A rollout and the permits of an upgrade spend one budget. */
#include "sei/reconcile/fleet_parts.h"

#include "tests/sei/fleets.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

enum { CHILDREN = 3 };

typedef struct Desk {
    App app;
    Ctx ctx;
    Reconciled reconciled;
    ManualClock clock;
    FleetPass pass;
    SeiNode nodes[CHILDREN];
} Desk;

/* Three nodes that serve, of another revision than the template's. */
static Desk *desk_open(Arena *a)
{
    Desk *d = arena_new(a, Desk);
    FleetPass *p = &d->pass;

    clock_manual_init(&d->clock, 1000000000, 0);
    d->app = (App){
        .permits = permits_open(1), .fleet_clocks = fleet_clocks_open(), .guard = guard_none()};
    d->ctx = (Ctx){.arena = a, .clock = &d->clock.port};
    *p = (FleetPass){.c = &d->ctx, .app = &d->app, .ret = &d->reconciled};
    p->fleet = *sample_fleet(a, NULL);
    p->snapshot = (FleetSnapshot){
        .fleet = &p->fleet,
        .revision = "new",
        .children = p->children,
        .count = CHILDREN,
        .plan_id = "id",
        .now = "2026-01-01T00:10:00Z",
    };
    for (int i = 0; i < CHILDREN; i++) {
        const char *name =
            str_format(a, "{metadata: {name: 'rpc-%d'}, status: {observedGeneration: 1}}", i);
        d->nodes[i] = sample_node(a, name);
        p->children[i] = (FleetChild){
            .node = &d->nodes[i],
            .revision = "old",
            .health = {.ordinal = i, .serves = true, .once_ready = true, .since_ms = 3600000},
        };
    }
    return d;
}

static void desk_close_scoped(Desk **d)
{
    permits_close((*d)->app.permits);
    fleet_clocks_close((*d)->app.fleet_clocks);
}
#define SCOPED_DESK __attribute__((cleanup(desk_close_scoped))) Desk *

/* "-w-": who is to be written. */
static const char *decides(Desk *d)
{
    char *word = arena_alloc(d->ctx.arena, CHILDREN + 1);

    then_ok(decide_fleet(&d->pass));
    for (int i = 0; i < CHILDREN; i++)
        word[i] = d->pass.decision.verdicts[i] == BATCH_WRITE ? 'w' : '-';
    return word;
}

static void given_permit(Desk *d, int ordinal, bool holds)
{
    permits_settle(d->app.permits,
        guard_none(),
        &(PermitStanding){.node = &d->nodes[ordinal], .holds = holds});
    d->pass.children[ordinal].health.disturbed = false;
}

TEST(a_node_with_a_permit_counts_against_the_budget_before_its_status_shows_it)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    SCOPED_DESK d = desk_open(a);

    given_permit(d, 0, true);
    then_str(decides(d), "w--"); /* it is about to stop anyway; the others wait for it */
    then_true(d->reconciled.again_after_ms > 0); /* it may give it back in silence */
    given_permit(d, 0, false);
    then_str(decides(d), "--w");
}

TEST(a_node_to_be_written_is_reserved_in_the_budget_until_the_write_is_seen)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    SCOPED_DESK d = desk_open(a);

    then_str(decides(d), "--w");
    then_int((int)permits_count(d->app.permits), 1);
    d->pass.children[2].revision = "new";
    d->pass.children[2].health.disturbed = true; /* so it is seen */
    then_str(decides(d), "---");
    then_int((int)permits_count(d->app.permits), 0);
}

TEST(a_frozen_fleet_reserves_no_budget)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    SCOPED_DESK d = desk_open(a);

    d->pass.fleet.spec.paused = true;
    then_ok(decide_fleet(&d->pass));
    then_true(d->pass.decision.frozen);
    then_int((int)permits_count(d->app.permits), 0);
}
