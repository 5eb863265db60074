/* LiveReads: objects of which the caches could not be believed, as one reconcile read them live.
 * Until it ends they stand for what the caches have. */
#ifndef KUBE_RUNTIME_LIVE_READS_H
#define KUBE_RUNTIME_LIVE_READS_H

#include "base/json.h"
#include "kube/key.h"
#include "kube/kind.h"

enum { LIVE_READS_MAX = 16 };

typedef struct LiveRead {
    const Kind *kind;
    Key key;
    const Json *object; /* NULL: it is gone */
} LiveRead;

typedef struct LiveReads {
    Arena *arena; /* of the reconcile: what is kept lives in it */
    LiveRead items[LIVE_READS_MAX];
    int count;
} LiveReads;

/* What was read of a key; NULL when it was not read live. Borrowed until the next change. */
const LiveRead *live_reads_find(const LiveReads *r, const Kind *kind, Key key);

/* Drops what was read of a key: it is worth nothing once the object is written to. */
void live_reads_forget(LiveReads *r, const Kind *kind, Key key);

/* Keeps a read in place of an earlier one. `a` is the arena that it stands in, which may be that of
 * a part of the reconcile. ERR_RETRY when there is no room. */
Err *live_reads_keep(LiveReads *r, Arena *a, LiveRead read) MUST_CHECK;

#endif
