/* Manager: runs controllers. Watches feed caches, events become keys in a queue, workers reconcile
 * keys, one leader at a time.
 *
 *     static const Watch watches[] = {{.kind = kind_configmap, .labels = "example.io/copy"}, {0}};
 *     static const Controller copier = {.name = "copier", .watches = watches, .reconcile = copy};
 *
 * and main: config_load, client_open, manager_open, serve_open, manager_run, and the closes in
 * reverse; see examples/.
 *
 * Life cycle: watches open and fill the caches (also on a standby); once every cache is synced and
 * this process leads, the workers start. SIGTERM: the current reconciles finish, events are
 * flushed, the lease is given back, exit 0 within 5 s; a second signal ends at once. A lost lease
 * ends the process with 1: it starts again as a standby.
 *
 * A reconcile gets a key, never an event: it reads the world as it is and moves it a step. Never
 * two at a time for one key. */
#ifndef KUBE_MANAGER_H
#define KUBE_MANAGER_H

#include "base/err.h"
#include "base/json.h"
#include "kube/attendant.h"
#include "kube/ctx.h"
#include "kube/guard.h"
#include "kube/key.h"
#include "kube/kind.h"
#include "kube/metrics.h"
#include "kube/reply.h"
#include "kube/transport.h"

#include <stdbool.h>
#include <stdint.h>

/* Collects the keys that an event concerns. */
typedef struct KeySet KeySet;

/* Adds one key; doubles count once. */
void keyset_add(KeySet *keys, Key key);

typedef struct Watch {
    const Kind *kind;      /* NULL ends a list of watches */
    const char *namespace; /* NULL: all namespaces */
    const char *labels;    /* server-side label selector, or NULL */
    const char *fields;    /* server-side field selector, or NULL */
    const char *manager;   /* our field manager: the cache then knows meta_owned_hash; or NULL */
    bool optional;         /* the server may not know the kind, or may never have shown it for want
                            * of a right: then there are none, and it is looked for every 30 s. Once
                            * it is there, every object of the first watch's kind is reconciled. See
                            * kube_is_served */
    const char *index;     /* a label by whose value kube_select often asks, or NULL */
    int64_t calm_ms;       /* how long an event may wait for others, so that a reconcile that reads
                            * many objects is not run for each of them; 0: not at all. One that says
                            * that an object is gone or going never waits for the controller's
                            * object that controls it */
    /* Whether a change of an object that stays is worth a reconcile. `before` is what the cache
     * kept of it, `now` the whole object. NULL: whatever is kept is. */
    bool (*matters)(Arena *a, const Json *before, const Json *now);
    /* Which keys of the controller an object concerns. NULL: the object itself for the first watch
     * of a controller, and for the others the object that controls it when that is of the first
     * watch's kind. */
    void (*keys)(Arena *a, const Json *object, KeySet *ret);
} Watch;

/* What a reconcile wants besides its error. */
typedef struct Reconciled {
    int64_t again_after_ms; /* look again after so long; 0: only when something happens */
    bool is_content;        /* that the watch shows the one thing it wrote is no reason to look: it
                             * would find nothing to do. (What the event brings may be: see matters) */
} Reconciled;

typedef struct Controller {
    const char *name;     /* for logs and metrics */
    const char *reporter; /* reportingController of its events; NULL: the name */
    const Watch *watches; /* the first is the kind that it reconciles; ended by a zero row */
    Err *(*reconcile)(Ctx *c, Key key, Reconciled *ret);
} Controller;

typedef struct Manager Manager;

typedef struct ManagerOptions {
    const char *name; /* program name; also the lease's when that is NULL */
    const char *version;
    Transport *transport; /* the API server: client_transport, or a simulated one */
    /* Ended by NULL, at most MANAGER_CONTROLLERS_MAX; borrowed while the manager is open. */
    const Controller *const *controllers;
    int workers; /* 0: 4 */
    bool leader_election;
    const char *lease_name;
    const char *lease_namespace;
    const char *identity; /* stable over restarts of one pod; needed with leader_election */
    int64_t lease_ms;     /* 0: 15,000 */
    int64_t renew_ms;     /* 0: 10,000 */
    int64_t retry_ms;     /* 0: 2,000 */
    int64_t silence_ms;   /* a watch without a byte for so long is dropped; 0: 90,000 */
    size_t arena_max;     /* of one reconcile; 0: 16 MiB */
    const Log *log;       /* NULL: silent */
    Clock *clock;         /* NULL: the system's */
    Rng *rng;             /* NULL: the system's */
    void *app;            /* into every Ctx */
    Attendant *attendant; /* or NULL */
} ManagerOptions;

enum { MANAGER_CONTROLLERS_MAX = 8, MANAGER_WATCHES_MAX = 64 };

/* Prepares everything and starts nothing. ERR_TERMINAL says which option is wrong. */
Err *manager_open(Arena *a, const ManagerOptions *options, Manager **ret) MUST_CHECK;

/* Runs until a signal or a fault ends it; the exit code: 0 after SIGTERM or SIGINT, 1 after a fault
 * or a lost lease. Blocks both signals in the calling thread and opens all other threads. */
int manager_run(Manager *m);

/* After manager_run. Accepts NULL. */
void manager_close(Manager *m);

/* Answers /metrics, /healthz and /readyz; of the type that serve_open wants. Callable from any
 * thread between open and close. */
void manager_handle(void *manager, const char *path, Reply *reply);

/* The registry, for metrics of the program's own, and the guard under which it is touched. */
Metrics *manager_metrics(Manager *m);
Guard *manager_guard(Manager *m);

#endif
