/* A Kube port that passes calls on and has no cache to read from. */
#include "tests/e2e/live.h"

#include "base/link.h"
#include "tests/test.h"

static Err *find(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    (void)self, (void)key, (void)ret;
    return err_terminal(c->arena, "no cache of %s", kind->plural);
}

static Err *select_none(Kube *self, Ctx *c, const Kind *kind, const char *namespace,
    const Selector *selector, Objects *ret)
{
    (void)self, (void)namespace, (void)selector, (void)ret;
    return err_terminal(c->arena, "no cache of %s", kind->plural);
}

static Err *owned(Kube *self, Ctx *c, const Kind *kind, const char *owner_uid, Objects *ret)
{
    (void)self, (void)owner_uid, (void)ret;
    return err_terminal(c->arena, "no cache of %s", kind->plural);
}

static Err *call(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    return api_call(link_owner(Live, port, self)->api, c->arena, request, ret);
}

static void event(Kube *self, Ctx *c, const Json *regarding, const char *type, const char *reason,
    const char *note)
{
    (void)self, (void)c, (void)regarding, (void)type, (void)reason, (void)note;
}

Live *live_open(Arena *a, const char *kubeconfig)
{
    Live *live = arena_new(a, Live);
    Config config;

    *live = (Live){
        .port = {find, select_none, owned, call, event},
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
