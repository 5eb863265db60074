/* Live: an object stands in an arena of its own, which goes when the next version comes. What a
 * list does not name any more is swept when its last page is in. */
#include "cli/live.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/reflector.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_BYTES_MAX = 8 << 20, TROUBLE_SIZE = 256 };

typedef struct Held {
    Arena *arena; /* which it is in itself */
    const char *key;
    size_t watch;
    const Json *object;
    unsigned list; /* the list of its watch that has last named it */
} Held;

typedef struct Feeding {
    Feed feed;
    Live *live;
    size_t number;
    Reflector *reflector;
    bool is_synced;
    unsigned list; /* counts the lists */
} Feeding;

struct Live {
    LiveOptions options;
    Arena *arena;
    Streams *streams;
    Map *held;
    Feeding feedings[LIVE_WATCHES_MAX];
    size_t count;
    bool was_connected;
    int64_t since_ms, next_ms;
};

static const char *key_of(Arena *a, size_t watch, const Json *object)
{
    return str_format(a, "%zu/%s", watch, key_text(a, meta_key(object)));
}

static void let_go(Live *l, Held *held)
{
    map_remove(l->held, held->key);
    arena_close(held->arena);
}

static bool is_same_version(const Json *left, const Json *right)
{
    const char *version = meta_resource_version(right);

    return version && str_eq(meta_resource_version(left), version);
}

/* --- the feed */

static void keep(Feeding *f, const Json *object)
{
    Live *l = f->live;
    Arena *a = arena_open(OBJECT_BYTES_MAX);
    Held *held = arena_new(a, Held), *before;

    *held = (Held){.arena = a, .watch = f->number, .list = f->list};
    held->key = key_of(a, f->number, object);
    before = map_find(l->held, held->key);
    if (before && is_same_version(before->object, object)) {
        before->list = f->list;
        arena_close(a);
        return;
    }
    held->object = json_copy(a, object);
    if (before)
        let_go(l, before);
    if (!map_put(l->held, held->key, held)) {
        arena_close(a);
        return;
    }
    if (l->options.sink)
        l->options.sink->changed(l->options.sink, f->number, held->object, false);
}

static void put(Feed *self, const Json *object)
{
    keep(link_owner(Feeding, feed, self), object);
}

static void drop(Live *l, Held *held)
{
    if (l->options.sink)
        l->options.sink->changed(l->options.sink, held->watch, held->object, true);
    let_go(l, held);
}

static void remove_object(Feed *self, const Json *object)
{
    Feeding *f = link_owner(Feeding, feed, self);
    SCOPED_ARENA a = arena_open(1 << 16);
    Held *held = map_find(f->live->held, key_of(a, f->number, object));

    if (held)
        drop(f->live, held);
}

static void reach(Feed *self, const char *version)
{
    (void)self, (void)version;
}

static void list_begin(Feed *self)
{
    link_owner(Feeding, feed, self)->list++;
}

static void list_end(Feed *self, const char *version)
{
    Feeding *f = link_owner(Feeding, feed, self);
    size_t cursor = 0;
    Held *held;

    (void)version;
    while ((held = map_next(f->live->held, &cursor)))
        if (held->watch == f->number && held->list != f->list)
            drop(f->live, held);
    f->is_synced = true;
}

static void list_abort(Feed *self)
{
    (void)self;
}

/* --- life */

static void open_watch(Live *l, const LiveWatch *watch)
{
    Feeding *f = &l->feedings[l->count];

    *f = (Feeding){
        .feed = {put, remove_object, reach, list_begin, put, list_end, list_abort},
        .live = l,
        .number = l->count++,
    };
    f->reflector = reflector_open(&(ReflectorOptions){
        .kind = watch->kind,
        .namespace = watch->namespace,
        .labels = watch->labels,
        .fields = watch->fields,
        .streams = l->streams,
        .feed = &f->feed,
        .rng = rng_system(),
    });
}

Live *live_open(const LiveOptions *options)
{
    Arena *a = arena_open(1 << 20);
    Live *l = arena_new(a, Live);

    *l = (Live){
        .options = *options,
        .arena = a,
        .streams = options->transport->open_streams(options->transport),
        .held = map_open(LIVE_OBJECTS_MAX),
        .since_ms = clock_mono_ms(options->clock),
    };
    for (const LiveWatch *watch = options->watches; watch->kind; watch++)
        open_watch(l, watch);
    return l;
}

void live_close(Live *l)
{
    size_t cursor = 0;
    Held *held;

    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        reflector_close(l->feedings[i].reflector);
    l->options.transport->close_streams(l->options.transport, l->streams);
    while ((held = map_next(l->held, &cursor)))
        let_go(l, held);
    map_close(l->held);
    arena_close(l->arena);
}

static void step(Live *l)
{
    int64_t now_ms = clock_mono_ms(l->options.clock);

    l->next_ms = INT64_MAX;
    for (size_t i = 0; i < l->count; i++) {
        int64_t next_ms = reflector_step(l->feedings[i].reflector, now_ms);
        l->next_ms = next_ms < l->next_ms ? next_ms : l->next_ms;
    }
    bool is_connected = live_health(l).is_connected;
    if (is_connected != l->was_connected)
        l->since_ms = now_ms;
    l->was_connected = is_connected;
}

Err *live_poll(Live *l, Arena *a, int64_t timeout_ms)
{
    step(l);
    int64_t due_ms = l->next_ms - clock_mono_ms(l->options.clock);
    int64_t wait_ms = due_ms < timeout_ms ? due_ms : timeout_ms;

    TRY(stream_poll(l->streams, a, wait_ms > 0 ? wait_ms : 0));
    step(l);
    return OK;
}

/* --- what there is */

/* "rpc-2" before "rpc-10", each namespace by itself. */
static int by_name(const void *left, const void *right)
{
    const Json *const *left_object = left, *const *right_object = right;
    const char *l = meta_name(*left_object), *r = meta_name(*right_object);
    int order = str_compare(meta_namespace(*left_object), meta_namespace(*right_object));

    if (order)
        return order;
    return l && r ? strverscmp(l, r) : str_compare(l, r);
}

const Json *live_list(Live *l, Arena *a, size_t watch)
{
    const Json **objects = arena_array(a, const Json *, map_count(l->held) + 1);
    Draft *list = draft_array(a);
    size_t count = 0, cursor = 0;
    const Held *held;

    while ((held = map_next(l->held, &cursor)))
        if (held->watch == watch)
            objects[count++] = held->object;
    qsort(objects, count, sizeof *objects, by_name);
    for (size_t i = 0; i < count; i++)
        draft_push_json(list, objects[i]);
    return json_seal(a, list);
}

const Json *live_only(Live *l, size_t watch)
{
    size_t cursor = 0;
    const Held *held;

    while ((held = map_next(l->held, &cursor)))
        if (held->watch == watch)
            return held->object;
    return NULL;
}

LiveHealth live_health(const Live *l)
{
    LiveHealth health = {.is_synced = true, .is_connected = true, .since_ms = l->since_ms};

    for (size_t i = 0; i < l->count; i++) {
        ReflectorHealth one = reflector_health(l->feedings[i].reflector);
        health.is_synced = health.is_synced && l->feedings[i].is_synced;
        /* A watch that ended in order and is being resumed is no trouble. */
        if (one.watching || (one.failures == 0 && l->feedings[i].is_synced))
            continue;
        health.is_connected = false;
        health.trouble = one.last_error ? one.last_error : health.trouble;
    }
    return health;
}
