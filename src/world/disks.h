/* Disks: the claims that a kubelet sees, and the disks behind them. A disk is held by the pods that
 * have mounted it, on one node at a time (ReadWriteOnce); it goes when its claim is gone and nobody
 * holds it. */
#ifndef WORLD_DISKS_H
#define WORLD_DISKS_H

#include "base/json.h"
#include "world/volume.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Disks Disks;
typedef struct DiskKeeper DiskKeeper; /* disk_keeping.h */

typedef struct Disk {
    Volume volume;
    Disks *disks;
    const struct Seid *grower; /* the process whose blocks come to it, as far as a keeper is told */
    char *told;                /* what a keeper was told it holds, or NULL */
    size_t told_size;
    const void *node; /* where it is attached; NULL: nowhere */
    size_t holders;
    bool is_orphan; /* its claim is gone, or it never had one */
} Disk;

typedef enum ClaimState {
    CLAIM_ABSENT,
    CLAIM_PENDING,
    CLAIM_BOUND,
    CLAIM_DELETING,
} ClaimState;

/* Room for so many claims, and as many disks. */
Disks *disks_open(size_t max);
void disks_close(Disks *d);

/* A claim is as it is now, or gone (NULL). `key` is "namespace/name". */
void disks_see(Disks *d, const char *key, const Json *claim);

ClaimState disks_claim(const Disks *d, const char *key);

/* The disk of a claim, or NULL while there is none. */
Disk *disks_of_claim(Disks *d, const char *key);

/* A disk of a pod's own, by the pod's UID: it goes with its last holder. NULL when there are too
 * many. */
Disk *disks_of_pod(Disks *d, const char *uid);

/* Lets a disk go. */
void disks_release(Disks *d, Disk *disk);

#endif
