/* What reconciles share, and the table of watches. */
#include "sei/reconcile/node_app.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/reconcile/node.h"
#include "sei/reconcile/parts.h"

enum { APP_ARENA_MAX = 1 << 20 };

/* Objects of a node carry its name as a label: also those that it does not own, such as a volume
 * that is to outlive it. */
static void node_of(Arena *a, const Json *object, KeySet *ret)
{
    const char *name = meta_label(object, LABEL_NODE);

    (void)a;
    if (!str_empty(name))
        keyset_add(ret, (Key){.namespace = meta_namespace(object), .name = name});
}

static const Watch watches_of_all[] = {
    {.kind = kind_seinode},
    {cached_statefulset, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_service, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_configmap, .labels = LABEL_NODE, .manager = NODE_MANAGER, .keys = node_of},
    {cached_pvc, .labels = LABEL_NODE, .keys = node_of},
    {cached_job, .labels = LABEL_NODE, .keys = node_of},
    {cached_pod, .labels = LABEL_NODE, .keys = node_of},
    {0},
};
enum { WATCHES = sizeof watches_of_all / sizeof watches_of_all[0] - 1 };

const Controller node_controller[1] = {{
    .name = NODE_CONTROLLER,
    .reporter = NODE_MANAGER,
    .watches = watches_of_all,
    .reconcile = node_reconcile,
}};

/* The same watches for every namespace; the first of all is the kind that is reconciled. */
static Err *watch_namespaces(Arena *a, NodeApp *app, const char *const *namespaces)
{
    size_t count = 0;
    while (namespaces && namespaces[count])
        count++;
    if (count > NODE_NAMESPACES_MAX)
        return err_terminal(a,
            "%zu namespaces to watch, at most %d: watch all instead",
            count,
            NODE_NAMESPACES_MAX);
    if (count == 0)
        return OK;
    Watch *made = arena_array(app->arena, Watch, count * WATCHES + 1);
    for (size_t i = 0; i < count * WATCHES; i++) {
        made[i] = watches_of_all[i / count];
        made[i].namespace = namespaces[i % count];
    }
    app->controller.watches = made;
    return OK;
}

/* --- the attendant: that of the sidecars, and the guard for all that is shared ------------------
 */

static void bind(Attendant *self, Guard *guard, Waker *waker)
{
    NodeApp *app = (NodeApp *)self;
    Attendant *sidecars = sidecars_attendant(app->sidecars);

    app->guard = guard;
    app->waker = waker;
    permits_bind(app->permits, waker);
    app->credentials = credentials_open(guard, app->settings->sidecar_account);
    sidecars->bind(sidecars, guard, waker);
}

static int64_t step(Attendant *self)
{
    NodeApp *app = (NodeApp *)self;
    Attendant *sidecars = sidecars_attendant(app->sidecars);
    int64_t of_sidecars = sidecars->step(sidecars), of_peers = wake_peers(app);

    return of_sidecars < of_peers ? of_sidecars : of_peers;
}

static void count_exchange(void *counter, const SidecarExchange *exchange)
{
    figures_sidecar(&((NodeApp *)counter)->figures, exchange);
}

Err *node_app_open(Arena *a, const NodeAppOptions *options, NodeApp **ret)
{
    Arena *home = arena_open(APP_ARENA_MAX);
    NodeApp *app = arena_new(home, NodeApp);

    *app = (NodeApp){
        .attendant = {.controller = NODE_CONTROLLER,
            .http = options->http,
            .bind = bind,
            .step = step},
        .arena = home,
        .controller = node_controller[0],
        .settings = options->settings,
        .guard = guard_none(),
        .permits = permits_open(options->settings->platform_max_unavailable),
        .waits = waits_open(),
        .edits = edits_open(),
        .peers = peers_open(),
        .namespaces = options->namespaces && options->namespaces[0] ? options->namespaces : NULL,
        .clock = options->clock,
    };
    app->sidecars = sidecars_open(&(SidecarsOptions){
        .http = options->http,
        .clock = options->clock,
        .rng = options->rng,
        .controller = NODE_CONTROLLER,
        .heard = count_exchange,
        .counter = app,
    });
    Err *err = watch_namespaces(a, app, options->namespaces);
    if (err) {
        node_app_close(app);
        return err;
    }
    *ret = app;
    return OK;
}

void node_app_close(NodeApp *app)
{
    if (!app)
        return;
    credentials_close(app->credentials);
    sidecars_close(app->sidecars);
    peers_close(app->peers);
    edits_close(app->edits);
    waits_close(app->waits);
    permits_close(app->permits);
    arena_close(app->arena);
}

const Controller *node_app_controller(NodeApp *app)
{
    return &app->controller;
}

Attendant *node_app_attendant(NodeApp *app)
{
    return &app->attendant;
}

void node_app_instrument(NodeApp *app, Metrics *metrics, Guard *guard)
{
    figures_declare(&app->figures, metrics, guard);
}
