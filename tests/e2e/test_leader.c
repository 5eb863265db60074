/* One leads at a time, and whoever does not, changes nothing.
 *
 * Leases are long where a hand-over must not have waited for one to run out, so that no test needs
 * to measure time: who leads before that did not wait. */
#include "tests/e2e/copies.h"

#include <signal.h>

#define SHORT_LEASE "--lease-ms", "3000", "--renew-ms", "2000", "--retry-ms", "500"
#define LONG_LEASE  "--lease-ms", "600000", "--renew-ms", "400000", "--retry-ms", "500"

/* The lease must run out in SHORT_LEASE tests alone: see SCENE_SOON_MS. */
static Controlplane *begin(Arena *a)
{
    Controlplane *cp = scene_begin(controlplane_shared());

    copies_prepare(cp, a);
    kubectl(cp, a, "delete", "lease", "configmap-copy", "-n", "default", "--ignore-not-found");
    return cp;
}

static bool leads(const Operator *op)
{
    return operator_metric(op, "leader_election_master_status") == 1;
}

static Operator start(Controlplane *cp, Arena *a, const char *user, const char *const *args)
{
    return operator_start(
        cp, a, &(OperatorOptions){.kubeconfig = scene_user(cp, a, user, NULL), .args = args});
}

/* Writes of a user since a mark that the server carried out. */
static size_t effects(Controlplane *cp, int64_t mark, const char *user)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(cp, a, mark);
    size_t count = 0;

    for (int code = 200; code < 300; code++)
        count += audit_count(&log, &(AuditLine){.user = user, .verb = "patch", .code = code})
            + audit_count(&log, &(AuditLine){.user = user, .verb = "create", .code = code})
            + audit_count(&log, &(AuditLine){.user = user, .verb = "update", .code = code})
            + audit_count(&log, &(AuditLine){.user = user, .verb = "delete", .code = code});
    return count;
}

/* Both are stopped while a source changes, so that the one who wakes first finds work and nobody
 * who did it before. */
TEST(an_expired_leader_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = begin(a);
    Operator old = start(cp, a, "anna", PROCESS_ARGS("--identity", "anna", SHORT_LEASE));

    copies_put_source(cp, a, "throne", "red", "one");
    eventually(leads(&old));
    eventually(copies_hold(cp, "red", "throne", "one"));
    Operator new = start(cp, a, "bert", PROCESS_ARGS("--identity", "bert", SHORT_LEASE));
    eventually(operator_is_ready(&new));
    then_true(!leads(&new));

    kill(old.pid, SIGSTOP);
    eventually(leads(&new));
    int64_t mark = scene_mark(cp);
    copies_put_source(cp, a, "throne", "red", "two");
    eventually(copies_hold(cp, "red", "throne", "two"));
    kill(new.pid, SIGSTOP);
    copies_put_source(cp, a, "throne", "red", "three");
    kill(old.pid, SIGCONT);
    then_int(operator_wait(&old), 1);
    then_true(copies_hold(cp, "red", "throne", "two"));
    then_int(effects(cp, mark, "anna"), 0);
    kill(new.pid, SIGCONT);

    eventually(copies_hold(cp, "red", "throne", "three"));
    AuditLog log = scene_audit(cp, a, mark);
    print_message("# the expired leader sent %zu writes\n", scene_writes(&log, "anna"));
    then_true(effects(cp, mark, "bert") > 0);
    then_true(operator_said(&old, "lease"));
    then_int(operator_end(&new), 0);
}

/* The leader is stopped in the middle of a reconcile, past the check that it leads and before its
 * first write. When it goes on, it knows no more than it knew: the source's value before the last.
 */
TEST(a_reconcile_that_outlived_its_lease_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = begin(a);
    const char *hold = str_format(a, "%s/hold", controlplane_folder(cp));
    Operator old =
        start(cp, a, "anna", PROCESS_ARGS("--identity", "anna", "--hold", hold, SHORT_LEASE));

    copies_put_source(cp, a, "ghost", "red", "one");
    eventually(copies_hold(cp, "red", "ghost", "one"));
    eventually(copies_status_says(cp, "ghost", "True"));
    then_ok(controlplane_write(a, hold, ""));
    copies_put_source(cp, a, "ghost", "red", "two");
    eventually(operator_metric(&old, "controller_runtime_active_workers") == 1);
    kill(old.pid, SIGSTOP);
    Operator new = start(cp, a, "bert", PROCESS_ARGS("--identity", "bert", SHORT_LEASE));
    copies_put_source(cp, a, "ghost", "red", "three");
    eventually(copies_hold(cp, "red", "ghost", "three"));

    int64_t mark = scene_mark(cp);
    then_int(unlink(hold), 0);
    kill(old.pid, SIGCONT);
    then_int(operator_wait(&old), 1);
    print_message("# the write of the expired leader was %s\n",
        operator_said(&old, "not sent: the lease") ? "held back by the fence" : "not tried");
    then_int(effects(cp, mark, "anna"), 0);
    then_true(copies_hold(cp, "red", "ghost", "three"));
    then_int(operator_end(&new), 0);
}

TEST(a_killed_leader_acquires_its_own_lease_again_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = begin(a);
    Operator first = start(cp, a, "anna", PROCESS_ARGS("--identity", "anna", LONG_LEASE));

    eventually(leads(&first));
    Operator standby = start(cp, a, "bert", PROCESS_ARGS("--identity", "bert", LONG_LEASE));
    eventually(operator_is_ready(&standby));
    operator_kill(&first);
    first = start(cp, a, "anna", PROCESS_ARGS("--identity", "anna", LONG_LEASE));
    eventually(leads(&first));
    then_true(!leads(&standby));
    then_int(operator_end(&standby), 0);
    then_int(operator_end(&first), 0);
}

TEST(a_leader_that_ends_releases_its_lease_to_the_standby_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = begin(a);
    Operator old = start(cp, a, "anna", PROCESS_ARGS("--identity", "anna", LONG_LEASE));

    eventually(leads(&old));
    Operator new = start(cp, a, "bert", PROCESS_ARGS("--identity", "bert", LONG_LEASE));
    eventually(operator_is_ready(&new));
    int64_t mark = scene_mark(cp);
    then_int(operator_end(&old), 0);
    eventually(leads(&new));

    AuditLog log = scene_audit(cp, a, mark);
    const AuditLine *released = audit_find(
        &log, &(AuditLine){.user = "anna", .resource = "leases", .verb = "update", .code = 200});
    const AuditLine *taken = audit_find(
        &log, &(AuditLine){.user = "bert", .resource = "leases", .verb = "update", .code = 200});
    then_true(released && taken);
    print_message("# the standby led %lld ms after the lease was given back\n",
        (long long)((taken->stage_us - released->stage_us) / 1000));
    copies_put_source(cp, a, "heir", "blue", "one");
    eventually(copies_hold(cp, "blue", "heir", "one"));
    then_int(operator_end(&new), 0);
}
