/* Wire: the socket options with which the kernel finds a peer that is gone without a word. */
#ifndef KUBE_CLIENT_WIRE_H
#define KUBE_CLIENT_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a TCP connection fail once the peer has acknowledged nothing for `dead_after_ms`, be it
 * idle (keep-alive probes) or with bytes on their way (TCP_USER_TIMEOUT). Whole seconds count, and
 * at least two. False when the kernel refuses. */
bool wire_find_dead_peers(int fd, int64_t dead_after_ms);

#endif
