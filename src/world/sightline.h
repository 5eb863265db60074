/* Sightline: how one actor gets to see the objects of one kind: every change, in order, and late.
 *
 * Changes are taken out of the server's watch as soon as they are noticed and wait here, so a
 * compaction never makes an actor blind; only how late they arrive is left to the seed. */
#ifndef WORLD_SIGHTLINE_H
#define WORLD_SIGHTLINE_H

#include "base/link.h"
#include "base/slab.h"
#include "world/actor.h"
#include "world/agenda.h"
#include "world/server.h"

typedef struct Sightline {
    const Kind *kind;
    Server *server;
    Slab *slab;
    Rng *rng;
    int64_t lag_max_ms;

    ServerWatch *watch; /* NULL: the kind is not served */
    int64_t tried_ms;   /* when it was last looked for */
    Link waiting;       /* changes on their way, in order */
    int64_t last_due_ms;
} Sightline;

/* Makes the rest of a sightline usable once its options are set. */
void sightline_open(Sightline *l);
void sightline_close(Sightline *l);

/* Takes in what the server has for it. The arena is scratch. Gives when the first change that waits
 * will be seen; INT64_MAX for none. */
int64_t sightline_notice(Sightline *l, Arena *a, int64_t now_ms);

/* The first change that is due, in the arena; false when none is. */
bool sightline_next(Sightline *l, Arena *a, int64_t now_ms, Sight *ret);

/* When the first change that waits will be seen; INT64_MAX for none. */
int64_t sightline_due_ms(const Sightline *l);

#endif
