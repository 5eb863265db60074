/* StoreItem: what a store keeps of an object, made before the store is touched. */
#ifndef KUBE_RUNTIME_STORE_ITEM_H
#define KUBE_RUNTIME_STORE_ITEM_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/slab.h"
#include "kube/guard.h"
#include "kube/key.h"
#include "kube/kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct StoreOptions {
    const Kind *kind;
    const char *manager;     /* of hash_owned, or NULL */
    const char *index_label; /* a label whose values are indexed, or NULL */
    const JsonPaths *kept;   /* store_paths of the kind, or NULL: read anew for each object */
    size_t objects_max;      /* 0: 1,000,000 */
    Slab *slab;
    Guard *guard;       /* taken when a pin is released */
    uint64_t secret[2]; /* of hash_owned_source */
} StoreOptions;

enum { STORE_TEXT_MAX = 253 }; /* bytes of a UID, a resourceVersion, a label's value */

/* What is kept of a kind, in the arena; NULL when it is everything. */
const JsonPaths *store_paths(Arena *a, const Kind *kind);

/* What the manager of the options owns of an object, and a number of what that was read from: while
 * it stays the same, so does the rest. */
typedef struct StoreOwned {
    uint64_t source;
    const char *hash; /* hash_owned, or NULL */
    bool replicas;    /* meta_applied_replicas */
} StoreOwned;

/* What the store keeps of an object. Pure, and the dear part of an event: done before the guard is
 * taken. In the arena. ERR_TERMINAL for what no API server sends (no name, no resourceVersion, or
 * over-long ones), and when the arena is full. */
typedef struct StoreItem {
    Bytes bytes; /* projected, minified, members in the order of keys */
    Key key;
    const char *uid, *version, *owner_uid, *index_value; /* NULL where absent */
    bool deleting;
    StoreOwned owned; /* nothing without a manager */
} StoreItem;
Err *store_project(
    Arena *a, const StoreOptions *options, const Json *object, StoreItem *ret) MUST_CHECK;

/* The same of an object of which it is known what was owned before (NULL: it is not): what is owned
 * is the dearest to find out, and most events do not change it. */
Err *store_project_after(Arena *a, const StoreOptions *options, const StoreOwned *before,
    const Json *object, StoreItem *ret) MUST_CHECK;

#endif
