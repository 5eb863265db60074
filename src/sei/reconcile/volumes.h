/* Volumes: whether a data volume outlives its node, and what is written on it for that. */
#ifndef SEI_RECONCILE_VOLUMES_H
#define SEI_RECONCILE_VOLUMES_H

#include "sei/reconcile/parts.h"

/* Takes the owner reference off the data volume while it is to be kept, and puts it back. */
Err *keep_volume_policy(NodePass *p) MUST_CHECK;

/* Takes the owner reference off a volume that is to be kept. */
Err *give_up_volume(NodePass *p, const Json *volume) MUST_CHECK;

/* Whether a data volume outlives its node. `node` is live. */
Err *volume_is_retained(Ctx *c, const Json *node, bool *ret) MUST_CHECK;

/* Who else uses the claim, live: another SeiNode that names it in its spec or status, or a pod of
 * another node that mounts it. A sentence about the first one found, or NULL. */
Err *find_volume_user(NodePass *p, const char *claim, const char **ret) MUST_CHECK;

#endif
