/* Sight: everything that could be read about one node or fleet, as one JSON value: what the views
 * are made from. What could not be read is named in it with the reason, so that half an answer is
 * an answer.
 *
 *     {now, namespace, object,
 *      statefulSet, pods, claim, volume,     of a node
 *      children, revisions,                  of a fleet
 *      pulses: [{node, height, ...}],        of the seids that were asked, in this order (pulse.h)
 *      events, missing: [{what, why}]}
 *
 * `namespace` is the one that a person need not name. What does not exist is absent. */
#ifndef CLI_SIGHT_H
#define CLI_SIGHT_H

#include "base/clock.h"
#include "kube/api.h"

enum {
    SIGHT_EVENTS_MAX = 5, /* the newest */
    SIGHT_PATIENCE_MS = 5000,
    SIGHT_SIBLINGS_MAX = 2, /* of a node's fleet, to compare it with */
    SIGHT_SEID_MS = 2000,   /* for all seids together: they are asked last */
    SIGHT_SIBLING_MS = 400, /* for one that is only compared with */
};

typedef struct SightPort {
    Arena *arena;
    Api *api;
    Clock *clock;
    int64_t deadline_ms;   /* on the monotonic clock: nothing is asked after it; INT64_MAX: none */
    const char *namespace; /* the one that need not be named; "": each must; NULL: none need */
    bool asks_seid;        /* how far it is */
} SightPort;

/* Looks around an object that was read already, a SeiNode or a SeiNodeDeployment. Never fails: what
 * did not come is in `missing`. */
const Json *sight_take(const SightPort *port, const Json *object);

/* The same with nothing but the object, for who keeps objects fresh by other ways; `around` has
 * the members that are known besides, or is NULL. */
const Json *sight_of(
    Arena *a, Clock *clock, const char *namespace, const Json *object, const Json *around);

#endif
