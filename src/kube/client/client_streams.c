/* The Streams port over a libcurl multi handle: one thread, many answers that arrive bit by bit.
 *
 * libcurl calls back while bytes move, and there handles may be neither added nor
 * removed. But a sink may well start or cancel streams when it hears of something; so while bytes
 * move, starts wait in a list and cancelled streams only lose their sink. */
#include "kube/stream.h"

#include "base/link.h"
#include "base/str.h"
#include "kube/client/exchange.h"
#include "kube/client/mover.h"

enum {
    STREAMS_MAX = 1024,
    REQUEST_COPY_MAX = 64 << 10,
};

typedef struct CurlStreams {
    Streams port;
    const Client *client;
    Arena *arena;
    Credentials credentials; /* of all streams */
    Mover mover;
    Link live;    /* added to the mover */
    Link waiting; /* to be added once no bytes move */
    Link idle;    /* ended, kept for the next start */
    size_t count; /* of streams ever made */
    StreamId last_id;
    bool bytes_move; /* libcurl is calling us */
    bool cancelled;  /* some live stream has lost its sink */
} CurlStreams;

typedef struct Stream {
    Link link;
    CurlStreams *owner;
    Arena *arena; /* of `request` */
    Exchange exchange;
    Request request;  /* without its body */
    StreamSink *sink; /* NULL: cancelled */
    StreamId id;
    bool unauthorized; /* the first 401, which the sink has not heard of */
    bool renewed;      /* asked again after it */
    bool not_json;
} Stream;

static void must_multi(CURLMcode code)
{
    if (code)
        BUG(curl_multi_strerror(code));
}

/* --- from libcurl to the sink --- */

static bool on_head(Exchange *x)
{
    Stream *s = link_owner(Stream, exchange, x);

    if (!s->sink)
        return false;
    s->unauthorized = x->status == 401 && !s->renewed;
    s->not_json = x->status >= 200 && x->status < 300 && !exchange_is_json(x);
    if (s->unauthorized || s->not_json)
        return false;
    s->sink->on_head(s->sink, x->status, exchange_retry_after_ms(x));
    return s->sink;
}

static bool on_bytes(Exchange *x, const char *bytes, size_t len)
{
    Stream *s = link_owner(Stream, exchange, x);

    if (!s->sink)
        return false;
    s->sink->on_bytes(s->sink, bytes, len);
    return s->sink;
}

/* --- streams come and go --- */

static Stream *new_stream(CurlStreams *all)
{
    Stream *s = arena_new(all->arena, Stream);

    all->count++;
    link_init(&s->link);
    s->owner = all;
    s->arena = arena_open(REQUEST_COPY_MAX);
    s->exchange.credentials = &all->credentials;
    s->exchange.on_head = on_head;
    s->exchange.on_bytes = on_bytes;
    s->exchange.copies_body = true;
    exchange_open(&s->exchange, all->client);
    return s;
}

static Stream *take_stream(CurlStreams *all)
{
    if (link_is_alone(&all->idle))
        return all->count < STREAMS_MAX ? new_stream(all) : NULL;
    Stream *s = link_owner(Stream, link, all->idle.next);
    link_remove(&s->link);
    return s;
}

static void move(Stream *s, Link *list)
{
    link_remove(&s->link);
    link_insert_before(list, &s->link);
}

static void add(Stream *s)
{
    move(s, &s->owner->live);
    must_multi(curl_multi_add_handle(s->owner->mover.multi, s->exchange.easy));
}

static void retire(Stream *s)
{
    must_multi(curl_multi_remove_handle(s->owner->mover.multi, s->exchange.easy));
    s->sink = NULL;
    s->id = 0;
    move(s, &s->owner->idle);
}

static Request copy_request(Arena *a, const Request *request)
{
    Request copy = *request;

    copy.key = key_copy(a, request->key);
    copy.subresource = str_copy(a, request->subresource);
    copy.raw_path = str_copy(a, request->raw_path);
    copy.manager = str_copy(a, request->manager);
    copy.uid = str_copy(a, request->uid);
    copy.resource_version = str_copy(a, request->resource_version);
    copy.labels = str_copy(a, request->labels);
    copy.fields = str_copy(a, request->fields);
    copy.continue_key = str_copy(a, request->continue_key);
    copy.body = NULL;
    return copy;
}

static Err *start(Streams *port, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    CurlStreams *all = link_owner(CurlStreams, port, port);
    Stream *s = take_stream(all);
    if (!s)
        return err_terminal(a, "more than %d streams at once", STREAMS_MAX);

    arena_reset(s->arena);
    s->request = copy_request(s->arena, request);
    s->unauthorized = s->renewed = s->not_json = false;
    Err *err = exchange_prepare(&s->exchange, a, request);
    if (err) {
        move(s, &all->idle);
        return err;
    }
    s->sink = sink;
    s->id = *ret = ++all->last_id;
    if (all->bytes_move)
        move(s, &all->waiting);
    else
        add(s);
    return OK;
}

static Stream *find(const Link *list, StreamId id)
{
    for (const Link *link = list->next; link != list; link = link->next) {
        Stream *s = link_owner(Stream, link, link);
        if (s->id == id)
            return s;
    }
    return NULL;
}

static void cancel(Streams *port, StreamId id)
{
    CurlStreams *all = link_owner(CurlStreams, port, port);
    Stream *live = id ? find(&all->live, id) : NULL, *waiting = id ? find(&all->waiting, id) : NULL;

    if (waiting) {
        move(waiting, &all->idle);
    } else if (live && all->bytes_move) {
        live->sink = NULL;
        all->cancelled = true;
    } else if (live) {
        retire(live);
    }
}

/* --- poll --- */

/* The end of one stream, unless it is asked again. */
static void finish(Stream *s, Arena *a, CURLcode code)
{
    Exchange *x = &s->exchange;
    StreamSink *sink = s->sink;

    if (sink && s->unauthorized && exchange_renew(x)) {
        s->renewed = true;
        must_multi(curl_multi_remove_handle(s->owner->mover.multi, x->easy));
        exchange_begin(x);
        add(s);
        return;
    }
    Err *why = s->unauthorized ? OK
        : s->not_json ? exchange_unusable(x, a, &s->request, "is not JSON: is it an API server?")
                      : exchange_end(x, a, &s->request, code);
    if (why && x->too_long && x->body_len > 0)
        why->reason = STREAM_TOO_LARGE;
    bool tell_head = s->unauthorized;
    retire(s);
    if (!sink)
        return;
    if (tell_head)
        sink->on_head(sink, 401, 0);
    sink->on_end(sink, why);
}

static void finish_ended(CurlStreams *all, Arena *a)
{
    const CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(all->mover.multi, &left))) {
        Exchange *x = NULL;
        CURLcode code = message->data.result;
        if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x))
            BUG("a handle that is not ours");
        finish(link_owner(Stream, exchange, x), a, code);
    }
}

static void retire_cancelled(CurlStreams *all)
{
    if (!all->cancelled)
        return;
    all->cancelled = false;
    for (Link *link = all->live.next, *next; link != &all->live; link = next) {
        next = link->next;
        Stream *s = link_owner(Stream, link, link);
        if (!s->sink)
            retire(s);
    }
}

static Err *poll_streams(Streams *port, Arena *a, int64_t timeout_ms)
{
    CurlStreams *all = link_owner(CurlStreams, port, port);

    all->bytes_move = true;
    mover_move(&all->mover, timeout_ms);
    all->bytes_move = false;
    retire_cancelled(all);
    finish_ended(all, a);
    while (!link_is_alone(&all->waiting))
        add(link_owner(Stream, link, all->waiting.next));
    return OK;
}

static void wake(Streams *port)
{
    mover_wake(&link_owner(CurlStreams, port, port)->mover);
}

/* --- open and close --- */

Streams *client_open_streams(Transport *self)
{
    const Client *client = link_owner(Client, transport, self);
    Arena *arena = arena_open(STREAMS_MAX * sizeof(Stream) + sizeof(CurlStreams));
    CurlStreams *all = arena_new(arena, CurlStreams);

    all->port = (Streams){.start = start, .cancel = cancel, .poll = poll_streams, .wake = wake};
    all->client = client;
    all->arena = arena;
    all->credentials = client_credentials_copy(&client->credentials);
    mover_open(&all->mover);
    link_init(&all->live);
    link_init(&all->waiting);
    link_init(&all->idle);
    return &all->port;
}

static void close_list(Link *list)
{
    while (!link_is_alone(list)) {
        Stream *s = link_owner(Stream, link, list->next);
        link_remove(&s->link);
        exchange_close(&s->exchange);
        arena_close(s->arena);
    }
}

void client_close_streams(Transport *self, Streams *port)
{
    (void)self;
    if (!port)
        return;
    CurlStreams *all = link_owner(CurlStreams, port, port);
    while (!link_is_alone(&all->live))
        retire(link_owner(Stream, link, all->live.next));
    close_list(&all->waiting);
    close_list(&all->idle);
    mover_close(&all->mover);
    client_credentials_close(&all->credentials);
    arena_close(all->arena);
}
