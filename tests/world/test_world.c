/* The world: who sees what, when, and in which order. */
#include "world/world.h"

#include "kube/meta.h"
#include "tests/test.h"

#include <inttypes.h>

enum { NOTES_MAX = 4096 };

/* An actor that writes down what it sees and does what the test says. */
typedef struct Scribe {
    Actor actor;
    const char *notes[NOTES_MAX]; /* "configmaps default/x 7", "pods ns/y gone" */
    int64_t times[NOTES_MAX];
    int count;
    int steps;
    int64_t next_ms; /* what a step answers */
    Err *(*act)(struct Scribe *self, Arena *a, Api *api);
    Arena *arena;
    bool closed;
} Scribe;

static void see(Actor *self, const Sight *sight, int64_t now_ms)
{
    Scribe *s = (Scribe *)self;

    then_true(s->count < NOTES_MAX);
    s->times[s->count] = now_ms;
    s->notes[s->count++] = str_format(s->arena,
        "%s %s %s",
        sight->kind->plural,
        key_text(s->arena, sight->key),
        sight->object ? meta_resource_version(sight->object) : "gone");
}

static int64_t step(Actor *self, Arena *a, Api *api, int64_t now_ms)
{
    Scribe *s = (Scribe *)self;

    (void)now_ms;
    s->steps++;
    if (s->act)
        then_ok(s->act(s, a, api));
    return s->next_ms;
}

static void close_scribe(Actor *self)
{
    ((Scribe *)self)->closed = true;
}

static const Kind *const only_configmaps[] = {kind_configmap, NULL};
static const Kind *const two_kinds[] = {kind_configmap, kind_secret, NULL};

typedef struct Stage {
    Arena *arena;
    World *world;
    Api *person;
} Stage;

static Stage open_stage(uint64_t seed)
{
    Stage s = {.arena = arena_open(64 << 20), .world = world_open(&(WorldOptions){.seed = seed})};

    s.person = world_api(s.world, "person");
    return s;
}

static void close_stage(Stage *s)
{
    world_close(s->world);
    arena_close(s->arena);
}
#define SCOPED_STAGE __attribute__((cleanup(close_stage))) Stage

static Scribe *add_scribe(Stage *stage, const Kind *const *kinds)
{
    Scribe *s = arena_new(stage->arena, Scribe);

    s->actor = (Actor){"scribe", kinds, see, step, close_scribe};
    s->arena = stage->arena;
    s->next_ms = INT64_MAX;
    world_add(stage->world, &s->actor);
    return s;
}

static void create(Stage *s, const Kind *kind, const char *name)
{
    char version[KIND_API_VERSION_SIZE];
    const char *text = str_format(s->arena,
        "{apiVersion: '%s', kind: '%s', metadata: {namespace: 'default', name: '%s'}}",
        kind_api_version(kind, version),
        kind->name,
        name);
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind,
        .key = {"default", name},
        .body = json_fixture(s->arena, text),
    };

    then_ok(api_call(s->person, s->arena, &request, NULL));
}

static void touch(Stage *s, const char *name, int round)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_configmap,
        .key = {"default", name},
        .body = json_fixture(s->arena, str_format(s->arena, "{data: {round: '%d'}}", round)),
    };

    then_ok(api_call(s->person, s->arena, &request, NULL));
}

static void delete_one(Stage *s, const char *name)
{
    Request request = {.verb = VERB_DELETE, .kind = kind_configmap, .key = {"default", name}};

    then_ok(api_call(s->person, s->arena, &request, NULL));
}

/* --- seeing ------------------------------------------------------------------------------------
 */

TEST(a_new_actor_sees_the_existing_objects)
{
    SCOPED_STAGE stage = open_stage(1);
    create(&stage, kind_configmap, "old");

    Scribe *s = add_scribe(&stage, only_configmaps);
    world_run_until(stage.world, 10000);

    then_int(s->count, 1);
    then_true(str_has_prefix(s->notes[0], "configmaps default/old "));
}

TEST(an_actor_sees_every_change_in_order_and_within_its_delay)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);
    int64_t began = world_now_ms(stage.world);

    create(&stage, kind_configmap, "x");
    for (int i = 0; i < 20; i++)
        touch(&stage, "x", i);
    delete_one(&stage, "x");
    world_run_until(stage.world, began + 50);

    then_int(s->count, 22);
    for (int i = 1; i < 21; i++)
        then_true(
            meta_version_compare(strrchr(s->notes[i - 1], ' ') + 1, strrchr(s->notes[i], ' ') + 1)
            < 0);
    then_str(s->notes[21], "configmaps default/x gone");
    for (int i = 1; i < 22; i++)
        then_true(s->times[i - 1] <= s->times[i]);
}

static bool sees_secret_first(uint64_t seed)
{
    SCOPED_STAGE stage = open_stage(seed);
    Scribe *s = add_scribe(&stage, two_kinds);

    create(&stage, kind_configmap, "x");
    create(&stage, kind_secret, "y");
    world_run_until(stage.world, 10000);
    then_int(s->count, 2);
    return str_has_prefix(s->notes[0], "secrets");
}

TEST(the_order_of_changes_of_different_kinds_depends_on_the_seed)
{
    int turned = 0;

    for (uint64_t seed = 0; seed < 50; seed++)
        turned += sees_secret_first(seed);
    then_true(turned > 5 && turned < 45);
}

TEST(a_compaction_does_not_hide_changes_from_an_actor)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    create(&stage, kind_configmap, "x");
    world_compact(stage.world);
    touch(&stage, "x", 1);
    world_compact(stage.world);
    world_run_until(stage.world, 10000);
    then_int(s->count, 2);
}

TEST(a_compaction_after_a_direct_write_to_the_server_hides_no_change)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);
    Answer answer = {0};
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = {"default", "x"},
        .body = json_fixture(
            stage.arena, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}}"),
    };

    server_call(world_server(stage.world), stage.arena, "somebody", &request, &answer);
    then_int(answer.status, 201);
    world_compact(stage.world);
    world_run_until(stage.world, 10000);
    then_int(s->count, 1);
}

TEST(an_actor_sees_more_changes_than_the_history_holds)
{
    Stage stage = {.arena = arena_open(64 << 20)};
    stage.world = world_open(&(WorldOptions){.seed = 1, .history_max = 16});
    stage.person = world_api(stage.world, "person");
    Scribe *s = add_scribe(&stage, only_configmaps);

    create(&stage, kind_configmap, "x");
    for (int i = 0; i < 200; i++)
        touch(&stage, "x", i);
    world_run_until(stage.world, 10000);
    then_int(s->count, 201);
    close_stage(&stage);
}

TEST(one_request_with_more_changes_than_the_history_holds_is_seen_completely)
{
    Stage stage = {.arena = arena_open(64 << 20)};
    stage.world = world_open(&(WorldOptions){.seed = 1, .history_max = 16});
    stage.person = world_api(stage.world, "person");
    Scribe *s = add_scribe(&stage, only_configmaps);

    for (int i = 0; i < 100; i++)
        create(&stage, kind_configmap, str_format(stage.arena, "x%d", i));
    for (int i = 0; i < 100; i++) { /* past the world, as a server does it within one request */
        Answer answer;
        server_call(world_server(stage.world),
            stage.arena,
            "somebody",
            &(Request){.verb = VERB_DELETE,
                .kind = kind_configmap,
                .key = {"default", str_format(stage.arena, "x%d", i)}},
            &answer);
        then_int(answer.status, 200);
    }
    world_run_until(stage.world, 10000);
    then_int(s->count, 200);
    then_true(str_has_suffix(s->notes[199], "gone"));
    close_stage(&stage);
}

static bool is_too_old(Stage *stage, const char *version)
{
    Request watch = {.verb = VERB_WATCH, .kind = kind_configmap, .resource_version = version};
    Answer answer;
    Bytes line = {0};
    bool ended = false;
    ServerWatch *w = server_open_watch(world_server(stage->world), stage->arena, &watch, &answer);

    then_true(w && server_next_event(w, stage->arena, &line, &ended));
    server_close_watch(w);
    return ended;
}

TEST(more_bytes_than_the_history_keeps_are_seen_and_then_dropped)
{
    Stage stage = {.arena = arena_open(64 << 20)};
    stage.world = world_open(&(WorldOptions){.seed = 1, .history_bytes = 16 << 10});
    stage.person = world_api(stage.world, "person");
    Scribe *s = add_scribe(&stage, only_configmaps);

    create(&stage, kind_configmap, "x");
    uint64_t created = server_version(world_server(stage.world));
    for (int i = 0; i < 200; i++)
        touch(&stage, "x", i);
    uint64_t touched = server_version(world_server(stage.world));
    then_true(is_too_old(&stage, str_format(stage.arena, "%" PRIu64, created)));
    then_true(!is_too_old(&stage, str_format(stage.arena, "%" PRIu64, touched - 1)));
    world_run_until(stage.world, 10000);
    then_int(s->count, 201);
    close_stage(&stage);
}

static const Kind kind_gadget[1] = {{"example.io", "v1", "gadgets", "Gadget", true, NULL}};
static const Kind *const only_gadgets[] = {kind_gadget, NULL};

TEST(an_actor_sees_a_kind_that_is_served_later)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_gadgets);

    world_run_until(stage.world, 3000);
    then_ok(server_add_crd(stage.arena,
        world_server(stage.world),
        json_fixture(stage.arena,
            "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
            " metadata: {name: 'gadgets.example.io'}, spec: {group: 'example.io',"
            " scope: 'Namespaced', names: {plural: 'gadgets', kind: 'Gadget',"
            "  singular: 'gadget', listKind: 'GadgetList'},"
            " versions: [{name: 'v1', served: true, storage: true, schema: {openAPIV3Schema:"
            "  {type: 'object', 'x-kubernetes-preserve-unknown-fields': true}}}]}}")));
    create(&stage, kind_gadget, "x");
    world_run_until(stage.world, 6000);
    then_int(s->count, 1);
}

/* --- acting ------------------------------------------------------------------------------------
 */

TEST(an_actor_steps_at_the_start_and_after_each_change_that_it_sees)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    world_run_until(stage.world, 2000);
    then_int(s->steps, 1);
    create(&stage, kind_configmap, "x");
    world_run_until(stage.world, 4000);
    then_int(s->steps, 2);
}

TEST(an_actor_steps_at_the_time_that_it_requested)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    s->next_ms = world_now_ms(stage.world) + 500;
    world_run_until(stage.world, s->next_ms - 1);
    then_int(s->steps, 1);
    s->next_ms += 500;
    world_run_until(stage.world, s->next_ms - 1);
    then_int(s->steps, 2);
}

TEST(a_notified_actor_steps_at_once)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    world_run_until(stage.world, 2000);
    world_wake(stage.world, &s->actor);
    world_run_until(stage.world, 2000);
    then_int(s->steps, 2);
}

static Err *create_once(Scribe *s, Arena *a, Api *api)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = {"default", "mine"},
        .body = json_fixture(a, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'mine'}}"),
    };

    return s->count == 0 && s->steps == 1 ? api_call(api, a, &request, NULL) : OK;
}

TEST(an_actor_sees_its_own_writes_with_the_usual_delay)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    s->act = create_once;
    world_run_until(stage.world, 2000);
    then_int(s->count, 1);
    then_int(s->steps, 2);
}

TEST(an_actor_that_steps_without_end_is_a_bug)
{
    then_bug("time stands still", {
        Stage stage = open_stage(1);
        Scribe *s = add_scribe(&stage, only_configmaps);
        s->next_ms = 0;
        world_run_until(stage.world, 2000);
    });
}

TEST(closing_the_world_closes_its_actors)
{
    Stage stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);

    world_close(stage.world);
    then_true(s->closed);
    arena_close(stage.arena);
    world_close(NULL);
}

/* --- time --------------------------------------------------------------------------------------
 */

typedef struct Bell {
    World *world;
    int64_t rang[8];
    int count;
} Bell;

static void ring(void *self, int64_t now_ms)
{
    Bell *b = self;

    then_int(now_ms, world_now_ms(b->world));
    b->rang[b->count++] = now_ms;
    if (b->count == 3)
        world_at(b->world, now_ms + 10, ring, b);
}

TEST(simulated_time_advances_only_from_turn_to_turn)
{
    SCOPED_STAGE stage = open_stage(1);
    World *w = stage.world;
    Bell bell = {.world = w};
    int64_t began = world_now_ms(w);
    int64_t wall = clock_wall_ms(world_clock(w));

    then_true(!world_step(w));
    world_at(w, began + 300, ring, &bell);
    world_at(w, began + 100, ring, &bell);
    world_at(w, began + 200, ring, &bell);
    then_true(world_step(w));
    then_int(world_now_ms(w), began + 100);
    while (world_step(w))
        ;
    then_int(bell.count, 4);
    then_int(bell.rang[3], began + 310);
    world_run_until(w, began + 5000);
    then_int(world_now_ms(w), began + 5000);
    then_int(clock_wall_ms(world_clock(w)), wall + 5000);
}

TEST(the_wall_clock_of_a_world_starts_at_the_given_time)
{
    World *w = world_open(&(WorldOptions){.seed = 1, .wall_ms = 1234567890123});

    then_int(clock_wall_ms(world_clock(w)), 1234567890123);
    world_close(w);
}

TEST(each_user_of_a_world_has_one_api_with_the_errors_of_the_server)
{
    SCOPED_STAGE stage = open_stage(1);
    Request get = {.verb = VERB_GET, .kind = kind_configmap, .key = {"default", "x"}};
    const Json *object = NULL;

    then_true(world_api(stage.world, "person") == stage.person);
    then_true(world_api(stage.world, "other") != stage.person);
    then_err(api_call(stage.person, stage.arena, &get, &object), RETRY("not found"));
    create(&stage, kind_configmap, "x");
    then_ok(api_call(stage.person, stage.arena, &get, &object));
    then_str(meta_name(object), "x");
}

/* --- the observer ------------------------------------------------------------------------------
 */

typedef struct Lookout {
    int changes, sights, steps;
} Lookout;

static void look_changed(void *self, int64_t now_ms)
{
    (void)now_ms;
    ((Lookout *)self)->changes++;
}

static void look_saw(void *self, const Actor *actor, const Sight *sight)
{
    (void)sight;
    then_str(actor->name, "scribe");
    ((Lookout *)self)->sights++;
}

static void look_stepped(void *self, const Actor *actor, int64_t next_ms)
{
    (void)actor;
    then_true(next_ms == INT64_MAX);
    ((Lookout *)self)->steps++;
}

TEST(an_observer_is_called_for_changes_and_sights_and_steps)
{
    SCOPED_STAGE stage = open_stage(1);
    Scribe *s = add_scribe(&stage, only_configmaps);
    Lookout lookout = {0};

    world_observe(stage.world, &(WorldObserver){&lookout, look_changed, look_saw, look_stepped});
    create(&stage, kind_configmap, "x");
    touch(&stage, "x", 1);
    world_run_until(stage.world, 2000);
    then_int(lookout.changes, 2);
    then_int(lookout.sights, 2);
    then_int(lookout.steps, s->steps);
}

TEST(the_wall_clock_can_be_set_without_changing_the_monotonic_clock)
{
    World *w = world_open(&(WorldOptions){.seed = 1});
    int64_t before_ms = world_now_ms(w);

    world_set_wall(w, 5000000000);
    then_int(clock_wall_ms(world_clock(w)), 5000);
    then_int(world_now_ms(w), before_ms);
    world_run_until(w, before_ms + 7);
    then_int(clock_wall_ms(world_clock(w)), 5007);
    world_close(w);
}
