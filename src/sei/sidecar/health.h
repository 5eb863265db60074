/* Health: what is known of one sidecar's readiness, and when it is asked next: at once for a new
 * pod and after a completed mark-ready, then every 30 s, spread over that time so that thousands of
 * nodes are asked evenly. */
#ifndef SEI_SIDECAR_HEALTH_H
#define SEI_SIDECAR_HEALTH_H

#include "sei/sidecar/chat.h"

/* The zero value is not asked. */
typedef struct Health {
    int64_t due_ms;
    int64_t backoff_ms;
    SlabText message;
    ProbeHealth health;
    bool is_wanted, is_spread;
    bool is_held; /* it would say nothing yet */
} Health;

/* When it is to be asked; INT64_MAX for not now. */
int64_t health_due_ms(const Health *h);

/* It is wanted from now on. */
void health_want(Health *h, const ChatPorts *p);

/* Another pod, or another state of its gate: nothing is known of it, and it is asked at once. */
void health_move(Health *h, const ChatPorts *p);

/* What came of asking. */
void health_hear(Health *h, const ChatPorts *p, const Reading *reading);

#endif
