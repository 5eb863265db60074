/* Queue: every known key is one entry, found by its tag. An entry is in at most one of three
 * places: a line of ready keys, the heap of delayed ones, or a worker's hands; one that is in none
 * is forgotten at once, so keys that vanish cost nothing. */
#include "kube/runtime/queue.h"

#include "base/err.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/runtime/backoff.h"
#include "kube/runtime/tag.h"

#include <assert.h>
#include <string.h>

enum {
    KEYS_MAX = 1000000,
    HEAP_MIN = 64,
    /* After so many events in a row a start-up key is let through: a flood must not starve it. */
    EVENTS_IN_A_ROW = 16,
};

static const int64_t never = INT64_MAX;
static const size_t nowhere = SIZE_MAX;

typedef struct Entry {
    QueueKey key; /* its strings stand behind the tag */
    Link ready;
    int64_t since_ms; /* when it became ready */
    int64_t due_ms;   /* its place in the heap; of a held key: when it wants to be back */
    uint64_t turn;    /* keeps entries of one due time in the order of their coming */
    size_t heap_at;   /* or nowhere */
    size_t size;
    unsigned failures;
    QueuePriority priority; /* of its line; of a held key: of the line it goes back to */
    bool is_ready, is_held;
    bool again; /* added while held */
    char tag[];
} Entry;

struct Queue {
    QueueOptions options;
    BackoffPolicy backoff;
    Slab *slab;
    Map *entries;
    Link ready[2]; /* by priority */
    Entry **heap;  /* the earliest first */
    size_t heap_count, heap_room;
    uint64_t turns;
    unsigned events_in_a_row;
    QueueCounts counts[QUEUE_CONTROLLERS_MAX];
};

static QueueCounts *counts_of(Queue *q, const Entry *e)
{
    return &q->counts[e->key.controller];
}

/* --- the heap of delayed keys */

static bool is_earlier(const Entry *left, const Entry *right)
{
    return left->due_ms != right->due_ms ? left->due_ms < right->due_ms : left->turn < right->turn;
}

static void heap_set(Queue *q, size_t at, Entry *e)
{
    q->heap[at] = e;
    e->heap_at = at;
}

static void heap_rise(Queue *q, Entry *e, size_t at)
{
    while (at > 0 && is_earlier(e, q->heap[(at - 1) / 2])) {
        heap_set(q, at, q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(q, at, e);
}

static void heap_sink(Queue *q, Entry *e, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < q->heap_count && is_earlier(q->heap[child + 1], q->heap[child]))
            child++;
        if (child >= q->heap_count || !is_earlier(q->heap[child], e))
            break;
        heap_set(q, at, q->heap[child]);
        at = child;
    }
    heap_set(q, at, e);
}

static void heap_grow(Queue *q)
{
    size_t room = q->heap_room ? 2 * q->heap_room : HEAP_MIN;
    Entry **heap = slab_alloc(q->slab, room * sizeof(Entry *));

    if (q->heap_count > 0)
        memcpy(heap, q->heap, q->heap_count * sizeof(Entry *));
    slab_free(q->slab, q->heap, q->heap_room * sizeof(Entry *));
    q->heap = heap;
    q->heap_room = room;
}

static void delay(Queue *q, Entry *e, int64_t due_ms)
{
    if (q->heap_count == q->heap_room)
        heap_grow(q);
    e->due_ms = due_ms;
    e->turn = q->turns++;
    heap_rise(q, e, q->heap_count++);
    counts_of(q, e)->delayed++;
}

static void undelay(Queue *q, Entry *e)
{
    if (e->heap_at == nowhere)
        return;
    size_t at = e->heap_at;
    Entry *last = q->heap[--q->heap_count];
    e->heap_at = nowhere;
    e->due_ms = never;
    if (last != e) {
        heap_rise(q, last, at);
        heap_sink(q, last, last->heap_at);
    }
    counts_of(q, e)->delayed--;
}

/* --- entries */

static Entry *find(const Queue *q, QueueKey key)
{
    char tag[TAG_SIZE];
    return tag_write(key.controller, key.key, tag) ? map_find(q->entries, tag) : NULL;
}

static const char *pack(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *packed = memcpy(*at, text, size);
    *at += size;
    return packed;
}

/* The entry of a key, made when there is none. NULL when the queue is full or the key is none. */
static Entry *ensure(Queue *q, QueueKey key)
{
    char tag[TAG_SIZE];
    assert(key.controller >= 0 && key.controller < QUEUE_CONTROLLERS_MAX);
    if (!tag_write(key.controller, key.key, tag))
        return NULL;
    Entry *e = map_find(q->entries, tag);
    if (e)
        return e;

    const char *namespace = key.key.namespace ? key.key.namespace : "";
    size_t strings = strlen(tag) + strlen(namespace) + strlen(key.key.name) + 3;
    size_t size = sizeof *e + strings;
    e = slab_alloc(q->slab, size);
    *e = (Entry){.size = size, .heap_at = nowhere, .due_ms = never};
    link_init(&e->ready);
    char *at = e->tag;
    pack(&at, tag);
    e->key.controller = key.controller;
    e->key.key.namespace = pack(&at, namespace);
    e->key.key.name = pack(&at, key.key.name);
    if (map_put(q->entries, e->tag, e))
        return e;
    slab_free(q->slab, e, size);
    return NULL;
}

static void forget_if_idle(Queue *q, Entry *e)
{
    if (e->is_ready || e->is_held || e->heap_at != nowhere)
        return;
    map_remove(q->entries, e->tag);
    slab_free(q->slab, e, e->size);
}

static void make_ready(Queue *q, Entry *e, QueuePriority priority, int64_t since_ms)
{
    undelay(q, e);
    e->is_ready = true;
    e->priority = priority;
    e->since_ms = since_ms;
    link_insert_before(&q->ready[priority], &e->ready);
    counts_of(q, e)->ready++;
}

static void make_unready(Queue *q, Entry *e)
{
    link_remove(&e->ready);
    e->is_ready = false;
    counts_of(q, e)->ready--;
}

/* --- the queue */

Queue *queue_open(const QueueOptions *options)
{
    Slab *slab = slab_open();
    Queue *q = slab_alloc(slab, sizeof *q);
    size_t keys_max = options->keys_max ? options->keys_max : KEYS_MAX;

    *q = (Queue){
        .options = *options,
        .backoff =
            {
                .first_ms = options->backoff_ms ? options->backoff_ms : 50,
                .max_ms = options->backoff_max_ms ? options->backoff_max_ms : 60000,
            },
        .slab = slab,
        .entries = map_open(keys_max),
    };
    link_init(&q->ready[QUEUE_EVENT]);
    link_init(&q->ready[QUEUE_STARTUP]);
    return q;
}

void queue_close(Queue *q)
{
    if (!q)
        return;
    map_close(q->entries);
    slab_close(q->slab);
}

bool queue_add(Queue *q, QueueKey key, QueuePriority priority, int64_t now_ms)
{
    Entry *e = ensure(q, key);
    if (!e)
        return false;
    if (e->is_held) {
        counts_of(q, e)->adds += !e->again;
        e->priority = e->again && e->priority < priority ? e->priority : priority;
        e->again = true;
    } else if (!e->is_ready) {
        counts_of(q, e)->adds++;
        make_ready(q, e, priority, now_ms);
    } else if (priority < e->priority) {
        make_unready(q, e);
        make_ready(q, e, priority, e->since_ms);
    }
    return true;
}

bool queue_add_at(Queue *q, QueueKey key, int64_t due_ms)
{
    Entry *e = ensure(q, key);
    if (!e)
        return false;
    if (e->is_held) {
        e->due_ms = due_ms < e->due_ms ? due_ms : e->due_ms;
    } else if (!e->is_ready && due_ms < e->due_ms) {
        undelay(q, e);
        delay(q, e, due_ms);
    }
    forget_if_idle(q, e);
    return true;
}

static Entry *next_ready(Queue *q)
{
    Link *events = &q->ready[QUEUE_EVENT], *startup = &q->ready[QUEUE_STARTUP];
    bool startup_waits = !link_is_alone(startup);

    if (link_is_alone(events) || (startup_waits && q->events_in_a_row >= EVENTS_IN_A_ROW)) {
        q->events_in_a_row = 0;
        return startup_waits ? link_owner(Entry, ready, startup->next) : NULL;
    }
    q->events_in_a_row += startup_waits;
    return link_owner(Entry, ready, events->next);
}

bool queue_take(Queue *q, int64_t now_ms, QueueKey *ret, int64_t *waited_ms)
{
    while (q->heap_count > 0 && q->heap[0]->due_ms <= now_ms)
        make_ready(q, q->heap[0], QUEUE_EVENT, q->heap[0]->due_ms);

    Entry *e = next_ready(q);
    if (!e)
        return false;
    make_unready(q, e);
    e->is_held = true;
    counts_of(q, e)->held++;
    if (waited_ms)
        *waited_ms = now_ms - e->since_ms;
    *ret = e->key;
    return true;
}

static Entry *put_down(Queue *q, QueueKey key)
{
    Entry *e = find(q, key);
    if (!e || !e->is_held)
        BUG("a key was given back that nobody had taken");
    e->is_held = false;
    counts_of(q, e)->held--;
    return e;
}

/* Where a key goes that a worker is done with: back into its line, to its time, or away. */
static void settle(Queue *q, Entry *e, int64_t due_ms, int64_t now_ms)
{
    bool again = e->again;
    e->again = false;
    e->due_ms = never;
    if (again)
        make_ready(q, e, e->priority, now_ms);
    else if (due_ms != never)
        delay(q, e, due_ms);
    forget_if_idle(q, e);
}

void queue_done_ok(Queue *q, QueueKey key, int64_t now_ms)
{
    Entry *e = put_down(q, key);
    e->failures = 0;
    settle(q, e, e->due_ms, now_ms);
}

void queue_done_failed(Queue *q, QueueKey key, int64_t retry_after_ms, int64_t now_ms)
{
    Entry *e = put_down(q, key);
    e->failures += e->failures < UINT32_MAX;
    counts_of(q, e)->retries++;
    int64_t back = now_ms + backoff_ms(&q->backoff, e->failures, q->options.rng);
    int64_t not_before = now_ms + retry_after_ms;
    int64_t due = e->due_ms < back ? e->due_ms : back;
    settle(q, e, due > not_before ? due : not_before, now_ms);
}

int64_t queue_next_due(const Queue *q)
{
    for (size_t priority = 0; priority < 2; priority++)
        if (!link_is_alone(&q->ready[priority]))
            return link_owner(Entry, ready, q->ready[priority].next)->since_ms;
    return q->heap_count > 0 ? q->heap[0]->due_ms : never;
}

QueueCounts queue_counts(const Queue *q, int controller)
{
    assert(controller >= 0 && controller < QUEUE_CONTROLLERS_MAX);
    return q->counts[controller];
}

unsigned queue_failures(const Queue *q, QueueKey key)
{
    const Entry *e = find(q, key);
    return e ? e->failures : 0;
}
