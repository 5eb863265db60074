/* Child: programs that print, fail, hang and babble. They are lines for /bin/sh, which the tests
 * run by its name: child_run itself knows no shell. */
#include "base/link.h"
#include "kube/client/child.h"
#include "tests/test.h"

static Err *run_line(Arena *a, const char *line, Clock *clock, Buf *ret)
{
    const char *const words[] = {"sh", "-c", line, NULL};
    const char *const env[] = {"GIVEN=a gift", "HOME=/nowhere", NULL};

    return child_run(
        a, &(ChildOptions){.words = words, .env = env, .timeout_ms = 60000, .clock = clock}, ret);
}

static const struct {
    const char *name, *line, *printed;
    Want want;
} cases[] = {
    {"what it prints", "echo one; echo two", "one\ntwo\n"},
    {"nothing", ":", NULL},
    {"more than a pipe holds at once", "head -c 200000 /dev/zero | wc -c", "200000\n"},
    {"what it was given", "echo $GIVEN", "a gift\n"},
    {"in the place of ours", "echo $HOME", "/nowhere\n"},
    {"beside ours", "test -n \"$PATH\" && echo so", "so\n"},
    {"nothing to read", "cat; echo end", "end\n"},
    {"a bad end", "exit 3", NULL, FAILED("sh ended with exit code 3")},
    {"a violent end", "kill -9 $$", NULL, FAILED("sh was ended by signal 9")},
    {"too much", "head -c 5000000 /dev/zero", NULL, FAILED("prints more than 1048576 bytes")},
    {"an heir that keeps the pipe", "sleep 1000 & echo $!", ""},
};

TEST(a_program_is_run_for_its_output)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Buf printed = {.ceiling = 1 << 20};

        then_err(run_line(a, cases[i].line, clock_system(), &printed), cases[i].want);
        if (cases[i].printed && *cases[i].printed)
            then_str(printed.data, cases[i].printed);
        int64_t heir;
        if (printed.len > 1 && str_has_prefix(cases[i].line, "sleep")) {
            printed.data[printed.len - 1] = '\0';
            then_true(str_to_int(printed.data, &heir));
            then_int(kill((pid_t)heir, SIGKILL), 0);
        }
        buf_close(&printed);
    }
}

TEST(a_program_that_does_not_exist_is_named)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *const words[] = {"no-such-program-anywhere", NULL};
    Buf printed = {.ceiling = 1 << 20};
    ChildOptions options = {.words = words, .timeout_ms = 1000, .clock = clock_system()};

    then_err(child_run(a, &options, &printed),
        TERMINAL("cannot run no-such-program-anywhere: No such file or directory"));
}

/* Each look at it is ten seconds later. */
typedef struct HastyClock {
    Clock port;
    int64_t now_ns;
} HastyClock;

static int64_t hasty_mono(Clock *self)
{
    return link_owner(HastyClock, port, self)->now_ns += 10LL * 1000000000;
}

TEST(a_program_that_does_not_end_is_killed_after_its_timeout)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    HastyClock hasty = {.port = {.mono_ns = hasty_mono}};
    Buf printed = {.ceiling = 1 << 20};

    then_err(run_line(a, "exec sleep 1000", &hasty.port, &printed),
        FAILED("sh has not ended after 60 s"));
    buf_close(&printed);
}

static void count_up(void *self)
{
    ++*(int *)self;
}

TEST(a_program_that_takes_long_is_reported_once)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    HastyClock hasty = {.port = {.mono_ns = hasty_mono}};
    const char *const words[] = {"sleep", "1000", NULL};
    Buf printed = {.ceiling = 1 << 20};
    int told = 0;

    then_err(child_run(a,
                 &(ChildOptions){.words = words,
                     .timeout_ms = 60000,
                     .clock = &hasty.port,
                     .on_slow = count_up,
                     .self = &told},
                 &printed),
        FAILED("sleep has not ended"));
    then_int(told, 1);
}
