/* Expect: read-your-writes. Remembers each write until the watch has shown it, so that nobody acts
 * on a state older than our own writes.
 *
 * A write is seen when the stream of its kind has reached the write's version (event or bookmark).
 * A delete is seen when the UID is gone or shows a deletionTimestamp. A write of unknown outcome is
 * settled only by a live read. What is not seen within the deadline is settled by a live read too.
 * Writes to kinds without a cache are not remembered. When a store steps back in time, its
 * expectations are dropped. */
#ifndef KUBE_RUNTIME_EXPECT_H
#define KUBE_RUNTIME_EXPECT_H

#include "base/err.h"
#include "kube/kind.h"
#include "kube/runtime/queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Expect Expect;

typedef enum ExpectState {
    EXPECT_NOTHING,   /* the cache may be read */
    EXPECT_PENDING,   /* wait for the watch */
    EXPECT_READ_LIVE, /* the outcome is unknown, or the watch is late: read the object live, then
                         expect_settle */
} ExpectState;

enum { EXPECT_DEADLINE_MS = 5000 };

/* At most `max` writes are waited for (at least 1); a further one makes the oldest EXPECT_READ_LIVE
 * at once. At most twice as many are remembered: then the oldest is forgotten. */
Expect *expect_open(size_t max);

/* Accepts NULL. */
void expect_close(Expect *e);

enum { EXPECT_CACHES_MAX = 64 };

/* The object a write was about, and the reconcile that made it. `cache` numbers the store, from 0
 * to EXPECT_CACHES_MAX - 1. */
typedef struct ExpectTarget {
    int cache;
    Key key;
    QueueKey by;
} ExpectTarget;

/* A write was made: it gave the object this version; it deleted this UID; nobody knows. Of one
 * reconcile's writes to one object the last counts, because seeing it means having seen the others;
 * only an unknown one stays until it is settled. A version that the stream has already reached is
 * not waited for. expect_gone is for a UID that the cache still shows, without deletionTimestamp:
 * what it does not show will not be seen leaving. */
void expect_version(Expect *e, ExpectTarget target, const char *version, int64_t now_ms);
void expect_gone(Expect *e, ExpectTarget target, const char *uid, int64_t now_ms);
void expect_unknown(Expect *e, ExpectTarget target, int64_t now_ms);

/* What a reader of an object must do; and of all objects of a cache that one reconcile wrote (for
 * selections). `ret_key` (may be NULL) is the object in question, borrowed until the next change.
 */
ExpectState expect_state(const Expect *e, int cache, Key key, int64_t now_ms);
ExpectState expect_state_by(const Expect *e, int cache, QueueKey by, int64_t now_ms, Key *ret_key);

/* The watch showed: an object (its UID, whether it is deleting), its removal, or that the stream
 * has reached a version. `by` of `seen` does not matter. Only the deleted UID itself counts, not
 * another under its name: that may be its predecessor; a UID of NULL counts for every one.
 * Reconciles whose last expectation was met, here or by the two others since the last time, are
 * given to `woken`, which must not touch the machine. */
typedef void ExpectWoken(void *self, QueueKey key);
void expect_see_object(Expect *e, ExpectTarget seen, const char *uid, bool deleting);
void expect_see_removed(Expect *e, ExpectTarget seen, const char *uid);
void expect_see_version(Expect *e, int cache, const char *version, ExpectWoken *woken, void *self);

/* A reconcile that is content is not woken when its writes are seen, only when they are not seen in
 * time; one that looks again heeds them again. */
void expect_content(Expect *e, QueueKey by);
void expect_heed(Expect *e, QueueKey by);

/* Who gave an object this version and has not seen it yet: to him it is no news. False: nobody. The
 * key is borrowed until the next change. */
bool expect_author(const Expect *e, ExpectTarget seen, const char *version, QueueKey *ret);

/* What a live read of an object found, and what the cache would have to show for it. */
typedef struct ExpectRead {
    const char *version; /* of the object, when the cache shows it or will; else NULL */
    const char *gone; /* the UID that the cache still shows of an object that is gone; else NULL */
} ExpectRead;

/* A live read of an object, by one reconcile, settles every doubt about it. The reconcile that read
 * it waits no longer. The cache may still be older than that read, so whoever else was in doubt now
 * waits until it shows as much; who waits anyway goes on waiting. */
void expect_settle(Expect *e, ExpectTarget target, ExpectRead read, int64_t now_ms);

/* Forgets everything about a cache, also which version it had reached: it went back in time. The
 * reconciles that waited are woken next time. */
void expect_drop(Expect *e, int cache);

/* The earliest time at which a pending write becomes EXPECT_READ_LIVE, not after now when somebody
 * is to be woken; INT64_MAX for none. Its key is given to woken by expect_step, once. */
int64_t expect_next_due(const Expect *e);
void expect_step(Expect *e, int64_t now_ms, ExpectWoken *woken, void *self);

/* Writes remembered now. */
size_t expect_count(const Expect *e);

#endif
