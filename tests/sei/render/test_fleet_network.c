/* The objects by which a fleet is reached: as the golden files say, for every mode and tier. */
#include "sei/render/fleet_network.h"

#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/sei/fleets.h"
#include "tests/sei/golden.h"
#include "tests/sei/nodes.h"

enum { ARENA_MAX = 8 << 20 };

static const struct {
    const char *name, *template;
} modes[] = {
    {"full", "{fullNode: {}}"},
    {"archive", "{fullNode: null, archive: {}}"},
    {"replayer", "{fullNode: null, replayer: {snapshot: {s3: {targetHeight: 5}}}}"},
    {"validator", "{fullNode: null, validator: {}}"},
};

static const struct {
    const char *name, *networking;
} tiers[] = {
    {"none", "null"},
    {"legacy", "{}"},
    {"http", "{http: {}}"},
    {"tcp", "{tcp: {}}"},
    {"both", "{http: {}, tcp: {}}"},
};

static Settings settings_of_test(void)
{
    Settings settings =
        sample_settings_with(offsetof(Settings, p2p_endpoint_domain), "test.platform.sei.io");

    settings.gateway_name = "sei-gateway";
    settings.gateway_namespace = "gateway";
    settings.gateway_domain = "test.local";
    settings.nlb_target_type = "ip";
    return settings;
}

static Fleet *fleet_of(Arena *a, const char *template, const char *networking)
{
    return sample_fleet(
        a, str_format(a, "{spec: {networking: %s, template: {spec: %s}}}", networking, template));
}

/* Everything that there is of a fleet's networking. */
static const Json *all_of(Arena *a, const Fleet *fleet, const Settings *settings)
{
    Draft *all = draft_array(a);

    draft_push_json(all, render_internal_service(a, fleet));
    if (fleet->spec.has_http)
        draft_push_json(all, render_external_service(a, fleet));
    for (const FleetRoute *r = fleet_routes(fleet->spec.node.mode); r->protocol; r++)
        if (fleet->spec.has_http)
            draft_push_json(all, render_http_route(a, fleet, settings, r));
    if (fleet_has_endpoints(fleet, settings))
        draft_push_json(all, render_p2p_service(a, fleet, settings, 1));
    return json_seal(a, all);
}

TEST(rendered_networking_objects_equal_their_golden_files)
{
    Settings settings = settings_of_test();

    each_case(mode, modes) {
        each_case(tier, tiers) {
            SCOPED_ARENA a = arena_open(ARENA_MAX);
            const Fleet *fleet = fleet_of(a, modes[mode].template, tiers[tier].networking);
            then_golden(a,
                all_of(a, fleet, &settings),
                str_format(a, "networking/%s-%s.json", modes[mode].name, tiers[tier].name));
        }
    }
}

TEST(every_networking_object_is_owned_by_its_fleet_and_has_its_label)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test();
    const Fleet *fleet = fleet_of(a, modes[0].template, "{http: {}, tcp: {}}");
    const Json *object, *all = all_of(a, fleet, &settings);

    json_each(object, all) {
        then_true(meta_controlled_by(object, fleet->object));
        then_str(meta_label(object, LABEL_FLEET), "rpc");
        then_str(meta_namespace(object), "sei");
    }
    then_int(json_count(all), 7);
}

TEST(a_public_domain_gives_every_route_a_second_host)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test();

    settings.gateway_public_domain = "sei.example";
    then_json(
        json_find(render_http_route(a, sample_fleet(a, NULL), &settings, fleet_routes(MODE_FULL)),
            ".spec.hostnames"),
        "['rpc-evm.test.local', 'rpc-evm.sei.sei.example']");
}

TEST(load_balancer_target_type_instance_allocates_node_ports)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test();
    const Fleet *fleet = fleet_of(a, modes[0].template, "{tcp: {}}");

    settings.nlb_target_type = "instance";
    const Json *service = render_p2p_service(a, fleet, &settings, 0);
    then_true(json_find(service, ".spec.allocateLoadBalancerNodePorts") == NULL);
    then_str(meta_annotation(service, ANNOTATION_LB_TARGET), "instance");
}

/* What the server fills in inside of lists that are replaced as a whole. */
TEST(a_route_with_the_defaults_of_the_api_server_equals_the_rendered_route)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_of_test();
    const Json *route =
        render_http_route(a, sample_fleet(a, NULL), &settings, fleet_routes(MODE_FULL));
    const Json *stored = render_http_route_stored(a, route);

    then_golden(a, json_find(stored, ".spec"), "networking/route-as-stored.json");
    then_true(json_equal(json_find(stored, ".metadata"), json_find(route, ".metadata")));
}
