/* Actor: one of the machines that live around an API server: the StatefulSet, Job and volume
 * controllers, the garbage collector, the kubelet.
 *
 * An actor sees objects change, in order per kind but late, and acts through an Api, one thing per
 * step. It knows no server, no threads and no clock, so the same actor lives in virtual time and in
 * front of a real API server. */
#ifndef WORLD_ACTOR_H
#define WORLD_ACTOR_H

#include "base/json.h"
#include "kube/api.h"
#include "kube/key.h"
#include "kube/kind.h"

#include <stdint.h>

typedef struct Actor Actor;

/* One change: an object as it is now, or gone. */
typedef struct Sight {
    const Kind *kind;
    Key key;
    const Json *object; /* borrowed for the call; NULL: it is gone */
} Sight;

struct Actor {
    const char *name; /* the user and field manager of its writes: "statefulset-controller" */
    const Kind *const *kinds; /* what it wants to see; ended by NULL */

    /* Takes a change in. */
    void (*see)(Actor *self, const Sight *sight, int64_t now_ms);

    /* Does one thing that is due: at most one write. Gives when it wants to be called again: a time
     * not after now for at once, INT64_MAX for when it has seen something. Errors of the Api are
     * its own business: it tries again as the real one does. */
    int64_t (*step)(Actor *self, Arena *a, Api *api, int64_t now_ms);

    void (*close)(Actor *self);
};

#endif
