/* The Http port in virtual time: a process that asks the sidecar of a pod, and what each fault does
 * to the asking and to the sidecar. */
#include "sim/sim_http.h"

#include "kube/meta.h"
#include "tests/test.h"
#include "tests/world/sei_pod.h"
#include "world/kubelet.h"

#define TASK_ID   "bfc1314a-0b03-5197-8db4-1b7f37264be3"
#define TASK_BODY "{\"id\":\"" TASK_ID "\",\"type\":\"mark-ready\"}"

/* A process of one strand that makes one call and polls. */
typedef struct Asker {
    HttpSink sink; /* first, so that the sink is this */
    Arena *arena;
    Sim *sim;
    Kubelet *kubelet;
    Process process;
    Http *http;
    PortOneFault fault;
    HttpCall call;
    HttpId id;
    int ends, status;
    const char *type, *body;
    Err *why;
    int64_t began_ms, ended_ms;
    bool cancels;
} Asker;

static void on_end(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    Asker *c = (Asker *)self;

    then_true(!answer != !why);
    c->ends++;
    c->ended_ms = world_now_ms(sim_world(c->sim));
    c->why = err_copy(c->arena, why);
    if (!answer)
        return;
    c->status = answer->status;
    c->type = str_copy(c->arena, answer->content_type);
    c->body = str_slice(c->arena, answer->body.data, answer->body.len);
}

static void ask(void *self)
{
    Asker *c = self;
    SCOPED_ARENA a = arena_open(1 << 20);

    c->began_ms = world_now_ms(sim_world(c->sim));
    Err *err = http_start(c->http, a, &c->call, &c->sink, &c->id);
    if (c->cancels)
        http_cancel(c->http, c->id);
    while (!err && !c->process.killed)
        err = http_poll(c->http, a, 100000);
}

static void create(Asker *c, const Kind *kind, const char *object)
{
    const Json *body = json_fixture(c->arena, object);
    Request request = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(body), .body = body};

    then_ok(api_call(world_api(sim_world(c->sim), "person"), c->arena, &request, NULL));
}

static void bind_claim(Asker *c)
{
    Request bound = {.verb = VERB_MERGE_PATCH,
        .kind = kind_pvc,
        .key = {"sei", "data-rpc-0"},
        .subresource = "status",
        .body = json_fixture(c->arena, "{status: {phase: 'Bound'}}")};

    then_ok(api_call(world_api(sim_world(c->sim), "person"), c->arena, &bound, NULL));
}

static void run_for(Asker *c, int64_t ms)
{
    World *w = sim_world(c->sim);

    world_run_until(w, world_now_ms(w) + ms);
}

static const char *pod_ip(Asker *c)
{
    const Pod *pod = kubelet_find(c->kubelet, (Key){"sei", "rpc-0-0"});

    return pod && pod->address[0] && pod_listens(pod, POD_PORT_PROXY) ? pod->address : NULL;
}

static const char *token(Asker *c, const char *audiences)
{
    const Json *got = NULL;
    Request request = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"sei", "op"},
        .subresource = "token",
        .body = json_fixture(c->arena,
            str_format(c->arena,
                "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest',"
                " spec: {audiences: %s}}",
                audiences))};

    then_ok(api_call(world_api(sim_world(c->sim), "person"), c->arena, &request, &got));
    return json_str(got, ".status.token");
}

/* A world with one pod whose proxy listens, and a process that has done nothing yet. */
static Asker *open_caller(PortFault fault)
{
    Arena *arena = arena_open(256 << 20);
    Asker *c = arena_new(arena, Asker);

    c->arena = arena;
    c->sink.on_end = on_end;
    c->fault = (PortOneFault){.number = 1, .fault = fault};
    c->sim = sim_open(&(SimOptions){.seed = 9, .judge = port_judge_one, .judge_self = &c->fault});
    c->kubelet = sim_add_kubelet(c->sim, &(KubeletOptions){0});
    then_true(sim_kubelet(c->sim) == c->kubelet);
    create(c, kind_namespace, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei'}}");
    create(c,
        kind_serviceaccount,
        "{apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'op', namespace: 'sei'}}");
    create(c, kind_pvc, sei_claim);
    bind_claim(c);
    create(c, kind_pod, sei_pod);
    for (int i = 0; i < 600 && !pod_ip(c); i++)
        run_for(c, 100);
    process_init(&c->process, sim_world(c->sim), "p");
    c->http = sim_http_open(c->sim, &c->process);
    c->call = (HttpCall){
        .method = "POST",
        .url = str_format(arena, "http://%s:8443/v0/tasks", pod_ip(c)),
        .bearer = token(c, "[]"),
        .body = bytes_of(TASK_BODY),
        .deadline_ms = 5000,
        .answer_max = 1 << 20,
    };
    return c;
}

static void begin(Asker *c)
{
    process_spawn(&c->process, "caller", ask, c);
    run_for(c, 20000);
}

static void close_caller(Asker *c)
{
    process_kill(&c->process);
    http_close(c->http);
    process_close(&c->process);
    sim_close(c->sim);
    arena_close(c->arena);
}

/* The sidecar has the task. */
static bool has_task(Asker *c)
{
    SidecarAnswer answer = {0};
    SidecarRequest request = {
        .method = "GET",
        .target = "/v0/tasks/" TASK_ID,
        .token = token(c, "[]"),
        .now_ms = world_now_ms(sim_world(c->sim)),
    };

    kubelet_ask(c->kubelet, c->arena, &(PodEndpoint){pod_ip(c), POD_PORT_PROXY}, &request, &answer);
    then_true(answer.status == 200 || answer.status == 404);
    return answer.status == 200;
}

TEST(a_simulated_http_exchange_reaches_the_sidecar_and_returns_its_answer)
{
    Asker *c = open_caller((PortFault){0});

    then_true(sim_http_is_quiet(c->http));
    begin(c);
    then_ok(c->why);
    then_int(c->ends, 1);
    then_int(c->status, 201);
    then_str(c->type, "application/json");
    then_true(strstr(c->body, TASK_ID));
    then_true(c->ended_ms - c->began_ms <= 10);
    then_true(has_task(c) && sim_http_is_quiet(c->http));
    then_int(sim_calls(c->sim), 1);
    close_caller(c);
}

TEST(the_simulated_proxy_refuses_an_invalid_token)
{
    static const struct {
        const char *name, *audiences; /* NULL: no token at all */
        int status;
    } cases[] = {
        {"no token", NULL, 401},
        {"a token for another audience", "['sei-sidecar.other']", 401},
        {"a good one", "[]", 201},
    };

    each_case(i, cases) {
        Asker *c = open_caller((PortFault){0});
        c->call.bearer = cases[i].audiences ? token(c, cases[i].audiences) : NULL;
        begin(c);
        then_int(c->status, cases[i].status);
        then_true(has_task(c) == (cases[i].status == 201));
        close_caller(c);
    }
}

static const struct {
    const char *name;
    PortFault fault;
    int status; /* heard; 0: none */
    Want want;
    bool is_unknown, arrives, dies;
} faults[] = {
    {"fine", {PORT_FINE}, 201, .arrives = true},
    {"unsent", {PORT_UNSENT}, .want = RETRY("refused the connection")},
    {"refused", {PORT_REFUSED, .status = 502}, 502},
    {"disguised", {PORT_DISGUISED, .status = 500}, 500, .arrives = true},
    {"lost", {PORT_LOST}, .want = RETRY("without an answer"), .is_unknown = true, .arrives = true},
    {"a little late", {PORT_LATE, .delay_ms = 1000}, 201, .arrives = true},
    {"too late",
        {PORT_LATE, .delay_ms = 9000},
        .want = RETRY("in time"),
        .is_unknown = true,
        .arrives = true},
    {"silent", {PORT_SILENT}, .want = RETRY("in time"), .is_unknown = true, .arrives = true},
    {"crash before", {PORT_CRASH_BEFORE}, .dies = true},
    {"crash sent", {PORT_CRASH_SENT}, .arrives = true, .dies = true},
    {"crash after", {PORT_CRASH_AFTER}, .arrives = true, .dies = true},
};

TEST(each_http_fault_has_its_effect_on_the_caller_and_the_sidecar)
{
    each_case(i, faults) {
        Asker *c = open_caller(faults[i].fault);
        begin(c);
        then_true(c->fault.struck);
        then_int(c->process.killed, faults[i].dies);
        then_int(c->ends, faults[i].dies ? 0 : 1);
        then_int(c->status, faults[i].status);
        then_err(c->why, faults[i].want);
        then_true(!c->why || c->why->outcome_unknown == faults[i].is_unknown);
        then_true(has_task(c) == faults[i].arrives);
        close_caller(c);
    }
}

TEST(a_cancelled_http_exchange_still_reaches_the_sidecar)
{
    Asker *c = open_caller((PortFault){0});

    c->cancels = true;
    begin(c);
    then_int(c->ends, 0);
    then_true(has_task(c));
    close_caller(c);
}

TEST(an_address_without_a_pod_refuses_the_connection)
{
    static const struct {
        const char *name, *url;
    } cases[] = {
        {"another address", "http://127.200.99.99:8443/v0/tasks"},
        {"another port", "http://127.200.1.1:8080/v0/tasks"},
        {"a seid that does not run yet", "http://127.200.1.1:26657/status"},
        {"no port", "http://127.200.0.1/v0/tasks"},
        {"another scheme", "https://127.200.0.1:8443/v0/tasks"},
    };

    each_case(i, cases) {
        Asker *c = open_caller((PortFault){0});
        c->call.url = cases[i].url;
        begin(c);
        then_err(c->why, RETRY("refused the connection"));
        then_true(!c->why->outcome_unknown);
        close_caller(c);
    }
}

TEST(a_hanging_sidecar_answers_only_at_the_deadline)
{
    Asker *c = open_caller((PortFault){0});

    then_true(kubelet_order(c->kubelet,
        &(KubeletOrder){.deed = DEED_TEMPER, .pod = {"sei", "rpc-0-0"}, .temper = TEMPER_HANGING},
        world_now_ms(sim_world(c->sim))));
    begin(c);
    then_err(c->why, RETRY("did not answer in time"));
    then_true(c->why->outcome_unknown);
    then_int(c->ended_ms - c->began_ms, 5000);
    close_caller(c);
}

TEST(an_http_answer_above_the_size_limit_is_an_error)
{
    Asker *c = open_caller((PortFault){0});

    c->call.answer_max = 3;
    begin(c);
    then_err(c->why, RETRY("more than is allowed"));
    close_caller(c);
}
