/* Wake: whose key an object is, and how soon it is put into the queue. */
#ifndef KUBE_RUNTIME_WAKE_H
#define KUBE_RUNTIME_WAKE_H

#include "kube/runtime/cache.h"

/* What became of an object: as it was and as it is, either may be NULL. Both are borrowed. */
typedef struct WakeNews {
    const Json *before, *now;
    bool is_going;   /* it is gone, or has begun to go */
    bool is_changed; /* it is still the same one */
    QueuePriority priority;
} WakeNews;

/* Wakes every key that the news concern. The first takes the guard, with the second it is held. */
void wake_subscribers(Cache *c, Arena *a, const WakeNews *news);
void wake_subscribers_guarded(Cache *c, Arena *a, const WakeNews *news);

/* Wakes a key: an ExpectWoken. The guard is held. */
void wake_key(void *manager, QueueKey key);

#endif
