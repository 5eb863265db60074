/* Volume: what stands on a node's data disk: files, chain data, the sidecar's tasks. It is known by
 * the UID of its claim: pods come and go, a new claim of the same name is a new disk. */
#ifndef WORLD_VOLUME_H
#define WORLD_VOLUME_H

#include "world/outside.h"
#include "world/task_store.h"

#include <stdbool.h>
#include <stdint.h>

/* Files that change what tasks do; the marker files of the sidecar among them. */
typedef enum VolumeFile {
    FILE_GENESIS = 1 << 0,
    FILE_CONFIG = 1 << 1, /* config.toml */
    FILE_APP = 1 << 2,    /* app.toml */
    FILE_NODE_KEY = 1 << 3,
    FILE_GENTX = 1 << 4,
    FILE_GENTX_KEY = 1 << 5, /* the key that generate-gentx makes in the keyring */
    FILE_STAKING = 1 << 6,   /* genesis.json has app_state.staking */
    FILE_ACCOUNTS = 1 << 7,  /* genesis.json has the accounts of an assembly */
    MARKER_SNAPSHOT = 1 << 8,
    MARKER_GENESIS = 1 << 9,
    MARKER_STATE_SYNC = 1 << 10,
    MARKER_IDENTITY = 1 << 11,
    MARKER_GENTX = 1 << 12,
    MARKER_UPLOAD = 1 << 13,
    MARKER_ASSEMBLE = 1 << 14,
} VolumeFile;

enum { VOLUME_UID_SIZE = 64, NODE_ID_SIZE = 41, VOLUME_TX_MAX = 64, TX_ID_SIZE = 64 };

typedef struct Volume {
    char uid[VOLUME_UID_SIZE];
    char genesis_chain[CHAIN_ID_SIZE]; /* the chain id in genesis.json; "" without that file */

    unsigned files;          /* of VolumeFile */
    int64_t height;          /* of the chain data; 0 for none */
    int64_t snapshot_height; /* of an unpacked snapshot, or 0 */
    int64_t snapshots;       /* local ones, that an upload could take */
    bool state_sync;         /* config.toml turns it on */
    bool has_peers;          /* config.toml names persistent peers */
    bool grpc_is_off;        /* app.toml turns it off */
    bool is_seed;            /* config.toml says mode seed: seid has no RPC */
    bool is_config_wrong;    /* a script spoiled it: validation finds an error */
    bool is_full;            /* nothing can be written: "persist task: ..." */
    int seids; /* processes that have the chain data open: more than one is a hazard */
    char tx_ids[VOLUME_TX_MAX][TX_ID_SIZE]; /* tasks whose signed bytes are kept, for ever */
    size_t tx_count;
    TaskStore *tasks;
} Volume;

/* An empty disk; its rows are in the slab, which must outlive it. */
void volume_open(Volume *v, Slab *slab, const char *uid);
void volume_close(Volume *v);

/* The file is there. */
bool volume_has(const Volume *v, VolumeFile file);

/* Writes genesis.json: of that chain. */
void volume_write_genesis(Volume *v, const char *chain_id);

/* A person has removed everything but the sidecar's tasks. */
void volume_empty(Volume *v);

/* 40 hex digits that follow from the volume's UID: what its node key gives. */
void volume_node_id(const Volume *v, char ret[NODE_ID_SIZE]);

#endif
