/* Roster: counts of those who wait, by what they wait for. */
#include "kube/runtime/roster.h"

static RosterCall first_of(int many, RosterCall call, RosterCall otherwise)
{
    return many > 0 ? call : otherwise;
}

/* What is due now is a sleeper's, so that the watch goes on; what is due later is the watcher's,
 * who has to be up sooner. */
RosterCall roster_call(const Roster *r, int64_t due_ms, int64_t now_ms)
{
    RosterCall sleeper = first_of(r->sleeping, ROSTER_SLEEPER, ROSTER_NOBODY);
    RosterCall watcher = first_of(r->watching, ROSTER_WATCHER, ROSTER_NOBODY);

    if (due_ms <= now_ms)
        return first_of(r->sleeping, sleeper, watcher);
    if (due_ms < r->watched_ms)
        return first_of(r->watching, watcher, sleeper);
    return ROSTER_NOBODY;
}

bool roster_wait(Roster *r, int64_t due_ms)
{
    bool watches = due_ms < r->watched_ms;

    if (watches) {
        r->watched_ms = due_ms;
        r->watching++;
    } else {
        r->sleeping++;
    }
    return watches;
}

void roster_rise(Roster *r, bool watched)
{
    if (watched) {
        r->watched_ms = INT64_MAX;
        r->watching--;
    } else {
        r->sleeping--;
    }
}
