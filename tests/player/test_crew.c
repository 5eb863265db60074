/* An actor behind a reflector: it sees lists and changes, and what a new list lacks is gone. */
#include "player/crew.h"

#include "kube/meta.h"
#include "tests/kube/runtime/fake_streams.h"
#include "tests/test.h"

typedef struct Stage {
    Transport transport;
    Api api;
    FakeStreams streams;
    Actor actor;
    Arena *arena;
    SeededRng rng;
    Crew *crew;
    const char *seen;
    int steps;
    int64_t wish_ms;
    bool closed;
} Stage;

static Stage *stage_of_actor(Actor *self)
{
    return (Stage *)(void *)((char *)self - offsetof(Stage, actor));
}

static void see(Actor *self, const Sight *sight, int64_t now_ms)
{
    Stage *s = stage_of_actor(self);
    (void)now_ms;
    s->seen = str_format(
        s->arena, "%s%s%s ", s->seen, sight->object ? "+" : "-", key_text(s->arena, sight->key));
}

static int64_t step(Actor *self, Arena *a, Api *api, int64_t now_ms)
{
    Stage *s = stage_of_actor(self);
    (void)a;
    (void)now_ms;
    then_true(api == &s->api);
    s->steps++;
    return s->wish_ms;
}

static void close_actor(Actor *self)
{
    stage_of_actor(self)->closed = true;
}

static Api *open_api(Transport *self)
{
    return &((Stage *)(void *)self)->api;
}

static Streams *open_streams(Transport *self)
{
    return &((Stage *)(void *)self)->streams.port;
}

static void close_api(Transport *self, Api *api)
{
    (void)self;
    (void)api;
}

static void close_streams(Transport *self, Streams *streams)
{
    (void)self;
    (void)streams;
}

static const Kind *const kinds[] = {kind_pod, NULL};

static void stage_open(Stage *s)
{
    *s = (Stage){.transport = {"test", open_api, close_api, open_streams, close_streams},
        .actor = {"actor", kinds, see, step, close_actor},
        .arena = arena_open(16 << 20),
        .seen = "",
        .wish_ms = INT64_MAX};
    rng_seed(&s->rng, 1);
    fake_streams_init(&s->streams, s->arena);
    s->crew = crew_open(&(CrewOptions){.transport = &s->transport, .rng = &s->rng.port});
    crew_add(s->crew, &s->actor);
}

static void stage_close(Stage *s)
{
    crew_close(s->crew);
    then_true(s->closed);
    arena_close(s->arena);
}

static void answer(Stage *s, const char *body)
{
    fake_head(&s->streams, 200, 0);
    fake_bytes(&s->streams, body, strlen(body));
    fake_end(&s->streams, OK);
}

#define POD(name, version)                                                                         \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"" version "\"}}"
#define LIST(version, items)                                                                       \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version     \
    "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

TEST(an_actor_sees_a_list_and_then_its_changes)
{
    Stage s;
    stage_open(&s);
    crew_step(s.crew, 0);
    then_int(s.streams.request.verb, VERB_LIST);
    answer(&s, LIST("5", POD("a", "3") "," POD("b", "4")));
    crew_step(s.crew, 10);
    then_str(s.seen, "+n/a +n/b ");
    then_int(s.streams.request.verb, VERB_WATCH);
    then_true(!crew_is_watching(s.crew));
    fake_head(&s.streams, 200, 0);
    static const char change[] = EVENT("MODIFIED", POD("a", "6")) EVENT("DELETED", POD("b", "7"));
    fake_bytes(&s.streams, change, sizeof change - 1);
    crew_step(s.crew, 20);
    then_true(crew_is_watching(s.crew));
    then_str(s.seen, "+n/a +n/b +n/a -n/b ");
    stage_close(&s);
}

TEST(an_object_that_is_missing_from_a_new_list_is_reported_as_deleted_to_the_actor)
{
    Stage s;
    stage_open(&s);
    crew_step(s.crew, 0);
    answer(&s, LIST("5", POD("a", "3") "," POD("b", "4")));
    crew_step(s.crew, 10);
    fake_head(&s.streams, 410, 0);
    fake_end(&s.streams, OK);
    for (int64_t now_ms = 20; s.streams.request.verb != VERB_LIST && now_ms < 600000; now_ms += 100)
        crew_step(s.crew, now_ms);
    s.seen = "";
    answer(&s, LIST("9", POD("b", "4")));
    crew_step(s.crew, 700000);
    then_str(s.seen, "+n/b -n/a ");
    stage_close(&s);
}

TEST(an_actor_runs_at_its_requested_time_and_when_it_is_notified)
{
    Stage s;
    stage_open(&s);
    s.wish_ms = 5000;
    crew_step(s.crew, 0);
    then_int(s.steps, 1);
    crew_step(s.crew, 4999);
    then_int(s.steps, 1);
    crew_step(s.crew, 5000);
    then_true(s.steps > 1);
    s.wish_ms = INT64_MAX;
    crew_step(s.crew, 5001);
    int steps = s.steps;
    crew_step(s.crew, 6000);
    then_int(s.steps, steps);
    crew_wake(s.crew, &s.actor);
    crew_step(s.crew, 6001);
    then_int(s.steps, steps + 1);
    stage_close(&s);
}

TEST(an_actor_that_always_wants_to_run_does_not_starve_the_others)
{
    Stage s;
    stage_open(&s);
    s.wish_ms = 0;
    crew_step(s.crew, 100);
    then_true(s.steps > 0 && s.steps <= 64);
    stage_close(&s);
}
