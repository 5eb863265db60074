/* Host names of a fleet. */
#include "sei/api/fleet_network.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"

const FleetRoute *fleet_routes(NodeMode mode)
{
    static const FleetRoute all[] = {
        {"evm", EVM_RPC_PORT, EVM_WS_PORT},
        {"rpc", RPC_PORT, 0},
        {"rest", REST_PORT, 0},
        {"grpc", GRPC_PORT, 0},
        {0},
    };
    static const FleetRoute none[] = {{0}};

    return mode == MODE_VALIDATOR ? none : all;
}

bool fleet_is_orphaned(const Fleet *fleet)
{
    return str_eq(meta_annotation(fleet->object, ANNOTATION_ORPHANED), "true");
}

const char *fleet_chain_id(const Fleet *fleet)
{
    const char *chain_id = fleet->spec.node.chain_id;
    return str_empty(chain_id) ? fleet->spec.genesis.chain_id : chain_id;
}

bool fleet_has_endpoints(const Fleet *fleet, const Settings *settings)
{
    return fleet->spec.has_tcp && !str_empty(settings->p2p_endpoint_domain)
        && !str_empty(fleet_chain_id(fleet));
}

const char *fleet_route_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route)
{
    return str_format(
        a, "%s.%s", name_route(a, fleet->key.name, route->protocol), settings->gateway_domain);
}

const char *fleet_public_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route)
{
    if (str_empty(settings->gateway_public_domain))
        return NULL;
    return str_format(a,
        "%s.%s.%s",
        name_route(a, fleet->key.name, route->protocol),
        fleet->key.namespace,
        settings->gateway_public_domain);
}

const char *fleet_p2p_host(
    Arena *a, const Fleet *fleet, const Settings *settings, const char *child)
{
    if (!fleet_has_endpoints(fleet, settings))
        return NULL;
    return str_format(a,
        "%s.%s.%s",
        name_p2p_service(a, child),
        fleet_chain_id(fleet),
        settings->p2p_endpoint_domain);
}
