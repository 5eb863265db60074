/* WorldStreams: the Streams port over a world, for what watches: a watch is a list that is made
 * again at each poll, and tells what is new in it. Each poll moves time, and first lets the test
 * act. */
#ifndef TESTS_CLI_WORLD_STREAMS_H
#define TESTS_CLI_WORLD_STREAMS_H

#include "tests/cli/terminal.h"

enum { WORLD_STREAMS_MAX = 8, WORLD_KNOWN_MAX = 64 };

typedef struct WorldStream {
    StreamId id; /* 0: free */
    StreamSink *sink;
    Request request;
    bool is_open; /* a watch that was answered */
    const Json *known[WORLD_KNOWN_MAX];
    size_t known_count;
} WorldStream;

typedef struct WorldStreams {
    Streams port; /* first */
    Terminal *terminal;
    WorldStream streams[WORLD_STREAMS_MAX];
    StreamId last;
    bool is_down;
    bool has_forgotten; /* the next watch is answered with 410: too old */
    int polls;
    /* Acts before poll number so and so; an error ends the streams. */
    Err *(*act)(struct WorldStreams *self, int poll);
} WorldStreams;

static inline Err *world_start(
    Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    WorldStreams *s = (WorldStreams *)self;
    Arena *kept = s->terminal->arena;

    (void)a;
    for (size_t i = 0; i < WORLD_STREAMS_MAX; i++) {
        WorldStream *stream = &s->streams[i];
        if (stream->id)
            continue;
        *stream = (WorldStream){.id = ++s->last, .sink = sink, .request = *request};
        stream->request.resource_version = str_copy(kept, request->resource_version);
        stream->request.continue_key = str_copy(kept, request->continue_key);
        *ret = stream->id;
        return OK;
    }
    fail_msg("too many streams");
    return OK;
}

static inline void world_cancel(Streams *self, StreamId id)
{
    WorldStreams *s = (WorldStreams *)self;

    for (size_t i = 0; i < WORLD_STREAMS_MAX; i++)
        if (id && s->streams[i].id == id)
            s->streams[i].id = 0;
}

static inline void world_end(WorldStream *stream, const Err *why)
{
    stream->id = 0;
    stream->sink->on_end(stream->sink, why);
}

static inline const Json *world_list(WorldStreams *s, const WorldStream *stream)
{
    Request list = stream->request;

    list.verb = VERB_LIST;
    list.resource_version = NULL;
    list.bookmarks = false;
    list.timeout_seconds = list.limit = 0;
    return terminal_ask(s->terminal, list);
}

static inline void world_say(
    WorldStreams *s, WorldStream *stream, const char *type, const Json *object)
{
    const char *event = str_format(s->terminal->arena,
        "{\"type\":\"%s\",\"object\":%s}\n",
        type,
        json_write(s->terminal->arena, object).data);

    stream->sink->on_bytes(stream->sink, event, strlen(event));
}

static inline const Json *world_named(const Json *const *objects, size_t count, const Json *object)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(meta_name(objects[i]), meta_name(object)))
            return objects[i];
    return NULL;
}

static inline void world_tell(WorldStreams *s, WorldStream *stream)
{
    const Json *items = json_find(world_list(s, stream), ".items"), *item;
    const Json *now[WORLD_KNOWN_MAX];
    size_t count = 0;

    json_each(item, items) {
        const Json *before = world_named(stream->known, stream->known_count, item);
        bool is_old =
            meta_version_compare(meta_resource_version(item), stream->request.resource_version)
            <= 0;
        then_true(count < WORLD_KNOWN_MAX);
        now[count++] = item;
        if (before ? !json_equal(before, item) : !is_old)
            world_say(s, stream, before ? "MODIFIED" : "ADDED", item);
    }
    for (size_t i = 0; i < stream->known_count; i++)
        if (!world_named(now, count, stream->known[i]))
            world_say(s, stream, "DELETED", stream->known[i]);
    memcpy(stream->known, now, sizeof *now * count);
    stream->known_count = count;
}

static inline void world_serve(WorldStreams *s, WorldStream *stream)
{
    if (s->is_down) {
        world_end(stream, err_retry(s->terminal->arena, "connection refused"));
    } else if (stream->request.verb == VERB_LIST) {
        const char *text = json_write(s->terminal->arena, world_list(s, stream)).data;
        stream->sink->on_head(stream->sink, 200, 0);
        stream->sink->on_bytes(stream->sink, text, strlen(text));
        world_end(stream, OK);
    } else if (s->has_forgotten) {
        s->has_forgotten = false;
        stream->sink->on_head(stream->sink, 410, 0);
        world_end(stream, OK);
    } else {
        if (!stream->is_open)
            stream->sink->on_head(stream->sink, 200, 0);
        stream->is_open = true;
        world_tell(s, stream);
    }
}

static inline Err *world_poll(Streams *self, Arena *a, int64_t timeout_ms)
{
    WorldStreams *s = (WorldStreams *)self;
    World *world = s->terminal->world;
    int number = s->polls++;
    Err *err = s->act ? s->act(s, number) : OK;

    if (err)
        return err_copy(a, err);
    world_run_until(world, world_now_ms(world) + timeout_ms);
    for (size_t i = 0; i < WORLD_STREAMS_MAX; i++)
        if (s->streams[i].id)
            world_serve(s, &s->streams[i]);
    return OK;
}

static inline void world_streams_init(WorldStreams *s, Terminal *t)
{
    *s = (WorldStreams){
        .port = {.start = world_start, .cancel = world_cancel, .poll = world_poll},
        .terminal = t,
    };
}

#endif
