/* Ports: what other people's Services and firewalls name. */
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "tests/test.h"

static const NodePort wanted[] = {
    {"evm-rpc", 8545},
    {"evm-ws", 8546},
    {"grpc", 9090, "kubernetes.io/h2c"},
    {"rest", 1317},
    {"p2p", 26656},
    {"rpc", 26657},
    {"metrics", 26660},
};

TEST(a_node_serves_its_ports_in_a_fixed_order)
{
    size_t i = 0;

    for (const NodePort *port = node_ports; port->name; port++, i++) {
        then_str(port->name, wanted[i].name);
        then_int(port->number, wanted[i].number);
        then_str(port->app_protocol, wanted[i].app_protocol);
        then_true(port->number != PROXY_PORT && port->number != SIDECAR_PORT_DEFAULT);
    }
    then_int(i, array_count(wanted));
}
