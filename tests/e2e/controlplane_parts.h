/* What the files of the control plane share: its state, and what each part is started with. */
#ifndef TESTS_E2E_CONTROLPLANE_PARTS_H
#define TESTS_E2E_CONTROLPLANE_PARTS_H

#include "tests/e2e/controlplane.h"
#include "tests/e2e/fetch.h"
#include "tests/e2e/folder.h"
#include "tests/pki.h"

/* For Go programs: they collect garbage when the heap has grown fivefold, not twofold. That saves
 * processor time and costs some 200 MB per control plane. */
#define CONTROLPLANE_FEW_COLLECTIONS "GOGC=400"

/* Lists made at run time, of so many flags at most. */
enum { CONTROLPLANE_FLAGS_MAX = 64 };

struct Controlplane {
    Arena *arena; /* everything below */
    pid_t owner;
    ControlplaneOptions options;
    const char *binaries;
    const char *address;
    int claim; /* the socket that keeps the network of the address for this control plane */
    const char *server;
    Folder *home;
    const char *folder; /* the path of home */
    const char *audit_log;
    PkiCert ca;
    int kubeconfigs; /* made so far */
    const char *admin;
    pid_t pids[COMPONENT_COUNT]; /* 0: not running */
};

/* Writes the certificates, the audit policy and the kubeconfigs that the components need. */
Err *controlplane_furnish(Controlplane *cp, Arena *a) MUST_CHECK;

/* The command line of a component, without the program, ended by NULL. */
const char *const *controlplane_flags(Controlplane *cp, Arena *a, Component component);

/* Writes name.kubeconfig, and name.crt and name.key unless the identity is a token. */
Err *controlplane_write_kubeconfig(Controlplane *cp, Arena *a, const char *name,
    const Identity *identity, const char **ret_path) MUST_CHECK;

/* A request as the admin, by certificate; `url` and `body` are the caller's to fill in. */
Fetch controlplane_fetch(Controlplane *cp, Arena *a);

/* https://address:port/path */
const char *controlplane_url(Controlplane *cp, Arena *a, int port, const char *path);

/* The path of a file in the folder. */
const char *controlplane_file(const Controlplane *cp, Arena *a, const char *name);

enum {
    CONTROLPLANE_CLAIM_PORT = 2378, /* nothing listens there: see claim_network */
    CONTROLPLANE_ETCD_PORT = 2379,
    CONTROLPLANE_ETCD_PEER_PORT = 2380,
    CONTROLPLANE_MANAGER_PORT = 10257,
};

#endif
