/* The Api port in virtual time: what each fault does to a call, to its caller and to the server. */
#include "kube/meta.h"
#include "sim/sim_transport.h"
#include "tests/test.h"

enum { DEADLINE_MS = 5000 };

/* A process of one strand that makes one call. */
typedef struct Bench {
    Sim *sim;
    Process process;
    SimTransport transport;
    PortOneFault fault;
    Request request;
    Arena *arena;
    char name[4]; /* of the object: the caller's own memory */
    bool returned;
    Err *err;
    int64_t took_ms;
} Bench;

static void make_call(void *self)
{
    Bench *b = self;
    Api *api = b->transport.port.open_api(&b->transport.port);
    int64_t began = world_now_ms(sim_world(b->sim));

    b->err = api_call(api, b->arena, &b->request, NULL);
    b->took_ms = world_now_ms(sim_world(b->sim)) - began;
    b->returned = true;
    snprintf(b->name, sizeof b->name, "%s", "bad"); /* what was sent is the caller's again */
    b->transport.port.close_api(&b->transport.port, api);
}

static Request creation(Bench *b)
{
    snprintf(b->name, sizeof b->name, "%s", "x");
    return (Request){
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = {"default", "x"},
        .manager = b->name,
        .body = json_fixture(b->arena,
            "{apiVersion: 'v1', kind: 'ConfigMap',"
            " metadata: {name: 'x', namespace: 'default'}, data: {k: 'v'}}"),
        .deadline_ms = DEADLINE_MS,
    };
}

static Bench *open_bench(PortFault fault)
{
    Arena *arena = arena_open(16 << 20);
    Bench *b = arena_new(arena, Bench);

    b->arena = arena;
    b->fault = (PortOneFault){.number = 1, .fault = fault};
    b->sim = sim_open(&(SimOptions){.seed = 3, .judge = port_judge_one, .judge_self = &b->fault});
    process_init(&b->process, sim_world(b->sim), "p");
    sim_transport_init(&b->transport, b->sim, &b->process, "user");
    b->request = creation(b);
    return b;
}

static void begin(Bench *b)
{
    process_spawn(&b->process, "caller", make_call, b);
}

static void run_for(Bench *b, int64_t ms)
{
    World *w = sim_world(b->sim);

    world_run_until(w, world_now_ms(w) + ms);
}

static void close_bench(Bench *b)
{
    process_kill(&b->process);
    process_close(&b->process);
    sim_close(b->sim);
    arena_close(b->arena);
}

static bool is_created(Bench *b)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Request get = {.verb = VERB_GET, .kind = kind_configmap, .key = {"default", "x"}};
    Answer answer = {0};

    server_call(world_server(sim_world(b->sim)), a, "test", &get, &answer);
    if (answer.status == 200)
        then_str(json_str(answer.body, ".metadata.managedFields[0].manager"), "x");
    return answer.status == 200;
}

static const struct {
    const char *name;
    PortFault fault;
    Want want;
    bool unknown; /* the caller cannot know whether it was carried out */
    bool killed;
    bool done_then;     /* the server had carried it out when the call returned */
    bool done_at_last;  /* and in the end */
    int64_t took_ms[2]; /* at least, at most */
} cases[] = {
    {"all is fine",
        {.kind = PORT_FINE},
        .done_then = true,
        .done_at_last = true,
        .took_ms = {0, 10}},
    {"no connection", {.kind = PORT_UNSENT}, RETRY("refused the connection"), .took_ms = {0, 10}},
    {"refused", {.kind = PORT_REFUSED, .status = 409}, RETRY("modified"), .took_ms = {0, 10}},
    {"done but disguised",
        {.kind = PORT_DISGUISED, .status = 500},
        RETRY("internal error"),
        .unknown = true,
        .done_then = true,
        .done_at_last = true,
        .took_ms = {0, 10}},
    {"the answer is lost",
        {.kind = PORT_LOST},
        RETRY("without an answer"),
        .unknown = true,
        .done_then = true,
        .done_at_last = true,
        .took_ms = {0, 10}},
    {"broken off",
        {.kind = PORT_CUT},
        RETRY("without an answer"),
        .unknown = true,
        .done_then = true,
        .done_at_last = true,
        .took_ms = {0, 10}},
    {"late, and still in time",
        {.kind = PORT_LATE, .delay_ms = 2000},
        .done_then = true,
        .done_at_last = true,
        .took_ms = {2000, 2010}},
    {"too late for its caller",
        {.kind = PORT_LATE, .delay_ms = 9000},
        RETRY("did not answer in time"),
        .unknown = true,
        .done_at_last = true,
        .took_ms = {DEADLINE_MS, DEADLINE_MS}},
    {"silence",
        {.kind = PORT_SILENT},
        RETRY("did not answer in time"),
        .unknown = true,
        .done_then = true,
        .done_at_last = true,
        .took_ms = {DEADLINE_MS, DEADLINE_MS}},
    {"death before sending", {.kind = PORT_CRASH_BEFORE}, RETRY("is dead"), .killed = true},
    {"death after sending",
        {.kind = PORT_CRASH_SENT},
        RETRY("is dead"),
        .killed = true,
        .done_at_last = true},
    {"death before hearing",
        {.kind = PORT_CRASH_AFTER},
        RETRY("is dead"),
        .killed = true,
        .done_then = true,
        .done_at_last = true,
        .took_ms = {0, 5}},
};

TEST(each_api_fault_has_its_effect_on_the_caller_and_the_server)
{
    each_case(i, cases) {
        Bench *b = open_bench(cases[i].fault);

        begin(b);
        while (!b->returned)
            then_true(world_step(sim_world(b->sim)));

        then_err(b->err, cases[i].want);
        then_int(b->err && b->err->outcome_unknown, cases[i].unknown);
        then_int(b->process.killed, cases[i].killed);
        then_int(is_created(b), cases[i].done_then);
        then_true(b->took_ms >= cases[i].took_ms[0] && b->took_ms <= cases[i].took_ms[1]);
        run_for(b, 20000);
        then_int(is_created(b), cases[i].done_at_last);
        close_bench(b);
    }
}

TEST(a_lost_read_has_no_unknown_outcome)
{
    Bench *b = open_bench((PortFault){.kind = PORT_LOST});

    b->request = (Request){.verb = VERB_GET, .kind = kind_configmap, .key = {"default", "x"}};
    begin(b);
    run_for(b, 100);
    then_err(b->err, RETRY("without an answer"));
    then_true(!b->err->outcome_unknown);
    close_bench(b);
}

TEST(a_request_that_the_client_refuses_is_not_sent)
{
    Bench *b = open_bench((PortFault){0});

    b->request = (Request){.verb = VERB_GET, .kind = kind_configmap, .key = {"default", NULL}};
    begin(b);
    run_for(b, 100);
    then_true(err_is(b->err, ERR_TERMINAL));
    then_int(sim_calls(b->sim), 0);
    close_bench(b);
}

TEST(the_request_of_a_stopped_process_arrives)
{
    Bench *b = open_bench((PortFault){.kind = PORT_LATE, .delay_ms = 1000});

    begin(b);
    run_for(b, 500);
    process_stop(&b->process);
    run_for(b, 10000);
    then_true(is_created(b));
    then_true(!b->returned);
    process_continue(&b->process);
    run_for(b, 100);
    then_true(b->returned);
    close_bench(b);
}

TEST(the_request_of_a_killed_process_arrives)
{
    Bench *b = open_bench((PortFault){.kind = PORT_LATE, .delay_ms = 1000});

    begin(b);
    run_for(b, 500);
    process_kill(&b->process);
    then_err(b->err, RETRY("is dead"));
    run_for(b, 1000);
    then_true(is_created(b));
    close_bench(b);
}

TEST(a_pending_request_is_closed_with_the_simulation)
{
    Bench *b = open_bench((PortFault){.kind = PORT_LATE, .delay_ms = 60000});

    begin(b);
    run_for(b, DEADLINE_MS + 1);
    then_true(b->returned);
    close_bench(b);
}

TEST(a_thread_that_is_paused_before_it_sends_sends_when_it_continues)
{
    Arena *arena = arena_open(16 << 20);
    Bench *b = arena_new(arena, Bench);

    b->arena = arena;
    b->sim = sim_open(&(SimOptions){.seed = 3, .linger_percent = 100, .latency_max_ms = 50});
    process_init(&b->process, sim_world(b->sim), "p");
    sim_transport_init(&b->transport, b->sim, &b->process, "user");
    b->request = creation(b);
    begin(b);
    while (sim_calls(b->sim) == 0 && b->process.strands[0].turn.due_ms <= 1000)
        world_step(sim_world(b->sim));
    process_stop(&b->process);
    run_for(b, 20000);
    then_int(sim_calls(b->sim), 0);
    then_true(!is_created(b));
    process_continue(&b->process);
    run_for(b, 1000);
    then_true(is_created(b));
    close_bench(b);
}
