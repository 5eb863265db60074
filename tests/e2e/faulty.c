/* One counter, wrapped Apis, and Streams that end one stream themselves.
 *
 * A broken stream ends from within poll, as the port promises: its sink is remembered and told at
 * the end of the next poll. */
#include "tests/e2e/faulty.h"

#include "base/link.h"

#include <stdatomic.h>

enum { NO_STREAM = 0 };

struct Faulty {
    Transport port;
    Transport *below;
    Arena *arena;
    Fault fault;
    atomic_int_fast64_t calls;
};

typedef struct FaultyApi {
    Api port;
    Faulty *faulty;
    Api *below;
    Arena *arena;
} FaultyApi;

/* The one stream that breaks: between its start and the poll that ends it. */
typedef struct Broken {
    StreamSink port; /* in the place of the real sink; NULL functions before it started */
    StreamSink *sink;
    StreamId id; /* what the caller knows it by */
    bool is_open;
    bool starved; /* nothing more is passed on: poll ends it */
} Broken;

typedef struct FaultyStreams {
    Streams port;
    Faulty *faulty;
    Streams *below;
    Arena *arena;
    Broken broken;
} FaultyStreams;

/* Ids of streams that were never started below; below never gives so large ones. */
static const StreamId unsent_id = UINT64_MAX;

static bool breaks_now(Faulty *f)
{
    return atomic_fetch_add(&f->calls, 1) + 1 == f->fault.call;
}

static Err *lost(Arena *a, const Request *request, bool was_sent)
{
    Err *err =
        err_retry(a, "broken by the test %s it was carried out", was_sent ? "after" : "before");

    err->outcome_unknown = was_sent && request_is_write(request);
    return err_wrap(a, err, "%s", request_text(a, request));
}

/* --- Api */

static Err *call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    FaultyApi *api = link_owner(FaultyApi, port, self);
    Faulty *f = api->faulty;

    if (!breaks_now(f))
        return api->below->call(api->below, a, request, ret);
    if (!f->fault.after)
        return lost(a, request, false);
    const Json *ignored = NULL;
    Err *err = api->below->call(api->below, a, request, &ignored);
    return err ? err : lost(a, request, true);
}

static Api *open_api(Transport *self)
{
    Faulty *f = link_owner(Faulty, port, self);
    Arena *arena = arena_open(1 << 12);
    FaultyApi *api = arena_new(arena, FaultyApi);

    *api = (FaultyApi){.port = {.call = call}, .faulty = f, .arena = arena};
    api->below = f->below->open_api(f->below);
    return &api->port;
}

static void close_api(Transport *self, Api *port)
{
    Faulty *f = link_owner(Faulty, port, self);

    if (!port)
        return;
    FaultyApi *api = link_owner(FaultyApi, port, port);
    f->below->close_api(f->below, api->below);
    arena_close(api->arena);
}

/* --- Streams */

static void on_head(StreamSink *self, int status, int64_t retry_after_ms)
{
    Broken *b = link_owner(Broken, port, self);

    b->sink->on_head(b->sink, status, retry_after_ms);
}

static void on_bytes(StreamSink *self, const char *bytes, size_t len)
{
    Broken *b = link_owner(Broken, port, self);

    if (b->starved)
        return;
    b->starved = true;
    if (len > 1)
        b->sink->on_bytes(b->sink, bytes, len / 2);
}

static void on_end(StreamSink *self, const Err *why)
{
    Broken *b = link_owner(Broken, port, self);

    b->is_open = false;
    if (b->starved) {
        SCOPED_ARENA a = arena_open(1 << 16);
        b->sink->on_end(b->sink, err_retry(a, "broken by the test in the middle"));
    } else {
        b->sink->on_end(b->sink, why);
    }
}

static Err *start(Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    FaultyStreams *s = link_owner(FaultyStreams, port, self);
    Broken *b = &s->broken;

    if (!breaks_now(s->faulty))
        return s->below->start(s->below, a, request, sink, ret);
    *b = (Broken){.port = {on_head, on_bytes, on_end}, .sink = sink, .is_open = true};
    if (s->faulty->fault.after) {
        Err *err = s->below->start(s->below, a, request, &b->port, &b->id);
        b->is_open = !err;
        *ret = b->id;
        return err;
    }
    b->starved = true;
    *ret = b->id = unsent_id;
    return OK;
}

static void cancel(Streams *self, StreamId id)
{
    FaultyStreams *s = link_owner(FaultyStreams, port, self);

    if (id != NO_STREAM && s->broken.is_open && id == s->broken.id)
        s->broken.is_open = false;
    if (id != unsent_id)
        s->below->cancel(s->below, id);
}

static Err *poll_all(Streams *self, Arena *a, int64_t timeout_ms)
{
    FaultyStreams *s = link_owner(FaultyStreams, port, self);
    Broken *b = &s->broken;
    bool due = b->is_open && b->starved;

    TRY(s->below->poll(s->below, a, due ? 0 : timeout_ms));
    if (b->is_open && b->starved) {
        if (b->id != unsent_id)
            s->below->cancel(s->below, b->id);
        on_end(&b->port, OK);
    }
    return OK;
}

static void wake(Streams *self)
{
    FaultyStreams *s = link_owner(FaultyStreams, port, self);

    s->below->wake(s->below);
}

static Streams *open_streams(Transport *self)
{
    Faulty *f = link_owner(Faulty, port, self);
    Arena *arena = arena_open(1 << 12);
    FaultyStreams *s = arena_new(arena, FaultyStreams);

    s->port = (Streams){.start = start, .cancel = cancel, .poll = poll_all, .wake = wake};
    s->faulty = f;
    s->arena = arena;
    s->below = f->below->open_streams(f->below);
    return &s->port;
}

static void close_streams(Transport *self, Streams *port)
{
    Faulty *f = link_owner(Faulty, port, self);

    if (!port)
        return;
    FaultyStreams *s = link_owner(FaultyStreams, port, port);
    f->below->close_streams(f->below, s->below);
    arena_close(s->arena);
}

/* --- */

Faulty *faulty_open(Transport *below, Fault fault)
{
    Arena *arena = arena_open(1 << 12);
    Faulty *f = arena_new(arena, Faulty);

    f->arena = arena;
    f->below = below;
    f->fault = fault;
    f->port = (Transport){
        .host = below->host,
        .open_api = open_api,
        .close_api = close_api,
        .open_streams = open_streams,
        .close_streams = close_streams,
    };
    return f;
}

void faulty_close(Faulty *f)
{
    arena_close(f->arena);
}

Transport *faulty_transport(Faulty *f)
{
    return &f->port;
}

int64_t faulty_calls(Faulty *f)
{
    return atomic_load(&f->calls);
}
