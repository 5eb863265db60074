/* What rollouts cost that take fifty nodes at once, the mean of four: the operator as it is
 * deployed, on a real control plane, by the server's own audit log and the kernel's count of its
 * processor time. Pods are five times faster than real ones. */
#include "bench/cost.h"
#include "tests/e2e/fleets.h"

#include <inttypes.h>

enum { FIFTY = 50, SECOND_US = 1000000, PATIENCE_MS = 300000 };

static const char *const edits[] = {
    FLEETS_IMAGE("v2"),
    FLEETS_IMAGE("v3"),
    FLEETS_IMAGE("v4"),
    FLEETS_IMAGE("v5"),
};
enum { ROLLOUTS = sizeof edits / sizeof edits[0] };

#define NAME "rpc"

/* In one rollout. */
static double per_node(double sum)
{
    return sum / (double)(FIFTY * ROLLOUTS);
}

static bool comes_to_rest(const Nodes *n)
{
    Deadline soon = deadline_in_ms(PATIENCE_MS);

    while (!fleets_settled(n, NAME))
        if (!scene_goes_on() || !deadline_wait(&soon))
            return false;
    return true;
}

/* --- processor time */

/* Of a process, in milliseconds: fields 14 and 15 of its stat, counted after the name, which may
 * have spaces. */
static double used_ms(pid_t pid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    FILE *file = fopen(str_format(a, "/proc/%d/stat", (int)pid), "re");
    char text[1024] = "";
    unsigned long user = 0, system = 0;

    then_true(file && fgets(text, sizeof text, file));
    fclose(file);
    const char *after_name = strrchr(text, ')');
    then_true(after_name
        && sscanf(after_name + 1, /* NOLINT(cert-err34-c) */
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user,
               &system)
            == 2);
    return (double)(user + system) * 1000 / (double)sysconf(_SC_CLK_TCK);
}

/* --- how often the fleet's own status is written */

typedef struct StatusWrites {
    int writes, changes; /* changes: of any of its counts */
    int most;            /* within a second */
} StatusWrites;

static const char *counts_of(Arena *a, const Json *fleet)
{
    static const char *const names[] = {
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
        "unavailableReplicas",
    };
    const char *text = "";

    for (size_t i = 0; i < array_count(names); i++)
        text = str_format(
            a, "%s %" PRId64, text, json_int(fleet, str_format(a, ".status.%s", names[i]), -1));
    return text;
}

static StatusWrites status_writes(const Nodes *n, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    int64_t *times = arena_array(a, int64_t, log.count);
    StatusWrites found = {0};
    const char *counts = "";

    for (size_t i = 0; i < log.count; i++) {
        const AuditLine *line = &log.lines[i];
        if (!str_eq(line->resource, FLEETS_PLURAL) || !str_eq(line->subresource, "status")
            || !audit_version(line))
            continue;
        const char *now = counts_of(a, json_find(line->event, ".responseObject"));
        found.changes += !str_eq(counts, now);
        counts = now;
        times[found.writes++] = line->stage_us;
        int within = 0;
        while (
            within < found.writes && times[found.writes - 1 - within] > line->stage_us - SECOND_US)
            within++;
        found.most = within > found.most ? within : found.most;
    }
    return found;
}

/* --- the rollouts */

typedef struct Rollout {
    double used_ms;
    Cost cost;
    StatusWrites status;
} Rollout;

/* One after the other, so that the audit log of one at a time is read. */
static Rollout roll(const Nodes *n, const char *edit)
{
    int64_t mark = scene_mark(n->cp);
    double before = used_ms(n->op.pid);

    fleets_change(n, NAME, edit);
    then_true(comes_to_rest(n));
    return (Rollout){
        .used_ms = used_ms(n->op.pid) - before,
        .cost = cost_since(n, mark),
        .status = status_writes(n, mark),
    };
}

static void add(Rollout *sum, Rollout one)
{
    sum->used_ms += one.used_ms;
    sum->cost.all += one.cost.all;
    sum->cost.events += one.cost.events;
    sum->cost.waits += one.cost.waits;
    sum->cost.reads += one.cost.reads;
    sum->cost.empty += one.cost.empty;
    sum->status.writes += one.status.writes;
    sum->status.changes += one.status.changes;
    if (one.status.most > sum->status.most)
        sum->status.most = one.status.most;
}

TEST(the_cost_of_rolling_fifty_nodes_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "fifty");
    Rollout sum = {0};

    nodes_play(&n, "5");
    fleets_create(&n, NAME, FIFTY, FLEETS_STRATEGY("{\"maxUnavailable\": \"100%\"}"));
    then_true(comes_to_rest(&n));
    for (int i = 0; i < ROLLOUTS; i++) {
        Rollout one = roll(&n, edits[i]);
        print_message(
            "fleet_rollout_%d_processor_per_node %.1f ms\n", i + 1, one.used_ms / (double)FIFTY);
        add(&sum, one);
    }
    print_message("fleet_rollout_requests_per_node %.2f\n", per_node(cost_bare(sum.cost)));
    print_message("fleet_rollout_requests_per_node_in_all %.2f\n", per_node(sum.cost.all));
    print_message("fleet_rollout_reads_per_node %.2f\n", per_node(sum.cost.reads));
    print_message("fleet_rollout_empty_writes %zu\n", sum.cost.empty);
    print_message("fleet_rollout_processor_per_node %.1f ms\n", per_node(sum.used_ms));
    print_message("fleet_rollouts_status_writes %d\n", sum.status.writes);
    print_message("fleet_rollouts_count_changes %d\n", sum.status.changes);
    print_message("fleet_rollout_status_writes_in_a_second %d\n", sum.status.most);
    nodes_close(&n);
}
