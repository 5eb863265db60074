/* The stage on which tests watch controllers: a world in virtual time with some actors in it, and a
 * tester who creates, patches and deletes at will and plays the kubelet where there is none.
 *
 * Names are of the namespace default. The tester's calls must succeed; `tell` is for those that may
 * not. */
#ifndef TESTS_WORLD_STAGE_H
#define TESTS_WORLD_STAGE_H

#include "base/draft.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "tests/test.h"
#include "world/controllers.h"
#include "world/world.h"

typedef struct Stage {
    Arena *arena;
    World *world;
    Api *api;
} Stage;

enum { STAGE_ARENA_MAX = 256 << 20 };

static inline Stage *stage_open_seeded(uint64_t seed)
{
    Arena *a = arena_open(STAGE_ARENA_MAX);
    Stage *s = arena_new(a, Stage);

    s->arena = a;
    s->world = world_open(&(WorldOptions){.seed = seed});
    s->api = world_api(s->world, "tester");
    return s;
}

static inline Stage *stage_open(void)
{
    return stage_open_seeded(1);
}

static inline void stage_close(Stage **s)
{
    world_close((*s)->world);
    arena_close((*s)->arena);
}

#define SCOPED_STAGE __attribute__((cleanup(stage_close))) Stage *

/* Options for an actor of this stage. */
static inline ControllerOptions stage_options(Stage *s)
{
    return (ControllerOptions){.clock = world_clock(s->world), .rng = world_rng(s->world)};
}

/* Lets so many seconds pass. */
static inline void pass(Stage *s, int64_t seconds)
{
    world_run_until(s->world, world_now_ms(s->world) + seconds * 1000);
}

/* --- calls --- */

static inline Err *tell(Stage *s, Request request, const Json **ret)
{
    if (!request.key.namespace && request.kind->namespaced)
        request.key.namespace = "default";
    return api_call(s->api, s->arena, &request, ret);
}

static inline const Json *told(Stage *s, Request request)
{
    const Json *answer = NULL;

    then_ok(tell(s, request, &answer));
    return answer;
}

static inline const Json *create(Stage *s, const Kind *kind, const char *json5)
{
    const Json *body = json_fixture(s->arena, json5);

    return told(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind,
            .key.namespace = meta_namespace(body),
            .body = body});
}

/* NULL when there is none. */
static inline const Json *look(Stage *s, const Kind *kind, const char *name)
{
    const Json *object = NULL;
    Err *err = tell(s, (Request){.verb = VERB_GET, .kind = kind, .key.name = name}, &object);

    if (!status_is_not_found(err))
        then_ok(err);
    return object;
}

static inline const Json *patch(Stage *s, const Kind *kind, const char *name, const char *json5)
{
    return told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind,
            .key.name = name,
            .body = json_fixture(s->arena, json5)});
}

static inline const Json *patch_status(
    Stage *s, const Kind *kind, const char *name, const char *json5)
{
    return told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind,
            .key.name = name,
            .subresource = "status",
            .body = json_fixture(s->arena, json5)});
}

static inline void drop(Stage *s, const Kind *kind, const char *name, Propagation propagation)
{
    told(s,
        (Request){.verb = VERB_DELETE, .kind = kind, .key.name = name, .propagation = propagation});
}

/* "a b c": the names of all objects of a kind in the namespace, in the server's order; those that
 * are being deleted have a dagger. */
static inline const char *names(Stage *s, const Kind *kind)
{
    const Json *list = told(s, (Request){.verb = VERB_LIST, .kind = kind}), *item;
    const char *text = "";

    json_each(item, json_find(list, ".items"))
        text = str_format(s->arena,
            "%s%s%s%s",
            text,
            *text ? " " : "",
            meta_name(item),
            meta_deleting(item) ? "†" : "");
    return text;
}

/* --- the kubelet's part --- */

static inline void set_pod(Stage *s, const char *name, const char *phase, const char *ready)
{
    char now[TIMESTAMP_SIZE];
    Clock *clock = world_clock(s->world);

    patch_status(s,
        kind_pod,
        name,
        str_format(s->arena,
            "{status: {phase: '%s', conditions: [{type: 'Ready', status: '%s',"
            " lastTransitionTime: '%s'}]}}",
            phase,
            ready,
            timestamp_format(clock->wall_ns(clock), now)));
}

static inline void run_pod(Stage *s, const char *name)
{
    set_pod(s, name, "Running", "True");
}

static inline void unready_pod(Stage *s, const char *name)
{
    set_pod(s, name, "Running", "False");
}

static inline void end_pod(Stage *s, const char *name, const char *phase)
{
    set_pod(s, name, phase, "False");
}

/* What is left of a pod after its grace. */
static inline void bury_pod(Stage *s, const char *name)
{
    told(s, (Request){.verb = VERB_DELETE, .kind = kind_pod, .key.name = name, .has_grace = true});
}

#endif
