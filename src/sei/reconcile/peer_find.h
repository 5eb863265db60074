/* PeerFind: the peers of one node, from the index. */
#ifndef SEI_RECONCILE_PEER_FIND_H
#define SEI_RECONCILE_PEER_FIND_H

#include "sei/reconcile/peer_index.h"
#include "sei/reconcile/peers.h"

/* Nothing has changed for it since its peers were found last, and they are what is stored. */
bool peer_is_settled(const PeerNode *node, const Json *before);

/* Finds them; see peers_resolve. */
PeersFound peer_find(PeerIndex *x, Arena *a, PeerNode *node, const Json *before);

#endif
