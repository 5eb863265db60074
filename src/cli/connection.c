/* Connection: one deadline for everything that a command asks. Each request gets what is left of
 * it, and one that comes too late is not sent: so no command outlasts --request-timeout, however
 * many requests it needs. */
#include "cli/connection.h"

#include "base/str.h"
#include "cli/glyph.h"
#include "cli/version.h"
#include "kube/client.h"
#include "kube/meta.h"
#include "kube/status.h"

enum { PAGE_LIMIT = 250, OBJECTS_MAX = 100000 };

static const char *or_null(const char *text)
{
    return str_empty(text) ? NULL : text;
}

/* A credential plugin that took all the time there was has not refused anybody. */
static Err *late(const Cli *cli, Err *err)
{
    if (err && connection_left_ms(cli) == 0) {
        err->class = ERR_RETRY;
        err->status = 0;
    }
    return err;
}

/* Who sits at a terminal must not wonder what the program does, and can end both with Ctrl-C. */
static void tell_waiting(void *self, const char *plugin)
{
    Cli *cli = self;

    output_talk(cli,
        "waiting for the credential plugin %s (Ctrl-C ends it)\n",
        glyph_clean(cli->arena, cli->out->is_utf8, plugin));
}

static Err *open_client(Cli *cli)
{
    const Flags *f = &cli->flags;
    ConfigSource source = *cli->source;
    Config *config = arena_new(cli->arena, Config);
    ClientOptions options = {
        .user_agent = "kubectl-sei/" CLI_VERSION,
        .plugin_timeout_ms = f->request_timeout_ms,
        .hurries_people = f->has_request_timeout,
        .plugin_wait = {.tell = cli->asks_nobody ? NULL : tell_waiting, .self = cli},
        .asks_nobody = cli->asks_nobody,
        .clock = cli->clock,
    };

    source.path = or_null(f->kubeconfig);
    source.context = or_null(f->context);
    source.cluster = or_null(f->cluster);
    source.user = or_null(f->user);
    source.runs_plugins = true;
    TRY(config_load(cli->arena, &source, config));
    config->as = or_null(f->as);
    config->as_groups = or_null(f->as_group);
    cli->config = config;
    Err *err = client_open(cli->arena, config, &options, &cli->client);
    cli->plugin_failed = err && config->exec;
    TRY(late(cli, err));
    if (client_may_have_asked(cli->client) && !f->has_request_timeout)
        connection_restart_clock(cli);
    cli->transport = client_transport(cli->client);
    if (cli->transport->warning)
        output_talk(cli, "warning: %s\n", cli->transport->warning);
    if (!cli->namespace)
        cli->namespace = config->namespace;
    return OK;
}

Err *connection_open(Cli *cli)
{
    if (cli->api)
        return OK;
    if (!str_empty(cli->flags.namespace))
        cli->namespace = cli->flags.namespace;
    connection_restart_clock(cli);
    if (!cli->transport)
        TRY(open_client(cli));
    if (cli->flags.all_namespaces)
        cli->namespace = NULL;
    cli->api = cli->transport->open_api(cli->transport);
    return OK;
}

void connection_restart_clock(Cli *cli)
{
    cli->deadline_ms = cli->flags.request_timeout_ms
        ? clock_mono_ms(cli->clock) + cli->flags.request_timeout_ms
        : INT64_MAX;
}

void connection_close(Cli *cli)
{
    if (cli->api)
        cli->transport->close_api(cli->transport, cli->api);
    cli->api = NULL;
    client_close(cli->client);
    cli->client = NULL;
}

int64_t connection_left_ms(const Cli *cli)
{
    if (cli->deadline_ms == INT64_MAX)
        return INT64_MAX;
    int64_t left = cli->deadline_ms - clock_mono_ms(cli->clock);
    return left > 0 ? left : 0;
}

bool connection_is_late(const Cli *cli)
{
    return cli->deadline_ms && connection_left_ms(cli) == 0;
}

Err *connection_call(Cli *cli, Request request, const Json **ret)
{
    int64_t left = connection_left_ms(cli);

    if (left == 0)
        return err_retry(cli->arena,
            "%s: not asked: the time of the whole command is over",
            request_text(cli->arena, &request));
    if (left != INT64_MAX)
        request.deadline_ms = left;
    return api_call(cli->api, cli->arena, &request, ret);
}

Err *connection_find(Cli *cli, const Kind *kind, Key key, const Json **ret)
{
    Request get = {.verb = VERB_GET, .kind = kind, .key = key};
    Err *err = connection_call(cli, get, ret);

    if (status_is_not_found(err)) {
        *ret = NULL;
        return OK;
    }
    return err;
}

/* --- lists */

typedef struct Pages {
    const Json *pages[OBJECTS_MAX / PAGE_LIMIT];
    size_t count, objects;
} Pages;

static Err *read_pages(Cli *cli, Request request, Pages *pages)
{
    do {
        const Json *page = NULL;
        if (pages->objects >= OBJECTS_MAX || pages->count == OBJECTS_MAX / PAGE_LIMIT)
            return err_terminal(cli->arena,
                "%s: more than %d objects: choose some with --selector",
                request_text(cli->arena, &request),
                OBJECTS_MAX);
        TRY(connection_call(cli, request, &page));
        pages->pages[pages->count++] = page;
        pages->objects += json_count(json_find(page, ".items"));
        request.continue_key = or_null(json_str(page, ".metadata.continue"));
    } while (request.continue_key);
    return OK;
}

Err *connection_list(
    Cli *cli, const Kind *kind, const char *namespace, const char *labels, Objects *ret)
{
    Request request = {
        .kind = kind,
        .key = {.namespace = namespace},
        .labels = or_null(labels),
    };

    return connection_list_by(cli, request, ret);
}

Err *connection_list_by(Cli *cli, Request request, Objects *ret)
{
    Pages *pages = arena_new(cli->arena, Pages);

    request.verb = VERB_LIST;
    request.limit = PAGE_LIMIT;
    Err *err = read_pages(cli, request, pages);

    /* A page that has expired is no page of this list any more: from the beginning, once. */
    if (status_is_gone(err) && pages->count > 0) {
        *pages = (Pages){.count = 0};
        err = read_pages(cli, request, pages);
    }
    TRY(err);
    *ret = (Objects){.items = arena_array(cli->arena, const Json *, pages->objects)};
    for (size_t i = 0; i < pages->count; i++) {
        const Json *item, *items = json_find(pages->pages[i], ".items");
        json_each(item, items)
            ret->items[ret->count++] = item;
    }
    return OK;
}
