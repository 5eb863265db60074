/* Listener: an address as people write it, and a socket that listens there. */
#ifndef KUBE_SERVE_LISTENER_H
#define KUBE_SERVE_LISTENER_H

#include "base/err.h"

/* Listens on "127.0.0.1:8080", "[::1]:0" or ":8080" (all addresses); the caller closes the socket.
 * ERR_TERMINAL names the address and what is wrong with it. */
Err *listener_open(Arena *a, const char *address, int *ret_fd, int *ret_port) MUST_CHECK;

#endif
