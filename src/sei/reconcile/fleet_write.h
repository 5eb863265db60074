/* FleetWrite: how a child of a fleet is written. */
#ifndef SEI_RECONCILE_FLEET_WRITE_H
#define SEI_RECONCILE_FLEET_WRITE_H

#include "sei/reconcile/fleet_parts.h"

/* Whether what the fleet has in a child, as the cache shows it, is what is wanted of it. */
bool child_is_right(Arena *a, const Json *child, const Json *wanted);

/* Makes a child that is missing. ERR_WAIT: it exists, and the cache does not show it yet. */
Err *create_child(FleetPass *p, const Json *wanted) MUST_CHECK;

/* Brings a child, as the cache shows it, to what is wanted of it: by one apply, and by none where
 * it is that already; additions of others to what stops a pod are taken away. What stops a pod is
 * written to the child exactly as it was judged, the rest to the child as it is by now: its status
 * moves all the time. ERR_WAIT: somebody else has written it since it was read. */
Err *write_child(FleetPass *p, const Json *child, const Json *wanted, bool stops_pod) MUST_CHECK;

#endif
