/* SimTransport: the ways of one simulated process to the world's server: Apis for its strands,
 * Streams for the one that watches. No sockets; time passes on every way, and the judge of the
 * simulation decides what goes wrong. */
#ifndef SIM_SIM_TRANSPORT_H
#define SIM_SIM_TRANSPORT_H

#include "kube/transport.h"
#include "sim/sim.h"

typedef struct SimTransport {
    Transport port; /* first, so that the port is this */
    Sim *sim;
    Process *process;
    const char *user; /* who the server sees; must live as long as the simulation */
} SimTransport;

/* Fills a transport of a process. */
void sim_transport_init(SimTransport *t, Sim *sim, Process *process, const char *user);

/* --- its parts ---------------------------------------------------------------------------------
 */

Api *sim_api_open(Transport *self);
void sim_api_close(Transport *self, Api *api);
Streams *sim_streams_open(Transport *self);
void sim_streams_close(Transport *self, Streams *streams);

/* Nothing is under way: every request was answered, and every byte was delivered. */
bool sim_streams_are_quiet(const Streams *streams);

/* A copy of a request that lives on its own. */
Request sim_request_copy(Arena *a, const Request *request);

/* What a dead process gets from every port. */
Err *sim_err_dead(Arena *a);

#endif
