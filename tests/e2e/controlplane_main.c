/* A control plane for a person: started, shown, and kept until Ctrl-C. tools/controlplane/up runs
 * it. */
#include "base/arena.h"
#include "base/str.h"
#include "tests/e2e/controlplane.h"

#include <signal.h>
#include <stdio.h>

static const char usage[] =
    "usage: controlplane [--keep] [--fsync] [--audit-level=LEVEL]\n"
    "\n"
    "Starts etcd, kube-apiserver and kube-controller-manager on a loopback address of\n"
    "their own, prints where they are, and takes them down on Ctrl-C.\n"
    "\n"
    "  --keep               leave the folder with logs and data when it ends\n"
    "  --fsync              let etcd wait for the disk, as in production\n"
    "  --audit-level=LEVEL  Metadata (the default), Request or RequestResponse\n";

static bool parse(int argc, char **argv, ControlplaneOptions *ret)
{
    static const char level[] = "--audit-level=";

    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--keep"))
            ret->keep = true;
        else if (str_eq(argv[i], "--fsync"))
            ret->fsync = true;
        else if (str_has_prefix(argv[i], level))
            ret->audit_level = argv[i] + sizeof(level) - 1;
        else
            return false;
    }
    return true;
}

static void show(const Controlplane *cp)
{
    printf("ready: %s, as system:masters; Ctrl-C ends it\n\n", controlplane_server(cp));
    printf("  export KUBECONFIG=%s\n", controlplane_admin(cp));
    printf("  export PATH=%s:$PATH\n\n", controlplane_binaries(cp));
    printf("audit log %s, logs and data beside it\n", controlplane_audit_log(cp));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    ControlplaneOptions options = {0};
    Controlplane *cp;
    sigset_t enough;
    int signal_number;
    Err *err;

    if (!parse(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    sigemptyset(&enough);
    sigaddset(&enough, SIGINT);
    sigaddset(&enough, SIGTERM);
    sigaddset(&enough, SIGHUP);
    sigprocmask(SIG_BLOCK, &enough, NULL);
    err = controlplane_open(a, &options, &cp);
    if (err) {
        fprintf(stderr, "controlplane: %s\n", err_text(a, err));
        return 1;
    }
    show(cp);
    sigwait(&enough, &signal_number);
    if (options.keep)
        printf("kept: %s\n", controlplane_folder(cp));
    controlplane_close(cp);
    return 0;
}
