/* Child: posix_spawn, so that nothing of a threaded process is copied, and one pipe. A child that
 * leaves the pipe open to others when it ends is waited for no longer than for itself. */
#include "kube/client/child.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LOOK_EVERY_MS = 20, SLOW_MS = 1000, READ_SIZE = 4096, WORDS_SHOWN = 100 };

typedef struct Child {
    const char *name;
    pid_t pid;
    int fd; /* what it prints */
    int64_t slow_ms, deadline_ms;
    Clock *clock;
    const ChildOptions *options;
} Child;

/* The environment with ours first: of a name that stands twice, programs take the first. */
static char **environment(Arena *a, const char *const *env)
{
    size_t own = 0, others = 0, count = 0;

    while (env && env[own])
        own++;
    while (environ[others])
        others++;
    char **all = arena_array(a, char *, own + others + 1);
    for (size_t i = 0; i < own; i++)
        all[count++] = (char *)env[i];
    for (size_t i = 0; i < others; i++) {
        size_t len = strcspn(environ[i], "=");
        bool is_ours = false;
        for (size_t n = 0; n < own; n++)
            is_ours = is_ours || strncmp(env[n], environ[i], len + 1) == 0;
        if (!is_ours)
            all[count++] = environ[i];
    }
    return all;
}

static int spawn(Arena *a, const ChildOptions *options, int out, pid_t *ret)
{
    posix_spawn_file_actions_t actions;

    if (posix_spawn_file_actions_init(&actions) != 0)
        BUG("no memory for a list of two");
    int code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (code == 0 && !options->keeps_stdin)
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (code == 0)
        code = posix_spawnp(ret,
            options->words[0],
            &actions,
            NULL,
            (char *const *)options->words,
            environment(a, options->env));
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static Err *start(Arena *a, const ChildOptions *options, Child *ret)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_terminal(a, "cannot make a pipe: %s", strerror(errno));
    int code = spawn(a, options, ends[1], &ret->pid);
    close(ends[1]);
    ret->fd = ends[0];
    if (code == 0)
        return OK;
    close(ends[0]);
    return err_terminal(a, "cannot run %s: %s", ret->name, strerror(code));
}

static int64_t left_ms(const Child *c)
{
    int64_t left = c->deadline_ms - clock_mono_ms(c->clock);
    return left > 0 ? left : 0;
}

/* Reads what there is; true while more may come. */
static bool read_some(const Child *c, Buf *ret, bool *ret_overlong)
{
    char bytes[READ_SIZE];
    ssize_t count = read(c->fd, bytes, sizeof bytes);

    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    *ret_overlong = count > 0 && !buf_append(ret, bytes, (size_t)count);
    return count > 0 && !*ret_overlong;
}

/* Tells that one waits for it, once. */
static void tell_slow(Child *c)
{
    if (!c->options->on_slow || clock_mono_ms(c->clock) < c->slow_ms)
        return;
    c->options->on_slow(c->options->self);
    c->slow_ms = INT64_MAX;
}

/* Takes in what it prints until it has ended; false when its time is over or it prints too much. */
static bool listen(Child *c, Buf *ret, int *ret_status, bool *ret_overlong)
{
    bool is_open = true, has_ended = false;

    while (left_ms(c) > 0 && !*ret_overlong) {
        struct pollfd watched = {.fd = is_open ? c->fd : -1, .events = POLLIN};
        int count = poll(&watched, 1, has_ended ? 0 : LOOK_EVERY_MS);
        if (count > 0)
            is_open = read_some(c, ret, ret_overlong);
        else if (has_ended)
            return true;
        if (!has_ended)
            has_ended = waitpid(c->pid, ret_status, WNOHANG) == c->pid;
        if (has_ended && !is_open)
            return !*ret_overlong;
        tell_slow(c);
    }
    if (!has_ended) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, ret_status, 0) < 0 && errno == EINTR)
            continue;
    }
    return false;
}

Err *child_run(Arena *a, const ChildOptions *options, Buf *ret)
{
    Child c = {
        .name = str_cut(a, options->words[0], WORDS_SHOWN),
        .clock = options->clock,
        .options = options,
    };
    int64_t now_ms = clock_mono_ms(options->clock);
    int status = 0;
    bool is_overlong = false;

    c.slow_ms = now_ms + SLOW_MS;
    c.deadline_ms = now_ms + options->timeout_ms;
    TRY(start(a, options, &c));
    bool is_heard = listen(&c, ret, &status, &is_overlong);
    close(c.fd);
    if (is_overlong)
        return err_failed(a, "%s prints more than %zu bytes", c.name, ret->ceiling);
    if (!is_heard)
        return err_failed(
            a, "%s has not ended after %.3g s", c.name, (double)options->timeout_ms / 1000);
    if (WIFSIGNALED(status))
        return err_failed(a, "%s was ended by signal %d", c.name, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return err_failed(a, "%s ended with exit code %d", c.name, WEXITSTATUS(status));
    return OK;
}
