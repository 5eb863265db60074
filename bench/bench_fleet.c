/* What a rollout costs that takes fifty nodes at once: the operator as it is deployed, on a real
 * control plane, by the server's own audit log and the kernel's count of its processor time. Pods
 * are five times faster than real ones. */
#include "bench/cost.h"
#include "tests/e2e/fleets.h"

#include <inttypes.h>

enum { FIFTY = 50, SECOND_US = 1000000, PATIENCE_MS = 300000 };

#define NAME "rpc"

static double per_node(double sum)
{
    return sum / (double)FIFTY;
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

TEST(the_cost_of_rolling_fifty_nodes_at_once)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "fifty");

    nodes_play(&n, "5");
    fleets_create(&n, NAME, FIFTY, FLEETS_STRATEGY("{\"maxUnavailable\": \"100%\"}"));
    then_true(comes_to_rest(&n));
    int64_t mark = scene_mark(n.cp);
    double before = used_ms(n.op.pid);
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    then_true(comes_to_rest(&n));
    double used = used_ms(n.op.pid) - before;
    Cost cost = cost_since(&n, mark);
    StatusWrites status = status_writes(&n, mark);

    print_message("fleet_rollout_requests_per_node %.2f\n", per_node(cost_bare(cost)));
    print_message("fleet_rollout_requests_per_node_in_all %.2f\n", per_node(cost.all));
    print_message("fleet_rollout_reads_per_node %.2f\n", per_node(cost.reads));
    print_message("fleet_rollout_empty_writes %zu\n", cost.empty);
    print_message("fleet_rollout_processor_per_node %.1f ms\n", per_node(used));
    print_message("fleet_rollout_status_writes %d\n", status.writes);
    print_message("fleet_rollout_count_changes %d\n", status.changes);
    print_message("fleet_rollout_status_writes_in_a_second %d\n", status.most);
    nodes_close(&n);
}
