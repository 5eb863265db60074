/* FleetNetwork: the objects by which a fleet is reached. Pure, one file per object. All are the
 * fleet's, the load balancers of its nodes as well: they outlive a node that is made again. */
#ifndef SEI_RENDER_FLEET_NETWORK_H
#define SEI_RENDER_FLEET_NETWORK_H

#include "base/draft.h"
#include "sei/api/fleet.h"
#include "sei/api/fleet_network.h"
#include "sei/api/settings.h"

/* For clients inside of the cluster: always there. */
const Json *render_internal_service(Arena *a, const Fleet *fleet);

/* What routes lead to: ports by mode. */
const Json *render_external_service(Arena *a, const Fleet *fleet);

/* What leads there from the Gateway. */
const Json *render_http_route(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route);

/* The same with what a server fills in where lists are replaced as a whole: how it stands there
 * once it was applied, for the hash of what we own. */
const Json *render_http_route_stored(Arena *a, const Json *route);

/* The load balancer of an ordinal. Only while the TCP tier is in effect. */
const Json *render_p2p_service(
    Arena *a, const Fleet *fleet, const Settings *settings, int64_t ordinal);

/* metadata with name, namespace and the owner; `annotations` may be NULL. */
Draft *render_fleet_metadata(
    Arena *a, const Fleet *fleet, const char *name, Draft *labels, Draft *annotations);

/* A Service in front of all pods of a fleet; `annotations` may be NULL. */
const Json *render_fleet_service(
    Arena *a, const Fleet *fleet, const char *name, Draft *annotations, Draft *ports);

/* The annotation that says who manages it. */
Draft *render_managed_by(Arena *a);

/* The label of everything that is a fleet's; as a selector, all its pods of any revision. */
Draft *render_fleet_label(Arena *a, const Fleet *fleet);

#endif
