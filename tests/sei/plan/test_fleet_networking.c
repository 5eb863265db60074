/* What is told of how a fleet is reached. */
#include "sei/plan/fleet_networking.h"

#include "sei/api/condition.h"
#include "tests/sei/fleets.h"
#include "tests/sei/nodes.h"

enum { ARENA_MAX = 8 << 20 };

static Settings settings_of_test(const char *p2p_domain, const char *public_domain)
{
    Settings settings = sample_settings_with(offsetof(Settings, p2p_endpoint_domain), p2p_domain);

    settings.gateway_domain = "test.local";
    settings.gateway_public_domain = public_domain;
    return settings;
}

/* The status of a fleet with children of these ordinals. */
static FleetStatus told(Arena *a, const char *patch, const Settings *settings, const char *ordinals)
{
    const Fleet *fleet = sample_fleet(a, patch);
    FleetChild *children = arena_array(a, FleetChild, FLEET_REPLICAS_MAX);
    size_t count = 0;

    for (const char *c = ordinals; *c; c++) {
        SeiNode *node = arena_new(a, SeiNode);
        node->key = (Key){"sei", fleet_child_name(a, "rpc", *c - '0')};
        children[count++].node = node;
    }
    FleetStatus status = fleet->status;
    plan_fleet_addresses(a,
        &(FleetSnapshot){.fleet = fleet, .children = children, .count = count},
        settings,
        &status);
    return status;
}

TEST(the_status_lists_the_endpoints_for_clients_inside_of_the_cluster)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test(NULL, NULL);
    FleetStatus status = told(a, NULL, &settings, "02");

    then_json(status.internal_service,
        "{name: 'rpc-internal', namespace: 'sei',"
        " ports: {rpc: 26657, evmHttp: 8545, rest: 1317}}");
    then_json(status.pod_services,
        "[{name: 'rpc-0', namespace: 'sei', ports: {evmHttp: 8545, evmWs: 8546}},"
        " {name: 'rpc-2', namespace: 'sei', ports: {evmHttp: 8545, evmWs: 8546}}]");
    then_json(status.endpoints,
        "{tendermintRpc: 'http://rpc-internal.sei.svc:26657',"
        " tendermintRest: 'http://rpc-internal.sei.svc:1317', nodes: ["
        " {name: 'rpc-0', evmJsonRpc: 'http://rpc-0.sei.svc:8545',"
        "  evmWs: 'ws://rpc-0.sei.svc:8546'},"
        " {name: 'rpc-2', evmJsonRpc: 'http://rpc-2.sei.svc:8545',"
        "  evmWs: 'ws://rpc-2.sei.svc:8546'}]}");
}

TEST(a_fleet_without_nodes_lists_only_its_own_endpoints)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test(NULL, NULL);
    FleetStatus status = told(a, NULL, &settings, "");

    then_true(status.pod_services == NULL);
    then_json(status.endpoints,
        "{tendermintRpc: 'http://rpc-internal.sei.svc:26657',"
        " tendermintRest: 'http://rpc-internal.sei.svc:1317'}");
}

#define VALIDATOR         ", template: {spec: {fullNode: null, validator: {}}}"
#define TIERS(networking) "{spec: {networking: " networking "}}"

static const struct {
    const char *name, *fleet, *public_domain;
    size_t routes, peers; /* both 0: nothing is told */
} listed[] = {
    {"nothing asked for", "{}", NULL, 0, 0},
    {"http", TIERS("{http: {}}"), NULL, 4, 0},
    {"legacy", TIERS("{}"), NULL, 4, 0},
    {"two domains", TIERS("{http: {}}"), "p.io", 8, 0},
    {"tcp", TIERS("{tcp: {}}"), NULL, 0, 3},
    {"both", TIERS("{http: {}, tcp: {}}"), NULL, 4, 3},
    {"a validator", "{spec: {networking: {http: {}}" VALIDATOR "}}", NULL, 0, 0},
    {"a validator with tcp", "{spec: {networking: {tcp: {}}" VALIDATOR "}}", NULL, 0, 3},
};

TEST(the_networking_status_lists_what_is_reachable_from_outside)
{
    each_case(i, listed) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Settings settings = settings_of_test("d.io", listed[i].public_domain);
        const Json *networking = told(a, listed[i].fleet, &settings, "").networking;
        then_int(json_count(json_find(networking, ".routes")), listed[i].routes);
        then_int(json_count(json_find(networking, ".p2pEndpoints")), listed[i].peers);
        then_int(networking != NULL, listed[i].routes + listed[i].peers > 0);
    }
}

TEST(the_networking_status_lists_routes_in_order_and_peers_with_their_port)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test("d.io", "p.io");
    const Json *networking =
        told(a, "{spec: {replicas: 1, networking: {http: {}, tcp: {}}}}", &settings, "").networking;

    then_json(networking,
        "{routes: [{hostname: 'rpc-evm.test.local', protocol: 'evm'},"
        " {hostname: 'rpc-evm.sei.p.io', protocol: 'evm'},"
        " {hostname: 'rpc-rpc.test.local', protocol: 'rpc'},"
        " {hostname: 'rpc-rpc.sei.p.io', protocol: 'rpc'},"
        " {hostname: 'rpc-rest.test.local', protocol: 'rest'},"
        " {hostname: 'rpc-rest.sei.p.io', protocol: 'rest'},"
        " {hostname: 'rpc-grpc.test.local', protocol: 'grpc'},"
        " {hostname: 'rpc-grpc.sei.p.io', protocol: 'grpc'}],"
        " p2pEndpoints: [{ordinal: 0, seiNodeName: 'rpc-0',"
        "  hostname: 'rpc-0-p2p.pacific-1.d.io:26656'}]}");
}

TEST(the_networking_status_of_an_orphaned_fleet_is_kept_as_stored)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test("d.io", NULL);
    const char *orphaned = "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}},"
                           " spec: {networking: {http: {}}},"
                           " status: {networkingStatus: {routes: [{hostname: 'as.stored'}]}}}";

    then_json(told(a, orphaned, &settings, "").networking, "{routes: [{hostname: 'as.stored'}]}");
}

/* --- the condition --- */

#define STORED(status, reason)                                                                     \
    "{spec: {networking: {http: {}}}, status: {conditions: [{type: 'NetworkingReady', status: "    \
    "'" status "', reason: '" reason "'}]}}"

static const struct {
    const char *name, *fleet, *domain;
    NetworkingFacts facts;
    const char *status, *reason;
} verdicts[] = {
    {"nothing asked for", "{}", "d.io", {0}, "False", "NetworkingDisabled"},
    {"routes", TIERS("{http: {}}"), NULL, {.name = NAME_RESOLVES}, "True", "HTTPRoutesPublished"},
    {"the legacy meaning of {}",
        TIERS("{}"),
        NULL,
        {.name = NAME_RESOLVES},
        "True",
        "HTTPRoutesPublished"},
    {"no such kind",
        TIERS("{http: {}}"),
        NULL,
        {.routes_are_unknown = true, .name = NAME_RESOLVES},
        "False",
        "CRDNotInstalled"},
    {"no such name", TIERS("{http: {}}"), NULL, {.name = NAME_MISSING}, "False", "DNSPending"},
    {"peers", TIERS("{tcp: {}}"), "d.io", {0}, "True", "P2PEndpointsApplied"},
    {"peers without a domain", TIERS("{tcp: {}}"), NULL, {0}, "False", "NetworkingDisabled"},
    {"peers have the last word",
        TIERS("{http: {}, tcp: {}}"),
        "d.io",
        {.name = NAME_RESOLVES},
        "True",
        "P2PEndpointsApplied"},
    {"but not over trouble",
        TIERS("{http: {}, tcp: {}}"),
        "d.io",
        {.name = NAME_MISSING},
        "False",
        "DNSPending"},
    {"nor over a kind that is missing",
        TIERS("{http: {}, tcp: {}}"),
        "d.io",
        {.routes_are_unknown = true},
        "False",
        "CRDNotInstalled"},
    {"both, without a domain",
        TIERS("{http: {}, tcp: {}}"),
        NULL,
        {.name = NAME_RESOLVES},
        "True",
        "HTTPRoutesPublished"},
    {"validators have no routes",
        "{spec: {networking: {http: {}}" VALIDATOR "}}",
        NULL,
        {.routes_are_unknown = true, .name = NAME_MISSING},
        "False",
        "NoEffectiveRoutes"},
    {"validators have peers",
        "{spec: {networking: {http: {}, tcp: {}}" VALIDATOR "}}",
        "d.io",
        {.name = NAME_MISSING},
        "True",
        "P2PEndpointsApplied"},
    {"given away",
        "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}},"
        " spec: {networking: {http: {}}}}",
        NULL,
        {.name = NAME_MISSING},
        "False",
        "NetworkingOrphaned"},
    {"a foreign object has the name",
        TIERS("{http: {}}"),
        NULL,
        {.trouble = "Service rpc-external is not ours",
            .trouble_is_foreign = true,
            .name = NAME_RESOLVES},
        "False",
        "ForeignObject"},
    {"the server refuses it",
        TIERS("{tcp: {}}"),
        "d.io",
        {.trouble = "the name is too long"},
        "False",
        "ApplyFailed"},
    {"no DNS answer yet", TIERS("{http: {}}"), NULL, {.name = NAME_UNKNOWN}, "False", "DNSPending"},
    {"no DNS answer since the start",
        STORED("True", "HTTPRoutesPublished"),
        NULL,
        {.name = NAME_UNKNOWN},
        "True",
        "HTTPRoutesPublished"},
    {"nor does it now",
        STORED("False", "DNSPending"),
        NULL,
        {.name = NAME_UNKNOWN},
        "False",
        "DNSPending"},
};

TEST(the_networking_condition_reports_whether_routes_and_peers_work)
{
    each_case(i, verdicts) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Settings settings = settings_of_test(verdicts[i].domain, NULL);
        FleetSaying cond = plan_fleet_networking_condition(
            a, sample_fleet(a, verdicts[i].fleet), &settings, &verdicts[i].facts);
        then_str(cond.status, verdicts[i].status);
        then_str(reason_text(cond.reason), verdicts[i].reason);
        then_str(reason_condition(cond.reason), COND_NETWORKING);
        then_true(!str_empty(cond.message));
    }
}

TEST(the_dns_name_that_is_looked_up_is_that_of_the_first_route)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test(NULL, "p.io");

    then_str(plan_fleet_lookup(a, sample_fleet(a, TIERS("{}")), &settings), "rpc-evm.test.local");
    then_str(plan_fleet_lookup(a, sample_fleet(a, TIERS("{tcp: {}}")), &settings), NULL);
    then_str(
        plan_fleet_lookup(a, sample_fleet(a, "{spec: {networking: {}" VALIDATOR "}}"), &settings),
        NULL);
}
