/* The way of an event from bytes to the store: memory of stored objects, allocations, time.
 *
 * Method: 10,000 Pods of 20 KB as a watch brings them (managedFields, probes, environment, status),
 * through a reflector and store_project into a store with the projection of an operator that looks
 * after pods. Bytes per object are resident memory (/proc/self/statm) after minus before all of
 * them, divided by their number; the arenas' warm memory is part of it. Then every Pod changes ten
 * times, and calls of malloc, calloc and realloc are counted from the second round on; what the
 * slab takes from the system beyond malloc is shown as its growth. */
#include "base/clock.h"
#include "base/err.h"
#include "kube/runtime/reflector.h"
#include "kube/runtime/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PODS = 10000, ROUNDS = 10, CHUNK = 16 << 10, EVENT_MAX = 64 << 10 };

/* --- counting allocations: the program's own malloc, which the linker prefers to libc's */

static size_t allocations;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *libc_new(size_t size) __asm__("__libc_malloc");
void *libc_new_zeroed(size_t count, size_t size) __asm__("__libc_calloc");
void *libc_resize(void *old, size_t size) __asm__("__libc_realloc");
void *counted_new(size_t size) __asm__("malloc");
void *counted_new_zeroed(size_t count, size_t size) __asm__("calloc");
void *counted_resize(void *old, size_t size) __asm__("realloc");

void *counted_new(size_t size)
{
    allocations++;
    return libc_new(size);
}

void *counted_new_zeroed(size_t count, size_t size)
{
    allocations++;
    return libc_new_zeroed(count, size);
}

void *counted_resize(void *old, size_t size)
{
    allocations++;
    return libc_resize(old, size);
}
#endif

/* --- a cache: a store behind a feed */

static const char *const paths[] = {
    ".spec.nodeName",
    ".spec.containers[].name",
    ".spec.containers[].image",
    ".status.phase",
    ".status.podIP",
    ".status.conditions[].type",
    ".status.conditions[].status",
    ".status.containerStatuses[].name",
    ".status.containerStatuses[].ready",
    ".status.containerStatuses[].restartCount",
    ".status.containerStatuses[].state",
    NULL,
};
static const Kind pod_kind = {
    .group = "",
    .version = "v1",
    .plural = "pods",
    .name = "Pod",
    .namespaced = true,
    .projection = paths,
};

typedef struct Cache {
    Feed port; /* first */
    Arena *scratch;
    StoreOptions options;
    Store *store;
} Cache;

static void take_in(Feed *feed, const Json *object)
{
    Cache *c = (Cache *)(void *)feed;
    StoreItem item;
    if (store_project(c->scratch, &c->options, object, &item) != OK)
        BUG("a Pod cannot be projected");
    store_put(c->store, &item);
    arena_reset(c->scratch);
}

static void reach(Feed *feed, const char *version)
{
    store_reach(((Cache *)(void *)feed)->store, version);
}

static void list_begin(Feed *feed)
{
    store_list_begin(((Cache *)(void *)feed)->store);
}

static void no_removal(void *self, StoreChange change, const StoreItem *item)
{
    (void)self;
    (void)change;
    (void)item;
    BUG("the list removed what was never there");
}

static void list_end(Feed *feed, const char *version)
{
    store_list_end(((Cache *)(void *)feed)->store, version, no_removal, NULL);
}

static void list_abort(Feed *feed)
{
    store_list_abort(((Cache *)(void *)feed)->store);
}

/* --- a server that has started one stream */

typedef struct Server {
    Streams port; /* first */
    StreamSink *sink;
} Server;

static Err *start(Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    (void)a;
    (void)request;
    ((Server *)(void *)self)->sink = sink;
    *ret = 1;
    return OK;
}

static void cancel(Streams *self, StreamId id)
{
    (void)self;
    (void)id;
}

/* --- a Pod of 20 KB */

static void fill(Buf *b, const char *format, size_t until)
{
    for (int i = 0; b->len < until; i++)
        if (!buf_format(b, "%s{\"name\":\"FIELD_%04d\",%s}", i ? "," : "", i, format))
            BUG("a Pod is larger than its buffer");
}

static void write_event(Buf *b, int pod, int round)
{
    b->len = 0;
    bool fits = buf_format(b,
        "{\"type\":\"%s\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
        "\"name\":\"validator-%05d-0\",\"generateName\":\"validator-%05d-\","
        "\"namespace\":\"sei-mainnet\",\"uid\":\"6f1d2c3b-0000-4000-8000-%012d\","
        "\"resourceVersion\":\"%d\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\","
        "\"labels\":{\"app\":\"seid\",\"sei.io/node\":\"validator-%05d\","
        "\"controller-revision-hash\":\"validator-%05d-6b8f9c7d5\","
        "\"statefulset.kubernetes.io/pod-name\":\"validator-%05d-0\"},"
        "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\","
        "\"name\":\"validator-%05d\",\"uid\":\"0a1b2c3d-0000-4000-8000-%012d\","
        "\"controller\":true,\"blockOwnerDeletion\":true}],\"managedFields\":[",
        round ? "MODIFIED" : "ADDED",
        pod,
        pod,
        pod,
        1000000 + round * PODS + pod,
        pod,
        pod,
        pod,
        pod,
        pod);
    fill(b, "\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:app\":{}}}}", 7000);
    fits = fits
        && buf_format(b,
            "]},\"spec\":{\"nodeName\":\"ip-10-0-%d-%d\",\"containers\":[{\"name\":\"seid\","
            "\"image\":\"ghcr.io/sei-protocol/sei:v6.1.4\",\"env\":[",
            pod / 250,
            pod % 250);
    fill(b, "\"value\":\"a value of some length that nobody here looks at\"", 19400);
    fits = fits
        && buf_format(b,
            "]},{\"name\":\"sidecar\",\"image\":\"ghcr.io/sei-protocol/sidecar:v1.2.3\"}]},"
            "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.%d.%d\",\"conditions\":["
            "{\"type\":\"Initialized\",\"status\":\"True\",\"lastTransitionTime\":\"x\"},"
            "{\"type\":\"Ready\",\"status\":\"%s\",\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}"
            ","
            "{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"x\"}],"
            "\"containerStatuses\":[{\"name\":\"seid\",\"ready\":true,\"restartCount\":%d,"
            "\"imageID\":\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef\","
            "\"state\":{\"running\":{\"startedAt\":\"2026-01-02T03:04:05Z\"}}},"
            "{\"name\":\"sidecar\",\"ready\":true,\"restartCount\":0,"
            "\"state\":{\"running\":{\"startedAt\":\"2026-01-02T03:04:05Z\"}}}]}}}\n",
            pod / 250,
            pod % 250,
            round % 2 ? "True" : "Wait",
            round % 10);
    if (!fits)
        BUG("a Pod is larger than its buffer");
}

static void send_event(const Server *s, const Buf *event)
{
    for (size_t at = 0, taken; at < event->len; at += taken) {
        taken = event->len - at < CHUNK ? event->len - at : CHUNK;
        s->sink->on_bytes(s->sink, event->data + at, taken);
    }
}

static size_t resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1)
        BUG("no /proc");
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

typedef struct Bench {
    SeededRng rng;
    Server server;
    Cache cache;
    Reflector *reflector;
    Buf event;
} Bench;

/* A watch that is open behind an empty list. */
static void open_watch(Bench *b)
{
    static const char empty[] =
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}";
    *b = (Bench){.server = {.port = {.start = start, .cancel = cancel}}};
    rng_seed(&b->rng, 1);
    b->event.ceiling = EVENT_MAX;
    b->cache = (Cache){
        .port = {take_in, NULL, reach, list_begin, take_in, list_end, list_abort},
        .scratch = arena_open((size_t)64 << 20),
        .options = {.kind = &pod_kind,
            .index_label = "sei.io/node",
            .slab = slab_open(),
            .guard = guard_none()},
    };
    b->cache.store = store_open(&b->cache.options);
    b->reflector = reflector_open(&(ReflectorOptions){
        .kind = &pod_kind,
        .streams = &b->server.port,
        .feed = &b->cache.port,
        .rng = &b->rng.port,
    });

    reflector_step(b->reflector, 0);
    StreamSink *sink = b->server.sink;
    sink->on_head(sink, 200, 0);
    sink->on_bytes(sink, empty, strlen(empty));
    sink->on_end(sink, OK);
    reflector_step(b->reflector, 0);
    sink->on_head(sink, 200, 0);
}

static void close_watch(Bench *b)
{
    reflector_close(b->reflector);
    store_close(b->cache.store);
    slab_close(b->cache.options.slab);
    arena_close(b->cache.scratch);
    buf_close(&b->event);
}

static void measure_memory(Bench *b)
{
    write_event(&b->event, 0, 0);
    printf("store_event_size %zu bytes\n", b->event.len);
    size_t before = resident_bytes();
    for (int pod = 0; pod < PODS; pod++) {
        write_event(&b->event, pod, 0);
        send_event(&b->server, &b->event);
    }
    size_t after = resident_bytes();
    printf("store_packed_size %zu bytes\n", store_bytes(b->cache.store) / PODS);
    printf("store_resident_per_object %zu bytes\n", (after - before) / PODS);
}

static void measure_events(Bench *b)
{
    Clock *clock = clock_system();
    int64_t spent = 0;
    size_t counted = 0, footprint = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        if (round == 2)
            footprint = slab_footprint(b->cache.options.slab);
        for (int pod = 0; pod < PODS; pod++) {
            write_event(&b->event, pod, round);
            size_t allocated = allocations;
            int64_t began = clock->mono_ns(clock);
            send_event(&b->server, &b->event);
            spent += clock->mono_ns(clock) - began;
            counted += round > 1 ? allocations - allocated : 0;
        }
    }
    const double events = (double)(ROUNDS * PODS), warm = (double)((ROUNDS - 1) * PODS);
    printf("store_mallocs_per_event %.6f calls\n", (double)counted / warm);
    printf("store_slab_growth %zu bytes\n", slab_footprint(b->cache.options.slab) - footprint);
    printf("store_event_time %.1f us\n", (double)spent / 1e3 / events);
    printf("store_event_speed %.0f MB/s\n", (double)b->event.len * events / ((double)spent / 1e3));
}

int main(void)
{
    Bench b;
    open_watch(&b);
    if (allocations == 0)
        BUG("allocations are not counted: build without sanitizers");
    measure_memory(&b);
    measure_events(&b);
    ReflectorHealth health = reflector_health(b.reflector);
    if (health.failures > 0 || health.events != (uint64_t)PODS * (ROUNDS + 1)
        || store_count(b.cache.store) != PODS)
        BUG("an event was lost");
    close_watch(&b);
    return 0;
}
