/* Queue: keys waiting for a worker. A key is there once however often it is added; never two
 * workers hold one key; a key that is added while a worker holds it comes back when that worker is
 * done. Start-up keys wait behind real events. Delays and back-off are per key.
 *
 * A machine: time is passed in, nothing blocks. */
#ifndef KUBE_RUNTIME_QUEUE_H
#define KUBE_RUNTIME_QUEUE_H

#include "base/rng.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Queue Queue;

/* Start-up keys wait behind events, but are not starved: after 16 events in a row one gets through.
 */
typedef enum QueuePriority { QUEUE_EVENT, QUEUE_STARTUP } QueuePriority;

enum { QUEUE_CONTROLLERS_MAX = 16 };

/* One controller's key. */
typedef struct QueueKey {
    int controller; /* 0 to QUEUE_CONTROLLERS_MAX - 1 */
    Key key;
} QueueKey;

typedef struct QueueOptions {
    size_t keys_max;        /* 0: 1,000,000 */
    int64_t backoff_ms;     /* first delay after a failure; 0: 50 */
    int64_t backoff_max_ms; /* 0: 60,000 */
    Rng *rng;               /* jitter of back-off */
} QueueOptions;

Queue *queue_open(const QueueOptions *options);

/* Accepts NULL. */
void queue_close(Queue *q);

/* Adds a key now. An event overtakes the start-up place of the same key and cancels its delay, but
 * not its failure count. False when full, and for a key that no object can have (see tag.h). */
bool queue_add(Queue *q, QueueKey key, QueuePriority priority, int64_t now_ms);

/* Adds a key for later; an earlier time, or a place in the queue, wins. Of a held key: for when its
 * worker is done; the back-off of one that failed is cut short, but not the server's wish. False
 * like queue_add. */
bool queue_add_at(Queue *q, QueueKey key, int64_t due_ms);

/* Takes the next key; it is borrowed until queue_done. False when none is due. `waited_ms` (may be
 * NULL) says how long it waited. */
bool queue_take(Queue *q, int64_t now_ms, QueueKey *ret, int64_t *waited_ms);

/* The worker is done with a key. ok: failures are forgotten. Not ok: it comes back after its
 * back-off, but not before retry_after_ms have passed. Either way one that was added meanwhile
 * comes back at once, or when it was added for. A key that was not taken is a BUG. */
void queue_done_ok(Queue *q, QueueKey key, int64_t now_ms);
void queue_done_failed(Queue *q, QueueKey key, int64_t retry_after_ms, int64_t now_ms);

/* When the next delayed key is due: INT64_MAX when none waits, a time not after now when one is
 * ready. */
int64_t queue_next_due(const Queue *q);

/* For metrics: ready, delayed and held keys; adds (that were not there yet) and retries so far; the
 * oldest held key's age is the caller's business. */
typedef struct QueueCounts {
    size_t ready, delayed, held;
    uint64_t adds, retries;
} QueueCounts;
QueueCounts queue_counts(const Queue *q, int controller);

/* Failures in a row of a key. */
unsigned queue_failures(const Queue *q, QueueKey key);

#endif
