/* Rough: a bad network, by chance: now and then a call of the operator fails, in one of the ways in
 * which calls do. */
#ifndef TESTS_SIM_ROUGH_H
#define TESTS_SIM_ROUGH_H

#include "base/rng.h"
#include "sim/port.h"

typedef struct Rough {
    SeededRng rng;
    bool is_on;
    bool is_prompt; /* nothing is late: what was sent arrives at once or never, and is heard */
} Rough;

/* A PortJudge; `self` is the Rough. */
PortFault rough_judge(void *self, const PortCall *call);

#endif
