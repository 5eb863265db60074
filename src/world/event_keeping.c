/* EventKeeping. The age of an Event is known without a look at it: every minute the server's
 * version is marked, and what is not younger than the mark of an hour ago goes; so do the oldest
 * when there are too many. */
#include "world/event_keeping.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/object.h"
#include "world/storage.h"

#include <stdlib.h>

enum { EVENT_MAX = 16 << 20 }; /* of one, while it goes */

static const int64_t minute_ns = 60 * (int64_t)1000000000;

/* --- faces --- */

Resource *event_face(const Server *s, const Resource *r)
{
    if (!s->keeps_events)
        return NULL;
    if (r->traits.kind == kind_event)
        return server_resource(s, kind_core_event);
    return r->traits.kind == kind_core_event ? server_resource(s, kind_event) : NULL;
}

/* The members that have another name on the other face. */
static const struct {
    const char *core, *own;
} names[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static const char *renamed(const char *member, bool to_core)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(member, to_core ? names[i].own : names[i].core))
            return to_core ? names[i].core : names[i].own;
    return member;
}

const Json *event_shown(Arena *a, const Resource *face, const Json *event)
{
    bool to_core = face->traits.kind == kind_core_event;
    Stamp stamp = object_stamp(event);
    Draft *shown = draft_object(a);
    const Json *member;

    json_each(member, event)
        draft_set(shown, draft_json(renamed(json_key(member), to_core), member));
    stamp.api_version = face->api_version;
    return object_stamped(a, schema_complete(a, face->schema, json_seal(a, shown), NULL), &stamp);
}

/* --- age --- */

/* The version up to which everything is old by now; 0: nothing is. */
static uint64_t old_version(Server *s, int64_t now_ns)
{
    int64_t minutes = (now_ns - s->events_marked_ns) / minute_ns;
    uint64_t old = 0;

    if (minutes < 1)
        return 0;
    for (int64_t i = 0; i < minutes && i < SERVER_EVENT_MINUTES; i++) {
        size_t at = s->event_mark++ % SERVER_EVENT_MINUTES;
        old = s->event_marks[at];
        s->event_marks[at] = s->version;
    }
    s->events_marked_ns = now_ns;
    /* What is being written now is not old. */
    return minutes > SERVER_EVENT_MINUTES ? s->version - 1 : old;
}

static int compare_versions(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* The version up to which Events must go for three quarters of what may be to be left. */
static uint64_t surplus_version(Arena *a, const Shelf *shelf)
{
    size_t total = shelf_count(shelf), count = 0;
    uint64_t *versions = arena_array(a, uint64_t, total + 1);

    for (const ShelfPlace *at = shelf_seek(shelf, NULL); at; at = shelf_next(at))
        versions[count++] = record_version(shelf_record(at));
    qsort(versions, count, sizeof *versions, compare_versions);
    return versions[count - SERVER_EVENTS_MAX / 4 * 3];
}

static void forget_up_to(Call *c, uint64_t version)
{
    Call sweep = *c;
    size_t total, count = 0;
    const char **keys;

    sweep.resource = server_resource(c->server, kind_core_event);
    total = shelf_count(sweep.resource->shelf);
    keys = arena_array(c->arena, const char *, total + 1);
    for (const ShelfPlace *at = shelf_seek(sweep.resource->shelf, NULL); at; at = shelf_next(at))
        if (record_version(shelf_record(at)) <= version)
            keys[count++] = str_copy(c->arena, record_key(shelf_record(at)));
    for (size_t i = 0; i < count; i++) {
        SCOPED_ARENA a = arena_open(EVENT_MAX);
        sweep.arena = a;
        storage_delete(&sweep, record_object(a, shelf_find(sweep.resource->shelf, keys[i])));
    }
}

void event_sweep(Call *c)
{
    Server *s = c->server;
    const Shelf *shelf;
    uint64_t old;

    if (!s->keeps_events)
        return;
    shelf = server_resource(s, kind_core_event)->shelf;
    old = old_version(s, c->now_ns);
    if (shelf_count(shelf) > SERVER_EVENTS_MAX) {
        uint64_t surplus = surplus_version(c->arena, shelf);
        old = surplus > old ? surplus : old;
    }
    if (old)
        forget_up_to(c, old);
}
