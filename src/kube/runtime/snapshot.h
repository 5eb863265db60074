/* Snapshot: one object as a store keeps it: a header, its texts, its bytes, in one piece of a slab.
 * Immutable but for its links, and shared: the store and every reader hold a reference. */
#ifndef KUBE_RUNTIME_SNAPSHOT_H
#define KUBE_RUNTIME_SNAPSHOT_H

#include "base/link.h"
#include "base/slab.h"
#include "kube/runtime/store.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Snapshot {
    Link all;     /* in the order in which keys came */
    Link owned;   /* a circle of those with the same owner, without a head */
    Link indexed; /* the same for the index label's value */
    Store *store;
    uint32_t references;
    uint32_t list; /* the list that named it last */
    uint32_t bytes_at, bytes_len;
    uint16_t uid_at, version_at, owner_at, index_at, owned_at; /* places in `text`; 0 for none */
    bool deleting, owns_replicas;
    uint64_t owned_source;
    char text[]; /* the tag; then what the places say; then the bytes and a NUL */
} Snapshot;

/* A copy of the item, with one reference. */
Snapshot *snapshot_new(Slab *slab, const StoreItem *item);

/* Drops a reference, and the snapshot with the last one. */
void snapshot_drop(Slab *slab, Snapshot *snapshot);

/* Its size in the slab. */
size_t snapshot_size(const Snapshot *snapshot);

/* The text at a place, or NULL for place 0. */
const char *snapshot_text(const Snapshot *snapshot, uint16_t place);

/* The bytes; a NUL follows them. */
Bytes snapshot_bytes(const Snapshot *snapshot);

/* What is owned of it, borrowed. */
StoreOwned snapshot_owned(const Snapshot *snapshot);

/* The snapshot as an item, borrowed from it; the namespace is written into `namespace`. */
StoreItem snapshot_item(const Snapshot *snapshot, char namespace[STORE_TEXT_MAX + 1]);

/* True when it is in this namespace; NULL is every one. */
bool snapshot_is_in(const Snapshot *snapshot, const char *namespace);

#endif
