/* Connection: lists of many pages, and one deadline over all of them and over the plugin that says
 * who we are. */
#include "cli/completion.h"
#include "cli/connection.h"
#include "tests/cli/terminal.h"
#include "tests/kube/client/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANY = 600 };

/* A server of many nodes that answers in pages; `expires` of them turn out too old. */
typedef struct Pages {
    Api port;
    Terminal *terminal;
    int calls, expires;
    int64_t slowness_ms;
} Pages;

static Pages pages;

static const Json *page_of(Arena *a, int64_t first, int64_t limit)
{
    const char *items = "", *next = "";
    int64_t last = first + limit < MANY ? first + limit : MANY;

    for (int64_t i = first; i < last; i++)
        items = str_format(a, "%s{\"metadata\": {\"name\": \"n%lld\"}},", items, (long long)i);
    if (last < MANY)
        next = str_format(a, "%lld", (long long)last);
    return json_fixture(a, str_format(a, "{metadata: {continue: '%s'}, items: [%s]}", next, items));
}

static Err *answer_page(Api *self, Arena *a, const Request *request, const Json **ret)
{
    int64_t first = 0;
    World *world = pages.terminal->world;

    (void)self;
    pages.calls++;
    world_run_until(world, world_now_ms(world) + pages.slowness_ms);
    if (request->continue_key && pages.expires > 0) {
        pages.expires--;
        Err *err = err_retry(a, "the page has expired");
        err->status = 410;
        err->reason = "Expired";
        return err;
    }
    then_true(!request->continue_key || str_to_int(request->continue_key, &first));
    *ret = page_of(a, first, request->limit);
    return OK;
}

static Api *open_pages(Transport *self)
{
    (void)self;
    return &pages.port;
}

static Err *list_all(Terminal *t, Cli *cli, Objects *ret)
{
    Flags flags;

    flags_init(&flags);
    *cli = (Cli){.arena = t->arena,
        .clock = world_clock(t->world),
        .out = &t->out,
        .transport = &t->transport,
        .flags = flags,
        .namespace = "default"};
    t->transport.open_api = open_pages;
    pages.terminal = t;
    pages.port.call = answer_page;
    TRY(connection_open(cli));
    return connection_list(cli, kind_seinode, cli->namespace, NULL, ret);
}

TEST(all_pages_make_one_list)
{
    SCOPED_TERMINAL t = terminal_open();
    Objects found = {0};
    Cli cli;

    pages = (Pages){.calls = 0};
    then_ok(list_all(t, &cli, &found));
    then_int(found.count, MANY);
    then_str(meta_name(found.items[MANY - 1]), "n599");
    then_int(pages.calls, 3);
}

TEST(a_page_that_has_expired_begins_the_list_anew_once)
{
    SCOPED_TERMINAL t = terminal_open();
    Objects found = {0};
    Cli cli;

    pages = (Pages){.expires = 1};
    then_ok(list_all(t, &cli, &found));
    then_int(found.count, MANY);
    then_int(pages.calls, 5);
    pages = (Pages){.expires = 9};
    then_err(list_all(t, &cli, &found), RETRY("the page has expired"));
}

TEST(all_pages_have_one_deadline)
{
    SCOPED_TERMINAL t = terminal_open();
    Objects found = {0};
    Cli cli;

    pages = (Pages){.slowness_ms = 3000};
    then_err(list_all(t, &cli, &found), RETRY("the time of the whole command is over"));
    then_int(pages.calls, 2);
    then_true(connection_is_late(&cli));
    then_int(connection_left_ms(&cli), 0);
    connection_restart_clock(&cli);
    then_int(connection_left_ms(&cli), 5000);
}

TEST(without_a_limit_there_is_no_deadline)
{
    SCOPED_TERMINAL t = terminal_open();
    Objects found = {0};
    Cli cli;

    pages = (Pages){.slowness_ms = 1000};
    then_ok(list_all(t, &cli, &found));
    cli.flags.request_timeout_ms = 0;
    connection_restart_clock(&cli);
    then_int(connection_left_ms(&cli), INT64_MAX);
    then_true(!connection_is_late(&cli));
}

/* --- credential plugins */

/* Each look at it is a second later. */
static int64_t leap(Clock *self)
{
    static int64_t now_ns;

    (void)self;
    return now_ns += 1000000000;
}

static Clock leaping = {.mono_ns = leap, .wall_ns = leap};

/* A command whose kubeconfig names a plugin: a program that hangs. */
static Cli given_plugin(Terminal *t, ConfigSource *source, const char *mode)
{
    const char *kubeconfig = str_format(t->arena,
        "{current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],"
        " clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}],"
        " users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,"
        "  command: sleep, args: ['1000'], interactiveMode: %s}}}]}",
        mode);
    Cli cli = {.arena = t->arena, .clock = &leaping, .out = &t->out, .source = source};

    *source = (ConfigSource){0};
    flags_init(&cli.flags);
    cli.flags.kubeconfig =
        scratch_write(t->arena, scratch_folder(t->arena), "kubeconfig", kubeconfig);
    return cli;
}

TEST(a_plugin_that_hangs_has_no_more_than_the_time_of_the_command)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_plugin(t, &source, "Never");
    int64_t began_ms = clock_mono_ms(&leaping);
    Err *err = connection_open(&cli);

    then_err(err, RETRY("credential plugin sleep: sleep has not ended after 5 s"));
    then_true(clock_mono_ms(&leaping) - began_ms < 30000);
    then_int(output_error(&cli, err), EXIT_TIMED_OUT);
    then_talked(t, "give it more time with --request-timeout");
    then_talked(t, "waiting for the credential plugin sleep (Ctrl-C ends it)\n");
}

TEST(a_completion_asks_nobody_and_runs_a_plugin_once)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_plugin(t, &source, "Always");
    Offers *offers = arena_new(t->arena, Offers);

    cli.asks_nobody = true;
    then_err(connection_open(&cli), TERMINAL("(interactiveMode Always), and nobody is asked now"));
    cli = given_plugin(t, &source, "IfAvailable");
    const char *words[] = {"--kubeconfig", cli.flags.kubeconfig, "pause", ""};
    int64_t began_ms = clock_mono_ms(&leaping);
    completion_find(&cli, &(Words){.items = words, .count = array_count(words)}, offers);
    then_true(cli.asks_nobody);
    then_int(offers->count, 0);
    then_true(clock_mono_ms(&leaping) - began_ms < 10000);
}

/* With a terminal for stdin. */
static Err *open_at_terminal(Cli *cli)
{
    int was = dup(STDIN_FILENO), end = posix_openpt(O_RDWR | O_NOCTTY);

    then_true(was >= 0 && end >= 0 && grantpt(end) == 0 && unlockpt(end) == 0);
    int terminal = open(ptsname(end), O_RDWR | O_NOCTTY);
    then_true(terminal >= 0);
    then_int(dup2(terminal, STDIN_FILENO), STDIN_FILENO);
    Err *err = connection_open(cli);
    then_int(dup2(was, STDIN_FILENO), STDIN_FILENO);
    close(was);
    close(terminal);
    close(end);
    return err;
}

/* A person who says how long to wait means that of a login, too. */
TEST(a_time_that_was_given_bounds_a_plugin_that_may_ask_a_person)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_plugin(t, &source, "Always");

    cli.flags.request_timeout_ms = 7000;
    cli.flags.has_request_timeout = true;
    then_err(open_at_terminal(&cli), RETRY("sleep has not ended after 7 s"));
    then_talked(t, "waiting for the credential plugin sleep");
}

/* A person who logs in has not used up the time of the command. */
TEST(the_time_of_a_command_begins_when_a_person_has_answered)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_plugin(t, &source, "Always");

    cli.flags.kubeconfig = scratch_write(t->arena,
        scratch_folder(t->arena),
        "kubeconfig",
        "{current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],"
        " clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1',"
        "  insecure-skip-tls-verify: true}}],"
        " users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,"
        "  command: echo, interactiveMode: Always, args: ['{\"kind\": \"ExecCredential\","
        "  \"apiVersion\": \"client.authentication.k8s.io/v1\", \"status\":"
        "  {\"token\": \"t\"}}']}}}]}");
    then_ok(open_at_terminal(&cli));
    then_int(connection_left_ms(&cli), 4000);
    connection_close(&cli);
}
