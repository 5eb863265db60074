/* Snapshot: from which one a node begins, and which ones it makes for others. */
#ifndef SEI_API_SNAPSHOT_H
#define SEI_API_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct SnapshotSource {
    bool is_set;
    bool has_s3;
    int64_t s3_height;
    bool state_sync;
    const char *trust_period;
    int64_t backfill_blocks;
    const char *bootstrap_image;
} SnapshotSource;

typedef struct SnapshotGeneration {
    bool is_set, has_tendermint, publish;
    int64_t keep_recent;
} SnapshotGeneration;

#endif
