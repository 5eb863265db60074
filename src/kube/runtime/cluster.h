/* Cluster: the port Kube as one worker's reconciles see it, over caches and an Api. */
#ifndef KUBE_RUNTIME_CLUSTER_H
#define KUBE_RUNTIME_CLUSTER_H

#include "kube/api.h"
#include "kube/kube.h"
#include "kube/manager.h"
#include "kube/runtime/queue.h"

typedef struct Cluster {
    Kube port; /* first, so that the port is the cluster */
    Manager *manager;
    Api *api;
    QueueKey by; /* the key being reconciled */
} Cluster;

/* Fills the port. */
void cluster_init(Cluster *k, Manager *m, Api *api);

#endif
