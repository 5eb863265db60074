/* The program as a person starts it: what it says, where, and how it ends. */
#include "tests/test.h"

enum { SAID_MAX = 1 << 16 };

typedef struct Ended {
    int code;
    char said[SAID_MAX];
} Ended;

/* Runs it with an environment of nothing but these assignments; `keep` is "1" for what it says to
 * standard output and "2" for errors. */
static void run(const char *assignments, const char *flags, const char *keep, Ended *ret)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *line = str_format(a,
        "env -i %s \"$SEI_OPERATOR\" %s %s",
        assignments,
        flags,
        str_eq(keep, "1") ? "2>/dev/null" : "2>&1 >/dev/null");
    FILE *out = popen(line, "r"); // NOLINT(bugprone-command-processor): a test of a command line
    then_true(out != NULL);
    size_t len = fread(ret->said, 1, sizeof ret->said - 1, out);
    ret->said[len] = '\0';
    int status = pclose(out);
    ret->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct {
    const char *name, *assignments, *flags, *keep;
    int code;
    const char *said;
} cases[] = {
    {"its version", "", "--version", "1", 0, "sei-operator 0."},
    {"its help", "", "--help", "1", 0, "--watch-namespaces A,B"},
    {"help in spite of faults", "", "--help --colour", "1", 0, "Environment, about the platform"},
    {"everything that is missing", "", "", "2", 2, "SEI_NODEPOOL_NAME is required; SEI_NODEPOOL_"},
    {"faults of flags and of the environment",
        "SEI_STORAGE_SIZE_DEFAULT=x",
        "--colour --workers=0",
        "2",
        2,
        "sei-operator: there is no flag --colour: see --help; --workers: expected"},
    {"no config where something is missing", "", "config", "2", 2, "is required"},
    {"nothing on standard output when it fails", "", "config", "1", 2, ""},
};

TEST(the_program_says)
{
    static Ended ended;

    each_case(i, cases) {
        run(cases[i].assignments, cases[i].flags, cases[i].keep, &ended);
        then_int(ended.code, cases[i].code);
        if (*cases[i].said)
            then_true(strstr(ended.said, cases[i].said) != NULL);
        else
            then_str(ended.said, "");
    }
}

TEST(a_fault_is_one_line)
{
    static Ended ended;

    run("", "--colour", "2", &ended);
    then_true(strchr(ended.said, '\n') == ended.said + strlen(ended.said) - 1);
}
