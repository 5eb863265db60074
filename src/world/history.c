/* A ring of changes. A place is a number that only grows; the ring holds the newest of them. It
 * begins small, and grows up to its most, or beyond it while somebody needs what it holds. */
#include "world/history.h"

#include <assert.h>
#include <string.h>

enum { ROOM_MIN = 256 };

struct History {
    Slab *slab;
    size_t max;
    size_t room;          /* of the ring */
    uint64_t needed;      /* changes after this version are not forgotten to make room */
    uint64_t oldest, end; /* places: those from oldest up to end, without it, are there */
    uint64_t forgotten_version;
    size_t replaced; /* bytes of all records that a change replaced */
    Change *ring;
};

History *history_open(Slab *slab, size_t max)
{
    History *h = slab_alloc(slab, sizeof *h);

    *h = (History){.slab = slab,
        .max = max,
        .room = max < ROOM_MIN ? max : ROOM_MIN,
        .needed = UINT64_MAX,
        .oldest = 1,
        .end = 1};
    h->ring = slab_alloc(slab, h->room * sizeof *h->ring);
    return h;
}

static Change *change_at(const History *h, uint64_t place)
{
    return &h->ring[place % h->room];
}

static size_t replaced_by(const Change *change)
{
    return change->before ? record_size(change->before) : 0;
}

static void forget_oldest(History *h)
{
    Change *change = change_at(h, h->oldest);

    assert(change->trail->first == h->oldest);
    change->trail->lost_version = change->version;
    change->trail->first = change->next;
    if (change->next)
        change_at(h, change->next)->previous = 0;
    else
        change->trail->last = 0;
    h->replaced -= replaced_by(change);
    record_drop(h->slab, change->before);
    record_drop(h->slab, change->after);
    h->oldest++;
}

void history_close(History *h)
{
    if (!h)
        return;
    history_forget(h, UINT64_MAX);
    slab_free(h->slab, h->ring, h->room * sizeof *h->ring);
    slab_free(h->slab, h, sizeof *h);
}

static bool may_forget(const History *h)
{
    return h->oldest < h->end && change_at(h, h->oldest)->version <= h->needed;
}

static void grow(History *h)
{
    size_t room = 2 * h->room;
    Change *ring = slab_alloc(h->slab, room * sizeof *ring);

    for (uint64_t place = h->oldest; place < h->end; place++)
        ring[place % room] = *change_at(h, place);
    slab_free(h->slab, h->ring, h->room * sizeof *h->ring);
    h->ring = ring;
    h->room = room;
}

static void forget_beyond(History *h, uint64_t count)
{
    while (h->end - h->oldest > count && may_forget(h))
        forget_oldest(h);
}

void history_need(History *h, uint64_t version)
{
    h->needed = version;
    forget_beyond(h, h->max);
}

void history_add(History *h, const Change *change)
{
    Trail *trail = change->trail;
    Change *added;

    forget_beyond(h, h->max - 1);
    if (h->end - h->oldest == h->room)
        grow(h);
    added = change_at(h, h->end);
    *added = *change;
    record_hold(added->before);
    record_hold(added->after);
    h->replaced += replaced_by(added);
    added->previous = trail->last;
    added->next = 0;
    if (trail->last)
        change_at(h, trail->last)->next = h->end;
    else
        trail->first = h->end;
    trail->last = h->end++;
}

void history_forget(History *h, uint64_t version)
{
    while (h->oldest < h->end && change_at(h, h->oldest)->version <= version)
        forget_oldest(h);
    if (version > h->forgotten_version)
        h->forgotten_version = version;
}

void history_shrink(History *h, size_t bytes)
{
    while (h->replaced > bytes && may_forget(h))
        forget_oldest(h);
}

uint64_t history_floor(const History *h, const Trail *trail)
{
    return trail->lost_version > h->forgotten_version ? trail->lost_version : h->forgotten_version;
}

bool history_reaches(const History *h, const Trail *trail, uint64_t version)
{
    return version >= history_floor(h, trail);
}

const Change *history_at(const History *h, uint64_t place)
{
    if (!place)
        return NULL;
    assert(place >= h->oldest && place < h->end);
    return change_at(h, place);
}

uint64_t history_next(const History *h, const Trail *trail, uint64_t place)
{
    return place >= h->oldest ? change_at(h, place)->next : trail->first;
}

uint64_t history_after(const History *h, const Trail *trail, uint64_t version)
{
    uint64_t place = 0;

    for (uint64_t at = trail->last; at && change_at(h, at)->version > version;
        at = change_at(h, at)->previous)
        place = at;
    return place;
}
