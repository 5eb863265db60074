/* Replica: one operator pod in virtual time: a manager, assembled anew for each life, and strands
 * where the host has threads: a watcher, a leader, a teller, workers, and an attendant if the
 * program has one.
 *
 *     starts ──► lives ──► crashes, or loses its lease ──► (restart_ms) ──► starts anew
 *                     └──► is ended in order ──► stays down until it is started
 *
 * What a life knew is gone with it; only the name, and so the identity for the lease, stays. */
#ifndef SIM_REPLICA_H
#define SIM_REPLICA_H

#include "kube/manager.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Replica Replica;

/* What a life's program is made of. Closed when the life is over. */
typedef struct ReplicaApp {
    void *app;                           /* into every Ctx */
    Attendant *attendant;                /* or NULL */
    void (*bind)(void *app, Manager *m); /* once the manager is there; or NULL */
    void (*close)(void *app);            /* or NULL */
} ReplicaApp;

/* What it may be made from. */
typedef struct ReplicaPorts {
    Http *http; /* to the sidecars of the simulation's kubelet; closed by the replica */
    Clock *clock;
    Rng *rng;
    Guard *guard;
} ReplicaPorts;

/* Strings are borrowed and must live as long as the simulation. */
typedef struct ReplicaOptions {
    const char *name; /* "r0": also the identity */
    const char *user; /* who the server sees; NULL: the name */
    const Controller *const *controllers;
    void *app; /* of a program that remembers nothing */
    /* Makes the program of one life: what it remembers dies with that life. NULL: `app`. */
    ReplicaApp (*open_app)(void *how, const ReplicaPorts *ports);
    void *how;
    int workers; /* 0: 4 */
    bool leader_election;
    const char *lease_name;      /* NULL: "sim" */
    const char *lease_namespace; /* NULL: "default" */
    int64_t lease_ms, renew_ms, retry_ms;
    size_t arena_max;
    int64_t restart_ms; /* how long after a crash it starts anew; 0: 1,000 */
    bool silent;        /* its log does not go into the trace */
    bool talkative;     /* its log has all levels */
} ReplicaOptions;

/* A replica that starts now. It belongs to the simulation, which closes it. */
Replica *replica_open(Sim *sim, const ReplicaOptions *options);

/* Drops its memory: no call that it has not sent reaches the server. It starts anew later. */
void replica_crash(Replica *r);

/* Stops it without its knowing (SIGSTOP), and lets it go on. A life that follows is not stopped. */
void replica_stop(Replica *r);
void replica_continue(Replica *r);

/* Ends it in order (SIGTERM): reconciles end, events are flushed, the lease is given back. It stays
 * down until replica_start. */
void replica_end(Replica *r);
void replica_start(Replica *r);

/* Lives so far. */
int replica_lives(const Replica *r);

/* The manager of the life that it lives, or NULL while it is down. */
Manager *replica_manager(const Replica *r);

/* It lives, leads, and its caches are synced. */
bool replica_works(const Replica *r);

/* It works, its watches have brought everything, and there is nothing left that it wants to do: no
 * key waits or is held, no write has yet to come back. */
bool replica_is_idle(const Replica *r);

#endif
