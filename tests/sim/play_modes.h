/* PlayModes: one node of each kind that there is, for whatever must hold for all of them.
 *
 *     each_case(i, play_modes) {
 *         SCOPED_PLAY p = play_open(...);
 *         play_create_mode(p, "rpc-0", &play_modes[i]);
 *     }
 */
#ifndef TESTS_SIM_PLAY_MODES_H
#define TESTS_SIM_PLAY_MODES_H

#include "tests/sim/play.h"

typedef struct PlayMode {
    const char *name;
    const char *change; /* of the sample node */
    const char *tasks;  /* of its init, a blank between two */
} PlayMode;

enum { PLAY_MODES = 9 };

extern const PlayMode play_modes[PLAY_MODES];

/* What is in every Secret of a play, and must never be told. */
#define PLAY_SECRET "do-not-tell"

/* What the node needs of others: Secrets, and the genesis of a ceremony. */
void play_prepare_mode(Play *p, const PlayMode *mode);

/* How many tasks its sidecar does in an init, but for letting seid go. */
int play_mode_bootstraps(const PlayMode *mode);

/* What the node needs, and the node. */
void play_create_mode(Play *p, const char *name, const PlayMode *mode);

/* A claim with the data of a chain: a node of that chain ran on it and was deleted. */
void play_create_claim_of_chain(Play *p, const char *claim, const char *chain_id);

#endif
