/* Peers: which of them the planner refuses, and how many a node may ask for. */
#ifndef SEI_PLAN_PEERS_H
#define SEI_PLAN_PEERS_H

#include "sei/api/node.h"

enum {
    PEER_SOURCES_MAX = 64,  /* of kind label, of one node */
    PEER_SELECTOR_MAX = 32, /* labels of one source */
};

/* Whether the peers can be found that the spec asks for by label. ERR_TERMINAL: there are too many
 * sources, or one is in a namespace that is not watched (of `namespaces`, ended by NULL; NULL: all
 * are). */
Err *plan_check_peers(Arena *a, const SeiNode *node, const char *const *namespaces) MUST_CHECK;

#endif
