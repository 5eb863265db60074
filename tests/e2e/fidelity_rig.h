/* Rig: a real control plane, and players who lay a world beside it. Players may play at once: each
 * has connections and a world of its own, and every sequence a namespace. What all of them feel is
 * compaction: a sequence that compacts is played alone. */
#ifndef TESTS_E2E_FIDELITY_RIG_H
#define TESTS_E2E_FIDELITY_RIG_H

#include "tests/e2e/fidelity.h"
#include "tests/e2e/live.h"

#include <stdatomic.h>

enum { FIDELITY_PLAYERS = 8 };

typedef struct Rig Rig;

typedef struct Player {
    Rig *rig;
    Live *live;
    Streams *streams;
} Player;

struct Rig {
    Arena *arena;
    Controlplane *cp;
    const Json *crds[2];
    atomic_size_t namespaces; /* how many there were so far */
    Player players[FIDELITY_PLAYERS];
};

/* Opens the control plane with our definitions, and all players. */
Rig *rig_open(Arena *a);

void rig_close(Rig *rig);

/* Where two plays of a sequence first differ: a step, or behind the last one a watch or the store.
 */
typedef struct Difference {
    bool found;
    size_t step;
    const char *world, *real; /* in the arena */
} Difference;

/* Plays a sequence to both. */
Difference player_play(Player *p, Arena *a, const Steps *steps);

#endif
