/* PermitCensus: all nodes of a domain, as the caches have them, and how many of them may be down.
 * Read without the guard; what the ledger knows besides is added under it. */
#ifndef SEI_RECONCILE_PERMIT_CENSUS_H
#define SEI_RECONCILE_PERMIT_CENSUS_H

#include "sei/plan/permit.h"
#include "sei/reconcile/permits.h"

enum { CENSUS_NODES_MAX = 100000, CENSUS_ARENA_MAX = 64 << 20 };

typedef struct PermitCensus {
    PermitNode *nodes;
    const char **keys; /* "namespace/name", one per node */
    size_t count;
    PermitQuestion question; /* about the asker, complete but for what is held */
} PermitCensus;

/* Everything of the census lives in `a`. */
Err *permit_census_read(
    Ctx *c, Arena *a, const PermitAsk *ask, int64_t platform_max, PermitCensus *ret) MUST_CHECK;

#endif
