/* The command line of the sandbox, and what it says about it. */
#include "sandbox/flags.h"
#include "tests/test.h"

enum { WORDS_MAX = 8 };

static Err *parse(Arena *a, const char *const *given, Flags *ret)
{
    char **words = arena_array(a, char *, WORDS_MAX + 2);
    int count = 1;

    words[0] = (char *)"sei-sandbox";
    for (; given[count - 1]; count++)
        words[count] = (char *)given[count - 1];
    return flags_parse(a, count, words, ret);
}

TEST(sandbox_up_without_flags_uses_every_default)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Flags flags;

    then_ok(parse(a, (const char *const[]){"up", NULL}, &flags));
    then_str(flags.command, "up");
    then_true(flags.kubeconfig == NULL);
    then_int(flags.port, 7443);
    then_int(flags.nodes, 3);
    then_int(flags.speed, 1);
}

TEST(sandbox_flags_may_stand_before_or_after_the_command)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Flags flags;

    then_ok(parse(a,
        (const char *const[]){"--port=0", "up", "--speed", "5", "--kubeconfig=k", NULL},
        &flags));
    then_int(flags.port, 0);
    then_int(flags.speed, 5);
    then_str(flags.kubeconfig, "k");
    then_ok(parse(a, (const char *const[]){"-h", NULL}, &flags));
    then_true(flags.help);
}

TEST(arguments_after_ctl_are_passed_on_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Flags flags;

    then_ok(parse(a, (const char *const[]){"ctl", "--kubeconfig=k", "evict", "-x", NULL}, &flags));
    then_str(flags.command, "ctl");
    then_str(flags.kubeconfig, "k");
    then_int(flags.word_count, 2);
    then_str(flags.words[0], "evict");
    then_str(flags.words[1], "-x");
}

TEST(an_invalid_sandbox_flag_is_named)
{
    static const struct {
        const char *name, *words[WORDS_MAX];
        Want want;
    } cases[] = {
        {"no command", {NULL}, TERMINAL("a command is missing: it is written sei-sandbox up")},
        {"another command", {"down"}, TERMINAL("there is no command down")},
        {"ctl of nothing", {"ctl"}, TERMINAL("ctl wants to know what: see --help")},
        {"a word too many",
            {"up", "there"},
            TERMINAL("nothing stands behind the flags, found there")},
        {"no such flag", {"up", "--colour"}, TERMINAL("there is no flag --colour: see --help")},
        {"no number", {"up", "--port", "x"}, TERMINAL("--port: expected a number from 0 to 65535")},
        {"too fast", {"up", "--speed=0"}, TERMINAL("--speed: expected a number from 1 to 1000")},
        {"no value", {"up", "--nodes"}, TERMINAL("--nodes has no value: it wants N")},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Flags flags;
        then_err(parse(a, cases[i].words, &flags), cases[i].want);
    }
}

TEST(the_sandbox_help_names_every_flag_and_its_default)
{
    Buf page = {.ceiling = 1 << 16};

    flags_help(&page);
    then_true(strstr(page.data, "sei-sandbox up [flags]") != NULL);
    then_true(strstr(page.data, "--kubeconfig FILE\n") != NULL);
    then_true(strstr(page.data, "bad-image TEXT\n") != NULL);
    then_true(strstr(page.data, "apply FILE|FOLDER...\n") != NULL);
    then_true(strstr(page.data, "(default 7443)\n") != NULL);
    buf_close(&page);
}
