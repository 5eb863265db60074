/* LiveReads: a short list, of which each key has one entry. */
#include "kube/runtime/live_reads.h"

static int place_of(const LiveReads *r, const Kind *kind, Key key)
{
    for (int i = 0; i < r->count; i++)
        if (kind_eq(r->items[i].kind, kind) && key_eq(r->items[i].key, key))
            return i;
    return -1;
}

const LiveRead *live_reads_find(const LiveReads *r, const Kind *kind, Key key)
{
    int place = place_of(r, kind, key);

    return place < 0 ? NULL : &r->items[place];
}

void live_reads_forget(LiveReads *r, const Kind *kind, Key key)
{
    int place = place_of(r, kind, key);

    if (place >= 0)
        r->items[place] = r->items[--r->count];
}

Err *live_reads_keep(LiveReads *r, Arena *a, LiveRead read)
{
    live_reads_forget(r, read.kind, read.key);
    if (r->count == LIVE_READS_MAX)
        return err_retry(a, "too many writes of %s are unsettled", read.kind->plural);
    if (r->arena != a) {
        read.key = key_copy(r->arena, read.key);
        read.object = json_copy(r->arena, read.object);
    }
    r->items[r->count++] = read;
    return OK;
}
