/* What all controllers share: errands, waiting for one's own write, trying again. A controller that
 * copies ConfigMaps stands for all; a recording Api for the server. */
#include "base/draft.h"
#include "kube/meta.h"
#include "tests/test.h"
#include "world/controller.h"

typedef struct Recorder {
    Api port;
    int calls;
    int failures; /* so many calls fail first */
    int status;
    Request last;
} Recorder;

static Err *record(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Recorder *r = (Recorder *)(void *)self;

    r->calls++;
    r->last = *request;
    if (r->failures-- > 0) {
        Err *err = err_retry(a, "no");
        err->status = r->status;
        err->reason = r->status == 404 ? "NotFound" : NULL;
        return err;
    }
    *ret = json_fixture(a, "{metadata: {name: 'copy', uid: 'u', resourceVersion: '10'}}");
    return OK;
}

static void notice(Controller *c, const Change *change)
{
    if (str_eq(change->key.name, "original"))
        controller_want_key(c, change->key, change->now_ms);
}

/* The copy is missing until it is seen. */
static Err *copy(Sync *s)
{
    const Json *seen = view_find(s->controller->view, s->arena, kind_configmap, (Key){"d", "copy"});

    if (seen)
        return OK;
    return sync_write(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_configmap,
            .key = {"d", "copy"},
            .body = json_fixture(s->arena, "{metadata: {name: 'copy'}}")},
        NULL);
}

static const Kind *const kinds[] = {kind_configmap, NULL};

typedef struct Bench {
    Arena *arena;
    SeededRng rng;
    ManualClock clock;
    Recorder recorder;
    Actor *actor;
} Bench;

static Bench *bench_open(int64_t delay_max_ms)
{
    Arena *a = arena_open(1 << 24);
    Bench *b = arena_new(a, Bench);
    ControllerTraits traits = {.name = "copier",
        .kinds = kinds,
        .size = sizeof(Controller),
        .notice = notice,
        .sync = copy};

    b->arena = a;
    b->recorder.port.call = record;
    rng_seed(&b->rng, 7);
    clock_manual_init(&b->clock, 0, 0);
    b->actor = &controller_open(&traits,
        &(ControllerOptions){
            .clock = &b->clock.port, .rng = &b->rng.port, .delay_max_ms = delay_max_ms})
                    ->actor;
    return b;
}

static void bench_close(Bench **b)
{
    (*b)->actor->close((*b)->actor);
    arena_close((*b)->arena);
}

#define SCOPED_BENCH __attribute__((cleanup(bench_close))) Bench *

static void see(Bench *b, const char *name, const char *version, int64_t now_ms)
{
    Sight sight = {.kind = kind_configmap, .key = {"d", name}};

    if (version)
        sight.object = json_fixture(b->arena,
            str_format(b->arena,
                "{metadata: {name: '%s', namespace: 'd', uid: 'u', resourceVersion: '%s'}}",
                name,
                version));
    b->actor->see(b->actor, &sight, now_ms);
}

static int64_t step(Bench *b, int64_t now_ms)
{
    return b->actor->step(b->actor, b->arena, &b->recorder.port, now_ms);
}

TEST(a_controller_without_events_never_wakes_up)
{
    SCOPED_BENCH b = bench_open(0);

    then_true(step(b, 0) == INT64_MAX);
    see(b, "stranger", "1", 0);
    then_true(step(b, 0) == INT64_MAX);
    then_int(b->recorder.calls, 0);
}

TEST(a_controller_writes_once_and_waits_for_its_own_write)
{
    SCOPED_BENCH b = bench_open(0);

    see(b, "original", "1", 100);
    then_int(step(b, 100), 1100);
    then_int(b->recorder.calls, 1);
    then_str(b->recorder.last.manager, "kube-controller-manager");
    see(b, "original", "2", 200);
    then_int(step(b, 200), 1100);
    see(b, "copy", "9", 300);
    then_int(step(b, 300), 1100);
    see(b, "copy", "10", 400);
    then_true(step(b, 400) == INT64_MAX);
    then_int(b->recorder.calls, 1);
}

TEST(a_controller_repeats_a_write_that_it_does_not_see_in_time)
{
    SCOPED_BENCH b = bench_open(0);

    see(b, "original", "1", 0);
    step(b, 0);
    then_int(step(b, 999), 1000);
    then_int(b->recorder.calls, 1);
    step(b, 1000);
    then_int(b->recorder.calls, 2);
}

TEST(a_controller_notices_that_its_written_object_was_deleted)
{
    SCOPED_BENCH b = bench_open(0);

    see(b, "original", "1", 0);
    step(b, 0);
    see(b, "copy", NULL, 50);
    step(b, 50);
    then_int(b->recorder.calls, 2);
}

TEST(a_controller_retries_a_failed_write_with_growing_delays)
{
    SCOPED_BENCH b = bench_open(0);
    int64_t now_ms = 0, waits[5];

    b->recorder.failures = 5;
    see(b, "original", "1", 0);
    for (size_t i = 0; i < array_count(waits); i++) {
        int64_t next_ms = step(b, now_ms);
        waits[i] = next_ms - now_ms;
        now_ms = next_ms;
    }
    then_int(waits[0], 5);
    then_int(waits[1], 10);
    then_int(waits[4], 80);
    then_int(step(b, now_ms), now_ms + 1000);
    then_int(b->recorder.calls, 6);
}

TEST(an_event_is_handled_before_the_next_retry_of_a_controller)
{
    SCOPED_BENCH b = bench_open(0);

    b->recorder.failures = 1;
    see(b, "original", "1", 0);
    step(b, 0);
    see(b, "original", "2", 1);
    step(b, 1);
    then_int(b->recorder.calls, 2);
}

TEST(the_reaction_time_of_a_controller_depends_on_the_seed)
{
    SCOPED_BENCH b = bench_open(1000);
    SCOPED_BENCH same = bench_open(1000);

    see(b, "original", "1", 0);
    see(same, "original", "1", 0);
    int64_t due_ms = step(b, 0);
    then_true(due_ms > 0 && due_ms <= 1000);
    then_int(step(same, 0), due_ms);
    then_int(b->recorder.calls, 0);
    step(b, due_ms);
    then_int(b->recorder.calls, 1);
}
