/* Manager: runs controllers. Watches feed caches, events become keys in a queue, workers reconcile
 * keys, one leader at a time.
 *
 *     static const Watch watches[] = {{.kind = &configmap, .labels = "example.io/copy"}, {0}};
 *     static const Controller copier = {.name = "copier", .watches = watches, .reconcile = copy};
 *     int main(int argc, char **argv) { return manager_main(argc, argv, &(ManagerOptions){...}); }
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
#include "kube/config.h"
#include "kube/ctx.h"
#include "kube/key.h"
#include "kube/kind.h"

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
    const char *manager; /* our field manager: the cache then knows meta_owned_hash of each object;
                            or NULL */
    /* Which keys of the controller an object concerns. NULL: the object itself for the first watch
     * of a controller, and for the others the object that controls it when that is of the first
     * watch's kind. */
    void (*keys)(Arena *a, const Json *object, KeySet *ret);
} Watch;

/* What a reconcile wants besides its error. */
typedef struct Reconciled {
    int64_t again_after_ms; /* look again after so long; 0: only when something happens */
} Reconciled;

typedef struct Controller {
    const char *name;     /* for logs, metrics, events' reportingController */
    const Watch *watches; /* the first is the kind that it reconciles; ended by a zero row */
    Err *(*reconcile)(Ctx *c, Key key, Reconciled *ret);
} Controller;

typedef struct ManagerOptions {
    const char *name; /* program name: user agent, lease name when that is NULL */
    const char *version;
    const Controller *const *controllers; /* ended by NULL */
    int workers;                          /* 0: 4 */
    bool leader_election;
    const char *lease_name, *lease_namespace;
    const char *identity;                 /* stable part; NULL: POD_NAME_POD_UID or the host name */
    int64_t lease_ms, renew_ms, retry_ms; /* 0: 15,000, 10,000, 2,000 */
    const char *metrics_address;          /* "127.0.0.1:8080"; NULL or "0": none */
    const char *health_address;           /* the same for /healthz and /readyz */
    size_t arena_max;                     /* of one reconcile; 0: 16 MiB */
    LogLevel log_level;
    ConfigSource source;
    void *app; /* into every Ctx */
} ManagerOptions;

/* Runs until a signal or a fault ends it; returns the exit code: 0 after a signal, 1 for a fault or
 * a lost lease, 2 for configuration that cannot work (with a message on standard error). */
int manager_run(const ManagerOptions *options);

#endif
