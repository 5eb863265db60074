/* Client: what all connections to one API server share, and the policy of asking twice.
 *
 *   401, and the token file or client certificate are not those that were sent
 *       once more, with the new ones: a 401 was not carried out
 *   401 otherwise; 409, 410, 422, 429, 5xx, ...
 *       the caller's: kube/status.h says what each means, with retry_after_ms where the server
 *       gave it
 *   a reused connection died, and no byte of the answer came
 *       a read or an apply once more, on a new connection; another write only when not one byte
 *       of it had been sent
 *   no connection: refused, unresolved, TLS failed, connect time-out
 *       ERR_RETRY; a write was not carried out
 *   a new connection died, the answer was cut or is no JSON, or the deadline passed
 *       ERR_RETRY; of a write the outcome is unknown
 *   the answer is larger than body_max
 *       ERR_TERMINAL; of a write the outcome is unknown
 *   a redirect
 *       never followed: ERR_TERMINAL (kube/status.h)
 *
 * "Once more" happens inside the request's own deadline, and at most once for each of the two.
 * Beyond that the client never waits and never repeats: backing off is the caller's, who knows what
 * else there is to do.
 *
 * Proxies are not used, not even those that the environment names: the API server is meant to be
 * reached directly, and a proxy meant for the internet would get between an operator and its own
 * cluster. Answers are asked for uncompressed: with gzip a list of 3 MB took five times as long
 * from a real API server, and twice our processor time; watches it never compresses. */
#include "kube/client.h"

#include "base/str.h"
#include "kube/client/shared.h"

#include <curl/curl.h>
#include <string.h>

enum {
    CLIENT_ARENA_MAX = 4 << 20,
    CONNECT_TIMEOUT_MS = 5000,
    REQUEST_TIMEOUT_MS = 15000,
    DEAD_PEER_MS = 25000,
};

static ClientOptions with_defaults(Arena *a, const ClientOptions *given)
{
    ClientOptions options = given ? *given : (ClientOptions){0};

    options.user_agent = str_copy(a, options.user_agent);
    if (!options.connect_timeout_ms)
        options.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    if (!options.request_timeout_ms)
        options.request_timeout_ms = REQUEST_TIMEOUT_MS;
    if (!options.dead_peer_ms)
        options.dead_peer_ms = DEAD_PEER_MS;
    if (!options.body_max)
        options.body_max = JSON_BYTES_MAX;
    if (!options.clock)
        options.clock = clock_system();
    return options;
}

static const char *const *copy_words(Arena *a, const char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    const char **copy = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = str_copy(a, words[i]);
    return copy;
}

static const ConfigExec *copy_exec(Arena *a, const ConfigExec *from)
{
    if (!from)
        return NULL;
    ConfigExec *exec = arena_new(a, ConfigExec);
    *exec = (ConfigExec){
        .api_version = str_copy(a, from->api_version),
        .command = str_copy(a, from->command),
        .args = copy_words(a, from->args),
        .env = copy_words(a, from->env),
        .install_hint = str_copy(a, from->install_hint),
        .gets_cluster = from->gets_cluster,
        .cluster_config = json_copy(a, from->cluster_config),
        .interactive = from->interactive,
    };
    return exec;
}

static Config copy_config(Arena *a, const Config *c)
{
    return (Config){
        .server = str_copy(a, c->server),
        .tls_server_name = str_copy(a, c->tls_server_name),
        .insecure = c->insecure,
        .ca_pem = str_copy(a, c->ca_pem),
        .ca_file = str_copy(a, c->ca_file),
        .cert_pem = str_copy(a, c->cert_pem),
        .cert_file = str_copy(a, c->cert_file),
        .key_pem = str_copy(a, c->key_pem),
        .key_file = str_copy(a, c->key_file),
        .token = str_copy(a, c->token),
        .token_file = str_copy(a, c->token_file),
        .exec = copy_exec(a, c->exec),
        .as = str_copy(a, c->as),
        .as_groups = str_copy(a, c->as_groups),
        .namespace = str_copy(a, c->namespace),
        .user = str_copy(a, c->user),
        .origin = c->origin ? str_copy(a, c->origin) : "config",
    };
}

/* Where URLs point. With a tls-server-name they carry that name, see exchange.c. */
static void set_addresses(Client *client)
{
    Arena *a = client->arena;
    const ServerUrl *url = &client->url;
    const char *name = url->https ? client->config.tls_server_name : NULL;

    client->address = str_format(a, "%s:%s", url->host, url->port);
    client->dialled = url->base;
    if (!name)
        return;
    client->dialled = str_format(a, "https://%s:%s%s", name, url->port, url->prefix);
    client->connect_to = str_format(a, "::%s", client->address);
    client->host_line = str_format(a, "Host: %s", client->address);
}

static const char *warning_of(const Client *client)
{
    const Config *config = &client->config;

    if (!client->url.https && (config->token || config->token_file))
        return str_format(client->arena,
            "%s: the token goes over plain http, readable for everyone on the way",
            config->origin);
    if (client->url.https && config->insecure)
        return str_format(client->arena,
            "%s: insecure-skip-tls-verify: anyone on the way can pose as the API server",
            config->origin);
    return NULL;
}

/* Header lines with which the server takes us for somebody else. */
static Err *set_impersonation(Arena *a, Client *client)
{
    const Config *config = &client->config;
    size_t count = 0;

    if (str_empty(config->as))
        return str_empty(config->as_groups)
            ? OK
            : err_terminal(a, "--as-group: only beside --as: groups belong to somebody");
    client->impersonation[count++] = str_format(client->arena, "Impersonate-User: %s", config->as);
    for (const char *group = config->as_groups; !str_empty(group);) {
        size_t len = strcspn(group, ",");
        if (count == CLIENT_IMPERSONATION_MAX)
            return err_terminal(a, "more than %d groups to act in", CLIENT_IMPERSONATION_MAX - 1);
        client->impersonation[count++] =
            str_format(client->arena, "Impersonate-Group: %.*s", (int)len, group);
        group += len + (group[len] == ',');
    }
    for (size_t i = 0; i < count; i++)
        if (strpbrk(client->impersonation[i], "\r\n"))
            return err_terminal(a, "the name of a user or group has no line breaks");
    return OK;
}

static Err *open_parts(Arena *a, Client *client)
{
    const Config *config = &client->config;

    TRY(err_wrap(a,
        server_url_parse(client->arena, config->server, &client->url),
        "%s: server",
        config->origin));
    set_addresses(client);
    TRY(set_impersonation(a, client));
    PluginTerms terms = {
        .clock = client->options.clock,
        .left_ms = client->options.plugin_timeout_ms,
        .hurries = client->options.hurries_people,
        .asks_nobody = client->options.asks_nobody,
        .wait = client->options.plugin_wait.tell ? &client->options.plugin_wait : NULL,
    };
    return client_credentials_open(a, config, &terms, &client->credentials);
}

Err *client_open(Arena *a, const Config *config, const ClientOptions *options, Client **ret)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        BUG("libcurl cannot start");
    Arena *arena = arena_open(CLIENT_ARENA_MAX);
    Client *client = arena_new(arena, Client);
    client->arena = arena;
    client->options = with_defaults(arena, options);
    client->config = copy_config(arena, config);

    Err *err = err_copy(a, open_parts(a, client));
    if (err) {
        arena_close(arena);
        curl_global_cleanup();
        return err;
    }
    client->transport = (Transport){
        .warning = warning_of(client),
        .host = client->address,
        .open_api = client_open_api,
        .close_api = client_close_api,
        .open_streams = client_open_streams,
        .close_streams = client_close_streams,
    };
    *ret = client;
    return OK;
}

Err *client_open_default(Arena *a, const char *user_agent, Client **ret)
{
    ConfigSource source = {0};
    Config config;

    config_source_from_environment(&source);
    TRY(config_load(a, &source, &config));
    return client_open(a, &config, &(ClientOptions){.user_agent = user_agent}, ret);
}

bool client_may_have_asked(const Client *client)
{
    return client->credentials.plugged.may_have_asked;
}

Transport *client_transport(Client *client)
{
    return &client->transport;
}

void client_close(Client *client)
{
    if (!client)
        return;
    client_credentials_close(&client->credentials);
    arena_close(client->arena);
    curl_global_cleanup();
}
