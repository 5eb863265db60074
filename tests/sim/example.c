/* Example: the script of the people, and the judgement. The controller is compiled in as it is;
 * only its main goes by another name. */
int configmap_copy_main(void);
#define main configmap_copy_main
#include "examples/configmap_copy.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include "tests/sim/example.h"

#include <stdlib.h>

enum { PERSON_ARENA_MAX = 4 << 20, IDLE_CHECK_MS = 20, SOURCES_MAX = 100000 };

const Controller *const example_controllers[] = {&copier, NULL};

typedef enum Deed {
    DEED_CREATE,
    DEED_EDIT,
    DEED_SEND_ELSEWHERE,
    DEED_DELETE,
    DEED_DELETE_COPY,
    DEED_SPOIL_COPY,
} Deed;

typedef struct Act {
    Example *example;
    Deed deed;
    int source;
} Act;

struct Example {
    Arena *arena;
    Arena *work; /* of one deed */
    ExampleOptions options;
    Sim *sim;
    Api *person;
    Replica *replicas[EXAMPLE_REPLICAS_MAX];
    int deeds_left, deeds_done;
};

/* What each source goes through after its creation, and so what is right in the end. */
static bool is_edited(int source)
{
    return source % 3 == 0;
}

static bool is_sent_elsewhere(int source)
{
    return source % 3 == 1;
}

static bool is_deleted(int source)
{
    return source % 3 == 2;
}

/* --- the people --------------------------------------------------------------------------------
 */

static const char *name_of(Arena *a, int source)
{
    return str_format(a, "s%d", source);
}

static void ask(Example *e, Request request)
{
    Err *err = api_call(e->person, e->work, &request, NULL);

    /* A copy that a person wants to touch may not be there, or no longer. */
    if (err && err->status != 404) {
        fprintf(stderr, "a person was refused: %s\n", err_text(e->work, err));
        abort();
    }
}

static Request about(Example *e, Verb verb, const char *namespace, int source)
{
    return (Request){
        .verb = verb,
        .kind = kind_configmap,
        .key = {.namespace = namespace, .name = name_of(e->work, source)},
        .manager = "person",
    };
}

static void create(Example *e, int source)
{
    Request request = about(e, VERB_CREATE, "default", source);

    request.body = json_seal(e->work,
        draft(e->work,
            str("apiVersion", "v1"),
            str("kind", "ConfigMap"),
            obj("metadata",
                str("namespace", "default"),
                str("name", request.key.name),
                obj("labels", str(SOURCE, "")),
                obj("annotations", str(TO, "a,b"))),
            obj("data", str("colour", "red"))));
    ask(e, request);
}

static void patch(Example *e, const char *namespace, int source, const char *change)
{
    Request request = about(e, VERB_MERGE_PATCH, namespace, source);

    request.body = json_fixture(e->work, change);
    ask(e, request);
}

static void act(void *self, int64_t now_ms)
{
    const Act *deed = self;
    Example *e = deed->example;

    (void)now_ms;
    switch (deed->deed) {
    case DEED_CREATE:
        create(e, deed->source);
        break;
    case DEED_EDIT:
        patch(e, "default", deed->source, "{data: {colour: 'green'}}");
        break;
    case DEED_SEND_ELSEWHERE:
        patch(e, "default", deed->source, "{metadata: {annotations: {'" TO "': 'b,c'}}}");
        break;
    case DEED_DELETE:
        ask(e, about(e, VERB_DELETE, "default", deed->source));
        break;
    case DEED_DELETE_COPY:
        ask(e, about(e, VERB_DELETE, "a", deed->source));
        break;
    case DEED_SPOIL_COPY:
        patch(e, "b", deed->source, "{data: {colour: 'mud'}}");
        break;
    }
    arena_reset(e->work);
    e->deeds_left--;
    e->deeds_done++;
}

static void promise(Example *e, Deed deed, int source, int64_t when)
{
    Act *planned = arena_new(e->arena, Act);

    *planned = (Act){.example = e, .deed = deed, .source = source};
    world_at(sim_world(e->sim), world_now_ms(sim_world(e->sim)) + when, act, planned);
    e->deeds_left++;
}

static void write_script(Example *e)
{
    Rng *rng = world_rng(sim_world(e->sim));
    uint64_t half = (uint64_t)e->options.bustle_ms / 2;

    for (int i = 0; i < e->options.sources; i++) {
        int64_t created = 1 + (int64_t)rng_below(rng, half + 1);
        int64_t later = created + 1 + (int64_t)rng_below(rng, half + 1);
        int64_t touched = created + 1 + (int64_t)rng_below(rng, half + 1);
        promise(e, DEED_CREATE, i, created);
        if (is_edited(i)) {
            promise(e, DEED_EDIT, i, later);
            promise(e, DEED_DELETE_COPY, i, touched);
        } else if (is_sent_elsewhere(i)) {
            promise(e, DEED_SEND_ELSEWHERE, i, later);
            promise(e, DEED_SPOIL_COPY, i, touched);
        } else if (is_deleted(i)) {
            promise(e, DEED_DELETE, i, later);
        }
    }
}

static void found_namespace(Example *e, const char *name)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_namespace,
        .key = {.name = name},
        .body = json_seal(e->work,
            draft(e->work,
                str("apiVersion", "v1"),
                str("kind", "Namespace"),
                obj("metadata", str("name", name)))),
    };

    ask(e, request);
    arena_reset(e->work);
}

/* --- opening and closing -----------------------------------------------------------------------
 */

static void fill_defaults(ExampleOptions *o)
{
    if (!o->replicas)
        o->replicas = 1;
    if (!o->sources)
        o->sources = 3;
    if (!o->workers)
        o->workers = 2;
    if (!o->bustle_ms)
        o->bustle_ms = 500;
    if (!o->controllers)
        o->controllers = example_controllers;
    o->with_election = o->with_election || o->replicas > 1;
}

Example *example_open(const ExampleOptions *options)
{
    static const char *const names[EXAMPLE_REPLICAS_MAX] = {"r0", "r1"};
    Arena *arena = arena_open((size_t)SOURCES_MAX * 4 * sizeof(Act));
    Example *e = arena_new(arena, Example);

    e->arena = arena;
    e->work = arena_open(PERSON_ARENA_MAX);
    e->options = *options;
    fill_defaults(&e->options);
    e->sim = sim_open(&e->options.sim);
    e->person = world_api(sim_world(e->sim), "person");
    found_namespace(e, "a");
    found_namespace(e, "b");
    found_namespace(e, "c");
    write_script(e);
    for (int i = 0; i < e->options.replicas; i++)
        e->replicas[i] = replica_open(e->sim,
            &(ReplicaOptions){
                .name = names[i],
                .controllers = e->options.controllers,
                .workers = e->options.workers,
                .leader_election = e->options.with_election,
            });
    return e;
}

void example_close(Example *e)
{
    sim_close(e->sim);
    arena_close(e->work);
    arena_close(e->arena);
}

void example_close_scoped(Example **e)
{
    example_close(*e);
}

Sim *example_sim(Example *e)
{
    return e->sim;
}

Replica *example_replica(Example *e, int number)
{
    return e->replicas[number];
}

/* --- the judgement -----------------------------------------------------------------------------
 */

static const Json *find(Example *e, Arena *a, const char *namespace, int source)
{
    Answer answer = {0};
    Request request = about(e, VERB_GET, namespace, source);

    server_call(world_server(sim_world(e->sim)), a, "judge", &request, &answer);
    return answer.status == 200 ? answer.body : NULL;
}

static const char *complaint_of_copy(
    Example *e, Arena *a, const Json *source, const char *namespace, int number)
{
    const Json *copy = find(e, a, namespace, number);
    const char *to = meta_deleting(source) ? NULL : meta_annotation(source, TO);
    bool wanted = to && strstr(to, namespace);

    if (!wanted)
        return copy ? str_format(a, "s%d has a copy in %s too many", number, namespace) : NULL;
    if (!copy)
        return str_format(a, "s%d has no copy in %s", number, namespace);
    if (!json_equal(json_find(copy, ".data"), json_find(source, ".data")))
        return str_format(a, "the copy of s%d in %s is old", number, namespace);
    if (!str_eq(meta_label(copy, SOURCE_UID), meta_uid(source)))
        return str_format(a, "the copy of s%d in %s has another source", number, namespace);
    return NULL;
}

static const char *complaint_of_source(Example *e, Arena *a, int number)
{
    static const char *const namespaces[] = {"a", "b", "c"};
    const Json *source = find(e, a, "default", number);
    const char *complaint = NULL;

    if (is_deleted(number) == (source != NULL))
        return str_format(a, "s%d %s", number, source ? "is still there" : "is gone");
    if (source && !str_eq(json_str(source, ".data.colour"), is_edited(number) ? "green" : "red"))
        return str_format(a, "s%d has lost an edit", number);
    if (source && !str_eq(meta_annotation(source, STATUS), "True"))
        return str_format(a, "s%d does not say that all is well", number);
    for (size_t i = 0; !complaint && i < 3; i++)
        complaint = complaint_of_copy(e, a, source, namespaces[i], number);
    return complaint;
}

const char *example_complaint(Example *e, Arena *a)
{
    const char *complaint = NULL;

    if (e->deeds_left > 0)
        return "the people are not done";
    for (int i = 0; !complaint && i < e->options.sources; i++)
        complaint = complaint_of_source(e, a, i);
    arena_reset(e->work);
    return complaint;
}

static bool is_idle(const Example *e)
{
    for (int i = 0; i < e->options.replicas; i++)
        if (replica_is_idle(e->replicas[i]))
            return true;
    return false;
}

bool example_settle(Example *e, int64_t until_ms)
{
    World *w = sim_world(e->sim);
    bool settled = false;

    while (!settled && world_now_ms(w) < until_ms) {
        world_run_until(w, world_now_ms(w) + IDLE_CHECK_MS);
        settled = e->deeds_left == 0 && is_idle(e);
    }
    return settled;
}

uint64_t example_deeds(const Example *e)
{
    return (uint64_t)e->deeds_done;
}

const char *example_run(Example *e, Arena *a, int64_t patience_ms)
{
    int64_t end = world_now_ms(sim_world(e->sim)) + patience_ms;
    const char *complaint = "it was never idle";

    while (complaint && example_settle(e, end)) {
        arena_reset(a);
        complaint = example_complaint(e, a);
    }
    return complaint;
}
