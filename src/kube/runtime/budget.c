/* Budget: tokens are counted as the time that they are worth, so that no fraction is ever lost. */
#include "kube/runtime/budget.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"

#include <assert.h>
#include <string.h>

typedef struct Bucket {
    Link age; /* in Budget.buckets */
    size_t size;
    int64_t credit_ms, counted_ms;
    char key[];
} Bucket;

struct Budget {
    Arena *own;
    Slab *slab;
    BudgetOptions options;
    Map *by_key;
    Link buckets; /* the one that was not asked for longest, first */
};

Budget *budget_open(const BudgetOptions *options)
{
    Arena *own = arena_open(1 << 16);
    Budget *b = arena_new(own, Budget);
    assert(options->keys_max > 0 && options->burst > 0 && options->refill_ms > 0);

    b->own = own;
    b->slab = slab_open();
    b->options = *options;
    b->by_key = map_open(options->keys_max);
    link_init(&b->buckets);
    return b;
}

void budget_close(Budget *b)
{
    if (!b)
        return;
    map_close(b->by_key);
    slab_close(b->slab);
    arena_close(b->own);
}

static void forget_oldest(Budget *b)
{
    Bucket *oldest = link_owner(Bucket, age, b->buckets.next);
    map_remove(b->by_key, oldest->key);
    link_remove(&oldest->age);
    slab_free(b->slab, oldest, oldest->size);
}

static Bucket *add_bucket(Budget *b, const char *key, int64_t now_ms)
{
    if (map_count(b->by_key) == b->options.keys_max)
        forget_oldest(b);

    size_t key_size = strlen(key) + 1, size = sizeof(Bucket) + key_size;
    Bucket *bucket = slab_alloc(b->slab, size);
    bucket->size = size;
    bucket->credit_ms = b->options.burst * b->options.refill_ms;
    bucket->counted_ms = now_ms;
    memcpy(bucket->key, key, key_size);
    link_init(&bucket->age);
    if (!map_put(b->by_key, bucket->key, bucket))
        BUG("there is no room for a bucket whose place was made");
    return bucket;
}

bool budget_take(Budget *b, const char *key, int64_t now_ms)
{
    Bucket *bucket = map_find(b->by_key, key);
    if (!bucket)
        bucket = add_bucket(b, key, now_ms);
    link_remove(&bucket->age);
    link_insert_before(&b->buckets, &bucket->age);

    int64_t full_ms = b->options.burst * b->options.refill_ms;
    bucket->credit_ms += now_ms - bucket->counted_ms;
    if (bucket->credit_ms > full_ms)
        bucket->credit_ms = full_ms;
    bucket->counted_ms = now_ms;
    if (bucket->credit_ms < b->options.refill_ms)
        return false;
    bucket->credit_ms -= b->options.refill_ms;
    return true;
}
