/* FleetStrays: what somebody has added to a child where its template has nothing. No apply takes
 * that away: it is not the fleet's. Yet with it the child is never on its template. */
#ifndef SEI_RECONCILE_FLEET_STRAYS_H
#define SEI_RECONCILE_FLEET_STRAYS_H

#include "base/json.h"

/* The JSON patch after which a child, as it is after the apply, asks for the same pod as `wanted`;
 * it fits only while the child is as it was seen. NULL when it asks for that already, or when no
 * addition is what makes the difference. */
const Json *strays_patch(Arena *a, const Json *child, const Json *wanted);

#endif
