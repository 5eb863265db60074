/* A Kube port that passes calls on. It has no caches: reading from one is a fault of the test. */
#include "tests/e2e/live.h"

#include "base/link.h"
#include "tests/test.h"

static Err *call(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    return api_call(link_owner(Live, port, self)->api, c->arena, request, ret);
}

Live *live_open(Arena *a, const char *kubeconfig)
{
    Live *live = arena_new(a, Live);
    Config config;

    *live = (Live){
        .port = {.call = call},
        .ctx = {.arena = a, .kube = &live->port, .clock = clock_system(), .rng = rng_system()},
    };
    then_ok(config_load(a, &(ConfigSource){.path = kubeconfig}, &config));
    then_ok(client_open(a, &config, &(ClientOptions){.user_agent = "e2e"}, &live->client));
    Transport *transport = client_transport(live->client);
    live->api = transport->open_api(transport);
    return live;
}

void live_close(Live *live)
{
    if (!live)
        return;
    Transport *transport = client_transport(live->client);
    transport->close_api(transport, live->api);
    client_close(live->client);
}
