/* An HTTPRoute: one protocol of a fleet, from the Gateway to the external Service.
 *
 * What the Gateway API fills in is left to it. But its lists are replaced as a whole, so that what
 * is filled in there counts as ours once it is stored: the stored form is made from the rendered
 * one for that comparison alone. */
#include "sei/api/names.h"
#include "sei/render/fleet_network.h"

#define GATEWAY_GROUP "gateway.networking.k8s.io"

static Draft *hostnames(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route)
{
    const char *public_host = fleet_public_host(a, fleet, settings, route);
    Draft *hosts = draft_array(a);

    draft_push_str(hosts, fleet_route_host(a, fleet, settings, route));
    if (public_host)
        draft_push_str(hosts, public_host);
    return hosts;
}

static Draft *backend(Arena *a, const Fleet *fleet, int port)
{
    return draft(a, str("name", name_external_service(a, fleet->key.name)), num("port", port));
}

static Draft *websocket_match(Arena *a)
{
    return draft(a,
        list("headers",
            draft(a, str("type", "Exact"), str("name", "Upgrade"), str("value", "websocket"))));
}

static Draft *rules(Arena *a, const Fleet *fleet, const FleetRoute *route)
{
    Draft *list_of = draft_array(a);

    draft_push(list_of, draft(a, list("backendRefs", backend(a, fleet, route->port))));
    if (route->websocket_port)
        draft_push(list_of,
            draft(a,
                list("matches", websocket_match(a)),
                list("backendRefs", backend(a, fleet, route->websocket_port))));
    return list_of;
}

const Json *render_http_route(
    Arena *a, const Fleet *fleet, const Settings *settings, const FleetRoute *route)
{
    const char *name = name_route(a, fleet->key.name, route->protocol);

    return json_seal(a,
        draft(a,
            str("apiVersion", GATEWAY_GROUP "/v1"),
            str("kind", "HTTPRoute"),
            sub("metadata",
                render_fleet_metadata(
                    a, fleet, name, render_fleet_label(a, fleet), render_managed_by(a))),
            obj("spec",
                list("parentRefs",
                    draft(a,
                        str("name", settings->gateway_name),
                        str("namespace", settings->gateway_namespace))),
                sub("hostnames", hostnames(a, fleet, settings, route)),
                sub("rules", rules(a, fleet, route)))));
}

/* --- as it is stored --- */

/* Every element of a list with these fields beside its own. */
static Draft *filled(Arena *a, const Json *elements, const Json *fields)
{
    const Json *element;
    Draft *all = draft_array(a);

    json_each(element, elements)
        draft_push_json(all, json_merge(a, fields, element));
    return all;
}

static Draft *stored_rule(Arena *a, const Json *rule)
{
    const Json *any_path =
        json_seal(a, draft(a, obj("path", str("type", "PathPrefix"), str("value", "/"))));
    const Json *service =
        json_seal(a, draft(a, str("group", ""), str("kind", "Service"), num("weight", 1)));
    const Json *matches = json_member(rule, "matches");
    Draft *stored_matches = filled(a, matches, any_path);

    if (!matches)
        draft_push_json(stored_matches, any_path);
    return draft(a,
        sub("matches", stored_matches),
        sub("backendRefs", filled(a, json_member(rule, "backendRefs"), service)));
}

const Json *render_http_route_stored(Arena *a, const Json *route)
{
    const Json *gateway =
        json_seal(a, draft(a, str("group", GATEWAY_GROUP), str("kind", "Gateway")));
    const Json *rule;
    Draft *stored_rules = draft_array(a);

    json_each(rule, json_find(route, ".spec.rules"))
        draft_push(stored_rules, stored_rule(a, rule));
    return json_merge(a,
        route,
        json_seal(a,
            draft(a,
                obj("spec",
                    sub("parentRefs", filled(a, json_find(route, ".spec.parentRefs"), gateway)),
                    sub("rules", stored_rules)))));
}
