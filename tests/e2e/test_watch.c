/* Watches outlive whatever happens to their connections, to the server and to its memory: nothing
 * is lost, nothing is invented, and no more is listed than must be. */
#include "tests/e2e/copies.h"
#include "tests/e2e/proxy.h"

#include "base/clock.h"

#define ME "watcher"

enum { WATCHES = 2 }; /* of the copier: sources and copies */

typedef struct Stage {
    Controlplane *cp;
    Proxy *proxy;
    Operator op;
} Stage;

/* The copier has the answers to all that it wrote, so the audit log has their lines. The line of a
 * write may come after others have seen what was written: see audit.h. */
static bool rests(const Operator *op)
{
    return operator_metric(op, "controller_runtime_active_workers") == 0;
}

/* A copier behind a proxy with one source and its copies, in which nothing happens any more. */
static Stage stage_open(Controlplane *cp, Arena *a, const char *const *args)
{
    Stage s = {.cp = scene_begin(cp)};

    then_ok(proxy_open(a, controlplane_address(cp), CONTROLPLANE_PORT, &s.proxy));
    copies_prepare(cp, a);
    copies_put_source(cp, a, "kept", "red,green", "one");
    s.op = operator_start(cp,
        a,
        &(OperatorOptions){.kubeconfig = scene_user(cp, a, ME, proxy_url(s.proxy)), .args = args});
    eventually(copies_hold(cp, "red", "kept", "one"));
    eventually(copies_hold(cp, "green", "kept", "one"));
    eventually(copies_status_says(cp, "kept", "True"));
    eventually(operator_is_ready(&s.op));
    eventually(rests(&s.op));
    return s;
}

static void stage_close(Stage *s)
{
    then_int(operator_end(&s->op), 0);
    proxy_close(s->proxy);
}

static size_t requests(Controlplane *cp, int64_t mark, const AuditLine *like)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);

    return audit_count(&log, like);
}

static size_t watches_begun(Controlplane *cp, int64_t mark)
{
    return requests(cp,
        mark,
        &(AuditLine){.user = ME, .verb = "watch", .stage = "ResponseStarted", .code = 200});
}

static size_t lists(Controlplane *cp, int64_t mark)
{
    return requests(cp, mark, &(AuditLine){.user = ME, .verb = "list"});
}

/* Every watch since the mark says where it goes on from. */
static bool all_resume(Controlplane *cp, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);

    for (size_t i = 0; i < log.count; i++)
        if (str_eq(log.lines[i].user, ME) && str_eq(log.lines[i].verb, "watch")
            && (!strstr(log.lines[i].uri, "resourceVersion=")
                || strstr(log.lines[i].uri, "resourceVersion=0&")))
            return false;
    return true;
}

TEST(dropped_watch_connections_are_resumed_without_a_list)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Stage s = stage_open(controlplane_shared(), a, NULL);
    int64_t mark = scene_mark(s.cp);

    proxy_drop(s.proxy);
    eventually(watches_begun(s.cp, mark) >= WATCHES);
    then_true(all_resume(s.cp, mark));
    copies_put_source(s.cp, a, "kept", "red,green", "two");
    eventually(copies_hold(s.cp, "green", "kept", "two"));
    then_int(lists(s.cp, mark), 0);
    stage_close(&s);
}

/* While nobody is connected a source changes, a copy is deleted and another source comes and goes.
 */
TEST(no_change_during_an_outage_is_lost)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Stage s = stage_open(controlplane_shared(), a, NULL);
    int64_t mark = scene_mark(s.cp);

    proxy_cut(s.proxy);
    copies_put_source(s.cp, a, "kept", "red,green", "three");
    kubectl(s.cp, a, "delete", "configmap", "kept", "-n", "red");
    copies_put_source(s.cp, a, "new", "blue", "born");
    proxy_mend(s.proxy);

    eventually(copies_hold(s.cp, "red", "kept", "three"));
    eventually(copies_hold(s.cp, "green", "kept", "three"));
    eventually(copies_hold(s.cp, "blue", "new", "born"));
    then_int(lists(s.cp, mark), 0);
    then_true(all_resume(s.cp, mark));
    copies_delete_source(s.cp, a, "new");
    eventually(copies_lack(s.cp, "blue", "new"));
    eventually(copies_lack(s.cp, "home", "new"));
    stage_close(&s);
}

/* The peer accepts everything and says nothing: no error will ever come. */
TEST(a_server_that_does_not_answer_is_detected_and_the_connection_is_replaced)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Stage s = stage_open(controlplane_shared(), a, PROCESS_ARGS("--silence-ms", "3000"));
    int64_t mark = scene_mark(s.cp);

    proxy_stall(s.proxy);
    uint64_t before = proxy_counts(s.proxy).accepted;
    eventually(proxy_counts(s.proxy).accepted >= before + WATCHES);
    copies_put_source(s.cp, a, "kept", "red,green", "loud");
    proxy_mend(s.proxy);
    eventually(copies_hold(s.cp, "green", "kept", "loud"));
    then_int(lists(s.cp, mark), 0);
    stage_close(&s);
}

/* When the last watch began, by the server's clock, which is that of this machine. */
static int64_t watches_back_us(Controlplane *cp, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);
    int64_t latest = 0;
    size_t found = 0;

    for (size_t i = 0; i < log.count && found < WATCHES; i++) {
        const AuditLine *line = &log.lines[i];
        if (!str_eq(line->user, ME) || !str_eq(line->verb, "watch") || line->code != 200
            || !str_eq(line->stage, "ResponseStarted"))
            continue;
        found++;
        latest = line->stage_us;
    }
    return latest;
}

TEST(a_killed_server_is_found_again_and_no_event_is_invented)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Stage s = stage_open(controlplane_shared(), a, NULL);
    const char *copy = copies_version(s.cp, a, "red", "kept");
    const char *source = copies_version(s.cp, a, "home", "kept");
    int64_t mark = scene_mark(s.cp);

    controlplane_kill(s.cp, COMPONENT_APISERVER);
    eventually(!operator_is_ready(&s.op) || operator_metric(&s.op, "kube_watch_open") == 0);
    then_ok(controlplane_start(s.cp, a, COMPONENT_APISERVER));
    int64_t ready_us = clock_wall_ms(clock_system()) * 1000;
    eventually(watches_begun(s.cp, mark) >= WATCHES);
    int64_t back_ms = (watches_back_us(s.cp, mark) - ready_us) / 1000;
    print_message("# watches were back %lld ms after the server was ready\n",
        (long long)(back_ms > 0 ? back_ms : 0));

    then_true(back_ms < 5000);
    then_true(lists(s.cp, mark) <= WATCHES);
    AuditLog log = scene_audit(s.cp, a, mark);
    then_int(scene_writes(&log, ME), 0);
    then_str(copies_version(s.cp, a, "red", "kept"), copy);
    then_str(copies_version(s.cp, a, "home", "kept"), source);
    copies_put_source(s.cp, a, "kept", "red,green", "after");
    eventually(copies_hold(s.cp, "green", "kept", "after"));
    eventually(copies_hold(s.cp, "red", "kept", "after"));
    stage_close(&s);
}

/* A server that answers watches of ConfigMaps from etcd alone, whose past is then cut off while the
 * operator is away. */
TEST(after_a_compaction_watches_list_again_and_deletions_are_noticed_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    ControlplaneOptions options = {
        .flags = {[COMPONENT_APISERVER] = PROCESS_ARGS("--watch-cache-sizes=configmaps#0")},
    };
    Controlplane *cp = NULL;

    then_ok(controlplane_open(a, &options, &cp));
    Stage s = stage_open(cp, a, NULL);
    int64_t mark = scene_mark(cp);

    proxy_cut(s.proxy);
    kubectl(cp, a, "delete", "configmap", "kept", "-n", "red");
    kubectl(cp, a, "annotate", "configmap", "kept", "-n", "home", "note=1");
    then_ok(controlplane_compact(cp, a));
    proxy_mend(s.proxy);
    eventually(copies_hold(cp, "red", "kept", "one"));
    eventually(operator_is_ready(&s.op));

    size_t listed = lists(cp, mark);
    then_true(listed >= 1 && listed <= WATCHES);
    AuditLog log = scene_audit(cp, a, mark);
    then_int(audit_count(
                 &log, &(AuditLine){.user = ME, .verb = "patch", .namespace = "red", .code = 201}),
        1);
    then_int(scene_writes(&log, ME), 1);
    stage_close(&s);
    controlplane_close(cp);
}
