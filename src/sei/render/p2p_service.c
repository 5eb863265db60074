/* The load balancer by which peers outside of the cluster reach a node. It belongs to the fleet and
 * not to the node: a node that is deleted and made again keeps its address. Target type `ip` leads
 * to the pod itself and needs no ports of the machines; `instance` does. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/fleet_network.h"
#include "sei/render/render.h"

static Draft *annotations(Arena *a, const char *host, const char *target_type)
{
    return draft(a,
        str(ANNOTATION_DNS_HOST, host),
        str(ANNOTATION_LB_TYPE, "external"),
        str(ANNOTATION_LB_SCHEME, "internet-facing"),
        str(ANNOTATION_LB_TARGET, target_type),
        str(ANNOTATION_LB_ATTRIBUTES, "load_balancing.cross_zone.enabled=true"),
        str(ANNOTATION_MANAGED_BY, MANAGED_BY_FLEET));
}

static Draft *metadata(Arena *a, const Fleet *fleet, const Settings *settings, int64_t ordinal)
{
    const char *child = fleet_child_name(a, fleet->key.name, ordinal);
    const char *host = fleet_p2p_host(a, fleet, settings, child);
    Draft *labels = draft(a,
        str(LABEL_FLEET, fleet->key.name),
        str(LABEL_FLEET_ORDINAL, str_format(a, "%lld", (long long)ordinal)),
        str(LABEL_COMPONENT, COMPONENT_P2P));

    return render_fleet_metadata(a,
        fleet,
        name_p2p_service(a, child),
        labels,
        annotations(a, host, settings->nlb_target_type));
}

static DraftField node_ports_for(const char *target_type)
{
    const char *key = "allocateLoadBalancerNodePorts";
    return str_eq(target_type, "ip") ? flag(key, false) : sub(key, NULL);
}

const Json *render_p2p_service(
    Arena *a, const Fleet *fleet, const Settings *settings, int64_t ordinal)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Service"),
            sub("metadata", metadata(a, fleet, settings, ordinal)),
            obj("spec",
                str("type", "LoadBalancer"),
                str("externalTrafficPolicy", "Local"),
                node_ports_for(settings->nlb_target_type),
                obj("selector", str(LABEL_NODE, fleet_child_name(a, fleet->key.name, ordinal))),
                list("ports", render_service_port(a, "p2p", P2P_PORT, NULL)))));
}
