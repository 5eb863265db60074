/* Cost: what the operator asked of the API server, by an audit log that keeps the objects. Leases
 * are left out, because they come whatever happens, and so are watches, because the server ends
 * each of them every few minutes. */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include "tests/e2e/nodes.h"

typedef struct Cost {
    int all, events, waits; /* waits: status writes that only say what is waited for */
    int reads;
    size_t empty; /* writes that changed nothing */
} Cost;

Cost cost_since(const Nodes *n, int64_t mark);

/* Without what only tells people. */
int cost_bare(Cost cost);

/* From what a person did to what the operator did about it, by the server's clock. */
typedef struct CostDelay {
    double ms;
    double own_ms; /* of it, while no request of the operator was with the server */
} CostDelay;

CostDelay cost_delay(const AuditLog *log, int64_t from_us, int64_t to_us);

enum { COST_ROUNDS_MAX = 100 };

/* Prints <what>_median, _fastest, _slowest and _own_median. */
void cost_tell_delays(const char *what, const CostDelay *took, size_t rounds);

#endif
