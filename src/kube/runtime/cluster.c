/* Cluster: the port Kube over caches and a live API server.
 *
 * Reads come from the caches unless our own last write has not come back; then they wait, and after
 * a while, or when the outcome of that write is unknown, they ask the server itself. Writes pass
 * the fence (more lease left than the write may take) and are remembered until the watch has shown
 * them. Nothing is deleted while the caches are not to be trusted. */
#include "kube/runtime/cluster.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/machine.h"
#include "kube/status.h"

#include <assert.h>

/* Of a walk, or of a selection that is trimmed: what is pinned, and one whole object. */
enum { PINS_MAX = 64 << 20, OBJECT_MAX = 64 << 20 };

static Cluster *cluster_of(Kube *kube)
{
    return (Cluster *)kube;
}

static int64_t now_ms(const Cluster *k)
{
    return clock_mono_ms(k->manager->clock);
}

/* The next cache of a kind and namespace after `c` (NULL: the first), or NULL. */
static Cache *next_cache(const Cluster *k, const Cache *c, const Kind *kind, const char *namespace)
{
    Manager *m = k->manager;

    for (int i = c ? c->number + 1 : 0; i < m->cache_count; i++) {
        const Watch *w = m->caches[i].watch;
        if (!kind_eq(w->kind, kind))
            continue;
        if (!w->namespace || str_empty(namespace) || str_eq(w->namespace, namespace))
            return &m->caches[i];
    }
    return NULL;
}

static Err *err_no_cache(Arena *a, const Kind *kind)
{
    return err_terminal(a,
        "no controller watches %s here, so there is no cache to read: add a watch, or read live",
        kind->plural);
}

/* --- writes and what is expected of them -------------------------------------------------------
 */

static Err *may_write(const Cluster *k, Arena *a, const Request *request)
{
    Manager *m = k->manager;
    Err *err = OK;

    guard_enter(m->guard);
    int64_t left = m->lease ? lease_left_ms(m->lease, now_ms(k)) : INT64_MAX;
    if (left <= request->deadline_ms)
        err = err_retry(a,
            "not sent: the lease of this process ends in %lld ms, before the write would be sure "
            "to have ended",
            (long long)left);
    else if (request->verb == VERB_DELETE && !manager_trusts_caches(m))
        err = err_wait(a,
            "nothing is deleted while the API server's history is in doubt (it went back in time)");
    guard_leave(m->guard);
    return err;
}

static Key key_of_request(const Request *request)
{
    Key key = request->key;

    if (!key.name && request->body)
        key = meta_key(request->body);
    return key;
}

/* A delete will be seen when the cache shows the object, or is about to: a creation of ours may
 * still be under way. The guard is held. */
static bool will_be_seen_leaving(const Cluster *k, const Cache *c, Key key, const char *uid)
{
    const char *cached = store_uid(c->store, key);

    if (!cached)
        return expect_state(k->manager->expect, c->number, key, now_ms(k)) == EXPECT_PENDING;
    return str_eq(cached, uid) && !store_is_deleting(c->store, key);
}

static void expect_deletion(Cluster *k, const Request *request, const Json *answer)
{
    Manager *m = k->manager;
    Key key = request->key;
    const char *uid = request->uid ? request->uid : meta_uid(answer);

    if (!uid)
        uid = json_str(answer, ".details.uid");
    for (Cache *c = NULL; (c = next_cache(k, c, request->kind, key.namespace));) {
        ExpectTarget target = {.cache = c->number, .key = key, .by = k->by};
        if (uid && will_be_seen_leaving(k, c, key, uid))
            expect_gone(m->expect, target, uid, now_ms(k));
    }
}

static void expect_object(Cluster *k, const Request *request, const Json *answer)
{
    Manager *m = k->manager;
    const char *version = meta_resource_version(answer);
    Key key = meta_key(answer);

    if (!version || !key.name)
        return;
    for (Cache *c = NULL; (c = next_cache(k, c, request->kind, key.namespace));) {
        ExpectTarget target = {.cache = c->number, .key = key, .by = k->by};
        if (cache_selects(c, answer) || store_uid(c->store, key)) /* it may be on its way out */
            expect_version(m->expect, target, version, now_ms(k));
    }
}

static void expect_outcome(Cluster *k, const Request *request, const Err *err, const Json *answer)
{
    Manager *m = k->manager;
    Key key = key_of_request(request);

    guard_enter(m->guard);
    if (!err && request->verb == VERB_DELETE)
        expect_deletion(k, request, answer);
    else if (!err)
        expect_object(k, request, answer);
    else if (err->outcome_unknown && key.name)
        for (Cache *c = NULL; (c = next_cache(k, c, request->kind, key.namespace));)
            expect_unknown(
                m->expect, (ExpectTarget){.cache = c->number, .key = key, .by = k->by}, now_ms(k));
    guard_leave(m->guard);
}

/* Subresources such as a token answer with another object than the one named. */
static bool concerns_object(const Request *request)
{
    return !request->subresource || str_eq(request->subresource, "status");
}

/* --- live reads that settle what the watch has not shown ---------------------------------------
 */

/* While one worker waits for the server another one does what else there is. */
static Err *call_counted(Cluster *k, Arena *a, const Request *request, const Json **ret)
{
    Manager *m = k->manager;

    guard_enter(m->guard);
    k->busy->calls = true;
    if (m->work_added)
        m->work_added(m->host);
    guard_leave(m->guard);
    Err *err = api_call(k->api, a, request, ret);

    guard_enter(m->guard);
    k->busy->calls = false;
    k->busy->rose_ms = now_ms(k);
    instruments_requested(&m->instruments, m->options.transport->host, request, err);
    guard_leave(m->guard);
    return err;
}

/* What a cache must show before it may be read again, after a live read gave `object` (NULL: it is
 * gone). The guard is held. */
static ExpectRead expected_after_read(const Cache *c, Key key, const Json *object)
{
    const char *cached = store_uid(c->store, key);

    if (object && (cached || cache_selects(c, object)))
        return (ExpectRead){.version = meta_resource_version(object)};
    if (!object && cached && !store_is_deleting(c->store, key))
        return (ExpectRead){.gone = cached};
    return (ExpectRead){0};
}

/* The guard is held. */
static void settle_in(const Cluster *k, const Cache *c, Key key, const Json *object)
{
    ExpectTarget target = {.cache = c->number, .key = key, .by = k->by};

    expect_settle(k->manager->expect, target, expected_after_read(c, key, object), now_ms(k));
}

/* The guard is held. */
static void expect_caught_up(Cluster *k, const Cache *c, const LiveRead *read)
{
    ExpectTarget target = {.cache = c->number, .key = read->key, .by = k->by};
    ExpectRead wanted = expected_after_read(c, read->key, read->object);

    if (wanted.version)
        expect_version(k->manager->expect, target, wanted.version, now_ms(k));
    else if (wanted.gone)
        expect_gone(k->manager->expect, target, wanted.gone, now_ms(k));
}

void cluster_end(Cluster *k)
{
    guard_enter(k->manager->guard);
    for (int i = 0; i < k->reads.count; i++) {
        const LiveRead *read = &k->reads.items[i];
        for (Cache *c = NULL; (c = next_cache(k, c, read->kind, read->key.namespace));)
            expect_caught_up(k, c, read);
    }
    guard_leave(k->manager->guard);
    k->reads.count = 0;
}

/* A live read gave `object` (NULL: it is gone): nothing that was written before is in doubt any
 * more. The read is kept first: a doubt is not dropped while the answer to it is lost. The caches
 * are not touched: only its stream may say how far a cache has come. */
static Err *settle_by(Cluster *k, Arena *a, LiveRead read)
{
    TRY(live_reads_keep(&k->reads, a, read));
    guard_enter(k->manager->guard);
    for (Cache *c = NULL; (c = next_cache(k, c, read.kind, read.key.namespace));)
        settle_in(k, c, read.key, read.object);
    guard_leave(k->manager->guard);
    return OK;
}

static Err *parse(Arena *a, Bytes bytes, const Json **ret)
{
    return err_wrap(a, json_parse_again(a, bytes, ret), "reading the cache");
}

/* The cache that keeps such an object: caches of one kind may know it by different managers. */
static Cache *cache_for(const Cluster *k, const LiveRead *read)
{
    for (Cache *c = NULL; (c = next_cache(k, c, read->kind, read->key.namespace));)
        if (cache_selects(c, read->object))
            return c;
    return next_cache(k, NULL, read->kind, read->key.namespace);
}

/* The object as the cache would have kept it: with what only the managed fields tell. */
static Err *as_cached(Cluster *k, Arena *a, LiveRead read, const Json **ret)
{
    const Cache *cache = read.object ? cache_for(k, &read) : NULL;
    StoreItem item;

    *ret = read.object;
    if (!cache)
        return OK;
    TRY(store_project(a, &cache->options, read.object, &item));
    return parse(a, item.bytes, ret);
}

/* Asks the server itself for an object of which the caches cannot be believed. */
static Err *settle(Cluster *k, Arena *a, const Kind *kind, Key key, const Json **ret)
{
    const Json *object = NULL;
    Request get = {.verb = VERB_GET, .kind = kind, .key = key};
    Err *err = call_counted(k, a, &get, &object);

    if (!err && !meta_resource_version(object))
        err = err_retry(a, "%s: the answer is no object", request_text(a, &get));
    if (err && !status_is_not_found(err))
        return err_wrap(a, err, "reading back our own write");
    TRY(settle_by(k, a, (LiveRead){kind, key_copy(a, key), object}));
    return as_cached(k, a, (LiveRead){kind, key, object}, ret);
}

static Err *err_not_seen(Cluster *k, Arena *a, const Kind *kind, Key key)
{
    k->awaits_writes = true;
    return err_wait(a,
        "our last write of %s %s has not come back through the watch yet",
        kind->plural,
        key_text(a, key));
}

/* --- the port ----------------------------------------------------------------------------------
 */

/* What one cache says of a key; *ret stays NULL when it has none. */
static Err *find_in(Cluster *k, Ctx *c, Cache *cache, Key key, const Json **ret)
{
    Manager *m = k->manager;
    Bytes bytes = {0};

    guard_enter(m->guard);
    ExpectState state = expect_state(m->expect, cache->number, key, now_ms(k));
    bool found = state == EXPECT_NOTHING && store_pin(cache->store, c->arena, key, &bytes);
    guard_leave(m->guard);

    if (state == EXPECT_PENDING)
        return err_not_seen(k, c->arena, cache->watch->kind, key);
    if (state == EXPECT_READ_LIVE)
        return settle(k, c->arena, cache->watch->kind, key, ret);
    return found ? parse(c->arena, bytes, ret) : OK;
}

static Err *cluster_find(Kube *kube, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    Cluster *k = cluster_of(kube);
    const Json *object = NULL;
    Cache *cache = next_cache(k, NULL, kind, key.namespace);

    TRY(arena_err(c->arena));
    if (!cache)
        return err_no_cache(c->arena, kind);
    const LiveRead *read = live_reads_find(&k->reads, kind, key);
    if (read)
        return as_cached(k, c->arena, *read, ret);
    for (; cache && !object; cache = next_cache(k, cache, kind, key.namespace))
        TRY(find_in(k, c, cache, key, &object));
    *ret = object;
    return OK;
}

/* Waits for, or reads live, whatever this reconcile's key has written to a cache. */
static Err *settle_own_writes(Cluster *k, Ctx *c, Cache *cache)
{
    Manager *m = k->manager;

    for (int i = 0; i < LIVE_READS_MAX; i++) {
        Key key = {0};
        const Json *ignored;
        guard_enter(m->guard);
        ExpectState state = expect_state_by(m->expect, cache->number, k->by, now_ms(k), &key);
        key = key_copy(c->arena, key);
        guard_leave(m->guard);

        if (state == EXPECT_NOTHING)
            return OK;
        if (state == EXPECT_PENDING)
            return err_not_seen(k, c->arena, cache->watch->kind, key);
        TRY(settle(k, c->arena, cache->watch->kind, key, &ignored));
    }
    return err_retry(c->arena, "too many writes of %s are unsettled", cache->watch->kind->plural);
}

static bool is_selected(const Selection *q, const Json *object)
{
    if (!str_empty(q->namespace) && !str_eq(q->namespace, meta_namespace(object)))
        return false;
    if (q->owner_uid)
        return str_eq(json_str(meta_controller(object), ".uid"), q->owner_uid);
    return selector_matches(q->selector, object);
}

/* One candidate, as much of it as is to be kept. */
static Err *parse_candidate(Arena *a, Bytes bytes, const Selection *q, const Json **ret)
{
    const Json *whole = NULL;

    if (!q->trim)
        return parse(a, bytes, ret);
    SCOPED_ARENA one = arena_open(OBJECT_MAX);
    TRY(err_copy(a, parse(one, bytes, &whole)));
    *ret = json_copy(a, q->trim(one, whole));
    return arena_err(a);
}

/* What the caches have, except where this reconcile knows better. */
static Err *add_cached(
    Cluster *k, Arena *a, const StoreSelection *candidates, const Selection *q, Objects *ret)
{
    const Json **items = arena_array(a, const Json *, ret->count + candidates->count + 1);

    for (size_t i = 0; i < ret->count; i++)
        items[i] = ret->items[i];
    ret->items = items;
    for (size_t i = 0; i < candidates->count; i++) {
        const Json *object = NULL;
        TRY(parse_candidate(a, candidates->items[i], q, &object));
        if (is_selected(q, object) && !live_reads_find(&k->reads, q->kind, meta_key(object)))
            items[ret->count++] = object;
    }
    return OK;
}

static Err *add_read_live(Cluster *k, Arena *a, const Selection *q, Objects *ret)
{
    const Json **items = arena_array(a, const Json *, ret->count + LIVE_READS_MAX);

    for (size_t i = 0; i < ret->count; i++)
        items[i] = ret->items[i];
    ret->items = items;
    for (int i = 0; i < k->reads.count; i++) {
        const LiveRead *read = &k->reads.items[i];
        if (kind_eq(read->kind, q->kind) && read->object && is_selected(q, read->object))
            TRY(as_cached(k, a, *read, &items[ret->count++]));
    }
    return OK;
}

static Err *cluster_select(Kube *kube, Ctx *c, const Selection *q, Objects *ret)
{
    Cluster *k = cluster_of(kube);
    Manager *m = k->manager;
    Objects objects = {0};
    Cache *cache = next_cache(k, NULL, q->kind, q->namespace);

    TRY(arena_err(c->arena));
    if (!cache)
        return err_no_cache(c->arena, q->kind);
    for (; cache; cache = next_cache(k, cache, q->kind, q->namespace)) {
        StoreSelection candidates = {0};
        TRY(settle_own_writes(k, c, cache));
        guard_enter(m->guard);
        if (q->owner_uid)
            store_pin_owned(cache->store, c->arena, q->owner_uid, &candidates);
        else
            store_pin_candidates(cache->store, c->arena, q->namespace, q->selector, &candidates);
        guard_leave(m->guard);
        TRY(add_cached(k, c->arena, &candidates, q, &objects));
    }
    if (k->reads.count)
        TRY(add_read_live(k, c->arena, q, &objects));
    *ret = objects;
    return OK;
}

/* What is pinned belongs to the walk, and not to the reconcile, which may live much longer. */
static Err *walk_cache(Cluster *k, Ctx *c, Cache *cache, Walker *walker)
{
    SCOPED_ARENA pins = arena_open(PINS_MAX);
    SCOPED_ARENA one = arena_open(OBJECT_MAX);
    StoreSelection all = {0};

    guard_enter(k->manager->guard);
    store_pin_candidates(cache->store, pins, walker->namespace, NULL, &all);
    guard_leave(k->manager->guard);
    for (size_t i = 0; i < all.count; i++, arena_reset(one)) {
        const Json *object = NULL;
        Err *err = parse(one, all.items[i], &object);
        if (err)
            return err_terminal(c->arena, "%s", err_text(one, err));
        walker->see(walker, object);
    }
    return OK;
}

static Err *cluster_walk(Kube *kube, Ctx *c, const Kind *kind, Walker *walker)
{
    Cluster *k = cluster_of(kube);
    Cache *cache = next_cache(k, NULL, kind, walker->namespace);

    if (!cache)
        return err_no_cache(c->arena, kind);
    for (; cache; cache = next_cache(k, cache, kind, walker->namespace))
        TRY(walk_cache(k, c, cache, walker));
    return OK;
}

static bool is_in_doubt(Cluster *k, const Kind *kind, Key key)
{
    Manager *m = k->manager;
    bool in_doubt = false;

    if (!key.name)
        return false;
    guard_enter(m->guard);
    for (Cache *c = NULL; (c = next_cache(k, c, kind, key.namespace));)
        in_doubt =
            in_doubt || expect_state(m->expect, c->number, key, now_ms(k)) == EXPECT_READ_LIVE;
    guard_leave(m->guard);
    return in_doubt;
}

/* After a write of unknown outcome the object is read live before it is written again. */
static Err *settle_before_write(Cluster *k, Ctx *c, const Request *request)
{
    Key key = key_of_request(request);
    const Json *ignored;

    return is_in_doubt(k, request->kind, key) ? settle(k, c->arena, request->kind, key, &ignored)
                                              : OK;
}

/* A live read that a reconcile makes on its own settles what was in doubt as well: it may be the
 * last that anybody makes of that object. */
static Err *read_live(Cluster *k, Ctx *c, const Request *request, const Json **ret)
{
    Key key = key_of_request(request);
    const Json *object = NULL;
    Err *err = call_counted(k, c->arena, request, &object);

    if (ret)
        *ret = object;
    if (request->verb == VERB_GET && !request->subresource
        && (status_is_not_found(err) || (!err && meta_resource_version(object)))
        && is_in_doubt(k, request->kind, key))
        TRY(settle_by(k, c->arena, (LiveRead){request->kind, key_copy(c->arena, key), object}));
    return err;
}

static Err *cluster_call(Kube *kube, Ctx *c, const Request *request, const Json **ret)
{
    Cluster *k = cluster_of(kube);
    Request timed = *request;
    const Json *answer = NULL;

    assert(request->verb != VERB_WATCH);
    if (!str_eq(request->subresource, "status")) /* the status may say what went wrong */
        TRY(arena_err(c->arena));
    if (!request_is_write(request))
        return read_live(k, c, request, ret);
    if (!timed.deadline_ms)
        timed.deadline_ms = k->manager->write_deadline_ms;
    TRY(may_write(k, c->arena, &timed));
    if (concerns_object(request)) {
        TRY(settle_before_write(k, c, request));
        TRY(may_write(k, c->arena, &timed)); /* reading took time */
    }

    Err *err = call_counted(k, c->arena, &timed, &answer);
    k->write_count++;
    if (concerns_object(request) && !request->dry_run) {
        live_reads_forget(&k->reads, request->kind, key_of_request(request));
        expect_outcome(k, &timed, err, answer);
    }
    if (!err && ret)
        *ret = answer;
    return err;
}

static bool cluster_serves(Kube *kube, const Kind *kind, const char *namespace)
{
    Cluster *k = cluster_of(kube);
    bool absent = false;

    guard_enter(k->manager->guard);
    for (Cache *c = NULL; (c = next_cache(k, c, kind, namespace));)
        absent = absent || c->health.absent;
    guard_leave(k->manager->guard);
    return !absent;
}

static void cluster_event(Kube *kube, Ctx *c, const Notice *notice)
{
    Manager *m = cluster_of(kube)->manager;
    const Controller *by = m->options.controllers[cluster_of(kube)->by.controller];
    EventNote event = {
        .regarding = notice->regarding,
        .controller = by->reporter ? by->reporter : by->name,
        .type = notice->type,
        .reason = notice->reason,
        .note = notice->note,
    };

    guard_enter(m->guard);
    events_record(m->events, &event, clock_mono_ms(c->clock), c->clock->wall_ns(c->clock));
    if (m->event_added)
        m->event_added(m->host);
    guard_leave(m->guard);
}

void cluster_init(Cluster *k, Manager *m, Api *api, BusyWorker *busy)
{
    *k = (Cluster){
        .port =
            {
                .find = cluster_find,
                .select = cluster_select,
                .walk = cluster_walk,
                .serves = cluster_serves,
                .call = cluster_call,
                .event = cluster_event,
            },
        .manager = m,
        .api = api,
        .busy = busy,
    };
}
