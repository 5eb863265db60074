/* NodeApp: the controller of SeiNodes, with all that it shares between reconciles: settings, what
 * sidecars said, tokens, permits, waits, metrics. Everything of it can be lost at any moment:
 * what counts stands in the objects. */
#ifndef SEI_RECONCILE_NODE_APP_H
#define SEI_RECONCILE_NODE_APP_H

#include "kube/attendant.h"
#include "kube/http.h"
#include "kube/manager.h"
#include "sei/api/settings.h"

typedef struct NodeApp NodeApp;

enum { NODE_NAMESPACES_MAX = 5 }; /* each takes seven watches */

typedef struct NodeAppOptions {
    const Settings *settings;
    const char *const *namespaces; /* to be watched, ended by NULL; NULL: all */
    Http *http;                    /* the way to sidecars */
    Clock *clock;
    Rng *rng;
} NodeAppOptions;

/* Opens it; strings and settings are borrowed. ERR_TERMINAL when there are too many namespaces. */
Err *node_app_open(Arena *a, const NodeAppOptions *options, NodeApp **ret) MUST_CHECK;

/* After the manager has been closed. Accepts NULL. */
void node_app_close(NodeApp *app);

/* What the manager runs; the app itself is ManagerOptions.app. */
const Controller *node_app_controller(NodeApp *app);
Attendant *node_app_attendant(NodeApp *app);

/* Declares the metrics, once, after the manager was opened and before it runs. */
void node_app_instrument(NodeApp *app, Metrics *metrics, Guard *guard);

#endif
