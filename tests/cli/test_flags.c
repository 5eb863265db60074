/* Flags: as kubectl takes them. */
#include "cli/flags.h"
#include "tests/test.h"

enum { WORDS_MAX = 8 };

static Err *parse(Arena *a, const char *const *given, unsigned groups, Flags *ret, Words *ret_words)
{
    Words words = {.items = (const char **)given};

    while (given[words.count])
        words.count++;
    return flags_parse(a, &words, groups, ret, ret_words);
}

TEST(without_arguments_every_flag_has_its_default)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Flags f;
    Words rest;

    then_ok(parse(a, (const char *const[]){NULL}, ~0U, &f, &rest));
    then_int(rest.count, 0);
    then_str(f.color, "auto");
    then_str(f.namespace, "");
    then_int(f.request_timeout_ms, 5000);
    then_true(!f.has_request_timeout);
    then_int(f.timeout_ms, 0);
    then_int(f.format, OUTPUT_TABLE);
    then_int(f.dry_run, DRY_RUN_NONE);
    then_true(!f.help && !f.watch && !f.all_namespaces && !f.no_headers && !f.client_only);
}

/* What the words leave of namespace, switches A and w, format, and the words that are no flags. */
static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    const char *want;
} forms[] = {
    {"a value in the next word", {"-n", "sei", "get"}, "sei -- 0 get"},
    {"a value at its letter", {"-nsei", "get"}, "sei -- 0 get"},
    {"a value behind =", {"get", "--namespace=sei"}, "sei -- 0 get"},
    {"a letter with =", {"get", "-n=sei"}, "sei -- 0 get"},
    {"a long flag's next word", {"--namespace", "sei", "get"}, "sei -- 0 get"},
    {"letters joined", {"get", "-Aw"}, " Aw 0 get"},
    {"letters joined with a value", {"get", "-Ano", "x"}, "o A- 0 get x"},
    {"flags between words", {"get", "-A", "nodes"}, " A- 0 get nodes"},
    {"the last one counts", {"-na", "-nb"}, "b -- 0"},
    {"a switch that is off", {"-A", "--all-namespaces=false"}, " -- 0"},
    {"behind -- there are no flags", {"get", "--", "-A"}, " -- 0 get -A"},
    {"a dash alone is a word", {"get", "-"}, " -- 0 get -"},
    {"an empty value", {"--namespace="}, " -- 0"},
    {"a format", {"-o", "wide"}, " -- 1"},
    {"json", {"-ojson"}, " -- 2"},
    {"yaml", {"-o=yaml"}, " -- 3"},
    {"name", {"--output=name"}, " -- 4"},
    {"jsonpath", {"-ojsonpath={.a}"}, " -- 5"},
    {"table", {"-otable"}, " -- 0"},
};

TEST(flags_are_parsed_as_kubectl_parses_them)
{
    each_case(i, forms) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Flags f;
        Words rest;

        then_ok(parse(a, forms[i].words, ~0U, &f, &rest));
        const char *got = str_format(a,
            "%s %c%c %d",
            f.namespace,
            f.all_namespaces ? 'A' : '-',
            f.watch ? 'w' : '-',
            (int)f.format);
        for (size_t n = 0; n < rest.count; n++)
            got = str_format(a, "%s %s", got, rest.items[n]);
        then_str(got, forms[i].want);
    }
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    int64_t want_ms;
} times[] = {
    {"seconds", {"--request-timeout=7s"}, 7000},
    {"a number is of seconds", {"--request-timeout", "7"}, 7000},
    {"minutes and seconds", {"--request-timeout=1m30s"}, 90000},
    {"none", {"--request-timeout=0"}, 0},
};

TEST(durations_are_parsed_as_kubectl_parses_them)
{
    each_case(i, times) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Flags f;
        Words rest;

        then_ok(parse(a, times[i].words, ~0U, &f, &rest));
        then_int(f.request_timeout_ms, times[i].want_ms);
        then_true(f.has_request_timeout);
    }
}

TEST(dry_run_without_a_value_means_client)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Flags f;
    Words rest;

    then_ok(parse(a, (const char *const[]){"--dry-run", "x", NULL}, ~0U, &f, &rest));
    then_int(f.dry_run, DRY_RUN_CLIENT);
    then_int(rest.count, 1);
    then_ok(parse(a, (const char *const[]){"--dry-run=server", NULL}, ~0U, &f, &rest));
    then_int(f.dry_run, DRY_RUN_SERVER);
}

TEST(a_list_flag_collects_all_its_values)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Flags f;
    Words rest;

    then_ok(
        parse(a, (const char *const[]){"--as-group=a", "--as-group", "b", NULL}, ~0U, &f, &rest));
    then_str(f.as_group, "a,b");
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    Want want;
} wrong[] = {
    {"a flag that there is not", {"--colour=never"}, TERMINAL("there is no flag --colour")},
    {"a letter that there is not", {"-x"}, TERMINAL("there is no flag -x")},
    {"a letter among others", {"-Ax"}, TERMINAL("there is no flag -x")},
    {"a flag of other commands", {"--dry-run"}, TERMINAL("--dry-run has no meaning here")},
    {"no value", {"--context"}, TERMINAL("--context has no value")},
    {"no value of a letter", {"-n"}, TERMINAL("--namespace has no value")},
    {"a wrong switch", {"--all-namespaces=maybe"}, TERMINAL("expected true or false")},
    {"a wrong time", {"--request-timeout=soon"}, TERMINAL("expected a time such as 5s")},
    {"a time before now", {"--request-timeout=-5s"}, TERMINAL("expected a time such as 5s")},
    {"a wrong choice", {"--color=red"}, TERMINAL("there are auto|always|never")},
    {"a wrong format", {"-o", "xml"}, TERMINAL("there is no format \"xml\"")},
    {"two faults at once", {"--color=red", "-x"}, TERMINAL("never; there is no flag -x")},
};

TEST(an_invalid_flag_is_refused)
{
    each_case(i, wrong) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Flags f;
        Words rest;

        then_err(parse(a, wrong[i].words, ~(unsigned)FLAGS_WRITE, &f, &rest), wrong[i].want);
    }
}

/* A command that is told apart by its flags would be two. */
TEST(no_two_flags_have_the_same_name_or_letter)
{
    for (const FlagRow *row = flag_rows; row->name; row++) {
        then_true(flag_find(row->name, strlen(row->name), ~0U) == row);
        then_true(!row->letter || flag_find_letter(row->letter, ~0U) == row);
    }
}
