/* Sidecars: the sidecar port over HTTP, as a machine: time and answers come in through ports. It is
 * moved by the thread of an attendant, and asked by workers, under the manager's
 * guard.
 *
 * Limits: so many exchanges in flight, one per node; every exchange has a deadline; a target that
 * does not answer is asked with growing pauses, and all such targets together have half of the
 * exchanges. 50 that hang delay no other. */
#ifndef SEI_SIDECAR_SIDECARS_H
#define SEI_SIDECAR_SIDECARS_H

#include "base/clock.h"
#include "base/rng.h"
#include "kube/attendant.h"
#include "kube/http.h"
#include "sei/sidecar/sidecar.h"

enum {
    SIDECARS_NODES_MAX = 20000,
    SIDECARS_FLIGHTS_MAX = 64,
    SIDECAR_DEADLINE_MS = 5000,
    SIDECAR_HEALTH_DEADLINE_MS = 2000,
    SIDECAR_POLL_MS = 5000,
    SIDECAR_QUICK_POLL_MS = 250, /* right after a hand-over: most tasks end at once */
    SIDECAR_HEALTH_MS = 30000,
    SIDECAR_ANSWER_MAX = 1 << 20,
    SIDECAR_BODY_MAX = 1 << 20,
};

typedef struct Sidecars Sidecars;

/* One exchange with a sidecar that counts still: its pod is the node's. */
typedef struct SidecarExchange {
    Key node;
    bool is_probe;
    ProbeHealth health; /* of a probe, never PROBE_UNKNOWN */
    bool is_unanswered; /* nothing of use came back */
} SidecarExchange;

typedef struct SidecarsOptions {
    Http *http;
    Clock *clock;
    Rng *rng;               /* spreads the probes */
    int flights_max;        /* exchanges at once; 0: SIDECARS_FLIGHTS_MAX */
    const char *controller; /* whose keys are woken */
    /* Hears of every exchange, to count it; or NULL. Called under the guard. */
    void (*heard)(void *counter, const SidecarExchange *exchange);
    void *counter;
} SidecarsOptions;

/* The machine. It wakes keys once a manager has bound its attendant. */
Sidecars *sidecars_open(const SidecarsOptions *options);
void sidecars_close(Sidecars *s);

/* As a port for tasks; as an attendant for the manager. */
Sidecar *sidecars_port(Sidecars *s);
Attendant *sidecars_attendant(Sidecars *s);

/* Exchanges so far, and in flight now; nodes that are known. */
typedef struct SidecarsFigures {
    uint64_t exchanges, failures;
    int in_flight, in_flight_max;
    size_t nodes;
} SidecarsFigures;
SidecarsFigures sidecars_figures(const Sidecars *s);

#endif
