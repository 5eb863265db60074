/* Batch: which nodes of a fleet an update may take down now, and why the others wait. One pure
 * decision, asked again whenever something changes; it remembers nothing, so it can be interrupted
 * anywhere.
 *
 *   in flight   on the target, and not available (yet), or refusing it
 *   down        once Running, and not available, for whatever reason
 *   halted      every node in scope: container seid is down, or its own readiness probe fails, for
 *               a minute after it had been Ready. A helper container that is not Ready is no halt
 *   budget      maxUnavailable, at least 1; of validators never so many that the chain stops
 *
 * A node may be written while in flight < budget and (it does not serve anyway, or its update is
 * under way and stops it anyway, or of the others fewer than the budget are down). Those that are
 * out anyway come first, then those that are down, then the highest ordinal. So a broken node never
 * blocks its own cure or its own revert, and a bad image stops after the budget. A fleet that
 * stands still as a whole (an upgrade height) is written at once: there is nothing left to protect.
 * A pause is no such thing: nodes that come back from one have half of the progress deadline first,
 * so that a halted chain is still updated before a rollout fails.
 *
 * A node that serves, but not for minReadySeconds yet or not for much longer, is down for all
 * others, but is not written like one that does not serve.
 *
 * Invariants (tests/sei/plan/test_every_fleet.c, every fleet of up to 6 nodes): of nodes that are
 * available never more are taken down than the budget has left, sick ones included; a node waits
 * only for a reason that is true, and never for itself; below the partition, on hold, paused or
 * leaving nothing is written. */
#ifndef SEI_PLAN_BATCH_H
#define SEI_PLAN_BATCH_H

#include "sei/api/fleet.h"

enum { BATCH_HALTED_MS = 60000 }; /* so long every seid of a halted fleet must have been down */

/* One node of the fleet, as stored state has it; one that is made in this very moment, too. */
typedef struct BatchNode {
    int64_t ordinal;
    bool on_target;  /* written with the target, be it observed or not */
    bool serves;     /* its pod is Ready and its sidecar not unready */
    bool updating;   /* its update plan is Active; then it is disturbed as well */
    bool disturbed;  /* about to stop: its update plan is Active, a write of its spec was not
                      * observed yet, or its pod is still to follow its spec */
    bool awaits;     /* somebody else than its fleet wrote its spec: its pod follows when the fleet
                      * says so; until then nothing disturbs it */
    bool refuses;    /* what it was written with; it runs as it did before, and is available */
    bool once_ready; /* it was Running at some time */
    bool paused;     /* or scaled to 0 by hand: somebody has taken it out */
    bool resumed; /* it was paused, and has not served since: it may have much to catch up with */
    bool failed;
    bool leaving;     /* being deleted */
    int64_t since_ms; /* for how long it has been serving, or has not, since its last pause */
    bool seid_down;   /* container seid is down or fails its own probe, and was Ready before that */
    int64_t down_ms;  /* of seid_down: for how long, since its last pause */
} BatchNode;

typedef enum BatchVerdict {
    BATCH_WRITE,           /* now */
    BATCH_UPDATED,         /* on the target and available */
    BATCH_COMING,          /* on the target, and not available yet: in flight */
    BATCH_FAILED,          /* on the target, and failed: nobody waits for it */
    BATCH_PAUSED,          /* left alone, and nobody waits for it */
    BATCH_BELOW_PARTITION, /* keeps its revision */
    BATCH_SURPLUS,         /* beyond the replicas: scaled away */
    BATCH_LEAVING,         /* being deleted: it comes back on the target */
    BATCH_HELD,            /* waits: updateStrategy.hold, or the deadline has passed */
    BATCH_IN_FLIGHT,       /* waits: as many as the budget are in flight */
    BATCH_DOWN,            /* waits: as many as the budget are down */
    BATCH_VERDICT_COUNT,
} BatchVerdict;

/* A fleet has halted when its stored times and the monotonic clock agree: the wall clock may step.
 */
typedef struct Batch {
    const FleetStrategy *strategy;
    int64_t replicas;
    bool validators;        /* a chain stops without two thirds of them */
    bool caused_by_spec;    /* an edit; not the operator's own version or settings */
    bool overdue;           /* the rollout has stopped at its deadline: as if on hold */
    const BatchNode *nodes; /* by ordinal, the lowest first */
    size_t count;
    int64_t all_down_seen_ms; /* for how long all_down was seen to be so, by the monotonic clock */
    BatchVerdict *verdicts;   /* filled: one per node */
    /* filled */
    int64_t budget;
    size_t in_flight, down; /* before anything is written */
    size_t write_count;
    bool all_down;         /* the seid of every node in scope is down, since whenever */
    bool halted;           /* and has been for long enough: no budget */
    bool complete;         /* nothing to write and nothing to wait for */
    bool everywhere;       /* every replica is there and on the target, and no partition holds */
    int64_t look_again_ms; /* when time alone changes a verdict; 0: never */
} Batch;

/* Reads a node and its pod (NULL: none), both as cached: all but ordinal and on_target. Whether a
 * node is available is asked of nobody else, by fleets and standalone nodes alike. */
void batch_node_read(const SeiNode *node, const Json *pod, int64_t now_ms, BatchNode *ret);

/* The stored status proves that the node was Ready once, also one without status.seid, as older
 * operators wrote it. */
bool batch_node_was_ready(const SeiNode *node);

/* The same in two steps, for who cannot have both in hand. A NULL pod does not serve. */
typedef struct BatchPod {
    bool serves;
    bool seid_is_ready;
    int64_t since_ms; /* as the pod says; 0: it does not serve, or does not say */
} BatchPod;
BatchPod batch_pod_read(const Json *pod);
void batch_node_read_by(const SeiNode *node, BatchPod pod, int64_t now_ms, BatchNode *ret);

/* Its fleet went while the node awaited it, and nobody has edited it since: it follows its spec
 * when it has its turn, as after a change of the operator, so that of all these nodes none go at
 * once. */
bool batch_is_left_waiting(const SeiNode *node);

/* How many nodes may be down at once: of `replicas`, never 0. */
int64_t batch_budget(const FleetStrategy *strategy, int64_t replicas, bool validators);

/* The node counts as one that serves: for minReadySeconds, and nothing is about to stop it. */
bool batch_is_available(const FleetStrategy *strategy, const BatchNode *node);

/* Decides. `batch->verdicts` has room for `count`. */
void plan_batch(Batch *batch);

/* The verdict on one node in a sentence for people; `name` is of the fleet. */
const char *batch_sentence(Arena *a, const Batch *batch, size_t node, const char *name);

/* The node is yet to be written, now or later. */
bool batch_is_pending(BatchVerdict verdict);

/* How a verdict stands in status.rollout.nodes. */
RolloutState batch_state(BatchVerdict verdict);

#endif
