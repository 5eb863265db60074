/* FleetNetwork: under which names a fleet is reached. Plain arithmetic on spec and settings: what
 * is rendered, what is told in the status and what nodes tell their peers come from here, so that
 * they agree.
 *
 * There are two tiers. HTTP: a Service in front of all nodes, and a route for each protocol that
 * the mode serves. TCP: a load balancer in front of each node, for peers; it takes a domain of the
 * platform to be in effect. */
#ifndef SEI_API_FLEET_NETWORK_H
#define SEI_API_FLEET_NETWORK_H

#include "sei/api/fleet.h"
#include "sei/api/settings.h"

typedef struct FleetRoute {
    const char *protocol; /* NULL ends the table */
    int port;
    int websocket_port; /* for requests to upgrade; 0: none */
} FleetRoute;

/* The routes that a mode serves: evm, rpc, rest, grpc, or none at all. */
const FleetRoute *fleet_routes(NodeMode mode);

/* Its networking was given to somebody else: ANNOTATION_ORPHANED. */
bool fleet_is_orphaned(const Fleet *fleet);

/* The TCP tier is asked for and has a domain. */
bool fleet_has_endpoints(const Fleet *fleet, const Settings *settings);

/* "<fleet>-<protocol>.<domain>": where the Gateway serves a route. */
const char *fleet_route_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route);

/* "<fleet>-<protocol>.<namespace>.<public domain>"; NULL without a public domain. */
const char *fleet_public_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route);

/* "<child>-p2p.<chain>.<domain>": where peers reach a child from outside; NULL when they do not. */
const char *fleet_p2p_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const char *child);

/* The chain of the template, or the one that is founded; NULL when nobody says. */
const char *fleet_chain_id(const Fleet *fleet);

#endif
