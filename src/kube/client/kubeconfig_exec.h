/* KubeconfigExec: users[].user.exec of a kubeconfig, a credential plugin. */
#ifndef KUBE_CLIENT_KUBECONFIG_EXEC_H
#define KUBE_CLIENT_KUBECONFIG_EXEC_H

#include "kube/config.h"

/* The name under which a cluster's entry says more to plugins. */
#define KUBECONFIG_EXEC_EXTENSION "client.authentication.k8s.io/exec"

enum { KUBECONFIG_EXEC_WORDS_MAX = 256 };

/* Reads it; `path` is that of the kubeconfig, beside which a command with a slash is looked for.
 * ERR_TERMINAL names the field. */
Err *kubeconfig_exec_decode(
    Arena *a, const char *path, const Json *exec, const ConfigExec **ret) MUST_CHECK;

#endif
