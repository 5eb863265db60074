/* Trouble: why a list or a watch came to nothing, and how long to stay away. */
#ifndef KUBE_RUNTIME_TROUBLE_H
#define KUBE_RUNTIME_TROUBLE_H

#include "base/err.h"
#include "base/rng.h"

#include <stdint.h>

typedef enum Trouble {
    TROUBLE_NETWORK, /* no answer, or one that broke off: soon again, every second at least */
    TROUBLE_BUSY,    /* 429, 5xx: the server's own trouble */
    TROUBLE_REFUSED, /* 401, 403, 404: rights are restored, kinds come back */
    TROUBLE_GONE,    /* 410: the version, or the page, is too old */
    TROUBLE_BROKEN,  /* an answer that makes no sense */
} Trouble;

/* The trouble behind an error of the status table; NETWORK when no answer was received. */
Trouble trouble_of(const Err *err);

/* The wait after the n-th such trouble in a row, but not less than the server asked for (of which
 * at most a minute counts). An API server that restarts first refuses connections, then answers 403
 * or 503 for some seconds: the waits begin flat, so that a watch is back within 2 s of its
 * readiness. */
int64_t trouble_wait_ms(Trouble trouble, unsigned in_a_row, int64_t retry_after_ms, Rng *rng);

#endif
