/* EventKeeping: Events as people read them. One Event has two faces, v1 and events.k8s.io/v1, and
 * is forgotten an hour after it was last written.
 *
 * Both faces stand on their own shelf, of the same version and UID: what is written to one is
 * written to the other in the same breath. A server keeps them so when it is told to
 * (ServerOptions): simulations, in which nobody reads Events, spare themselves the second copy. */
#ifndef WORLD_EVENT_KEEPING_H
#define WORLD_EVENT_KEEPING_H

#include "world/call.h"

/* The resource that shows the same Events otherwise; NULL when there is none. */
Resource *event_face(const Server *s, const Resource *r);

/* An Event as that resource shows it. */
const Json *event_shown(Arena *a, const Resource *face, const Json *event);

/* Forgets what is old; cheap when nothing can be. */
void event_sweep(Call *c);

#endif
