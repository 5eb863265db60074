/* Reflector: one stream at a time, a page of a list or a watch.
 *
 * Sinks are called without a time and must not cancel their own stream. So they only take in bytes
 * and note how the stream came out; the next step, which knows the time, draws the conclusion. */
#include "kube/runtime/reflector.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/frame.h"
#include "kube/runtime/listing.h"
#include "kube/runtime/news.h"
#include "kube/runtime/trouble.h"
#include "kube/status.h"

#include <stdio.h>
#include <string.h>

enum {
    PAGE_LIMIT = 250,
    EVENT_MAX = 8 << 20,
    ARENA_MAX = 128 << 20,  /* a page of JSON_BYTES_MAX, parsed */
    REFUSAL_MAX = 64 << 10, /* what is kept of the body of an error */
    SILENCE_MS = 90000,
    LIST_DEADLINE_MS = 60000,
    LIST_GRACE_MS = 5000, /* beyond its deadline the client has forgotten it */
    WATCH_SECONDS = 300,  /* and up to as many more */
    WATCH_GRACE_MS = 30000,
    SETTLED_MS = 10000, /* a watch that lives so long has worked */
    AT_ONCE_MS = 1000,  /* one that ends so soon, with nothing said, has not */
    ABSENT_MS = 30000,  /* a kind that is not there is looked for so often */
    STUCK_MAX = 5,      /* so many broken watches at one version, and a list must help */
    ERROR_SIZE = 512,
};

typedef enum Phase { PHASE_WAITING, PHASE_LISTING, PHASE_WATCHING } Phase;

/* What a stream brought, as far as it has come. */
typedef struct Stream {
    StreamId id; /* 0 once it has ended */
    int64_t started_ms, heard_ms;
    bool heard; /* since heard_ms */
    int status; /* 0 before the head */
    int64_t retry_after_ms;
    bool is_over;
    bool has_failed; /* with this trouble: */
    Trouble trouble;
    bool is_too_large; /* a page that a smaller limit could make fit */
    bool moved;        /* the version went on */
    bool is_absent;    /* there is nothing of the kind that we could see */
} Stream;

struct Reflector {
    StreamSink sink; /* first, so that a sink is its reflector */
    ReflectorOptions options;
    Arena *own;   /* holds the reflector */
    Arena *arena; /* of one event, one page, one error */
    Phase phase;
    bool wants_list; /* what the next stream is */
    int64_t due_ms;  /* and when, while waiting */
    Stream stream;
    Frame frame;
    Listing listing;
    Buf refusal; /* the body of an answer that is not 200 */

    char version[NEWS_VERSION_MAX + 1]; /* reached; "" before the first list */
    unsigned stuck;                     /* broken watches since it moved */
    Trouble trouble;                    /* the last one, and how often in a row */
    unsigned troubles;
    char error[ERROR_SIZE];
    ReflectorHealth health;
};

static Reflector *reflector_of(StreamSink *sink)
{
    return (Reflector *)(void *)sink;
}

/* --- how a stream came out */

static void finish(Reflector *r)
{
    r->stream.is_over = true;
}

static void fail(Reflector *r, Trouble trouble, const Err *err)
{
    const char *verb = r->phase == PHASE_LISTING ? "listing" : "watching";
    r->stream.is_over = true;
    r->stream.has_failed = true;
    r->stream.trouble = trouble;
    snprintf(r->error,
        sizeof r->error,
        "%s %s: %s",
        verb,
        r->options.kind->plural,
        err_text(r->arena, err));
}

static void set_version(Reflector *r, const char *version)
{
    memcpy(r->version, version, strlen(version) + 1);
}

/* --- a watch */

/* Events older than what was reached are the store's to judge; a bookmark that is older means that
 * the server's whole history is. */
static void reach(Reflector *r, const char *version)
{
    if (meta_version_compare(version, r->version) <= 0)
        return;
    set_version(r, version);
    r->stream.moved = true;
    r->stuck = 0;
}

static void take_bookmark(Reflector *r, const char *version)
{
    if (meta_version_compare(version, r->version) < 0) {
        fail(r,
            TROUBLE_GONE,
            err_retry(r->arena,
                "the server is at version %s, behind the %s that was seen: it may have been "
                "restored from a backup",
                version,
                r->version));
        return;
    }
    reach(r, version);
    r->options.feed->reach(r->options.feed, version);
}

static void take_error(Reflector *r, const Json *status)
{
    Err *err = status_object_err(r->arena, status);
    const char *reason = json_str(status, ".reason");
    bool expired = str_eq(reason, "Expired") || str_eq(reason, "Gone");
    bool busy = err->status == 429 || err->status >= 500;

    r->stuck++;
    r->stream.retry_after_ms = err->retry_after_ms;
    fail(r,
        expired || status_is_gone(err) ? TROUBLE_GONE
            : busy                     ? TROUBLE_BUSY
                                       : TROUBLE_BROKEN,
        err);
}

static void take_line(Reflector *r, Bytes line)
{
    NewsEvent event;
    Feed *feed = r->options.feed;
    Err *err = news_event(r->arena, r->options.kind, line, &event);
    if (err) {
        r->stuck++;
        fail(r, TROUBLE_BROKEN, err);
        return;
    }
    switch (event.type) {
    case NEWS_PUT:
        reach(r, event.version);
        feed->put(feed, event.object);
        break;
    case NEWS_REMOVE:
        reach(r, event.version);
        feed->remove(feed, event.object);
        break;
    case NEWS_BOOKMARK:
        take_bookmark(r, event.version);
        break;
    case NEWS_ERROR:
        take_error(r, event.object);
        break;
    case NEWS_UNKNOWN:
        r->health.ignored++;
        break;
    }
    r->health.events++;
}

static void take_chunk(Reflector *r, Bytes chunk)
{
    Bytes line;
    FrameResult result = FRAME_MORE;

    frame_feed(&r->frame, chunk);
    while (!r->stream.is_over && (result = frame_next(&r->frame, &line)) == FRAME_LINE) {
        take_line(r, line);
        arena_reset(r->arena);
    }
    if (!r->stream.is_over && result == FRAME_OVERLONG) {
        r->stuck++;
        fail(r,
            TROUBLE_BROKEN,
            err_terminal(r->arena, "an event of more than %zu bytes", r->options.event_max));
    }
}

/* --- a list */

static void take_page(Reflector *r)
{
    bool is_last;
    Err *err = listing_take_page(&r->listing, r->arena, &is_last);
    if (err) {
        r->stream.is_too_large = listing_is_large(&r->listing);
        fail(r, TROUBLE_BROKEN, err);
    } else if (is_last) {
        set_version(r, r->listing.version);
        r->wants_list = false;
        r->health.absent = r->health.forbidden = false;
        r->stuck = 0;
    }
}

static void take_page_bytes(Reflector *r, Bytes chunk)
{
    if (listing_append(&r->listing, chunk))
        return;
    r->stream.is_too_large = true;
    fail(r, TROUBLE_BROKEN, err_terminal(r->arena, "a page of more than %d bytes", JSON_BYTES_MAX));
}

/* --- the sink */

static void on_head(StreamSink *sink, int status, int64_t retry_after_ms)
{
    Reflector *r = reflector_of(sink);
    r->stream.heard = true;
    r->stream.status = status;
    r->stream.retry_after_ms = retry_after_ms;
}

/* Only the beginning of a long refusal is kept: it may not be JSON then, and its status must do. */
static void take_refusal_bytes(Reflector *r, Bytes chunk)
{
    size_t room = REFUSAL_MAX - r->refusal.len;
    if (!buf_append(&r->refusal, chunk.data, chunk.len < room ? chunk.len : room))
        BUG("a refusal has room that it has not");
}

static void on_bytes(StreamSink *sink, const char *bytes, size_t len)
{
    Reflector *r = reflector_of(sink);
    Bytes chunk = {.data = bytes, .len = len};

    r->stream.heard = true;
    r->health.bytes += len;
    if (r->stream.is_over)
        return;
    if (r->stream.status != 200) {
        take_refusal_bytes(r, chunk);
    } else if (r->phase == PHASE_LISTING) {
        take_page_bytes(r, chunk);
    } else {
        take_chunk(r, chunk);
    }
    arena_reset(r->arena);
}

static Request request_of(const Reflector *r)
{
    bool listing = r->phase == PHASE_LISTING;
    return (Request){
        .verb = listing ? VERB_LIST : VERB_WATCH,
        .kind = r->options.kind,
        .key = {.namespace = r->options.namespace},
        .labels = r->options.labels,
        .fields = r->options.fields,
        .limit = listing ? r->listing.limit : 0,
        .continue_key = listing ? r->listing.continue_key.data : NULL,
        .deadline_ms = listing ? LIST_DEADLINE_MS : 0,
        .resource_version = listing ? NULL : r->version,
        .bookmarks = !listing,
    };
}

/* No such kind, or no right to see it, ever. */
static bool shows_nothing(const Reflector *r, const Err *err)
{
    return err_has_status(err, 404) || (err_has_status(err, 403) && str_empty(r->version));
}

static void take_refusal(Reflector *r)
{
    Request request = request_of(r);
    Answer answer = {.status = r->stream.status, .retry_after_ms = r->stream.retry_after_ms};
    Err *unreadable = json_parse(r->arena, buf_bytes(&r->refusal), &answer.body);
    if (unreadable)
        answer.body = NULL;
    Err *err = status_err(r->arena, &request, &answer);
    if (!err)
        err = err_terminal(r->arena, "the server answered %d, not 200", r->stream.status);
    r->stream.retry_after_ms = err->retry_after_ms;
    r->stream.is_absent = r->options.optional && shows_nothing(r, err);
    if (!r->stream.is_absent)
        fail(r, err->status ? trouble_of(err) : TROUBLE_BROKEN, err);
}

static void on_end(StreamSink *sink, const Err *why)
{
    Reflector *r = reflector_of(sink);
    r->stream.id = 0;
    if (r->stream.is_over)
        return;
    if (why && r->phase == PHASE_LISTING && str_eq(why->reason, STREAM_TOO_LARGE)) {
        r->stream.is_too_large = true;
        fail(r, TROUBLE_BROKEN, why);
    } else if (why)
        fail(r, TROUBLE_NETWORK, why);
    else if (r->stream.status != 200)
        take_refusal(r);
    else if (r->phase == PHASE_LISTING)
        take_page(r);
    else if (frame_is_inside_line(&r->frame))
        fail(r, TROUBLE_NETWORK, err_retry(r->arena, "the watch broke off inside an event"));
    finish(r);
    arena_reset(r->arena);
}

/* --- conclusions */

static void wait_until(Reflector *r, int64_t due_ms)
{
    r->phase = PHASE_WAITING;
    r->due_ms = due_ms;
}

static void forgive(Reflector *r)
{
    r->troubles = 0;
    r->health.failures = 0;
}

static void stop_stream(Reflector *r)
{
    stream_cancel(r->options.streams, r->stream.id);
    r->stream.id = 0;
    frame_reset(&r->frame);
    buf_close(&r->refusal);
}

/* A page that failed for reasons of its own would fail again, and so would its list. */
static void conclude_failed_list(Reflector *r)
{
    bool passing = r->stream.trouble == TROUBLE_NETWORK || r->stream.trouble == TROUBLE_BUSY;
    if (!passing || !listing_retry(&r->listing))
        listing_abandon(&r->listing);
}

static void conclude_failed_watch(Reflector *r)
{
    if (r->stream.trouble == TROUBLE_GONE || r->stuck >= STUCK_MAX) {
        r->wants_list = true;
        r->stuck = 0;
    }
}

static void conclude_failure(Reflector *r, int64_t now_ms)
{
    r->health.failures++;
    if (r->stream.is_too_large && listing_shrink(&r->listing)) {
        listing_abandon(&r->listing);
        wait_until(r, now_ms);
        return;
    }
    if (r->phase == PHASE_LISTING)
        conclude_failed_list(r);
    else
        conclude_failed_watch(r);
    r->troubles = r->trouble == r->stream.trouble ? r->troubles + 1 : 1;
    r->trouble = r->stream.trouble;
    wait_until(r,
        now_ms
            + trouble_wait_ms(r->trouble, r->troubles, r->stream.retry_after_ms, r->options.rng));
}

/* For the feed: a list without objects, at the version that was reached. */
static void conclude_absent(Reflector *r, int64_t now_ms)
{
    Feed *feed = r->options.feed;

    stop_stream(r);
    listing_abandon(&r->listing);
    feed->list_begin(feed);
    feed->list_end(feed, r->version);
    forgive(r);
    r->health.absent = true;
    r->health.forbidden = r->stream.status == 403;
    r->wants_list = true;
    r->stuck = 0;
    wait_until(r, now_ms + ABSENT_MS);
}

static void conclude(Reflector *r, int64_t now_ms)
{
    if (r->stream.is_absent) {
        conclude_absent(r, now_ms);
        return;
    }
    bool watched = r->phase == PHASE_WATCHING;
    if (watched && r->stream.moved)
        forgive(r);
    if (watched && !r->stream.has_failed && !r->stream.moved
        && now_ms - r->stream.started_ms < AT_ONCE_MS)
        fail(r, TROUBLE_NETWORK, err_retry(r->arena, "the watch ended as soon as it had begun"));
    stop_stream(r);
    if (r->stream.has_failed)
        conclude_failure(r, now_ms);
    else
        wait_until(r, now_ms);
    arena_reset(r->arena);
}

static void begin(Reflector *r, int64_t now_ms)
{
    r->phase = r->wants_list ? PHASE_LISTING : PHASE_WATCHING;
    r->stream = (Stream){.started_ms = now_ms, .heard_ms = now_ms};
    r->health.lists += r->phase == PHASE_LISTING && r->listing.continue_key.len == 0;
    r->health.watches += r->phase == PHASE_WATCHING;

    Request request = request_of(r);
    if (r->phase == PHASE_WATCHING) {
        request.timeout_seconds =
            WATCH_SECONDS + (int64_t)rng_below(r->options.rng, WATCH_SECONDS + 1);
        request.deadline_ms = request.timeout_seconds * 1000 + WATCH_GRACE_MS;
    }
    Err *err = stream_start(r->options.streams, r->arena, &request, &r->sink, &r->stream.id);
    if (err) {
        fail(r, TROUBLE_BROKEN, err);
        conclude(r, now_ms);
    }
    arena_reset(r->arena);
}

/* What only time brings: silence, patience at its end, a watch that has proven itself. */
static void mind_time(Reflector *r, int64_t now_ms)
{
    Stream *s = &r->stream;
    if (s->heard)
        s->heard_ms = now_ms;
    s->heard = false;
    if (s->is_over)
        return;
    if (r->phase == PHASE_WATCHING && now_ms - s->heard_ms >= r->options.silence_ms)
        fail(r, TROUBLE_NETWORK, err_retry(r->arena, "not a byte came for too long"));
    else if (r->phase == PHASE_LISTING
        && now_ms - s->started_ms >= LIST_DEADLINE_MS + LIST_GRACE_MS)
        fail(r, TROUBLE_NETWORK, err_retry(r->arena, "a page did not come in time"));
    else if (r->phase == PHASE_WATCHING && s->status == 200
        && (s->moved || now_ms - s->started_ms >= SETTLED_MS))
        forgive(r);
    arena_reset(r->arena);
}

static int64_t next_step_ms(const Reflector *r, int64_t now_ms)
{
    if (r->phase == PHASE_WAITING)
        return r->due_ms;
    if (r->phase == PHASE_LISTING)
        return r->stream.started_ms + LIST_DEADLINE_MS + LIST_GRACE_MS;
    int64_t silent = r->stream.heard_ms + r->options.silence_ms;
    int64_t settled = r->stream.started_ms + SETTLED_MS;
    bool unsettled = r->health.failures > 0 && settled > now_ms;
    return unsettled && settled < silent ? settled : silent;
}

static void note_health(Reflector *r, int64_t now_ms)
{
    bool watching = r->phase == PHASE_WATCHING && r->stream.status == 200 && !r->stream.is_over;
    if (watching != r->health.watching)
        r->health.since_ms = now_ms;
    r->health.watching = watching;
}

/* --- the machine */

Reflector *reflector_open(const ReflectorOptions *options)
{
    Arena *own = arena_open(64 << 10);
    Reflector *r = arena_new(own, Reflector);

    r->own = own;
    r->sink = (StreamSink){.on_head = on_head, .on_bytes = on_bytes, .on_end = on_end};
    r->options = *options;
    if (r->options.page_limit <= 0)
        r->options.page_limit = PAGE_LIMIT;
    if (r->options.event_max == 0)
        r->options.event_max = EVENT_MAX;
    if (r->options.silence_ms <= 0)
        r->options.silence_ms = SILENCE_MS;
    r->arena = arena_open(ARENA_MAX);
    r->wants_list = true;
    r->due_ms = INT64_MIN;
    r->refusal.ceiling = REFUSAL_MAX;
    listing_open(&r->listing, r->options.kind, r->options.feed, r->options.page_limit);
    frame_open(&r->frame, r->options.event_max);
    return r;
}

void reflector_close(Reflector *r)
{
    if (!r)
        return;
    stop_stream(r);
    listing_close(&r->listing);
    frame_close(&r->frame);
    arena_close(r->arena);
    arena_close(r->own);
}

int64_t reflector_step(Reflector *r, int64_t now_ms)
{
    if (r->phase != PHASE_WAITING)
        mind_time(r, now_ms);
    if (r->phase != PHASE_WAITING && r->stream.is_over)
        conclude(r, now_ms);
    if (r->phase == PHASE_WAITING && now_ms >= r->due_ms)
        begin(r, now_ms);
    note_health(r, now_ms);
    return next_step_ms(r, now_ms);
}

void reflector_drop(Reflector *r, int64_t now_ms)
{
    if (r->phase != PHASE_WATCHING || r->stream.is_over)
        return;
    fail(r, TROUBLE_NETWORK, err_retry(r->arena, "dropped, because the server is believed dead"));
    conclude(r, now_ms);
    wait_until(r, now_ms);
    note_health(r, now_ms);
}

void reflector_relist(Reflector *r, int64_t now_ms)
{
    stop_stream(r);
    listing_abandon(&r->listing);
    r->wants_list = true;
    wait_until(r, now_ms);
    note_health(r, now_ms);
}

ReflectorHealth reflector_health(const Reflector *r)
{
    ReflectorHealth health = r->health;
    health.last_error = health.failures > 0 ? r->error : NULL;
    return health;
}
