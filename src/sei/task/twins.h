/* Twins: two nodes of one namespace with the same signing key. Judged here is how another node
 * stands to such a key, by what the caches show of it. Its own word (spec.paused, that it is being
 * deleted) counts only together with what is there of it: a pod that is terminating signs until it
 * is gone. */
#ifndef SEI_TASK_TWINS_H
#define SEI_TASK_TWINS_H

#include "base/err.h"
#include "kube/ctx.h"
#include "sei/api/node.h"
#include "sei/task/start_locks.h"

typedef struct Twin {
    Key node;
    bool runs;     /* a pod with the key is there, or its StatefulSet makes one */
    bool may_sign; /* it runs; or somebody has scaled it to 0 by hand, and may scale it back */
    bool is_first; /* it does neither, but wants to, and before this node does */
} Twin;

typedef struct Twins {
    Twin items[START_OTHERS_MAX];
    size_t count;
    bool too_many; /* to be looked at: then none was */
} Twins;

/* All that have to do with a Secret besides the node, as the caches show them. */
Err *twins_find(
    Ctx *c, StartLocks *s, const SeiNode *node, const char *secret, Twins *ret) MUST_CHECK;

/* The first of them that runs, may sign, or is to start before the node; NULL: none. */
const Twin *twins_that_runs(const Twins *twins);
const Twin *twins_that_may_sign(const Twins *twins);
const Twin *twins_that_is_first(const Twins *twins);

/* A pod with the Secret is there, or the StatefulSet makes one. */
bool twins_runs(const Json *statefulset, const Json *pod, const char *secret);

/* What the table is to know of a node: of the stored object (NULL: it is gone), and of what the
 * caches show of its StatefulSet and its pod. */
StartNote twins_note(const Json *node, const Json *statefulset, const Json *pod);

/* The Secret that a stored SeiNode names as its signing key, or NULL. */
const char *twins_secret_in(const Json *node);

#endif
