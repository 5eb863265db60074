/* Cache: one watch: a store fed by a reflector, and who is woken by it. */
#ifndef KUBE_RUNTIME_CACHE_H
#define KUBE_RUNTIME_CACHE_H

#include "kube/manager.h"
#include "kube/runtime/queue.h"
#include "kube/runtime/reflector.h"
#include "kube/runtime/store.h"

enum { CACHE_ERROR_SIZE = 256 };

/* One controller's interest in a cache. */
typedef struct Subscription {
    int controller;
    const Watch *watch;
    const Kind *primary; /* what the controller reconciles */
} Subscription;

/* After a step back in time every cache is listed once more. */
typedef enum Relist { RELIST_NONE, RELIST_WANTED, RELIST_RUNNING } Relist;

/* Controllers that ask for the same watch share its cache. */
typedef struct Cache {
    Feed feed; /* first, so that the feed is the cache */
    Manager *manager;
    int number;
    const Watch *watch; /* the first subscriber's: kind, namespace, selectors */
    const Selector *labels, *fields;
    StoreOptions options;
    Store *store;
    Reflector *reflector;
    Arena *scratch; /* one event; reset after it */
    Subscription subscriptions[MANAGER_CONTROLLERS_MAX];
    int subscription_count;
    unsigned steps_back_seen;
    Relist relist;
    ReflectorHealth health; /* as of the last watch step; under the guard */
    char last_error[CACHE_ERROR_SIZE];
} Cache;

/* Opens the cache of a watch that is not there yet, or joins the one that is. */
Err *cache_subscribe(Arena *a, Manager *m, const Subscription *subscription) MUST_CHECK;
void cache_close(Cache *c);

/* Makes a key of everything in a cache, for the start of the work. */
void cache_enqueue_all(Cache *c);

/* The same of the objects that its subscribers reconcile: what they could not have before is there.
 */
void cache_enqueue_primaries(Cache *c);

/* Whether an object of this namespace, with these labels and fields, would be in the cache. */
bool cache_selects(const Cache *c, const Json *object);

#endif
