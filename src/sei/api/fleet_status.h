/* FleetStatus between JSON and C: the half of fleet.h that is stored by the operator. */
#ifndef SEI_API_FLEET_STATUS_H
#define SEI_API_FLEET_STATUS_H

#include "sei/api/fleet.h"

/* Reads .status of an object, member by member: one that cannot be read is kept as it is and does
 * not hide the others. ERR_TERMINAL is about the first of those, with its path. */
Err *fleet_status_decode(Arena *a, const Json *object, FleetStatus *ret) MUST_CHECK;

/* The whole .status, to be compared with the stored one: what was decoded and not changed is
 * encoded as it was stored, also when the reference stored it. */
const Json *fleet_status_encode(Arena *a, const FleetStatus *status);

/* The members that it has, by their place; NULL past the last. */
const char *fleet_status_member(size_t place);

#endif
