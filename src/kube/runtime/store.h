/* Store: the cache of one watch: what the API server last said about each object, as projected,
 * minified bytes.
 *
 * A machine without threads: its owner guards it. Objects are immutable snapshots with a reference
 * count; a reader pins one to its arena and parses it there, so the store may move on meanwhile.
 * Releasing a pin touches the slab: it takes the guard for that, so an arena with pins is never
 * closed or reset under the guard.
 *
 * Rules of versions. Within a stream the store is monotonic: an event older than what is stored
 * changes nothing, and an object that is not there does not come back by an event older than what
 * the stream had reached. A consistent list always replaces: what it does not name is gone, but
 * only once its last page is in. A list older than what the stream had reached is a step back in
 * time (a restored etcd): the store obeys it and says so, at the first object that shows it.
 *
 * Whatever goes over all objects, or over those of one owner or label, does so in the order in
 * which their keys came. */
#ifndef KUBE_RUNTIME_STORE_H
#define KUBE_RUNTIME_STORE_H

#include "kube/kube.h"
#include "kube/runtime/store_item.h"
#include "kube/selector.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Store Store;

/* An empty, unsynced store. The options' strings must live as long. */
Store *store_open(const StoreOptions *options);

/* After every pin was let go. Accepts NULL. */
void store_close(Store *s);

typedef enum StoreChange {
    STORE_UNCHANGED, /* older than, or the same as, what is there; or was not there anyway */
    STORE_ADDED,
    STORE_MODIFIED,
    STORE_REPLACED, /* another UID under the same name */
    STORE_REMOVED,
    STORE_FULL, /* objects_max reached: not stored */
} StoreChange;

/* Takes in an ADDED or MODIFIED event. */
StoreChange store_put(Store *s, const StoreItem *item);

/* Takes in a DELETED event (the object is gone, or no longer selected). An event older than what is
 * stored is ignored. */
StoreChange store_remove(Store *s, const StoreItem *item);

/* Takes in a bookmark: the stream has reached this version. */
void store_reach(Store *s, const char *version);

/* Takes in a list page by page; put, remove and reach are not called in between. What differs is
 * told as the pages come in; at the end `removed` is told every object that the list did not name,
 * with the bytes it had, borrowed for the call, during which the store must not be touched. keep
 * says that the list names an object that cannot be taken in: what is there of it stays. begin
 * again without end starts anew; abort keeps what was before, and the items of pages already in. */
typedef void StoreChanged(void *self, StoreChange change, const StoreItem *item);
void store_list_begin(Store *s);
StoreChange store_list_put(Store *s, const StoreItem *item);
void store_list_keep(Store *s, Key key);
void store_list_end(Store *s, const char *version, StoreChanged *removed, void *self);
void store_list_abort(Store *s);

/* True after the first list has ended. */
bool store_is_synced(const Store *s);

/* The version that the stream has reached: of the newest event, bookmark or list; "" before. */
const char *store_version(const Store *s);

/* How often a list was older than what had been seen. */
unsigned store_steps_back(const Store *s);

/* Objects now, and bytes of their snapshots. */
size_t store_count(const Store *s);
size_t store_bytes(const Store *s);

/* The UID of what is stored under a key, or NULL. Borrowed until that changes, or as long as it is
 * pinned. */
const char *store_uid(const Store *s, Key key);

/* What is owned of what is stored under a key; nothing when there is none. Borrowed as the UID is.
 */
StoreOwned store_owned(const Store *s, Key key);

/* True when what is stored under a key has a deletionTimestamp. */
bool store_is_deleting(const Store *s, Key key);

/* The snapshot of a key, pinned to the arena; false when there is none. Bytes are to be parsed
 * after the guard is left. */
bool store_pin(Store *s, Arena *a, Key key, Bytes *ret);

/* Snapshots of many, pinned; the array is in the arena. By controller UID (index), or by namespace
 * (NULL: all) and selector (index when the selector fixes the index label's value, else a walk over
 * all). Matching by selector happens on the parsed object, by the caller: what comes back is every
 * candidate. */
typedef struct StoreSelection {
    Bytes *items;
    size_t count;
} StoreSelection;
void store_pin_owned(Store *s, Arena *a, const char *owner_uid, StoreSelection *ret);
void store_pin_candidates(
    Store *s, Arena *a, const char *namespace, const Selector *selector, StoreSelection *ret);

/* Calls visit for the key of every object, e.g. to fill a queue at start. */
void store_each_key(const Store *s, void (*visit)(void *self, Key key), void *self);

#endif
