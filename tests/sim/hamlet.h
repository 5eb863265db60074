/* Hamlet: a simulation with a few pods of nodes, whose sidecars can be made to misbehave. Knows the
 * world's side alone: what the world and the product call a sidecar are two things. */
#ifndef TESTS_SIM_HAMLET_H
#define TESTS_SIM_HAMLET_H

#include "sim/sim.h"

enum { HAMLET_NODES = 3 };

typedef struct Hamlet {
    Arena *arena;
    Sim *sim;
} Hamlet;

typedef enum HamletMischief {
    MISCHIEF_NONE,
    MISCHIEF_FORGETFUL,
    MISCHIEF_SLOW, /* three seconds for each answer */
    MISCHIEF_LYING,
    MISCHIEF_HANGING,
    MISCHIEF_FAILING,
    MISCHIEF_HUGE,
    MISCHIEF_MALFORMED,
    MISCHIEF_WEDGED,
} HamletMischief;

/* Opens a simulation with pods "rpc-0-0", "rpc-1-0", ... in namespace "sei", on bound volumes, and
 * the ServiceAccount sei/op, and lets their proxies begin to listen. Their sidecars misbehave from
 * the start. */
void hamlet_open(Hamlet *h, const SimOptions *options, HamletMischief mischief);
void hamlet_close(Hamlet *h);

/* All sidecars behave otherwise from now on. */
void hamlet_behave(Hamlet *h, HamletMischief mischief);

/* The container of a node's sidecar ends, and starts again. */
void hamlet_kill_sidecar(Hamlet *h, int node);

/* The next runs of a type of task take so long. */
void hamlet_slow_task(Hamlet *h, const char *type, int64_t ms);

/* The sidecar's gate is open, as a seid would see it. */
bool hamlet_is_ready(Hamlet *h, int node);

/* What must never happen and did: "" for nothing. */
const char *hamlet_hazards(Hamlet *h);

#endif
