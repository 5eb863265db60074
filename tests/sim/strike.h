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

/* An act, and what must be so in the end, whichever call goes wrong. */
typedef struct StrikeScene {
    const char *name;
    void (*given)(Play *p);
    void (*act)(Play *p);
    const char *(*find_wrong)(Play *p, const char *who); /* NULL: all is well */
    const char *who;                                     /* of find_wrong; may be NULL */
    bool is_long; /* for tests that leave some faults of such scenes out */
} StrikeScene;

/* Plays the scene once for each call (or write) of the operator after `given`, which has the fault.
 * How many there were. The first wrong ending ends the test. */
int strike_each_call(const StrikeScene *scene, PortFault fault, bool writes_only);

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
