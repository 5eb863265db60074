/* Counting the operator's requests, and the time that they take. */
#include "bench/cost.h"

static bool is_about_waiting(const AuditLine *line)
{
    return json_str(line->event, ".requestObject.status.plan.waiting") != NULL;
}

/* Every 30 s, whatever happens, for a kind that need not be there. */
static bool looks_for_kind(const AuditLine *line)
{
    return str_eq(line->verb, "list") && line->code == 404;
}

static bool is_counted(const AuditLine *line)
{
    return str_eq(line->user, NODES_OPERATOR) && !str_eq(line->resource, "leases")
        && !str_eq(line->verb, "watch") && !looks_for_kind(line);
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

/* --- delays */

/* What the server took for the requests of the operator that a change waits for, one by one. */
static int64_t served_us(const AuditLog *log, int64_t from_us, int64_t to_us)
{
    int64_t sum = 0;

    for (size_t i = 0; i < log->count; i++) {
        const AuditLine *line = &log->lines[i];
        if (is_counted(line) && !str_eq(line->resource, "events") && line->received_us >= from_us
            && line->stage_us <= to_us)
            sum += line->stage_us - line->received_us;
    }
    return sum;
}

CostDelay cost_delay(const AuditLog *log, int64_t from_us, int64_t to_us)
{
    int64_t took_us = to_us - from_us, own_us = took_us - served_us(log, from_us, to_us);

    return (CostDelay){(double)took_us / 1000, (double)own_us / 1000};
}

/* For qsort of doubles. */
static int compare(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}

void cost_tell_delays(const char *what, const CostDelay *took, size_t rounds)
{
    double all[COST_ROUNDS_MAX], own[COST_ROUNDS_MAX];

    then_true(rounds > 0 && rounds <= COST_ROUNDS_MAX);
    for (size_t i = 0; i < rounds; i++) {
        all[i] = took[i].ms;
        own[i] = took[i].own_ms;
    }
    qsort(all, rounds, sizeof all[0], compare);
    qsort(own, rounds, sizeof own[0], compare);
    print_message("%s_median %.1f ms\n", what, all[rounds / 2]);
    print_message("%s_fastest %.1f ms\n", what, all[0]);
    print_message("%s_slowest %.1f ms\n", what, all[rounds - 1]);
    print_message("%s_own_median %.1f ms\n", what, own[rounds / 2]);
}
