/* Watching: a watch is a place in the history that is read on demand; nothing is queued for it. The
 * exception is the state that a watch without a version begins with, which it holds record by
 * record until it was sent. */
#include "base/str.h"
#include "world/call.h"
#include "world/refusal.h"
#include "world/selection.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WATCH_ARENA_MAX = 1 << 20, MS_PER_S = 1000 };

struct ServerWatch {
    Link all; /* in Server.watches */
    Server *server;
    Resource *resource;
    uint32_t epoch;
    Arena *arena; /* the selection */
    Selection selection;
    uint64_t version; /* everything up to it was sent */
    uint64_t place;   /* of the last change that was looked at, unless it is 0 */
    Record **state;   /* what it begins with */
    size_t state_count, state_sent;
    uint64_t bookmark; /* a version to be sent once everything up to it was; or 0 */
    bool wants_bookmarks;
    bool tells_state_end; /* once the state was sent, a bookmark says so */
    bool too_old;         /* the next thing it says is that, and then nothing more */
    bool ended;
    int64_t deadline_ms;
};

/* --- opening --- */

static Err *read_version(Call *c, uint64_t *ret)
{
    const char *text = c->request->resource_version;
    int64_t version = 0;

    if (!str_empty(text) && (!str_to_int(text, &version) || version < 0))
        return refuse_plain(c,
            500,
            NULL,
            "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": invalid "
            "syntax",
            text,
            text);
    *ret = (uint64_t)version;
    return OK;
}

/* Holds everything that is selected now. */
static void take_state(ServerWatch *w)
{
    Server *s = w->server;
    size_t count = shelf_count(w->resource->shelf);
    const ShelfPlace *place;

    w->state = count ? slab_alloc(s->slab, count * sizeof(Record *)) : NULL;
    w->state_count = 0;
    for (place = shelf_seek(w->resource->shelf, NULL); place; place = shelf_next(place)) {
        Record *record = shelf_record(place);
        bool picked = selection_picks(&w->selection, s->scratch, record);
        assert(w->state && w->state_count < count);
        w->state[w->state_count++] = picked ? record_hold(record) : NULL;
    }
    w->version = s->version;
}

static void drop_state(ServerWatch *w)
{
    for (size_t i = w->state_sent; i < w->state_count; i++)
        record_drop(w->server->slab, w->state[i]);
    slab_free(w->server->slab, w->state, w->state_count * sizeof(Record *));
    w->state = NULL;
    w->state_count = w->state_sent = 0;
}

/* The place before the first change after the watch's version. */
static void seek(ServerWatch *w)
{
    const History *history = w->server->history;
    uint64_t first = history_after(history, &w->resource->trail, w->version);

    w->place = first ? history_at(history, first)->previous : w->resource->trail.last;
}

/* When it ends by itself: without a time, or with one beyond all time, never. */
static int64_t end_ms(const Call *c)
{
    int64_t now_ms = clock_mono_ms(c->server->clock), seconds = c->request->timeout_seconds;

    if (seconds <= 0 || seconds > (INT64_MAX - now_ms) / MS_PER_S)
        return INT64_MAX;
    return now_ms + seconds * MS_PER_S;
}

static Err *open_watch(Call *c, Arena *own, ServerWatch **ret)
{
    Server *s = c->server;
    Selection selection;
    uint64_t version = 0;
    ServerWatch *w;

    TRY(selection_read(c, own, &selection));
    TRY(read_version(c, &version));
    if (s->watch_count == SERVER_WATCHES_MAX)
        return refuse_plain(c, 429, "TooManyRequests", "too many requests, please try again later");
    w = *ret = slab_alloc(s->slab, sizeof *w);
    *w = (ServerWatch){
        .server = s,
        .resource = c->resource,
        .epoch = c->resource->epoch,
        .arena = own,
        .selection = selection,
        .version = version,
        .wants_bookmarks = c->request->bookmarks,
        .deadline_ms = end_ms(c),
    };
    if (version == 0)
        take_state(w);
    w->tells_state_end = version == 0 && w->wants_bookmarks;
    w->too_old = !history_reaches(s->history, &w->resource->trail, w->version);
    if (!w->too_old)
        seek(w);
    link_init(&w->all);
    link_insert_before(&s->watches, &w->all);
    s->watch_count++;
    return OK;
}

ServerWatch *server_open_watch(Server *s, Arena *a, const Request *request, Answer *ret)
{
    Arena *own = arena_open(WATCH_ARENA_MAX);
    ServerWatch *w = NULL;
    Call c = {.server = s, .arena = a, .request = request, .status = 404};

    c.resource = server_resource(s, request->kind);
    Err *err = c.resource ? open_watch(&c, own, &w) : refuse_path(&c);
    if (err)
        arena_close(own);
    *ret = err ? (Answer){.status = c.status, .body = c.body} : (Answer){.status = 200};
    return err ? NULL : w;
}

void server_close_watch(ServerWatch *w)
{
    if (!w)
        return;
    drop_state(w);
    link_remove(&w->all);
    w->server->watch_count--;
    arena_close(w->arena);
    slab_free(w->server->slab, w, sizeof *w);
}

/* --- events --- */

static Bytes event_line(Arena *a, const char *type, const Record *r, uint64_t version)
{
    static const char middle[] = "\",\"object\":";
    size_t size = record_size_at(r, version);
    char head[32];
    size_t head_len = (size_t)snprintf(head, sizeof head, "{\"type\":\"%s%s", type, middle);
    char *line = arena_alloc(a, head_len + size + sizeof "}\n");

    memcpy(line, head, head_len);
    record_write_at(r, a, version, line + head_len);
    memcpy(line + head_len + size, "}\n", sizeof "}\n");
    return (Bytes){.data = line, .len = head_len + size + 2};
}

static Bytes text_line(Arena *a, const char *type, const Json *object)
{
    const char *line =
        str_format(a, "{\"type\":\"%s\",\"object\":%s}\n", type, json_write(a, object).data);

    return bytes_of(line);
}

static bool next_of_state(ServerWatch *w, Arena *a, Bytes *ret)
{
    while (w->state_sent < w->state_count) {
        Record *record = w->state[w->state_sent++];
        if (!record)
            continue;
        *ret = event_line(a, "ADDED", record, record_version(record));
        record_drop(w->server->slab, record);
        return true;
    }
    if (w->state)
        drop_state(w);
    return false;
}

/* What a change is to this watch: an object that comes into the selection is added, and one that
 * leaves it is deleted, in its last state that was selected. */
static bool event_of(ServerWatch *w, Arena *a, const Change *change, Bytes *ret)
{
    Arena *scratch = w->server->scratch;
    bool was = selection_picks(&w->selection, scratch, change->before);
    bool is = selection_picks(&w->selection, scratch, change->after);

    if (is)
        *ret = event_line(a, was ? "MODIFIED" : "ADDED", change->after, change->version);
    else if (was)
        *ret = event_line(a, "DELETED", change->before, change->version);
    return was || is;
}

static bool next_change(ServerWatch *w, Arena *a, Bytes *ret)
{
    const History *history = w->server->history;
    const Trail *trail = &w->resource->trail;

    for (;;) {
        uint64_t place = w->place ? history_next(history, trail, w->place) : trail->first;
        const Change *change = history_at(history, place);
        if (!change || (w->bookmark && change->version > w->bookmark))
            return false;
        w->place = place;
        w->version = change->version > w->version ? change->version : w->version;
        if (event_of(w, a, change, ret))
            return true;
    }
}

static Bytes bookmark_line(const ServerWatch *w, Arena *a, uint64_t version, DraftField more)
{
    const Resource *r = w->resource;

    return text_line(a,
        "BOOKMARK",
        json_seal(a,
            draft(a,
                str("kind", r->traits.kind->name),
                str("apiVersion", r->api_version),
                obj("metadata",
                    str("resourceVersion", str_format(a, "%" PRIu64, version)),
                    more))));
}

static bool next_state_end(ServerWatch *w, Arena *a, Bytes *ret)
{
    if (!w->tells_state_end)
        return false;
    w->tells_state_end = false;
    *ret = bookmark_line(
        w, a, w->version, obj("annotations", str("k8s.io/initial-events-end", "true")));
    return true;
}

static bool next_bookmark(ServerWatch *w, Arena *a, Bytes *ret)
{
    if (!w->bookmark)
        return false;
    *ret = bookmark_line(w, a, w->bookmark, str("", NULL));
    if (w->bookmark > w->version)
        w->version = w->bookmark;
    w->bookmark = 0;
    return true;
}

static bool is_over(const ServerWatch *w)
{
    return w->ended || w->epoch != w->resource->epoch
        || clock_mono_ms(w->server->clock) >= w->deadline_ms;
}

bool server_next_event(ServerWatch *w, Arena *a, Bytes *ret, bool *ret_ended)
{
    const Trail *trail = &w->resource->trail;

    *ret_ended = false;
    if (!w->ended && (next_of_state(w, a, ret) || next_state_end(w, a, ret)))
        return true;
    if (!w->ended && (w->too_old || trail->lost_version > w->version)) {
        w->ended = *ret_ended = true;
        *ret = text_line(
            a, "ERROR", refusal_too_old(a, w->version, history_floor(w->server->history, trail)));
        return true;
    }
    if (!w->ended && (next_change(w, a, ret) || next_bookmark(w, a, ret)))
        return true;
    if (!is_over(w))
        return false;
    w->ended = *ret_ended = true;
    return false;
}

void server_bookmark(Server *s)
{
    for (Link *link = s->watches.next; link != &s->watches; link = link->next) {
        ServerWatch *w = link_owner(ServerWatch, all, link);
        if (w->wants_bookmarks)
            w->bookmark = s->version;
    }
}
