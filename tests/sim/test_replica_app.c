/* A replica whose program has an attendant: it lives and dies with each life, and what it hears
 * becomes keys. */
#include "base/link.h"
#include "kube/manager.h"
#include "sim/replica.h"
#include "tests/test.h"

/* What outlives the lives. */
typedef struct Ledger {
    int opened, bound, closed, reconciles, exchanges;
} Ledger;

/* One life's program: asks nobody's sidecar once a second, and wakes its key at the answer. */
typedef struct Program {
    Attendant attendant;
    HttpSink sink;
    Arena *arena;
    Ledger *ledger;
    Clock *clock;
    Waker *waker;
    int64_t due_ms;
    bool asks;
} Program;

static void on_end(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    Program *p = link_owner(Program, sink, self);

    then_true(!answer && why);
    p->asks = false;
    p->ledger->exchanges++;
    p->waker->wake(p->waker, (Key){"default", "woken"});
}

static void bind(Attendant *self, Guard *guard, Waker *waker)
{
    Program *p = (Program *)self;

    then_true(guard != NULL);
    p->waker = waker;
}

static int64_t step(Attendant *self)
{
    Program *p = (Program *)self;
    SCOPED_ARENA a = arena_open(1 << 20);
    HttpCall call = {.method = "GET", .url = "http://127.0.0.1:8443/", .deadline_ms = 1000};
    HttpId id;

    if (clock_mono_ms(p->clock) >= p->due_ms && !p->asks) {
        p->due_ms = clock_mono_ms(p->clock) + 1000;
        p->asks = !http_start(p->attendant.http, a, &call, &p->sink, &id);
    }
    return p->due_ms;
}

static void bind_program(void *app, Manager *m)
{
    then_true(m != NULL);
    ((Program *)app)->ledger->bound++;
}

static void close_program(void *app)
{
    Program *p = app;

    p->ledger->closed++;
    arena_close(p->arena);
}

static ReplicaApp open_program(void *how, const ReplicaPorts *ports)
{
    Arena *arena = arena_open(1 << 16);
    Program *p = arena_new(arena, Program);

    *p = (Program){
        .attendant = {.controller = "asker", .http = ports->http, .bind = bind, .step = step},
        .sink = {on_end},
        .arena = arena,
        .ledger = how,
        .clock = ports->clock,
    };
    then_true(ports->rng && ports->guard);
    p->ledger->opened++;
    return (ReplicaApp){
        .app = p, .attendant = &p->attendant, .bind = bind_program, .close = close_program};
}

static Err *reconcile(Ctx *c, Key key, Reconciled *ret)
{
    (void)ret;
    then_str(key.name, "woken");
    ((Program *)c->app)->ledger->reconciles++;
    return OK;
}

static const Watch watches[] = {{.kind = kind_configmap, .labels = "nobody"}, {0}};
static const Controller asker = {.name = "asker", .watches = watches, .reconcile = reconcile};
static const Controller *const controllers[] = {&asker, NULL};

static Replica *open_replica(Sim *sim, Ledger *ledger)
{
    return replica_open(sim,
        &(ReplicaOptions){
            .name = "r0",
            .controllers = controllers,
            .open_app = open_program,
            .how = ledger,
            .leader_election = true,
        });
}

static void run_for(Sim *sim, int64_t ms)
{
    world_run_until(sim_world(sim), world_now_ms(sim_world(sim)) + ms);
}

TEST(events_of_a_poller_enqueue_keys)
{
    Ledger ledger = {0};
    Sim *sim = sim_open(&(SimOptions){.seed = 3});
    open_replica(sim, &ledger);

    run_for(sim, 10000);
    then_int(ledger.opened, 1);
    then_int(ledger.bound, 1);
    then_true(ledger.exchanges >= 8 && ledger.exchanges <= 11);
    then_true(ledger.reconciles >= 8 && ledger.reconciles <= 11);
    sim_close(sim);
    then_int(ledger.closed, 1);
}

TEST(every_life_of_a_replica_opens_its_own_program)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        Ledger ledger = {0};
        Sim *sim = sim_open(&(SimOptions){.seed = seed});
        Replica *r = open_replica(sim, &ledger);
        for (int i = 0; i < 4; i++) {
            run_for(sim, 1500 + (int64_t)seed * 13);
            replica_crash(r);
            run_for(sim, 1100);
        }
        then_int(replica_lives(r), 5);
        then_int(ledger.opened, 5);
        then_int(ledger.closed, 4);
        sim_close(sim);
        then_int(ledger.closed, 5);
    }
}

TEST(a_replica_with_a_poller_ends_in_order)
{
    Ledger ledger = {0};
    Sim *sim = sim_open(&(SimOptions){.seed = 3});
    Replica *r = open_replica(sim, &ledger);

    run_for(sim, 3000);
    then_true(replica_works(r));
    replica_end(r);
    run_for(sim, 1000);
    then_true(!replica_manager(r));
    then_int(ledger.closed, 1);
    sim_close(sim);
}

/* Every call of its ports fails once, in each way: it goes on, and nothing is left behind. */
CAMPAIGN(a_replica_with_a_poller_survives_the_failure_of_any_call)
{
    static const PortFaultKind kinds[] = {
        PORT_UNSENT, PORT_LOST, PORT_SILENT, PORT_CRASH_BEFORE, PORT_CRASH_SENT, PORT_CRASH_AFTER};

    for (uint64_t number = 1; number <= 24; number++) {
        for (size_t i = 0; i < array_count(kinds); i++) {
            Ledger ledger = {0};
            PortOneFault fault = {.number = number, .fault = {.kind = kinds[i]}};
            Sim *sim = sim_open(
                &(SimOptions){.seed = number, .judge = port_judge_one, .judge_self = &fault});
            open_replica(sim, &ledger);
            run_for(sim, 200000);
            then_true(fault.struck);
            then_true(ledger.reconciles > 3);
            sim_close(sim);
            then_int(ledger.closed, ledger.opened);
        }
    }
}
