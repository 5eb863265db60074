/* Timetable: who is due next, of many: a heap whose places stand in its entries, so that moving one
 * costs no search. */
#ifndef SEI_SIDECAR_TIMETABLE_H
#define SEI_SIDECAR_TIMETABLE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* The zero value is in no timetable. */
typedef struct TimetableEntry {
    int64_t due_ms;
    size_t place; /* from 1; 0: in none */
} TimetableEntry;

typedef struct Timetable {
    TimetableEntry **entries; /* from 1 */
    size_t count, max;
} Timetable;

/* An empty timetable of at most `max` entries, in the arena. */
void timetable_init(Timetable *t, Arena *a, size_t max);

/* Makes an entry due at a time, wherever it was; INT64_MAX takes it out. */
void timetable_set(Timetable *t, TimetableEntry *e, int64_t due_ms);

/* The entry that is due first, or NULL. */
TimetableEntry *timetable_first(const Timetable *t);

#endif
