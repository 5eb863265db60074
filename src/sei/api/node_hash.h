/* NodeHash: what a spec asks for, in 16 hex digits. A plan carries such a hash out; when the spec's
 * own moves away from it, the plan is superseded, and by nothing else.
 *
 * A Running node is hashed by its recorded identity (chain, mode, claim), as it is rendered: an
 * edit that would move it changes no hash. */
#ifndef SEI_API_NODE_HASH_H
#define SEI_API_NODE_HASH_H

#include "sei/api/node.h"

/* Of the fields that feed the pod template, with the restart that is asked for: what an update
 * carries out, and what status.specHash records. */
const char *node_spec_hash(Arena *a, const SeiNode *node);

/* Of every field that an init carries out: those, and snapshot, overrides, peers, external address,
 * volume, snapshot generation, genesis ceremony. */
const char *node_init_hash(Arena *a, const SeiNode *node);

/* Of the fields that only an init reads: what status.setupHash records. An edit of them takes
 * effect at the next set-up. */
const char *node_setup_hash(Arena *a, const SeiNode *node);

/* The newest restart ever asked for and honoured, and what is asked now: the later of both, or
 * NULL. What is asked now counts as later when one of them is no time. */
const char *node_restarted_at(const SeiNode *node);

/* The identity by which a node is rendered and hashed: recorded, of a Running node; else the
 * spec's. The claim is the imported one or that of name_data_volume. */
const char *node_chain_id(const SeiNode *node);
NodeMode node_mode(const SeiNode *node);
const char *node_claim(Arena *a, const SeiNode *node);

#endif
