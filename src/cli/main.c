/* kubectl-sei: the plugin of kubectl for people who look after Sei nodes.
 *
 *     kubectl sei COMMAND [flags]     see --help
 *
 * Here are only the descriptors, the environment and the size of the terminal; run.c has the
 * rest. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/str.h"
#include "cli/look.h"
#include "cli/run.h"
#include "kube/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CLI_ARENA_MAX = 1 << 30, ANSWER_SIZE = 64 };

static void write_all(Output *self, bool is_talk, Bytes text)
{
    (void)self;
    while (text.len > 0) {
        ssize_t count = write(is_talk ? STDERR_FILENO : STDOUT_FILENO, text.data, text.len);
        if (count < 0 && errno != EINTR)
            return; /* nobody listens any more */
        if (count > 0) {
            text.data += count;
            text.len -= (size_t)count;
        }
    }
}

static bool write_whole(int fd, Bytes content)
{
    while (content.len > 0) {
        ssize_t count = write(fd, content.data, content.len);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            content.data += count;
            content.len -= (size_t)count;
        }
    }
    return true;
}

static Err *save(Cli *cli, const char *path, Bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool is_whole = fd >= 0 && write_whole(fd, content);
    int why = errno;

    if (fd >= 0 && close(fd) != 0 && is_whole) {
        why = errno;
        is_whole = false;
    }
    if (is_whole)
        return OK;
    if (fd >= 0)
        unlink(path);
    return err_terminal(cli->arena, "%s cannot be written: %s", path, strerror(why));
}

static void nap(Cli *cli, int64_t ms)
{
    struct timespec end;

    (void)cli;
    clock_nap_end(ms, &end);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        continue;
}

static const char *ask(Cli *cli, const char *question)
{
    char line[ANSWER_SIZE];

    if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
        return NULL;
    cli->out->write(cli->out, true, bytes_of(question));
    if (!fgets(line, sizeof line, stdin))
        return "";
    return str_slice(cli->arena, line, strcspn(line, "\n"));
}

static void measure(Output *out)
{
    struct winsize size = {0};

    out->is_terminal = isatty(STDOUT_FILENO) == 1;
    if (!out->is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    look_measure(out, size.ws_col, size.ws_row, getenv("COLUMNS"));
}

/* https://no-color.org: set, and not empty. */
static bool wants_color(const Output *out)
{
    const char *terminal = getenv("TERM");

    return out->is_terminal && str_empty(getenv("NO_COLOR")) && !str_eq(terminal, "dumb");
}

/* The first of these that is set says how text is written, as everywhere. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale)
            return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
    }
    return false;
}

int main(int count, char **words)
{
    SCOPED_ARENA a = arena_open(CLI_ARENA_MAX);
    Output out = {.write = write_all};
    ConfigSource source = {0};

    measure(&out);
    out.color = wants_color(&out);
    out.is_utf8 = speaks_utf8();
    config_source_from_environment(&source);
    Cli cli = {.arena = a,
        .clock = clock_system(),
        .nap = nap,
        .ask = ask,
        .save = save,
        .out = &out,
        .source = &source};
    return run_words(&cli, count, words);
}
