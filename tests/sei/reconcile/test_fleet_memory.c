/* Fleets of large nodes: how much memory one reconcile needs for them. Bytes are counted, over the
 * caches and the reads of the real runtime. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet_parts.h"
#include "tests/kube/runtime/rig.h"
#include "tests/sei/fleets.h"
#include "tests/sei/nodes.h"
#include "tests/sei/reconcile/desk.h"

enum { NODES = 20 };

static const Watch watches[] = {
    {.kind = kind_seinode, .manager = FLEET_MANAGER, .index = LABEL_FLEET},
    {cached_pod, .labels = LABEL_NODE},
    {cached_service, .labels = LABEL_FLEET},
    {cached_httproute, .labels = LABEL_FLEET},
    {0},
};

typedef struct Large {
    Rig *rig;
    Desk *desk;
    App *app;
    const char *fleet; /* a merge patch */
} Large;

static const char *filler(Arena *a, size_t bytes)
{
    return memset(arena_alloc(a, bytes + 1), 'x', bytes);
}

/* A node with so many bytes of overrides, and as many in the parameters of a task. */
static void put_node(Rig *r, int ordinal, size_t bytes)
{
    const char *overrides = filler(r->arena, bytes);

    rig_put(r,
        0,
        str_format(r->arena,
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', metadata: {name: 'rpc-%d',"
            " namespace: 'sei', uid: 'u%d', resourceVersion: '%d',"
            " labels: {'sei.io/nodedeployment': 'rpc', 'sei.io/nodedeployment-ordinal': '%d'},"
            " ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
            "  name: 'rpc', uid: '" FLEET_UID "', controller: true}]},"
            " spec: {chainId: 'pacific-1', image: 'seid:A', fullNode: {}, overrides: {a: '%s'}},"
            " status: {phase: 'Running', plan: {id: 'p', kind: 'init', phase: 'Complete',"
            "  tasks: [{id: 't', type: 'config-apply', status: 'Complete',"
            "   params: {overrides: {a: '%s'}}}]}}}",
            ordinal,
            ordinal,
            100 + ordinal,
            ordinal,
            overrides,
            overrides));
}

static Large given_nodes(Rig *r, Desk *desk, size_t bytes)
{
    Large large = {.rig = r, .desk = desk, .app = arena_new(r->arena, App), .fleet = "{}"};

    large.app->settings = sample_settings();
    large.app->guard = guard_none();
    large.app->figures = desk->figures;
    large.app->lookups = lookups_open(NULL);
    for (int cache = 0; cache < 4; cache++)
        rig_list(r, cache, "5", "[]");
    for (int i = 0; i < NODES; i++)
        put_node(r, i, bytes);
    return large;
}

static void close_large(Large *large)
{
    lookups_close(large->app->lookups);
}

#define SCOPED_LARGE __attribute__((cleanup(close_large))) Large

static FleetPass *pass_of(Large *large, Ctx *c, const Json *fleet)
{
    FleetPass *p = arena_new(c->arena, FleetPass);

    p->c = c;
    p->app = large->app;
    p->ret = arena_new(c->arena, Reconciled);
    then_ok(fleet_decode(c->arena, fleet, &p->fleet));
    return p;
}

static Err *in_large(Large *large, RigReconcile *reconcile)
{
    large->rig->options.app = large;
    return rig_reconcile(large->rig, (Key){"sei", "rpc"}, reconcile);
}

static Large *large_of(Ctx *c)
{
    return ((Rig *)c->app)->options.app;
}

static Err *gather(Ctx *c, Key key, Reconciled *ret)
{
    Large *large = large_of(c);
    FleetPass *p = pass_of(large, c, sample_fleet_object(c->arena, large->fleet));

    (void)key, (void)ret;
    TRY(gather_fleet(p));
    then_int(p->snapshot.count, NODES);
    then_str(p->children[3].node->key.name, "rpc-3");
    return OK;
}

TEST(a_fleet_reconcile_needs_memory_for_each_spec_once_and_for_no_copies)
{
    SCOPED_RIG r = rig_open(watches);
    SCOPED_DESK desk = desk_open();
    enum { BYTES = 200 << 10 };
    SCOPED_LARGE large = given_nodes(r, desk, BYTES);

    large.fleet = "{spec: {replicas: 20}}";
    then_ok(in_large(&large, gather));
    then_true(arena_used(r->work) > (size_t)NODES * BYTES);
    then_true(arena_used(r->work) < (size_t)NODES * BYTES * 5 / 4);
}

TEST(a_fleet_of_nodes_that_are_too_large_can_still_be_scaled)
{
    SCOPED_RIG r = rig_open(watches);
    SCOPED_DESK desk = desk_open();
    SCOPED_LARGE large = given_nodes(r, desk, 900 << 10);

    large.fleet = "{spec: {replicas: 20}}";
    then_ok(in_large(&large, gather));
    then_true(arena_used(r->work) < 1 << 20);
}

/* Two passes: the first stores that the fleet is going. */
static Err *delete_in_two_passes(Ctx *c, Key key, Reconciled *ret)
{
    Large *large = large_of(c);
    const Json *fleet = sample_fleet_object(c->arena,
        "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['" FLEET_FINALIZER
        "']}}");
    FleetPass *p = pass_of(large, c, fleet);

    (void)key, (void)ret;
    TRY(delete_fleet(p));
    then_true(p->stored != NULL);
    return delete_fleet(pass_of(large, c, json_merge(c->arena, fleet, large->rig->sent[0].body)));
}

TEST(a_fleet_of_nodes_of_any_size_can_be_deleted)
{
    SCOPED_RIG r = rig_open(watches);
    SCOPED_DESK desk = desk_open();
    SCOPED_LARGE large = given_nodes(r, desk, 900 << 10);

    rig_accept(r);
    rig_answer(r,
        "{metadata: {name: 'rpc', namespace: 'sei', uid: '" FLEET_UID "', resourceVersion: '21',"
        " finalizers: ['" FLEET_FINALIZER "']}}");
    rig_answer(r, "{metadata: {name: 'seinodedeployments.sei.io'}}");
    then_ok(in_large(&large, delete_in_two_passes));
    const char *requests = rig_requests(r);
    then_true(strstr(requests, "delete seinodes sei.io sei/rpc-0,") != NULL);
    then_true(strstr(requests, "delete seinodes sei.io sei/rpc-19") != NULL);
    then_true(arena_used(r->work) < 1 << 20);
}
