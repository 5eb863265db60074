/* Worker: takes a key, gives it to its controller with a fresh view of the world, and files the
 * outcome.
 *
 *     OK, waiting     done; looked at again when something happens, or when it asked for that
 *     retry, failed   back-off per key, not before the server's Retry-After
 *     terminal        reported once; nothing but a change brings the key back */
#include "kube/runtime/worker.h"

#include "base/str.h"
#include "kube/runtime/cluster.h"
#include "kube/runtime/machine.h"

struct Worker {
    Manager *manager;
    Arena *home;  /* as old as the worker */
    Arena *arena; /* one reconcile; reset after it */
    Api *api;
    Cluster cluster;
    BusyWorker busy; /* while it holds a key */
};

Worker *worker_open(Manager *m)
{
    Arena *home = arena_open(1 << 16);
    Worker *w = arena_new(home, Worker);

    w->home = home;
    w->manager = m;
    link_init(&w->busy.link);
    w->arena = arena_open(m->options.arena_max);
    w->api = m->options.transport->open_api(m->options.transport);
    cluster_init(&w->cluster, m, w->api, &w->busy);
    return w;
}

void worker_close(Worker *w)
{
    Transport *transport = w->manager->options.transport;

    transport->close_api(transport, w->api);
    arena_close(w->arena);
    arena_close(w->home);
}

static bool take(Worker *w, QueueKey *ret, int64_t *waited_ms)
{
    Manager *m = w->manager;
    QueueKey key;

    guard_enter(m->guard);
    bool taken = m->working && !m->stopping && manager_leads(m)
        && queue_take(m->queue, clock_mono_ms(m->clock), &key, waited_ms);
    if (taken) {
        m->busy_workers++;
        w->busy.controller = key.controller;
        w->busy.since_ms = w->busy.rose_ms = clock_mono_ms(m->clock);
        link_insert_before(&m->busy, &w->busy.link);
        expect_heed(m->expect, key);
        *ret = (QueueKey){.controller = key.controller, .key = key_copy(w->arena, key.key)};
    }
    guard_leave(m->guard);
    return taken;
}

static void report(const Log *log, Arena *a, const Err *err)
{
    const char *text = err ? err_text(a, err) : NULL;

    if (!err)
        log_debug(log, "reconciled");
    else if (err->class == ERR_WAIT)
        log_debug(log, "waiting", log_str("for", text));
    else if (err->class == ERR_TERMINAL)
        log_error(log, "reconcile cannot succeed until something changes", log_str("error", text));
    else
        log_warn(log, "reconcile failed and will be tried again", log_str("error", text));
}

/* The guard is held. */
static void file_outcome(Manager *m, QueueKey key, const Err *err, const Reconciled *result)
{
    int64_t now = clock_mono_ms(m->clock);
    int64_t again = result->again_after_ms;

    if (err && (err->class == ERR_RETRY || err->class == ERR_FAILED)) {
        queue_done_failed(m->queue, key, err->retry_after_ms, now);
        return;
    }
    if (err && err->class == ERR_WAIT && !again)
        again = MANAGER_WAIT_MS;
    queue_done_ok(m->queue, key, now);
    if (again > 0)
        (void)queue_add_at(m->queue, key, now + again);
}

static void finish(Worker *w, QueueKey key, ReconcileRecord *record, const Reconciled *result)
{
    Manager *m = w->manager;

    record->again = result->again_after_ms > 0;
    guard_enter(m->guard);
    file_outcome(m, key, record->err, result);
    if (result->is_content && !record->err && w->cluster.write_count == 1
        && !w->cluster.awaits_writes)
        expect_content(m->expect, key);
    instruments_reconciled(&m->instruments, record);
    m->busy_workers--;
    link_remove(&w->busy.link);
    guard_leave(m->guard);
}

bool worker_step(Worker *w)
{
    Manager *m = w->manager;
    QueueKey key;
    Reconciled result = {0};
    int64_t waited_ms = 0;

    if (!take(w, &key, &waited_ms)) {
        arena_reset(w->arena);
        return false;
    }
    const Controller *controller = m->options.controllers[key.controller];
    Log log = log_with(&m->log, log_str("controller", controller->name));
    log = log_with(&log, log_str("namespace", key.key.namespace));
    log = log_with(&log, log_str("name", key.key.name));
    w->cluster.by = key;
    w->cluster.reads.arena = w->arena;
    w->cluster.write_count = 0;
    w->cluster.awaits_writes = false;
    Ctx c = {
        .arena = w->arena,
        .kube = &w->cluster.port,
        .clock = m->clock,
        .rng = m->rng,
        .log = &log,
        .app = m->options.app,
    };

    int64_t began = m->clock->mono_ns(m->clock);
    Err *err = controller->reconcile(&c, key.key, &result);
    if (!err)
        err = arena_err(w->arena);
    ReconcileRecord record = {
        .controller = controller->name,
        .err = err,
        .waited_seconds = (double)waited_ms / 1e3,
        .worked_seconds = (double)(m->clock->mono_ns(m->clock) - began) / 1e9,
    };
    cluster_end(&w->cluster);
    report(&log, w->arena, err);
    finish(w, key, &record, &result);
    arena_reset(w->arena);
    return true;
}
