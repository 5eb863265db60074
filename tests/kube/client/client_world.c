/* Wires a client to the scripted server. */
#include "tests/kube/client/client_world.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static void close_api(void *world)
{
    const World *w = world;
    w->transport->close_api(w->transport, w->api);
    w->transport->close_streams(w->transport, w->streams);
    client_close(w->client);
}

World world_open(Arena *a, const Given *given)
{
    Config config = given->config;
    bool https = given->https || given->server.cert;
    World *w = arena_new(a, World);

    w->server = hostile_start(a, given->script, &given->server);
    if (!config.server)
        config.server =
            str_format(a, "%s://%s", https ? "https" : "http", hostile_address(w->server));
    if (!config.origin)
        config.origin = "test";
    if (client_open(a, &config, &given->options, &w->client))
        abort();
    w->transport = client_transport(w->client);
    w->api = w->transport->open_api(w->transport);
    w->streams = w->transport->open_streams(w->transport);
    arena_pin(a, close_api, w);
    return *w;
}

const char *answer(Arena *a, const char *status, const char *lines, const char *body)
{
    return str_format(a,
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n%s",
        status,
        strlen(body),
        lines,
        body);
}

const char *ok_answer(Arena *a, const char *body)
{
    return answer(a, "200 OK", "", body);
}

const Request get_configmap = {
    .verb = VERB_GET,
    .kind = kind_configmap,
    .key = {.namespace = "team", .name = "one"},
};

const Request watch_configmaps = {.verb = VERB_WATCH, .kind = kind_configmap};

Request create_configmap(Arena *a)
{
    return (Request){
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = {.namespace = "team", .name = "one"},
        .body = json_fixture(a, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'one'}}"),
    };
}
