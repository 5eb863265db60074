/* Crew: actors in front of a real API server. A reflector per kind shows every change to the actors
 * that want to see it; one Api carries out what they do. Driven by one caller, without threads. */
#ifndef PLAYER_CREW_H
#define PLAYER_CREW_H

#include "base/log.h"
#include "base/rng.h"
#include "kube/transport.h"
#include "world/actor.h"

typedef struct Crew Crew;

typedef struct CrewOptions {
    Transport *transport;
    Rng *rng;
    const Log *log; /* NULL: silent */
} CrewOptions;

enum { CREW_ACTORS_MAX = 8, CREW_KINDS_MAX = 8, CREW_OBJECTS_MAX = 200000 };

Crew *crew_open(const CrewOptions *options);

/* Closes the actors too. Accepts NULL. */
void crew_close(Crew *c);

/* Adds an actor, which the crew then owns. All of them before the first step. */
void crew_add(Crew *c, Actor *actor);

/* Gives an actor a turn at the next step. */
void crew_wake(Crew *c, Actor *actor);

/* Does what is due, and says when it wants to be called again; until then the streams are polled.
 */
int64_t crew_step(Crew *c, int64_t now_ms);

/* Moves bytes for at most so long. */
void crew_poll(Crew *c, int64_t timeout_ms);

/* Every kind is being watched. */
bool crew_is_watching(const Crew *c);

#endif
