/* StartLocks: which nodes use which exclusive resource, and which node is about to start with it.
 *
 * A resource is exclusive when two pods that use it at once do damage: two that sign with one key
 * are slashed, and two that write to one data volume destroy it. Before a pod starts, the other
 * nodes that use the resource are found without a walk over all nodes:
 *
 *     node ── uses ──► resource (kind, namespace, name) ◄── uses ── another node
 *                       │
 *                       └── starter: the node that was let through, and is not seen to run
 *
 * The table says which nodes to look at, never what state they are in: twins.h and volume_start.c
 * look. It may name a node too many, and none too few: it is filled from the caches before the
 * first question, and each node is noted at the beginning of each reconcile, before it could start
 * anything. A node that uses a resource alone need not be in the table: it enters it when it
 * starts.
 *
 * A node has a fixed number of slots for keys, and others for claims. A node that uses more of a
 * kind counts as a user of all resources of that kind in its namespace.
 *
 * A resource has at most one starter. A node becomes the starter before it writes, and stays it
 * until its next reconcile, which begins only when the caches show what it wrote. So of two nodes
 * that come at once, the second sees the starter or the starter's StatefulSet. A write whose
 * outcome is unknown may still be on its way: then the node stays the starter until what it wrote
 * is seen, or for START_DOUBT_MS.
 *
 * All functions take the lock (Guard) themselves. */
#ifndef SEI_TASK_START_LOCKS_H
#define SEI_TASK_START_LOCKS_H

#include "base/arena.h"
#include "kube/attendant.h"
#include "kube/guard.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct StartLocks StartLocks;

enum {
    START_NODES_MAX = 100000,
    START_KEYS_MAX = 8, /* of one node, and so below */
    START_CLAIMS_MAX = 4,
    START_USES_MAX = START_KEYS_MAX + START_CLAIMS_MAX,
    START_DOUBT_MS = 120000, /* twice as long as the server works on a request */
    START_OTHERS_MAX = 64,   /* of one resource; a node that shares it with more is not started */
};

typedef enum ExclusiveKind { EXCLUSIVE_KEY, EXCLUSIVE_CLAIM, EXCLUSIVE_KINDS } ExclusiveKind;

/* A resource in the namespace of the node: the Secret of a signing key, or a data PVC. */
typedef struct Exclusive {
    ExclusiveKind kind;
    const char *name; /* NULL or "": none */
} Exclusive;

Exclusive exclusive_key(const char *secret);
Exclusive exclusive_claim(const char *claim);

/* For at most `nodes_max` nodes. */
StartLocks *start_locks_open(size_t nodes_max);
void start_locks_close(StartLocks *s);

/* What enqueues nodes; before that no node is enqueued. */
void start_locks_bind(StartLocks *s, Guard *guard, Waker *waker);

/* --- filling --- */

/* True: the table is not filled, and the caller fills it: start_locks_see for all there is, then
 * start_locks_filled. Until then no node is let through. Also after the table was too small, and
 * has room again. */
bool start_locks_must_be_filled(StartLocks *s);
void start_locks_see(StartLocks *s, Key node, Exclusive used);
void start_locks_filled(StartLocks *s, bool is_whole);

/* --- what is known of nodes --- */

/* What a node uses: what its spec names, and what its StatefulSet or its pod mounts. */
typedef struct StartNote {
    Exclusive uses[START_USES_MAX];
    size_t count;
    bool is_cut[EXCLUSIVE_KINDS]; /* it uses more of that kind */
    unsigned standing;            /* the caller's: when it changes, the other users are enqueued */
    bool is_seen;                 /* what it started, if it did, is there */
    int64_t now_ms;               /* of the monotonic clock */
} StartNote;

void start_note_add(StartNote *note, Exclusive used);
bool start_note_has_room(const StartNote *note, ExclusiveKind kind);

/* A node as it is now; it starts nothing from here on until it asks again. A node that uses nothing
 * is forgotten. */
void start_locks_note(StartLocks *s, Key node, const StartNote *note);

/* Whether the node is in the table; whether another node than this one uses the resource. */
bool start_locks_knows(StartLocks *s, Key node);
bool start_locks_is_shared(StartLocks *s, Key node, Exclusive used);

/* --- starting --- */

typedef enum StartTurn {
    START_MAY_LOOK,  /* it is the starter now: it looks at the others, and starts or gives up */
    START_MUST_WAIT, /* another node is */
    START_UNKNOWN,   /* not all nodes are known yet, or there are more than can be */
} StartTurn;

/* From here on the table has the node as a user of the resource. */
StartTurn start_locks_take(StartLocks *s, Key node, Exclusive used, int64_t now_ms);
void start_locks_give_up(StartLocks *s, Key node, Exclusive used);

/* It has written, and does not know whether that has come to the server. */
void start_locks_doubt(StartLocks *s, Key node, Exclusive used, int64_t now_ms);

/* The other nodes that use a resource, in the arena; one more than START_OTHERS_MAX when there are
 * too many. */
size_t start_locks_others(StartLocks *s, Arena *a, Key node, Exclusive used, Key **ret);

#endif
