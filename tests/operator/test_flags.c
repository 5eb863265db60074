/* Flags: as Go's programs take them, for manifests written for the reference. */
#include "operator/flags.h"
#include "tests/test.h"

enum { WORDS_MAX = 8 };

static Err *parse(Arena *a, const char *const *given, Flags *ret)
{
    char *words[WORDS_MAX] = {(char *)"sei-operator"};
    int count = 1;

    for (; given[count - 1]; count++)
        words[count] = (char *)given[count - 1];
    return flags_parse(a, count, words, ret);
}

static const char *value_of(Arena *a, const Flags *flags, const char *name)
{
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (str_eq(row->name, name))
            return flags_value(a, flags, row);
    return "no such flag";
}

TEST(without_arguments_every_operator_flag_has_its_default)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Flags flags;

    then_ok(parse(a, (const char *const[]){NULL}, &flags));
    then_str(flags.metrics_address, ":8080");
    then_str(flags.health_address, ":8081");
    then_true(flags.leader_elect);
    then_int(flags.workers, 4);
    then_int(flags.platform_max_unavailable, 1);
    then_str(flags.log_level, "info");
    then_str(flags.kubeconfig, "");
    then_str(flags.namespaces, "");
    then_true(!flags.help && !flags.version && !flags.config && !flags.log_development);
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    const char *flag, *value;
} good[] = {
    {"a value behind =", {"--workers=9"}, "workers", "9"},
    {"a value in the next word", {"--workers", "9"}, "workers", "9"},
    {"one dash", {"-workers", "9"}, "workers", "9"},
    {"the last one counts", {"--workers=8", "--workers=9"}, "workers", "9"},
    {"an empty value", {"--watch-namespaces="}, "watch-namespaces", ""},
    {"a value with =", {"--identity=a=b"}, "identity", "a=b"},
    {"a value that looks like a flag", {"--identity", "--workers"}, "identity", "--workers"},
    {"a switch", {"--zap-devel"}, "zap-devel", "true"},
    {"a switch that is off", {"--leader-elect=false"}, "leader-elect", "false"},
    {"a switch by number", {"--leader-elect=0"}, "leader-elect", "false"},
    {"a switch takes no next word", {"--zap-devel", "config"}, "zap-devel", "true"},
    {"no page", {"--metrics-bind-address=0"}, "metrics-bind-address", "0"},
    {"no platform roll", {"--platform-max-unavailable=0"}, "platform-max-unavailable", "0"},
    {"the other page",
        {"--health-probe-bind-address", "127.0.0.1:0"},
        "health-probe-bind-address",
        "127.0.0.1:0"},
    {"a kubeconfig", {"--kubeconfig", "/k"}, "kubeconfig", "/k"},
    {"an account", {"--sidecar-service-account=a/b"}, "sidecar-service-account", "a/b"},
    {"a lease's namespace", {"--lease-namespace=x"}, "lease-namespace", "x"},
    {"a form of logs", {"--zap-encoder=json"}, "zap-encoder", "json"},
    {"what has no effect", {"--zap-time-encoding=iso8601"}, "zap-time-encoding", NULL},
    {"the default of what is refused", {"--enable-http2=false"}, "enable-http2", NULL},
    {"secure metrics", {"--metrics-secure"}, "metrics-secure", "true"},
    {"a certificate", {"--metrics-cert-path=/c"}, "metrics-cert-path", "/c"},
    {"a certificate's name", {"--metrics-cert-name=x"}, "metrics-cert-name", "x"},
    {"a certificate's key", {"--metrics-cert-key=x"}, "metrics-cert-key", "x"},
    {"the usual name of a certificate", {"--metrics-secure"}, "metrics-cert-name", "tls.crt"},
    {"the usual name of its key", {"--metrics-secure"}, "metrics-cert-key", "tls.key"},
};

TEST(operator_flags_are_parsed)
{
    each_case(i, good) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Flags flags;
        then_ok(parse(a, good[i].words, &flags));
        then_str(value_of(a, &flags, good[i].flag), good[i].value);
    }
}

TEST(help_and_version_and_config_are_requested_by_their_flags)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Flags flags;

    then_ok(parse(a, (const char *const[]){"--help", NULL}, &flags));
    then_true(flags.help);
    then_ok(parse(a, (const char *const[]){"-h", NULL}, &flags));
    then_true(flags.help);
    then_ok(parse(a, (const char *const[]){"--version", NULL}, &flags));
    then_true(flags.version && !flags.help);
    then_ok(parse(a, (const char *const[]){"config", "--workers=2", NULL}, &flags));
    then_true(flags.config && flags.workers == 2);
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    Want want;
} bad[] = {
    {"an unknown flag", {"--colour=red"}, TERMINAL("there is no flag --colour: see --help")},
    {"half a flag", {"--worker=1"}, TERMINAL("there is no flag --worker")},
    {"only dashes", {"--"}, TERMINAL("there is no flag --")},
    {"one dash alone", {"-"}, TERMINAL("there is no flag -")},
    {"an unknown command", {"destroy"}, TERMINAL("there is no command destroy")},
    {"a missing value", {"--workers"}, TERMINAL("--workers has no value")},
    {"no number", {"--workers=many"}, TERMINAL("--workers: expected a number from 1 to 64")},
    {"too few", {"--workers=0"}, TERMINAL("from 1 to 64, found 0")},
    {"too many", {"--workers=65"}, TERMINAL("from 1 to 64, found 65")},
    {"below nothing", {"--platform-max-unavailable=-1"}, TERMINAL("from 0 to 1000, found -1")},
    {"half a switch", {"--leader-elect=maybe"}, TERMINAL("expected true or false, found maybe")},
    {"another HTTP",
        {"--enable-http2"},
        TERMINAL("--enable-http2=true is not supported: metrics are served over HTTP/1.1")},
    {"all at once",
        {"--workers=0", "--colour", "--enable-http2=true"},
        TERMINAL("found 0; there is no flag --colour: see --help; --enable-http2=true is")},
};

TEST(an_invalid_operator_flag_is_refused)
{
    each_case(i, bad) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Flags flags;
        then_err(parse(a, bad[i].words, &flags), bad[i].want);
    }
}

TEST(every_operator_flag_has_a_description_and_a_default)
{
    for (const FlagRow *row = flag_rows; row->name; row++) {
        then_true(!str_empty(row->about) && row->fallback);
        for (const FlagRow *other = flag_rows; other != row; other++)
            then_true(!str_eq(other->name, row->name));
    }
}
