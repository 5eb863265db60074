/* Under which names a fleet is reached. */
#include "sei/api/fleet_network.h"

#include "tests/sei/fleets.h"
#include "tests/sei/nodes.h"

enum { ARENA_MAX = 8 << 20 };

static const struct {
    const char *name, *fleet, *domain, *want;
} peers[] = {
    {"tcp", "{spec: {networking: {tcp: {}}}}", "d.io", "rpc-0-p2p.pacific-1.d.io"},
    {"both", "{spec: {networking: {http: {}, tcp: {}}}}", "d.io", "rpc-0-p2p.pacific-1.d.io"},
    {"http", "{spec: {networking: {http: {}}}}", "d.io", NULL},
    {"the legacy meaning of {}", "{spec: {networking: {}}}", "d.io", NULL},
    {"no networking", "{}", "d.io", NULL},
    {"no domain", "{spec: {networking: {tcp: {}}}}", NULL, NULL},
    {"an empty domain", "{spec: {networking: {tcp: {}}}}", "", NULL},
    {"a chain that is founded",
        "{spec: {networking: {tcp: {}}, genesis: {chainId: 'new-1'}, template: {spec: {chainId:"
        " 'new-1', fullNode: null, validator: {}}}}}",
        "d.io",
        "rpc-0-p2p.new-1.d.io"},
};

TEST(a_child_has_a_p2p_host_if_the_operator_has_a_p2p_endpoint_domain)
{
    each_case(i, peers) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Settings settings =
            sample_settings_with(offsetof(Settings, p2p_endpoint_domain), peers[i].domain);
        const Fleet *fleet = sample_fleet(a, peers[i].fleet);
        then_str(fleet_p2p_host(a, fleet, &settings, "rpc-0"), peers[i].want);
        then_int(fleet_has_endpoints(fleet, &settings), peers[i].want != NULL);
    }
}

TEST(the_chain_id_of_the_genesis_is_used_if_the_template_has_none)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Fleet *fleet = sample_fleet(a, "{spec: {genesis: {chainId: 'new-1'}}}");

    then_str(fleet_chain_id(fleet), "pacific-1");
    fleet->spec.node.chain_id = "";
    then_str(fleet_chain_id(fleet), "new-1");
}

static const struct {
    const char *name;
    NodeMode mode;
    size_t count;
} routes[] = {
    {"full", MODE_FULL, 4},
    {"archive", MODE_ARCHIVE, 4},
    {"replayer", MODE_REPLAYER, 4},
    {"validator", MODE_VALIDATOR, 0},
};

TEST(every_node_mode_has_one_route_per_protocol_that_it_serves)
{
    each_case(i, routes) {
        size_t count = 0;
        for (const FleetRoute *r = fleet_routes(routes[i].mode); r->protocol; r++)
            count++;
        then_int(count, routes[i].count);
    }
}

TEST(a_route_has_a_host_in_the_gateway_domain_and_one_in_the_public_domain)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const FleetRoute *evm = fleet_routes(MODE_FULL);
    const Fleet *fleet = sample_fleet(a, NULL);
    Settings hidden = sample_settings_with(offsetof(Settings, gateway_public_domain), NULL);
    Settings shown = sample_settings_with(offsetof(Settings, gateway_public_domain), "p.io");

    hidden.gateway_domain = "d.io";
    then_str(fleet_route_host(a, fleet, &hidden, evm), "rpc-evm.d.io");
    then_str(fleet_public_host(a, fleet, &hidden, evm), NULL);
    then_str(fleet_public_host(a, fleet, &shown, evm), "rpc-evm.sei.p.io");
}

TEST(networking_is_orphaned_only_by_an_annotation_with_the_value_true)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    then_true(fleet_is_orphaned(
        sample_fleet(a, "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}}}")));
    then_true(!fleet_is_orphaned(
        sample_fleet(a, "{metadata: {annotations: {'sei.io/networking-orphaned': 'yes'}}}")));
    then_true(!fleet_is_orphaned(sample_fleet(a, NULL)));
}
