/* Names that are made from others. */
#include "sei/api/names.h"

#include "base/str.h"

#include <string.h>

#define DATA_VOLUME "data-"

const char *name_data_volume(Arena *a, const char *node)
{
    return str_format(a, DATA_VOLUME "%s", node);
}

const char *name_node_of_volume(const char *volume)
{
    bool is_made = str_has_prefix(volume, DATA_VOLUME) && !str_eq(volume, DATA_VOLUME);

    return is_made ? volume + strlen(DATA_VOLUME) : NULL;
}

const char *name_proxy_config(Arena *a, const char *node)
{
    return str_format(a, "%s-rbac-proxy-config", node);
}

const char *name_bootstrap_job(Arena *a, const char *node)
{
    return str_format(a, "%s-bootstrap", node);
}

const char *name_fleet_revision(Arena *a, const char *fleet, const char *hash)
{
    return str_format(a, "%s-%s", fleet, hash);
}

const char *name_internal_service(Arena *a, const char *fleet)
{
    return str_format(a, "%s-internal", fleet);
}

const char *name_external_service(Arena *a, const char *fleet)
{
    return str_format(a, "%s-external", fleet);
}

const char *name_route(Arena *a, const char *fleet, const char *protocol)
{
    return str_format(a, "%s-%s", fleet, protocol);
}

const char *name_p2p_service(Arena *a, const char *node)
{
    return str_format(a, "%s-p2p", node);
}

const char *name_pod(Arena *a, const char *node)
{
    return str_format(a, "%s-0", node);
}

const char *name_sidecar_host(Arena *a, Key node)
{
    return str_format(
        a, "%s-0.%s.%s.svc.cluster.local:%d", node.name, node.name, node.namespace, PROXY_PORT);
}

const char *name_p2p_address(Arena *a, Key node)
{
    return str_format(
        a, "%s-0.%s.%s.svc.cluster.local:%d", node.name, node.name, node.namespace, P2P_PORT);
}

const char *name_sidecar_audience(Arena *a, const char *namespace)
{
    return str_format(a, "sei-sidecar.%s", namespace);
}

bool name_policy_retains(const char *policy)
{
    return !str_empty(policy) && !str_eq(policy, "Delete");
}
