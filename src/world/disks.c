/* Disks: two maps, claims by name and disks by UID. */
#include "world/disks.h"

#include "base/err.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/disks_state.h"

#include <stdio.h>
#include <string.h>

typedef struct Claim {
    size_t size;
    char uid[VOLUME_UID_SIZE];
    ClaimState state;
    char key[];
} Claim;

Disks *disks_open(size_t max)
{
    Slab *slab = slab_open();
    Disks *d = slab_alloc(slab, sizeof *d);

    *d = (Disks){.slab = slab, .claims = map_open(max), .disks = map_open(2 * max)};
    return d;
}

static void drop_disk(Disks *d, Disk *disk)
{
    map_remove(d->disks, disk->volume.uid);
    volume_close(&disk->volume);
    disk_forget_told(d, disk);
    slab_free(d->slab, disk, sizeof *disk);
}

void disks_close(Disks *d)
{
    size_t cursor = 0;
    Disk *disk;

    if (!d)
        return;
    while ((disk = map_next(d->disks, &cursor)))
        drop_disk(d, disk);
    map_close(d->claims);
    map_close(d->disks);
    slab_close(d->slab);
}

Disk *disks_find_or_add(Disks *d, const char *uid)
{
    Disk *disk = map_find(d->disks, uid);

    if (disk)
        return disk;
    disk = slab_alloc(d->slab, sizeof *disk);
    *disk = (Disk){.disks = d};
    volume_open(&disk->volume, d->slab, uid);
    if (map_put(d->disks, disk->volume.uid, disk)) {
        disk_listen(disk);
        return disk;
    }
    volume_close(&disk->volume);
    slab_free(d->slab, disk, sizeof *disk);
    return NULL;
}

static void orphan(Disks *d, const char *uid)
{
    Disk *disk = map_find(d->disks, uid);

    if (!disk)
        return;
    disk->is_orphan = true;
    if (disk->holders == 0)
        drop_disk(d, disk);
}

static void forget_claim(Disks *d, Claim *claim)
{
    map_remove(d->claims, claim->key);
    orphan(d, claim->uid);
    slab_free(d->slab, claim, claim->size);
}

static ClaimState state_of(const Json *claim)
{
    if (meta_deleting(claim))
        return CLAIM_DELETING;
    return str_eq(json_str(claim, ".status.phase"), "Bound") ? CLAIM_BOUND : CLAIM_PENDING;
}

void disks_see(Disks *d, const char *key, const Json *object)
{
    Claim *claim = map_find(d->claims, key);
    const char *uid = meta_uid(object);

    if (claim && (!object || !str_eq(claim->uid, uid))) {
        forget_claim(d, claim);
        claim = NULL;
    }
    if (!object || !uid)
        return;
    if (!claim) {
        size_t size = sizeof *claim + strlen(key) + 1;
        claim = slab_alloc(d->slab, size);
        *claim = (Claim){.size = size};
        snprintf(claim->uid, sizeof claim->uid, "%s", uid);
        memcpy(claim->key, key, strlen(key) + 1);
        if (!map_put(d->claims, claim->key, claim)) {
            slab_free(d->slab, claim, size);
            return;
        }
    }
    claim->state = state_of(object);
}

ClaimState disks_claim(const Disks *d, const char *key)
{
    const Claim *claim = map_find(d->claims, key);
    return claim ? claim->state : CLAIM_ABSENT;
}

Disk *disks_of_claim(Disks *d, const char *key)
{
    const Claim *claim = map_find(d->claims, key);
    return claim ? disks_find_or_add(d, claim->uid) : NULL;
}

Disk *disks_of_pod(Disks *d, const char *uid)
{
    Disk *disk = disks_find_or_add(d, uid);

    if (disk)
        disk->is_orphan = true;
    return disk;
}

void disks_release(Disks *d, Disk *disk)
{
    if (disk->holders == 0)
        BUG("a disk was released that nobody holds");
    disk->holders--;
    if (disk->holders > 0)
        return;
    disk->node = NULL;
    if (disk->is_orphan)
        drop_disk(d, disk);
}
