/* SimHttp: the Http port of one simulated process: to the sidecars and seids of the simulation's
 * kubelet, and to nothing else. Time passes on every way, and the judge of the
 * simulation decides what goes wrong, as for the ways to the API server. */
#ifndef SIM_SIM_HTTP_H
#define SIM_SIM_HTTP_H

#include "kube/http.h"
#include "sim/sim.h"

#include <stdbool.h>

enum { SIM_HTTP_FLIGHTS_MAX = 1024 };

/* The port of a process; closed by http_close, when no strand of the process runs any more. */
Http *sim_http_open(Sim *sim, Process *process);

/* No exchange is under way. */
bool sim_http_is_quiet(const Http *http);

#endif
