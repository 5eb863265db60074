/* Requests and limits: in the server's words, under the server's rules. */
#include "sei/render/pod.h"
#include "tests/test.h"

static const struct {
    const char *name, *resources, *stored;
    Want want;
} cases[] = {
    {"none", NULL, NULL},
    {"an empty object", "{}", NULL},
    {"empty lists", "{requests: {}, limits: {}, claims: []}", NULL},
    {"as the server has them",
        "{requests: {cpu: '100m'}, limits: {memory: '1Gi'}}",
        "{requests: {cpu: '100m'}, limits: {memory: '1Gi'}}"},
    {"numbers", "{limits: {cpu: 2}}", "{limits: {cpu: '2'}}"},
    {"amounts that have shorter names",
        "{requests: {cpu: '2000m', memory: '2048Mi'}}",
        "{requests: {cpu: '2', memory: '2Gi'}}"},
    {"amounts finer than a thousandth are rounded up",
        "{requests: {cpu: '1001u', memory: '0.0001'}}",
        "{requests: {cpu: '2m', memory: '1m'}}"},
    {"a request of its limit",
        "{requests: {cpu: '1'}, limits: {cpu: '1000m'}}",
        "{requests: {cpu: '1'}, limits: {cpu: '1'}}"},
    {"a device",
        "{requests: {'example.com/gpu': 1}, limits: {'example.com/gpu': '1'}}",
        "{requests: {'example.com/gpu': '1'}, limits: {'example.com/gpu': '1'}}"},
    {"no quantity", "{requests: {cpu: 'lots'}}", .want = TERMINAL("r.requests.cpu: ")},
    {"an object for a quantity",
        "{limits: {cpu: {}}}",
        .want = TERMINAL("r.limits.cpu: expected a quantity")},
    {"less than nothing",
        "{requests: {cpu: '-1'}}",
        .want = TERMINAL("r.requests.cpu: \"-1\" is negative")},
    {"more than its limit",
        "{requests: {memory: '2Gi'}, limits: {memory: '1Gi'}}",
        .want = TERMINAL("r.requests.memory: 2Gi is more than the limit of 1Gi")},
    {"a resource that containers do not have",
        "{requests: {storage: '1Gi'}}",
        .want = TERMINAL("r.requests.storage: not a resource of containers")},
    {"a name of Kubernetes' own may be shared",
        "{requests: {'kubernetes.io/x': '1500m'}}",
        "{requests: {'kubernetes.io/x': '1500m'}}"},
    {"a name with two slashes",
        "{limits: {'example.com/a/b': 1}}",
        .want = TERMINAL("r.limits.example.com/a/b: not a resource")},
    {"a name that quotas use",
        "{limits: {'requests.example.com/gpu': 1}}",
        .want = TERMINAL("r.limits.requests.example.com/gpu: not a resource")},
    {"half a device",
        "{limits: {'example.com/gpu': '500m'}}",
        .want = TERMINAL("r.limits.example.com/gpu: \"500m\" is not a whole number")},
    {"a device without a limit",
        "{requests: {'example.com/gpu': 1}}",
        .want = TERMINAL("r.requests.example.com/gpu: needs a limit")},
    {"a device that is shared",
        "{requests: {'example.com/gpu': 1}, limits: {'example.com/gpu': 2}}",
        .want = TERMINAL("r.requests.example.com/gpu: must equal the limit")},
    {"huge pages with memory",
        "{limits: {'hugepages-2Mi': '4Mi', memory: '1Gi'}}",
        "{limits: {'hugepages-2Mi': '4Mi', memory: '1Gi'}}"},
    {"huge pages without a limit",
        "{requests: {'hugepages-2Mi': '4Mi', memory: '1Gi'}}",
        .want = TERMINAL("r.requests.hugepages-2Mi: needs a limit")},
    {"half a huge page",
        "{limits: {'hugepages-2Mi': '3Mi', memory: '1Gi'}}",
        .want = TERMINAL("r.limits.hugepages-2Mi: \"3Mi\" is not a whole number of such pages")},
    {"huge pages of no size",
        "{limits: {'hugepages-big': '4Mi', memory: '1Gi'}}",
        .want = TERMINAL("r.limits.hugepages-big: \"4Mi\" is not a whole number")},
    {"huge pages of one and a half bytes",
        "{limits: {'hugepages-1500m': '3', memory: '1Gi'}}",
        .want = TERMINAL("r.limits.hugepages-1500m: \"3\" is not a whole number")},
    {"huge pages alone",
        "{limits: {'hugepages-2Mi': '4Mi'}}",
        .want = TERMINAL("r: huge pages need cpu or memory")},
    {"a claim", "{claims: [{name: 'gpu'}]}", .want = TERMINAL("r.claims: not supported")},
};

TEST(resource_quantities_are_normalized_as_the_api_server_stores_them)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *stored = NULL,
                   *resources = cases[i].resources ? json_fixture(a, cases[i].resources) : NULL;

        then_err(render_resources(a, "r", resources, &stored), cases[i].want);
        if (!cases[i].want)
            then_json(stored, cases[i].stored);
    }
}
