/* Fuzzes a reflector in front of a store: whatever a server sends, nothing crashes, only an event
 * or the end of a list removes anything, and one sound list sets everything right.
 *
 * The input is answers, each ended by a zero byte (or the end). The first byte of an answer says
 * how it comes: two bits for the status, two for the end, the rest for the size of the chunks. */
#include "kube/runtime/reflector.h"

#include "base/str.h"
#include "kube/runtime/store.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

/* The one stream that runs. */
typedef struct Server {
    Streams port; /* first */
    StreamSink *sink;
    StreamId running;
    StreamId started;
} Server;

static Err *start(Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    Server *s = (Server *)(void *)self;
    const char *url;
    must(request_url(a, request, &url) == OK);
    must(s->running == 0);
    s->sink = sink;
    s->running = *ret = ++s->started;
    return OK;
}

static void cancel(Streams *self, StreamId id)
{
    Server *s = (Server *)(void *)self;
    if (id == s->running)
        s->running = 0;
}

/* A store behind a feed. */
typedef struct Cache {
    Feed port; /* first */
    Arena *scratch;
    StoreOptions options;
    Store *store;
} Cache;

static Cache *cache_of(Feed *feed)
{
    return (Cache *)(void *)feed;
}

static void take_in(Feed *feed, const Json *object, StoreChange (*how)(Store *, const StoreItem *))
{
    Cache *c = cache_of(feed);
    StoreItem item;
    const Json *again;
    if (store_project(c->scratch, &c->options, object, &item) == OK) {
        must(json_parse(c->scratch, item.bytes, &again) == OK);
        how(c->store, &item);
    }
    arena_reset(c->scratch);
}

static void feed_put(Feed *feed, const Json *object)
{
    take_in(feed, object, store_put);
}

static void feed_remove(Feed *feed, const Json *object)
{
    take_in(feed, object, store_remove);
}

static void feed_reach(Feed *feed, const char *version)
{
    store_reach(cache_of(feed)->store, version);
}

static void feed_list_begin(Feed *feed)
{
    store_list_begin(cache_of(feed)->store);
}

static void feed_list_put(Feed *feed, const Json *object)
{
    take_in(feed, object, store_list_put);
}

static void ignore(void *self, StoreChange change, const StoreItem *item)
{
    (void)self;
    must(change == STORE_REMOVED && item->bytes.len > 0);
}

static void feed_list_end(Feed *feed, const char *version)
{
    store_list_end(cache_of(feed)->store, version, ignore, NULL);
}

static void feed_list_abort(Feed *feed)
{
    store_list_abort(cache_of(feed)->store);
}

static void send_answer(Server *s, int status, Bytes body, size_t chunk)
{
    s->sink->on_head(s->sink, status, 0);
    for (size_t at = 0, taken; at < body.len; at += taken) {
        taken = chunk < body.len - at ? chunk : body.len - at;
        s->sink->on_bytes(s->sink, body.data + at, taken);
    }
}

static void end_answer(Server *s, const Err *why)
{
    s->running = 0;
    s->sink->on_end(s->sink, why);
}

/* One answer of the input; gives its end. */
static const uint8_t *misbehave(Server *s, Arena *a, const uint8_t *at, const uint8_t *end)
{
    static const int statuses[] = {200, 200, 410, 503};
    uint8_t how = *at++;
    const uint8_t *cut = memchr(at, '\0', (size_t)(end - at));
    cut = cut ? cut : end;

    Bytes body = {.data = (const char *)at, .len = (size_t)(cut - at)};
    send_answer(s, statuses[how & 3], body, 1 + (size_t)(how >> 4) * 7);
    switch (how >> 2 & 3) {
    case 0:
    case 1:
        end_answer(s, OK);
        break;
    case 2:
        end_answer(s, err_retry(a, "connection reset"));
        break;
    default:
        break;
    }
    return cut == end ? end : cut + 1;
}

static void become_well(Server *s, Reflector *r, int64_t now)
{
    static const char page[] =
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"5\"}"
        "}]}";
    reflector_relist(r, now);
    reflector_step(r, now);
    must(s->running != 0);
    send_answer(s, 200, bytes_of(page), 100);
    end_answer(s, OK);
    reflector_step(r, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open((size_t)16 << 20);
    SeededRng rng;
    rng_seed(&rng, 1);
    Server server = {.port = {.start = start, .cancel = cancel}};
    Cache cache = {
        .port =
            {
                .put = feed_put,
                .remove = feed_remove,
                .reach = feed_reach,
                .list_begin = feed_list_begin,
                .list_put = feed_list_put,
                .list_end = feed_list_end,
                .list_abort = feed_list_abort,
            },
        .scratch = arena_open((size_t)64 << 20),
        .options = {.kind = kind_pod,
            .index_label = "app",
            .slab = slab_open(),
            .guard = guard_none()},
    };
    cache.store = store_open(&cache.options);
    Reflector *r = reflector_open(&(ReflectorOptions){
        .kind = kind_pod,
        .streams = &server.port,
        .feed = &cache.port,
        .rng = &rng.port,
        .event_max = 4096,
    });
    int64_t now = 0;

    for (const uint8_t *at = data, *end = data + size; at < end;) {
        int64_t next = reflector_step(r, now);
        must(server.running != 0 || next > now);
        now = server.running ? now + 10 : next;
        if (server.running)
            at = misbehave(&server, a, at, end);
    }
    reflector_step(r, now);
    become_well(&server, r, now);
    must(store_count(cache.store) == 1);
    must(str_eq(store_uid(cache.store, (Key){"n", "a"}), "u"));
    must(str_eq(store_version(cache.store), "7"));
    reflector_close(r);
    store_close(cache.store);
    slab_close(cache.options.slab);
    arena_close(cache.scratch);
    return 0;
}
