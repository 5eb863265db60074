/* ChainCheck: a new node counts as Ready only when seid itself reports the chain that the node was
 * initialized for. Task results do not prove it: on a volume with the sidecar's marker files,
 * configure-genesis completes and leaves the genesis.json of another chain. */
#ifndef SEI_PLAN_CHAIN_CHECK_H
#define SEI_PLAN_CHAIN_CHECK_H

#include "sei/plan/parts.h"

/* The chain of the node is not verified yet. */
bool plan_awaits_chain(const NodeSnapshot *snapshot, const NodeIdentity *identity);

/* Stalls a node whose seid reports another chain. */
void plan_tell_wrong_chain(Planning *p);

#endif
