/* The Service that spreads requests from inside of the cluster over a fleet. Its port for EVM is
 * called otherwise than on every other Service: clients know it by that name. */
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/fleet_network.h"
#include "sei/render/render.h"

const Json *render_internal_service(Arena *a, const Fleet *fleet)
{
    const char *name = name_internal_service(a, fleet->key.name);

    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Service"),
            sub("metadata",
                render_fleet_metadata(
                    a, fleet, name, render_fleet_label(a, fleet), render_managed_by(a))),
            obj("spec",
                sub("selector", render_fleet_label(a, fleet)),
                list("ports",
                    render_service_port(a, "rpc", RPC_PORT, NULL),
                    render_service_port(a, "evm-http", EVM_RPC_PORT, NULL),
                    render_service_port(a, "rest", REST_PORT, NULL)))));
}
