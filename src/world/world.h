/* World: a server and the actors around it, moved by a scheduler. Time stands still until the world
 * moves it; what happens next among the things that are due is decided by the seed. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/clock.h"
#include "base/rng.h"
#include "kube/api.h"
#include "world/actor.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct World World;

typedef struct WorldOptions {
    uint64_t seed;
    int64_t wall_ms;    /* the wall clock at the beginning; 0: 2026-01-01 */
    int64_t lag_max_ms; /* how late an actor may see a change; 0: 50 */
} WorldOptions;

/* A world with a server and nobody in it. */
World *world_open(const WorldOptions *options);
void world_close(World *w);

/* Adds an actor, which the world then owns. */
void world_add(World *w, Actor *actor);

/* Gives an actor a turn now, whatever it wished for: somebody has touched it past its API (asked a
 * sidecar, ordered a fault). */
void world_wake(World *w, Actor *actor);

Server *world_server(World *w);
Clock *world_clock(World *w);
Rng *world_rng(World *w);

/* An Api of a user, straight to the server. Lives as long as the world. */
Api *world_api(World *w, const char *user);

/* Anybody else who wants a turn at a time: called once, in the order of times; equal times by the
 * seed. */
typedef void WorldTurn(void *self, int64_t now_ms);
void world_at(World *w, int64_t due_ms, WorldTurn *turn, void *self);

/* Does the next thing, moving time to it. False when nothing is left to happen. */
bool world_step(World *w);

/* Steps until a time has come, or nothing is left; then time stands at `until_ms`. */
void world_run_until(World *w, int64_t until_ms);

/* Now, in milliseconds of the world's monotonic clock. */
int64_t world_now_ms(World *w);

#endif
