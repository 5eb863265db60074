/* Doors: the sockets of sidecars: one listener per pod's address on the proxy's port, and the
 * connections of whoever came in. Never blocks. */
#ifndef PLAYER_DOORS_H
#define PLAYER_DOORS_H

#include "base/log.h"
#include "world/kubelet.h"

typedef struct Doors Doors;

enum {
    DOORS_PORT = 8443,
    DOORS_LISTENERS_MAX = 2000,
    DOORS_GUESTS_MAX = 1000, /* one more is closed at once */
    DOORS_IDLE_MS = 60000,   /* as the sidecar's own server */
};

/* Doors to the pods of a kubelet, which must outlive them, on one port of every address. */
Doors *doors_open(Kubelet *kubelet, int port, const Log *log);

/* Accepts NULL. */
void doors_close(Doors *d);

/* Opens and closes listeners, so that there is one for each pod whose proxy listens. */
void doors_follow(Doors *d);

/* Takes in and gives out what can be moved now. True when a sidecar was asked. */
bool doors_poll(Doors *d, int64_t now_ms);

/* A descriptor that is readable when a poll has something to do; and when one has something to do
 * without it, because an answer was held back until then. INT64_MAX: never. */
int doors_descriptor(const Doors *d);
int64_t doors_due_ms(const Doors *d);

#endif
