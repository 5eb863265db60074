/* KubeletProxy: pods/proxy: what the RPC of a pod's seid answers to whom the API server lets
 * through. Nothing else in a pod is spoken to this way. */
#ifndef WORLD_KUBELET_PROXY_H
#define WORLD_KUBELET_PROXY_H

#include "kube/status.h"
#include "world/kubelet.h"

typedef struct KubeletProxyQuery {
    const char *namespace;
    const char *id;   /* "rpc-0-0:26657": a pod with a port, perhaps behind a scheme */
    const char *path; /* "/status" */
    int64_t now_ms;
} KubeletProxyQuery;

/* The answer of seid, in Sei's form without an envelope; or, in the words of the real server, why
 * there is none: 400, 404, 503. True where nobody answers at all, neither yes nor no; the answer is
 * then what a real server says when it gives up. */
bool kubelet_proxy(const Kubelet *k, Arena *a, const KubeletProxyQuery *query, Answer *ret);

#endif
