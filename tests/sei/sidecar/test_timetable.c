/* The timetable against a search through all entries. */
#include "sei/sidecar/timetable.h"

#include "base/rng.h"
#include "tests/test.h"

enum { ENTRIES = 60, MOVES = 20000 };

static int64_t earliest(const TimetableEntry *entries)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].place && entries[i].due_ms < first)
            first = entries[i].due_ms;
    return first;
}

TEST(the_first_entry_of_the_timetable_is_always_the_one_that_is_due_first)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    TimetableEntry entries[ENTRIES] = {0};
    Timetable t;
    SeededRng rng;

    rng_seed(&rng, 1);
    timetable_init(&t, a, ENTRIES);
    then_true(!timetable_first(&t));
    for (int i = 0; i < MOVES; i++) {
        TimetableEntry *e = &entries[rng_below(&rng.port, ENTRIES)];
        bool leaves = rng_below(&rng.port, 4) == 0;
        timetable_set(&t, e, leaves ? INT64_MAX : (int64_t)rng_below(&rng.port, 100));
        then_true(!leaves || !e->place);
        then_int(timetable_first(&t) ? timetable_first(&t)->due_ms : INT64_MAX, earliest(entries));
    }
}
