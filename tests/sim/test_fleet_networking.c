/* The networking of a fleet, from being asked for to being given away: what is ours follows the
 * spec, what is not ours is never touched, and no node ever waits for any of it. */
#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "sim/port.h"
#include "tests/sim/gateway.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <string.h>

enum { A_WHILE_MS = 90000, TROUBLE_LOOK_MS = 5000 };

#define HTTP "{spec: {networking: {http: {}}}}"
#define TCP  "{spec: {networking: {tcp: {}}}}"
#define BOTH "{spec: {networking: {http: {}, tcp: {}}}}"
#define OFF  "{spec: {networking: null}}"

/* --- a resolver that says what the test says --- */

typedef struct Zone {
    Resolver port; /* first, so that the port is this */
    Resolved says;
    char asked[RESOLVER_HOST_SIZE];
} Zone;

static int ask(Resolver *self, const char *host)
{
    snprintf(((Zone *)self)->asked, RESOLVER_HOST_SIZE, "%s", host);
    return 0;
}

static Resolved answer(Resolver *self, int question)
{
    (void)question;
    return ((Zone *)self)->says;
}

static void drop(Resolver *self, int question)
{
    (void)self, (void)question;
}

static Zone zone_of(Resolved says)
{
    return (Zone){.port = {.ask = ask, .answer = answer, .drop = drop}, .says = says};
}

/* --- what there is --- */

static Play *play_with_domain(uint64_t seed, Zone *zone)
{
    Play *p =
        play_open(&(PlayOptions){.sim = {.seed = seed}, .resolver = zone ? &zone->port : NULL});

    play_settings(p)->p2p_endpoint_domain = "p2p.example";
    play_settings(p)->gateway_domain = "web.example";
    return p;
}

static const char *const routes[] = {"rpc-evm", "rpc-rpc", "rpc-rest", "rpc-grpc"};
static const char *const endpoints[] = {"rpc-0-p2p", "rpc-1-p2p", "rpc-2-p2p"};

static int count_there(Play *p, const Kind *kind, const char *const *names, size_t count)
{
    int there = 0;

    for (size_t i = 0; i < count; i++)
        there += play_find(p, kind, names[i]) != NULL;
    return there;
}

/* "internal external 4 3": the Services in front of all nodes, routes and load balancers. */
static const char *network(Play *p)
{
    return str_format(play_arena(p),
        "%s%s%d %d",
        play_find(p, kind_service, "rpc-internal") ? "internal " : "",
        play_find(p, kind_service, "rpc-external") ? "external " : "",
        count_there(p, kind_httproute, routes, array_count(routes)),
        count_there(p, kind_service, endpoints, array_count(endpoints)));
}

static const char *reason(Play *p)
{
    return play_fleet_reason(p, "rpc", COND_NETWORKING);
}

static const char *address(Play *p)
{
    return json_str(play_find(p, kind_seinode, "rpc-0"), ".spec.externalAddress");
}

/* --- on, off, on --- */

static const struct {
    const char *name, *edit, *there, *reason, *address;
} steps[] = {
    {"nothing asked for", "{}", "internal 0 0", "NetworkingDisabled", NULL},
    {"both",
        BOTH,
        "internal external 4 3",
        "P2PEndpointsApplied",
        "rpc-0-p2p.pacific-1.p2p.example:26656"},
    {"http alone",
        "{spec: {networking: {tcp: null}}}",
        "internal external 4 0",
        "HTTPRoutesPublished",
        NULL},
    {"off", OFF, "internal 0 0", "NetworkingDisabled", NULL},
    {"tcp", TCP, "internal 0 3", "P2PEndpointsApplied", "rpc-0-p2p.pacific-1.p2p.example:26656"},
    {"off again", OFF, "internal 0 0", "NetworkingDisabled", NULL},
    {"the legacy meaning of {}",
        "{spec: {networking: {}}}",
        "internal external 4 0",
        "HTTPRoutesPublished",
        NULL},
};

TEST(networking_follows_the_spec_and_no_pod_stops_for_it)
{
    SCOPED_PLAY p = play_with_domain(1, NULL);

    play_given_fleet(p, "rpc", "{}");
    const char *pods = play_pods(p, "rpc");
    each_case(i, steps) {
        play_edit_fleet(p, "rpc", steps[i].edit);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_str(network(p), steps[i].there);
        then_str(reason(p), steps[i].reason);
        then_str(address(p), steps[i].address);
    }
    then_str(play_pods(p, "rpc"), pods);
}

static void restart_with_domain(Play *p, const char *domain)
{
    replica_end(play_replica(p, 0));
    play_run(p, 10000);
    play_settings(p)->p2p_endpoint_domain = domain;
    replica_start(play_replica(p, 0));
    play_run(p, A_WHILE_MS);
}

/* Nobody loses the addresses of his nodes to a slip in the operator's own settings. */
TEST(a_missing_operator_setting_removes_no_load_balancer)
{
    SCOPED_PLAY p = play_with_domain(21, NULL);

    play_given_fleet(p, "rpc", TCP);
    const char *uid = meta_uid(play_find(p, kind_service, "rpc-0-p2p"));
    restart_with_domain(p, "");
    then_str(network(p), "internal 0 3");
    then_str(meta_uid(play_find(p, kind_service, "rpc-0-p2p")), uid);
    then_str(address(p), "rpc-0-p2p.pacific-1.p2p.example:26656");
    then_str(reason(p), "NetworkingDisabled");
    restart_with_domain(p, "p2p.example");
    then_str(reason(p), "P2PEndpointsApplied");
    then_str(meta_uid(play_find(p, kind_service, "rpc-0-p2p")), uid);
}

/* Where a node is found, as its Service and its fleet have it. */
static const char *names_of_first(Play *p)
{
    const Json *service = play_find(p, kind_service, "rpc-0-p2p");
    const Json *fleet = play_find(p, kind_seinodedeployment, "rpc");

    return str_format(play_arena(p),
        "%s %s",
        hash_json(play_arena(p), json_find(service, ".metadata.annotations")),
        json_str(fleet, ".status.networkingStatus.p2pEndpoints[0].hostname"));
}

/* A template of another chain is not for these nodes, and nor are its names. */
TEST(an_edit_of_the_chain_id_changes_no_address_and_deleted_services_come_back)
{
    SCOPED_PLAY p = play_with_domain(22, NULL);

    play_given_fleet(p, "rpc", TCP);
    const char *names = names_of_first(p);
    play_edit_fleet(p, "rpc", "{spec: {template: {spec: {chainId: 'atlantic-2'}}}}");
    play_run(p, A_WHILE_MS);
    play_delete(p, kind_service, "rpc-0-p2p");
    play_run(p, A_WHILE_MS);
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "IdentityChanged");
    then_str(network(p), "internal 0 3");
    then_str(address(p), "rpc-0-p2p.pacific-1.p2p.example:26656");
    then_str(names_of_first(p), names);
}

TEST(orphaned_networking_outlives_its_fleet)
{
    SCOPED_PLAY p = play_with_domain(22, NULL);

    play_given_fleet(p, "rpc", BOTH);
    replica_end(play_replica(p, 0));
    play_run(p, 10000);
    play_edit_fleet(p, "rpc", "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}}}");
    play_delete(p, kind_seinodedeployment, "rpc");
    replica_start(play_replica(p, 0));
    play_run(p, A_WHILE_MS);
    then_true(!play_find(p, kind_seinodedeployment, "rpc"));
    then_str(network(p), "external 4 3");
    then_true(!meta_controller(play_find(p, kind_service, "rpc-0-p2p")));
}

TEST(networking_at_rest_sends_no_requests)
{
    SCOPED_PLAY p = play_with_domain(2, NULL);

    play_given_fleet(p, "rpc", BOTH);
    play_run(p, A_WHILE_MS);
    if (play_requests(p))
        play_tell(p);
    then_int(play_requests(p), 0);
    replica_crash(play_replica(p, 0));
    play_run(p, A_WHILE_MS);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    if (play_writes(p, -1, NULL))
        play_tell(p);
    then_int(play_writes(p, -1, NULL), 0);
    then_int(play_events(p, "rpc", "HTTPRoutesPublished", NULL), 0);
}

/* --- what others do --- */

static const struct {
    const char *name, *object;
    bool is_route;
} lost[] = {
    {"the internal Service", "rpc-internal", false},
    {"the external Service", "rpc-external", false},
    {"a route", "rpc-grpc", true},
    {"a load balancer", "rpc-1-p2p", false},
};

TEST(deleted_networking_objects_are_created_again)
{
    SCOPED_PLAY p = play_with_domain(3, NULL);

    play_given_fleet(p, "rpc", BOTH);
    each_case(i, lost) {
        play_delete(p, lost[i].is_route ? kind_httproute : kind_service, lost[i].object);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_str(network(p), "internal external 4 3");
    }
}

TEST(edited_networking_fields_are_corrected_and_foreign_additions_stay)
{
    SCOPED_PLAY p = play_with_domain(4, NULL);

    play_given_fleet(p, "rpc", BOTH);
    play_patch(p,
        kind_httproute,
        "rpc-evm",
        "{metadata: {labels: {team: 'web'}}, spec: {hostnames: ['elsewhere.example']}}");
    play_patch(p, kind_service, "rpc-external", "{spec: {selector: {app: 'other'}}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    const Json *route = play_find(p, kind_httproute, "rpc-evm");
    then_json(json_find(route, ".spec.hostnames"), "['rpc-evm.web.example']");
    then_str(meta_label(route, "team"), "web");
    then_json(json_find(play_find(p, kind_service, "rpc-external"), ".spec.selector"),
        "{'sei.io/nodedeployment': 'rpc'}");
}

#define FOREIGN_SERVICE                                                                            \
    "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'rpc-external'},"                        \
    " spec: {selector: {app: 'shop'}, ports: [{name: 'web', port: 80, protocol: 'TCP'}]}}"

static bool is_in_the_way(Play *p, const char *name)
{
    (void)name;
    return str_eq(reason(p), "ForeignObject");
}

static size_t count_peers(Play *p)
{
    return json_count(json_find(
        play_find(p, kind_seinodedeployment, "rpc"), ".status.networkingStatus.p2pEndpoints"));
}

static bool lacks_one(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.counts.available == 2;
}

/* It may be hidden on purpose. */
TEST(a_foreign_node_with_the_name_of_a_child_gets_no_load_balancer)
{
    SCOPED_PLAY p = play_with_domain(14, NULL);

    play_create_node(p, "rpc-1", "{}");
    play_create_fleet(p, "rpc", TCP);
    then_true(play_until(p, lacks_one, "rpc"));
    play_run(p, A_WHILE_MS);
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "ForeignObject");
    then_str(network(p), "internal 0 2");
    then_true(play_find(p, kind_service, "rpc-1-p2p") == NULL);
    then_int(count_peers(p), 2);
    then_str(play_fleet_message(p, "rpc", COND_NETWORKING), "2 P2P endpoints are applied");
    play_delete(p, kind_seinode, "rpc-1");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(network(p), "internal 0 3");
    then_int(count_peers(p), 3);
}

/* O-22: what has our name is not ours by that. */
TEST(a_foreign_service_of_the_expected_name_is_reported_and_not_touched)
{
    SCOPED_PLAY p = play_with_domain(5, NULL);

    play_create(p, kind_service, FOREIGN_SERVICE);
    const Json *before = play_find(p, kind_service, "rpc-external");
    play_create_fleet(p, "rpc", HTTP);
    then_true(play_until(p, is_in_the_way, "rpc"));
    then_true(strstr(play_fleet_message(p, "rpc", COND_NETWORKING), "rpc-external") != NULL);
    play_run(p, A_WHILE_MS);
    then_str(play_fleet_unwell(p, "rpc", "v1"), NULL);

    play_edit_fleet(p, "rpc", OFF);
    play_run(p, A_WHILE_MS);
    then_str(meta_resource_version(play_find(p, kind_service, "rpc-external")),
        meta_resource_version(before));

    play_edit_fleet(p, "rpc", HTTP);
    play_run(p, A_WHILE_MS);
    play_delete(p, kind_service, "rpc-external");
    play_run(p, A_WHILE_MS);
    then_str(reason(p), "HTTPRoutesPublished");
    then_str(network(p), "internal external 4 0");
}

/* O-22: a route with our label that somebody else controls. */
TEST(a_route_with_our_label_is_pruned_only_if_the_fleet_owns_it)
{
    SCOPED_PLAY p = play_with_domain(6, NULL);

    play_given_fleet(p, "rpc", HTTP);
    play_create(p,
        kind_httproute,
        "{apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: {name: 'mine',"
        " labels: {'sei.io/nodedeployment': 'rpc'}}, spec: {hostnames: ['mine.example']}}");
    play_edit_fleet(p, "rpc", OFF);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(network(p), "internal 0 0");
    then_true(play_find(p, kind_httproute, "mine") != NULL);
}

static PortFault refuse_routes(void *self, const PortCall *call)
{
    bool is_route = call->request && kind_eq(call->request->kind, kind_httproute)
        && request_is_write(call->request);

    return *(bool *)self && is_route ? (PortFault){.kind = PORT_REFUSED, .status = 403}
                                     : (PortFault){0};
}

/* O-28 */
TEST(a_refused_route_is_reported_and_nothing_else_waits_for_it)
{
    bool refuses = true;
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 17, .judge = refuse_routes, .judge_self = &refuses}});

    play_create_fleet(p, "rpc", HTTP);
    play_run(p, A_WHILE_MS);
    then_str(reason(p), "ApplyFailed");
    then_str(play_fleet_unwell(p, "rpc", "v1"), NULL);
    then_str(network(p), "internal external 0 0");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 3 * A_WHILE_MS);
    then_str(play_fleet_unwell(p, "rpc", "v2"), NULL);

    refuses = false;
    play_run(p, 2 * TROUBLE_LOOK_MS);
    then_str(reason(p), "HTTPRoutesPublished");
    then_str(network(p), "internal external 4 0");
}

/* --- scaling --- */

TEST(load_balancers_follow_the_number_of_children)
{
    SCOPED_PLAY p = play_with_domain(7, NULL);

    play_given_fleet(p, "rpc", TCP);
    play_scale_fleet(p, "rpc", 1);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(network(p), "internal 0 1");
    play_scale_fleet(p, "rpc", 3);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(network(p), "internal 0 3");
}

/* --- a cluster without the Gateway API --- */

TEST(a_missing_gateway_api_is_reported_and_routes_are_created_once_it_is_installed)
{
    SCOPED_PLAY p = play_with_domain(8, NULL);

    play_delete(p, kind_crd, GATEWAY_CRD);
    replica_crash(play_replica(p, 0));
    play_run(p, A_WHILE_MS);
    play_given_fleet(p, "rpc", HTTP);
    then_str(reason(p), "CRDNotInstalled");
    then_str(network(p), "internal external 0 0");
    then_int(play_events(p, "rpc", "CRDNotInstalled", NULL), 1);
    play_run(p, A_WHILE_MS);
    then_int(play_writes(p, -1, NULL), 0);

    play_create(p, kind_crd, gateway_routes);
    play_run(p, A_WHILE_MS);
    then_str(reason(p), "HTTPRoutesPublished");
    then_str(network(p), "internal external 4 0");
    then_int(play_events(p, "rpc", "HTTPRoutesPublished", NULL), 1);

    play_delete(p, kind_crd, GATEWAY_CRD);
    play_run(p, A_WHILE_MS);
    then_str(reason(p), "CRDNotInstalled");
    then_int(play_events(p, "rpc", "CRDNotInstalled", NULL), 2);
}

/* --- names that do not resolve --- */

static const struct {
    const char *name;
    Resolved says;
} silent[] = {
    {"a zone that does not have it yet", RESOLVED_NO_SUCH_NAME},
    {"a resolver that is down", RESOLVED_NO_ANSWER},
    {"a resolver that never answers", RESOLVED_PENDING},
};

/* O-21 */
TEST(no_node_waits_for_a_dns_name)
{
    each_case(i, silent) {
        Zone zone = zone_of(silent[i].says);
        SCOPED_PLAY p = play_with_domain(9 + (uint64_t)i, &zone);

        play_create_fleet(p, "rpc", HTTP);
        play_run(p, A_WHILE_MS);
        then_str(play_fleet_unwell(p, "rpc", "v1"), NULL);
        then_str(zone.asked, "rpc-evm.web.example");
        then_str(reason(p), "DNSPending");
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        play_scale_fleet(p, "rpc", 4);
        play_run(p, 3 * A_WHILE_MS);
        then_str(play_fleet_unwell(p, "rpc", "v2"), NULL);
        then_str(reason(p), "DNSPending");
    }
}

/* O-21: neither the status nor an event is written again while nothing changes. */
TEST(a_dns_name_that_does_not_resolve_is_reported_once)
{
    Zone zone = zone_of(RESOLVED_NO_SUCH_NAME);
    SCOPED_PLAY p = play_with_domain(12, &zone);

    play_create_fleet(p, "rpc", BOTH);
    play_run(p, A_WHILE_MS);
    then_str(play_fleet_unwell(p, "rpc", "v1"), NULL);
    play_mark(p);
    play_run(p, 600000);
    then_int(play_requests(p), 0);
    then_str(reason(p), "DNSPending");
    then_int(play_events(p, "rpc", "HTTPRoutesPublished", NULL), 0);

    play_edit_fleet(p, "rpc", "{spec: {networking: {tcp: null}}}");
    zone.says = RESOLVED_FOUND;
    play_run(p, A_WHILE_MS);
    then_str(reason(p), "HTTPRoutesPublished");
    zone.says = RESOLVED_NO_ANSWER;
    play_run(p, 600000);
    then_str(reason(p), "HTTPRoutesPublished");
    then_int(play_events(p, "rpc", "HTTPRoutesPublished", NULL), 1);
}

TEST(validators_and_peers_have_no_dns_name_to_wait_for)
{
    Zone zone = zone_of(RESOLVED_NO_SUCH_NAME);
    SCOPED_PLAY p = play_with_domain(13, &zone);

    play_given_fleet(p, "rpc", TCP);
    then_str(reason(p), "P2PEndpointsApplied");
    then_str(zone.asked, "");
}

/* --- the end --- */

static bool is_gone(Play *p, const char *fleet)
{
    return play_find(p, kind_seinodedeployment, fleet) == NULL;
}

TEST(a_deleted_fleet_deletes_its_networking)
{
    SCOPED_PLAY p = play_with_domain(14, NULL);

    play_given_fleet(p, "rpc", BOTH);
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, A_WHILE_MS);
    then_str(network(p), "0 0");
}

/* Everything that there is, by name and UID. */
static const char *identities(Play *p)
{
    const char *all = "";

    for (size_t i = 0; i < array_count(routes); i++)
        all = str_format(
            play_arena(p), "%s %s", all, meta_uid(play_find(p, kind_httproute, routes[i])));
    for (size_t i = 0; i < array_count(endpoints); i++)
        all = str_format(
            play_arena(p), "%s %s", all, meta_uid(play_find(p, kind_service, endpoints[i])));
    return str_format(play_arena(p),
        "%s %s %s",
        all,
        meta_uid(play_find(p, kind_service, "rpc-internal")),
        meta_uid(play_find(p, kind_service, "rpc-external")));
}

TEST(retained_networking_stays_and_is_adopted_by_a_new_fleet)
{
    SCOPED_PLAY p = play_with_domain(15, NULL);

    play_given_fleet(p, "rpc", BOTH);
    play_edit_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    const char *before = identities(p);
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, A_WHILE_MS);
    then_str(identities(p), before);
    then_true(!meta_controller(play_find(p, kind_service, "rpc-internal")));
    then_true(!meta_controller(play_find(p, kind_httproute, "rpc-evm")));

    play_create_fleet(p, "rpc", BOTH);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(identities(p), before);
    then_true(meta_controlled_by(
        play_find(p, kind_httproute, "rpc-evm"), play_find(p, kind_seinodedeployment, "rpc")));
}

TEST(networking_can_be_orphaned_and_adopted_again)
{
    SCOPED_PLAY p = play_with_domain(16, NULL);

    play_given_fleet(p, "rpc", BOTH);
    const char *before = identities(p), *told = address(p);
    play_edit_fleet(p, "rpc", "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}}}");
    play_edit_fleet(p, "rpc", OFF);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(reason(p), "NetworkingOrphaned");
    then_str(identities(p), before);
    then_true(!meta_controller(play_find(p, kind_httproute, "rpc-evm")));
    then_true(!meta_controller(play_find(p, kind_service, "rpc-0-p2p")));
    then_true(meta_controller(play_find(p, kind_service, "rpc-internal")) != NULL);
    then_str(address(p), told);

    play_edit_fleet(p, "rpc", BOTH);
    play_edit_fleet(p, "rpc", "{metadata: {annotations: {'sei.io/networking-orphaned': null}}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(identities(p), before);
    then_true(meta_controller(play_find(p, kind_httproute, "rpc-evm")) != NULL);
}
