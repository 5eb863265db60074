/* The example does on a real server what it says: copies appear, follow, come back and go; what is
 * not its own is never touched; and when nothing is to do, nothing is done. */
#include "tests/e2e/copies.h"

#include "kube/meta.h"

#define ME "copier"

static Operator start_example(Controlplane *cp, Arena *a)
{
    return operator_start(cp,
        a,
        &(OperatorOptions){.program = EXAMPLE_PROGRAM, .kubeconfig = scene_user(cp, a, ME, NULL)});
}

/* A source, and its copies as the example made them. */
static Operator start_with_copies(Controlplane *cp, Arena *a, const char *name)
{
    copies_prepare(cp, a);
    copies_put_source(cp, a, name, "red,green", "one");
    Operator op = start_example(cp, a);
    eventually(copies_hold(cp, "red", name, "one"));
    eventually(copies_hold(cp, "green", name, "one"));
    eventually(copies_status_says(cp, name, "True"));
    return op;
}

/* Two watches run, and nothing was asked since the mark: neither when it was taken nor later. */
static bool is_quiet(Controlplane *cp, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);

    return audit_count(&log, &(AuditLine){.user = ME}) == 0;
}

TEST(copies_are_created_and_updated_and_restored_and_deleted)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Operator op = start_with_copies(cp, a, "life");

    copies_put_source(cp, a, "life", "red,green", "two");
    eventually(copies_hold(cp, "red", "life", "two"));
    eventually(copies_hold(cp, "green", "life", "two"));

    kubectl(cp, a, "delete", "configmap", "life", "-n", "red");
    eventually(copies_hold(cp, "red", "life", "two"));

    kubectl(
        cp, a, "patch", "configmap", "life", "-n", "red", "-p", "{\"data\":{\"key\":\"mine\"}}");
    eventually(copies_hold(cp, "red", "life", "two"));

    copies_put_source(cp, a, "life", "red,blue", "two");
    eventually(copies_lack(cp, "green", "life"));
    eventually(copies_hold(cp, "blue", "life", "two"));
    then_true(copies_hold(cp, "red", "life", "two"));

    copies_delete_source(cp, a, "life");
    eventually(copies_lack(cp, "home", "life"));
    then_true(copies_lack(cp, "red", "life"));
    then_true(copies_lack(cp, "blue", "life"));
    then_int(operator_end(&op), 0);
}

/* When a request that matches was answered last, by the server's clock. */
static int64_t last_us(Controlplane *cp, int64_t mark, const AuditLine *like)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);
    int64_t last = 0;

    for (size_t i = 0; i < log.count; i++) {
        AuditLog one = {.lines = &log.lines[i], .count = 1};
        if (audit_count(&one, like))
            last = log.lines[i].stage_us;
    }
    return last;
}

static bool is_deleting(Controlplane *cp, const char *namespace, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return meta_deleting(scene_get(cp, a, copies_path(a, namespace, name)));
}

/* One copy is slow to go: somebody else holds it. */
TEST(the_finalizer_holds_the_source_until_its_copies_are_gone)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Operator op = start_with_copies(cp, a, "held");
    const Json *source = scene_get(cp, a, copies_path(a, "home", "held"));

    then_true(meta_has_finalizer(source, COPIES_FINALIZER));
    then_int(operator_end(&op), 0);
    kubectl(cp,
        a,
        "patch",
        "configmap",
        "held",
        "-n",
        "red",
        "-p",
        "{\"metadata\":{\"finalizers\":[\"example.io/slow\"]}}");
    copies_delete_source(cp, a, "held");
    then_true(copies_hold(cp, "home", "held", "one"));
    then_true(copies_hold(cp, "red", "held", "one"));

    int64_t mark = scene_mark(cp);
    op = start_example(cp, a);
    eventually(is_deleting(cp, "red", "held"));
    eventually(copies_lack(cp, "green", "held"));
    kubectl(cp,
        a,
        "patch",
        "configmap",
        "held",
        "-n",
        "red",
        "-p",
        "{\"metadata\":{\"finalizers\":null}}");
    eventually(copies_lack(cp, "home", "held"));
    then_true(copies_lack(cp, "red", "held"));
    int64_t freed =
        last_us(cp, mark, &(AuditLine){.user = "admin", .verb = "patch", .namespace = "red"});
    int64_t let_go =
        last_us(cp, mark, &(AuditLine){.user = ME, .verb = "patch", .namespace = "home"});
    then_true(freed > 0 && freed < let_go);
    then_int(operator_end(&op), 0);
}

TEST(a_foreign_object_with_the_name_of_a_copy_is_never_touched)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());

    copies_prepare(cp, a);
    scene_apply(cp,
        a,
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: red},"
        " data: {key: strangers}}");
    const char *before = copies_version(cp, a, "red", "taken");
    Operator op = start_with_copies(cp, a, "other");
    copies_put_source(cp, a, "taken", "red,green", "ours");

    eventually(copies_status_says(cp, "taken", "False: red/taken is not our copy"));
    then_true(copies_hold(cp, "green", "taken", "ours"));
    copies_delete_source(cp, a, "taken");
    eventually(copies_lack(cp, "home", "taken"));
    then_true(copies_lack(cp, "green", "taken"));

    then_str(copies_version(cp, a, "red", "taken"), before);
    kubectl(cp, a, "delete", "configmap", "taken", "-n", "red");
    then_int(operator_end(&op), 0);
}

/* The last thing that a restarted operator does before it is still is to look at every source; so
 * what it did is counted after it has copied a new one. */
TEST(a_restarted_example_operator_writes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Operator op = start_with_copies(cp, a, "calm");

    then_int(operator_end(&op), 0);
    int64_t mark = scene_mark(cp);
    const char *source = copies_version(cp, a, "home", "calm");
    const char *copy = copies_version(cp, a, "red", "calm");
    op = start_example(cp, a);
    eventually(operator_said(&op, "work begins"));
    copies_put_source(cp, a, "news", "blue", "one");
    eventually(copies_status_says(cp, "news", "True"));

    AuditLog log = scene_audit(cp, a, mark);
    then_int(scene_writes(&log, ME),
        audit_count(&log, &(AuditLine){.user = ME, .verb = "patch", .name = "news"}));
    then_int(audit_count(&log, &(AuditLine){.user = ME, .name = "calm"}), 0);
    then_str(copies_version(cp, a, "home", "calm"), source);
    then_str(copies_version(cp, a, "red", "calm"), copy);
    then_int(operator_end(&op), 0);
}

/* Foreign changes to sources, copies and strangers that ask for nothing get no answer at all. */
TEST(at_rest_the_example_operator_sends_only_watch_requests)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Operator op = start_with_copies(cp, a, "still");

    int64_t mark = scene_mark(cp);
    kubectl(cp, a, "annotate", "configmap", "still", "-n", "home", "note=1");
    kubectl(cp, a, "label", "configmap", "still", "-n", "red", "colour=red");
    kubectl(cp, a, "create", "configmap", "stranger", "-n", "red");
    kubectl(cp, a, "delete", "configmap", "stranger", "-n", "red");
    then_true(is_quiet(cp, mark));

    /* That all of this was seen and left alone shows in what comes after it. */
    copies_put_source(cp, a, "still", "red,green", "two");
    eventually(copies_hold(cp, "green", "still", "two"));
    eventually(copies_hold(cp, "red", "still", "two"));
    AuditLog log = scene_audit(cp, a, mark);
    then_int(audit_count(&log, &(AuditLine){.user = ME}), 2);
    then_int(audit_count(&log, &(AuditLine){.user = ME, .verb = "patch", .name = "still"}), 2);
    then_int(operator_end(&op), 0);
}
