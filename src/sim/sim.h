/* Sim: a world in virtual time with simulated processes in it. A run is a function of its seed.
 *
 *     Sim *sim = sim_open(&(SimOptions){.seed = 7});
 *     Replica *r = replica_open(sim, &(ReplicaOptions){.name = "r0", .controllers = ...});
 *     world_run_until(sim_world(sim), 60000);
 *     sim_close(sim);
 *
 * The product's code runs as it is: reflectors, stores, queue, workers, reconciles. What it calls
 * are ports (sim_transport.h), and each call of a port is a place where others may run, where
 * something may fail (port.h), and where the process may die (process.h, replica.h). */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/link.h"
#include "base/log.h"
#include "base/rng.h"
#include "sim/port.h"
#include "sim/process.h"
#include "sim/trace.h"
#include "world/world.h"

typedef struct Sim Sim;
typedef struct Kubelet Kubelet; /* of world/kubelet.h */
typedef struct KubeletOptions KubeletOptions;

typedef struct SimOptions {
    uint64_t seed;
    int64_t latency_max_ms; /* of each way of a call; 0: 5 */
    int64_t lag_max_ms;     /* how late an actor or a watch gets a change; 0: 50 */
    bool is_steady;         /* as in WorldOptions */
    int linger_percent;     /* how often a thread pauses between deciding on a call and sending it:
                             * there it may be stopped, and go on when its lease is long gone */
    size_t history_max;     /* as in ServerOptions */
    PortJudge *judge;       /* NULL: nothing goes wrong */
    void *judge_self;
    LogSink *print; /* where the trace goes; NULL: only its hash is kept */
} SimOptions;

/* A simulation without processes. */
Sim *sim_open(const SimOptions *options);

/* Ends every replica as a crash does, and closes all. Accepts NULL. */
void sim_close(Sim *sim);

World *sim_world(Sim *sim);

/* Adds a kubelet with the world's clock, chance and reviewer of tokens where `options` names none;
 * from then on processes reach its sidecars by Http. One at most. */
Kubelet *sim_add_kubelet(Sim *sim, const KubeletOptions *options);

/* That kubelet, or NULL. */
Kubelet *sim_kubelet(const Sim *sim);

Trace *sim_trace(Sim *sim);

/* Calls of ports so far. */
uint64_t sim_calls(const Sim *sim);

/* Another judge from now on. */
void sim_set_judge(Sim *sim, PortJudge *judge, void *self);

/* Called after every write of anybody, as server_on_write (which the simulation itself uses): the
 * place for promises. */
void sim_on_write(Sim *sim, ServerWrote *wrote, void *self);

/* --- for the ports ---------------------------------------------------------------------------- */

/* Counts a call, asks the judge, and notes both in the trace. */
PortFault sim_judge(Sim *sim, const Strand *strand, PortCall *call);

/* A time that one way takes; a time that a change takes to arrive. */
int64_t sim_latency_ms(Sim *sim);
int64_t sim_lag_ms(Sim *sim);

/* Whether a thread pauses before this call. */
bool sim_lingers(Sim *sim);

/* Chance of the network. */
Rng *sim_rng(Sim *sim);

/* Memory for the length of one turn: whoever uses it resets it. */
Arena *sim_scratch(Sim *sim);

/* Somebody who is told of changes, and closed with the simulation. */
typedef struct SimGuest {
    Link link;
    void *self;
    void (*changed)(void *self, int64_t now_ms); /* NULL: not interested */
    void (*close)(void *self);                   /* NULL: closes itself */
} SimGuest;
void sim_join(Sim *sim, SimGuest *guest);
void sim_leave(SimGuest *guest);

#endif
