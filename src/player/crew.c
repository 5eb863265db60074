/* Crew: per kind a reflector, and a map of the keys that were shown: after a new list, what is in
 * the map and not in the list is shown as gone. */
#include "player/crew.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/reflector.h"

#include <string.h>

enum { STEP_ARENA_MAX = 32 << 20, TURNS_PER_STEP = 64 };

/* A key that was shown. */
typedef struct Known {
    size_t size;
    bool is_listed;
    char key[];
} Known;

/* One kind. */
typedef struct Window {
    Feed feed;
    Crew *crew;
    const Kind *kind;
    Reflector *reflector;
    Map *known;
    int64_t due_ms;
} Window;

typedef struct Member {
    Actor *actor;
    int64_t due_ms;
} Member;

struct Crew {
    CrewOptions options;
    Slab *slab;
    Arena *arena;
    Api *api;
    Streams *streams;
    Window windows[CREW_KINDS_MAX];
    size_t window_count;
    Member members[CREW_ACTORS_MAX];
    size_t member_count;
    int64_t now_ms;
};

/* --- showing */

static bool wants(const Actor *actor, const Kind *kind)
{
    for (const Kind *const *k = actor->kinds; *k; k++)
        if (kind_eq(*k, kind))
            return true;
    return false;
}

static void show(Window *w, Key key, const Json *object)
{
    Sight sight = {.kind = w->kind, .key = key, .object = object};
    Crew *c = w->crew;

    for (size_t i = 0; i < c->member_count; i++) {
        Member *m = &c->members[i];
        if (!wants(m->actor, w->kind))
            continue;
        m->actor->see(m->actor, &sight, c->now_ms);
        m->due_ms = c->now_ms;
    }
}

static void put(Feed *feed, const Json *object)
{
    Window *w = (Window *)(void *)feed;
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *key = key_text(a, meta_key(object));
    Known *known = map_find(w->known, key);

    if (!known) {
        size_t size = sizeof *known + strlen(key) + 1;
        known = slab_alloc(w->crew->slab, size);
        known->size = size;
        memcpy(known->key, key, strlen(key) + 1);
        if (!map_put(w->known, known->key, known)) {
            slab_free(w->crew->slab, known, size);
            return;
        }
    }
    known->is_listed = true;
    show(w, meta_key(object), object);
}

static void forget(Window *w, Known *known)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Key key = key_parse(a, known->key);

    map_remove(w->known, known->key);
    slab_free(w->crew->slab, known, known->size);
    show(w, key, NULL);
}

static void remove_object(Feed *feed, const Json *object)
{
    Window *w = (Window *)(void *)feed;
    SCOPED_ARENA a = arena_open(1 << 16);
    Known *known = map_find(w->known, key_text(a, meta_key(object)));

    if (known)
        forget(w, known);
}

static void reach(Feed *feed, const char *version)
{
    (void)feed;
    (void)version;
}

static void list_begin(Feed *feed)
{
    Window *w = (Window *)(void *)feed;
    size_t cursor = 0;
    Known *known;

    while ((known = map_next(w->known, &cursor)))
        known->is_listed = false;
}

static void list_end(Feed *feed, const char *version)
{
    Window *w = (Window *)(void *)feed;
    size_t cursor = 0;
    Known *known;

    (void)version;
    while ((known = map_next(w->known, &cursor)))
        if (!known->is_listed)
            forget(w, known);
}

static void list_abort(Feed *feed)
{
    (void)feed; /* nothing was taken away yet */
}

/* --- opening */

Crew *crew_open(const CrewOptions *options)
{
    Slab *slab = slab_open();
    Crew *c = slab_alloc(slab, sizeof *c);

    memset(c, 0, sizeof *c);
    c->options = *options;
    c->slab = slab;
    c->arena = arena_open(STEP_ARENA_MAX);
    c->api = options->transport->open_api(options->transport);
    c->streams = options->transport->open_streams(options->transport);
    return c;
}

void crew_close(Crew *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->window_count; i++) {
        reflector_close(c->windows[i].reflector);
        map_close(c->windows[i].known);
    }
    for (size_t i = 0; i < c->member_count; i++)
        c->members[i].actor->close(c->members[i].actor);
    c->options.transport->close_streams(c->options.transport, c->streams);
    c->options.transport->close_api(c->options.transport, c->api);
    arena_close(c->arena);
    slab_close(c->slab);
}

static void open_window(Crew *c, const Kind *kind)
{
    for (size_t i = 0; i < c->window_count; i++)
        if (kind_eq(c->windows[i].kind, kind))
            return;
    if (c->window_count == CREW_KINDS_MAX)
        BUG("more kinds than a crew can watch");
    Window *w = &c->windows[c->window_count++];
    *w = (Window){
        .feed = {.put = put,
            .remove = remove_object,
            .reach = reach,
            .list_begin = list_begin,
            .list_put = put,
            .list_end = list_end,
            .list_abort = list_abort},
        .crew = c,
        .kind = kind,
        .known = map_open(CREW_OBJECTS_MAX),
    };
    w->reflector = reflector_open(&(ReflectorOptions){
        .kind = kind, .streams = c->streams, .feed = &w->feed, .rng = c->options.rng});
}

void crew_add(Crew *c, Actor *actor)
{
    if (c->member_count == CREW_ACTORS_MAX)
        BUG("more actors than a crew can hold");
    c->members[c->member_count++] = (Member){.actor = actor};
    for (const Kind *const *kind = actor->kinds; *kind; kind++)
        open_window(c, *kind);
}

/* --- moving */

void crew_wake(Crew *c, Actor *actor)
{
    for (size_t i = 0; i < c->member_count; i++)
        if (c->members[i].actor == actor)
            c->members[i].due_ms = 0;
}

/* One turn of every member that is due; false when none was. */
static bool take_turns(Crew *c)
{
    bool any = false;

    for (size_t i = 0; i < c->member_count; i++) {
        Member *m = &c->members[i];
        if (m->due_ms > c->now_ms)
            continue;
        arena_reset(c->arena);
        m->due_ms = m->actor->step(m->actor, c->arena, c->api, c->now_ms);
        any = true;
    }
    return any;
}

int64_t crew_step(Crew *c, int64_t now_ms)
{
    int64_t due_ms = INT64_MAX;

    c->now_ms = now_ms;
    for (size_t i = 0; i < c->window_count; i++) {
        int64_t window_ms = reflector_step(c->windows[i].reflector, now_ms);
        due_ms = window_ms < due_ms ? window_ms : due_ms;
    }
    /* A bound, so that nobody waits long for the wires. */
    for (int turns = 0; turns < TURNS_PER_STEP && take_turns(c); turns++)
        continue;
    for (size_t i = 0; i < c->member_count; i++)
        due_ms = c->members[i].due_ms < due_ms ? c->members[i].due_ms : due_ms;
    return due_ms;
}

void crew_poll(Crew *c, int64_t timeout_ms)
{
    arena_reset(c->arena);
    const Err *err = stream_poll(c->streams, c->arena, timeout_ms);
    if (err && c->options.log)
        log_warn(c->options.log, "streams do not move", log_str("error", err_text(c->arena, err)));
}

bool crew_is_watching(const Crew *c)
{
    for (size_t i = 0; i < c->window_count; i++)
        if (!reflector_health(c->windows[i].reflector).watching)
            return false;
    return true;
}
