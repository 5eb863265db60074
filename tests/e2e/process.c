/* Starting, watching and ending programs.
 *
 * Everything a child needs is laid out before the fork, because between fork and exec only
 * async-signal-safe calls are allowed. */
#include "tests/e2e/process.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROCESS_RUN_TIMEOUT_MS = 60000,
    PROCESS_OUTPUT_MAX = 64 << 20,
    PROCESS_EXIT_NOT_EXECUTED = 127,
};

/* What the child does between fork and exec. */
typedef struct Launch {
    const char *program, *folder;
    char *const *argv;
    char *const *envp;
    int files[3]; /* become stdin, stdout, stderr */
    pid_t parent;
} Launch;

static _Noreturn void become(const Launch *launch)
{
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launch->parent) /* it died before the line above */
        _exit(PROCESS_EXIT_NOT_EXECUTED);
    for (int i = 0; i < 3; i++)
        dup2(launch->files[i], i);
    close_range(3, UINT_MAX, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (launch->folder && chdir(launch->folder) != 0)
        _exit(PROCESS_EXIT_NOT_EXECUTED);
    execve(launch->program, launch->argv, launch->envp);
    dprintf(STDERR_FILENO, "cannot execute %s: errno %d\n", launch->program, errno);
    _exit(PROCESS_EXIT_NOT_EXECUTED);
}

static char *const *new_argv(Arena *a, const ProcessOptions *options)
{
    size_t count = 0;
    const char **argv;

    while (options->args && options->args[count])
        count++;
    argv = arena_array(a, const char *, count + 2);
    argv[0] = options->program;
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = options->args[i];
    return (char *const *)argv;
}

static Err *launch(Arena *a, const ProcessOptions *options, const int files[3], pid_t *ret)
{
    Launch plan = {
        .program = options->program,
        .folder = options->folder,
        .argv = new_argv(a, options),
        .envp = options->env ? (char *const *)options->env : environ,
        .parent = getpid(),
    };
    pid_t pid;

    memcpy(plan.files, files, sizeof(plan.files));
    pid = fork();
    if (pid == 0)
        become(&plan);
    if (pid < 0)
        return err_failed(a, "cannot fork for %s: %s", options->program, strerror(errno));
    setpgid(pid, pid); /* as the child does: whoever is first, the group is there from now on */
    *ret = pid;
    return OK;
}

Err *process_start(Arena *a, const ProcessOptions *options, pid_t *ret)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int log = open(
        options->log ? options->log : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    Err *err;

    if (null < 0 || log < 0)
        err = err_failed(a, "cannot open the log %s: %s", options->log, strerror(errno));
    else
        err = launch(a, options, (int[]){null, log, log}, ret);
    close(null);
    close(log);
    return err;
}

bool process_has_ended(pid_t pid, int *ret_wait_status)
{
    return waitpid(pid, ret_wait_status, WNOHANG) == pid;
}

Err *process_wait(Arena *a, pid_t pid, int64_t timeout_ms, int *ret_wait_status)
{
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

    if (ended.fd < 0)
        return err_failed(a, "cannot watch process %d: %s", (int)pid, strerror(errno));
    while (poll(&ended, 1, (int)timeout_ms) < 0 && errno == EINTR)
        ;
    close(ended.fd);
    if (!process_has_ended(pid, ret_wait_status))
        return err_wait(
            a, "process %d did not end within %lld ms", (int)pid, (long long)timeout_ms);
    return OK;
}

void process_kill(pid_t pid)
{
    int status;

    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

static const char *ended_text(Arena *a, int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return str_format(a, "ended by signal %d", WTERMSIG(wait_status));
    return str_format(a, "exit %d", WEXITSTATUS(wait_status));
}

static Err *read_whole(Arena *a, int fd, const char **ret)
{
    struct stat status;
    void *text;

    if (fstat(fd, &status) != 0 || status.st_size > PROCESS_OUTPUT_MAX)
        return err_terminal(a, "the output is larger than %d bytes", PROCESS_OUTPUT_MAX);
    TRY(arena_try(a, (size_t)status.st_size + 1, &text));
    if (pread(fd, text, (size_t)status.st_size, 0) != status.st_size)
        return err_failed(a, "cannot read the output: %s", strerror(errno));
    *ret = text;
    return OK;
}

/* Runs with memory files in place of pipes, so that no order of reading and writing can block. */
static Err *run(Arena *a, const ProcessOptions *options, const int files[3], const char **ret)
{
    size_t len = options->input ? strlen(options->input) : 0;
    int64_t timeout_ms = options->timeout_ms ? options->timeout_ms : PROCESS_RUN_TIMEOUT_MS;
    const char *problem;
    int status = 0;
    pid_t pid;
    Err *err;

    if (pwrite(files[0], options->input, len, 0) != (ssize_t)len)
        return err_failed(a, "cannot write the input: %s", strerror(errno));
    TRY(launch(a, options, files, &pid));
    err = process_wait(a, pid, timeout_ms, &status);
    if (err) {
        process_kill(pid);
        return err_terminal(a, "%s: %s", options->program, err->message);
    }
    if (status != 0) {
        TRY(read_whole(a, files[2], &problem));
        return err_failed(a, "%s: %s: %s", options->program, ended_text(a, status), problem);
    }
    return read_whole(a, files[1], ret);
}

Err *process_run(Arena *a, const ProcessOptions *options, const char **ret_output)
{
    int files[3];
    Err *err = OK;

    for (int i = 0; i < 3; i++)
        files[i] = memfd_create("process", MFD_CLOEXEC);
    if (files[0] < 0 || files[1] < 0 || files[2] < 0)
        err = err_failed(a, "cannot make a memory file: %s", strerror(errno));
    else
        err = run(a, options, files, ret_output);
    for (int i = 0; i < 3; i++)
        close(files[i]);
    return err;
}
