/* How soon an edit of a template is noticed among ten fleets of a hundred nodes each: from the
 * server's answer to the person to its answer to the first write of a child, by its own clock. The
 * operator is the one that is deployed. Nobody plays the machines: all thousand nodes have their
 * objects and wait for pods that no kubelet takes, because a thousand pods that run would measure
 * the player. */
#include "bench/cost.h"
#include "tests/e2e/fleets.h"

enum { FLEETS = 10, NODES = 100, ROUNDS = 30, PATIENCE_MS = 400000 };

static const char *fleet_name(Arena *a, int number)
{
    return str_format(a, "fleet%d", number);
}

static bool is_waiting(const Nodes *n, int fleet)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *last = str_format(a, "%s-%d", fleet_name(a, fleet), NODES - 1);

    return fleets_number(n, fleet_name(a, fleet), ".status.replicas") == NODES
        && nodes_have(n, "statefulsets", last) && nodes_have(n, "services", last);
}

/* Two renewals of the lease in a row without any other request. */
static bool is_at_rest(const Nodes *n)
{
    int64_t mark = scene_mark(n->cp);

    eventually(nodes_requests(n, mark, "update", "leases") >= 2);
    return nodes_requests(n, mark, "patch", NULL) == 0
        && nodes_requests(n, mark, "create", NULL) == 0;
}

static void make_all(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Deadline end = deadline_in_ms(PATIENCE_MS);

    for (int i = 0; i < FLEETS; i++)
        fleets_create(n, fleet_name(a, i), NODES, "{}");
    for (int i = 0; i < FLEETS; i++)
        while (!is_waiting(n, i))
            then_true(scene_goes_on() && deadline_wait(&end));
    while (!is_at_rest(n))
        then_true(scene_goes_on() && deadline_wait(&end));
}

static bool is_child_write(const AuditLine *line)
{
    return str_eq(line->user, NODES_OPERATOR) && str_eq(line->verb, "patch")
        && str_eq(line->resource, "seinodes") && !line->subresource;
}

/* Negative when no child was written so far. */
static CostDelay delay(const Nodes *n, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    const AuditLine *edit =
        audit_find(&log, &(AuditLine){.user = "admin", .verb = "patch", .resource = FLEETS_PLURAL});

    for (size_t i = 0; edit && i < log.count; i++)
        if (is_child_write(&log.lines[i]))
            return cost_delay(&log, edit->stage_us, log.lines[i].stage_us);
    return (CostDelay){.ms = -1};
}

TEST(how_soon_an_edit_reaches_a_child_among_a_thousand)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, controlplane_shared(), "many");
    CostDelay took[ROUNDS];

    nodes_play(&n, NULL);
    make_all(&n);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t mark = scene_mark(n.cp);
        fleets_change(&n, fleet_name(a, i % FLEETS), str_format(a, FLEETS_IMAGE("r%d"), i));
        eventually((took[i] = delay(&n, mark)).ms >= 0);
        eventually(nodes_requests(&n, mark, "update", "leases") >= 2);
    }
    cost_tell_delays("fleets_detection", took, ROUNDS);
    nodes_close(&n);
}
