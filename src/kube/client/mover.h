/* Mover: a libcurl multi handle whose transfers move when their sockets say so.
 *
 * curl_multi_perform goes over all transfers whenever any of them moves, with a system call for
 * each. Here libcurl says which sockets it waits for and when it wants to be called, and is told of
 * those that are ready: what is idle costs nothing. One thread moves; any may wake it. */
#ifndef KUBE_CLIENT_MOVER_H
#define KUBE_CLIENT_MOVER_H

#include <curl/curl.h>
#include <stdint.h>

typedef struct Mover {
    CURLM *multi;   /* for adding and removing transfers, and for asking which have ended */
    int sockets;    /* of epoll */
    int bell;       /* an eventfd: somebody wakes whoever waits */
    int64_t due_ms; /* when libcurl wants to be called, by the system's monotonic clock */
} Mover;

/* The mover stays where it is until it is closed: libcurl calls it there. */
void mover_open(Mover *m);

/* All transfers were removed before. */
void mover_close(Mover *m);

/* Waits until a socket is ready, libcurl's time has come or somebody wakes, for at most
 * `timeout_ms`; then lets libcurl move what can be moved, which calls the transfers' callbacks. */
void mover_move(Mover *m, int64_t timeout_ms);

/* Makes a running or the next move end. Safe from any thread. */
void mover_wake(Mover *m);

#endif
