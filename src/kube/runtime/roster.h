/* Roster: of the workers that wait, who is called. One of them watches the time, the others sleep
 * until they are called; so an event wakes one thread, and the watch is not handed on each time. */
#ifndef KUBE_RUNTIME_ROSTER_H
#define KUBE_RUNTIME_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts as {.watched_ms = INT64_MAX}. */
typedef struct Roster {
    int sleeping, watching;
    int64_t watched_ms; /* one who watches is up then at the latest; INT64_MAX: who knows */
} Roster;

typedef enum RosterCall { ROSTER_NOBODY, ROSTER_SLEEPER, ROSTER_WATCHER } RosterCall;

/* Whom to call when the next key is due at a time. Who takes a key is to ask again: there may be
 * more, and somebody has to watch. */
RosterCall roster_call(const Roster *r, int64_t due_ms, int64_t now_ms);

/* A worker begins to wait for a key that is due then, and is back. True when it watches: then it
 * must be up at that time. */
bool roster_wait(Roster *r, int64_t due_ms);
void roster_rise(Roster *r, bool watched);

#endif
