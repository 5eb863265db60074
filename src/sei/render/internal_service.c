/* The Service that spreads requests from inside of the cluster over a fleet. Its port for EVM is
 * called otherwise than on every other Service: clients know it by that name. */
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/fleet_network.h"
#include "sei/render/render.h"

const Json *render_internal_service(Arena *a, const Fleet *fleet)
{
    const char *name = name_internal_service(a, fleet->key.name);
    Draft *ports = draft_array(a);

    draft_push(ports, render_service_port(a, "rpc", RPC_PORT, NULL));
    draft_push(ports, render_service_port(a, "evm-http", EVM_RPC_PORT, NULL));
    draft_push(ports, render_service_port(a, "rest", REST_PORT, NULL));
    return render_fleet_service(a, fleet, name, render_managed_by(a), ports);
}
