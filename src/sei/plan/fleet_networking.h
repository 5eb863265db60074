/* FleetNetworking: what is told of how a fleet is reached. Pure.
 *
 * Host names and URLs follow from spec and settings alone: nothing is read back from load
 * balancers. Whether they work is said by one condition, NetworkingReady. Of two tiers the TCP one
 * has the last word when all is well; whatever is not well is said first, whichever tier it is of.
 * A name that does not resolve is told and holds nothing up. */
#ifndef SEI_PLAN_FLEET_NETWORKING_H
#define SEI_PLAN_FLEET_NETWORKING_H

#include "sei/api/settings.h"
#include "sei/plan/fleet_conditions.h"

/* The node of this ordinal is to be reached by peers. Not one of somebody else in its place: that
 * one may be hidden on purpose. */
bool plan_fleet_is_published(const FleetSnapshot *snapshot, int64_t ordinal);

/* internalService, perPodServices, endpoints and networkingStatus, into the status. What was given
 * to somebody else (ANNOTATION_ORPHANED) is told as it was stored. */
void plan_fleet_addresses(
    Arena *a, const FleetSnapshot *snapshot, const Settings *settings, FleetStatus *status);

/* The name that tells whether routes can be reached; NULL when there are none. */
const char *plan_fleet_lookup(Arena *a, const Fleet *fleet, const Settings *settings);

typedef enum NameState {
    NAME_UNKNOWN, /* nobody has answered: what was told stays */
    NAME_RESOLVES,
    NAME_MISSING,
} NameState;

/* What came of it. */
typedef struct NetworkingFacts {
    bool routes_are_unknown; /* the server does not know HTTPRoutes, or hides them */
    const char *trouble;     /* what keeps an object from being applied, or NULL */
    bool trouble_is_foreign; /* it is somebody else's, and left alone */
    NameState name;          /* of plan_fleet_lookup */
    int64_t endpoints;       /* of nodes, for peers */
} NetworkingFacts;

/* NetworkingReady; `fleet` has the one that is stored. */
FleetSaying plan_fleet_networking_condition(
    Arena *a, const Fleet *fleet, const Settings *settings, const NetworkingFacts *facts);

#endif
