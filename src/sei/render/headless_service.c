/* The headless Service that gives a node's pod a name on the network. The sidecar is reached
 * through its proxy alone: its own port is not published. */
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/render.h"

Draft *render_service_port(Arena *a, const char *name, int number, const char *app_protocol)
{
    return draft(a,
        str("name", name),
        num("port", number),
        num("targetPort", number),
        str("protocol", "TCP"),
        str("appProtocol", app_protocol));
}

static Draft *service_ports(Arena *a)
{
    Draft *ports = draft_array(a);

    for (const NodePort *port = node_ports; port->name; port++)
        draft_push(ports, render_service_port(a, port->name, port->number, port->app_protocol));
    draft_push(ports, render_service_port(a, "api", PROXY_PORT, NULL));
    return ports;
}

Draft *render_headless_service(Arena *a, const Subject *s)
{
    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "Service"),
        sub("metadata", render_lasting_metadata(a, s, s->node->key.name)),
        obj("spec",
            str("clusterIP", "None"),
            sub("selector", render_selector(a, s)),
            flag("publishNotReadyAddresses", true), /* peers dial a node before it is ready */
            sub("ports", service_ports(a))));
}
