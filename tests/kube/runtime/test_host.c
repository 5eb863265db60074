/* The threads: a whole manager in a child process, over an API server that is a few lines of C.
 *
 * The watch delivers ConfigMaps c0, c1, ... one per poll; the lease is one object in memory. What
 * the child saw comes back as its exit code and as words on a pipe. */
#include "base/json.h"
#include "base/link.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/kube.h"
#include "kube/manager.h"
#include "kube/runtime/host.h"
#include "tests/test.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SINKS_MAX = 4, EVENTS_PER_READ = 25 };

typedef struct Town {
    Transport transport; /* first, so that the transport is the town */
    Api api;
    Streams streams;
    Guard *guard; /* around the lease */
    int wake_fd, words_fd;
    int events_max; /* ConfigMaps that the watch delivers */
    int events_sent;
    StreamSink *list, *watch; /* streams under way */
    bool watch_answered;
    char lease[2048]; /* as JSON; "" for none */
    int lease_version;
    bool lease_refused; /* renewals fail from the second on */
    atomic_int reconciles;

    Attendant attendant;
    Http http;
    int attendant_fd; /* wakes it */
    Guard *machine_guard;
    Waker *waker;
    int steps;       /* of the attendant, under the machine's guard */
    bool polls_fail; /* of the attendant */
} Town;

static void say(Town *t, const char *word)
{
    dprintf(t->words_fd, "%s ", word);
}

/* --- the API server ----------------------------------------------------------------------------
 */

static Err *err_with_status(Arena *a, int status, const char *reason)
{
    Err *err = err_retry(a, "%s", reason);

    err->status = status;
    err->reason = reason;
    return err;
}

static Err *store_lease(Town *t, Arena *a, const Request *request, const Json **ret)
{
    if (t->lease_refused && t->lease_version)
        return err_with_status(a, 503, "ServiceUnavailable");
    const Json *versioned = json_merge(a,
        request->body,
        json_fixture(a, str_format(a, "{metadata: {resourceVersion: '%d'}}", ++t->lease_version)));
    snprintf(t->lease, sizeof t->lease, "%s", json_write(a, versioned).data);
    if (str_eq(json_str(request->body, ".spec.holderIdentity"), ""))
        say(t, "released");
    if (ret)
        *ret = versioned;
    return OK;
}

static Err *answer(Town *t, Arena *a, const Request *request, const Json **ret)
{
    if (!kind_eq(request->kind, kind_lease)) {
        if (ret)
            *ret = NULL;
        return OK;
    }
    if (request->verb != VERB_GET)
        return store_lease(t, a, request, ret);
    if (!t->lease[0])
        return err_with_status(a, 404, "NotFound");
    *ret = json_fixture(a, t->lease);
    return OK;
}

static Err *town_call(Api *api, Arena *a, const Request *request, const Json **ret)
{
    Town *t = (Town *)((char *)api - offsetof(Town, api));

    guard_enter(t->guard);
    Err *err = answer(t, a, request, ret);
    guard_leave(t->guard);
    return err;
}

static Town *town_of(Streams *s)
{
    return (Town *)((char *)s - offsetof(Town, streams));
}

static Err *town_start(
    Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    Town *t = town_of(s);

    (void)a;
    *ret = request->verb == VERB_LIST ? 1 : 2;
    if (request->verb == VERB_LIST)
        t->list = sink;
    else
        t->watch = sink;
    return OK;
}

static void town_cancel(Streams *s, StreamId id)
{
    if (id == 1)
        town_of(s)->list = NULL;
    if (id == 2)
        town_of(s)->watch = NULL;
}

static void deliver_list(Town *t)
{
    static const char list[] = "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                               "\"resourceVersion\":\"1\"},"
                               "\"items\":[]}";
    StreamSink *sink = t->list;

    t->list = NULL;
    sink->on_head(sink, 200, 0);
    sink->on_bytes(sink, list, sizeof list - 1);
    sink->on_end(sink, OK);
}

static void deliver_event(Town *t)
{
    char event[512];
    int len = snprintf(event,
        sizeof event,
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":"
        "{"
        "\"namespace\":\"ns\",\"name\":\"c%d\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\"}}}\n",
        t->events_sent % 100,
        t->events_sent % 100,
        t->events_sent + 2);

    t->events_sent++;
    t->watch->on_bytes(t->watch, event, (size_t)len);
}

static Err *town_poll(Streams *s, Arena *a, int64_t timeout_ms)
{
    Town *t = town_of(s);
    struct pollfd wake = {.fd = t->wake_fd, .events = POLLIN};
    uint64_t count;

    (void)a;
    if (t->list) {
        deliver_list(t);
    } else if (t->watch && !t->watch_answered) {
        t->watch_answered = true;
        t->watch->on_head(t->watch, 200, 0);
    } else if (t->watch && t->events_sent < t->events_max) {
        /* Several: a watcher rests between two reads of a storm. */
        for (int i = 0; i < EVENTS_PER_READ && t->events_sent < t->events_max; i++)
            deliver_event(t);
    } else if (poll(&wake, 1, (int)timeout_ms) > 0) {
        then_int(read(t->wake_fd, &count, sizeof count), sizeof count);
    }
    return OK;
}

static void town_wake(Streams *s)
{
    uint64_t one = 1;

    then_int(write(town_of(s)->wake_fd, &one, sizeof one), sizeof one);
}

static Api *open_api(Transport *transport)
{
    return &((Town *)transport)->api;
}

static void close_api(Transport *transport, Api *api)
{
    (void)transport, (void)api;
}

static Streams *open_streams(Transport *transport)
{
    return &((Town *)transport)->streams;
}

static void close_streams(Transport *transport, Streams *streams)
{
    (void)transport, (void)streams;
}

/* --- the attendant -----------------------------------------------------------------------------
 */

static void attend_bind(Attendant *self, Guard *guard, Waker *waker)
{
    Town *t = link_owner(Town, attendant, self);

    t->machine_guard = guard;
    t->waker = waker;
}

/* Wakes one key each millisecond. */
static int64_t attend_step(Attendant *self)
{
    Town *t = link_owner(Town, attendant, self);
    char name[16];

    guard_enter(t->machine_guard);
    snprintf(name, sizeof name, "k%d", t->steps++ % 50);
    guard_leave(t->machine_guard);
    t->waker->wake(t->waker, (Key){"ns", name});
    return clock_mono_ms(clock_system()) + 1;
}

static Err *attend_poll(Http *http, Arena *a, int64_t timeout_ms)
{
    Town *t = link_owner(Town, http, http);
    struct pollfd wake = {.fd = t->attendant_fd, .events = POLLIN};
    uint64_t count;

    if (t->polls_fail)
        return err_retry(a, "too many open files");
    if (poll(&wake, 1, (int)timeout_ms) > 0)
        then_int(read(t->attendant_fd, &count, sizeof count), sizeof count);
    return OK;
}

static void attend_wake(Http *http)
{
    uint64_t one = 1;

    then_int(write(link_owner(Town, http, http)->attendant_fd, &one, sizeof one), sizeof one);
}

/* --- the child ---------------------------------------------------------------------------------
 */

typedef struct Plan {
    int events;
    bool lease, lease_refused;
    int64_t lease_ms; /* with renewals a tenth of it apart */
    Err *(*reconcile)(Ctx *c, Key key, Reconciled *ret);
    bool attended, polls_fail;
} Plan;

static const Watch watches[] = {{kind_configmap}, {0}};

static int run_manager(const Plan *plan, int words_fd)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Controller controller = {.name = "town", .watches = watches, .reconcile = plan->reconcile};
    const Controller *controllers[] = {&controller, NULL};
    Town town = {
        .transport = {"town", open_api, close_api, open_streams, close_streams},
        .api = {town_call},
        .streams = {town_start, town_cancel, town_poll, town_wake},
        .guard = host_open_guard(),
        .wake_fd = eventfd(0, EFD_CLOEXEC),
        .words_fd = words_fd,
        .events_max = plan->events,
        .lease_refused = plan->lease_refused,
        .attendant = {"town", &town.http, attend_bind, attend_step},
        .http = {.poll = attend_poll, .wake = attend_wake},
        .attendant_fd = eventfd(0, EFD_CLOEXEC),
        .polls_fail = plan->polls_fail,
    };
    ManagerOptions options = {
        .name = "town",
        .transport = &town.transport,
        .controllers = controllers,
        .leader_election = plan->lease,
        .lease_namespace = "ns",
        .identity = "me",
        .lease_ms = plan->lease_ms,
        .renew_ms = plan->lease_ms * 2 / 3,
        .retry_ms = plan->lease_ms / 10,
        .app = &town,
        .attendant = plan->attended ? &town.attendant : NULL,
    };
    Manager *manager;

    then_ok(manager_open(a, &options, &manager));
    int code = manager_run(manager);
    manager_close(manager);
    close(town.wake_fd);
    close(town.attendant_fd);
    host_close_guard(town.guard);
    return code;
}

typedef struct Outcome {
    int code;
    int signal;
    char words[256];
} Outcome;

static Outcome run_child(const Plan *plan)
{
    Outcome outcome = {.code = -1};
    int pipe_fds[2], status;

    then_int(pipe(pipe_fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(pipe_fds[0]);
        _exit(run_manager(plan, pipe_fds[1]));
    }
    close(pipe_fds[1]);
    for (size_t len = 0; len < sizeof outcome.words - 1;) {
        ssize_t got = read(pipe_fds[0], outcome.words + len, sizeof outcome.words - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    close(pipe_fds[0]);
    then_int(waitpid(pid, &status, 0), pid);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return outcome;
}

/* --- what reconciles do ------------------------------------------------------------------------
 */

static Err *end_at_hundred(Ctx *c, Key key, Reconciled *ret)
{
    Town *t = c->app;

    (void)key, (void)ret;
    kube_event(c,
        json_fixture(c->arena, "{kind: 'ConfigMap', metadata: {name: 'c'}}"),
        "Normal",
        "Seen",
        "it");
    if (atomic_fetch_add(&t->reconciles, 1) + 1 == 100)
        kill(getpid(), SIGTERM);
    return OK;
}

static Err *hang(Ctx *c, Key key, Reconciled *ret)
{
    Town *t = c->app;

    (void)key, (void)ret;
    say(t, "hanging");
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
    return OK;
}

static Err *hang_and_insist(Ctx *c, Key key, Reconciled *ret)
{
    (void)c, (void)key, (void)ret;
    for (;;)
        kill(getpid(), SIGTERM);
    return OK;
}

static Err *do_nothing(Ctx *c, Key key, Reconciled *ret)
{
    (void)c, (void)key, (void)ret;
    return OK;
}

static Err *finish_late(Ctx *c, Key key, Reconciled *ret)
{
    Town *t = c->app;
    struct pollfd none = {.fd = -1};

    (void)key, (void)ret;
    kill(getpid(), SIGTERM);
    poll(&none, 1, 100); /* an API call that takes its time */
    say(t, "finished");
    return OK;
}

/* One of two keys comes back after a while, again and again; the other waits for that, and so holds
 * a worker. */
static Err *look_again_until_done(Ctx *c, Key key, Reconciled *ret)
{
    enum { LOOKS = 20 };
    Town *t = c->app;

    if (str_eq(key.name, "c0")) {
        bool done = atomic_fetch_add(&t->reconciles, 1) + 1 == LOOKS;
        ret->again_after_ms = done ? 0 : 2;
        return OK;
    }
    while (atomic_load(&t->reconciles) < LOOKS)
        sched_yield();
    kill(getpid(), SIGTERM);
    return OK;
}

TEST(a_requeued_key_is_reconciled_when_it_is_due_although_other_keys_are_in_progress)
{
    Outcome outcome = run_child(&(Plan){.events = 2, .reconcile = look_again_until_done});

    then_int(outcome.code, 0);
}

TEST(sigterm_ends_the_operator_with_0_and_releases_the_lease)
{
    Outcome outcome = run_child(
        &(Plan){.events = 100, .lease = true, .lease_ms = 15000, .reconcile = end_at_hundred});

    then_int(outcome.code, 0);
    then_str(outcome.words, "released ");
}

TEST(many_events_are_processed_by_concurrent_workers)
{
    Outcome outcome = run_child(&(Plan){.events = 5000, .reconcile = end_at_hundred});

    then_int(outcome.code, 0);
}

TEST(a_running_reconcile_is_completed_before_the_lease_is_released)
{
    Outcome outcome =
        run_child(&(Plan){.events = 1, .lease = true, .lease_ms = 15000, .reconcile = finish_late});

    then_int(outcome.code, 0);
    then_str(outcome.words, "finished released ");
}

TEST(a_hanging_reconcile_does_not_block_the_exit_and_keeps_the_lease)
{
    Outcome outcome =
        run_child(&(Plan){.events = 1, .lease = true, .lease_ms = 15000, .reconcile = hang});

    then_int(outcome.code, 0);
    then_str(outcome.words, "hanging ");
}

TEST(a_second_signal_ends_the_process_at_once)
{
    Outcome outcome = run_child(&(Plan){.events = 1, .reconcile = hang_and_insist});

    then_int(outcome.signal, SIGTERM);
}

TEST(a_lost_lease_ends_the_process_with_1)
{
    Outcome outcome = run_child(
        &(Plan){.lease = true, .lease_refused = true, .lease_ms = 1500, .reconcile = do_nothing});

    then_int(outcome.code, 1);
    then_str(outcome.words, "");
}

TEST(a_poller_enqueues_keys_and_ends_before_the_lease_is_released)
{
    Outcome outcome = run_child(
        &(Plan){.attended = true, .lease = true, .lease_ms = 15000, .reconcile = end_at_hundred});

    then_int(outcome.code, 0);
    then_str(outcome.words, "released ");
}

TEST(a_poller_that_fails_ends_the_process_with_1)
{
    Outcome outcome =
        run_child(&(Plan){.attended = true, .polls_fail = true, .reconcile = do_nothing});

    then_int(outcome.code, 1);
}

/* --- aside --- */

static void *raise_flag(void *self)
{
    atomic_store((atomic_bool *)self, true);
    return NULL;
}

TEST(a_background_job_runs_while_other_threads_continue)
{
    static atomic_bool has_run;

    then_true(host_run_aside(raise_flag, (void *)&has_run));
    while (!atomic_load(&has_run))
        sched_yield();
}
