/* The way to a fleet from outside, on a real control plane and with the rights of deploy/rbac
 * alone: HTTPRoutes, of a kind that comes into the cluster while the operator runs. What is not the
 * fleet's is never touched, and no node stops for any of it. The last test compares what was asked
 * for with deploy/rbac, so it needs the other before it. */
#include "tests/e2e/fleets.h"
#include "tests/e2e/rights.h"
#include "tests/sim/gateway.h"

#define NAME "rpc"
#define ON   "{\"networking\": {\"http\": {}}}"
#define OFF  "{\"networking\": null}"

static const char *const routes[] = {NAME "-evm", NAME "-rpc", NAME "-rest", NAME "-grpc"};

static size_t routes_there(const Nodes *n)
{
    size_t count = 0;

    for (size_t i = 0; i < array_count(routes); i++)
        count += nodes_have(n, "httproutes", routes[i]);
    return count;
}

/* Whether the name resolves is up to the machine that this runs on. */
static bool is_published(const Nodes *n)
{
    return fleets_condition(n, NAME, "NetworkingReady", "True", "HTTPRoutesPublished")
        || fleets_condition(n, NAME, "NetworkingReady", "False", "DNSPending");
}

static bool is_on(const Nodes *n)
{
    return routes_there(n) == array_count(routes) && nodes_have(n, "services", NAME "-external")
        && is_published(n);
}

static bool is_off(const Nodes *n)
{
    return routes_there(n) == 0 && !nodes_have(n, "services", NAME "-external")
        && fleets_condition(n, NAME, "NetworkingReady", "False", "NetworkingDisabled");
}

/* A route that bears the label of the fleet, and is the fleet's only when its owner says so. */
static void make_route(const Nodes *n, const char *name, const char *owners)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    scene_apply(n->cp,
        a,
        str_format(a,
            "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute,"
            " metadata: {name: %s, namespace: %s, labels: {sei.io/nodedeployment: " NAME "},"
            "  ownerReferences: [%s]}, spec: {hostnames: [a.example.org]}}",
            name,
            n->namespace,
            owners));
}

static void make_strangers(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    make_route(n, "stranger", "");
    make_route(n,
        "stale",
        str_format(a,
            "{apiVersion: sei.io/v1alpha1, kind: SeiNodeDeployment, name: " NAME
            ", uid: %s, controller: true}",
            nodes_uid(n, FLEETS_PLURAL, NAME)));
}

static bool has_host(const Nodes *n, const char *route, const char *host)
{
    return nodes_say(n, "httproutes", route, ".spec.hostnames[0]", host);
}

TEST(routes_are_created_with_their_crd_and_deleted_with_the_spec)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "routes", ON);
    int64_t mark = scene_mark(n.cp);

    eventually(fleets_condition(&n, NAME, "NetworkingReady", "False", "CRDNotInstalled"));
    scene_apply(n.cp, a, gateway_routes);
    kubectl(n.cp, a, "wait", "--for=condition=Established", "crd/" GATEWAY_CRD);
    eventually(is_on(&n));
    then_true(has_host(&n, NAME "-evm", NAME "-evm.example.org"));

    make_strangers(&n);
    eventually(!nodes_have(&n, "httproutes", "stale"));
    nodes_patch(&n, "httproutes", NAME "-evm", "{\"spec\": {\"hostnames\": [\"b.example.org\"]}}");
    eventually(has_host(&n, NAME "-evm", NAME "-evm.example.org"));
    nodes_delete(&n, "httproutes", NAME "-rpc", "background");
    eventually(is_on(&n));

    fleets_change(&n, NAME, OFF);
    eventually(is_off(&n));
    then_true(nodes_have(&n, "services", NAME "-internal"));
    fleets_change(&n, NAME, ON);
    eventually(is_on(&n));
    then_true(has_host(&n, "stranger", "a.example.org"));
    then_true(fleets_settled(&n, NAME));
    fleets_then_nothing_stopped(&n, NAME, mark);
    nodes_close(&n);
}

/* Comes last: it looks at what was done above. */
TEST(routes_use_the_permissions_that_they_need_and_no_request_is_forbidden)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(controlplane_shared(), a, 0);

    then_int(audit_count(&log, &(AuditLine){.user = NODES_OPERATOR, .code = 403}), 0);
    for (size_t i = 0; i < rights_of_routes_count; i++)
        if (!rights_used(&log, a, rights_of_routes[i]))
            fail_msg(
                "%s %s: was never used", rights_of_routes[i].verb, rights_of_routes[i].resource);
}
