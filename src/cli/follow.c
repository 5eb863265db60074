/* Follow: the reflector of the operator, with a memory of the versions that were told in the place
 * of a store: a list after a lost connection tells only what is new in it. */
#include "cli/follow.h"

#include "base/link.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/connection.h"
#include "kube/meta.h"
#include "kube/runtime/reflector.h"

#include <stdio.h>

enum { FOLLOWED_MAX = 100000, VERSION_SIZE = 32, KEY_SIZE = 512 };

/* One object that was told, at a version. */
typedef struct Told {
    char key[KEY_SIZE];
    char version[VERSION_SIZE];
} Told;

typedef struct Follow {
    Feed feed;
    Cli *cli;
    Arena *arena; /* of what is remembered: an entry per object that there ever was */
    Map *told;
    FollowSink *sink;
    bool in_trouble; /* which was told */
} Follow;

static Told *entry_of(Follow *f, const Json *object)
{
    char key[KEY_SIZE];
    const char *namespace = meta_namespace(object);

    snprintf(key, sizeof key, "%s/%s", namespace ? namespace : "", meta_name(object));
    Told *told = map_find(f->told, key);
    if (told)
        return told;
    told = arena_new(f->arena, Told);
    snprintf(told->key, sizeof told->key, "%s", key);
    return map_put(f->told, told->key, told) ? told : NULL;
}

static void remember(Told *told, const Json *object)
{
    const char *version = meta_resource_version(object);

    snprintf(told->version, sizeof told->version, "%s", version ? version : "");
}

static void put(Feed *self, const Json *object)
{
    Follow *f = link_owner(Follow, feed, self);
    Told *told = entry_of(f, object);

    if (told && str_eq(told->version, meta_resource_version(object)))
        return;
    if (told)
        remember(told, object);
    f->sink->changed(f->sink, object, false);
}

static void drop(Feed *self, const Json *object)
{
    Follow *f = link_owner(Follow, feed, self);
    Told *told = entry_of(f, object);

    if (told)
        told->version[0] = '\0';
    f->sink->changed(f->sink, object, true);
}

static void reach(Feed *self, const char *version)
{
    (void)self, (void)version;
}

static void begin_or_abort(Feed *self)
{
    (void)self;
}

/* What keeps it from watching, said once; and that it goes on. */
static void tell_trouble(Follow *f, const Reflector *reflector)
{
    ReflectorHealth health = reflector_health(reflector);

    if (health.failures > 0 && health.last_error && !f->in_trouble) {
        f->in_trouble = true;
        output_talk(f->cli, "warning: %s; trying again\n", health.last_error);
    }
    if (health.watching && f->in_trouble) {
        f->in_trouble = false;
        output_talk(f->cli, "connected again\n");
    }
}

static Err *run(Follow *f, Streams *streams, Reflector *reflector)
{
    for (;;) {
        int64_t now = clock_mono_ms(f->cli->clock);
        int64_t wait = reflector_step(reflector, now) - now;
        SCOPED_ARENA scratch = arena_open(1 << 20);

        tell_trouble(f, reflector);
        Err *err = stream_poll(streams, scratch, wait > 0 ? wait : 0);
        if (err)
            return err_copy(f->cli->arena, err);
    }
}

Err *follow_run(Cli *cli, const FollowOptions *options)
{
    SCOPED_ARENA memory = arena_open(sizeof(Told) * FOLLOWED_MAX * 2);
    Follow f = {
        .feed = {.put = put,
            .remove = drop,
            .reach = reach,
            .list_begin = begin_or_abort,
            .list_put = put,
            .list_end = reach,
            .list_abort = begin_or_abort},
        .cli = cli,
        .arena = memory,
        .told = map_open(FOLLOWED_MAX),
        .sink = options->sink,
    };
    Streams *streams = cli->transport->open_streams(cli->transport);
    Reflector *reflector = reflector_open(&(ReflectorOptions){
        .kind = options->kind,
        .namespace = options->namespace,
        .labels = options->labels,
        .fields = options->fields,
        .streams = streams,
        .feed = &f.feed,
        .rng = rng_system(),
    });

    for (size_t i = 0; options->known && i < options->known->count; i++) {
        Told *told = entry_of(&f, options->known->items[i]);
        if (told)
            remember(told, options->known->items[i]);
    }
    Err *err = run(&f, streams, reflector);
    reflector_close(reflector);
    cli->transport->close_streams(cli->transport, streams);
    map_close(f.told);
    return err;
}
