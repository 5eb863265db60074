/* Trouble: one table from kind of trouble to patience. */
#include "kube/runtime/trouble.h"

#include "kube/runtime/backoff.h"
#include "kube/status.h"

enum { RETRY_AFTER_MAX_MS = 60000 };

static const BackoffPolicy policies[] = {
    [TROUBLE_NETWORK] = {.first_ms = 50, .max_ms = 1000},
    [TROUBLE_BUSY] = {.first_ms = 500, .max_ms = 10000, .hold = 8},
    [TROUBLE_REFUSED] = {.first_ms = 1000, .max_ms = 10000, .hold = 5},
    [TROUBLE_GONE] = {.first_ms = 50, .max_ms = 10000},
    [TROUBLE_BROKEN] = {.first_ms = 500, .max_ms = 10000},
};

Trouble trouble_of(const Err *err)
{
    if (err->status == 0)
        return TROUBLE_NETWORK;
    if (status_is_gone(err))
        return TROUBLE_GONE;
    if (err->status == 429 || err->status >= 500)
        return TROUBLE_BUSY;
    if (err->status == 401 || err->status == 403 || err->status == 404)
        return TROUBLE_REFUSED;
    return TROUBLE_BROKEN;
}

int64_t trouble_wait_ms(Trouble trouble, unsigned in_a_row, int64_t retry_after_ms, Rng *rng)
{
    int64_t wait = backoff_ms(&policies[trouble], in_a_row, rng);
    int64_t asked = retry_after_ms < RETRY_AFTER_MAX_MS ? retry_after_ms : RETRY_AFTER_MAX_MS;
    return wait > asked ? wait : asked;
}
