/* Asks seid of a new node which chain it runs, until that is verified: snapshot.seid_chain. */
#ifndef SEI_RECONCILE_GATHER_SEID_CHAIN_H
#define SEI_RECONCILE_GATHER_SEID_CHAIN_H

#include "sei/reconcile/parts.h"

/* No request is sent for a node that is verified, paused or without a pod. */
void gather_seid_chain(NodePass *p);

#endif
