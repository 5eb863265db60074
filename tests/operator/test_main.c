/* The program as a person starts it: what it says, where, and how it ends. */
#include "tests/kube/client/scratch.h"
#include "tests/operator/world.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SAID_MAX = 1 << 16 };

typedef struct Ended {
    int code;
    char said[SAID_MAX];
} Ended;

/* Runs it with an environment of nothing but these assignments; `keep` is "1" for what it says to
 * standard output, "2" for errors, and "0" for neither: then standard output has no room. */
static void run(const char *assignments, const char *flags, const char *keep, Ended *ret)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *line = str_format(a,
        "env -i %s \"$SEI_OPERATOR\" %s %s",
        assignments,
        flags,
        str_eq(keep, "1")       ? "2>/dev/null"
            : str_eq(keep, "2") ? "2>&1 >/dev/null"
                                : "2>/dev/null >/dev/full");
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
    {"help into a closed pipe", "", "--help", "0", 1, ""},
    {"the version into a closed pipe", "", "--version", "0", 1, ""},
};

TEST(the_program_prints_the_expected_text_and_exit_code)
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

TEST(a_configuration_error_is_printed_in_one_line)
{
    static Ended ended;

    run("", "--colour", "2", &ended);
    then_true(strchr(ended.said, '\n') == ended.said + strlen(ended.said) - 1);
}

/* Every setting that there must be, as assignments, and a kubeconfig. */
static const char *all_settings(Arena *a)
{
    const char *config = scratch_write(a, scratch_folder(a), "config", kubeconfig);
    const char *ret = str_format(a, "KUBECONFIG=%s", config);

    for (const SettingRow *row = setting_rows; row->name; row++)
        if (!row->fallback)
            ret = str_format(a, "%s %s=%s", ret, row->name, some_environment(NULL, row->name));
    return ret;
}

/* A port of loopback at which somebody listens; the socket is to be closed. */
static int listen_somewhere(int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    then_true(door >= 0);
    then_int(bind(door, (struct sockaddr *)&address, size), 0);
    then_int(listen(door, 1), 0);
    then_int(getsockname(door, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return door;
}

/* The same under a limit on open files, as `ulimit` takes it. */
static const char *all_settings_under(Arena *a, const char *limit)
{
    return str_format(a, "%s /bin/sh -c 'ulimit %s; exec \"$0\" \"$@\"'", all_settings(a), limit);
}

/* One that has begun ends at an address that is taken. */
TEST(a_limit_on_open_files_that_is_too_low_prevents_the_start_and_is_named)
{
    static const struct {
        const char *name, *limit, *said;
    } limits[] = {
        {"too few", "-n 40", "40 file descriptors are allowed, and at least 94 are needed for one"},
        {"few", "-n 94", "127.0.0.1:"},
        {"a soft limit, which is raised", "-S -n 40", "127.0.0.1:"},
    };
    SCOPED_ARENA a = arena_open(1 << 20);
    static Ended ended;
    int port, door = listen_somewhere(&port);

    each_case(i, limits) {
        run(all_settings_under(a, limits[i].limit),
            str_format(
                a, "--health-probe-bind-address=127.0.0.1:%d --metrics-bind-address=0", port),
            "2",
            &ended);
        then_true(strstr(ended.said, limits[i].said) != NULL);
        then_int(ended.code, 2);
    }
    close(door);
}

TEST(an_address_in_use_prevents_the_start)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static Ended ended;
    int port, door = listen_somewhere(&port);

    run(all_settings(a),
        str_format(a, "--health-probe-bind-address=127.0.0.1:%d --metrics-bind-address=0", port),
        "2",
        &ended);
    close(door);
    then_true(strstr(ended.said, str_format(a, "127.0.0.1:%d", port)) != NULL);
    then_int(ended.code, 2);
}
