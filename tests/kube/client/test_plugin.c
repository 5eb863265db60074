/* Credential plugins: little scripts that answer as those of clouds do, and as they should not. */
#include "base/draft.h"
#include "base/link.h"
#include "kube/client/credentials.h"
#include "kube/client/plugin.h"
#include "tests/kube/client/client_world.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define V1      "client.authentication.k8s.io/v1"
#define V1BETA1 "client.authentication.k8s.io/v1beta1"

/* A script that can be run; "$0.told" is where it may leave what it was told. */
static const char *script(Arena *a, const char *name, const char *lines)
{
    const char *path =
        scratch_write(a, scratch_folder(a), name, str_format(a, "#!/bin/sh\n%s\n", lines));

    then_int(chmod(path, 0700), 0);
    return path;
}

static const char *const none[] = {NULL};

static Config *config_of(Arena *a, ConfigExec exec)
{
    Config *config = arena_new(a, Config);
    ConfigExec *kept = arena_new(a, ConfigExec);

    *kept = exec;
    if (!kept->args)
        kept->args = none;
    if (!kept->env)
        kept->env = none;
    if (!kept->api_version)
        kept->api_version = V1;
    *config = (Config){.server = "https://h:6443", .origin = "kubeconfig k", .exec = kept};
    return config;
}

#define ANSWER(version, status)                                                                    \
    "echo '{\"apiVersion\": \"" version "\", \"kind\": \"ExecCredential\", \"status\": " status "}'"

static const struct {
    const char *name, *lines, *version;
    const char *token;
    Want want;
} cases[] = {
    {"a token", ANSWER(V1, "{\"token\": \"t1\"}"), V1, "t1"},
    {"of the version before", ANSWER(V1BETA1, "{\"token\": \"t2\"}"), V1BETA1, "t2"},
    {"with an end",
        ANSWER(V1, "{\"token\": \"t3\", \"expirationTimestamp\": \"2030-01-01T00:00:00Z\"}"),
        V1,
        "t3"},
    {"its failure", "echo no session >&2; exit 1", V1, NULL, TERMINAL("ended with exit code 1")},
    {"its origin", "exit 1", V1, NULL, TERMINAL("kubeconfig k: credential plugin /")},
    {"another version",
        ANSWER(V1BETA1, "{\"token\": \"t\"}"),
        V1,
        NULL,
        TERMINAL("is no ExecCredential of " V1)},
    {"no JSON", "echo hello", V1, NULL, TERMINAL("its answer is no JSON")},
    {"no answer", ":", V1, NULL, TERMINAL("its answer is no JSON")},
    {"neither token nor certificate", ANSWER(V1, "{}"), V1, NULL, TERMINAL("neither a token nor")},
    {"half a certificate",
        ANSWER(V1, "{\"clientCertificateData\": \"x\"}"),
        V1,
        NULL,
        TERMINAL("but not both")},
    {"no token at all",
        ANSWER(V1, "{\"token\": \"a b\"}"),
        V1,
        NULL,
        TERMINAL("a character that no token has")},
    {"no time",
        ANSWER(V1, "{\"token\": \"s3cret\", \"expirationTimestamp\": \"soon\"}"),
        V1,
        NULL,
        TERMINAL("expirationTimestamp is no time")},
};

TEST(each_answer_of_a_credential_plugin_gives_credentials_or_an_error)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        PluginAnswer answer = {0};
        Config *config = config_of(a,
            (ConfigExec){
                .command = script(a, "plugin", cases[i].lines), .api_version = cases[i].version});
        Err *err = plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer);

        then_err(err, cases[i].want);
        then_str(answer.token, cases[i].token);
        then_int(err ? err->status : 401, 401);
        then_true(!err || !strstr(err_text(a, err), "s3cret"));
    }
}

TEST(the_expiry_of_a_plugin_credential_is_returned)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    PluginAnswer answer = {0};
    Config *config = config_of(a,
        (ConfigExec){.command = script(a,
                         "plugin",
                         ANSWER(V1,
                             "{\"token\": \"t\", \"expirationTimestamp\": "
                             "\"1970-01-01T00:00:09Z\"}"))});

    then_ok(plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer));
    then_int(answer.expires_ns, 9LL * 1000000000);
}

TEST(a_credential_plugin_that_is_not_installed_is_reported_with_its_install_hint)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    PluginAnswer answer = {0};
    Config *config = config_of(
        a, (ConfigExec){.command = "no-such-plugin", .install_hint = "get it from the cloud"});
    Err *err = plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer);

    then_err(err,
        TERMINAL("credential plugin no-such-plugin: cannot run no-such-plugin: No such file or "
                 "directory: get it from the cloud"));
    then_int(err->status, 0);
}

TEST(a_credential_plugin_that_must_ask_a_user_needs_a_terminal)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    PluginAnswer answer = {0};
    Config *config = config_of(a,
        (ConfigExec){.command = script(a, "plugin", ANSWER(V1, "{\"token\": \"t\"}")),
            .interactive = CONFIG_INTERACTIVE_ALWAYS});
    int was = dup(STDIN_FILENO);

    then_true(was >= 0 && freopen("/dev/null", "r", stdin) != NULL);
    then_err(plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer),
        TERMINAL("stdin is no terminal"));
    then_int(dup2(was, STDIN_FILENO), STDIN_FILENO);
    close(was);
}

/* --- how long it may take, and whom it may ask */

/* Once it leaps, each look at it is a second later. */
typedef struct LeapingClock {
    Clock port;
    int64_t now_ns;
    bool leaps;
} LeapingClock;

static int64_t leap(Clock *self)
{
    LeapingClock *clock = link_owner(LeapingClock, port, self);

    return clock->now_ns += clock->leaps ? 1000000000 : 0;
}

static LeapingClock clock_leaping(bool leaps)
{
    return (LeapingClock){.port = {.mono_ns = leap, .wall_ns = leap}, .leaps = leaps};
}

static const struct {
    const char *name;
    int64_t left_ms;
    Want want;
} limits[] = {
    {"its own", 0, TERMINAL("has not ended after 60 s")},
    {"what is left, where that is less", 7000, TERMINAL("has not ended after 7 s")},
    {"its own, where that is less", 3600000, TERMINAL("has not ended after 60 s")},
};

TEST(a_hanging_credential_plugin_is_killed_at_the_smaller_of_its_timeout_and_the_deadline)
{
    each_case(i, limits) {
        SCOPED_ARENA a = arena_open(4 << 20);
        LeapingClock clock = clock_leaping(true);
        PluginAnswer answer = {0};
        Config *config = config_of(a,
            (ConfigExec){.command = script(a, "plugin", "exec sleep 1000"),
                .interactive = CONFIG_INTERACTIVE_NEVER});
        PluginTerms terms = {.clock = &clock.port, .left_ms = limits[i].left_ms};

        then_err(plugin_ask(a, config, &terms, &answer), limits[i].want);
    }
}

/* Puts a terminal in the place of stdin; what stood there is given back. */
static int given_terminal(int *ret_other_end)
{
    int was = dup(STDIN_FILENO), end = posix_openpt(O_RDWR | O_NOCTTY);

    then_true(end >= 0 && grantpt(end) == 0 && unlockpt(end) == 0);
    int terminal = open(ptsname(end), O_RDWR | O_NOCTTY);
    then_true(was >= 0 && terminal >= 0);
    then_int(dup2(terminal, STDIN_FILENO), STDIN_FILENO);
    close(terminal);
    *ret_other_end = end;
    return was;
}

static void take_terminal(int was, int other_end)
{
    then_true(was >= 0);
    then_int(dup2(was, STDIN_FILENO), STDIN_FILENO);
    close(was);
    close(other_end);
}

static const struct {
    const char *name;
    bool asks_nobody;
    const char *lines;
} terminals[] = {
    {"a person may be asked", false, "test -t 0 || exit 9\n"},
    {"no user is asked", true, "test -t 0 && exit 9\n"},
};

TEST(a_plugin_may_ask_a_user_at_a_terminal_unless_that_is_disabled)
{
    each_case(i, terminals) {
        SCOPED_ARENA a = arena_open(4 << 20);
        PluginAnswer answer = {0};
        Config *config = config_of(a,
            (ConfigExec){
                .command = script(a,
                    "plugin",
                    str_format(a, "%s%s", terminals[i].lines, ANSWER(V1, "{\"token\": \"t\"}")))});
        PluginTerms terms = {.clock = clock_system(), .asks_nobody = terminals[i].asks_nobody};
        int end, was = given_terminal(&end);
        Err *err = plugin_ask(a, config, &terms, &answer);

        take_terminal(was, end);
        then_ok(err);
        then_int(answer.may_have_asked, !terminals[i].asks_nobody);
    }
}

static const char *read_told(Arena *a, const char *path)
{
    Buf text = {.ceiling = 1 << 20};

    then_ok(file_read(a, str_format(a, "%s.told", path), &text, NULL));
    const char *told = str_copy(a, text.data);
    buf_close(&text);
    return told;
}

TEST(a_credential_plugin_gets_its_arguments_and_environment)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    PluginAnswer answer = {0};
    const char *path = script(a,
        "plugin",
        "printf '%s' \"$KUBERNETES_EXEC_INFO\" > $0.told\n"
        "test \"$1 $2 $PROFILE\" = 'get token; rm -rf / dev $HOME' || exit 9\n" ANSWER(
            V1, "{\"token\": \"t\"}"));
    Config *config = config_of(a,
        (ConfigExec){
            .command = path,
            .args = (const char *const[]){"get", "token; rm -rf /", NULL},
            .env = (const char *const[]){"PROFILE=dev $HOME", NULL},
            .interactive = CONFIG_INTERACTIVE_NEVER,
        });

    then_ok(plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer));
    then_json(json_fixture(a, read_told(a, path)),
        "{apiVersion: '" V1 "', kind: 'ExecCredential', spec: {interactive: false}}");
}

TEST(a_credential_plugin_gets_the_cluster_if_it_asks_for_it)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    PluginAnswer answer = {0};
    const char *path = script(a,
        "plugin",
        "printf '%s' \"$KUBERNETES_EXEC_INFO\" > $0.told\n" ANSWER(V1, "{\"token\": \"t\"}"));
    Config *config = config_of(a,
        (ConfigExec){
            .command = path,
            .gets_cluster = true,
            .cluster_config = json_fixture(a, "{audience: 'x'}"),
        });

    config->ca_pem = "pem";
    config->tls_server_name = "name";
    then_ok(plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer));
    then_json(json_find(json_fixture(a, read_told(a, path)), ".spec.cluster"),
        "{server: 'https://h:6443', 'tls-server-name': 'name', 'certificate-authority-data': "
        "'cGVt', config: {audience: 'x'}}");
    config->ca_pem = NULL;
    config->ca_file = scratch_write(a, scratch_folder(a), "ca", "pem");
    then_ok(plugin_ask(a, config, &(PluginTerms){.clock = clock_system()}, &answer));
    then_str(json_str(json_fixture(a, read_told(a, path)),
                 ".spec.cluster['certificate-authority-data']"),
        "cGVt");
}

/* --- as credentials */

/* Answers "t1", "t2", ... and counts beside itself. */
#define COUNTING(status)                                                                           \
    "n=$(cat $0.count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > $0.count\n"                  \
    "echo \"{\\\"apiVersion\\\": \\\"" V1 "\\\", \\\"kind\\\": \\\"ExecCredential\\\", "           \
    "\\\"status\\\": " status "}\""

TEST(a_credential_plugin_runs_again_when_its_credential_has_expired)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    ManualClock clock;
    Credentials c;
    Config *config = config_of(a,
        (ConfigExec){.command = script(a,
                         "plugin",
                         COUNTING("{\\\"token\\\": \\\"t$n\\\", \\\"expirationTimestamp\\\": "
                                  "\\\"1970-01-01T00:0$n:00Z\\\"}"))});

    config->insecure = true;
    clock_manual_init(&clock, 0, 0);
    then_ok(client_credentials_open(a, config, &(PluginTerms){.clock = &clock.port}, &c));
    then_str(c.token.text.data, "t1");
    client_credentials_refresh(&c, 0, 0, false);
    then_str(c.token.text.data, "t1");
    clock_manual_advance_ms(&clock, 60000);
    Credentials copy = client_credentials_copy(&c);
    client_credentials_refresh(&c, 60000, 0, false);
    then_str(c.token.text.data, "t2");
    then_int(c.token.generation, 1);
    then_str(copy.token.text.data, "t1");
    client_credentials_refresh(&c, 60000, 0, false);
    then_str(c.token.text.data, "t2");
    client_credentials_close(&c);
    client_credentials_close(&copy);
}

/* Its token says whether it could have asked. */
static Config *given_curious(Arena *a)
{
    Config *config = config_of(a,
        (ConfigExec){.command = script(a,
                         "plugin",
                         "test -t 0 && n=asked || n=alone\n"
                         "echo \"{\\\"apiVersion\\\": \\\"" V1 "\\\", \\\"kind\\\": "
                         "\\\"ExecCredential\\\", \\\"status\\\": {\\\"token\\\": "
                         "\\\"$n\\\"}}\"")});

    config->insecure = true;
    return config;
}

/* Later a live screen may have the terminal, or a person may be typing something else. */
TEST(a_credential_plugin_asks_a_user_only_at_the_start)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Credentials c;
    int end, was = given_terminal(&end);

    then_ok(
        client_credentials_open(a, given_curious(a), &(PluginTerms){.clock = clock_system()}, &c));
    then_str(c.token.text.data, "asked");
    client_credentials_refresh(&c, 0, 0, true);
    then_str(c.token.text.data, "alone");
    client_credentials_close(&c);
    take_terminal(was, end);
}

TEST(a_client_reports_whether_a_user_may_have_been_asked)
{
    for (int asks_nobody = 0; asks_nobody <= 1; asks_nobody++) {
        SCOPED_ARENA a = arena_open(4 << 20);
        ClientOptions options = {.asks_nobody = asks_nobody};
        Client *client;
        int end, was = given_terminal(&end);

        then_ok(client_open(a, given_curious(a), &options, &client));
        then_int(client_may_have_asked(client), !asks_nobody);
        client_close(client);
        take_terminal(was, end);
    }
}

TEST(a_client_certificate_may_come_from_a_credential_plugin)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    PkiCert ca, me;
    Credentials c;

    then_ok(pki_new_ca(a, "ca", &ca));
    then_ok(pki_new_cert(a, &ca, &(PkiOptions){.common_name = "me"}, &me));
    Draft *answer = draft(a,
        str("apiVersion", V1),
        str("kind", "ExecCredential"),
        obj("status", str("clientCertificateData", me.cert_pem), str("clientKeyData", me.key_pem)));
    const char *file =
        scratch_write(a, scratch_folder(a), "answer", json_write(a, json_seal(a, answer)).data);
    Config *config =
        config_of(a, (ConfigExec){.command = script(a, "plugin", str_format(a, "cat %s", file))});

    then_ok(client_credentials_open(a, config, &(PluginTerms){.clock = clock_system()}, &c));
    then_true(c.tls.material.cert != NULL && c.tls.material.key != NULL);
    then_int(c.token.text.len, 0);
    client_credentials_refresh(&c, 0, 0, true);
    then_int(c.tls.generation, 0);
    client_credentials_close(&c);
}

TEST(invalid_credentials_of_a_plugin_are_refused)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Credentials c;
    Config *config = config_of(a,
        (ConfigExec){
            .command = script(a,
                "plugin",
                ANSWER(V1, "{\"clientCertificateData\": \"x\", \"clientKeyData\": \"y\"}"))});

    then_err(client_credentials_open(a, config, &(PluginTerms){.clock = clock_system()}, &c),
        TERMINAL("client-certificate-data: has no certificate"));
}

TEST(after_a_401_the_credential_plugin_runs_once_more_and_the_request_is_repeated)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    const Step steps[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, answer(a, "401 Unauthorized", "", "{}")},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{\"a\": 1}")},
        {STEP_STALL},
        {0}};
    Config *config = config_of(
        a, (ConfigExec){.command = script(a, "plugin", COUNTING("{\\\"token\\\": \\\"t$n\\\"}"))});
    config->server = NULL;
    World w = world_open(a, &(Given){.script = steps, .config = *config});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    then_true(strstr(hostile_next(a, w.server), "\r\nAuthorization: Bearer t1\r\n") != NULL);
    then_true(strstr(hostile_next(a, w.server), "\r\nAuthorization: Bearer t2\r\n") != NULL);
}

/* Says who we are once, and hangs when it is asked again. */
#define ONCE(status)                                                                               \
    "test -e $0.asked && exec sleep 1000\n"                                                        \
    "touch $0.asked\n" ANSWER(V1, status)

static const Request hurried = {
    .verb = VERB_GET,
    .kind = kind_configmap,
    .key = {.namespace = "team", .name = "one"},
    .deadline_ms = 20000,
};

TEST(a_request_whose_deadline_a_credential_plugin_used_up_is_not_sent)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    LeapingClock clock = clock_leaping(false);
    const Step steps[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, ok_answer(a, "{}")}, {STEP_STALL}, {0}};
    Config *config = config_of(a,
        (ConfigExec){.command = script(a,
                         "plugin",
                         ONCE("{\"token\": \"t\", \"expirationTimestamp\": "
                              "\"1970-01-01T00:00:00Z\"}"))});
    config->server = NULL;
    World w = world_open(
        a, &(Given){.script = steps, .config = *config, .options = {.clock = &clock.port}});
    const Json *got = NULL;

    clock.leaps = true;
    then_err(api_call(w.api, a, &hurried, &got), RETRY("not sent: its 20000 ms were over before"));
    then_true(clock.now_ns < 40LL * 1000000000);
}

TEST(a_401_is_returned_if_the_plugin_uses_up_the_time_of_the_second_attempt)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    LeapingClock clock = clock_leaping(false);
    const Step steps[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, answer(a, "401 Unauthorized", "", "{}")},
        {STEP_STALL},
        {0}};
    Config *config =
        config_of(a, (ConfigExec){.command = script(a, "plugin", ONCE("{\"token\": \"t\"}"))});
    config->server = NULL;
    World w = world_open(
        a, &(Given){.script = steps, .config = *config, .options = {.clock = &clock.port}});
    const Json *got = NULL;

    clock.leaps = true;
    Err *err = api_call(w.api, a, &hurried, &got);
    then_true(err_has_status(err, 401));
    then_true(clock.now_ns < 40LL * 1000000000);
}

/* --- acting as somebody else */

TEST(the_user_to_impersonate_is_sent_with_every_request)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    const Step steps[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, ok_answer(a, "{}")}, {STEP_STALL}, {0}};
    World w = world_open(a,
        &(Given){
            .script = steps, .config = {.as = "system:serviceaccount:a:b", .as_groups = "x,y"}});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    const char *request = hostile_next(a, w.server);
    then_true(strstr(request, "\r\nImpersonate-User: system:serviceaccount:a:b\r\n") != NULL);
    then_true(strstr(request, "\r\nImpersonate-Group: x\r\n") != NULL);
    then_true(strstr(request, "\r\nImpersonate-Group: y\r\n") != NULL);
}

TEST(a_user_to_impersonate_with_a_line_break_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Client *client;
    Config config = {.server = "http://h:1", .as = "a\r\nHost: b"};

    then_err(client_open(a, &config, NULL, &client), TERMINAL("has no line breaks"));
    config = (Config){.server = "http://h:1", .as_groups = "x"};
    then_err(client_open(a, &config, NULL, &client), TERMINAL("only beside --as"));
}
