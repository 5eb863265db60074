/* RequestBackoff: how long to wait after a request to a pod that brought nothing. */
#ifndef SEI_SIDECAR_REQUEST_BACKOFF_H
#define SEI_SIDECAR_REQUEST_BACKOFF_H

#include "base/rng.h"

#include <stdint.h>

/* The pause after a trouble: 1 s, doubled up to 30 s, spread. `backoff_ms` is 0 at first, and is
 * put back to 0 by the caller after an answer. */
int64_t backoff_next_ms(int64_t *backoff_ms, Rng *rng);

#endif
