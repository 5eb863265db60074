/* FleetTakeover: first contact with a child that another operator has made. */
#ifndef SEI_RECONCILE_FLEET_TAKEOVER_H
#define SEI_RECONCILE_FLEET_TAKEOVER_H

#include "sei/reconcile/fleet_parts.h"

/* Before the fleet's first apply of `wanted` to a child: what it contains comes into the fleet's
 * hands alone, so that a later apply can remove it; and so does the other operator's pause, which
 * was the fleet's. Nothing of the child changes; finalizers, peers of a ceremony, a pause of
 * somebody else and all the rest stays whose it is. `ret` is the child as the patch has left it,
 * NULL when there was nothing to patch. One GET, for caches do not keep who owns what. */
Err *take_over_child(
    FleetPass *p, const Json *child, const Json *wanted, const Json **ret) MUST_CHECK;

#endif
