/* Attendant: a port. Work beside the reconciles that has a thread of its own: exchanges with
 * servers other than the API's. Implemented by the program, run by the manager.
 *
 * Between two steps its thread polls `http`; whoever gives it new work wakes that. It runs while
 * this process leads and works, and ends with it. */
#ifndef KUBE_ATTENDANT_H
#define KUBE_ATTENDANT_H

#include "kube/guard.h"
#include "kube/http.h"
#include "kube/key.h"

#include <stdint.h>

typedef struct Waker Waker;
typedef struct Attendant Attendant;

/* Makes keys of one controller due, as events do. */
struct Waker {
    /* At once; while this process does not work, nothing happens. Takes the guard, so it is called
     * without it. Safe from any thread. */
    void (*wake)(Waker *self, Key key);
};

struct Attendant {
    const char *controller; /* the name of the one whose keys it wakes */
    Http *http;
    /* Once, before anything runs: the guard under which it shares its state with reconciles. */
    void (*bind)(Attendant *self, Guard *guard, Waker *waker);
    /* Does what is due; when to call again, in ms of the monotonic clock. */
    int64_t (*step)(Attendant *self);
};

#endif
