/* World: a server and the actors around it, moved by a scheduler. Time stands still until the world
 * moves it; what happens next among the things that are due is decided by the seed. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/clock.h"
#include "base/rng.h"
#include "kube/api.h"
#include "world/actor.h"
#include "world/agenda.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct World World;

typedef struct WorldOptions {
    uint64_t seed;
    int64_t wall_ms;       /* the wall clock at the beginning; 0: 2026-01-01 */
    int64_t lag_max_ms;    /* how late an actor may see a change; 0: 50 */
    size_t history_max;    /* as in ServerOptions */
    size_t history_bytes;  /* of replaced versions, kept once all actors saw them; 0: no limit */
    const char *token_key; /* the same */
    bool keeps_events;
    bool is_compact;
    bool is_steady; /* chance decides nothing but UIDs: what varies is always equally late, and
                     * turns of one time come in the order in which they were planned */
} WorldOptions;

/* A world with a server and nobody in it. */
World *world_open(const WorldOptions *options);

/* Closes the actors and the server. Turns that are still planned are never taken. Accepts NULL. */
void world_close(World *w);

enum { WORLD_ACTORS_MAX = 32, WORLD_KINDS_MAX = 32 };

/* Adds an actor, which the world then owns. It sees what is there already, and then every change. A
 * kind that is not served yet is looked for again every second. */
void world_add(World *w, Actor *actor);

/* Gives an actor a turn now, whatever it wished for: somebody has touched it past its API (asked a
 * sidecar, ordered a fault). */
void world_wake(World *w, Actor *actor);

Server *world_server(World *w);
Clock *world_clock(World *w);
/* Of all that may vary. */
Rng *world_rng(World *w);

/* An Api of a user, straight to the server. Lives as long as the world. */
Api *world_api(World *w, const char *user);

/* Anybody else who wants a turn at a time: called once, in the order of times; equal times by the
 * seed. */
typedef void WorldTurn(void *self, int64_t now_ms);
void world_at(World *w, int64_t due_ms, WorldTurn *turn, void *self);

/* For turns that are moved and cancelled. */
Agenda *world_agenda(World *w);

/* Does the next thing, moving time to it. False when nothing is left to happen. */
bool world_step(World *w);

/* Steps until a time has come, or nothing is left; then time stands at `until_ms`. */
void world_run_until(World *w, int64_t until_ms);

/* Now, in milliseconds of the world's monotonic clock. */
int64_t world_now_ms(World *w);

/* Sets the wall clock, which may step: for a world whose time does not run as fast as the wall's.
 */
void world_set_wall(World *w, int64_t wall_ns);

/* Lets everybody notice what was written since the last time. The world does so before each step
 * and after each call of its Apis; whoever calls the server directly and writes more in one turn
 * than the server's history holds must do so, too. */
void world_notice(World *w);

/* As server_compact, after everybody has taken in what is about to be forgotten. */
void world_compact(World *w);

/* Who wants to know what happens. What is NULL is not called. */
typedef struct WorldObserver {
    void *self;
    void (*changed)(void *self, int64_t now_ms); /* something was written: see world_notice */
    void (*saw)(void *self, const Actor *actor, const Sight *sight);
    void (*stepped)(void *self, const Actor *actor, int64_t next_ms);
} WorldObserver;

/* One at a time; it is copied. */
void world_observe(World *w, const WorldObserver *observer);

#endif
