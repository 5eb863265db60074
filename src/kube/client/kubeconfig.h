/* Kubeconfig: kubectl's files, one or several, and the Config that a context in them means. */
#ifndef KUBE_CLIENT_KUBECONFIG_H
#define KUBE_CLIENT_KUBECONFIG_H

#include "base/json.h"
#include "kube/config.h"

#include <stddef.h>

enum { KUBECONFIG_FILES_MAX = 32 };

/* One file, parsed and not yet looked into. */
typedef struct Kubeconfig {
    const char *path;
    const Json *root;
} Kubeconfig;

/* Files in the order of KUBECONFIG: what an earlier one defines, a later one cannot change. */
typedef struct Kubeconfigs {
    Kubeconfig items[KUBECONFIG_FILES_MAX];
    size_t count;
} Kubeconfigs;

/* Parses the text of one file. ERR_TERMINAL names the path, and where in it. */
Err *kubeconfig_parse(Arena *a, const char *path, const char *text, Kubeconfig *ret) MUST_CHECK;

/* What of them is meant. */
typedef struct KubeconfigChoice {
    const char *context;        /* NULL: the current one */
    const char *cluster, *user; /* NULL: those of the context */
    bool runs_plugins;          /* exec is understood; else it is refused */
} KubeconfigChoice;

/* The Config of a choice. Clusters, users and contexts are looked up by
 * name through all files, and the first that has the name wins whole, as with kubectl. Files that
 * the Config names are not looked at. ERR_TERMINAL with file and field. */
Err *kubeconfig_resolve(
    Arena *a, const Kubeconfigs *files, const KubeconfigChoice *choice, Config *ret) MUST_CHECK;

#endif
