/* The Service that routes lead to: what the mode serves to strangers, which never are metrics. */
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/fleet_network.h"
#include "sei/render/render.h"

static bool is_served(const NodePort *port, NodeMode mode)
{
    return mode == MODE_VALIDATOR ? port->number == P2P_PORT : port->number != METRICS_PORT;
}

static Draft *ports_of(Arena *a, NodeMode mode)
{
    Draft *ports = draft_array(a);

    for (const NodePort *port = node_ports; port->name; port++)
        if (is_served(port, mode))
            draft_push(ports, render_service_port(a, port->name, port->number, port->app_protocol));
    return ports;
}

const Json *render_external_service(Arena *a, const Fleet *fleet)
{
    const char *name = name_external_service(a, fleet->key.name);

    return render_fleet_service(a, fleet, name, NULL, ports_of(a, fleet->spec.node.mode));
}
