/* sei-sandbox: an embedded Kubernetes: API server, controllers, kubelet and sidecars in one
 * process, for kubectl and for an unchanged sei-operator.
 *
 *     sei-sandbox up [flags]      see --help
 *     sei-sandbox ctl COMMAND     tells one that runs
 *
 * Everything is on loopback. It ends in order with SIGINT and SIGTERM. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/log.h"
#include "sandbox/ctl.h"
#include "sandbox/flags.h"
#include "sandbox/sandbox.h"
#include "sandbox/secret_file.h"

#include "base/str.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define NAME "sei-sandbox"

enum { HELP_MAX = 1 << 16, NAP_MS = 1000, ARENA_MAX = 256 << 20 };

static int say_help(void)
{
    Buf page = {.ceiling = HELP_MAX};

    flags_help(&page);
    bool is_said = fputs(page.data, stdout) >= 0 && fflush(stdout) == 0;
    buf_close(&page);
    return is_said ? 0 : 1;
}

static int open_signals(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    return signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* A socket for every client and every pod: as many as we may have. */
static void allow_sockets(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void run(Sandbox *s, int signals)
{
    struct signalfd_siginfo info;

    sandbox_heed(s, signals);
    while (read(signals, &info, sizeof info) != (ssize_t)sizeof info)
        sandbox_move(s, NAP_MS);
}

static Err *up(Arena *a, const Flags *flags, const Log *log)
{
    const char *kubeconfig = flags->kubeconfig ? flags->kubeconfig : NAME ".kubeconfig";
    int signals = open_signals();
    Sandbox *s = NULL;

    allow_sockets();
    TRY(sandbox_open(a,
        &(SandboxOptions){
            .address = str_format(a, "127.0.0.1:%d", (int)flags->port),
            .speed = flags->speed,
            .nodes = flags->nodes,
            .network = flags->network,
            .state = flags->state,
            .log = log,
        },
        &s));
    Err *err = secret_file_write(a, kubeconfig, bytes_of(sandbox_kubeconfig(s, a)));
    if (!err) {
        printf(NAME ": https://127.0.0.1:%d is ready: export KUBECONFIG=%s\n",
            sandbox_port(s),
            kubeconfig);
        fflush(stdout);
        run(s, signals);
    }
    sandbox_close(s);
    close(signals);
    return err;
}

int main(int count, char **args)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Log log = {log_stderr(), clock_system(), LOG_INFO, .human = log_stderr_is_terminal()};
    Flags flags;
    Err *err = flags_parse(a, count, args, &flags);

    arena_keep_secret(a);
    if (flags.help)
        return say_help();
    if (!err && str_eq(flags.command, "ctl"))
        err = ctl_main(a, flags.kubeconfig, flags.words, flags.word_count);
    else if (!err)
        err = up(a, &flags, &log);
    if (!err)
        return 0;
    fprintf(stderr, NAME ": %s\n", err_text(a, err));
    return 2;
}
