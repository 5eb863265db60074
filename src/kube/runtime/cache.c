/* Cache: where the events of a watch become stored objects and keys in the queue.
 *
 * The dear part of an event (projecting, mapping to keys) happens outside the guard; the guard is
 * taken for the short moments in which store, expectations and queue are touched. */
#include "kube/runtime/cache.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/machine.h"
#include "kube/runtime/wake.h"

#include <assert.h>
#include <string.h>

enum { SCRATCH_MAX = 64 << 20, COMPARED_MAX = 1 << 20 };

static const Json *parse_snapshot(Arena *a, Bytes bytes)
{
    const Json *object = NULL;

    /* The store's own bytes: they were written by us from a parsed value. */
    if (bytes.data && json_parse_again(a, bytes, &object) != OK)
        BUG("a stored snapshot does not parse");
    return object;
}

/* What is stored under the key of an object that comes in, pinned: nobody but its watch changes a
 * store. */
typedef struct Stored {
    Bytes bytes;     /* none: there is nothing */
    const char *uid; /* or NULL */
    StoreOwned owned;
} Stored;

static Stored look_up(Cache *c, Key key)
{
    Stored found = {0};

    guard_enter(c->manager->guard);
    if (store_pin(c->store, c->scratch, key, &found.bytes)) {
        found.uid = store_uid(c->store, key);
        found.owned = store_owned(c->store, key);
    }
    guard_leave(c->manager->guard);
    return found;
}

static bool project(Cache *c, const Stored *before, const Json *object, StoreItem *item)
{
    Err *err = store_project_after(
        c->scratch, &c->options, before->bytes.data ? &before->owned : NULL, object, item);

    if (!err)
        return true;
    log_warn(&c->manager->log,
        "an object cannot be cached and is left out",
        log_str("kind", c->watch->kind->name),
        log_str("namespace", meta_namespace(object)),
        log_str("name", meta_name(object)),
        log_str("error", err_text(c->scratch, err)));
    return false;
}

static ExpectTarget target_of(const Cache *c, Key key)
{
    return (ExpectTarget){.cache = c->number, .key = key};
}

/* The guard is held. */
static void report_full(const Cache *c)
{
    log_error(&c->manager->held.log,
        "the cache is full: an object is not seen; raise its limit or narrow the watch",
        log_str("kind", c->watch->kind->name),
        log_num("objects", (int64_t)store_count(c->store)));
}

/* A restored etcd: versions count from an older point. Expectations would wait for ever, and "gone"
 * may mean "not yet": drop them, have every kind listed anew, and delete nothing meanwhile. The
 * guard is held. */
static void distrust(Cache *c)
{
    Manager *m = c->manager;

    c->steps_back_seen = store_steps_back(c->store);
    m->distrust_since = clock_mono_ms(m->clock);
    for (int i = 0; i < m->cache_count; i++) {
        expect_drop(m->expect, m->caches[i].number);
        m->caches[i].relist = &m->caches[i] == c ? RELIST_RUNNING : RELIST_WANTED;
    }
    log_error(&m->held.log,
        "the API server went back in time, as a restored backup does: nothing is deleted until "
        "every kind was listed anew and 30 s have passed",
        log_str("kind", c->watch->kind->name),
        log_str("version", store_version(c->store)));
}

/* How many bytes differ, from the first to the last, at most. */
static size_t difference(Bytes left, Bytes right)
{
    size_t shorter = left.len < right.len ? left.len : right.len, same = 0, same_at_end = 0;

    while (same < shorter && left.data[same] == right.data[same])
        same++;
    while (same_at_end < shorter - same
        && left.data[left.len - 1 - same_at_end] == right.data[right.len - 1 - same_at_end])
        same_at_end++;
    return (left.len > right.len ? left.len : right.len) - same - same_at_end;
}

/* Nothing of it has changed that the cache keeps, but its version. Most of what has changed is seen
 * to have by its bytes. */
static bool is_only_newer(Arena *a, Bytes before, const StoreItem *item)
{
    if (item->bytes.len > COMPARED_MAX || difference(before, item->bytes) > strlen(item->version))
        return false;
    const Json *change =
        json_merge_diff(a, parse_snapshot(a, before), parse_snapshot(a, item->bytes));
    const Json *of_metadata = json_member(change, "metadata");

    return json_count(change) == 1 && json_count(of_metadata) == 1
        && json_member(of_metadata, "resourceVersion");
}

/* What nobody sees concerns nobody: who waits for a version of his own writing has been woken by
 * the version. */
static bool is_news(Cache *c, StoreChange change, const StoreItem *item, Bytes before)
{
    return change != STORE_UNCHANGED
        && !(change == STORE_MODIFIED && is_only_newer(c->scratch, before, item));
}

typedef StoreChange TakeIn(Store *s, const StoreItem *item);

/* Who wrote what a watch shows, in scratch memory; NULL: somebody else. What a list shows may have
 * more to it than its last write. The guard is held. */
static const QueueKey *author_of(const Cache *c, const StoreItem *item, TakeIn *store_it)
{
    QueueKey found;

    if (store_it == store_list_put
        || !expect_author(c->manager->expect, target_of(c, item->key), item->version, &found))
        return NULL;
    QueueKey *author = arena_new(c->scratch, QueueKey);
    *author = (QueueKey){.controller = found.controller, .key = key_copy(c->scratch, found.key)};
    return author;
}

/* What was taken in, and whom it wakes besides those whom it concerns. */
typedef struct Kept {
    StoreChange change;
    const QueueKey *author;
    WakeList woken;
} Kept;

/* Gives an item to the store and tells those who wait for what they wrote. */
static Kept keep(Cache *c, const StoreItem *item, const Stored *before, TakeIn *store_it)
{
    Manager *m = c->manager;
    Kept kept = {.woken = {.arena = c->scratch}};

    guard_enter(m->guard);
    StoreChange change = kept.change = store_it(c->store, item);
    kept.author = author_of(c, item, store_it);
    if (change == STORE_REMOVED)
        expect_see_removed(m->expect, target_of(c, item->key), item->uid);
    if (change == STORE_REPLACED)
        expect_see_removed(m->expect, target_of(c, item->key), before->uid);
    if (change != STORE_REMOVED)
        expect_see_object(m->expect, target_of(c, item->key), item->uid, item->deleting);
    if (store_steps_back(c->store) != c->steps_back_seen)
        distrust(c);
    if (store_it != store_list_put)
        expect_see_version(m->expect, c->number, item->version, wake_note, &kept.woken);
    if (change == STORE_FULL)
        report_full(c);
    guard_leave(m->guard);
    return kept;
}

static void take_in(Cache *c, const Json *object, TakeIn *store_it)
{
    Stored before = look_up(c, meta_key(object));
    StoreItem item;

    if (project(c, &before, object, &item)) {
        Kept kept = keep(c, &item, &before, store_it);
        StoreChange change = kept.change;
        bool is_told = is_news(c, change, &item, before.bytes);
        WakeNews news = {
            .before = is_told ? parse_snapshot(c->scratch, before.bytes) : NULL,
            .now = object,
            .is_going = item.deleting || change == STORE_REMOVED || change == STORE_REPLACED,
            .is_changed = change == STORE_MODIFIED,
            .author = kept.author,
            .priority = QUEUE_EVENT,
        };
        if (is_told || kept.woken.count)
            wake_all(c, is_told ? &news : NULL, &kept.woken);
    }
    arena_reset(c->scratch);
}

static Cache *cache_of(Feed *feed)
{
    return (Cache *)feed;
}

static void feed_put(Feed *feed, const Json *object)
{
    take_in(cache_of(feed), object, store_put);
}

static void feed_remove(Feed *feed, const Json *object)
{
    take_in(cache_of(feed), object, store_remove);
}

static void feed_reach(Feed *feed, const char *version)
{
    Cache *c = cache_of(feed);
    Manager *m = c->manager;

    guard_enter(m->guard);
    store_reach(c->store, version);
    expect_see_version(m->expect, c->number, version, wake_key, m);
    guard_leave(m->guard);
}

static void feed_list_begin(Feed *feed)
{
    Cache *c = cache_of(feed);

    guard_enter(c->manager->guard);
    store_list_begin(c->store);
    guard_leave(c->manager->guard);
}

static void feed_list_put(Feed *feed, const Json *object)
{
    Cache *c = cache_of(feed);

    /* Named by the list even if it cannot be taken in: what is there stays. */
    guard_enter(c->manager->guard);
    store_list_keep(c->store, meta_key(object));
    guard_leave(c->manager->guard);
    take_in(c, object, store_list_put);
}

/* What a list leaves out is mapped and woken one by one, under the guard: a list that leaves out
 * everything costs no more memory than one object. */
typedef struct Sweep {
    Cache *cache;
    Arena *arena; /* reset after each */
} Sweep;

static void wake_removed(void *self, StoreChange change, const StoreItem *item)
{
    Sweep *sweep = self;
    Cache *c = sweep->cache;
    const Json *object = parse_snapshot(sweep->arena, item->bytes);

    assert(change == STORE_REMOVED);
    (void)change;
    expect_see_removed(c->manager->expect, target_of(c, item->key), item->uid);
    wake_subscribers_guarded(
        c, sweep->arena, &(WakeNews){.before = object, .is_going = true, .priority = QUEUE_EVENT});
    arena_reset(sweep->arena);
}

static void feed_list_end(Feed *feed, const char *version)
{
    Cache *c = cache_of(feed);
    Manager *m = c->manager;
    SCOPED_ARENA arena = arena_open(SCRATCH_MAX);
    Sweep sweep = {.cache = c, .arena = arena};

    guard_enter(m->guard);
    store_list_end(c->store, version, wake_removed, &sweep);
    if (store_steps_back(c->store) != c->steps_back_seen)
        distrust(c);
    if (c->relist == RELIST_RUNNING)
        c->relist = RELIST_NONE;
    expect_see_version(m->expect, c->number, version, wake_key, m);
    guard_leave(m->guard);
}

static void feed_list_abort(Feed *feed)
{
    Cache *c = cache_of(feed);

    guard_enter(c->manager->guard);
    store_list_abort(c->store);
    guard_leave(c->manager->guard);
}

static const Feed cache_feed = {
    .put = feed_put,
    .remove = feed_remove,
    .reach = feed_reach,
    .list_begin = feed_list_begin,
    .list_put = feed_list_put,
    .list_end = feed_list_end,
    .list_abort = feed_list_abort,
};

bool cache_selects(const Cache *c, const Json *object)
{
    if (c->watch->namespace && !str_eq(c->watch->namespace, meta_namespace(object)))
        return false;
    return selector_matches(c->labels, object)
        && (!c->fields || selector_matches_fields(c->fields, object));
}

static bool is_same_watch(const Watch *left, const Watch *right)
{
    return kind_eq(left->kind, right->kind) && str_eq(left->namespace, right->namespace)
        && str_eq(left->labels, right->labels) && str_eq(left->fields, right->fields)
        && str_eq(left->manager, right->manager) && str_eq(left->index, right->index)
        && left->optional == right->optional;
}

static Err *parse_selectors(Arena *a, Cache *c)
{
    const Watch *w = c->watch;

    if (w->labels)
        TRY(err_wrap(a,
            selector_parse(c->manager->arena, w->labels, &c->labels),
            "watch of %s: labels \"%s\"",
            w->kind->plural,
            w->labels));
    if (w->fields)
        TRY(err_wrap(a,
            selector_parse_fields(c->manager->arena, w->fields, &c->fields),
            "watch of %s: fields \"%s\"",
            w->kind->plural,
            w->fields));
    return OK;
}

static Err *cache_open(Arena *a, Manager *m, const Watch *watch, Cache **ret)
{
    Cache *c = &m->caches[m->cache_count];
    Rng *chance = rng_system(); /* it decides nothing, so a simulation need not repeat it */

    if (m->cache_count == MANAGER_WATCHES_MAX)
        return err_terminal(a, "more than %d watches", MANAGER_WATCHES_MAX);
    *c = (Cache){.feed = cache_feed, .manager = m, .number = m->cache_count, .watch = watch};
    TRY(parse_selectors(a, c));
    c->options = (StoreOptions){
        .kind = watch->kind,
        .manager = watch->manager,
        .index_label = watch->index,
        .kept = store_paths(m->arena, watch->kind),
        .slab = m->slab,
        .guard = m->guard,
        .secret = {chance->next(chance), chance->next(chance)},
    };
    c->scratch = arena_open(SCRATCH_MAX);
    c->store = store_open(&c->options);
    c->reflector = reflector_open(&(ReflectorOptions){
        .kind = watch->kind,
        .namespace = watch->namespace,
        .labels = watch->labels,
        .fields = watch->fields,
        .optional = watch->optional,
        .streams = m->streams,
        .feed = &c->feed,
        .rng = m->rng,
        .silence_ms = m->options.silence_ms,
    });
    m->cache_count++;
    *ret = c;
    return OK;
}

Err *cache_subscribe(Arena *a, Manager *m, const Subscription *subscription)
{
    Cache *c = NULL;

    for (int i = 0; i < m->cache_count; i++)
        if (is_same_watch(m->caches[i].watch, subscription->watch))
            c = &m->caches[i];
    if (!c)
        TRY(cache_open(a, m, subscription->watch, &c));
    if (c->subscription_count == MANAGER_CONTROLLERS_MAX)
        return err_terminal(a, "more than %d controllers on one watch", MANAGER_CONTROLLERS_MAX);
    c->subscriptions[c->subscription_count++] = *subscription;
    return OK;
}

void cache_close(Cache *c)
{
    reflector_close(c->reflector);
    arena_close(c->scratch);
    store_close(c->store);
}

typedef struct KeyList {
    Arena *arena;
    Key *items;
    size_t count;
} KeyList;

static void collect_key(void *self, Key key)
{
    KeyList *keys = self;

    keys->items[keys->count++] = key_copy(keys->arena, key);
}

void cache_enqueue_all(Cache *c)
{
    Manager *m = c->manager;
    SCOPED_ARENA a = arena_open(SIZE_MAX);
    KeyList keys = {.arena = a};

    guard_enter(m->guard);
    keys.items = arena_array(a, Key, store_count(c->store) + 1);
    store_each_key(c->store, collect_key, &keys);
    guard_leave(m->guard);

    for (size_t i = 0; i < keys.count; i++) {
        Bytes bytes = {0};
        guard_enter(m->guard);
        store_pin(c->store, c->scratch, keys.items[i], &bytes);
        guard_leave(m->guard);
        wake_all(c,
            &(WakeNews){.now = parse_snapshot(c->scratch, bytes), .priority = QUEUE_STARTUP},
            &(WakeList){.arena = c->scratch});
        arena_reset(c->scratch);
    }
}

void cache_enqueue_primaries(Cache *c)
{
    Manager *m = c->manager;

    for (int i = 0; i < c->subscription_count; i++)
        for (int other = 0; other < m->cache_count; other++)
            if (kind_eq(m->caches[other].watch->kind, c->subscriptions[i].primary))
                cache_enqueue_all(&m->caches[other]);
}
