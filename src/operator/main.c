/* sei-operator: the controller of SeiNodes.
 *
 *     sei-operator [flags]          see --help
 *     sei-operator config [flags]   what it would run with
 *
 * Opens everything in order, runs until a signal or a fault ends it, and closes in reverse. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/client.h"
#include "kube/client_http.h"
#include "kube/manager.h"
#include "kube/serve.h"
#include "operator/definitions.h"
#include "operator/descriptor_share.h"
#include "operator/door.h"
#include "operator/flags.h"
#include "operator/launch.h"
#include "operator/pages.h"
#include "sei/api/names.h"
#include "sei/reconcile/app.h"
#include "sei/reconcile/resolver.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME "sei-operator"

enum {
    HOST_NAME_SIZE = 256,
    /* A fleet of 100 nodes with long histories, read and rendered twice in one reconcile. */
    RECONCILE_BYTES_MAX = 64 << 20,
};

typedef struct Operator {
    const Launch *launch;
    DescriptorShare share;
    Log log;
    Client *client;
    Http *http;
    Resolver *resolver;
    App *app;
    Manager *manager;
    Door *door; /* NULL: the metrics are for everybody */
    Serve *metrics, *health;
} Operator;

/* --- opening and closing */

static void handle_metrics(void *manager, const char *path, Reply *reply)
{
    if (str_eq(path, "/metrics"))
        manager_handle(manager, path, reply);
    else
        reply->status = 404;
}

static void handle_health(void *manager, const char *path, Reply *reply)
{
    if (str_eq(path, "/metrics"))
        reply->status = 404;
    else
        manager_handle(manager, path, reply);
}

static Err *open_page(Operator *o, Arena *a, ServeOptions options, Serve **ret)
{
    if (str_eq(options.address, "0"))
        return OK;
    options.self = o->manager;
    options.connections_max = (unsigned)o->share.page_guests;
    return serve_open(a, &options, ret);
}

static ServeTls tls_of(Arena *a, const Flags *flags)
{
    const char *folder = flags->certificate_folder;

    if (str_empty(folder))
        return (ServeTls){0};
    return (ServeTls){
        .certificate_file = str_format(a, "%s/%s", folder, flags->certificate_name),
        .key_file = str_format(a, "%s/%s", folder, flags->certificate_key),
    };
}

static Err *open_metrics(Operator *o, Arena *a)
{
    const Flags *flags = &o->launch->flags;
    ServeOptions options = {.address = flags->metrics_address, .handle = handle_metrics};
    ServeTls *tls = arena_new(a, ServeTls);

    if (!flags->metrics_secure)
        return open_page(o, a, options, &o->metrics);
    o->door = door_open(&(DoorOptions){
        .transport = client_transport(o->client), .clock = clock_system(), .log = &o->log});
    *tls = tls_of(a, flags);
    options.tls = tls;
    options.admit = door_admit;
    options.admit_self = o->door;
    return open_page(o, a, options, &o->metrics);
}

static Err *open_manager(Operator *o, Arena *a)
{
    const Launch *l = o->launch;
    ManagerOptions options = {
        .name = NAME,
        .version = OPERATOR_VERSION,
        .transport = client_transport(o->client),
        .controllers = app_controllers(o->app),
        .workers = o->share.workers,
        .leader_election = l->flags.leader_elect,
        .lease_name = LEASE_NAME,
        .lease_namespace = l->lease_namespace,
        .identity = l->identity,
        .arena_max = RECONCILE_BYTES_MAX,
        .log = &o->log,
        .app = o->app,
        .attendant = app_attendant(o->app),
    };

    TRY(manager_open(a, &options, &o->manager));
    app_instrument(
        o->app, manager_metrics(o->manager), manager_guard(o->manager), OPERATOR_VERSION);
    return OK;
}

static Err *open_operator(Operator *o, Arena *a)
{
    const Launch *l = o->launch;
    ClientOptions client = {.user_agent = NAME "/" OPERATOR_VERSION};
    AppOptions app = {.settings = &l->settings,
        .namespaces = launch_namespaces(l),
        .clock = clock_system(),
        .rng = rng_system()};
    ServeOptions health = {.address = l->flags.health_address, .handle = handle_health};

    TRY(client_open(a, &l->config, &client, &o->client));
    o->http = client_http_open(
        &(ClientHttpOptions){.user_agent = client.user_agent, .connections_max = o->share.sockets});
    app.http = o->http;
    app.sidecars_at_once = o->share.sidecars;
    app.seids_at_once = o->share.seids;
    o->resolver = resolver_open_system();
    app.resolver = o->resolver;
    TRY(app_open(a, &app, &o->app));
    TRY(open_manager(o, a));
    TRY(open_metrics(o, a));
    return open_page(o, a, health, &o->health);
}

static void close_operator(Operator *o)
{
    serve_close(o->health);
    serve_close(o->metrics);
    door_close(o->door);
    manager_close(o->manager);
    app_close(o->app);
    resolver_close_system(o->resolver);
    http_close(o->http);
    client_close(o->client);
}

static Err *share_descriptors(Operator *o, Arena *a)
{
    const char *const *namespaces = launch_namespaces(o->launch);
    int count = 0;

    while (namespaces && namespaces[count])
        count++;
    o->share = (DescriptorShare){
        .limit = descriptors_raise(),
        .workers = (int)o->launch->flags.workers,
        .namespaces = count ? count : 1,
    };
    return descriptors_share(a, &o->share);
}

static int run(Arena *a, const Launch *launch)
{
    Operator o = {.launch = launch,
        .log = {log_stderr(), clock_system(), launch->log_level, .human = launch->log_human}};
    const Err *err = share_descriptors(&o, a);

    if (!err)
        err = open_operator(&o, a);

    if (err)
        fprintf(stderr, NAME ": %s\n", err_text(a, err));
    else
        log_info(&o.log,
            "starting",
            log_str("version", OPERATOR_VERSION),
            log_str("server", launch->config.server),
            log_str("identity", launch->identity));
    if (!err && o.share.is_short)
        log_warn(&o.log,
            "the limit on open files is low: fewer workers, sidecars or seids at once; raise it",
            log_num("limit", o.share.limit),
            log_num("workers", o.share.workers),
            log_num("page_connections", o.share.page_guests),
            log_num("sidecars", o.share.sidecars),
            log_num("seids", o.share.seids));
    if (!err && getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
        log_warn(&o.log, "OTEL_EXPORTER_OTLP_ENDPOINT has no effect: metrics are only served");
    if (!err)
        definitions_look(client_transport(o.client), &o.log);
    int code = err ? OPERATOR_CANNOT_START : manager_run(o.manager);
    close_operator(&o);
    return code;
}

/* --- the command line */

static const char *environment(void *self, const char *name)
{
    (void)self;
    return getenv(name);
}

static int say(Buf *page)
{
    bool is_said = fputs(page->data, stdout) >= 0 && fflush(stdout) == 0;

    buf_close(page);
    return is_said ? OPERATOR_FINE : OPERATOR_FAULT;
}

static int say_config(Arena *a, const Launch *launch)
{
    Buf page = {.ceiling = PAGE_MAX};

    page_config(a, launch, &page);
    return say(&page);
}

static int say_help(void)
{
    Buf page = {.ceiling = PAGE_MAX};

    page_help(&page);
    return say(&page);
}

static int say_version(void)
{
    Buf page = {.ceiling = PAGE_MAX};

    if (!buf_format(&page, NAME " " OPERATOR_VERSION "\n"))
        BUG("a version is longer than a page");
    return say(&page);
}

int main(int count, char **words)
{
    heap_configure(); /* the pages of metrics and health start threads before the manager does */
    SCOPED_ARENA a = arena_open(4 << 20);
    char host[HOST_NAME_SIZE] = "";
    ConfigSource config = {0};
    Flags flags;
    Launch launch;
    const Err *err = flags_parse(a, count, words, &flags);

    if (flags.help)
        return say_help();
    if (flags.version)
        return say_version();
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    config_source_from_environment(&config);
    LaunchSource source = {.environment = environment,
        .config = &config,
        .host = host,
        .is_terminal = log_stderr_is_terminal()};
    err = launch_read(a, &flags, &source, err, &launch);
    if (err) {
        fprintf(stderr, NAME ": %s\n", err_text(a, err));
        return OPERATOR_CANNOT_START;
    }
    return flags.config ? say_config(a, &launch) : run(a, &launch);
}
