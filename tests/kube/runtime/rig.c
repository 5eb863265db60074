/* Rig: the scripted ports. */
#include "tests/kube/runtime/rig.h"

#include "base/link.h"
#include "base/str.h"
#include "kube/meta.h"

enum { RIG_ARENA_MAX = 16 << 20 };

static Rig *rig_of(Api *api)
{
    return (Rig *)((char *)api - offsetof(Rig, api));
}

static Err *answer_next(Rig *r, Arena *a, const Request *request, const Json **ret)
{
    if (r->answered == r->answer_count) {
        Err *err = err_terminal(a, "not found");
        err->status = 404;
        err->reason = "NotFound";
        return err;
    }
    const RigAnswer *answer = &r->answers[r->answered++];
    if (answer->err.class)
        return err_copy(a, &answer->err);
    if (!ret)
        return OK;
    *ret = answer->object ? json_fixture(a, answer->object) : NULL;
    if (answer->accepted)
        *ret = json_merge(a, request->body, json_fixture(a, "{metadata: {resourceVersion: '3'}}"));
    return OK;
}

static Err *rig_call(Api *api, Arena *a, const Request *request, const Json **ret)
{
    Rig *r = rig_of(api);

    then_true(r->request_count < RIG_REQUESTS_MAX);
    r->sent[r->request_count] = *request;
    r->requests[r->request_count++] = request_text(r->arena, request);
    return answer_next(r, a, request, ret);
}

static Api *open_api(Transport *transport)
{
    return &((Rig *)transport)->api;
}

static void close_api(Transport *transport, Api *api)
{
    (void)transport;
    (void)api;
}

static Streams *open_streams(Transport *transport)
{
    return &((Rig *)transport)->streams;
}

static void close_streams(Transport *transport, Streams *streams)
{
    (void)transport;
    (void)streams;
}

/* Streams that open and stay silent: the caches are fed by hand. */
static Err *start_silent(
    Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    (void)s, (void)a, (void)request, (void)sink;
    *ret = 1;
    return OK;
}

static void cancel_silent(Streams *s, StreamId id)
{
    (void)s, (void)id;
}

static Err *poll_silent(Streams *s, Arena *a, int64_t timeout_ms)
{
    (void)s, (void)a, (void)timeout_ms;
    return OK;
}

static void wake_silent(Streams *s)
{
    (void)s;
}

static void enter_guard(Guard *guard)
{
    Rig *r = link_owner(Rig, guard, guard);

    then_true(!r->is_guarded);
    r->is_guarded = true;
}

static void leave_guard(Guard *guard)
{
    Rig *r = link_owner(Rig, guard, guard);

    then_true(r->is_guarded);
    r->is_guarded = false;
}

static void write_line(LogSink *sink, const char *line, size_t len)
{
    Rig *r = link_owner(Rig, sink, sink);

    then_true(!r->is_guarded);
    r->logged = str_format(r->arena, "%s%.*s", r->logged, (int)len, line);
}

static Err *record_reconcile(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;

    then_true(r->reconcile_count < RIG_RECONCILES_MAX);
    r->reconciled[r->reconcile_count++] = key_text(r->arena, key);
    return r->reconcile ? r->reconcile(c, key, ret) : OK;
}

static Rig *open_rig(const Watch *watches, bool with_lease)
{
    Arena *arena = arena_open(RIG_ARENA_MAX);
    Rig *r = arena_new(arena, Rig);

    r->arena = arena;
    r->work = arena_open(RIG_ARENA_MAX);
    r->transport = (Transport){"test", open_api, close_api, open_streams, close_streams};
    r->api = (Api){rig_call};
    r->streams = (Streams){start_silent, cancel_silent, poll_silent, wake_silent};
    r->guard = (Guard){enter_guard, leave_guard};
    r->sink = (LogSink){write_line};
    r->log = (Log){.sink = &r->sink};
    r->logged = "";
    clock_manual_init(&r->clock, 1000000000, 1700000000000000000);
    rng_seed(&r->rng, 1);
    r->controllers[0] =
        (Controller){.name = "rig", .watches = watches, .reconcile = record_reconcile};
    r->controller_list[0] = &r->controllers[0];
    r->options = (ManagerOptions){
        .name = "rig",
        .transport = &r->transport,
        .controllers = r->controller_list,
        .leader_election = with_lease,
        .lease_namespace = "ns",
        .identity = "me",
        .clock = &r->clock.port,
        .rng = &r->rng.port,
        .log = &r->log,
        .app = r,
    };
    then_ok(manager_assemble(arena, &r->options, &r->guard, &r->manager));
    r->worker = worker_open(r->manager);
    return r;
}

Rig *rig_open(const Watch *watches)
{
    return open_rig(watches, false);
}

Rig *rig_open_with_lease(const Watch *watches)
{
    return open_rig(watches, true);
}

void rig_assemble_again(Rig *r)
{
    worker_close(r->worker);
    manager_close(r->manager);
    then_ok(manager_assemble(r->arena, &r->options, &r->guard, &r->manager));
    r->worker = worker_open(r->manager);
}

void rig_close(Rig *r)
{
    arena_close(r->work);
    worker_close(r->worker);
    manager_close(r->manager);
    arena_close(r->arena);
}

void rig_close_scoped(Rig **r)
{
    rig_close(*r);
}

static Feed *feed_of(Rig *r, int cache)
{
    return &r->manager->caches[cache].feed;
}

void rig_list(Rig *r, int cache, const char *version, const char *items)
{
    Feed *feed = feed_of(r, cache);
    const Json *list = json_fixture(r->arena, items), *item;

    feed->list_begin(feed);
    json_each(item, list)
        feed->list_put(feed, item);
    feed->list_end(feed, version);
}

void rig_put(Rig *r, int cache, const char *object)
{
    feed_of(r, cache)->put(feed_of(r, cache), json_fixture(r->arena, object));
}

void rig_remove(Rig *r, int cache, const char *object)
{
    feed_of(r, cache)->remove(feed_of(r, cache), json_fixture(r->arena, object));
}

void rig_reach(Rig *r, int cache, const char *version)
{
    feed_of(r, cache)->reach(feed_of(r, cache), version);
}

void rig_answer(Rig *r, const char *object)
{
    then_true(r->answer_count < RIG_ANSWERS_MAX);
    r->answers[r->answer_count++] = (RigAnswer){.object = object};
}

void rig_fail(Rig *r, Err err)
{
    then_true(r->answer_count < RIG_ANSWERS_MAX);
    r->answers[r->answer_count++] = (RigAnswer){.err = err};
}

void rig_accept(Rig *r)
{
    then_true(r->answer_count < RIG_ANSWERS_MAX);
    r->answers[r->answer_count++] = (RigAnswer){.accepted = true};
}

void rig_watch(Rig *r)
{
    manager_watch_step(r->manager);
}

void rig_lead(Rig *r)
{
    manager_lead_step(r->manager, &r->api, r->arena);
}

void rig_work(Rig *r)
{
    while (worker_step(r->worker))
        ;
}

Err *rig_reconcile(Rig *r, Key key, RigReconcile *reconcile)
{
    BusyWorker busy = {0};
    Cluster cluster;
    Reconciled ignored = {0};
    Log silent = {0};

    cluster_init(&cluster, r->manager, &r->api, &busy);
    cluster.by = (QueueKey){.controller = 0, .key = key};
    cluster.reads.arena = r->work;
    Ctx c = {
        .arena = r->work,
        .kube = &cluster.port,
        .clock = &r->clock.port,
        .rng = &r->rng.port,
        .log = &silent,
        .app = r,
    };
    Err *err = reconcile(&c, key, &ignored);
    cluster_end(&cluster);
    return err;
}

static const char *join(Arena *a, const char *const *words, int count)
{
    const char *line = "";

    for (int i = 0; i < count; i++)
        line = str_format(a, "%s%s%s", line, i ? ", " : "", words[i]);
    return line;
}

const char *rig_reconciled(Rig *r)
{
    const char *line = join(r->arena, r->reconciled, r->reconcile_count);

    r->reconcile_count = 0;
    return line;
}

const char *rig_requests(Rig *r)
{
    const char *line = join(r->arena, r->requests, r->request_count);

    r->request_count = 0;
    return line;
}
