/* Backoff: doubling with a ceiling; jitter only ever shortens, so the ceiling holds. */
#include "kube/runtime/backoff.h"

int64_t backoff_ms(const BackoffPolicy *policy, unsigned failures, Rng *rng)
{
    unsigned hold = policy->hold ? policy->hold : 1;
    unsigned doublings = failures > hold ? failures - hold : 0;
    int64_t wait = policy->first_ms;

    for (unsigned i = 0; i < doublings && wait < policy->max_ms; i++)
        wait *= 2;
    if (wait > policy->max_ms)
        wait = policy->max_ms;
    return wait - (int64_t)rng_below(rng, (uint64_t)(wait / 5) + 1);
}
