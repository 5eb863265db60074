/* What becomes of routes while the server does not show their kind: nothing. */
#include "sei/api/names.h"
#include "sei/reconcile/fleet_parts.h"
#include "tests/sei/fleets.h"
#include "tests/test.h"

/* A cache with one route of the fleet in it, and a server that is told to delete it or not. */
typedef struct Gate {
    Kube kube; /* first, so that the port is this */
    Ctx ctx;
    bool is_served;
    int deleted;
} Gate;

static Err *find(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    (void)self, (void)c, (void)kind, (void)key;
    *ret = NULL;
    return OK;
}

static Err *select_route(Kube *self, Ctx *c, const Selection *selection, Objects *ret)
{
    const Json **items = arena_array(c->arena, const Json *, 1);

    (void)self;
    items[0] = json_fixture(c->arena,
        "{metadata: {name: 'rpc-old', namespace: 'sei', uid: 'u', resourceVersion: '7',"
        " labels: {'sei.io/nodedeployment': 'rpc'}}}");
    *ret = (Objects){.items = items, .count = kind_eq(selection->kind, kind_httproute)};
    return OK;
}

static Err *answer(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    ((Gate *)self)->deleted += request->verb == VERB_DELETE;
    if (request->verb == VERB_GET) {
        Err *err = err_retry(c->arena, "not there");
        err->status = 404;
        err->reason = "NotFound";
        return err;
    }
    if (ret)
        *ret = request->body;
    return OK;
}

static bool serves(Kube *self, const Kind *kind, const char *namespace)
{
    then_str(namespace, "sei");
    return !kind_eq(kind, kind_httproute) || ((Gate *)self)->is_served;
}

static void tell(Kube *self, Ctx *c, const Notice *notice)
{
    (void)self, (void)c, (void)notice;
}

static const struct {
    const char *name;
    bool is_served;
    int deleted;
} cases[] = {
    {"one that is not wanted goes", true, 1},
    {"but not while the kind is not shown", false, 0},
};

TEST(routes_are_pruned_only_while_the_api_server_serves_their_kind)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(16 << 20);
        static const Settings settings = {.gateway_domain = "web.example"};
        Gate gate = {.kube = {.find = find,
                         .select = select_route,
                         .call = answer,
                         .serves = serves,
                         .event = tell},
            .ctx = {.arena = a, .kube = &gate.kube, .clock = clock_system()},
            .is_served = cases[i].is_served};
        App app = {.settings = &settings, .guard = guard_none(), .lookups = lookups_open(NULL)};
        Reconciled reconciled = {0};
        FleetPass *p = arena_new(a, FleetPass);

        p->c = &gate.ctx;
        p->app = &app;
        p->ret = &reconciled;
        p->fleet = *sample_fleet(a, "{spec: {networking: {http: {}}}}");
        p->snapshot.fleet = &p->fleet;
        p->scale.remove = -1;
        then_ok(keep_networking(p));
        then_int(gate.deleted, cases[i].deleted);
        lookups_close(app.lookups);
    }
}
