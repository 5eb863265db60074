/* Rights: what deploy/rbac lets the operator do, and whether it did. */
#ifndef TESTS_E2E_RIGHTS_H
#define TESTS_E2E_RIGHTS_H

#include "tests/e2e/audit.h"

#include <stdbool.h>

typedef struct Right {
    const char *name; /* what it is for */
    const char *verb, *resource;
    bool elsewhere; /* needed in a state that no scenario here brings about: see tests/sim */
} Right;

/* Those that only fleets need. */
extern const Right rights_of_fleets[];
extern const size_t rights_of_fleets_count;

/* And those that they need in a cluster with the Gateway API. */
extern const Right rights_of_routes[];
extern const size_t rights_of_routes_count;

/* The operator made use of it, by the log. */
bool rights_used(const AuditLog *log, Arena *a, Right right);

#endif
