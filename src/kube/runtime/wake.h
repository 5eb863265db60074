/* Wake: whose key an object is, and how soon it is put into the queue. */
#ifndef KUBE_RUNTIME_WAKE_H
#define KUBE_RUNTIME_WAKE_H

#include "kube/runtime/cache.h"

/* What became of an object: as it was and as it is, either may be NULL. Both are borrowed. */
typedef struct WakeNews {
    const Json *before, *now;
    bool is_going;          /* it is gone, or has begun to go */
    bool is_changed;        /* it is still the same one */
    const QueueKey *author; /* who wrote what it is, and needs not be told; or NULL */
    QueuePriority priority;
} WakeNews;

/* Keys that are to be woken together with those whom the news concern: whose own write an event has
 * shown is mostly also concerned by it, and is to look once. wake_note is an ExpectWoken. */
typedef struct WakeList {
    Arena *arena;
    QueueKey *items;
    size_t count, capacity;
} WakeList;
void wake_note(void *list, QueueKey key);

/* Wakes every key that was noted, and every key that the news concern (NULL: there are none). Takes
 * the guard, once. */
void wake_all(Cache *c, const WakeNews *news, const WakeList *noted);

/* The same of news alone; the guard is held. */
void wake_subscribers_guarded(Cache *c, Arena *a, const WakeNews *news);

/* Wakes a key: an ExpectWoken. The guard is held. */
void wake_key(void *manager, QueueKey key);

#endif
