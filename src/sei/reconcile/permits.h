/* Permits: who may be stopped because the operator itself has changed. An upgrade then rolls
 * through the nodes instead of restarting all at once.
 *
 * Each domain has its own budget: the nodes of a fleet, and the nodes of a chain in a namespace
 * that belong to no fleet. What is decided, and from what, stands in plan/permit.h; here is the
 * ledger of what was given and does not show in stored state yet: permits, and the nodes that the
 * rollout of a fleet is about to write. All of a decision but reading the nodes happens under the
 * guard, so two workers never spend one budget twice.
 *
 * Who holds a permit stands in status: a node with an Active plan of cause "platform", until it is
 * available again. After a start the ledger is filled from there before the first is given.
 *
 * Who gets none stands in line, those that do not serve in front, and is woken when it may be his
 * turn: a permit was given back, or the domain has changed otherwise. Between two such moments
 * nobody reads the domain again: who comes is told of the line. */
#ifndef SEI_RECONCILE_PERMITS_H
#define SEI_RECONCILE_PERMITS_H

#include "kube/attendant.h"
#include "kube/ctx.h"
#include "kube/guard.h"
#include "kube/key.h"
#include "sei/api/node.h"

#include <stdbool.h>

typedef struct Permits Permits;

enum {
    PERMITS_NODES_MAX = 16384, /* in the ledger: that hold, are reserved, wait or are down */
    PERMITS_LINE_MAX = 128,    /* in a domain: who is one too many looks again by himself */
    PERMITS_TRUST_MS = 60000,  /* so long a refusal holds for all who come after */
};

/* Which nodes share a budget. */
typedef struct PermitDomain {
    bool is_fleet;
    const char *namespace;
    const char *name; /* of the fleet, or of the chain */
} PermitDomain;

/* The domain of a SeiNode, as its controller and its chain say. */
PermitDomain permits_domain_of(const Json *node);
PermitDomain permits_domain_of_fleet(Key fleet);

/* An empty ledger; `platform_max` is the budget of nodes that belong to no fleet. */
Permits *permits_open(int64_t platform_max);
void permits_close(Permits *p);

/* Whom to wake with: without it nobody is woken. */
void permits_bind(Permits *p, Waker *waker);

/* Nodes in the ledger. Under the guard. */
size_t permits_count(const Permits *p);

/* --- nodes; none of these under the guard --- */

typedef struct PermitAsk {
    const SeiNode *node;
    const Json *pod; /* or NULL */
} PermitAsk;

typedef struct PermitAnswer {
    bool granted;
    const char *sentence;  /* of one that is not: what it waits for */
    int64_t look_again_ms; /* when to ask again, if nobody wakes it earlier */
} PermitAnswer;

/* Takes a permit for a node, or keeps the one it has. */
Err *permits_take(
    Ctx *c, Permits *p, Guard *guard, const PermitAsk *ask, PermitAnswer *ret) MUST_CHECK;

/* How a node stands after it was reconciled. */
typedef struct PermitStanding {
    const SeiNode *node; /* as it was read */
    const Json *pod;     /* as it was read, or NULL */
    bool holds;          /* by what is stored now, or was when it was read */
    bool waits;          /* it was refused a permit, and still wants one */
} PermitStanding;

/* Takes note of it. Others may have their turn now, and are woken. */
void permits_settle(Permits *p, Guard *guard, const PermitStanding *standing);

/* The node is gone, or about to go: it neither holds nor wants anything. */
void permits_forget(Permits *p, Guard *guard, Key node);

/* Whether a stored node counts as a holder. */
bool permits_is_holder(const SeiNode *node);

/* --- fleets --- */

/* A domain is not what it was, in a way that its nodes do not show: hold was lifted, a budget was
 * raised. Not under the guard. */
void permits_changed(Permits *p, Guard *guard, PermitDomain domain);

/* Under the guard, in one section with the decision of what to write: the node has a permit and is
 * about to stop, and: it is about to be written. False when the ledger is full: then it is not to
 * be written now. */
bool permits_is_held(const Permits *p, Key node);
bool permits_reserve(Permits *p, Key fleet, Key node) MUST_CHECK;

/* The fleet has read its nodes and has seen all that it wrote: from now on they show it
 * themselves. Not under the guard. */
void permits_unreserve(Permits *p, Guard *guard, Key fleet);

#endif
