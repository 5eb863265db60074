/* The machine of the sidecars, in a replica, before the world's sidecars: three tasks for each
 * node, in order, and then health. What is remembered between lives is what an operator would have
 * stored: how far a node is, and whether its task was handed over. */
#include "base/link.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "kube/uuid.h"
#include "sei/sidecar/credentials.h"
#include "sei/sidecar/sidecars.h"
#include "sim/replica.h"
#include "tests/sim/hamlet.h"
#include "tests/test.h"

static const struct {
    const char *type, *params;
} steps[] = {
    {"config-apply", "{mode: 'full'}"},
    {"config-validate", NULL},
    {"mark-ready", NULL},
};
enum { STEPS = array_count(steps) };

/* What is stored of a node. */
typedef struct Progress {
    int plans; /* mark-ready comes again, under a new id, when readiness is lost */
    int step, attempts;
    bool submitted, is_ready;
} Progress;

typedef struct Book {
    Progress nodes[HAMLET_NODES];
} Book;

typedef struct Program {
    Arena *arena;
    Sidecars *sidecars;
    Credentials *credentials;
    Book *book;
} Program;

static void close_program(void *app)
{
    Program *p = app;

    credentials_close(p->credentials);
    sidecars_close(p->sidecars);
    arena_close(p->arena);
}

static ReplicaApp open_program(void *how, const ReplicaPorts *ports)
{
    Arena *arena = arena_open(1 << 16);
    Program *p = arena_new(arena, Program);

    *p = (Program){
        .arena = arena,
        .book = how,
        .credentials = credentials_open(ports->guard, (Key){"sei", "op"}),
        .sidecars = sidecars_open(&(SidecarsOptions){
            .http = ports->http,
            .clock = ports->clock,
            .rng = ports->rng,
            .controller = "nodes",
        }),
    };
    return (ReplicaApp){
        .app = p, .attendant = sidecars_attendant(p->sidecars), .close = close_program};
}

static Err *find_target(Ctx *c, Key node, SidecarTarget *ret)
{
    Program *p = c->app;
    Key key = {node.namespace, str_format(c->arena, "%s-0", node.name)};
    const Json *pod;

    TRY(kube_find(c, kind_pod, key, &pod));
    *ret = (SidecarTarget){
        .node = node,
        .pod_uid = meta_uid(pod),
        .pod_ip = json_str(pod, ".status.podIP"),
        .host = "host:8443",
    };
    if (!ret->pod_ip)
        return err_wait(c->arena, "no pod yet");
    return credentials_get(c, p->credentials, NULL, &ret->bearer);
}

static SidecarNews ask(Ctx *c, SidecarTarget *target, const Progress *node)
{
    Program *p = c->app;
    char id[UUID_SIZE];
    SidecarNews news = {0};
    const char *name = str_format(c->arena, "%s/%d/%d", target->node.name, node->plans, node->step);
    SidecarJob job = {
        .id = id,
        .type = steps[node->step].type,
        .params =
            steps[node->step].params ? json_fixture(c->arena, steps[node->step].params) : NULL,
        .submitted = node->submitted,
        .attempt = node->attempts,
    };

    then_ok(uuid_v5(c->arena, "b7e89c3a-4f12-4d8b-9a6e-1c2d3e4f5a6b", name, id));
    sidecar_task(sidecars_port(p->sidecars), c->arena, target, &job, &news);
    return news;
}

static void move(Progress *node, const SidecarNews *news)
{
    node->submitted = node->submitted || news->submitted;
    if (news->state == SIDECAR_COMPLETED) {
        node->step++;
        node->submitted = false;
        node->attempts = 0;
    } else if (news->state == SIDECAR_FAILED) {
        node->attempts++;
        node->submitted = false;
    }
    then_true(news->state != SIDECAR_REFUSED);
}

static void watch_health(Ctx *c, const SidecarTarget *target, Progress *node)
{
    Program *p = c->app;
    SidecarProbe probe;

    sidecar_rest(sidecars_port(p->sidecars), target->node);
    sidecar_probe(sidecars_port(p->sidecars), c->arena, target, &probe);
    node->is_ready = probe.health == PROBE_READY;
    if (probe.health == PROBE_NOT_READY) {
        node->plans++;
        node->step = STEPS - 1;
    }
}

static Err *reconcile(Ctx *c, Key key, Reconciled *ret)
{
    Program *p = c->app;
    Progress *node = &p->book->nodes[key.name[strlen(key.name) - 1] - '0'];
    SidecarTarget target;

    (void)ret;
    TRY(find_target(c, key, &target));
    while (node->step < STEPS) {
        int step = node->step, attempts = node->attempts;
        SidecarNews news = ask(c, &target, node);
        if (news.state == SIDECAR_UNAUTHORIZED) {
            credentials_drop(p->credentials, NULL, target.bearer, clock_mono_ms(c->clock));
            TRY(find_target(c, key, &target));
            news = ask(c, &target, node);
        }
        move(node, &news);
        if (node->step == step && node->attempts == attempts)
            return OK;
    }
    watch_health(c, &target, node);
    if (node->step < STEPS)
        return err_retry(c->arena, "readiness is lost");
    return OK;
}

static void node_of(Arena *a, const Json *object, KeySet *ret)
{
    (void)a;
    keyset_add(ret, (Key){"sei", meta_label(object, "sei.io/node")});
}

static const Watch watches[] = {{.kind = kind_pod, .labels = "sei.io/node", .keys = node_of}, {0}};
static const Controller nodes = {.name = "nodes", .watches = watches, .reconcile = reconcile};
static const Controller *const controllers[] = {&nodes, NULL};

/* --- running it --------------------------------------------------------------------------------
 */

typedef struct Run {
    Hamlet hamlet;
    Book book;
    Replica *replica;
} Run;

static void run_open(Run *r, const SimOptions *options, HamletMischief mischief)
{
    *r = (Run){0};
    hamlet_open(&r->hamlet, options, mischief);
    r->replica = replica_open(r->hamlet.sim,
        &(ReplicaOptions){
            .name = "r0", .controllers = controllers, .open_app = open_program, .how = &r->book});
}

static void run_for(Run *r, int64_t ms)
{
    World *w = sim_world(r->hamlet.sim);

    world_run_until(w, world_now_ms(w) + ms);
}

static bool is_done(Run *r)
{
    for (int i = 0; i < HAMLET_NODES; i++)
        if (!hamlet_is_ready(&r->hamlet, i) || !r->book.nodes[i].is_ready)
            return false;
    return true;
}

/* How long it took until all sidecars were ready, and known to be. */
static int64_t until_done(Run *r, int64_t max_ms)
{
    int64_t spent = 0;

    for (; spent < max_ms && !is_done(r); spent += 100)
        run_for(r, 100);
    then_true(is_done(r));
    then_str(hamlet_hazards(&r->hamlet), "");
    return spent;
}

static void run_close(Run *r)
{
    hamlet_close(&r->hamlet);
}

/* --- what holds --------------------------------------------------------------------------------
 */

typedef struct Tally {
    int posts, gets, probes, tokens;
} Tally;

static PortFault count(void *self, const PortCall *call)
{
    Tally *t = self;

    if (call->http && str_eq(call->http->method, "POST"))
        t->posts++;
    else if (call->http && str_has_suffix(call->http->url, "/healthz"))
        t->probes++;
    else if (call->http)
        t->gets++;
    else if (str_eq(call->request->subresource, "token"))
        t->tokens++;
    return (PortFault){0};
}

TEST(every_sidecar_task_is_submitted_once_and_no_token_is_requested_twice)
{
    Tally tally = {0};
    Run r;
    run_open(&r, &(SimOptions){.seed = 1, .judge = count, .judge_self = &tally}, MISCHIEF_NONE);

    then_true(until_done(&r, 60000) < 30000);
    then_int(tally.posts, HAMLET_NODES * STEPS);
    then_true(tally.gets <= 3 * HAMLET_NODES * STEPS);
    then_true(tally.probes <= 2 * HAMLET_NODES);
    then_true(tally.tokens <= 4); /* of as many workers */
    run_close(&r);
}

static const struct {
    const char *name;
    HamletMischief mischief;
} mischiefs[] = {
    {"slow", MISCHIEF_SLOW},
    {"lying", MISCHIEF_LYING},
    {"hanging", MISCHIEF_HANGING},
    {"failing", MISCHIEF_FAILING},
    {"huge", MISCHIEF_HUGE},
    {"malformed", MISCHIEF_MALFORMED},
    {"wedged", MISCHIEF_WEDGED},
};

CAMPAIGN(all_sidecar_tasks_complete_after_a_period_of_misbehaviour)
{
    each_case(i, mischiefs) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            Run r;
            run_open(&r, &(SimOptions){.seed = seed}, mischiefs[i].mischief);
            run_for(&r, 60000);
            hamlet_behave(&r.hamlet, MISCHIEF_NONE);
            then_true(until_done(&r, 120000) <= 60000);
            run_close(&r);
        }
    }
}

TEST(all_sidecar_tasks_complete_although_the_misbehaviour_begins_in_the_middle)
{
    each_case(i, mischiefs) {
        Run r;
        run_open(&r, &(SimOptions){.seed = i}, MISCHIEF_NONE);
        hamlet_slow_task(&r.hamlet, "config-apply", 20000);
        run_for(&r, 10000);
        hamlet_behave(&r.hamlet, mischiefs[i].mischief);
        run_for(&r, 30000);
        hamlet_behave(&r.hamlet, MISCHIEF_NONE);
        until_done(&r, 120000);
        run_close(&r);
    }
}

TEST(a_sidecar_that_forgets_a_completed_task_gets_it_again)
{
    Run r;
    run_open(&r, &(SimOptions){.seed = 2}, MISCHIEF_FORGETFUL);
    run_for(&r, 40000);
    hamlet_behave(&r.hamlet, MISCHIEF_NONE);
    until_done(&r, 120000);
    run_close(&r);
}

TEST(lost_readiness_of_a_sidecar_is_detected_and_restored)
{
    Run r;
    run_open(&r, &(SimOptions){.seed = 3}, MISCHIEF_NONE);

    until_done(&r, 60000);
    hamlet_kill_sidecar(&r.hamlet, 1);
    run_for(&r, 1000);
    then_true(!hamlet_is_ready(&r.hamlet, 1));
    then_true(until_done(&r, 120000) <= 45000);
    then_int(r.book.nodes[1].plans, 1);
    run_close(&r);
}

TEST(all_sidecar_tasks_complete_after_a_crash_at_any_moment)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        Run r;
        run_open(&r, &(SimOptions){.seed = seed}, MISCHIEF_NONE);
        hamlet_slow_task(&r.hamlet, "config-apply", 3000);
        run_for(&r, 100 + (int64_t)seed * 311);
        replica_crash(r.replica);
        until_done(&r, 120000);
        run_close(&r);
    }
}

CAMPAIGN(all_sidecar_tasks_complete_although_any_single_call_fails)
{
    static const PortFaultKind kinds[] = {
        PORT_UNSENT, PORT_LOST, PORT_SILENT, PORT_CRASH_BEFORE, PORT_CRASH_SENT, PORT_CRASH_AFTER};

    for (uint64_t number = 1; number <= 60; number++) {
        for (size_t i = 0; i < array_count(kinds); i++) {
            PortOneFault fault = {.number = number, .fault = {.kind = kinds[i]}};
            Run r;
            run_open(&r,
                &(SimOptions){.seed = number, .judge = port_judge_one, .judge_self = &fault},
                MISCHIEF_NONE);
            until_done(&r, 300000);
            run_close(&r);
        }
    }
}

TEST(one_seed_gives_one_sidecar_run)
{
    uint64_t hashes[2];

    for (int i = 0; i < 2; i++) {
        Run r;
        run_open(&r, &(SimOptions){.seed = 11}, MISCHIEF_SLOW);
        run_for(&r, 30000);
        hashes[i] = sim_trace(r.hamlet.sim)->hash;
        run_close(&r);
    }
    then_true(hashes[0] == hashes[1]);
}
