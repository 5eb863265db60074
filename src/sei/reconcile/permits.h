/* Permits: how many pods may be stopped at a time because the operator itself has changed. An
 * upgrade then rolls through the nodes instead of restarting all at once.
 *
 * Who holds one stands in status: a node with an Active plan of cause "platform", until it is
 * available again. After a start the table is filled from there before the first is given. */
#ifndef SEI_RECONCILE_PERMITS_H
#define SEI_RECONCILE_PERMITS_H

#include "base/slab.h"
#include "kube/attendant.h"
#include "kube/ctx.h"
#include "kube/guard.h"
#include "kube/key.h"
#include "sei/api/node.h"

#include <stdbool.h>

typedef struct Permits Permits;

enum {
    PERMITS_MAX = 1000,         /* holders at a time */
    PERMITS_WAITERS_MAX = 1024, /* who is one too many looks again by himself */
};

/* No holders, and at most `limit` of them. */
Permits *permits_open(int64_t limit);
void permits_close(Permits *p);

/* Whom to wake with: without it nobody is woken. */
void permits_bind(Permits *p, Waker *waker);

/* Takes a permit for a node, or keeps the one it has. Reads all nodes once. Who gets none waits in
 * line, and is woken when it is his turn. */
Err *permits_take(Ctx *c, Permits *p, Guard *guard, Key node, bool *ret) MUST_CHECK;

/* The node holds none any more. Wakes the first in line, while one is free:
 * also when the node held none, because he who was woken may not have needed it. Not under the
 * guard. */
void permits_release(Permits *p, Guard *guard, Key node);

/* Whether a stored node counts as a holder. */
bool permits_is_holder(const SeiNode *node);

#endif
