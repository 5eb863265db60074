/* App: the controllers of SeiNodes and of SeiNodeDeployments, with all that reconciles share:
 * settings, what sidecars said, tokens, permits, waits, metrics. Everything of it can be lost at
 * any moment: what counts stands in the objects. */
#ifndef SEI_RECONCILE_APP_H
#define SEI_RECONCILE_APP_H

#include "kube/attendant.h"
#include "kube/http.h"
#include "kube/manager.h"
#include "sei/api/settings.h"
#include "sei/reconcile/resolver.h"

typedef struct App App;

enum { APP_NAMESPACES_MAX = 5 }; /* each takes eleven watches */

typedef struct AppOptions {
    const Settings *settings;
    const char *const *namespaces; /* to be watched, ended by NULL; NULL: all */
    Http *http;                    /* the way to sidecars and seids */
    int sidecars_at_once;          /* that are asked; 0: SIDECARS_FLIGHTS_MAX */
    int seids_at_once;             /* that are asked; 0: SEIDS_FLIGHTS_MAX */
    Resolver *resolver;            /* NULL: every host name counts as one that resolves */
    Clock *clock;
    Rng *rng;
} AppOptions;

/* Opens it; strings and settings are borrowed. ERR_TERMINAL when there are too many namespaces. */
Err *app_open(Arena *a, const AppOptions *options, App **ret) MUST_CHECK;

/* After the manager has been closed. Accepts NULL. */
void app_close(App *app);

/* What the manager runs, ended by NULL; the app itself is ManagerOptions.app. */
const Controller *const *app_controllers(App *app);
Attendant *app_attendant(App *app);

/* Declares the metrics, once, after the manager was opened and before it runs; one of them has the
 * version of the program. */
void app_instrument(App *app, Metrics *metrics, Guard *guard, const char *version);

#endif
