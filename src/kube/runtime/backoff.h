/* Backoff: how long to wait after the n-th failure in a row. */
#ifndef KUBE_RUNTIME_BACKOFF_H
#define KUBE_RUNTIME_BACKOFF_H

#include "base/rng.h"

#include <stdint.h>

typedef struct BackoffPolicy {
    int64_t first_ms;
    int64_t max_ms;
    unsigned hold; /* so many failures wait first_ms, then the wait doubles each time; 0 means 1 */
} BackoffPolicy;

/* The wait after `failures` (1, 2, ...) in a row: at most what the policy says, and up to a fifth
 * less, by chance, so that many waiters do not come back together. */
int64_t backoff_ms(const BackoffPolicy *policy, unsigned failures, Rng *rng);

#endif
