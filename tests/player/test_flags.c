/* The command line of the player, and what it says about it. */
#include "player/flags.h"
#include "tests/test.h"

enum { WORDS_MAX = 8 };

static Err *parse(Arena *a, const char *const *given, Flags *ret)
{
    char *words[WORDS_MAX] = {(char *)"player"};
    int count = 1;

    for (; given[count - 1]; count++)
        words[count] = (char *)given[count - 1];
    return flags_parse(a, count, words, ret);
}

TEST(without_arguments_every_player_flag_has_its_default)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Flags flags;

    then_ok(parse(a, (const char *const[]){NULL}, &flags));
    then_str(flags.kubeconfig, NULL);
    then_str(flags.orders, NULL);
    then_int(flags.seed, 1);
    then_int(flags.speed, 1);
    then_int(flags.network, 0);
    then_true(!flags.any_token && !flags.help);
}

TEST(player_flags_are_parsed)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Flags flags;

    then_ok(parse(
        a, (const char *const[]){"--orders", "o", "--speed=15", "--any-token", NULL}, &flags));
    then_str(flags.orders, "o");
    then_int(flags.speed, 15);
    then_true(flags.any_token);
    then_ok(parse(a, (const char *const[]){"-h", NULL}, &flags));
    then_true(flags.help);
}

static const struct {
    const char *name, *words[WORDS_MAX];
    Want want;
} bad[] = {
    {"no such flag", {"--colour=red"}, TERMINAL("there is no flag --colour: see --help")},
    {"no value", {"--orders"}, TERMINAL("--orders has no value: it wants FILE")},
    {"no number", {"--seed", "x"}, TERMINAL("--seed: expected a number from 0 to ")},
    {"too fast", {"--speed", "1001"}, TERMINAL("from 1 to 1000, found 1001")},
    {"too slow", {"--speed=0"}, TERMINAL("from 1 to 1000, found 0")},
    {"no such network", {"--network", "256"}, TERMINAL("from 0 to 255, found 256")},
    {"a word alone", {"play"}, TERMINAL("there is no flag play")},
};

TEST(an_invalid_player_flag_is_refused)
{
    each_case(i, bad) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Flags flags;
        then_err(parse(a, bad[i].words, &flags), bad[i].want);
    }
}

TEST(the_player_help_lists_every_fault_command)
{
    Buf page = {.ceiling = 1 << 16};

    flags_help(&page);
    then_true(strstr(page.data, "\n  kill-sidecar POD\n") != NULL);
    then_true(strstr(page.data, "\n  restore-node NODE\n") != NULL);
    then_true(strstr(page.data, "--speed N\n") != NULL);
    buf_close(&page);
}
