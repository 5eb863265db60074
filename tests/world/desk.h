/* The desk at which tests ask a server: one call per line, names of objects in the namespace
 * default, bodies as JSON5, and the last answer kept for looking at. */
#ifndef TESTS_WORLD_DESK_H
#define TESTS_WORLD_DESK_H

#include "base/clock.h"
#include "base/rng.h"
#include "kube/meta.h"
#include "tests/test.h"
#include "world/server.h"

typedef struct Desk {
    ManualClock clock;
    SeededRng rng;
    Arena *arena;
    Server *server;
    Answer answer;
} Desk;

enum { DESK_ARENA_MAX = 64 << 20 };

static const int64_t desk_wall_ns = 1767225600LL * 1000000000; /* 2026-01-01 */

static inline Desk *desk_open_with(size_t objects_max, size_t history_max)
{
    Arena *a = arena_open(DESK_ARENA_MAX);
    Desk *d = arena_new(a, Desk);

    d->arena = a;
    clock_manual_init(&d->clock, 0, desk_wall_ns);
    rng_seed(&d->rng, 1);
    d->server = server_open(&(ServerOptions){.clock = &d->clock.port,
        .rng = &d->rng.port,
        .objects_max = objects_max,
        .history_max = history_max,
        .is_compact = true});
    return d;
}

static inline Desk *desk_open(void)
{
    return desk_open_with(0, 0);
}

static inline void desk_close(Desk **d)
{
    server_close((*d)->server);
    arena_close((*d)->arena);
}

#define SCOPED_DESK __attribute__((cleanup(desk_close))) Desk *

/* Carries out a request and gives the body. */
static inline const Json *ask(Desk *d, Request request)
{
    if (!request.key.namespace && request.kind && request.kind->namespaced
        && request.verb != VERB_LIST)
        request.key.namespace = "default";
    server_call(d->server, d->arena, "tester", &request, &d->answer);
    return d->answer.body;
}

static inline const Json *ask_body(Desk *d, Request request, const char *json5)
{
    request.body = json_fixture(d->arena, json5);
    return ask(d, request);
}

static inline const Json *create(Desk *d, const Kind *kind, const char *json5)
{
    return ask_body(d, (Request){.verb = VERB_CREATE, .kind = kind}, json5);
}

static inline const Json *get(Desk *d, const Kind *kind, const char *name)
{
    return ask(d, (Request){.verb = VERB_GET, .kind = kind, .key.name = name});
}

static inline const Json *update(Desk *d, const Kind *kind, const char *name, const char *json5)
{
    return ask_body(d, (Request){.verb = VERB_UPDATE, .kind = kind, .key.name = name}, json5);
}

static inline const Json *merge(Desk *d, const Kind *kind, const char *name, const char *json5)
{
    return ask_body(d, (Request){.verb = VERB_MERGE_PATCH, .kind = kind, .key.name = name}, json5);
}

static inline const Json *merge_status(
    Desk *d, const Kind *kind, const char *name, const char *json5)
{
    return ask_body(d,
        (Request){
            .verb = VERB_MERGE_PATCH, .kind = kind, .key.name = name, .subresource = "status"},
        json5);
}

static inline const Json *jsonpatch(Desk *d, const Kind *kind, const char *name, const char *json5)
{
    return ask_body(d, (Request){.verb = VERB_JSON_PATCH, .kind = kind, .key.name = name}, json5);
}

static inline const Json *apply_by(
    Desk *d, const char *manager, const Kind *kind, const char *name, const char *json5)
{
    return ask_body(d,
        (Request){.verb = VERB_APPLY, .kind = kind, .key.name = name, .manager = manager},
        json5);
}

static inline const Json *delete(Desk *d, const Kind *kind, const char *name)
{
    return ask(d, (Request){.verb = VERB_DELETE, .kind = kind, .key.name = name});
}

static inline const char *version_of(const Json *object)
{
    return json_str(object, ".metadata.resourceVersion");
}

/* The last answer: its status, and a phrase of its message. */
#define then_refused(d, want_status, want_phrase)                                                  \
    do {                                                                                           \
        then_int((d)->answer.status, (want_status));                                               \
        test_phrase(json_str((d)->answer.body, ".message"), (want_phrase), __FILE__, __LINE__);    \
    } while (0)
#define then_status(d, want_status) then_int((d)->answer.status, (want_status))

static inline void test_phrase(const char *got, const char *want, const char *file, int line)
{
    if (!got || !strstr(got, want))
        test_fail(file, line, "got:  %s\nwant: ...%s...", got ? got : "(nothing)", want);
}

/* What an Event of events.k8s.io cannot be without. */
#define EVENT_PARTS                                                                                \
    "eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 't.io/t', "                    \
    "reportingInstance: 't', action: 'A'"

/* What the tests call their custom kind, and its definition. */
static const Kind kind_widget[1] = {{"test.io", "v1", "widgets", "Widget", .namespaced = true}};
static const char widget_crd[] =
    "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
    " metadata: {name: 'widgets.test.io'}, spec: {group: 'test.io', scope: 'Namespaced',"
    " names: {plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList'},"
    " versions: [{name: 'v1', served: true, storage: true,"
    "  schema: {openAPIV3Schema: {type: 'object', properties: {"
    "   spec: {type: 'object', properties: {replicas: {type: 'integer', minimum: 0},"
    "    size: {type: 'string'}}},"
    "   status: {type: 'object', properties: {phase: {type: 'string'},"
    "    replicas: {type: 'integer'}, selector: {type: 'string'}}}}}},"
    "  subresources: {status: {}, scale: {specReplicasPath: '.spec.replicas',"
    "   statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector'}}}]}}";

#endif
