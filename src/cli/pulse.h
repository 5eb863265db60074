/* Pulse: what a running seid says of itself: its height, the age of its last block, its peers. No
 * object of the cluster holds that, and none should: it changes with every block. So seid's RPC is
 * asked, through the API server at its pod (pods/proxy), with the rights of whoever asks; and what
 * could not be learnt is said with the reason. */
#ifndef CLI_PULSE_H
#define CLI_PULSE_H

#include "base/clock.h"
#include "base/draft.h"
#include "kube/api.h"

#include <stdbool.h>
#include <stdint.h>

enum { PULSE_PATIENCE_MS = 1000 }; /* for one seid */

typedef struct PulsePort {
    Arena *arena;
    Api *api;
    Clock *clock;
    int64_t deadline_ms; /* on the monotonic clock; INT64_MAX: none but the patience */
} PulsePort;

/* Texts are in the arena, or constant. */
typedef struct Pulse {
    const char *node;       /* whose it is */
    const char *why;        /* why nothing else is known; NULL: it is */
    bool is_forbidden;      /* because the asker has no right: asking others is of no use */
    int64_t height;         /* the last block that it has */
    int64_t peers_height;   /* the highest that a peer has told it of; 0: not known */
    int64_t peers;          /* -1: not known */
    const char *block_time; /* of the last block, or NULL */
    bool catches_up;
} Pulse;

/* Asks the seid of a node; `with_peers` costs a second question. */
void pulse_take(const PulsePort *port, Key node, bool with_peers, Pulse *ret);

/* {node, height, peersHeight, peers, blockTime, catchesUp}, or {node, why}. */
Draft *pulse_draft(Arena *a, const Pulse *pulse);

#endif
