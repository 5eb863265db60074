/* Permit: whether a node may be stopped now because the operator itself has changed. One pure
 * decision about one node, from all nodes of its domain.
 *
 * A domain shares a budget: the nodes of a fleet, by its updateStrategy, or the nodes of one chain
 * in one namespace that belong to no fleet, by --platform-max-unavailable. Rollouts of the fleet
 * spend the same budget (batch.h).
 *
 *   in flight   has a permit, is reserved by a rollout, or its update plan is Active
 *   down        in flight, or not available; one that never was Running does not count, nor among
 *               nodes of no fleet one that is paused, scaled to 0, failed or being deleted
 *
 * A node may be stopped while in flight < budget and (it does not serve anyway or down < budget),
 * itself not counted.
 *
 * Invariants (tests/sei/plan/test_permit.c, every domain of up to 4 nodes): of nodes that serve
 * never more are stopped than the budget has left; who waits is told for whom, or for what. */
#ifndef SEI_PLAN_PERMIT_H
#define SEI_PLAN_PERMIT_H

#include "sei/plan/batch.h"

typedef struct PermitNode {
    const char *name;
    BatchNode health;
    bool held; /* it has a permit, or is reserved */
} PermitNode;

typedef struct PermitQuestion {
    const char *domain;            /* for people: "fleet rpc" */
    const char *limit;             /* where the budget comes from: "--platform-max-unavailable" */
    const char *closed;            /* why nothing at all may be stopped, or NULL */
    const FleetStrategy *strategy; /* NULL: the nodes are of no fleet */
    int64_t replicas;              /* of the fleet */
    int64_t budget;
    const PermitNode *nodes; /* all of the domain */
    size_t count;
    const PermitNode *asker; /* one of them, who does not count; NULL: all count */
} PermitQuestion;

typedef struct PermitVerdict {
    bool granted;
    bool full; /* not even one that does not serve gets a permit next */
    size_t in_flight, down;
    const char *sentence;  /* what stands against it; of one that is granted NULL */
    int64_t look_again_ms; /* when time alone changes the verdict; 0: never */
} PermitVerdict;

/* The node is missed, by its own state alone; `strategy` NULL: it is of no fleet. */
bool permit_is_down(const FleetStrategy *strategy, const BatchNode *node);

void plan_permit(Arena *a, const PermitQuestion *question, PermitVerdict *ret);

enum { PERMIT_NAMED_MAX = FLEET_REPLICAS_MAX };

/* What is said to those who come when it is known already that nobody gets one; the question has no
 * asker. In a domain of more than PERMIT_NAMED_MAX nodes it names nobody: what thousands wait for
 * is not written anew whenever the next has its turn. */
const char *permit_line_sentence(Arena *a, const PermitQuestion *question);

/* Why no node of a fleet may be stopped: on hold, paused, being deleted, a failed rollout that is
 * held. NULL: nothing stands against it. */
const char *permit_fleet_closed(Arena *a, const Fleet *fleet);

#endif
