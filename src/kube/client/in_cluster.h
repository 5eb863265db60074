/* InCluster: the Config of a pod, from its service account. */
#ifndef KUBE_CLIENT_IN_CLUSTER_H
#define KUBE_CLIENT_IN_CLUSTER_H

#include "kube/config.h"

#include <stdbool.h>

/* True when the environment and the mounted token say that this process runs in a pod. */
bool in_cluster_is_present(Arena *a, const ConfigSource *source);

/* The Config of the pod's service account. Token and CA are named as files, so that they are read
 * again when the kubelet replaces them. ERR_TERMINAL names what is missing. */
Err *in_cluster_load(Arena *a, const ConfigSource *source, Config *ret) MUST_CHECK;

#endif
