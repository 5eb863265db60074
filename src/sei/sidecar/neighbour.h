/* Neighbour: one node's sidecar as the machine knows it: where it is, what is wanted of it, what it
 * said, and when it is asked next. About 600 bytes with its texts; the token is shared. */
#ifndef SEI_SIDECAR_NEIGHBOUR_H
#define SEI_SIDECAR_NEIGHBOUR_H

#include "base/link.h"
#include "sei/sidecar/bearers.h"
#include "sei/sidecar/chat.h"
#include "sei/sidecar/health.h"
#include "sei/sidecar/nametag.h"
#include "sei/sidecar/timetable.h"

typedef struct Flight Flight;

typedef struct Neighbour {
    TimetableEntry entry;
    Link parked; /* waits for another one that does not answer to come back */
    Chat chat;
    Health health;
    Nametag nametag;
    Bearer *bearer;
    SlabText pod_uid, pod_ip, host;
    int64_t quiet_until_ms, backoff_ms; /* it does not answer at all */
    Flight *flight;                     /* what is on its way to it, or NULL */
    bool is_stale;                      /* of the flight: it goes to a pod that counts no more */
    bool is_forgotten;
    bool gate_was_opened; /* of this pod, by a mark-ready */
    bool holds_news;      /* told together with what is heard next: a mark-ready was taken, or has
                           * opened the gate and the health is asked for */
    char key[];           /* "namespace/name" */
} Neighbour;

/* One that nothing is wanted of. */
Neighbour *neighbour_make(Slab *slab, const char *key);
void neighbour_close(Neighbour *n, Slab *slab, Bearers *bearers);

/* Takes over where it is; notices that it is another pod. */
void neighbour_locate(
    Neighbour *n, const ChatPorts *p, Bearers *bearers, const SidecarTarget *target);

/* Its health is wanted; from one that awaits its gate not before that has been opened. */
void neighbour_want_health(Neighbour *n, const ChatPorts *p, bool awaits_gate);

/* What is to be asked of it, and the time for that; INT64_MAX for never. *ret_id is the task. */
Errand neighbour_errand(const Neighbour *n, int64_t *ret_due_ms, const char **ret_id);

/* What came of an errand. */
void neighbour_hear(
    Neighbour *n, const ChatPorts *p, Errand errand, const char *id, const Reading *reading);

/* It did not answer last time. */
bool neighbour_is_suspect(const Neighbour *n);

#endif
