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

void volume_node_id(const Volume *v, char ret[NODE_ID_SIZE])
{
    char hex[SHA256_HEX_SIZE];

    sha256_hex(bytes_of(v->uid), hex);
    memcpy(ret, hex, NODE_ID_SIZE - 1);
    ret[NODE_ID_SIZE - 1] = '\0';
}
