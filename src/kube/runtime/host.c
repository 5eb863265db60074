/* Host: threads around the steps of machine.h.
 *
 *     watcher   all watches and lists: one thread, one curl multi
 *     leader    renews the lease, never behind anything else
 *     teller    writes events for people
 *     worker    one per --workers: reconciles
 *     attendant exchanges with servers other than the API's, if the program has any
 *     main      waits for a signal
 *
 * One mutex guards the machine. Ending happens in stages, so that what must outlive something does:
 * workers finish their key while the lease is still renewed, then events are flushed, then
 * everything stops and the lease is given back. What is not done in time is left: the lease then
 * runs out by itself. */
#include "kube/runtime/host.h"

#include "base/heap.h"
#include "kube/runtime/descriptors.h"
#include "kube/runtime/lull.h"
#include "kube/runtime/machine.h"
#include "kube/runtime/roster.h"
#include "kube/runtime/worker.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    HOST_STACK_BYTES = 512 << 10,
    HOST_THREAD_ARENA_MAX = 4 << 20,
    HOST_NAP_MAX_MS = 60000,
    HOST_DRAIN_MS = 4000, /* of the five seconds that a graceful end may take */
    HOST_FLUSH_MS = 4300,
    HOST_END_MS = 4600,
    HOST_GONE_MS = 4900,
};

/* --- the guard ---------------------------------------------------------------------------------
 */

typedef struct MutexGuard {
    Guard port; /* first, so that the guard is this */
    pthread_mutex_t mutex;
    Arena *home;
} MutexGuard;

static void mutex_enter(Guard *g)
{
    int failed = pthread_mutex_lock(&((MutexGuard *)g)->mutex);

    assert(!failed);
    (void)failed;
}

static void mutex_leave(Guard *g)
{
    int failed = pthread_mutex_unlock(&((MutexGuard *)g)->mutex);

    assert(!failed);
    (void)failed;
}

Guard *host_open_guard(void)
{
    Arena *home = arena_open(1 << 12);
    MutexGuard *g = arena_new(home, MutexGuard);

    *g = (MutexGuard){.port = {.enter = mutex_enter, .leave = mutex_leave}, .home = home};
    pthread_mutex_init(&g->mutex, NULL);
    return &g->port;
}

void host_close_guard(Guard *g)
{
    if (!g || g->enter != mutex_enter)
        return;
    MutexGuard *guard = (MutexGuard *)g;
    pthread_mutex_destroy(&guard->mutex);
    arena_close(guard->home);
}

/* --- the threads -------------------------------------------------------------------------------
 */

typedef enum Stage { STAGE_RUN, STAGE_DRAIN, STAGE_FLUSH, STAGE_END } Stage;

typedef struct Host Host;

typedef struct Thread {
    Host *host;
    pthread_t id;
    bool started;
} Thread;

struct Host {
    Manager *manager;
    pthread_mutex_t *mutex; /* the guard's */
    pthread_cond_t work;    /* a worker that sleeps may have something to do */
    pthread_cond_t watch;   /* or one that watches the time */
    pthread_cond_t news;    /* the teller may */
    pthread_cond_t change;  /* the stage has changed: all that the leader waits for besides time */
    pthread_cond_t ended;   /* a thread has ended */
    Stage stage;            /* under the guard, as all below */
    Roster roster;          /* of the workers that wait */
    int exit_code;
    int workers_running;
    bool teller_running, leader_running, watcher_running, attendant_running;
    pthread_t main;
    Thread watcher, leader, teller, attendant, workers[MANAGER_WORKERS_MAX];
};

static Stage stage_of(Host *h)
{
    guard_enter(h->manager->guard);
    Stage stage = h->stage;
    guard_leave(h->manager->guard);
    return stage;
}

/* Ends the process from within a thread: main gets the signal it waits for. */
static void end_with_fault(Host *h)
{
    guard_enter(h->manager->guard);
    h->exit_code = 1;
    if (h->stage == STAGE_RUN) /* else main is ending already, and a second signal would kill it */
        pthread_kill(h->main, SIGTERM);
    guard_leave(h->manager->guard);
}

/* Waits for `cond` until a time of the manager's clock. The guard is held. */
static void wait_until(Host *h, pthread_cond_t *cond, int64_t due_ms)
{
    int64_t nap = due_ms - clock_mono_ms(h->manager->clock);
    struct timespec until;

    if (nap <= 0)
        return;
    if (nap > HOST_NAP_MAX_MS)
        nap = HOST_NAP_MAX_MS;
    clock_nap_end(nap, &until);
    pthread_cond_timedwait(cond, h->mutex, &until);
}

/* A list is taken in as fast as it comes. Signals are main's: nobody else is woken by one. */
static void rest_in_storm(Host *h, Lull *lull)
{
    Manager *m = h->manager;

    guard_enter(m->guard);
    int64_t ms = manager_only_watches(m) ? lull_ms(lull, clock_mono_ms(m->clock)) : 0;
    guard_leave(m->guard);
    if (ms > 0)
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void thread_ended(Host *h, bool *running)
{
    guard_enter(h->manager->guard);
    *running = false;
    pthread_cond_broadcast(&h->ended);
    guard_leave(h->manager->guard);
}

static void *run_watcher(void *self)
{
    Host *h = ((Thread *)self)->host;
    Manager *m = h->manager;
    SCOPED_ARENA a = arena_open(HOST_THREAD_ARENA_MAX);
    Lull lull = {0};
    DescriptorsLook look = {0};

    while (stage_of(h) < STAGE_END) {
        rest_in_storm(h, &lull);
        descriptors_look(&look, m);
        int64_t nap = manager_watch_step(m) - clock_mono_ms(m->clock);
        Err *err = stream_poll(m->streams, a, nap > 0 ? nap : 0);
        if (err) {
            log_error(&m->log, "the watches cannot go on", log_str("error", err_text(a, err)));
            end_with_fault(h);
            break;
        }
        arena_reset(a);
    }
    thread_ended(h, &h->watcher_running);
    return NULL;
}

static void *run_leader(void *self)
{
    Host *h = ((Thread *)self)->host;
    Manager *m = h->manager;
    Transport *transport = m->options.transport;
    Api *api = transport->open_api(transport);
    SCOPED_ARENA a = arena_open(HOST_THREAD_ARENA_MAX);
    bool lost = false;

    while (!lost && stage_of(h) < STAGE_END) {
        int64_t next = manager_lead_step(m, api, a);
        guard_enter(m->guard);
        lost = lease_is_lost(m->lease, clock_mono_ms(m->clock));
        if (!lost && h->stage < STAGE_END)
            wait_until(h, &h->change, next);
        guard_leave(m->guard);
        arena_reset(a);
    }
    if (lost) {
        log_error(&m->log, "the lease is lost: this process ends");
        end_with_fault(h);
    }
    transport->close_api(transport, api);
    thread_ended(h, &h->leader_running);
    return NULL;
}

static void *run_teller(void *self)
{
    Host *h = ((Thread *)self)->host;
    Manager *m = h->manager;
    Transport *transport = m->options.transport;
    Api *api = transport->open_api(transport);
    SCOPED_ARENA a = arena_open(HOST_THREAD_ARENA_MAX);

    for (;;) {
        int64_t next = manager_tell_step(m, api, a);
        guard_enter(m->guard);
        bool due = next <= clock_mono_ms(m->clock);
        bool told = events_counts(m->events).pending == 0;
        bool ends = h->stage == STAGE_END || (h->stage == STAGE_FLUSH && told);
        if (!due && !ends)
            wait_until(h, &h->news, next);
        guard_leave(m->guard);
        arena_reset(a);
        if (ends)
            break;
    }
    transport->close_api(transport, api);
    thread_ended(h, &h->teller_running);
    return NULL;
}

/* The guard is held. */
static void wait_for_work(Host *h)
{
    int64_t due = manager_work_due(h->manager);

    if (due <= clock_mono_ms(h->manager->clock))
        return;
    bool watches = roster_wait(&h->roster, due);
    wait_until(h, watches ? &h->watch : &h->work, watches ? due : INT64_MAX);
    roster_rise(&h->roster, watches);
}

static void *run_worker(void *self)
{
    Host *h = ((Thread *)self)->host;
    Manager *m = h->manager;
    Worker *w = worker_open(m);

    while (stage_of(h) == STAGE_RUN) {
        if (worker_step(w))
            continue;
        guard_enter(m->guard);
        if (h->stage == STAGE_RUN)
            wait_for_work(h);
        guard_leave(m->guard);
    }
    worker_close(w);
    guard_enter(m->guard);
    h->workers_running--;
    pthread_cond_broadcast(&h->ended);
    guard_leave(m->guard);
    return NULL;
}

static void *run_attendant(void *self)
{
    Host *h = ((Thread *)self)->host;
    Manager *m = h->manager;
    SCOPED_ARENA a = arena_open(HOST_THREAD_ARENA_MAX);

    while (stage_of(h) == STAGE_RUN) {
        int64_t nap = manager_attend_step(m) - clock_mono_ms(m->clock);
        nap = nap < 0 ? 0 : nap < HOST_NAP_MAX_MS ? nap : HOST_NAP_MAX_MS;
        Err *err = http_poll(m->options.attendant->http, a, nap);
        if (err) {
            log_error(&m->log, "the attendant cannot go on", log_str("error", err_text(a, err)));
            end_with_fault(h);
            break;
        }
        arena_reset(a);
    }
    thread_ended(h, &h->attendant_running);
    return NULL;
}

/* Who is at work and does not wait for the server takes what there is when he is done, and calls
 * another as soon as he has to wait: most reconciles take less time than waking a thread does. The
 * guard is held by whoever calls, here and below. */
static void wake_worker(void *host)
{
    Host *h = host;
    const Manager *m = h->manager;

    if (manager_has_hand(m))
        return;
    int64_t due = manager_work_due(m), now = clock_mono_ms(m->clock);
    RosterCall call = roster_call(&h->roster, due, now);

    if (call != ROSTER_NOBODY)
        pthread_cond_signal(call == ROSTER_SLEEPER ? &h->work : &h->watch);
}

static void wake_teller(void *host)
{
    Host *h = host;

    pthread_cond_signal(&h->news);
}

/* --- aside -------------------------------------------------------------------------------------
 */

bool host_run_aside(void *(*run)(void *self), void *self)
{
    pthread_attr_t attributes;
    pthread_t id;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, HOST_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&id, &attributes, run, self) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* --- beginning and ending ----------------------------------------------------------------------
 */

static bool start(Thread *t, Host *h, void *(*run)(void *self))
{
    pthread_attr_t attributes;

    t->host = h;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, HOST_STACK_BYTES);
    t->started = pthread_create(&t->id, &attributes, run, t) == 0;
    pthread_attr_destroy(&attributes);
    return t->started;
}

static void start_all(Host *h)
{
    Manager *m = h->manager;
    bool started = true;

    guard_enter(m->guard); /* until all are counted none gets far, so the end waits for every one */
    h->watcher_running = start(&h->watcher, h, run_watcher);
    h->teller_running = start(&h->teller, h, run_teller);
    h->leader_running = m->lease && start(&h->leader, h, run_leader);
    h->attendant_running = m->options.attendant && start(&h->attendant, h, run_attendant);
    started = h->watcher_running && h->teller_running && (!m->lease || h->leader_running)
        && (!m->options.attendant || h->attendant_running);
    for (int i = 0; started && i < m->options.workers; i++) {
        started = start(&h->workers[i], h, run_worker);
        h->workers_running += started ? 1 : 0;
    }
    guard_leave(m->guard);
    if (!started) {
        log_error(
            &m->log, "a thread cannot be started: too little memory, or a limit on processes");
        h->exit_code = 1;
        pthread_kill(h->main, SIGTERM);
    }
}

static void set_stage(Host *h, Stage stage)
{
    h->stage = stage;
    h->manager->stopping = stage != STAGE_RUN;
    pthread_cond_broadcast(&h->work);
    pthread_cond_broadcast(&h->watch);
    pthread_cond_broadcast(&h->news);
    pthread_cond_broadcast(&h->change);
    if (h->manager->options.attendant)
        http_wake(h->manager->options.attendant->http);
}

static bool has_reached(const Host *h, Stage stage)
{
    if (stage == STAGE_DRAIN)
        return h->workers_running == 0 && !h->attendant_running;
    if (stage == STAGE_FLUSH)
        return !h->teller_running;
    return !h->watcher_running && !h->leader_running && !h->teller_running;
}

/* Enters a stage and waits until what ends in it has ended. The guard is held. */
static bool pass_stage(Host *h, Stage stage, int64_t deadline_ms)
{
    set_stage(h, stage);
    if (stage == STAGE_END)
        stream_wake(h->manager->streams);
    while (!has_reached(h, stage) && clock_mono_ms(h->manager->clock) < deadline_ms)
        wait_until(h, &h->ended, deadline_ms);
    return has_reached(h, stage);
}

/* Does the same to every thread that was started. */
static void each_thread(Host *h, void (*visit)(pthread_t id))
{
    Thread *const singles[] = {&h->watcher, &h->teller, &h->leader, &h->attendant};

    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
        if (singles[i]->started)
            visit(singles[i]->id);
    for (int i = 0; i < h->manager->options.workers; i++)
        if (h->workers[i].started)
            visit(h->workers[i].id);
}

static void join(pthread_t id)
{
    pthread_join(id, NULL);
}

static void leave_alone(pthread_t id)
{
    pthread_detach(id);
}

static void give_back_lease(Manager *m, int64_t deadline_ms)
{
    Transport *transport = m->options.transport;
    Api *api = transport->open_api(transport);
    SCOPED_ARENA a = arena_open(HOST_THREAD_ARENA_MAX);

    manager_release_lease(m, api, a, deadline_ms);
    transport->close_api(transport, api);
}

/* Ends all threads in order; false when one of them did not end in time. */
static bool end_all(Host *h)
{
    Manager *m = h->manager;

    guard_enter(m->guard);
    int64_t now = clock_mono_ms(m->clock);
    bool drained = pass_stage(h, STAGE_DRAIN, now + HOST_DRAIN_MS);
    if (!drained)
        log_warn(&m->held.log,
            "reconciles did not end in time; the lease is left to run out",
            log_num("unfinished", m->busy_workers));
    if (drained)
        pass_stage(h, STAGE_FLUSH, now + HOST_FLUSH_MS);
    bool ended = drained && pass_stage(h, STAGE_END, now + HOST_END_MS);
    guard_leave(m->guard);
    held_log_write(&m->held, m->guard);
    each_thread(h, ended ? join : leave_alone);
    if (ended && m->lease && h->exit_code == 0)
        give_back_lease(m, now + HOST_GONE_MS - clock_mono_ms(m->clock));
    return ended;
}

static void init_conditions(Host *h)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&h->work, &attributes);
    pthread_cond_init(&h->watch, &attributes);
    pthread_cond_init(&h->news, &attributes);
    pthread_cond_init(&h->change, &attributes);
    pthread_cond_init(&h->ended, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void wait_for_signal(const sigset_t *signals)
{
    while (sigwaitinfo(signals, NULL) < 0)
        ;
}

/* From now on a signal ends the process at once. What a failing thread sent meanwhile is taken off
 * first. */
static void end_on_second_signal(Host *h, const sigset_t *signals)
{
    guard_enter(h->manager->guard);
    set_stage(h, STAGE_DRAIN);
    bool failing = h->exit_code != 0;
    guard_leave(h->manager->guard);
    if (failing)
        (void)sigtimedwait(signals, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
}

int manager_run(Manager *m)
{
    Arena *home = arena_open(1 << 16);
    Host *h = arena_new(home, Host);
    sigset_t signals;

    h->manager = m;
    h->mutex = &((MutexGuard *)m->guard)->mutex;
    h->main = pthread_self();
    h->roster.watched_ms = INT64_MAX;
    heap_configure();
    init_conditions(h);
    m->host = h;
    m->work_added = wake_worker;
    m->event_added = wake_teller;
    signal(SIGTERM, SIG_DFL); /* a parent may have had them ignored */
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_IGN); /* a peer that goes away is an error of that connection, not of us */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    log_info(&m->log, "started", log_str("version", m->options.version));
    if (m->options.transport->warning)
        log_warn(&m->log, m->options.transport->warning);
    start_all(h);
    wait_for_signal(&signals);
    end_on_second_signal(h, &signals);
    log_info(&m->log, "ending");
    if (!end_all(h))
        _exit(
            h->exit_code); /* a thread still hangs in a call: nothing can be given back around it */

    int code = h->exit_code;
    pthread_cond_destroy(&h->work);
    pthread_cond_destroy(&h->watch);
    pthread_cond_destroy(&h->news);
    pthread_cond_destroy(&h->change);
    pthread_cond_destroy(&h->ended);
    m->work_added = NULL;
    m->event_added = NULL;
    arena_close(home);
    log_info(&m->log, "ended", log_num("code", code));
    return code;
}
