/* History: the newest changes of all kinds, for watches that go on from a version and for lists
 * that are read page by page. What it no longer holds, nobody can have: they get 410. */
#ifndef WORLD_HISTORY_H
#define WORLD_HISTORY_H

#include "base/slab.h"
#include "world/record.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct History History;

/* The changes of one kind among all: where the oldest and newest stand, 0 for none, and the version
 * of the last one that was forgotten. The zero value is ready. */
typedef struct Trail {
    uint64_t first, last;
    uint64_t lost_version;
} Trail;

typedef struct Change {
    uint64_t version;
    Trail *trail;
    Record *before;          /* NULL: created */
    Record *after;           /* NULL: deleted */
    uint64_t previous, next; /* on the same trail, 0 for none */
} Change;

/* A history of at most `max` changes. */
History *history_open(Slab *slab, size_t max);
void history_close(History *h);

/* Adds a change, and forgets the oldest when there is no room. The history holds the records
 * itself. */
void history_add(History *h, const Change *change);

/* From now on nothing after that version is forgotten to make room, however much it is. */
void history_need(History *h, uint64_t version);

/* Forgets everything up to and with a version. */
void history_forget(History *h, uint64_t version);

/* Forgets the oldest changes until the versions that they replaced take no more than so many bytes:
 * those it holds alone, as the others are in the store. */
void history_shrink(History *h, size_t bytes);

/* False when changes of the trail after that version may be gone. */
bool history_reaches(const History *h, const Trail *trail, uint64_t version);

/* The oldest version that a kind can be read from. */
uint64_t history_floor(const History *h, const Trail *trail);

/* The change at a place, or NULL for 0. */
const Change *history_at(const History *h, uint64_t place);

/* The place of the change that follows on a trail after the one at a place, which may be forgotten
 * by now if nothing after it is; 0 for none. */
uint64_t history_next(const History *h, const Trail *trail, uint64_t place);

/* The place of the first change of a trail after a version, 0 for none. Cheap when few follow. */
uint64_t history_after(const History *h, const Trail *trail, uint64_t version);

#endif
