/* SeidRpc: what a seid answers on its RPC port: the pages of Tendermint that somebody here asks
 * for. GET alone; JSON-RPC by POST is not modelled. */
#ifndef WORLD_SEID_RPC_H
#define WORLD_SEID_RPC_H

#include "kube/status.h"
#include "world/pod.h"

/* The bare result of a page, such as "/status", without an envelope; the query counts for nothing.
 * 404 without a body for a page that is not there. The caller knows that the port is open. */
void seid_rpc_answer(const Pod *p, Arena *a, const char *target, int64_t now_ms, Answer *ret);

#endif
