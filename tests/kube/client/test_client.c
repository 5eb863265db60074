/* Opening a client: what is wrong with its configuration is told at once. */
#include "kube/client.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

TEST(a_client_copies_its_configuration_and_knows_its_host)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Arena *brief = arena_open(1 << 20);
    Config config = {
        .server = str_copy(brief, "http://127.0.0.1:1/prefix"),
        .token = str_copy(brief, "abc"),
        .origin = str_copy(brief, "test"),
    };
    Client *client = NULL;

    then_ok(client_open(brief, &config, NULL, &client));
    arena_close(brief);
    Transport *transport = client_transport(client);
    then_str(transport->host, "127.0.0.1:1");
    Api *api = transport->open_api(transport);
    Streams *streams = transport->open_streams(transport);
    Request version = {.verb = VERB_RAW_GET, .raw_path = "/version"};
    then_err(api_call(api, a, &version, NULL), RETRY("connection to 127.0.0.1:1 refused"));
    transport->close_streams(transport, streams);
    transport->close_api(transport, api);
    client_close(client);
}

TEST(closing_a_missing_client_or_port_is_allowed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {.server = "http://h"};
    Client *client = NULL;

    then_ok(client_open(a, &config, &(ClientOptions){0}, &client));
    Transport *transport = client_transport(client);
    transport->close_api(transport, NULL);
    transport->close_streams(transport, NULL);
    client_close(client);
    client_close(NULL);
}

static const struct {
    const char *name;
    Config config;
    Want want;
} wrong[] = {
    {"no server", {.server = NULL}, TERMINAL("test: server: must begin with https://")},
    {"a server without a host", {.server = "https://"}, TERMINAL("test: server: is not a URL")},
    {"a token file that is not there",
        {.server = "http://h", .token_file = "/nowhere/token"},
        TERMINAL("test: token: cannot read /nowhere/token")},
    {"a token that cannot be sent",
        {.server = "http://h", .token = "a b"},
        TERMINAL("test: token: has a space")},
    {"an authority that is none",
        {.server = "https://h", .token = "a", .ca_pem = "x"},
        TERMINAL("test: certificate-authority-data: has no certificate")},
    {"an authority that is not there",
        {.server = "https://h", .ca_file = "/nowhere/ca.crt"},
        TERMINAL("test: certificate-authority: cannot read /nowhere/ca.crt")},
};

TEST(an_invalid_client_configuration_is_refused_when_the_client_is_opened)
{
    each_case(i, wrong) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Config config = wrong[i].config;
        Client *client = NULL;

        config.origin = "test";
        then_err(client_open(a, &config, NULL, &client), wrong[i].want);
        then_true(!client);
    }
}
