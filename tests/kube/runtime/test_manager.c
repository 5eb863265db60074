/* When keys come into being, who gets them, and what becomes of their outcome. */
#include "base/link.h"
#include "kube/meta.h"
#include "tests/kube/runtime/rig.h"

static void key_from_annotation(Arena *a, const Json *object, KeySet *ret)
{
    const char *from = meta_annotation(object, "from");

    if (from)
        keyset_add(ret, key_parse(a, from));
}

/* ConfigMaps are reconciled; Secrets belong to the ConfigMap that controls them; Services say in an
 * annotation whose they are. */
static const Watch watches[] = {
    {kind_configmap},
    {kind_secret},
    {kind_service, .keys = key_from_annotation},
    {0},
};

#define OWNED_BY(name)                                                                             \
    ", ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap', name: '" name                       \
    "', uid: 'u', controller: true}]"
#define FROM(key) ", annotations: {from: '" key "'}"

static Rig *open_working(void)
{
    Rig *r = rig_open(watches);

    rig_list(r, 0, "5", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_list(r, 1, "5", "[]");
    rig_list(r, 2, "5", "[]");
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
    return r;
}

TEST(no_key_is_reconciled_before_every_cache_is_synced)
{
    SCOPED_RIG r = rig_open(watches);

    rig_list(r, 0, "5", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "");

    rig_list(r, 1, "5", "[]");
    rig_list(r, 2, "5", "[]");
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
}

TEST(a_standby_keeps_its_caches_synced_and_its_queue_empty)
{
    SCOPED_RIG r = rig_open_with_lease(watches);

    rig_list(r, 0, "5", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_list(r, 1, "5", "[]");
    rig_list(r, 2, "5", "[]");
    rig_watch(r);
    rig_put(r, 0, CONFIGMAP("y", "u2", "6", ""));
    then_int(queue_counts(r->manager->queue, 0).ready, 0);

    rig_lead(r);
    rig_accept(r);
    rig_lead(r);
    rig_watch(r);
    then_int(queue_counts(r->manager->queue, 0).ready, 2);
}

TEST(a_watch_event_enqueues_its_own_key_or_the_key_of_its_controller)
{
    static const struct {
        const char *name;
        int cache;
        const char *event, *woken;
    } cases[] = {
        {"a new primary", 0, CONFIGMAP("y", "u2", "6", ""), "ns/y"},
        {"an unchanged primary", 0, CONFIGMAP("x", "u1", "1", ""), ""},
        {"an owned object", 1, CONFIGMAP("s", "u3", "6", OWNED_BY("x")), "ns/x"},
        {"a foreign object", 1, CONFIGMAP("s", "u3", "6", ""), ""},
        {"an object with a controller reference",
            2,
            CONFIGMAP("t", "u4", "6", FROM("ns/z")),
            "ns/z"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_working();
        rig_put(r, cases[i].cache, cases[i].event);
        rig_work(r);
        then_str(rig_reconciled(r), cases[i].woken);
    }
}

TEST(an_object_whose_controller_reference_changes_enqueues_both_owners)
{
    SCOPED_RIG r = open_working();

    rig_put(r, 1, CONFIGMAP("s", "u3", "6", OWNED_BY("x")));
    rig_work(r);
    rig_reconciled(r);
    rig_put(r, 1, CONFIGMAP("s", "u3", "7", OWNED_BY("y")));
    rig_work(r);
    then_str(rig_reconciled(r), "ns/y, ns/x");
}

TEST(a_deleted_object_enqueues_its_owner)
{
    SCOPED_RIG r = open_working();

    rig_put(r, 1, CONFIGMAP("s", "u3", "6", OWNED_BY("x")));
    rig_work(r);
    rig_reconciled(r);
    rig_remove(r, 1, CONFIGMAP("s", "u3", "7", OWNED_BY("x")));
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
}

TEST(an_object_that_is_missing_from_a_new_list_enqueues_its_owner)
{
    SCOPED_RIG r = open_working();

    rig_put(r, 1, CONFIGMAP("s", "u3", "6", OWNED_BY("x")));
    rig_work(r);
    rig_reconciled(r);
    rig_list(r, 1, "9", "[]");
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
}

TEST(a_new_list_without_changes_enqueues_nothing)
{
    SCOPED_RIG r = open_working();

    rig_list(r, 0, "9", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_work(r);
    then_str(rig_reconciled(r), "");
}

/* --- outcomes ----------------------------------------------------------------------------------
 */

static Err *fail_retry(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return err_retry(c->arena, "the network is down");
}

static Err *fail_terminal(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return err_terminal(c->arena, "never");
}

static Err *wait_for_it(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return err_wait(c->arena, "not yet");
}

static Err *ask_again(Ctx *c, Key key, Reconciled *ret)
{
    (void)c, (void)key;
    ret->again_after_ms = 500;
    return OK;
}

static Err *overdraw(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    arena_alloc(c->arena, 17 << 20);
    return OK;
}

TEST(the_result_of_a_reconcile_decides_when_its_key_is_requeued)
{
    static const struct {
        const char *name;
        RigReconcile *reconcile;
        int64_t quiet_ms; /* it does not come back within this ... */
        int64_t back_ms;  /* ... but within this; 0: not at all */
    } cases[] = {
        {"an error comes back after its back-off", fail_retry, 10, 1000},
        {"a terminal error waits for a change", fail_terminal, 3600000, 0},
        {"a wait is looked at again", wait_for_it, MANAGER_WAIT_MS - 1, MANAGER_WAIT_MS},
        {"a reconcile that asks for a requeue", ask_again, 499, 500},
        {"a reconcile that overdraws its arena is reported", overdraw, 3600000, 0},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_working();
        r->reconcile = cases[i].reconcile;
        rig_put(r, 0, CONFIGMAP("x", "u1", "6", ", labels: {a: '1'}"));
        rig_work(r);
        then_str(rig_reconciled(r), "ns/x");

        clock_manual_advance_ms(&r->clock, cases[i].quiet_ms);
        rig_work(r);
        then_str(rig_reconciled(r), "");
        if (!cases[i].back_ms)
            continue;
        clock_manual_advance_ms(&r->clock, cases[i].back_ms - cases[i].quiet_ms);
        rig_work(r);
        then_str(rig_reconciled(r), "ns/x");
    }
}

TEST(a_watch_event_enqueues_a_key_before_its_backoff_ends)
{
    SCOPED_RIG r = open_working();

    r->reconcile = fail_retry;
    rig_put(r, 0, CONFIGMAP("x", "u1", "6", ", labels: {a: '1'}"));
    rig_work(r);
    rig_reconciled(r);
    rig_put(r, 0, CONFIGMAP("x", "u1", "7", ", labels: {a: '2'}"));
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
}

/* --- options -----------------------------------------------------------------------------------
 */

TEST(manager_options_that_cannot_work_are_refused_with_their_name)
{
    static const Controller nameless = {.watches = watches, .reconcile = fail_retry};
    static const Controller odd = {
        .name = "my controller", .watches = watches, .reconcile = fail_retry};
    static const Controller idle = {.name = "idle", .watches = watches};
    static const Controller blind = {.name = "blind", .reconcile = fail_retry};
    static const Watch bad_watches[] = {{kind_pod, .labels = "a in ("}, {0}};
    static const Controller bad = {.name = "bad", .watches = bad_watches, .reconcile = fail_retry};
    SCOPED_RIG r = rig_open(watches);
    const struct {
        const char *name;
        ManagerOptions options;
        Want want;
    } cases[] = {
        {"no name", {0}, TERMINAL("no name")},
        {"no transport", {.name = "m"}, TERMINAL("open a client first")},
        {"no controllers", {.name = "m", .transport = &r->transport}, TERMINAL("no controllers")},
        {"a controller without a name",
            {.name = "m",
                .transport = &r->transport,
                .controllers = (const Controller *const[]){&nameless, NULL}},
            TERMINAL("no name")},
        {"a controller whose name no event could carry",
            {.name = "m",
                .transport = &r->transport,
                .controllers = (const Controller *const[]){&odd, NULL}},
            TERMINAL("\"my controller\": write it like a label's key")},
        {"a controller that does nothing",
            {.name = "m",
                .transport = &r->transport,
                .controllers = (const Controller *const[]){&idle, NULL}},
            TERMINAL("idle has no reconcile")},
        {"a controller that watches nothing",
            {.name = "m",
                .transport = &r->transport,
                .controllers = (const Controller *const[]){&blind, NULL}},
            TERMINAL("blind watches nothing")},
        {"a selector that does not parse",
            {.name = "m",
                .transport = &r->transport,
                .controllers = (const Controller *const[]){&bad, NULL}},
            TERMINAL("watch of pods: labels \"a in (\"")},
        {"too many workers",
            {.name = "m",
                .transport = &r->transport,
                .controllers = r->controller_list,
                .workers = 65},
            TERMINAL("65 workers")},
        {"an election without a namespace",
            {.name = "m",
                .transport = &r->transport,
                .controllers = r->controller_list,
                .leader_election = true},
            TERMINAL("needs a namespace")},
    };

    each_case(i, cases) {
        Manager *m = NULL;
        then_err(manager_assemble(r->arena, &cases[i].options, guard_none(), &m), cases[i].want);
        then_true(!m);
    }
}

/* --- what it says about itself -----------------------------------------------------------------
 */

static const char *page(Rig *r, const char *path, int *ret_status)
{
    Reply reply = {0};

    manager_handle(r->manager, path, &reply);
    const char *text = str_slice(r->arena, reply.body.data ? reply.body.data : "", reply.body.len);
    *ret_status = reply.status;
    buf_close(&reply.body);
    return text;
}

TEST(readyz_names_the_cache_that_is_not_synced)
{
    SCOPED_RIG r = rig_open(watches);
    int status;

    rig_list(r, 0, "5", "[]");
    const char *text = page(r, "/readyz", &status);
    then_int(status, 500);
    then_true(strstr(text, "[+] configmaps: ok"));
    then_true(strstr(text, "[-] secrets: not synced yet"));
}

TEST(healthz_fails_when_the_watches_are_no_longer_processed)
{
    SCOPED_RIG r = open_working();
    int status;

    page(r, "/healthz", &status);
    then_int(status, 200);
    clock_manual_advance_ms(&r->clock, 60001);
    page(r, "/healthz", &status);
    then_int(status, 500);
}

TEST(manager_metrics_have_the_names_that_dashboards_use)
{
    static const struct {
        const char *name, *line;
    } cases[] = {
        {"reconciles",
            "controller_runtime_reconcile_total{controller=\"rig\",result=\"success\"} 1\n"},
        {"queue", "workqueue_depth{name=\"rig\",controller=\"rig\"} 0\n"},
        {"cache", "kube_cache_objects{kind=\"configmaps\",watch=\"0\"} 1\n"},
        {"an error that never was",
            "controller_runtime_reconcile_total{controller=\"rig\",result=\"error\"} 0\n"},
        {"errors", "controller_runtime_reconcile_errors_total{controller=\"rig\"} 0\n"},
        {"workers", "controller_runtime_active_workers{controller=\"rig\"} 0\n"},
        {"memory", "# TYPE process_resident_memory_bytes gauge\n"},
        {"files", "# TYPE process_max_fds gauge\n"},
    };
    SCOPED_RIG r = open_working();
    int status;
    const char *text = page(r, "/metrics", &status);

    then_int(status, 200);
    each_case(i, cases)
        then_true(strstr(text, cases[i].line));
}

TEST(an_unknown_path_of_the_health_server_is_not_found)
{
    SCOPED_RIG r = rig_open(watches);
    int status;

    page(r, "/", &status);
    then_int(status, 404);
}

TEST(a_program_can_add_its_own_metrics)
{
    static const MetricSpec spec = {"nodes", "Nodes that run", METRIC_GAUGE};
    SCOPED_RIG r = rig_open(watches);
    int status;

    guard_enter(manager_guard(r->manager));
    metrics_set(metrics_declare(manager_metrics(r->manager), &spec), (MetricLabels){0}, 3);
    guard_leave(manager_guard(r->manager));
    then_true(strstr(page(r, "/metrics", &status), "\nnodes 3\n"));
}

/* More objects than the series are for, each with the longest names that Kubernetes allows. */
TEST(the_metrics_page_is_complete_for_any_number_of_series)
{
    enum { NAMED = 260000, NAME_LEN = 63 };
    static const MetricSpec spec = {.name = "sei_controller_seinode_paused_start_time_seconds",
        .type = METRIC_GAUGE,
        .labels = {"namespace", "name"}};
    SCOPED_RIG r = rig_open(watches);
    char namespace[NAME_LEN + 1] = "", name[NAME_LEN + 1];
    int status, shown = 0;

    memset(namespace, 'n', NAME_LEN);
    page(r, "/metrics", &status);
    guard_enter(manager_guard(r->manager));
    MetricFamily *paused = metrics_declare(manager_metrics(r->manager), &spec);
    for (int i = 0; i < NAMED; i++) {
        snprintf(name, sizeof name, "%0*d", NAME_LEN, i);
        metrics_set(paused, (MetricLabels){{namespace, name}}, 1767225605.25);
        shown += metrics_value(paused, (MetricLabels){{namespace, name}}) > 0;
    }
    guard_leave(manager_guard(r->manager));

    Reply reply = {0};
    manager_handle(r->manager, "/metrics", &reply);
    then_int(reply.status, 200);
    then_true(strstr(reply.body.data, "\nkube_cache_objects{"));
    then_true(shown < NAMED);
    then_true(strstr(reply.body.data,
        str_format(r->arena, "\nmetrics_dropped_series_total %d\n", NAMED - shown)));
    buf_close(&reply.body);
}

/* --- what people are told of watches -----------------------------------------------------------
 */

typedef struct Lines {
    LogSink port; /* first, so that the sink is this */
    int count;
    char last[LOG_LINE_MAX];
} Lines;

static void keep_line(LogSink *self, const char *line, size_t len)
{
    Lines *lines = (Lines *)self;

    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%.*s", (int)len, line);
}

/* From now on the manager's lines go there. */
static void log_to(Rig *r, Lines *lines, LogLevel level)
{
    Manager *m = r->manager;

    m->log = (Log){.sink = &lines->port, .clock = &r->clock.port, .level = level};
    held_log_close(&m->held);
    held_log_open(&m->held, &m->log);
}

static Err *refuse_start(
    Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    (void)s, (void)request, (void)sink, (void)ret;
    return err_retry(a, "no such luck");
}

TEST(a_watch_that_never_starts_is_logged_less_and_less_often)
{
    static const Watch one_watch[] = {{kind_configmap}, {0}};
    SCOPED_RIG r = rig_open(one_watch);
    Lines lines = {.port = {keep_line}};

    log_to(r, &lines, LOG_DEBUG);
    r->streams.start = refuse_start;
    rig_watch(r);
    then_int(lines.count, 1);
    then_true(strstr(lines.last, "ConfigMap") && strstr(lines.last, "no such luck"));
    for (int i = 0; i < 1000 && r->manager->caches[0].health.failures < 16; i++) {
        clock_manual_advance_ms(&r->clock, 10000);
        rig_watch(r);
    }
    then_int(lines.count, 5); /* after 1, 2, 4, 8 and 16 failures */
}

TEST(two_failed_lease_renewals_reconnect_the_watches)
{
    static const Err refused = {.class = ERR_RETRY, .message = "no route to host"};
    SCOPED_RIG r = rig_open_with_lease(watches);

    rig_lead(r); /* 404: there is no lease */
    rig_accept(r);
    rig_lead(r); /* created: this process leads */
    for (int i = 1; i <= 2; i++) {
        then_true(!r->manager->drop_watches);
        clock_manual_advance_ms(&r->clock, 2500);
        rig_fail(r, refused);
        rig_lead(r);
    }
    then_true(r->manager->drop_watches);
    rig_watch(r);
    then_true(!r->manager->drop_watches);
}

/* --- the attendant -----------------------------------------------------------------------------
 */

typedef struct Visitor {
    Attendant port; /* first, so that the port is this */
    Http http;
    Guard *guard;
    Waker *waker;
    int steps, wakes;
} Visitor;

static void bind_visitor(Attendant *self, Guard *guard, Waker *waker)
{
    ((Visitor *)self)->guard = guard;
    ((Visitor *)self)->waker = waker;
}

static int64_t step_visitor(Attendant *self)
{
    ((Visitor *)self)->steps++;
    return 4711;
}

static void wake_visitor(Http *http)
{
    link_owner(Visitor, http, http)->wakes++;
}

static Rig *open_with(Visitor *v, bool with_lease)
{
    Rig *r = with_lease ? rig_open_with_lease(watches) : rig_open(watches);

    v->http = (Http){.wake = wake_visitor};
    v->port = (Attendant){
        .controller = "rig",
        .http = &v->http,
        .bind = bind_visitor,
        .step = step_visitor,
    };
    r->options.attendant = &v->port;
    rig_assemble_again(r);
    return r;
}

static void sync_all(Rig *r)
{
    for (int cache = 0; cache < 3; cache++)
        rig_list(r, cache, "5", "[]");
    rig_watch(r);
}

TEST(a_poller_is_bound_once_and_runs_only_while_this_process_leads)
{
    Visitor v = {0};
    SCOPED_RIG r = open_with(&v, true);

    then_true(v.guard == manager_guard(r->manager) && v.waker);
    sync_all(r);
    then_true(manager_attend_step(r->manager) > clock_mono_ms(&r->clock.port));
    then_int(v.steps, 0);
    then_int(v.wakes, 0);

    rig_lead(r);
    rig_accept(r);
    rig_lead(r);
    rig_watch(r); /* the work begins */
    then_int(v.wakes, 1);
    then_int(manager_attend_step(r->manager), 4711);
    then_int(v.steps, 1);

    r->manager->stopping = true;
    manager_attend_step(r->manager);
    then_int(v.steps, 1);
}

TEST(a_key_that_a_poller_enqueues_is_due_at_once)
{
    Visitor v = {0};
    SCOPED_RIG r = open_with(&v, false);

    v.waker->wake(v.waker, (Key){"ns", "early"}); /* nobody works yet */
    sync_all(r);
    v.waker->wake(v.waker, (Key){"ns", "x"});
    v.waker->wake(v.waker, (Key){"ns", "x"});
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");

    r->manager->stopping = true;
    v.waker->wake(v.waker, (Key){"ns", "late"});
    then_int(queue_counts(r->manager->queue, 0).ready, 0);
}

TEST(a_poller_for_an_unknown_controller_is_refused)
{
    Visitor v = {0};
    SCOPED_RIG r = open_with(&v, false);
    ManagerOptions options = r->options;
    Manager *manager;

    v.port.controller = "rug";
    then_err(manager_assemble(r->arena, &options, guard_none(), &manager),
        TERMINAL("wakes controller rug, and there is none"));
}

/* --- kinds that a server may not know ----------------------------------------------------------
 */

static const Watch with_optional[] = {
    {kind_configmap},
    {kind_httproute, .optional = true},
    {0},
};

/* Streams of which the test holds the other end. */
typedef struct Held {
    StreamSink *sinks[MANAGER_WATCHES_MAX];
    int count;
} Held;

static Held *held_of(Streams *s)
{
    Rig *r = (Rig *)((char *)s - offsetof(Rig, streams));
    return r->options.app;
}

static Err *start_held(
    Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    Held *held = held_of(s);

    (void)a;
    if (kind_eq(request->kind, kind_httproute))
        held->sinks[0] = sink;
    *ret = (StreamId)++held->count;
    return OK;
}

static void answer_held(Rig *r, Held *held, int status, const char *body)
{
    StreamSink *sink = held->sinks[0];

    sink->on_head(sink, status, 0);
    sink->on_bytes(sink, body, strlen(body));
    sink->on_end(sink, OK);
    rig_watch(r);
}

static Err *ask_for_routes(Ctx *c, Key key, Reconciled *ret)
{
    (void)key;
    ret->again_after_ms = kube_is_served(c, kind_httproute, NULL) ? 2 : 1;
    return OK;
}

static bool is_served(Rig *r)
{
    Reconciled asked = {0};
    BusyWorker busy = {0};
    Cluster cluster;
    cluster_init(&cluster, r->manager, &r->api, &busy);
    SCOPED_ARENA a = arena_open(1 << 16);
    Ctx c = {.arena = a, .kube = &cluster.port};

    then_ok(ask_for_routes(&c, (Key){0}, &asked));
    return asked.again_after_ms == 2;
}

TEST(reconciles_start_without_an_optional_kind_and_all_keys_are_enqueued_when_it_appears)
{
    SCOPED_RIG r = rig_open(with_optional);
    Held held = {0};
    int status;

    r->options.app = &held;
    r->streams.start = start_held;
    rig_list(r, 0, "5", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "");

    answer_held(r, &held, 404, "404 page not found");
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
    then_true(!is_served(r));
    clock_manual_advance_ms(&r->clock, 29000);
    then_true(strstr(page(r, "/readyz", &status), "[+] httproutes: ok, not known"));

    clock_manual_advance_ms(&r->clock, 1000);
    rig_watch(r);
    answer_held(r,
        &held,
        200,
        "{\"kind\":\"HTTPRouteList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
    then_true(is_served(r));
}

TEST(reconciles_start_without_permission_for_an_optional_kind_and_it_is_logged_once)
{
    SCOPED_RIG r = rig_open(with_optional);
    Lines lines = {.port = {keep_line}};
    Held held = {0};
    int status;

    r->options.app = &held;
    r->streams.start = start_held;
    rig_list(r, 0, "5", "[" CONFIGMAP("x", "u1", "1", "") "]");
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "");
    log_to(r, &lines, LOG_WARN);
    for (int i = 0; i < 2; i++) {
        answer_held(r, &held, 403, "{}");
        rig_work(r);
        clock_manual_advance_ms(&r->clock, 30000);
        rig_watch(r);
    }
    then_str(rig_reconciled(r), "ns/x");
    then_true(!is_served(r));
    then_int(lines.count, 1);
    then_true(strstr(lines.last, "HTTPRoute") && strstr(lines.last, "give its role the right"));
    then_true(strstr(page(r, "/readyz", &status), "[+] httproutes: ok, without the right"));
}

TEST(a_kind_that_is_not_optional_counts_as_served)
{
    SCOPED_RIG r = open_working();

    then_true(is_served(r));
}
