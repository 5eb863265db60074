/* Controlplane: a real etcd, kube-apiserver and kube-controller-manager for one test program.
 *
 * Each has a network 127.N.0.0/16 of its own and an address in it, with the ports that Kubernetes
 * is known by, so that 64 can run side by side and a restarted one finds its ports free; a folder
 * of its own that holds certificates, data, logs and kubeconfigs; and dies with the thread that
 * opened it. The binaries are those of tools/controlplane/build. Requests are authorized by RBAC.
 *
 *     Controlplane *cp = controlplane_shared();
 *     then_ok(controlplane_kubectl(cp, a, &(Kubectl){.args = PROCESS_ARGS("get", "ns")}, &text));
 *
 * Left out on purpose: the endpointslice controller, because it retries for ever on pods with
 * addresses in 127/8; scheduler and kubelet, so that pods stay as the StatefulSet and Job
 * controllers made them until a test plays the node. */
#ifndef TESTS_E2E_CONTROLPLANE_H
#define TESTS_E2E_CONTROLPLANE_H

#include "base/err.h"
#include "tests/e2e/process.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Controlplane Controlplane;

typedef enum Component {
    COMPONENT_ETCD,
    COMPONENT_APISERVER,
    COMPONENT_CONTROLLER_MANAGER,
    COMPONENT_COUNT,
} Component;

enum { CONTROLPLANE_PORT = 6443 }; /* of the API server, at controlplane_address */

/* The zero value is what tests want. What it points to must live as long as the control plane. */
typedef struct ControlplaneOptions {
    const char *parent;      /* where to make the folder; NULL: $TMPDIR, else /tmp */
    int network;             /* of 127.N.0.0/16, from 64 to 127; 0: any that is free */
    const char *audit_level; /* NULL: "Metadata"; "RequestResponse" keeps the objects too. GET
                                requests of the admin are in no case in the log. */
    bool fsync;              /* etcd waits for the disk, as in production; for measurements */
    bool keep;               /* close leaves the folder to be looked at */
    const char *const *flags[COMPONENT_COUNT]; /* more of them, ended by NULL: the last one wins */
} ControlplaneOptions;

/* Starts all three and waits until they are ready: about 4 s. ERR_FAILED, after printing the end of
 * its log, names the component that did not come up. */
Err *controlplane_open(Arena *a, const ControlplaneOptions *options, Controlplane **ret) MUST_CHECK;

/* Ends exactly the processes that were started and removes the folder. Accepts NULL. */
void controlplane_close(Controlplane *cp);

/* The one of this test program, of zero options: opened by the first call, closed when the program
 * exits. Never NULL: a program whose control plane does not start prints why and exits with 1. */
Controlplane *controlplane_shared(void);

/* The same, of options that all calls of a program agree on. */
Controlplane *controlplane_shared_with(const ControlplaneOptions *options);

/* --- its parts */

/* Starts one that is not running and waits until it is ready. Others that ended by themselves are
 * then started again, as a kubelet would: a controller manager that finds no API server while it
 * starts gives up. */
Err *controlplane_start(Controlplane *cp, Arena *a, Component component) MUST_CHECK;

/* Asks one to end (SIGTERM) and waits until it has: at once for the controller manager, about 1 s
 * for the API server, 6 s for an etcd that is in use. One that is not running is OK. */
Err *controlplane_stop(Controlplane *cp, Arena *a, Component component) MUST_CHECK;

/* Ends one at once (SIGKILL): nothing is flushed, no connection is closed in order. */
void controlplane_kill(Controlplane *cp, Component component);

/* Freezes one (SIGSTOP): its connections stay open and silent. And lets it go on (SIGCONT). */
void controlplane_pause(Controlplane *cp, Component component);
void controlplane_resume(Controlplane *cp, Component component);

/* Waits until one answers that it is ready. ERR_FAILED when it ended instead, ERR_WAIT when time
 * ran out. */
Err *controlplane_wait_ready(
    Controlplane *cp, Arena *a, Component component, int64_t timeout_ms) MUST_CHECK;

/* Its process, or 0 when it is not running. */
pid_t controlplane_pid(const Controlplane *cp, Component component);

/* "etcd", "kube-apiserver", "kube-controller-manager". */
const char *component_name(Component component);

/* The folder that has kubectl and the components, built if it must be: for whoever needs kubectl
 * alone. */
Err *controlplane_find_binaries(Arena *a, const char **ret) MUST_CHECK;

/* --- where things are; all borrowed from the control plane */

const char *controlplane_folder(const Controlplane *cp);
const char *controlplane_binaries(const Controlplane *cp);  /* the folder that has kubectl */
const char *controlplane_address(const Controlplane *cp);   /* "127.81.7.212" */
const char *controlplane_server(const Controlplane *cp);    /* "https://127.81.7.212:6443" */
const char *controlplane_audit_log(const Controlplane *cp); /* JSON lines: see audit.h */
const char *controlplane_admin(const Controlplane *cp);     /* kubeconfig of system:masters */

/* --- identities */

typedef struct Identity {
    const char *user;
    const char *const *groups; /* ended by NULL; or NULL */
    const char *token_file;    /* instead of both: the token of a ServiceAccount */
    const char *server;        /* NULL: the API server itself; else a proxy's URL */
} Identity;

/* A new kubeconfig of a user and groups, by a client certificate, or by a token that is read from a
 * file (controlplane_write rotates it). */
Err *controlplane_kubeconfig(
    Controlplane *cp, Arena *a, const Identity *identity, const char **ret_path) MUST_CHECK;

typedef struct TokenWish {
    const char *namespace, *account; /* of a ServiceAccount that exists */
    const char *bound_secret;        /* deleting this Secret revokes the token; NULL: not bound */
    int64_t expiration_seconds;      /* 0: one hour; the server wants at least 600 */
} TokenWish;

/* A token of a ServiceAccount (TokenRequest). */
Err *controlplane_token(
    Controlplane *cp, Arena *a, const TokenWish *wish, const char **ret_token) MUST_CHECK;

/* Puts a file in place as a whole, for its owner alone: a reader sees the old text or the new. */
Err *controlplane_write(Arena *a, const char *path, const char *text) MUST_CHECK;

/* --- acting on it */

typedef struct Kubectl {
    const char *kubeconfig;  /* NULL: the admin's */
    const char *const *args; /* PROCESS_ARGS("apply", "-f", "-") */
    const char *input;       /* what "-f -" reads; or NULL */
} Kubectl;

/* Runs kubectl and gives what it printed. ERR_FAILED with its complaint when it fails. */
Err *controlplane_kubectl(
    Controlplane *cp, Arena *a, const Kubectl *run, const char **ret_output) MUST_CHECK;

/* Makes etcd forget every revision before the last, so that watches and list pages of older ones
 * get 410 wherever the API server does not answer from its own memory: after a restart of it, or at
 * once for resources that it was told to keep none of, as by --watch-cache-sizes=configmaps#0. */
Err *controlplane_compact(Controlplane *cp, Arena *a) MUST_CHECK;

#endif
