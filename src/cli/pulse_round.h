/* PulseRound: seids asked in turn, one at a time, for a screen that must stay quick: whoever does
 * not answer costs half a second now and then, and what was last heard stays. */
#ifndef CLI_PULSE_ROUND_H
#define CLI_PULSE_ROUND_H

#include "cli/pulse.h"

typedef struct PulseRound PulseRound;

enum { PULSE_ROUND_MAX = 128 }; /* a fleet has 100 nodes at most; those behind are not asked */

/* Of whom it is, by their names; no name twice. */
typedef struct PulseNodes {
    const char *namespace;
    const char *own; /* whose peers are counted; NULL: nobody's */
    const char *names[PULSE_ROUND_MAX];
    size_t count;
} PulseNodes;

PulseRound *pulse_round_open(void);

/* Accepts NULL. */
void pulse_round_close(PulseRound *r);

/* Asks the one that has waited longest, when it is due: two seconds after an answer, ten after
 * none, a minute after a refusal. `port` needs no deadline. */
void pulse_round_step(PulseRound *r, const PulsePort *port, const PulseNodes *nodes);

/* What was last heard of each that was asked, in the order of that: `pulses` of a Sight. */
Draft *pulse_round_draft(const PulseRound *r, Arena *a, const PulseNodes *nodes);

#endif
