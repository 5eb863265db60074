/* What reconciles share, and the table of watches. */
#include "sei/reconcile/app.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet.h"
#include "sei/reconcile/node.h"
#include "sei/reconcile/parts.h"
#include "sei/sidecar/seids.h"

#include <string.h>

enum {
    APP_ARENA_MAX = 1 << 20,
    /* A fleet looks at its nodes no more often, however many of them change: it reads them all. */
    CALM_MS = 1000,
    /* Several things of a pod change at one stroke, each with an event: its node looks once. */
    STROKE_MS = 150,
};

/* Objects of a node carry its name as a label: also those that it does not own, such as a volume
 * that is to outlive it. */
static void node_of(Arena *a, const Json *object, KeySet *ret)
{
    const char *name = meta_label(object, LABEL_NODE);

    (void)a;
    if (!str_empty(name))
        keyset_add(ret, (Key){.namespace = meta_namespace(object), .name = name});
}

/* The fleet that a node or a pod says it is of. A node without a word may be in the place of a
 * child, so it concerns the fleet whose child would have its name. */
static void fleet_of(Arena *a, const Json *object, KeySet *ret)
{
    const char *fleet = meta_label(object, LABEL_FLEET), *name = meta_name(object);
    const char *dash = str_empty(fleet) && name ? strrchr(name, '-') : NULL;

    if (dash)
        fleet = str_slice(a, name, (size_t)(dash - name));
    if (!str_empty(fleet))
        keyset_add(ret, (Key){.namespace = meta_namespace(object), .name = fleet});
}

/* Also what the fleets know of nodes: what they applied, and whose nodes they are. */
#define WATCHED_NODES .kind = kind_seinode, .manager = FLEET_MANAGER, .index = LABEL_FLEET

/* A node asks for the pods that are labelled as its own. */
#define WATCHED_PODS cached_pod, .labels = LABEL_NODE, .index = LABEL_NODE, .matters = pod_is_news

/* The Services of a fleet, but not those of its nodes, which carry its label as well. */
#define SERVICES_OF_FLEETS LABEL_FLEET ",!" LABEL_NODE "," LABEL_COMPONENT

static const Watch fleet_watches[] = {
    {.kind = kind_seinodedeployment},
    {WATCHED_NODES, .keys = fleet_of, .calm_ms = CALM_MS},
    {WATCHED_PODS, .keys = fleet_of, .calm_ms = CALM_MS},
    {cached_service,
        .labels = SERVICES_OF_FLEETS "!=" COMPONENT_P2P,
        .manager = FLEET_MANAGER,
        .keys = fleet_of},
    {cached_service,
        .labels = SERVICES_OF_FLEETS "=" COMPONENT_P2P,
        .manager = P2P_MANAGER,
        .keys = fleet_of},
    {cached_httproute,
        .labels = LABEL_FLEET,
        .manager = FLEET_MANAGER,
        .keys = fleet_of,
        .optional = true},
    {0},
};

const Controller fleet_controller[1] = {{
    .name = FLEET_CONTROLLER,
    .reporter = FLEET_MANAGER,
    .watches = fleet_watches,
    .reconcile = fleet_reconcile,
}};

static const Watch node_watches[] = {
    {WATCHED_NODES, .matters = node_is_news},
    {cached_statefulset, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_service, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_configmap, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_pvc, .labels = LABEL_NODE, .keys = node_of},
    {cached_job, .labels = LABEL_NODE, .keys = node_of},
    {WATCHED_PODS, .keys = node_of, .calm_ms = STROKE_MS},
    {0},
};

const Controller node_controller[1] = {{
    .name = NODE_CONTROLLER,
    .reporter = NODE_MANAGER,
    .watches = node_watches,
    .reconcile = node_reconcile,
}};

/* The same watches for every namespace; the first of all is the kind that is reconciled. */
static const Watch *watches_in(App *app, const Watch *of_all, size_t namespace_count)
{
    size_t watches = 0, made_count;

    while (of_all[watches].kind)
        watches++;
    made_count = watches * namespace_count;
    Watch *made = arena_array(app->arena, Watch, made_count + 1);
    for (size_t i = 0; i < made_count; i++) {
        made[i] = of_all[i / namespace_count];
        made[i].namespace = app->namespaces[i % namespace_count];
    }
    return made;
}

static Err *watch_namespaces(Arena *a, App *app)
{
    size_t count = 0;
    while (app->namespaces && app->namespaces[count])
        count++;
    if (count > APP_NAMESPACES_MAX)
        return err_terminal(
            a, "%zu namespaces to watch, at most %d: watch all instead", count, APP_NAMESPACES_MAX);
    if (count == 0)
        return OK;
    app->nodes.watches = watches_in(app, node_watches, count);
    app->fleets.watches = watches_in(app, fleet_watches, count);
    return OK;
}

/* --- the attendant: those of sidecars and seids, and the guard for all that is shared -----------
 */

static void bind(Attendant *self, Guard *guard, Waker *waker)
{
    App *app = (App *)self;
    Attendant *sidecars = sidecars_attendant(app->sidecars), *seids = seids_attendant(app->seids);

    app->guard = guard;
    app->waker = waker;
    permits_bind(app->permits, waker);
    start_locks_bind(app->start_locks, guard, waker);
    app->credentials = credentials_open(guard, app->settings->sidecar_account);
    sidecars->bind(sidecars, guard, waker);
    seids->bind(seids, guard, waker);
}

static int64_t earlier_ms(int64_t one_ms, int64_t other_ms)
{
    return one_ms < other_ms ? one_ms : other_ms;
}

static int64_t step(Attendant *self)
{
    App *app = (App *)self;
    Attendant *sidecars = sidecars_attendant(app->sidecars), *seids = seids_attendant(app->seids);
    int64_t next_ms = earlier_ms(sidecars->step(sidecars), seids->step(seids));

    return earlier_ms(next_ms, wake_peers(app));
}

static void count_exchange(void *counter, const SidecarExchange *exchange)
{
    figures_sidecar(&((App *)counter)->figures, exchange);
}

Err *app_open(Arena *a, const AppOptions *options, App **ret)
{
    Arena *home = arena_open(APP_ARENA_MAX);
    App *app = arena_new(home, App);

    *app = (App){
        .attendant = {.controller = NODE_CONTROLLER,
            .http = options->http,
            .bind = bind,
            .step = step},
        .arena = home,
        .nodes = node_controller[0],
        .fleets = fleet_controller[0],
        .settings = options->settings,
        .guard = guard_none(),
        .permits = permits_open(options->settings->platform_max_unavailable),
        .start_locks = start_locks_open(START_NODES_MAX),
        .waits = waits_open(),
        .fleet_waits = waits_open(),
        .fleet_clocks = fleet_clocks_open(),
        .edits = edits_open(),
        .probe_asks = probe_asks_open(),
        .renderings = renderings_open(),
        .likenesses = likenesses_open(),
        .pace = pace_open(),
        .lookups = lookups_open(options->resolver),
        .peers = peers_open(),
        .namespaces = options->namespaces && options->namespaces[0] ? options->namespaces : NULL,
        .clock = options->clock,
    };
    app->sidecars = sidecars_open(&(SidecarsOptions){
        .http = options->http,
        .clock = options->clock,
        .rng = options->rng,
        .flights_max = options->sidecars_at_once,
        .controller = NODE_CONTROLLER,
        .heard = count_exchange,
        .counter = app,
    });
    app->seids = seids_open(&(SeidsOptions){
        .http = options->http,
        .clock = options->clock,
        .rng = options->rng,
        .flights_max = options->seids_at_once,
    });
    Err *err = watch_namespaces(a, app);
    if (err) {
        app_close(app);
        return err;
    }
    *ret = app;
    return OK;
}

void app_close(App *app)
{
    if (!app)
        return;
    credentials_close(app->credentials);
    sidecars_close(app->sidecars);
    seids_close(app->seids);
    peers_close(app->peers);
    lookups_close(app->lookups);
    pace_close(app->pace);
    edits_close(app->edits);
    probe_asks_close(app->probe_asks);
    renderings_close(app->renderings);
    likenesses_close(app->likenesses);
    waits_close(app->waits);
    waits_close(app->fleet_waits);
    fleet_clocks_close(app->fleet_clocks);
    permits_close(app->permits);
    start_locks_close(app->start_locks);
    figures_close(&app->figures);
    arena_close(app->arena);
}

const Controller *const *app_controllers(App *app)
{
    app->controllers[0] = &app->nodes;
    app->controllers[1] = &app->fleets;
    return app->controllers;
}

Attendant *app_attendant(App *app)
{
    return &app->attendant;
}

void app_instrument(App *app, Metrics *metrics, Guard *guard, const char *version)
{
    figures_declare(&app->figures, metrics, guard);
    figures_build(&app->figures, version);
    figures_sidecars(&app->figures, sidecars_figures(app->sidecars).in_flight_max);
}
