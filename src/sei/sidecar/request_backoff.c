/* RequestBackoff: doubles, with an end. */
#include "sei/sidecar/request_backoff.h"

enum { BACKOFF_MS = 1000, BACKOFF_MAX_MS = 30000, BACKOFF_JITTER_PERCENT = 20 };

int64_t backoff_next_ms(int64_t *backoff_ms, Rng *rng)
{
    int64_t pause = *backoff_ms ? *backoff_ms : BACKOFF_MS;

    *backoff_ms = pause * 2 < BACKOFF_MAX_MS ? pause * 2 : BACKOFF_MAX_MS;
    return rng_jitter(rng, pause, BACKOFF_JITTER_PERCENT);
}
