/* Counting the operator's requests. */
#include "bench/cost.h"

static bool is_about_waiting(const AuditLine *line)
{
    return json_str(line->event, ".requestObject.status.plan.waiting") != NULL;
}

static bool is_counted(const AuditLine *line)
{
    return str_eq(line->user, NODES_OPERATOR) && !str_eq(line->resource, "leases")
        && !str_eq(line->verb, "watch");
}

Cost cost_since(const Nodes *n, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    Cost cost = {.empty = audit_empty_writes(&log, NODES_OPERATOR)};

    for (size_t i = 0; i < log.count; i++) {
        const AuditLine *line = &log.lines[i];
        if (!is_counted(line))
            continue;
        cost.all++;
        cost.events += str_eq(line->resource, "events");
        cost.waits += is_about_waiting(line);
        cost.reads += str_eq(line->verb, "get") || str_eq(line->verb, "list");
    }
    return cost;
}

int cost_bare(Cost cost)
{
    return cost.all - cost.events - cost.waits;
}

int cost_compare(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}
