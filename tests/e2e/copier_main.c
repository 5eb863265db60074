/* The example's controller as a program with knobs: leader election, a page of metrics, faults.
 *
 *     copier [--identity NAME --lease-ms N --renew-ms N --retry-ms N] [--source VALUE]
 *            [--fail-call K --fail-how before|after] [--watches N] [--silence-ms N] [--hold FILE]
 *
 * The controller is the very text of the example; only its main is another. --source lets copiers
 * work side by side on one server: each has the source whose name and label are that, and leaves
 * those of the others alone, though it sees their copies. While the file of --hold is there, no
 * reconcile goes further than its first line. */
int example_main(void);
#define main example_main
#include "examples/configmap_copy.c" // NOLINT(bugprone-suspicious-include): see above
#undef main

#include "kube/serve.h"
#include "tests/e2e/faulty.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct Settings {
    const char *identity, *source, *fail_how, *hold;
    int64_t lease_ms, renew_ms, retry_ms, silence_ms, fail_call, watches;
} Settings;

static bool set_number(const char *name, const char *value, const char *knob, int64_t *place)
{
    return str_eq(name, knob) && str_to_int(value, place);
}

static bool set_text(const char *name, const char *value, const char *knob, const char **place)
{
    if (!str_eq(name, knob))
        return false;
    *place = value;
    return true;
}

static bool read_settings(int count, char **words, Settings *s)
{
    for (int i = 1; i < count; i += 2) {
        const char *name = words[i], *value = i + 1 < count ? words[i + 1] : "";
        bool known = set_text(name, value, "--identity", &s->identity)
            || set_text(name, value, "--source", &s->source)
            || set_text(name, value, "--fail-how", &s->fail_how)
            || set_text(name, value, "--hold", &s->hold)
            || set_number(name, value, "--lease-ms", &s->lease_ms)
            || set_number(name, value, "--renew-ms", &s->renew_ms)
            || set_number(name, value, "--retry-ms", &s->retry_ms)
            || set_number(name, value, "--silence-ms", &s->silence_ms)
            || set_number(name, value, "--fail-call", &s->fail_call)
            || set_number(name, value, "--watches", &s->watches);
        if (!known)
            return false;
    }
    return true;
}

/* Says on which port it serves, in a file that is there as a whole or not at all. */
static Err *tell_port(Arena *a, int port)
{
    const char *path = getenv("COPIER_PORT_FILE");
    const char *new = str_format(a, "%s.new", path ? path : "");

    if (!path)
        return OK;
    FILE *file = fopen(new, "we");
    if (!file)
        return err_terminal(a, "cannot create %s", new);
    fprintf(file, "%d", port);
    if (fclose(file) != 0 || rename(new, path) != 0)
        return err_terminal(a, "cannot write %s", path);
    return OK;
}

static Err *reconcile_unless_held(Ctx *c, Key key, Reconciled *ret)
{
    const Settings *s = c->app;
    struct timespec pause = {.tv_nsec = 1000000};

    while (s->hold && access(s->hold, F_OK) == 0)
        nanosleep(&pause, NULL);
    if (s->source && !str_eq(key.name, s->source))
        return OK;
    return reconcile(c, key, ret);
}

/* --- a second controller that only watches, to see what watches cost */

static Err *do_nothing(Ctx *c, Key key, Reconciled *ret)
{
    (void)c;
    (void)key;
    (void)ret;
    return OK;
}

static const Watch further_watches[] = {
    {.kind = kind_pod},
    {.kind = kind_service},
    {.kind = kind_statefulset},
    {.kind = kind_pvc},
    {.kind = kind_job},
    {.kind = kind_serviceaccount},
    {0},
};
static const Controller onlooker = {
    .name = "onlooker", .watches = further_watches, .reconcile = do_nothing};

/* --- */

static Err *run(Arena *a, Settings *s, Client *client, const Log *log, int *ret_code)
{
    Watch own_watches[] = {watches[0], watches[1], {0}};
    Controller own = copier;
    const Controller *controllers[] = {&own, s->watches > 2 ? &onlooker : NULL, NULL};
    Faulty *faulty = faulty_open(client_transport(client),
        (Fault){.call = s->fail_call, .after = str_eq(s->fail_how, "after")});
    ManagerOptions options = {
        .name = NAME,
        .version = "e2e",
        .transport = faulty_transport(faulty),
        .controllers = controllers,
        .leader_election = s->identity != NULL,
        .lease_namespace = "default",
        .identity = s->identity,
        .lease_ms = s->lease_ms,
        .renew_ms = s->renew_ms,
        .retry_ms = s->retry_ms,
        .silence_ms = s->silence_ms,
        .log = log,
        .app = s,
    };
    Manager *manager = NULL;
    Serve *serve = NULL;

    if (s->source)
        own_watches[0].labels = str_format(a, SOURCE "=%s", s->source);
    own.watches = own_watches;
    own.reconcile = reconcile_unless_held;
    Err *err = manager_open(a, &options, &manager);
    if (!err)
        err = serve_open(
            a, &(ServeOptions){"127.0.0.1:0", .handle = manager_handle, .self = manager}, &serve);
    if (!err)
        err = tell_port(a, serve_port(serve));
    if (!err)
        *ret_code = manager_run(manager);
    serve_close(serve);
    manager_close(manager);
    log_info(log, "calls counted", log_num("calls", faulty_calls(faulty)));
    faulty_close(faulty);
    return err;
}

int main(int count, char **words)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Log log = {.sink = log_stderr(), .clock = clock_system(), .level = LOG_INFO};
    Settings settings = {0};
    Client *client = NULL;
    int code = 2;

    Err *err = read_settings(count, words, &settings)
        ? client_open_default(a, NAME, &client)
        : err_terminal(a, "unknown knob: see copier_main.c");
    if (!err)
        err = run(a, &settings, client, &log, &code);
    if (err)
        fprintf(stderr, NAME ": %s\n", err_text(a, err));
    client_close(client);
    return code;
}
