/* Peers: who is whose peer, and by which address. Nodes find each other by labels; what a node is
 * called its own sidecar says. All of it is in memory: filled from the cache of nodes when the
 * first one asks for peers by label, and kept right by the reconcile of each node.
 *
 *     a node's reconcile ──► note, name ──► its groups have changed
 *                                              │ after a while, once for all that changed meanwhile
 *     whoever asks for them is woken ◄─────────┘
 *
 * The while is 2 s for a group at rest and doubles up to 30 s for one that keeps changing: the
 * birth of a large fleet does not cost a status write per node and newcomer.
 *
 * Every function wants the guard held. */
#ifndef SEI_RECONCILE_PEERS_H
#define SEI_RECONCILE_PEERS_H

#include "base/json.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Peers Peers;

enum {
    PEERS_PAUSE_MS = 2000,
    PEERS_PAUSE_MAX_MS = 30000,
    PEERS_CALM_MS = 60000,     /* at rest for so long: the short pause again */
    PEERS_TEXT_MAX = 32 << 10, /* bytes of one node's peers: what sorts behind is left out. With
                                * all its copies it is part of the sum in sei/plan/check.c */
    PEERS_ADDRESS_MAX = 300,
    PEERS_ASK_PAUSE_MS = 5000, /* after an id that could not be read, doubled up to */
    PEERS_ASK_PAUSE_MAX_MS = 300000,
};

Peers *peers_open(void);
void peers_close(Peers *p);

/* --- filling --- */

/* True: nobody has filled it, and the caller does: peers_see for all nodes, then peers_filled.
 * Until then others see nothing, and nobody's peers are known. */
bool peers_must_be_filled(Peers *p);
void peers_see(Peers *p, const Json *node);
void peers_filled(Peers *p, bool is_whole, int64_t now_ms);

/* --- what is known of nodes --- */

/* A node as it is. `asks` is its spec.peers; NULL when it wants to know of nobody now. */
void peers_note(Peers *p, const Json *node, const Json *asks, int64_t now_ms);

/* It is gone, or on its way. */
void peers_forget(Peers *p, Key node, int64_t now_ms);

/* Somebody else wants to know what this node is called, and this pod has not said so yet. */
bool peers_want_name(Peers *p, Key node, const char *pod_uid);

/* How long the pod is not asked, because its id could not be read before. 0: ask now. */
int64_t peers_name_pause_ms(Peers *p, Key node, const char *pod_uid, int64_t now_ms);

/* Its id cannot be read, and `why` not. Gives the pause until it is asked again: 5 s, doubled up to
 * 5 minutes. A new pod is asked at once. */
int64_t peers_name_failed(Peers *p, Key node, const char *pod_uid, const char *why, int64_t now_ms);

/* It has. */
void peers_name(Peers *p, Key node, const char *pod_uid, const char *node_id, int64_t now_ms);

/* --- the answer --- */

typedef struct PeersFound {
    bool is_known; /* else nothing can be said yet, and `resolved` is what was known before */
    const Json *resolved; /* for status.resolvedPeers: sorted, each once; NULL: none */
    size_t matched;     /* nodes that labels name, known or not; counted only while none is known */
    const char *silent; /* one of those that has not said its id, or NULL */
    const char *silent_why; /* why the id of that one cannot be read, or NULL */
} PeersFound;

/* The peers of a node by label. One that has not said its id keeps the entry that it had `before`,
 * by its address. `before` itself is given back when nothing has changed. */
PeersFound peers_resolve(Peers *p, Arena *a, Key node, const Json *before);

/* --- telling --- */

/* When somebody is to be told; INT64_MAX for never. */
int64_t peers_due_ms(const Peers *p);

/* Takes the next group that is due, and gives those to be woken, in the arena; 0: none is due. */
size_t peers_take_due(Peers *p, Arena *a, int64_t now_ms, Key **ret);

typedef struct PeersFigures {
    size_t nodes, groups;
    uint64_t work; /* nodes and groups that were looked at so far */
} PeersFigures;
PeersFigures peers_figures(const Peers *p);

#endif
