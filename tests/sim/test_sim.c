/* The simulation itself: what it hears, counts and notes. */
#include "sim/sim.h"

#include "kube/meta.h"
#include "sim/sim_transport.h"
#include "tests/test.h"

typedef struct Paper {
    LogSink sink; /* first, so that the sink is this */
    Buf text;
} Paper;

static void write_down(LogSink *self, const char *line, size_t len)
{
    then_true(buf_append(&((Paper *)self)->text, line, len));
}

typedef struct Witness {
    int creations, changes, deletions;
    char user[32];
} Witness;

static void bear_witness(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Witness *w = self;

    then_true(kind_eq(request->kind, kind_configmap));
    w->creations += !before && after;
    w->changes += before && after;
    w->deletions += before && !after;
    snprintf(w->user, sizeof w->user, "%s", user);
}

static const Json *ask(Sim *sim, Arena *a, Verb verb, const char *body)
{
    Request request = {
        .verb = verb,
        .kind = kind_configmap,
        .key = {"default", "x"},
        .body = body ? json_fixture(a, body) : NULL,
    };

    const Json *answer = NULL;

    then_ok(api_call(world_api(sim_world(sim), "person"), a, &request, &answer));
    return answer;
}

TEST(every_write_is_shown_to_observers_and_traced)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Paper paper = {.sink = {.write = write_down}, .text = {.ceiling = 1 << 20}};
    Sim *sim = sim_open(&(SimOptions){.seed = 1, .print = &paper.sink});
    Witness witness = {0};

    sim_on_write(sim, bear_witness, &witness);
    ask(sim, a, VERB_CREATE, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}}");
    ask(sim, a, VERB_MERGE_PATCH, "{data: {k: 'v'}}");
    ask(sim, a, VERB_DELETE, NULL);

    then_int(witness.creations, 1);
    then_int(witness.changes, 1);
    then_int(witness.deletions, 1);
    then_str(witness.user, "person");
    then_true(strstr(paper.text.data, "server         person: create configmaps default/x at "));
    then_true(strstr(paper.text.data, "person: delete configmaps default/x, gone"));
    then_int(sim_trace(sim)->lines, 3);
    sim_close(sim);
    buf_close(&paper.text);
}

/* The hash knows what was written, not only that something was. */
TEST(the_content_of_a_write_changes_the_trace_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static const char *const bodies[] = {"{data: {k: 'v'}}", "{data: {k: 'w'}}"};
    uint64_t hashes[2];

    for (int i = 0; i < 2; i++) {
        Sim *sim = sim_open(&(SimOptions){.seed = 1});
        ask(sim, a, VERB_CREATE, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}}");
        ask(sim, a, VERB_MERGE_PATCH, bodies[i]);
        hashes[i] = sim_trace(sim)->hash;
        sim_close(sim);
    }
    then_true(hashes[0] != hashes[1]);
}

static PortFault refuse(void *self, const PortCall *call)
{
    (void)self;
    then_str(call->process, "p");
    then_str(call->strand, "p/s");
    return (PortFault){.kind = PORT_UNSENT};
}

static void do_nothing(void *self)
{
    (void)self;
}

TEST(simulated_calls_are_counted_and_judged_by_the_current_judge)
{
    Sim *sim = sim_open(&(SimOptions){.seed = 1});
    Process process;
    Request request = {.verb = VERB_GET, .kind = kind_configmap, .key = {"default", "x"}};

    process_init(&process, sim_world(sim), "p");
    Strand *s = process_spawn(&process, "s", do_nothing, NULL);
    PortCall first = {.request = &request}, second = first;

    then_int(sim_judge(sim, s, &first).kind, PORT_FINE);
    sim_set_judge(sim, refuse, NULL);
    then_int(sim_judge(sim, s, &second).kind, PORT_UNSENT);
    then_int(first.number, 1);
    then_int(second.number, 2);
    then_int(sim_calls(sim), 2);
    process_kill(&process);
    process_close(&process);
    sim_close(sim);
}

TEST(simulated_latencies_are_within_their_bounds)
{
    Sim *sim = sim_open(&(SimOptions){.seed = 1, .latency_max_ms = 3, .lag_max_ms = 7});
    int64_t latency_max = 0, lag_max = 0;

    for (int i = 0; i < 1000; i++) {
        int64_t latency = sim_latency_ms(sim), lag = sim_lag_ms(sim);
        then_true(latency >= 0 && lag >= 0);
        latency_max = latency > latency_max ? latency : latency_max;
        lag_max = lag > lag_max ? lag : lag_max;
        then_true(!sim_lingers(sim));
    }
    then_int(latency_max, 3);
    then_int(lag_max, 7);
    sim_close(sim);
    sim_close(NULL);
}

typedef struct Visitor {
    SimGuest guest;
    int changes, closes;
} Visitor;

static void hear_change(void *self, int64_t now_ms)
{
    (void)now_ms;
    ((Visitor *)self)->changes++;
}

static void hear_close(void *self)
{
    ((Visitor *)self)->closes++;
}

TEST(registered_observers_of_the_simulation_get_changes_and_its_end_until_they_leave)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Sim *sim = sim_open(&(SimOptions){.seed = 1});
    Visitor stays = {.guest = {.self = &stays, .changed = hear_change, .close = hear_close}};
    Visitor leaves = {.guest = {.self = &leaves, .changed = hear_change, .close = hear_close}};

    sim_join(sim, &stays.guest);
    sim_join(sim, &leaves.guest);
    ask(sim, a, VERB_CREATE, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}}");
    sim_leave(&leaves.guest);
    ask(sim, a, VERB_DELETE, NULL);
    then_int(stays.changes, 2);
    then_int(leaves.changes, 1);
    sim_close(sim);
    then_int(stays.closes, 1);
    then_int(leaves.closes, 0);
}

TEST(a_copied_request_does_not_depend_on_the_original)
{
    SCOPED_ARENA copies = arena_open(1 << 20);
    Request copy;
    {
        SCOPED_ARENA a = arena_open(1 << 20);
        Request request = {
            .verb = VERB_APPLY,
            .kind = kind_configmap,
            .key = {str_copy(a, "ns"), str_copy(a, "x")},
            .subresource = str_copy(a, "status"),
            .body = json_fixture(a, "{data: {k: 'v'}}"),
            .manager = str_copy(a, "me"),
            .uid = str_copy(a, "u"),
            .resource_version = str_copy(a, "7"),
            .force = true,
        };
        copy = sim_request_copy(copies, &request);
    }
    then_str(request_text(copies, &copy), "patch configmaps ns/x (status)");
    then_json(copy.body, "{data: {k: 'v'}}");
    then_str(copy.manager, "me");
    then_str(copy.uid, "u");
    then_str(copy.resource_version, "7");
    then_true(copy.force);
}

TEST(in_a_steady_simulation_latencies_are_constant_and_uids_differ)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Sim *sim = sim_open(&(SimOptions){.seed = 1, .is_steady = true});
    int64_t latency_ms = sim_latency_ms(sim), lag_ms = sim_lag_ms(sim);
    const char *uids[2];

    for (int i = 0; i < 100; i++) {
        then_int(sim_latency_ms(sim), latency_ms);
        then_int(sim_lag_ms(sim), lag_ms);
    }
    for (int i = 0; i < 2; i++) {
        uids[i] = meta_uid(ask(
            sim, a, VERB_CREATE, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}}"));
        ask(sim, a, VERB_DELETE, NULL);
    }
    then_true(!str_eq(uids[0], uids[1]));
    sim_close(sim);
}
