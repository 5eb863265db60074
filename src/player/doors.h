/* Doors: the sockets of pods: one listener for every place where something in a pod listens (the
 * proxy in front of its sidecar, the RPC of its seid), and the connections to them. Never blocks.
 */
#ifndef PLAYER_DOORS_H
#define PLAYER_DOORS_H

#include "base/log.h"
#include "world/kubelet.h"

typedef struct Doors Doors;

enum {
    DOORS_LISTENERS_MAX = 4000,
    DOORS_GUESTS_MAX = 1000, /* one more is closed at once */
    DOORS_IDLE_MS = 60000,   /* as the sidecar's own server */
};

/* Doors to the pods of a kubelet, which must outlive them. Every port is `shift` higher than in the
 * pod: 0 but in tests, which run side by side. */
Doors *doors_open(Kubelet *kubelet, int shift, const Log *log);

/* Accepts NULL. */
void doors_close(Doors *d);

/* Opens and closes listeners, so that there is one for each port on which a pod listens. Costs
 * nothing while that is as it was. */
void doors_follow(Doors *d);

/* Takes in and gives out what can be moved now. True when a pod was asked. */
bool doors_poll(Doors *d, int64_t now_ms);

/* A descriptor that is readable when a poll has something to do; and when one has something to do
 * without it, because an answer was held back until then. INT64_MAX: never. */
int doors_descriptor(const Doors *d);
int64_t doors_due_ms(const Doors *d);

#endif
