/* Replica: the host of src/kube/runtime/host.c once more, with strands for threads and turns for
 * condition variables. Whoever changes one looks at the other. */
#include "sim/replica.h"

#include "kube/runtime/machine.h"
#include "kube/runtime/worker.h"
#include "sim/sim_http.h"
#include "sim/sim_transport.h"

#include <stdio.h>
#include <string.h>

enum {
    LIFE_ARENA_MAX = 1 << 20,
    STRAND_ARENA_MAX = 4 << 20,
    RESTART_MS = 1000,
    DRAIN_MS = 4000, /* as in the host */
    END_MS = 4600,
    WORKER_NAME_SIZE = 24,
};

typedef enum Stage { STAGE_RUN, STAGE_DRAIN, STAGE_FLUSH, STAGE_END } Stage;

/* Writes what the manager logs into the trace. */
typedef struct TraceLog {
    LogSink sink; /* first, so that the sink is this */
    Trace *trace;
    const Process *process;
} TraceLog;

typedef struct Life {
    Replica *replica;
    Arena *arena;
    Process process;
    SimTransport transport;
    SeededRng rng;
    TraceLog log_sink;
    Log log;
    Http *http;
    ReplicaApp program;
    Manager *manager;
    Stage stage;
    bool lost_lease;
    int workers_left;
    bool watcher_left, teller_left, attendant_left;
    Strand *watcher, *leader, *teller, *attendant;
    Strand *workers[MANAGER_WORKERS_MAX];
} Life;

struct Replica {
    Sim *sim;
    Arena *arena;
    SimGuest guest;
    ReplicaOptions options;
    Life *life;    /* NULL: down */
    Turn turn;     /* to bury a life that is over, or to start anew */
    Turn patience; /* when an end in order has taken too long */
    int lives;
    bool ended;      /* in order */
    bool at_its_end; /* patience has a little left */
};

static int64_t now_of(const Life *l)
{
    return world_now_ms(l->process.world);
}

static bool goes_on(const Life *l, Stage stage)
{
    return !l->process.killed && l->stage <= stage;
}

/* --- ending in order ---------------------------------------------------------------------------
 */

static void wake_all(Life *l)
{
    for (int i = 0; i < l->process.strand_count; i++)
        strand_wake(&l->process.strands[i]);
}

/* Goes on to the stage that what has ended allows. */
static void advance(Life *l)
{
    if (l->stage == STAGE_DRAIN && l->workers_left == 0 && !l->attendant_left)
        l->stage = STAGE_FLUSH;
    if (l->stage == STAGE_FLUSH && !l->teller_left)
        l->stage = STAGE_END;
    if (l->attendant_left)
        http_wake(l->program.attendant->http);
    if (l->stage == STAGE_END)
        stream_wake(l->manager->streams);
    wake_all(l);
}

static void end_in_order(Life *l)
{
    Replica *r = l->replica;

    if (l->stage != STAGE_RUN)
        return;
    l->stage = STAGE_DRAIN;
    l->manager->stopping = true;
    agenda_plan(world_agenda(l->process.world), &r->patience, now_of(l) + DRAIN_MS);
    advance(l);
}

/* Reconciles had their time to end; after them the rest has a little more. */
static void lose_patience(void *self, int64_t now_ms)
{
    Replica *r = self;

    if (r->life->stage == STAGE_DRAIN || r->at_its_end)
        process_kill(&r->life->process);
    else
        agenda_plan(world_agenda(sim_world(r->sim)), &r->patience, now_ms + END_MS - DRAIN_MS);
    r->at_its_end = true;
}

/* --- the strands -------------------------------------------------------------------------------
 */

static void run_watcher(void *self)
{
    Life *l = self;
    Manager *m = l->manager;
    SCOPED_ARENA a = arena_open(STRAND_ARENA_MAX);

    while (goes_on(l, STAGE_FLUSH)) {
        int64_t nap = manager_watch_step(m) - now_of(l);
        Err *err = stream_poll(m->streams, a, nap > 0 ? nap : 0);
        if (err)
            break;
        arena_reset(a);
    }
    l->watcher_left = false;
    if (l->leader)
        strand_wake(l->leader);
}

/* The last to go, and so the one that gives the lease back. */
static void leave_lease(Life *l, Api *api, Arena *a)
{
    while (l->watcher_left && !l->process.killed)
        strand_wait(l->leader, INT64_MAX);
    if (!l->process.killed && !l->lost_lease)
        manager_release_lease(l->manager, api, a, 1000);
}

static void run_leader(void *self)
{
    Life *l = self;
    Manager *m = l->manager;
    Api *api = l->transport.port.open_api(&l->transport.port);
    SCOPED_ARENA a = arena_open(STRAND_ARENA_MAX);

    while (goes_on(l, STAGE_FLUSH)) {
        int64_t next = manager_lead_step(m, api, a);
        arena_reset(a);
        if (lease_is_lost(m->lease, now_of(l))) {
            l->lost_lease = true;
            end_in_order(l);
            break;
        }
        if (goes_on(l, STAGE_FLUSH) && next > now_of(l))
            strand_wait(l->leader, next);
    }
    leave_lease(l, api, a);
    l->transport.port.close_api(&l->transport.port, api);
}

static void run_teller(void *self)
{
    Life *l = self;
    Api *api = l->transport.port.open_api(&l->transport.port);
    SCOPED_ARENA a = arena_open(STRAND_ARENA_MAX);

    while (goes_on(l, STAGE_FLUSH)) {
        int64_t next = manager_tell_step(l->manager, api, a);
        bool due = next <= now_of(l);
        arena_reset(a);
        if (!due && l->stage == STAGE_FLUSH)
            break;
        if (!due && goes_on(l, STAGE_FLUSH))
            strand_wait(l->teller, next);
    }
    l->transport.port.close_api(&l->transport.port, api);
    l->teller_left = false;
    advance(l);
}

static void run_worker(void *self)
{
    Life *l = self;
    Manager *m = l->manager;
    Worker *w = worker_open(m);

    while (goes_on(l, STAGE_RUN))
        if (!worker_step(w) && goes_on(l, STAGE_RUN))
            strand_wait(l->process.running, manager_work_due(m));
    worker_close(w);
    l->workers_left--;
    advance(l);
}

static void run_attendant(void *self)
{
    Life *l = self;
    SCOPED_ARENA a = arena_open(STRAND_ARENA_MAX);

    while (goes_on(l, STAGE_RUN)) {
        int64_t nap = manager_attend_step(l->manager) - now_of(l);
        Err *err = http_poll(l->program.attendant->http, a, nap > 0 ? nap : 0);
        if (err)
            break;
        arena_reset(a);
    }
    l->attendant_left = false;
    advance(l);
}

/* --- what the manager tells its host -----------------------------------------------------------
 */

static void wake_workers(void *host)
{
    Life *l = host;

    for (int i = 0; i < l->manager->options.workers; i++)
        strand_wake(l->workers[i]);
}

static void wake_teller(void *host)
{
    strand_wake(((Life *)host)->teller);
}

static void write_log(LogSink *self, const char *line, size_t len)
{
    TraceLog *log = (TraceLog *)self;

    if (!log->process->killed)
        trace_line(log->trace, log->process->name, "%.*s", (int)len - 1, line);
}

/* --- a life ------------------------------------------------------------------------------------
 */

static void open_program(Life *l)
{
    const ReplicaOptions *o = &l->replica->options;
    World *w = sim_world(l->replica->sim);

    l->program = (ReplicaApp){.app = o->app};
    if (!o->open_app)
        return;
    l->http = sim_http_open(l->replica->sim, &l->process);
    l->program = o->open_app(o->how,
        &(ReplicaPorts){
            .http = l->http,
            .clock = world_clock(w),
            .rng = &l->rng.port,
            .guard = guard_none(),
        });
}

static void close_program(Life *l)
{
    if (l->program.close)
        l->program.close(l->program.app);
    http_close(l->http);
}

static void assemble(Life *l)
{
    Replica *r = l->replica;
    const ReplicaOptions *o = &r->options;
    World *w = sim_world(r->sim);
    ManagerOptions options = {
        .name = "sim",
        .version = "sim",
        .transport = &l->transport.port,
        .controllers = o->controllers,
        .workers = o->workers,
        .leader_election = o->leader_election,
        .lease_name = o->lease_name ? o->lease_name : "sim",
        .lease_namespace = o->lease_namespace ? o->lease_namespace : "default",
        .identity = o->name,
        .lease_ms = o->lease_ms,
        .renew_ms = o->renew_ms,
        .retry_ms = o->retry_ms,
        .arena_max = o->arena_max,
        .log = o->silent ? NULL : &l->log,
        .clock = world_clock(w),
        .rng = &l->rng.port,
        .app = l->program.app,
        .attendant = l->program.attendant,
    };

    Err *err = manager_assemble(l->arena, &options, guard_none(), &l->manager);
    if (err)
        BUG(err_text(l->arena, err));
    l->manager->host = l;
    l->manager->work_added = wake_workers;
    l->manager->event_added = wake_teller;
    if (l->program.bind)
        l->program.bind(l->program.app, l->manager);
}

static void spawn_all(Life *l)
{
    Process *p = &l->process;

    l->workers_left = l->manager->options.workers;
    l->watcher_left = l->teller_left = true;
    l->attendant_left = l->program.attendant != NULL;
    l->watcher = process_spawn(p, "watcher", run_watcher, l);
    l->teller = process_spawn(p, "teller", run_teller, l);
    if (l->manager->lease)
        l->leader = process_spawn(p, "leader", run_leader, l);
    if (l->attendant_left)
        l->attendant = process_spawn(p, "attendant", run_attendant, l);
    for (int i = 0; i < l->manager->options.workers; i++) {
        char name[WORKER_NAME_SIZE];
        snprintf(name, sizeof name, "worker-%d", i);
        l->workers[i] = process_spawn(p, name, run_worker, l);
    }
}

static void plan_burial(void *self)
{
    Replica *r = ((Life *)self)->replica;
    World *w = sim_world(r->sim);

    agenda_plan(world_agenda(w), &r->turn, world_now_ms(w));
}

static void start(Replica *r)
{
    Arena *arena = arena_open(LIFE_ARENA_MAX);
    Life *l = arena_new(arena, Life);
    World *w = sim_world(r->sim);
    Rng *rng = sim_rng(r->sim);

    r->life = l;
    r->lives++;
    l->replica = r;
    l->arena = arena;
    process_init(&l->process, w, r->options.name);
    l->process.over = plan_burial;
    l->process.self = l;
    sim_transport_init(
        &l->transport, r->sim, &l->process, r->options.user ? r->options.user : r->options.name);
    rng_seed(&l->rng, rng->next(rng));
    l->log_sink = (TraceLog){
        .sink = {.write = write_log},
        .trace = sim_trace(r->sim),
        .process = &l->process,
    };
    l->log = (Log){.sink = &l->log_sink.sink,
        .level = r->options.talkative ? LOG_DEBUG : LOG_INFO,
        .human = true};
    trace_line(sim_trace(r->sim), r->options.name, "starts its life %d", r->lives);
    open_program(l);
    assemble(l);
    spawn_all(l);
}

static void bury(Replica *r)
{
    Life *l = r->life;
    World *w = sim_world(r->sim);

    trace_line(sim_trace(r->sim),
        r->options.name,
        l->process.killed   ? "is dead"
            : l->lost_lease ? "has ended: it lost its lease"
                            : "has ended");
    agenda_cancel(world_agenda(w), &r->turn);
    agenda_cancel(world_agenda(w), &r->patience);
    r->life = NULL;
    r->at_its_end = false;
    manager_close(l->manager);
    close_program(l);
    process_close(&l->process);
    arena_close(l->arena);
}

/* One turn buries, the next starts. */
static void take_turn(void *self, int64_t now_ms)
{
    Replica *r = self;

    if (!r->life) {
        start(r);
        return;
    }
    bury(r);
    if (!r->ended)
        agenda_plan(world_agenda(sim_world(r->sim)), &r->turn, now_ms + r->options.restart_ms);
}

/* --- the replica -------------------------------------------------------------------------------
 */

static void close_replica(void *self)
{
    Replica *r = self;

    r->ended = true;
    if (r->life) {
        process_kill(&r->life->process);
        bury(r);
    }
    agenda_cancel(world_agenda(sim_world(r->sim)), &r->turn);
    arena_close(r->arena);
}

Replica *replica_open(Sim *sim, const ReplicaOptions *options)
{
    Arena *arena = arena_open(LIFE_ARENA_MAX);
    Replica *r = arena_new(arena, Replica);

    *r = (Replica){
        .sim = sim,
        .arena = arena,
        .guest = {.self = r, .close = close_replica},
        .options = *options,
        .turn = {.take = take_turn, .self = r},
        .patience = {.take = lose_patience, .self = r},
    };
    if (!r->options.restart_ms)
        r->options.restart_ms = RESTART_MS;
    sim_join(sim, &r->guest);
    start(r);
    return r;
}

void replica_crash(Replica *r)
{
    if (!r->life)
        return;
    trace_line(sim_trace(r->sim), r->options.name, "crashes");
    process_kill(&r->life->process);
}

void replica_stop(Replica *r)
{
    if (!r->life)
        return;
    trace_line(sim_trace(r->sim), r->options.name, "is stopped");
    process_stop(&r->life->process);
}

void replica_continue(Replica *r)
{
    if (!r->life)
        return;
    trace_line(sim_trace(r->sim), r->options.name, "goes on");
    process_continue(&r->life->process);
}

void replica_end(Replica *r)
{
    r->ended = true;
    if (r->life) {
        trace_line(sim_trace(r->sim), r->options.name, "is told to end");
        end_in_order(r->life);
    } else {
        agenda_cancel(world_agenda(sim_world(r->sim)), &r->turn);
    }
}

void replica_start(Replica *r)
{
    r->ended = false;
    if (!r->life && !r->turn.planned)
        start(r);
}

int replica_lives(const Replica *r)
{
    return r->lives;
}

Manager *replica_manager(const Replica *r)
{
    return r->life && !r->life->process.killed ? r->life->manager : NULL;
}

bool replica_works(const Replica *r)
{
    const Manager *m = replica_manager(r);

    return m && m->working && !m->stopping && manager_leads(m);
}

bool replica_is_idle(const Replica *r)
{
    const Manager *m = replica_manager(r);

    if (!replica_works(r) || m->busy_workers > 0 || expect_count(m->expect) > 0
        || !sim_streams_are_quiet(m->streams)
        || (r->life->http && !sim_http_is_quiet(r->life->http)))
        return false;
    for (int i = 0; i < m->controller_count; i++) {
        QueueCounts counts = queue_counts(m->queue, i);
        if (counts.ready + counts.delayed + counts.held > 0)
            return false;
    }
    return true;
}
