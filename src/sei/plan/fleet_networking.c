/* What is told of how a fleet is reached. */
#include "sei/plan/fleet_networking.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_network.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"

/* --- inside of the cluster --- */

static Draft *internal_service(Arena *a, const Fleet *fleet)
{
    return draft(a,
        str("name", name_internal_service(a, fleet->key.name)),
        str("namespace", fleet->key.namespace),
        obj("ports", num("rpc", RPC_PORT), num("evmHttp", EVM_RPC_PORT), num("rest", REST_PORT)));
}

static Draft *pod_service(Arena *a, Key node)
{
    return draft(a,
        str("name", node.name),
        str("namespace", node.namespace),
        obj("ports", num("evmHttp", EVM_RPC_PORT), num("evmWs", EVM_WS_PORT)));
}

static const char *url(Arena *a, const char *scheme, Key service, int port)
{
    return str_format(a, "%s://%s.%s.svc:%d", scheme, service.name, service.namespace, port);
}

static Draft *node_endpoints(Arena *a, Key node)
{
    return draft(a,
        str("name", node.name),
        str("evmJsonRpc", url(a, "http", node, EVM_RPC_PORT)),
        str("evmWs", url(a, "ws", node, EVM_WS_PORT)));
}

static Draft *endpoints(Arena *a, const Fleet *fleet, Draft *nodes)
{
    Key internal = {fleet->key.namespace, name_internal_service(a, fleet->key.name)};

    return draft(a,
        str("tendermintRpc", url(a, "http", internal, RPC_PORT)),
        str("tendermintRest", url(a, "http", internal, REST_PORT)),
        sub("nodes", draft_count(nodes) ? nodes : NULL));
}

/* --- from outside --- */

static void push_route(Arena *a, Draft *routes, const char *host, const char *protocol)
{
    if (host)
        draft_push(routes, draft(a, str("hostname", host), str("protocol", protocol)));
}

static Draft *routes_of(Arena *a, const Fleet *fleet, const Settings *settings)
{
    Draft *routes = draft_array(a);

    if (!fleet->spec.has_http)
        return NULL;
    for (const FleetRoute *r = fleet_routes(fleet->spec.node.mode); r->protocol; r++) {
        push_route(a, routes, fleet_route_host(a, fleet, settings, r), r->protocol);
        push_route(a, routes, fleet_public_host(a, fleet, settings, r), r->protocol);
    }
    return draft_count(routes) ? routes : NULL;
}

static Draft *endpoint(Arena *a, const Fleet *fleet, const Settings *settings, int64_t ordinal)
{
    const char *child = fleet_child_name(a, fleet->key.name, ordinal);
    const char *host = fleet_p2p_host(a, fleet, settings, child);

    return draft(a,
        num("ordinal", ordinal),
        str("seiNodeName", child),
        str("hostname", str_format(a, "%s:%d", host, (int)P2P_PORT)));
}

bool plan_fleet_is_published(const FleetSnapshot *s, int64_t ordinal)
{
    for (size_t i = 0; i < s->foreign_count; i++)
        if (s->foreign[i] == ordinal)
            return false;
    return ordinal < s->fleet->spec.replicas;
}

static Draft *p2p_endpoints(Arena *a, const FleetSnapshot *snapshot, const Settings *settings)
{
    const Fleet *fleet = snapshot->fleet;
    Draft *all = draft_array(a);

    if (!fleet_has_endpoints(fleet, settings))
        return NULL;
    for (int64_t ordinal = 0; ordinal < fleet->spec.replicas; ordinal++)
        if (plan_fleet_is_published(snapshot, ordinal))
            draft_push(all, endpoint(a, fleet, settings, ordinal));
    return draft_count(all) ? all : NULL;
}

static const Json *networking_status(
    Arena *a, const FleetSnapshot *snapshot, const Settings *settings)
{
    Draft *routes = routes_of(a, snapshot->fleet, settings);
    Draft *peers = p2p_endpoints(a, snapshot, settings);

    if (!routes && !peers)
        return NULL;
    return json_seal(a, draft(a, sub("routes", routes), sub("p2pEndpoints", peers)));
}

void plan_fleet_addresses(
    Arena *a, const FleetSnapshot *snapshot, const Settings *settings, FleetStatus *status)
{
    const Fleet *fleet = snapshot->fleet;
    Draft *services = draft_array(a), *nodes = draft_array(a);

    for (size_t i = 0; i < snapshot->count; i++) {
        draft_push(services, pod_service(a, snapshot->children[i].node->key));
        draft_push(nodes, node_endpoints(a, snapshot->children[i].node->key));
    }
    status->internal_service = json_seal(a, internal_service(a, fleet));
    status->pod_services = snapshot->count ? json_seal(a, services) : NULL;
    status->endpoints = json_seal(a, endpoints(a, fleet, nodes));
    if (!fleet_is_orphaned(fleet))
        status->networking = networking_status(a, snapshot, settings);
}

/* --- whether it works --- */

static bool has_routes(const Fleet *fleet)
{
    return fleet->spec.has_http && fleet_routes(fleet->spec.node.mode)->protocol;
}

const char *plan_fleet_lookup(Arena *a, const Fleet *fleet, const Settings *settings)
{
    if (!has_routes(fleet) || fleet_is_orphaned(fleet))
        return NULL;
    return fleet_route_host(a, fleet, settings, fleet_routes(fleet->spec.node.mode));
}

static size_t count_routes(const Fleet *fleet)
{
    size_t count = 0;

    while (fleet->spec.has_http && fleet_routes(fleet->spec.node.mode)[count].protocol)
        count++;
    return count;
}

static FleetSaying said(bool is_true, Reason reason, const char *message)
{
    return (FleetSaying){is_true ? "True" : "False", reason, message};
}

/* Until somebody has answered, what was told of the same routes is as good as any guess. */
static bool is_name_pending(const Fleet *fleet, NameState name)
{
    const Cond *stored = conds_find(&fleet->status.conds, COND_NETWORKING);

    if (name != NAME_UNKNOWN)
        return name == NAME_MISSING;
    return !stored || !str_eq(stored->status, "True");
}

static const char *pending_message(Arena *a, const char *host)
{
    return str_format(a,
        "%s does not resolve yet: the HTTPRoutes are applied, and whoever keeps the DNS zone is "
        "waited for; nodes do not wait for it",
        host);
}

static FleetSaying of_what_is_there(
    Arena *a, const Fleet *fleet, bool has_endpoints, const NetworkingFacts *facts)
{
    size_t routes = count_routes(fleet);

    if (!has_endpoints)
        return said(true,
            FLEET_REASON_ROUTES_PUBLISHED,
            str_format(a, "%zu HTTPRoutes are applied, and the first name resolves", routes));
    const char *endpoints =
        str_format(a, "%lld P2P endpoints are applied", (long long)facts->endpoints);
    return said(true,
        FLEET_REASON_P2P_APPLIED,
        routes ? str_format(a, "%zu HTTPRoutes and %s", routes, endpoints) : endpoints);
}

FleetSaying plan_fleet_networking_condition(
    Arena *a, const Fleet *fleet, const Settings *settings, const NetworkingFacts *facts)
{
    bool has_endpoints = fleet_has_endpoints(fleet, settings);
    const char *host = plan_fleet_lookup(a, fleet, settings);

    if (fleet_is_orphaned(fleet))
        return said(false,
            FLEET_REASON_NETWORK_ORPHANED,
            "the annotation " ANNOTATION_ORPHANED " is set: Services and HTTPRoutes are left to "
            "whoever takes them over");
    if (facts->trouble)
        return said(false,
            facts->trouble_is_foreign ? FLEET_REASON_NETWORK_FOREIGN : FLEET_REASON_NETWORK_FAILED,
            facts->trouble);
    if (fleet->spec.has_tcp && !fleet->spec.has_http && !has_endpoints)
        return said(false,
            FLEET_REASON_NO_NETWORKING,
            "spec.networking.tcp is set, and the operator has no domain for P2P endpoints: set "
            "SEI_P2P_ENDPOINT_DOMAIN");
    if (!fleet->spec.has_http && !has_endpoints)
        return said(false, FLEET_REASON_NO_NETWORKING, "spec.networking is not set");
    if (host && facts->routes_are_unknown)
        return said(false,
            FLEET_REASON_NO_ROUTE_KIND,
            "the cluster does not know HTTPRoutes, or the operator may not list and watch them: "
            "install the Gateway API, give the operator the right; both are found by themselves");
    if (host && is_name_pending(fleet, facts->name))
        return said(false, FLEET_REASON_DNS_PENDING, pending_message(a, host));
    if (!host && !has_endpoints)
        return said(false, FLEET_REASON_NO_ROUTES, "nodes of this mode serve nothing over HTTP");
    return of_what_is_there(a, fleet, has_endpoints, facts);
}
