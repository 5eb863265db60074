/* What the components are started with, and the files they want to find. */
#include "tests/e2e/controlplane_parts.h"

#include "base/str.h"

#include <assert.h>

typedef struct Flags {
    Controlplane *cp;
    Arena *arena;
    const char **list;
    size_t count;
} Flags;

static void add(Flags *f, const char *flag)
{
    assert(f->count + 1 < CONTROLPLANE_FLAGS_MAX);
    f->list[f->count++] = flag;
}

/* --name=/the/folder/file */
static void add_file(Flags *f, const char *name, const char *file)
{
    add(f, str_format(f->arena, "--%s=%s", name, controlplane_file(f->cp, f->arena, file)));
}

static void add_address(Flags *f, const char *name)
{
    add(f, str_format(f->arena, "--%s=%s", name, f->cp->address));
}

static void add_url(Flags *f, const char *name, int port)
{
    add(f, str_format(f->arena, "--%s=%s", name, controlplane_url(f->cp, f->arena, port, "")));
}

/* Certificates of peers are spared: one member has none. An election by one member is over as soon
 * as its timer runs out, so that timer is short. */
static void add_etcd(Flags *f)
{
    add(f, "--name=e2e");
    add_file(f, "data-dir", "etcd");
    add_url(f, "listen-client-urls", CONTROLPLANE_ETCD_PORT);
    add_url(f, "advertise-client-urls", CONTROLPLANE_ETCD_PORT);
    add_file(f, "cert-file", "server.crt");
    add_file(f, "key-file", "server.key");
    add_file(f, "trusted-ca-file", "ca.crt");
    add(f, "--client-cert-auth");
    add(f,
        str_format(f->arena,
            "--listen-peer-urls=http://%s:%d",
            f->cp->address,
            CONTROLPLANE_ETCD_PEER_PORT));
    add(f,
        str_format(f->arena,
            "--initial-advertise-peer-urls=http://%s:%d",
            f->cp->address,
            CONTROLPLANE_ETCD_PEER_PORT));
    add(f,
        str_format(f->arena,
            "--initial-cluster=e2e=http://%s:%d",
            f->cp->address,
            CONTROLPLANE_ETCD_PEER_PORT));
    add(f, "--heartbeat-interval=50");
    add(f, "--election-timeout=500");
    add(f, "--log-level=warn");
    if (!f->cp->options.fsync)
        add(f, "--unsafe-no-fsync");
}

static void add_apiserver(Flags *f)
{
    add_url(f, "etcd-servers", CONTROLPLANE_ETCD_PORT);
    add_file(f, "etcd-cafile", "ca.crt");
    add_file(f, "etcd-certfile", "admin.crt");
    add_file(f, "etcd-keyfile", "admin.key");
    add_address(f, "bind-address");
    add_address(f, "advertise-address");
    add(f, str_format(f->arena, "--secure-port=%d", CONTROLPLANE_PORT));
    add(f, "--endpoint-reconciler-type=none");
    add_file(f, "tls-cert-file", "server.crt");
    add_file(f, "tls-private-key-file", "server.key");
    add_file(f, "client-ca-file", "ca.crt");
    add(f, "--authorization-mode=RBAC");
    add(f, "--allow-privileged");
    add(f, "--service-account-issuer=https://kubernetes.default.svc");
    add_file(f, "service-account-signing-key-file", "accounts.key");
    add_file(f, "service-account-key-file", "accounts.crt");
    add(f, "--service-cluster-ip-range=10.96.0.0/16");
    add_file(f, "audit-policy-file", "audit-policy.json");
    add_file(f, "audit-log-path", "audit.log");
    add(f, "--audit-log-maxsize=65536"); /* MiB: never rotated */
    /* Ends watches when it stops; else it waits a minute for them to end by themselves. */
    add(f, "--shutdown-watch-termination-grace-period=2s");
}

static void add_controller_manager(Flags *f)
{
    add_file(f, "kubeconfig", "controller-manager.kubeconfig");
    add(f,
        "--controllers=statefulset-controller,job-controller,garbage-collector-controller,"
        "namespace-controller,serviceaccount-controller,serviceaccount-token-controller,"
        "persistentvolumeclaim-protection-controller,persistentvolume-protection-controller,"
        "persistentvolume-binder-controller,disruption-controller,"
        "clusterrole-aggregation-controller"); /* without it the role "view" is empty */
    add(f, "--leader-elect=false");
    add(f, "--use-service-account-credentials");
    add_file(f, "service-account-private-key-file", "accounts.key");
    add_file(f, "root-ca-file", "ca.crt");
    add(f, "--kube-api-qps=10000");
    add(f, "--kube-api-burst=10000");
    add(f, "--concurrent-statefulset-syncs=100");
    add(f, "--pvclaimbinder-sync-period=1s"); /* how soon a claim notices a new volume */
    add_address(f, "bind-address");
    add(f, str_format(f->arena, "--secure-port=%d", CONTROLPLANE_MANAGER_PORT));
    add_file(f, "tls-cert-file", "server.crt");
    add_file(f, "tls-private-key-file", "server.key");
}

const char *const *controlplane_flags(Controlplane *cp, Arena *a, Component component)
{
    static void (*const adders[])(Flags *) = {
        [COMPONENT_ETCD] = add_etcd,
        [COMPONENT_APISERVER] = add_apiserver,
        [COMPONENT_CONTROLLER_MANAGER] = add_controller_manager,
    };
    Flags f = {cp, a, arena_array(a, const char *, CONTROLPLANE_FLAGS_MAX), 0};

    adders[component](&f);
    for (const char *const *flag = cp->options.flags[component]; flag && *flag; flag++)
        add(&f, *flag);
    return f.list;
}

static Err *write_certificate(
    Controlplane *cp, Arena *a, const PkiOptions *options, const char *name)
{
    PkiCert cert;

    TRY(pki_new_cert(a, &cp->ca, options, &cert));
    return pki_write(a, &cert, cp->folder, name);
}

/* One certificate serves etcd, API server and controller manager, by every name that tests may
 * call them, also through a proxy. That of the accounts signs tokens and is never shown to anyone.
 */
static Err *write_certificates(Controlplane *cp, Arena *a)
{
    PkiOptions server = {
        .common_name = "kube-apiserver",
        .dns_names = PROCESS_ARGS("localhost", "kubernetes", "kubernetes.default.svc"),
        .ip_addresses = PROCESS_ARGS(cp->address, "127.0.0.1", "::1"),
    };
    PkiOptions accounts = {.common_name = "service-accounts"};

    TRY(pki_new_ca(cp->arena, "e2e", &cp->ca));
    TRY(pki_write(a, &cp->ca, cp->folder, "ca"));
    TRY(write_certificate(cp, a, &server, "server"));
    return write_certificate(cp, a, &accounts, "accounts");
}

static Err *write_kubeconfigs(Controlplane *cp, Arena *a)
{
    Identity admin = {.user = "admin", .groups = PROCESS_ARGS("system:masters")};
    Identity manager = {.user = "system:kube-controller-manager"};
    const char *path;

    TRY(controlplane_write_kubeconfig(cp, a, "admin", &admin, &path));
    cp->admin = str_copy(cp->arena, path);
    return controlplane_write_kubeconfig(cp, a, "controller-manager", &manager, &path);
}

/* The audit log has no line for each time that a test looks whether something is true by now: these
 * would be most of the lines, and each look at the log reads all of them. */
static Err *write_audit_policy(Controlplane *cp, Arena *a)
{
    const char *level = cp->options.audit_level ? cp->options.audit_level : "Metadata";
    const char *policy = str_format(a,
        "{\"apiVersion\": \"audit.k8s.io/v1\", \"kind\": \"Policy\","
        " \"omitStages\": [\"RequestReceived\"], \"rules\": ["
        " {\"level\": \"None\", \"users\": [\"admin\"], \"verbs\": [\"get\"]},"
        " {\"level\": \"%s\"}]}\n",
        level);

    return controlplane_write(a, controlplane_file(cp, a, "audit-policy.json"), policy);
}

Err *controlplane_furnish(Controlplane *cp, Arena *a)
{
    TRY(write_certificates(cp, a));
    TRY(write_audit_policy(cp, a));
    return write_kubeconfigs(cp, a);
}
