/* What we render, on the real API server: every object of every mode and option is taken, is stored
 * as ours exactly as it was rendered, and applied again changes nothing. So "is it still what we
 * want" is one comparison of hashes, and a node at rest is never written to.
 *
 * And what we refuse to render is what this server refuses: neither more nor less. */
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/fleet_network.h"
#include "sei/render/pod.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"
#include "tests/sei/fleets.h"
#include "tests/sei/render/cases.h"
#include "tests/sim/gateway.h"

typedef struct Rendered {
    const Kind *kind;
    const Json *object;
} Rendered;

enum { APPLIED_PER_NODE = 3 };

static void applied_of(const Wanted *w, Rendered ret[APPLIED_PER_NODE])
{
    ret[0] = (Rendered){kind_statefulset, w->statefulset};
    ret[1] = (Rendered){kind_service, w->service};
    ret[2] = (Rendered){kind_configmap, w->proxy_config};
}

static const Json *apply(Live *live, const Rendered *r)
{
    const Json *stored = NULL;

    then_ok(kube_apply(
        &live->ctx, r->kind, r->object, (ApplyOptions){NODE_MANAGER, .force = true}, &stored));
    return stored;
}

static void then_settled(Live *live, const Rendered *r)
{
    Arena *a = live->ctx.arena;
    const Json *first = apply(live, r), *second = apply(live, r);
    const char *wanted = hash_owned_of_rendered(a, r->object);

    if (!str_eq(hash_owned(a, first, NODE_MANAGER), wanted))
        print_error("owned:    %s\nrendered: %s\n",
            json_canonical(a, hash_owned_part(a, first, NODE_MANAGER)).data,
            json_canonical(a, hash_rendered_part(a, r->object)).data);
    then_str(hash_owned(a, first, NODE_MANAGER), wanted);
    then_str(meta_resource_version(second), meta_resource_version(first));
}

/* A claim is created once and never applied: all that we said must be there. */
static void then_created(Live *live, const Json *claim)
{
    Arena *a = live->ctx.arena;
    const Json *stored = NULL;

    then_ok(kube_create(&live->ctx, kind_pvc, claim, &stored));
    then_true(json_merge_diff(a, stored, json_merge(a, stored, claim)) == NULL);
}

static void then_all_settled(Live *live, const RenderCase *c)
{
    Wanted w = render_case(live->ctx.arena, c);
    Rendered applied[APPLIED_PER_NODE];

    applied_of(&w, applied);
    for (size_t i = 0; i < APPLIED_PER_NODE; i++)
        then_settled(live, &applied[i]);
    if (w.volume)
        then_created(live, w.volume);
    if (w.bootstrap_job) /* never applied otherwise, but nothing in it may be a default either */
        then_settled(live, &(Rendered){kind_job, w.bootstrap_job});
}

/* A control plane without controllers, so that nobody but us writes; and the namespace. */
static Controlplane *quiet(Arena *a)
{
    Controlplane *cp = scene_begin(controlplane_shared());

    then_ok(controlplane_stop(cp, a, COMPONENT_CONTROLLER_MANAGER));
    scene_namespaces(cp, a, "sei");
    return cp;
}

TEST(every_rendered_object_is_stored_unchanged_and_a_second_apply_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = live_open(a, controlplane_admin(quiet(a)));

    each_case(i, render_cases)
        then_all_settled(live, &render_cases[i]);
    live_close(live);
}

/* --- the networking of fleets --- */

static const char *const modes[] = {
    "{fullNode: {}}", "{fullNode: null, archive: {}}", "{fullNode: null, validator: {}}"};

/* Applied twice it is the same object; and it is known again by one of its two hashes. */
static void then_known_again(Live *live, const Rendered *r, const char *manager)
{
    Arena *a = live->ctx.arena;
    ApplyOptions options = {.manager = manager, .force = true};
    const Json *first = NULL, *second = NULL;
    bool is_route = kind_eq(r->kind, kind_httproute);
    const Json *want = is_route ? render_http_route_stored(a, r->object) : r->object;

    then_ok(kube_apply(&live->ctx, r->kind, r->object, options, &first));
    then_ok(kube_apply(&live->ctx, r->kind, r->object, options, &second));
    then_str(hash_owned(a, first, manager), hash_owned_of_rendered(a, want));
    then_str(meta_resource_version(second), meta_resource_version(first));
}

static void then_network_settles(Live *live, const Fleet *fleet, const Settings *settings)
{
    Arena *a = live->ctx.arena;
    const FleetRoute *routes = fleet_routes(fleet->spec.node.mode);
    Rendered internal = {kind_service, render_internal_service(a, fleet)};
    Rendered external = {kind_service, render_external_service(a, fleet)};
    Rendered endpoint = {kind_service, render_p2p_service(a, fleet, settings, 0)};

    then_known_again(live, &internal, FLEET_MANAGER);
    then_known_again(live, &external, FLEET_MANAGER);
    then_known_again(live, &endpoint, P2P_MANAGER);
    for (const FleetRoute *r = routes; r->protocol; r++) {
        Rendered route = {kind_httproute, render_http_route(a, fleet, settings, r)};
        then_known_again(live, &route, FLEET_MANAGER);
    }
}

static bool serves_routes(Live *live)
{
    Request list = {.verb = VERB_LIST, .kind = kind_httproute, .key = {.namespace = "sei"}};
    Objects found;

    return kube_list(&live->ctx, &list, &found) == OK;
}

TEST(rendered_networking_is_stored_unchanged_and_a_second_apply_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = live_open(a, controlplane_admin(quiet(a)));
    const Json *made = NULL;

    then_ok(kube_create(&live->ctx, kind_crd, json_fixture(a, gateway_routes), &made));
    eventually(serves_routes(live));
    for (size_t i = 0; i < 2 * array_count(modes); i++) {
        Settings settings = *sample_settings();
        settings.p2p_endpoint_domain = "p2p.example";
        settings.gateway_public_domain = "public.example";
        settings.nlb_target_type = i % 2 ? "ip" : "instance";
        const char *patch = str_format(a,
            "{metadata: {name: 'net-%zu'}, spec: {networking: {http: {}, tcp: {}}, template: {spec:"
            " %s}}}",
            i,
            modes[i / 2]);
        then_network_settles(live, sample_fleet(a, patch), &settings);
    }
    live_close(live);
}

/* --- the edges --- */

#define LETTERS_50 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"
#define LETTERS_63 LETTERS_50 "abcdefghijklm"

static const RenderCase edges[] = {
    {"the longest name", "{metadata: {name: '" LETTERS_50 "-0'}}"},
    {"the longest chain", "{metadata: {name: 'edge-1'}, spec: {chainId: '" LETTERS_63 "'}}"},
    {"the longest label",
        "{metadata: {name: 'edge-2'}, spec: {podLabels: {'example.com/" LETTERS_63 "': '" LETTERS_63
        "'}}}"},
    {"the first port", "{metadata: {name: 'edge-3'}, spec: {sidecar: {port: 1}}}"},
    {"the last port", "{metadata: {name: 'edge-4'}, spec: {sidecar: {port: 65535}}}"},
    {"a request of its limit",
        "{metadata: {name: 'edge-5'}, spec: {sidecar: {resources: {requests: {cpu: 1}, limits: "
        "{cpu: '1000m'}}}}}"},
    {"nothing at all of something",
        "{metadata: {name: 'edge-6'}, spec: {sidecar: {resources: {requests: {cpu: 0}}}}}"},
    {"huge pages",
        "{metadata: {name: 'edge-7'}, spec: {sidecar: {resources: {limits: {'hugepages-2Mi': "
        "'4Mi', cpu: 1},"
        " requests: {'hugepages-2Mi': '4096Ki'}}}}}"},
    {"a device",
        "{metadata: {name: 'edge-8'}, spec: {sidecar: {resources: {limits: {'example.com/gpu': "
        "2}}}}}"},
    {"a name of Kubernetes' own",
        "{metadata: {name: 'edge-9'}, spec: {sidecar: {resources: {requests: {'kubernetes.io/x': "
        "'1500m'}}}}}"},
};

TEST(objects_at_the_limits_of_validation_are_accepted_by_the_server)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = live_open(a, controlplane_admin(quiet(a)));

    each_case(i, edges)
        then_all_settled(live, &edges[i]);
    live_close(live);
}

static const struct {
    const char *name;
    size_t object;     /* which of applied_of is refused */
    const char *patch; /* onto what is rendered, as a JSON patch */
} refused[] = {
    {"a Service's name with a dot", 1, "[{op: 'add', path: '/metadata/name', value: 'a.b'}]"},
    {"a Service's name with a digit first",
        1,
        "[{op: 'add', path: '/metadata/name', value: '0-rpc'}]"},
    {"a chain of 64",
        0,
        "[{op: 'add', path: '/metadata/labels/sei.io~1chain', value: '" LETTERS_63 "n'}]"},
    {"a label's key without a name",
        0,
        "[{op: 'add', path: '/metadata/labels/example.com~1', value: 'x'}]"},
    {"a label's value with a space", 2, "[{op: 'add', path: '/metadata/labels/x', value: 'a b'}]"},
    {"port 65536",
        0,
        "[{op: 'add', path: '/spec/template/spec/initContainers/1/ports/0/containerPort',"
        "  value: 65536}]"},
    {"port 0",
        0,
        "[{op: 'add', path: '/spec/template/spec/initContainers/1/ports/0/containerPort',"
        "  value: 0}]"},
    {"no image", 0, "[{op: 'remove', path: '/spec/template/spec/initContainers/1/image'}]"},
};

static const struct {
    const char *name, *resources;
} refused_resources[] = {
    {"less than nothing", "{requests: {cpu: '-1'}}"},
    {"more than its limit", "{requests: {memory: '2Gi'}, limits: {memory: '1Gi'}}"},
    {"a resource that containers do not have", "{requests: {storage: '1Gi'}}"},
    {"a name with two slashes", "{limits: {'example.com/a/b': '1'}}"},
    {"a name that quotas use", "{limits: {'requests.example.com/gpu': '1'}}"},
    {"half a huge page", "{limits: {'hugepages-2Mi': '3Mi', memory: '1Gi'}}"},
    {"huge pages of no size", "{limits: {'hugepages-big': '4Mi', memory: '1Gi'}}"},
    {"huge pages without a limit", "{requests: {'hugepages-2Mi': '4Mi', memory: '1Gi'}}"},
    {"half a device", "{limits: {'example.com/gpu': '500m'}}"},
    {"a device without a limit", "{requests: {'example.com/gpu': '1'}}"},
    {"a device that is shared",
        "{requests: {'example.com/gpu': '1'}, limits: {'example.com/gpu': '2'}}"},
    {"huge pages alone", "{limits: {'hugepages-2Mi': '4Mi'}}"},
    {"a claim that the pod does not have", "{claims: [{name: 'gpu'}]}"},
};

static Err *apply_changed(Live *live, const Rendered *r, const Json *operations)
{
    Arena *a = live->ctx.arena;
    const Json *changed = NULL, *stored = NULL;

    then_ok(json_patch(a, r->object, operations, &changed));
    return kube_apply(
        &live->ctx, r->kind, changed, (ApplyOptions){NODE_MANAGER, .force = true}, &stored);
}

TEST(a_name_that_we_refuse_to_render_is_refused_by_the_server)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = live_open(a, controlplane_admin(quiet(a)));
    Wanted w = render_case(a, &render_cases[0]);
    Rendered applied[APPLIED_PER_NODE];

    applied_of(&w, applied);
    each_case(i, refused) {
        Err *err =
            apply_changed(live, &applied[refused[i].object], json_fixture(a, refused[i].patch));
        then_true(err_has_status(err, 422));
    }
    live_close(live);
}

TEST(resources_that_we_refuse_to_render_are_refused_by_the_server)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = live_open(a, controlplane_admin(quiet(a)));
    Wanted w = render_case(a, &render_cases[0]);
    Rendered statefulset = {kind_statefulset, w.statefulset};

    each_case(i, refused_resources) {
        const Json *ours, *resources = json_fixture(a, refused_resources[i].resources);
        const Json *operations = json_fixture(a,
            str_format(a,
                "[{op: 'add', path: '/spec/template/spec/initContainers/1/resources', value: %s}]",
                refused_resources[i].resources));

        then_true(err_is(render_resources(a, "r", resources, &ours), ERR_TERMINAL));
        then_true(err_has_status(apply_changed(live, &statefulset, operations), 422));
    }
    live_close(live);
}

/* The server takes a longer name, but then no pod: the label with its revision would be too long.
 */
TEST(a_node_with_the_longest_name_gets_a_pod)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = quiet(a);
    Live *live = live_open(a, controlplane_admin(cp));
    Wanted w = render_case(a, &edges[0]);

    kubectl(cp, a, "create", "serviceaccount", "seid-node", "-n", "sei");
    apply(live, &(Rendered){kind_statefulset, w.statefulset});
    then_ok(controlplane_start(cp, a, COMPONENT_CONTROLLER_MANAGER));
    eventually(scene_has(cp, "/api/v1/namespaces/sei/pods/" LETTERS_50 "-0-0"));
    live_close(live);
}
