/* Proxy: a wire between a client and a server that tests can cut, freeze and mend.
 *
 * It forwards TCP from a free port of 127.0.0.1 and runs in a process of its own, so it does not
 * wait for the test nor the test for it. Every order is carried out when its function returns. */
#ifndef TESTS_E2E_PROXY_H
#define TESTS_E2E_PROXY_H

#include "base/err.h"

#include <stdint.h>

typedef struct Proxy Proxy;

/* Since it was opened. */
typedef struct ProxyCounts {
    uint64_t accepted; /* connections that clients made */
    uint64_t open;     /* of those, now */
    uint64_t bytes;    /* forwarded, both ways */
} ProxyCounts;

/* Opens a wire to a server, in the arena given. ERR_FAILED when it cannot listen or fork. */
Err *proxy_open(Arena *a, const char *address, int port, Proxy **ret) MUST_CHECK;

/* Cuts every connection and ends the process. Accepts NULL. */
void proxy_close(Proxy *proxy);

/* "https://127.0.0.1:41234", borrowed from the proxy. */
const char *proxy_url(const Proxy *proxy);

/* Resets every connection there is (RST); new ones are served. */
void proxy_drop(Proxy *proxy);

/* From now on no byte moves and no end is told, and new connections are accepted and stay silent:
 * to each side the other one hangs. */
void proxy_stall(Proxy *proxy);

/* Resets every connection, and each new one at once, as if nobody was there. */
void proxy_cut(Proxy *proxy);

/* Mends what proxy_stall and proxy_cut did: what was held back flows on. */
void proxy_mend(Proxy *proxy);

/* What went through it. */
ProxyCounts proxy_counts(Proxy *proxy);

#endif
