/* Controllers: the actors that a cluster's control plane is made of. Each is a machine of its own:
 * it keeps what it saw (view.h) and a list of errands (controller.h), and does at most one write
 * per step. What they do was read off kube-controller-manager 1.34; tests/world says which facts
 * were looked up there.
 *
 * An actor is given to a World, or closed with its own close. */
#ifndef WORLD_CONTROLLERS_H
#define WORLD_CONTROLLERS_H

#include "base/clock.h"
#include "base/rng.h"
#include "world/actor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ControllerOptions {
    Clock *clock;         /* for the times in what it writes */
    Rng *rng;             /* how late it acts */
    int64_t delay_max_ms; /* how late it may act on what it saw; 0: at once */
    size_t objects_max;   /* that it sees; 0: as many as a server holds */
    bool tells_events;    /* posts Events for people; those of StatefulSets and Jobs do */
    bool is_compact;      /* packs what it saw */
} ControllerOptions;

/* Ordered and parallel pods, OnDelete and RollingUpdate with a partition, revisions and their
 * history, volume claims. Claims are always retained. */
typedef struct StatefulSetControllerOptions {
    ControllerOptions base;
    /* A newer behaviour: with OnDelete too, status.currentRevision moves on once all pods are of
     * the update revision and ready. */
    bool completes_on_delete;
} StatefulSetControllerOptions;
Actor *statefulset_controller_open(const StatefulSetControllerOptions *options);

/* Jobs that are not indexed: completions, parallelism, backoff, deadline, suspension. No time to
 * live, no failure or success policies. */
Actor *job_controller_open(const ControllerOptions *options);

/* Background, foreground and orphaning deletion among the kinds given (ended by NULL, borrowed for
 * the actor's life). */
Actor *garbage_collector_open(const ControllerOptions *options, const Kind *const *kinds);

/* What a StorageClass says. */
typedef struct VolumeClass {
    const char *name;
    bool waits_for_consumer; /* volumeBindingMode WaitForFirstConsumer: until a pod mounts it */
    bool retains;            /* reclaimPolicy Retain rather than Delete */
} VolumeClass;

/* Binds claims to volumes that are there, makes volumes for claims of a class, and takes back the
 * volumes of claims that are gone. */
typedef struct VolumeControllerOptions {
    ControllerOptions base;
    const VolumeClass
        *classes;             /* ended by one without a name; borrowed; the first is the default */
    int64_t provision_max_ms; /* how long making a volume may take */
} VolumeControllerOptions;
Actor *volume_controller_open(const VolumeControllerOptions *options);

/* Keeps claims that scheduled pods mount, and volumes that are bound, from going. */
Actor *volume_protection_open(const ControllerOptions *options);

/* Keeps the status of PodDisruptionBudgets, which evictions ask. Of owners of pods it knows
 * StatefulSets, ReplicaSets and Deployments. */
Actor *disruption_controller_open(const ControllerOptions *options);

/* Sums up the ClusterRoles that have an aggregationRule. */
Actor *role_aggregation_open(const ControllerOptions *options);

/* A ServiceAccount `default` in every namespace; and empties namespaces of objects of the kinds
 * given before they go. Those two kinds must be among them. */
Actor *namespace_controller_open(const ControllerOptions *options, const Kind *const *kinds);

#endif
