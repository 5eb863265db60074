/* Machine: the inside of a manager, without threads.
 *
 * The host runs these steps in threads, a simulator one at a time; nothing here knows the
 * difference. Whatever several parties touch is touched under the guard, and the guard is never
 * held across a call of a port.
 *
 *     watch_step ──► reflectors ──► feeds ──► stores, expectations, queue
 *     worker_step ◄── queue; reconciles one key through a Cluster
 *     lead_step: the lease        tell_step: events for people
 *     attend_step: the program's attendant
 *
 * Work begins (manager->working) once every cache is synced and this process leads; only then do
 * events become keys, and everything in the caches becomes a key once. A standby therefore keeps
 * warm caches and an empty queue. */
#ifndef KUBE_RUNTIME_MACHINE_H
#define KUBE_RUNTIME_MACHINE_H

#include "base/link.h"
#include "base/slab.h"
#include "kube/manager.h"
#include "kube/runtime/cache.h"
#include "kube/runtime/events.h"
#include "kube/runtime/expect.h"
#include "kube/runtime/held_log.h"
#include "kube/runtime/instruments.h"
#include "kube/runtime/lease.h"
#include "kube/runtime/queue.h"

enum {
    MANAGER_WORKERS_MAX = 64,
    MANAGER_WRITE_DEADLINE_MS = 5000, /* of a write that names none; a third of a shorter lease */
    MANAGER_WAIT_MS = 10000,          /* a waiting key is looked at again at the latest */
    MANAGER_BEAT_MS = 5000,      /* the watch step runs at least so often: healthz looks at it */
    MANAGER_DISTRUST_MS = 30000, /* without a step back, before anything is deleted again */
    MANAGER_HAND_MS = 200,       /* a worker that waits for nothing is soon done, unless it hangs */
};

/* Makes keys of one controller due. */
typedef struct KeyWaker {
    Waker port; /* first, so that the port is this */
    Manager *manager;
    int controller;
} KeyWaker;

/* A worker that holds a key. */
typedef struct BusyWorker {
    Link link; /* in Manager.busy */
    int controller;
    int64_t since_ms;
    bool calls;      /* it waits for the server, */
    int64_t rose_ms; /* or has waited for nothing since then */
} BusyWorker;

struct Manager {
    ManagerOptions options;
    Arena *arena; /* as old as the manager */
    Clock *clock;
    Rng *rng;
    Log log;      /* where the guard is not held */
    HeldLog held; /* where it is: held.log */
    Guard *guard;
    Streams *streams;
    Slab *slab;
    Queue *queue;
    Expect *expect;
    Lease *lease; /* NULL without leader election */
    Events *events;
    Metrics *metrics;
    Instruments instruments;
    Cache caches[MANAGER_WATCHES_MAX];
    int cache_count;
    int controller_count;
    KeyWaker waker; /* the attendant's */
    int64_t opened_wall_ns;
    int64_t write_deadline_ms; /* well below the lease: see may_write in cluster.c */

    /* Under the guard. */
    bool working;
    bool stopping;
    bool drop_watches;      /* renewals fail: the connections may be dead */
    int64_t distrust_since; /* last step back in time; 0: the caches are trusted */
    int64_t watch_beat_ms;  /* when the watch step last ran */
    int busy_workers;
    Link busy;                       /* those, each a BusyWorker */
    void (*work_added)(void *host);  /* one worker may have something to do; NULL: nobody waits */
    void (*event_added)(void *host); /* the same for tell_step */
    void *host;
};

/* Builds the machine around a guard. As manager_open. */
Err *manager_assemble(
    Arena *a, const ManagerOptions *options, Guard *guard, Manager **ret) MUST_CHECK;

/* Lets reflectors do what is due, wakes late expectations, begins the work when it can. Gives the
 * time at which it wants to be called again; until then the caller polls the streams. */
int64_t manager_watch_step(Manager *m);

/* Renews or tries to take the lease, if that is due. Gives the time of the next call. */
int64_t manager_lead_step(Manager *m, Api *api, Arena *a);

/* Sends one pending event, if that is due. Gives the time of the next call; 0 for at once. */
int64_t manager_tell_step(Manager *m, Api *api, Arena *a);

/* Lets the attendant do what is due, if this process works. Gives the time of the next call; until
 * then the caller polls the attendant's http, which is woken when the work begins. */
int64_t manager_attend_step(Manager *m);

/* Gives the lease back at a clean end, if that can be done in this many milliseconds. */
void manager_release_lease(Manager *m, Api *api, Arena *a, int64_t deadline_ms);

/* When a worker could have something to do; INT64_MAX for never. The guard is held. */
int64_t manager_work_due(const Manager *m);

/* True while a worker is about to be done with its key, and then takes what is due. The guard is
 * held. */
bool manager_has_hand(const Manager *m);

/* True while this process may act: no election, or the lease is held. The guard is held. */
bool manager_leads(const Manager *m);

/* Every cache has had its first list. The guard is held. */
bool manager_is_synced(const Manager *m);

/* True while every kind that there is is watched, and none is listed. The guard is held. */
bool manager_only_watches(const Manager *m);

/* False while a step back in time is recent: nothing may be deleted. The guard is held. */
bool manager_trusts_caches(const Manager *m);

#endif
