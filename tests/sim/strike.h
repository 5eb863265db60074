/* Strike: one call of the operator that goes wrong, counted from the moment it is armed.
 *
 *     Strike strike = {.number = 7, .fault = {.kind = PORT_CRASH_AFTER}};
 *     SCOPED_PLAY p = play_open(
 *         &(PlayOptions){.sim = {.judge = strike_judge, .judge_self = &strike}});
 *     strike.armed = true;
 */
#ifndef TESTS_SIM_STRIKE_H
#define TESTS_SIM_STRIKE_H

#include "sim/port.h"
#include "tests/sim/play.h"

typedef struct Strike {
    bool armed, writes_only;
    uint64_t number, seen;
    PortFault fault;
    char what[160]; /* the call */
} Strike;

/* A PortJudge; `self` is the Strike. */
PortFault strike_judge(void *self, const PortCall *call);

/* Lets the world go on until the call has come; false when it does not within two minutes. */
bool strike_await(Play *p, const Strike *s);

/* As an admission policy does: whatever the operator applies to one SeiNode is refused for as long
 * as it is armed. A PortJudge as well. */
typedef struct Refusal {
    bool armed;
    const char *node;
    int status;
} Refusal;

PortFault refusal_judge(void *self, const PortCall *call);

/* SEI_FAULTS=all: every fault, and every place for it; without it, some. */
bool strike_wants_all(void);

#endif
