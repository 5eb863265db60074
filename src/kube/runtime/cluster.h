/* Cluster: the port Kube as one worker's reconciles see it, over caches and an Api. */
#ifndef KUBE_RUNTIME_CLUSTER_H
#define KUBE_RUNTIME_CLUSTER_H

#include "kube/api.h"
#include "kube/kube.h"
#include "kube/manager.h"
#include "kube/runtime/queue.h"

enum { CLUSTER_READS_MAX = 16 };

/* An object of which the caches could not be believed, as this reconcile read it live. Until the
 * reconcile ends it stands for what the caches have; then the caches are expected to catch up with
 * it. */
typedef struct LiveRead {
    const Kind *kind;
    Key key;
    const Json *object; /* NULL: it is gone */
} LiveRead;

typedef struct BusyWorker BusyWorker;

typedef struct Cluster {
    Kube port; /* first, so that the port is the cluster */
    Manager *manager;
    Api *api;
    BusyWorker *busy; /* whose reconciles they are */
    QueueKey by;      /* the key being reconciled */
    LiveRead reads[CLUSTER_READS_MAX];
    int read_count;
    int write_count;    /* of this reconcile */
    bool awaits_writes; /* it was told to wait for a write of ours */
} Cluster;

/* Ends a reconcile: what it read live is waited for by whoever reads the caches next. */
void cluster_end(Cluster *k);

/* Fills the port. */
void cluster_init(Cluster *k, Manager *m, Api *api, BusyWorker *busy);

#endif
