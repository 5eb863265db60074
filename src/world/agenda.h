/* Agenda: what is to happen, and when. Of things due at the same time the seed decides which comes
 * first, anew each time one is planned.
 *
 * A turn stands in the struct of whoever wants it (a pairing heap through the turns themselves), so
 * planning costs no memory, and what is planned can be moved and cancelled. */
#ifndef WORLD_AGENDA_H
#define WORLD_AGENDA_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Turn Turn;

struct Turn {
    void (*take)(void *self, int64_t now_ms);
    void *self;

    /* The agenda's own. */
    bool planned;
    int64_t due_ms;
    uint64_t lot, number; /* lots break ties; numbers break those of lots */
    Turn *child, *next, *back;
};

typedef struct Agenda {
    Rng *rng;
    Turn *first;
    uint64_t planned_ever;
} Agenda;

/* An empty agenda; the lots are drawn from `rng`. */
void agenda_init(Agenda *agenda, Rng *rng);

/* Plans a turn, or moves one that is planned already. */
void agenda_plan(Agenda *agenda, Turn *turn, int64_t due_ms);

/* Plans a turn unless it is planned for that time or an earlier one. */
void agenda_hasten(Agenda *agenda, Turn *turn, int64_t due_ms);

/* Takes a turn out; nothing happens when it is not planned. */
void agenda_cancel(Agenda *agenda, Turn *turn);

/* The turn that comes next, or NULL. It stays planned. */
Turn *agenda_first(const Agenda *agenda);

#endif
