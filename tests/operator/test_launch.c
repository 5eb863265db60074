/* Launch: what follows from flags and environment, and all faults in one message. */
#include "tests/kube/client/scratch.h"
#include "tests/operator/world.h"

/* What differs from a start with a kubeconfig and no flags. */
typedef struct Given {
    Variable variables[4];
    Flags flags; /* only what is set */
    const char *host;
    bool is_terminal;
} Given;

static Err *launch(Arena *a, const Given *given, const Err *before, Launch *ret)
{
    Flags flags;
    const char *path = scratch_write(a, scratch_folder(a), "config", kubeconfig);
    ConfigSource config = {.kubeconfig_list = path};
    LaunchSource source = {.environment = some_environment,
        .self = (void *)given->variables,
        .config = &config,
        .host = given->host ? given->host : "machine",
        .is_terminal = given->is_terminal};

    then_ok(flags_parse(a, 1, (char *[]){(char *)"sei-operator"}, &flags));
    for (const FlagRow *row = flag_rows; row->name; row++) {
        if (row->type != FLAG_TEXT)
            continue;
        const char **text = (const char **)((char *)&flags + row->offset);
        const char *set = *(const char *const *)((const char *)&given->flags + row->offset);
        *text = set ? set : *text;
    }
    flags.log_development = given->flags.log_development;
    flags.platform_max_unavailable += given->flags.platform_max_unavailable;
    return launch_read(a, &flags, &source, before, ret);
}

TEST(without_flags_the_operator_uses_the_kubeconfig_and_the_host_name)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Launch l;

    then_ok(launch(a, &(Given){0}, OK, &l));
    then_str(l.config.server, "https://api:6443");
    then_str(l.lease_namespace, "home");
    then_str(l.identity, "machine");
    then_str(l.settings.sidecar_account.namespace, "home");
    then_str(l.settings.sidecar_account.name, "sei-sidecar-client");
    then_int(l.settings.platform_max_unavailable, 1);
    then_str(l.settings.nodepool, "some");
    then_true(!launch_namespaces(&l));
    then_true(!l.log_human);
    then_int(l.log_level, LOG_INFO);
}

static const struct {
    const char *name;
    Given given;
    const char *lease_namespace, *identity, *account;
} names[] = {
    {"a pod",
        {.variables = {{"POD_NAME", "p"}, {"POD_UID", "u"}, {"POD_NAMESPACE", "ns"}}},
        "ns",
        "p_u",
        "ns/sei-sidecar-client"},
    {"a pod that does not know its uid",
        {.variables = {{"POD_NAME", "p"}}},
        "home",
        "p",
        "home/sei-sidecar-client"},
    {"a uid without a pod",
        {.variables = {{"POD_UID", "u"}, {"POD_NAMESPACE", ""}}},
        "home",
        "machine",
        "home/sei-sidecar-client"},
    {"flags before all",
        {.variables = {{"POD_NAME", "p"}, {"POD_UID", "u"}, {"POD_NAMESPACE", "ns"}},
            .flags = {.lease_namespace = "l", .identity = "me", .sidecar_account = "x/y"}},
        "l",
        "me",
        "x/y"},
    {"an account by name alone",
        {.flags = {.lease_namespace = "l", .sidecar_account = "y"}},
        "l",
        "machine",
        "l/y"},
};

TEST(names_come_from_flags_or_the_pod_or_the_machine_in_that_order)
{
    each_case(i, names) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Launch l;
        then_ok(launch(a, &names[i].given, OK, &l));
        then_str(l.lease_namespace, names[i].lease_namespace);
        then_str(l.identity, names[i].identity);
        then_str(key_text(a, l.settings.sidecar_account), names[i].account);
    }
}

static const struct {
    const char *name;
    Given given;
    LogLevel level;
    bool human;
} logs[] = {
    {"a terminal", {.is_terminal = true}, LOG_INFO, true},
    {"json on a terminal", {.flags = {.log_encoder = "json"}, .is_terminal = true}, LOG_INFO},
    {"console in a file", {.flags = {.log_encoder = "console"}}, LOG_INFO, true},
    {"development", {.flags = {.log_development = true}}, LOG_DEBUG, true},
    {"development, and only errors",
        {.flags = {.log_development = true, .log_level = "error"}},
        LOG_ERROR,
        true},
    {"development as json", {.flags = {.log_development = true, .log_encoder = "json"}}, LOG_INFO},
    {"debug", {.flags = {.log_level = "debug"}}, LOG_DEBUG},
    {"a number", {.flags = {.log_level = "3"}}, LOG_DEBUG},
    {"zero", {.flags = {.log_level = "0"}}, LOG_INFO},
    {"warnings", {.flags = {.log_level = "warn"}}, LOG_WARN},
    {"errors", {.flags = {.log_level = "error"}}, LOG_ERROR},
    {"panics", {.flags = {.log_level = "panic"}}, LOG_ERROR},
};

TEST(log_level_and_format_follow_the_flags)
{
    each_case(i, logs) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Launch l;
        then_ok(launch(a, &logs[i].given, OK, &l));
        then_int(l.log_level, logs[i].level);
        then_int(l.log_human, logs[i].human);
    }
}

TEST(watched_namespaces_are_listed_once_each)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Launch l;

    then_ok(launch(a, &(Given){.flags = {.namespaces = " a,b, a,,c"}}, OK, &l));
    then_str(launch_namespaces(&l)[0], "a");
    then_str(launch_namespaces(&l)[1], "b");
    then_str(launch_namespaces(&l)[2], "c");
    then_str(launch_namespaces(&l)[3], NULL);
}

static const struct {
    const char *name;
    Given given;
    Want want;
} faults[] = {
    {"too many namespaces",
        {.flags = {.namespaces = "a,b,c,d,e,f"}},
        TERMINAL("--watch-namespaces: at most 5; leave it out to watch all")},
    {"no level", {.flags = {.log_level = "loud"}}, TERMINAL("there is no level loud")},
    {"a level below all", {.flags = {.log_level = "-1"}}, TERMINAL("there is no level -1")},
    {"no form of logs",
        {.flags = {.log_encoder = "xml"}},
        TERMINAL("--zap-encoder: expected json or console, found xml")},
    {"an account without name",
        {.flags = {.sidecar_account = "a/"}},
        TERMINAL("--sidecar-service-account: expected namespace/name, found a/")},
    {"an account without namespace",
        {.flags = {.sidecar_account = "/b"}},
        TERMINAL("expected namespace/name, found /b")},
    {"an account of three",
        {.flags = {.sidecar_account = "a/b/c"}},
        TERMINAL("expected namespace/name, found a/b/c")},
    {"a setting that is missing",
        {.variables = {{"SEI_NODEPOOL_NAME", ""}}},
        TERMINAL("SEI_NODEPOOL_NAME is required")},
    {"no name at all", {.host = ""}, TERMINAL("use --identity")},
    {"a kubeconfig that is not there",
        {.flags = {.kubeconfig = "/nowhere/config"}},
        TERMINAL("/nowhere/config")},
};

TEST(an_invalid_operator_configuration_is_refused_with_the_cause)
{
    each_case(i, faults) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Launch l;
        then_err(launch(a, &faults[i].given, OK, &l), faults[i].want);
    }
}

TEST(all_configuration_errors_are_reported_at_once)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Given given = {.variables = {{"SEI_NODEPOOL_NAME", ""}, {"SEI_STORAGE_SIZE_DEFAULT", "x"}},
        .flags = {.log_level = "loud", .kubeconfig = "/nowhere/config"}};
    const Err *before = err_terminal(a, "there is no flag --colour");
    Launch l;
    const Err *err = launch(a, &given, before, &l);

    then_err(err, TERMINAL("there is no flag --colour; --zap-log-level"));
    then_err(err, TERMINAL("SEI_NODEPOOL_NAME is required; SEI_STORAGE_SIZE_DEFAULT: "));
    then_err(err, TERMINAL("/nowhere/config"));
}
