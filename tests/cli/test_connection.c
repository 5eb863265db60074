/* Connection: lists of many pages, and one deadline over all of them and over the plugin that says
 * who we are. */
#include "cli/completion.h"
#include "cli/connection.h"
#include "cli/login.h"
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

TEST(all_pages_of_a_list_are_merged_into_one_list)
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

TEST(an_expired_list_page_restarts_the_list_once)
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

TEST(all_pages_of_a_list_share_one_deadline)
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

TEST(without_a_request_timeout_a_list_has_no_deadline)
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

/* A command whose kubeconfig has this user. */
static Cli given_kubeconfig(Terminal *t, ConfigSource *source, const char *user)
{
    const char *kubeconfig = str_format(t->arena,
        "{current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],"
        " clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1',"
        "  insecure-skip-tls-verify: true}}],"
        " users: [{name: u, user: %s}]}",
        user);
    Cli cli = {.arena = t->arena, .clock = &leaping, .out = &t->out, .source = source};

    *source = (ConfigSource){0};
    flags_init(&cli.flags);
    cli.flags.kubeconfig =
        scratch_write(t->arena, scratch_folder(t->arena), "kubeconfig", kubeconfig);
    return cli;
}

/* Its plugin is a program that hangs. */
static Cli given_plugin(Terminal *t, ConfigSource *source, const char *mode)
{
    return given_kubeconfig(t,
        source,
        str_format(t->arena,
            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sleep,"
            " args: ['1000'], interactiveMode: %s}}",
            mode));
}

TEST(a_hanging_credential_plugin_is_killed_at_the_deadline_of_the_command)
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

TEST(completion_asks_no_user_and_runs_a_credential_plugin_once)
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
TEST(a_given_request_timeout_also_limits_a_plugin_that_may_ask_a_user)
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
TEST(the_deadline_of_a_command_starts_after_the_user_has_logged_in)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_kubeconfig(t,
        &source,
        "{exec: {apiVersion: client.authentication.k8s.io/v1,"
        "  command: echo, interactiveMode: Always, args: ['{\"kind\": \"ExecCredential\","
        "  \"apiVersion\": \"client.authentication.k8s.io/v1\", \"status\":"
        "  {\"token\": \"t\"}}']}}");
    then_ok(open_at_terminal(&cli));
    then_int(connection_left_ms(&cli), 4000);
    connection_close(&cli);
}

/* --- a login that is refused */

#define EXEC(command, args)                                                                        \
    "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never,"                 \
    " command: '" command "', args: [" args "]}}"
#define PRINTS_TOKEN                                                                               \
    "'{\"kind\": \"ExecCredential\", \"apiVersion\": \"client.authentication.k8s.io/v1\","         \
    " \"status\": {\"token\": \"t\"}}'"

static const struct {
    const char *name, *user;
    const char *opens;   /* how the plugin fails before anything is asked; NULL: it does not */
    const char *hint[3]; /* in it, behind "hint: " */
} refused_logins[] = {
    {"a token",
        "{token: secret-token}",
        NULL,
        {"the server does not accept the token of user \"u\" (kubeconfig ",
            ", context c): it has expired, was revoked, or belongs to another cluster",
            "replace users[].user.token there, or log in again with the tool that wrote it"}},
    {"no credential",
        "{}",
        NULL,
        {"user \"u\" (kubeconfig ", "has no token, certificate or login plugin", "add one"}},
    {"a plugin that is not known",
        EXEC("/bin/echo", PRINTS_TOKEN),
        NULL,
        {"the server does not accept what the login plugin `/bin/echo` gave for user \"u\" "
         "(kubeconfig ",
            "it has expired, or belongs to another cluster",
            "log in again with the tool that this plugin belongs to"}},
    {"a plugin that fails",
        EXEC("/bin/false", ""),
        TERMINAL("credential plugin /bin/false: /bin/false ended with exit code 1"),
        {"the login plugin `/bin/false` of user \"u\" (kubeconfig ",
            "did not log in; what it printed itself stands above",
            "log in again with the tool that this plugin belongs to"}},
};

/* `kubectl auth can-i` would need the login that is refused. */
TEST(a_refused_login_names_its_credentials_and_how_to_renew_them)
{
    each_case(i, refused_logins) {
        SCOPED_TERMINAL t = terminal_open();
        ConfigSource source;
        Cli cli = given_kubeconfig(t, &source, refused_logins[i].user);

        cli.clock = clock_system(); /* the plugins end by themselves */
        Err *err = connection_open(&cli);

        if (refused_logins[i].opens)
            then_err(err, refused_logins[i].opens);
        else
            then_ok(err);
        if (!err) {
            err = err_terminal(t->arena, "list seinodes: Unauthorized");
            err->status = 401;
        }
        then_int(output_error(&cli, err), EXIT_FORBIDDEN);
        for (size_t n = 0; n < array_count(refused_logins[i].hint); n++)
            then_talked(t, refused_logins[i].hint[n]);
        then_true(!strstr(talked(t), "can-i"));
        then_true(!strstr(talked(t), "secret-token"));
        connection_close(&cli);
    }
}

TEST(a_forbidden_request_is_reported_with_the_command_that_lists_the_permissions)
{
    SCOPED_TERMINAL t = terminal_open();
    ConfigSource source;
    Cli cli = given_kubeconfig(t, &source, "{token: secret-token}");
    Err *err = err_terminal(t->arena, "list seinodes: Forbidden");

    err->status = 403;
    then_int(output_error(&cli, err), EXIT_FORBIDDEN);
    then_talked(t, "hint: ask `kubectl auth can-i --list` what is allowed\n");
}

static const struct {
    const char *name, *command, *const args[4];
    const char *shown, *renewal; /* NULL: not known */
} plugins[] = {
    {"of AWS",
        "/usr/local/bin/aws",
        {"eks", "get-token", "--cluster-name", NULL},
        "/usr/local/bin/aws eks get-token",
        "aws sso login"},
    {"of Google", "gke-gcloud-auth-plugin", {NULL}, "gke-gcloud-auth-plugin", "gcloud auth login"},
    {"of Teleport", "tsh", {"kube", "credentials", NULL}, "tsh kube credentials", "tsh login"},
    {"with a secret behind a flag",
        "kubectl",
        {"oidc-login", "--oidc-client-secret", "s3cret", NULL},
        "kubectl oidc-login",
        NULL},
};

TEST(a_login_plugin_is_shown_without_its_flags_and_with_its_login_command)
{
    each_case(i, plugins) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ConfigExec exec = {.command = plugins[i].command, .args = plugins[i].args};
        Config config = {.exec = &exec, .user = "u", .origin = "kubeconfig k, context c"};
        const char *advice = login_advice(a, &config, LOGIN_REFUSED);

        then_true(strstr(advice, str_format(a, "`%s`", plugins[i].shown)) != NULL);
        then_true(!strstr(advice, "s3cret"));
        then_true(
            strstr(advice,
                plugins[i].renewal ? str_format(a, "log in again with `%s`", plugins[i].renewal)
                                   : "log in again with the tool that this plugin belongs to")
            != NULL);
    }
}

static const struct {
    const char *name;
    Config config;
    const char *advice;
} files[] = {
    {"a token that another program keeps",
        {.token_file = "/run/token", .user = "u", .origin = "kubeconfig k, context c"},
        "the server does not accept the token in /run/token, of user \"u\" (kubeconfig k, context "
        "c): it has expired, was revoked, or belongs to another cluster; run what writes this file "
        "again"},
    {"the token of a pod",
        {.token_file = "/run/token", .origin = "in-cluster"},
        "the server does not accept the token in /run/token, of the pod's service account: it has "
        "expired, was revoked, or belongs to another cluster; restart the pod, or give "
        "--kubeconfig"},
    {"a certificate",
        {.cert_file = "/c.pem", .user = "u", .origin = "kubeconfig k, context c"},
        "the server does not accept the client certificate of user \"u\" (kubeconfig k, context "
        "c): "
        "it has expired, was revoked, or belongs to another cluster; `openssl x509 -noout -enddate "
        "-in "
        "/c.pem` shows its end; replace it"},
    {"a context without a user",
        {.origin = "kubeconfig k, context c"},
        "the user of kubeconfig k, context c has no token, certificate or login plugin; add one "
        "there, or choose another with --context or --user"},
};

TEST(a_login_from_a_file_names_the_file)
{
    each_case(i, files) {
        SCOPED_ARENA a = arena_open(1 << 20);

        then_str(login_advice(a, &files[i].config, LOGIN_REFUSED), files[i].advice);
    }
}
