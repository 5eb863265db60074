/* Config: how to reach an API server and who we are there, from a kubeconfig or from inside a
 * cluster.
 *
 * Precedence: an explicit path; the list in KUBECONFIG; inside a pod its service account;
 * ~/.kube/config. Every way in which a file can be wrong gives an error that names the file and the
 * field. Passwords, proxies and impersonation by the file are not supported and refused; so are
 * credential plugins, unless the program says that it runs them: one that has many threads would
 * run them in each, and wait for them in each. */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

/* What the environment says; filled by main (getenv has its room there), so that tests need no
 * environment. */
typedef struct ConfigSource {
    const char *path;            /* --kubeconfig, or NULL */
    const char *context;         /* --context, or NULL for the file's current-context */
    const char *cluster, *user;  /* instead of those of the context, or NULL */
    bool runs_plugins;           /* the program may run credential plugins */
    const char *kubeconfig_list; /* $KUBECONFIG, or NULL */
    const char *home;            /* $HOME, or NULL */
    const char *service_host;    /* $KUBERNETES_SERVICE_HOST, or NULL */
    const char *service_port;    /* $KUBERNETES_SERVICE_PORT, or NULL */
    const char *account_dir;     /* NULL: /var/run/secrets/kubernetes.io/serviceaccount */
} ConfigSource;

/* When a credential plugin may ask a person, on stdin. */
typedef enum ConfigInteractive {
    CONFIG_INTERACTIVE_IF_AVAILABLE, /* where stdin is a terminal */
    CONFIG_INTERACTIVE_NEVER,
    CONFIG_INTERACTIVE_ALWAYS, /* it is not run where there is none */
} ConfigInteractive;

/* A program that says who we are: users[].user.exec of a kubeconfig. */
typedef struct ConfigExec {
    const char *api_version;    /* client.authentication.k8s.io/v1, or /v1beta1 */
    const char *command;        /* looked for in PATH unless it has a slash */
    const char *const *args;    /* behind it, ended by NULL */
    const char *const *env;     /* "NAME=value" beside the environment, ended by NULL */
    const char *install_hint;   /* what to do when there is no such program, or NULL */
    bool gets_cluster;          /* it is told which cluster it is for */
    const Json *cluster_config; /* what else it is told of that, or NULL */
    ConfigInteractive interactive;
} ConfigExec;

/* Everything in the arena that was given. Secrets stand here and are never printed. */
typedef struct Config {
    const char *server;          /* https://host:port[/prefix] without a trailing slash */
    const char *tls_server_name; /* the name to verify instead of the host, or NULL */
    bool insecure;      /* insecure-skip-tls-verify of the kubeconfig; the manager warns at start */
    const char *ca_pem; /* inline certificates, or NULL */
    const char *ca_file; /* or a file: read again when it changes */
    const char *cert_pem, *cert_file;
    const char *key_pem, *key_file;
    const char *token;
    const char *token_file; /* read again when it changes, and on 401 */
    const ConfigExec *exec; /* gives token or certificate in the place of those above, or NULL */
    const char *as;         /* whom to act as (--as), or NULL; never from a file */
    const char *as_groups;  /* "a,b": and as a member of which groups, or NULL */
    const char *namespace;  /* of the context or the service account; "default" when neither says */
    const char *user;       /* the name of the user in the kubeconfig, or NULL: for people */
    const char *origin;     /* "kubeconfig /path, context x" or "in-cluster": for people */
} Config;

/* Finds, reads and checks it. ERR_TERMINAL with file and field. */
Err *config_load(Arena *a, const ConfigSource *source, Config *ret) MUST_CHECK;

/* Fills a ConfigSource from this process's environment. */
void config_source_from_environment(ConfigSource *ret);

/* Parses the text of one kubeconfig (YAML or JSON); `path` is for messages and for relative file
 * names. */
Err *config_parse(
    Arena *a, const char *path, const char *text, const char *context, Config *ret) MUST_CHECK;

#endif
