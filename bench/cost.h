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

/* For qsort of doubles. */
int cost_compare(const void *left, const void *right);

#endif
