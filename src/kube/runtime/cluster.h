/* Cluster: the port Kube as one worker's reconciles see it, over caches and an Api. */
#ifndef KUBE_RUNTIME_CLUSTER_H
#define KUBE_RUNTIME_CLUSTER_H

#include "kube/api.h"
#include "kube/kube.h"
#include "kube/manager.h"
#include "kube/runtime/live_reads.h"
#include "kube/runtime/queue.h"

typedef struct BusyWorker BusyWorker;

typedef struct Cluster {
    Kube port; /* first, so that the port is the cluster */
    Manager *manager;
    Api *api;
    BusyWorker *busy;   /* whose reconciles they are */
    QueueKey by;        /* the key being reconciled */
    LiveReads reads;    /* then the caches are expected to catch up with them */
    int write_count;    /* of this reconcile */
    bool awaits_writes; /* it was told to wait for a write of ours */
} Cluster;

/* Ends a reconcile: what it read live is waited for by whoever reads the caches next. */
void cluster_end(Cluster *k);

/* Fills the port. */
void cluster_init(Cluster *k, Manager *m, Api *api, BusyWorker *busy);

#endif
