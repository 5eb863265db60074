/* Volume: plain data, and a node key that needs no chance: it is made of the claim's UID. */
#include "world/volume.h"

#include "base/bytes.h"
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

void volume_open(Volume *v, Slab *slab, const char *uid)
{
    *v = (Volume){.tasks = task_store_open(slab)};
    snprintf(v->uid, sizeof v->uid, "%s", uid);
}

void volume_close(Volume *v)
{
    task_store_close(v->tasks);
    v->tasks = NULL;
}

bool volume_has(const Volume *v, VolumeFile file)
{
    return (v->files & (unsigned)file) != 0;
}

void volume_write_genesis(Volume *v, const char *chain_id)
{
    v->files |= FILE_GENESIS;
    snprintf(v->genesis_chain, sizeof v->genesis_chain, "%s", chain_id);
}

void volume_empty(Volume *v)
{
    v->files = 0;
    v->genesis_chain[0] = '\0';
    v->height = v->snapshot_height = v->snapshots = 0;
    v->state_sync = v->has_peers = v->grpc_is_off = v->is_seed = v->is_config_wrong = false;
}

void volume_node_id(const Volume *v, char ret[NODE_ID_SIZE])
{
    char hex[SHA256_HEX_SIZE];

    sha256_hex(bytes_of(v->uid), hex);
    memcpy(ret, hex, NODE_ID_SIZE - 1);
    ret[NODE_ID_SIZE - 1] = '\0';
}
