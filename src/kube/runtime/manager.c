/* Manager: puts the machines together and decides when there is work.
 *
 * The one surprising thing: nothing here waits. Every step does what is due and says when it wants
 * to be called again. */
#include "kube/manager.h"

#include "base/str.h"
#include "kube/core/label.h"
#include "kube/runtime/host.h"
#include "kube/runtime/machine.h"
#include "kube/runtime/wake.h"

#include <stdio.h>

enum {
    MANAGER_ARENA_MAX = 1 << 20,
    EXPECT_MAX = 65536,
    SERIES_MAX = 250000, /* a dozen about each of 20,000 objects */
};

static int64_t earlier(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static Err *check_controller(Arena *a, const Controller *c)
{
    if (str_empty(c->name))
        return err_terminal(a, "a controller has no name");
    if (!label_is_key(c->name)) /* the server refuses events of any other reportingController */
        return err_terminal(a, "controller name \"%s\": write it like a label's key", c->name);
    if (!c->reconcile)
        return err_terminal(a, "controller %s has no reconcile function", c->name);
    if (!c->watches || !c->watches[0].kind)
        return err_terminal(a, "controller %s watches nothing", c->name);
    return OK;
}

static int find_controller(const ManagerOptions *o, const char *name)
{
    for (int i = 0; o->controllers[i]; i++)
        if (str_eq(o->controllers[i]->name, name))
            return i;
    return -1;
}

static Err *check_options(Arena *a, const ManagerOptions *o)
{
    if (str_empty(o->name))
        return err_terminal(a, "the manager has no name");
    if (!o->transport)
        return err_terminal(a, "the manager has no transport: open a client first");
    if (!o->controllers || !o->controllers[0])
        return err_terminal(a, "the manager has no controllers");
    if (o->workers < 0 || o->workers > MANAGER_WORKERS_MAX)
        return err_terminal(
            a, "%d workers: there must be between 1 and %d", o->workers, MANAGER_WORKERS_MAX);
    if (o->leader_election && str_empty(o->lease_namespace))
        return err_terminal(a, "leader election needs a namespace for its lease");
    for (int i = 0; o->controllers[i]; i++) {
        if (i == MANAGER_CONTROLLERS_MAX)
            return err_terminal(a, "more than %d controllers", MANAGER_CONTROLLERS_MAX);
        TRY(check_controller(a, o->controllers[i]));
    }
    if (o->attendant && find_controller(o, o->attendant->controller) < 0)
        return err_terminal(
            a, "the attendant wakes controller %s, and there is none", o->attendant->controller);
    return OK;
}

static void fill_defaults(Manager *m)
{
    ManagerOptions *o = &m->options;

    if (!o->workers)
        o->workers = 4;
    if (!o->arena_max)
        o->arena_max = 16 << 20;
    if (!o->lease_name)
        o->lease_name = o->name;
    m->clock = o->clock ? o->clock : clock_system();
    m->rng = o->rng ? o->rng : rng_system();
    m->opened_wall_ns = m->clock->wall_ns(m->clock);
    m->log = o->log ? *o->log : (Log){0};
    held_log_open(&m->held, &m->log);
    m->write_deadline_ms = MANAGER_WRITE_DEADLINE_MS;
    if (o->leader_election && o->lease_ms > 0)
        m->write_deadline_ms = earlier(o->lease_ms / 3, m->write_deadline_ms);
}

static Err *open_lease(Arena *a, Manager *m)
{
    const ManagerOptions *o = &m->options;

    if (!o->leader_election)
        return OK;
    return lease_open(a,
        &(LeaseOptions){
            .key = {.namespace = o->lease_namespace, .name = o->lease_name},
            .identity = o->identity,
            .duration_ms = o->lease_ms,
            .renew_ms = o->renew_ms,
            .retry_ms = o->retry_ms,
            .clock = m->clock,
            .rng = m->rng,
        },
        &m->lease);
}

static Err *open_caches(Arena *a, Manager *m)
{
    for (int i = 0; m->options.controllers[i]; i++) {
        const Watch *watches = m->options.controllers[i]->watches;
        for (const Watch *w = watches; w->kind; w++)
            TRY(cache_subscribe(
                a, m, &(Subscription){.controller = i, .watch = w, .primary = watches[0].kind}));
        m->controller_count++;
    }
    return OK;
}

static void wake_from_outside(Waker *self, Key key)
{
    KeyWaker *waker = (KeyWaker *)self;
    Manager *m = waker->manager;

    guard_enter(m->guard);
    if (!m->stopping)
        wake_key(m, (QueueKey){.controller = waker->controller, .key = key});
    guard_leave(m->guard);
}

static void bind_attendant(Manager *m)
{
    Attendant *attendant = m->options.attendant;

    if (!attendant)
        return;
    m->waker = (KeyWaker){
        .port = {.wake = wake_from_outside},
        .manager = m,
        .controller = find_controller(&m->options, attendant->controller),
    };
    attendant->bind(attendant, m->guard, &m->waker.port);
}

Err *manager_assemble(Arena *a, const ManagerOptions *options, Guard *guard, Manager **ret)
{
    TRY(check_options(a, options));

    Arena *arena = arena_open(MANAGER_ARENA_MAX);
    Manager *m = arena_new(arena, Manager);
    m->arena = arena;
    m->options = *options;
    m->guard = guard;
    fill_defaults(m);
    m->slab = slab_open();
    m->metrics = metrics_open(SERIES_MAX);
    m->instruments = instruments_declare(m->metrics);
    link_init(&m->busy);
    m->queue = queue_open(&(QueueOptions){.rng = m->rng});
    m->expect = expect_open(EXPECT_MAX);
    m->events = events_open(&(EventsOptions){
        .instance = options->identity ? options->identity : options->name,
        .rng = m->rng,
    });
    m->streams = options->transport->open_streams(options->transport);

    Err *err = open_lease(a, m);
    if (!err)
        err = open_caches(a, m);
    if (err) {
        err = err_copy(a, err); /* part of it may stand in the manager's own arena */
        manager_close(m);
        return err;
    }
    bind_attendant(m);
    *ret = m;
    return OK;
}

Err *manager_open(Arena *a, const ManagerOptions *options, Manager **ret)
{
    Guard *guard = host_open_guard();
    Err *err = manager_assemble(a, options, guard, ret);

    if (err)
        host_close_guard(guard);
    return err;
}

void manager_close(Manager *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->cache_count; i++)
        cache_close(&m->caches[i]);
    m->options.transport->close_streams(m->options.transport, m->streams);
    events_close(m->events);
    lease_close(m->lease);
    expect_close(m->expect);
    queue_close(m->queue);
    metrics_close(m->metrics);
    slab_close(m->slab);
    held_log_close(&m->held);
    host_close_guard(m->guard);
    arena_close(m->arena);
}

Metrics *manager_metrics(Manager *m)
{
    return m->metrics;
}

Guard *manager_guard(Manager *m)
{
    return m->guard;
}

/* --- when there is work ------------------------------------------------------------------------
 */

bool manager_leads(const Manager *m)
{
    return !m->lease || lease_is_held(m->lease, clock_mono_ms(m->clock));
}

bool manager_is_synced(const Manager *m)
{
    for (int i = 0; i < m->cache_count; i++)
        if (!store_is_synced(m->caches[i].store))
            return false;
    return true;
}

bool manager_only_watches(const Manager *m)
{
    for (int i = 0; i < m->cache_count; i++)
        if (!m->caches[i].health.watching && !m->caches[i].health.absent)
            return false;
    return true;
}

bool manager_trusts_caches(const Manager *m)
{
    if (!m->distrust_since)
        return true;
    for (int i = 0; i < m->cache_count; i++)
        if (m->caches[i].relist != RELIST_NONE)
            return false;
    return clock_mono_ms(m->clock) - m->distrust_since >= MANAGER_DISTRUST_MS;
}

int64_t manager_work_due(const Manager *m)
{
    if (!m->working || m->stopping || !manager_leads(m))
        return INT64_MAX;
    return queue_next_due(m->queue);
}

bool manager_has_hand(const Manager *m)
{
    int64_t now = clock_mono_ms(m->clock);

    for (const Link *at = m->busy.next; at != &m->busy; at = at->next) {
        const BusyWorker *busy = link_owner(BusyWorker, link, at);
        if (!busy->calls && now - busy->rose_ms < MANAGER_HAND_MS)
            return true;
    }
    return false;
}

/* For all of them. */
static void add_work(Manager *m)
{
    guard_enter(m->guard);
    for (int i = 0; m->work_added && i < m->options.workers; i++)
        m->work_added(m->host);
    guard_leave(m->guard);
}

static void begin_work(Manager *m)
{
    guard_enter(m->guard);
    bool begins = !m->working && !m->stopping && manager_is_synced(m) && manager_leads(m);
    m->working = m->working || begins;
    guard_leave(m->guard);
    if (!begins)
        return;

    for (int i = 0; i < m->cache_count; i++)
        cache_enqueue_all(&m->caches[i]);
    log_info(&m->log, "caches are synced: work begins");
    add_work(m);
    if (m->options.attendant)
        http_wake(m->options.attendant->http);
}

/* --- the steps ---------------------------------------------------------------------------------
 */

/* What is to be done to one reflector before its step. */
typedef struct Orders {
    bool drop;
    bool relist[MANAGER_WATCHES_MAX];
} Orders;

/* Takes over under the guard what other parties ask of the reflectors, and lets late expectations
 * wake their keys. */
static void take_orders(Manager *m, int64_t now, Orders *ret)
{
    guard_enter(m->guard);
    m->watch_beat_ms = now;
    ret->drop = m->drop_watches;
    m->drop_watches = false;
    if (m->distrust_since && manager_trusts_caches(m)) {
        m->distrust_since = 0;
        log_info(&m->held.log, "every kind was listed anew: the caches are trusted again");
    }
    for (int i = 0; i < m->cache_count; i++) {
        ret->relist[i] = m->caches[i].relist == RELIST_WANTED;
        if (ret->relist[i])
            m->caches[i].relist = RELIST_RUNNING;
    }
    expect_step(m->expect, now, wake_key, m);
    guard_leave(m->guard);
}

/* Tells people of a watch that comes to nothing: at once, then ever more rarely, and when it is
 * back. */
static void report_health(const Cache *c, const ReflectorHealth *now)
{
    const Manager *m = c->manager;

    if (now->forbidden && !c->health.forbidden)
        log_warn(&m->held.log,
            "the operator may not list and watch a kind, and goes on without it: give its role the "
            "right to; it is looked for again and again",
            log_str("kind", c->watch->kind->name));
    else if (now->absent != c->health.absent)
        log_info(&m->held.log,
            now->absent ? "the server does not know a kind: it is looked for again and again"
                        : "a kind can be watched now that was not there before",
            log_str("kind", c->watch->kind->name));
    bool is_power_of_two = (now->failures & (now->failures - 1)) == 0;

    if (now->failures > c->health.failures && is_power_of_two)
        log_warn(&m->held.log,
            "a watch does not come about and is tried again",
            log_str("kind", c->watch->kind->name),
            log_num("failures", now->failures),
            log_str("error", now->last_error));
    else if (now->watching && now->failures == 0 && c->health.failures > 0)
        log_info(&m->held.log, "a watch is open again", log_str("kind", c->watch->kind->name));
}

/* For those who ask from other threads. The guard is held. */
static void copy_health(Cache *c)
{
    ReflectorHealth now = reflector_health(c->reflector);

    report_health(c, &now);
    if (now.last_error)
        snprintf(c->last_error, sizeof c->last_error, "%s", now.last_error);
    else
        c->last_error[0] = '\0';
    now.last_error = NULL;
    c->health = now;
}

/* Copies the health of every cache, and says which kinds have come that were not there before. */
static bool copy_healths(Manager *m, bool ret_came[MANAGER_WATCHES_MAX])
{
    bool any = false;

    guard_enter(m->guard);
    for (int i = 0; i < m->cache_count; i++) {
        bool was_absent = m->caches[i].health.absent;
        copy_health(&m->caches[i]);
        ret_came[i] = was_absent && !m->caches[i].health.absent && m->working;
        any = any || ret_came[i];
    }
    guard_leave(m->guard);
    return any;
}

static void welcome_kinds(Manager *m, const bool came[MANAGER_WATCHES_MAX])
{
    for (int i = 0; i < m->cache_count; i++)
        if (came[i])
            cache_enqueue_primaries(&m->caches[i]);
    add_work(m);
}

/* What is due and not taken yet: he who is to take it may hang. Gives the time to look again. The
 * guard is held. */
static int64_t mind_what_is_due(Manager *m, int64_t now)
{
    if (!m->work_added || manager_work_due(m) > now)
        return INT64_MAX;
    m->work_added(m->host);
    return manager_has_hand(m) ? now + MANAGER_HAND_MS : INT64_MAX;
}

int64_t manager_watch_step(Manager *m)
{
    int64_t now = clock_mono_ms(m->clock);
    int64_t next = now + MANAGER_BEAT_MS;
    Orders orders = {0};

    take_orders(m, now, &orders);
    for (int i = 0; i < m->cache_count; i++) {
        Reflector *r = m->caches[i].reflector;
        if (orders.drop)
            reflector_drop(r, now);
        if (orders.relist[i])
            reflector_relist(r, now);
        next = earlier(next, reflector_step(r, now));
    }
    bool came[MANAGER_WATCHES_MAX];
    if (copy_healths(m, came))
        welcome_kinds(m, came);
    begin_work(m);
    guard_enter(m->guard);
    next = earlier(next, expect_next_due(m->expect));
    next = earlier(next, mind_what_is_due(m, now));
    guard_leave(m->guard);
    held_log_write(&m->held, m->guard);
    return next;
}

static void report_lease(Manager *m, bool led_before, const char *holder_before)
{
    int64_t now = clock_mono_ms(m->clock);
    bool leads = lease_is_held(m->lease, now);

    if (leads && !led_before)
        log_info(&m->held.log, "leading", log_str("identity", lease_self(m->lease)));
    else if (!leads && !led_before && !str_eq(holder_before, lease_holder(m->lease)))
        log_info(&m->held.log, "standing by", log_str("holder", lease_holder(m->lease)));
    if (leads && lease_failures(m->lease) == 2)
        m->drop_watches = true;
}

int64_t manager_lead_step(Manager *m, Api *api, Arena *a)
{
    Request request;
    const Json *object = NULL;
    int64_t next = INT64_MAX;

    if (!m->lease)
        return INT64_MAX;
    guard_enter(m->guard);
    int64_t sent = clock_mono_ms(m->clock);
    bool due = lease_step(m->lease, a, sent, &request, &next);
    guard_leave(m->guard);
    if (!due)
        return next;

    Err *err = api_call(api, a, &request, &object);

    guard_enter(m->guard);
    bool led = lease_is_held(m->lease, clock_mono_ms(m->clock));
    const char *holder = str_copy(a, lease_holder(m->lease));
    lease_answer(m->lease, err, object, sent, clock_mono_ms(m->clock));
    instruments_requested(&m->instruments, m->options.transport->host, &request, err);
    report_lease(m, led, holder);
    if (err && lease_failures(m->lease) > 0)
        log_warn(&m->held.log, "the lease was not renewed", log_str("error", err_text(a, err)));
    bool drop = m->drop_watches;
    guard_leave(m->guard);
    held_log_write(&m->held, m->guard);
    if (drop || !led)
        stream_wake(m->streams); /* the watch step drops connections, or begins the work */
    return 0;
}

void manager_release_lease(Manager *m, Api *api, Arena *a, int64_t deadline_ms)
{
    Request request;

    if (!m->lease)
        return;
    guard_enter(m->guard);
    bool held = lease_release(m->lease, a, &request);
    guard_leave(m->guard);
    if (!held || deadline_ms <= 0)
        return;
    request.deadline_ms = earlier(request.deadline_ms, deadline_ms);
    Err *err = api_call(api, a, &request, NULL);
    if (err)
        log_warn(&m->log, "the lease was not given back", log_str("error", err_text(a, err)));
    else
        log_info(&m->log, "the lease is given back");
}

int64_t manager_tell_step(Manager *m, Api *api, Arena *a)
{
    Request request;
    const Json *object = NULL;
    int64_t next = INT64_MAX;

    guard_enter(m->guard);
    bool due = events_step(m->events, a, clock_mono_ms(m->clock), &request, &next);
    guard_leave(m->guard);
    if (!due)
        return next;

    Err *err = api_call(api, a, &request, &object);

    guard_enter(m->guard);
    events_answer(m->events, err, object, clock_mono_ms(m->clock));
    instruments_requested(&m->instruments, m->options.transport->host, &request, err);
    guard_leave(m->guard);
    return 0;
}

int64_t manager_attend_step(Manager *m)
{
    Attendant *attendant = m->options.attendant;

    guard_enter(m->guard);
    bool acts = m->working && !m->stopping && manager_leads(m);
    guard_leave(m->guard);
    return acts ? attendant->step(attendant) : clock_mono_ms(m->clock) + MANAGER_BEAT_MS;
}
