/* Timetable: a binary heap in an array that begins at 1. */
#include "sei/sidecar/timetable.h"

#include <assert.h>

void timetable_init(Timetable *t, Arena *a, size_t max)
{
    *t = (Timetable){.entries = arena_array(a, TimetableEntry *, max + 1), .max = max};
}

static void put(Timetable *t, TimetableEntry *e, size_t place)
{
    t->entries[place] = e;
    e->place = place;
}

/* Moves an entry from a place that is free towards the front, and then towards the back. */
static void sift(Timetable *t, TimetableEntry *e, size_t place)
{
    while (place > 1 && t->entries[place / 2]->due_ms > e->due_ms) {
        put(t, t->entries[place / 2], place);
        place /= 2;
    }
    for (size_t child; (child = 2 * place) <= t->count; place = child) {
        if (child < t->count && t->entries[child + 1]->due_ms < t->entries[child]->due_ms)
            child++;
        if (t->entries[child]->due_ms >= e->due_ms)
            break;
        put(t, t->entries[child], place);
    }
    put(t, e, place);
}

static void take_out(Timetable *t, TimetableEntry *e)
{
    size_t place = e->place;
    TimetableEntry *last = t->entries[t->count--];

    e->place = 0;
    if (last != e)
        sift(t, last, place);
}

void timetable_set(Timetable *t, TimetableEntry *e, int64_t due_ms)
{
    if (due_ms == INT64_MAX) {
        if (e->place)
            take_out(t, e);
        e->due_ms = due_ms;
        return;
    }
    e->due_ms = due_ms;
    if (!e->place) {
        assert(t->count < t->max);
        e->place = ++t->count;
    }
    sift(t, e, e->place);
}

TimetableEntry *timetable_first(const Timetable *t)
{
    return t->count ? t->entries[1] : NULL;
}
