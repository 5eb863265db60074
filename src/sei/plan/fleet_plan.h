/* FleetPlan: what a fleet is rolled to, and how far that has come. Pure: snapshot in, decision out.
 *
 * The target is the template's revision; after a rollback the last complete one. A child is on the
 * target when its own revision is that one, or when it was taken over as it is and the template has
 * not been edited since. There is a rollout for as long as a child in scope is not on the target
 * or, having been written, is not available.
 *
 *     none ──► Active ──► complete: rollout and plan are cleared
 *              │    └───► no progress for too long: held, or rolled back to the complete revision
 *              └────────► the target moved: superseded. An edit back is an edit like any other
 *
 * Order of judgement, in fleet_plan.c: a plan that is not ours or a founding in progress, pause and
 * its end; a template of another chain or mode; first contact with another operator's status;
 * failure of before; the batch (batch.h); then the rollout: supersede, go on, complete, fail, or
 * begin.
 *
 * Invariants (tests/sei/plan/test_fleet_plan.c): asked again with what it decided it decides the
 * same and stores nothing new; whoever takes a fleet over from the reference starts no rollout; a
 * template that failed is not tried again before it or sei.io/retry changes. */
#ifndef SEI_PLAN_FLEET_PLAN_H
#define SEI_PLAN_FLEET_PLAN_H

#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/plan/batch.h"

/* One child, read once. */
typedef struct FleetChild {
    const SeiNode *node;
    const char *revision; /* its own: fleet_child_revision */
    BatchNode health;     /* all but on_target */
    const char *trouble;  /* of its pod, which cannot have its image, in words; or NULL */
} FleetChild;

/* What this process has seen of the fleet before, by the monotonic clock; zero: nothing. Stored
 * times are of the wall clock, which may step, so a deadline passes only when both clocks agree. A
 * process that has just begun lets it pass later, never earlier. */
typedef struct FleetSeen {
    int64_t progress_at_ms; /* of the decision before: the last progress of its rollout */
    int64_t progress_ms;    /* for how long that has been the last one */
    int64_t all_down_ms;    /* for how long Batch.all_down has been true */
} FleetSeen;

typedef struct FleetSnapshot {
    const Fleet *fleet;
    const char *revision; /* of the template: fleet_revision */
    const FleetChild *children;
    size_t count;          /* children that are the fleet's, by ordinal; with `making` at most
                            * FLEET_REPLICAS_MAX */
    const int64_t *making; /* ordinals of children that are made in this moment: on their way */
    size_t making_count;
    const int64_t *foreign; /* ordinals whose place a node of somebody else has */
    size_t foreign_count;
    const char *plan_id;        /* a fresh UUID for a plan that may be built */
    const char *now;            /* RFC 3339 */
    const char *genesis_bucket; /* where the genesis of a founded chain is, or NULL */
    int64_t now_ms;             /* wall clock */
    int64_t working_since_ms;   /* the same: before that nobody, or another operator, worked */
    FleetSeen seen;
} FleetSnapshot;

/* What happened in this decision: each is an event once it is stored. */
typedef struct FleetNews {
    bool started, superseded, completed, failed, rolled_back;
    bool founding, founded, not_founded; /* a ceremony has begun, ended well, ended badly */
    const char *old_hash;                /* of `superseded`: the old rollout.targetHash */
} FleetNews;

typedef struct FleetDecision {
    FleetStatus status; /* rollout, plan, history, nodes, hashes; no counts, phase or conditions */
    FleetNews news;
    bool frozen;         /* paused or just resumed, being deleted, not ours to move, or of another
                          * chain or mode: nothing is written */
    bool resuming;       /* nodes are yet to be told that a pause has ended */
    bool writes_anew;    /* somebody is to be written, and that was not so before */
    const char *stall;   /* why only a person can go on, or NULL */
    Reason stall_reason; /* of that: one of the condition Stalled */
    const char *lost_founders; /* of a chain that has been founded, with another key now; or NULL */
    const char *target;        /* the revision that nodes are rolled to */
    const SeiNode *other; /* a node of another chain or mode than the template, which is then not
                           * for the nodes there are; or NULL */
    bool target_is_complete_revision; /* rolled back: nodes are written from that template */
    BatchNode nodes[FLEET_REPLICAS_MAX];
    BatchVerdict verdicts[FLEET_REPLICAS_MAX]; /* one per child; BATCH_WRITE: now */
    FleetStrategy strategy;                    /* as it was judged by: held after a failure */
    Batch batch;
    int64_t
        progress_at_ms; /* when the rollout last made progress, by stored times; 0: none goes on */
    int64_t look_again_ms; /* when time alone changes the decision; 0: never */
} FleetDecision;

/* Decides into `ret`, which is not to be moved: its parts point at each other. */
void plan_fleet(Arena *a, const FleetSnapshot *snapshot, FleetDecision *ret);

/* A node that is of another chain than the template asks for, or, having run once, of another mode.
 */
bool plan_fleet_is_other(const Fleet *fleet, const SeiNode *node);

/* The first of the replicas that is; or NULL. */
const SeiNode *plan_fleet_find_other(const FleetSnapshot *snapshot);

/* From which revision a child that is made now is made. */
const char *plan_fleet_made_from(const FleetDecision *decision, const char *name);

/* A child was to be written, as before, and the server refused it with these words: they stay for
 * as long as the child is not written, also when a rollout is held because of it. */
void plan_fleet_note_unwritten(
    Arena *a, FleetDecision *decision, const char *name, const char *words);

/* A child is paused, and the server refuses whatever is written to it, be it that its pause is
 * over: nobody waits for it, but it is one of those that are down. */
void plan_fleet_note_unresumed(
    Arena *a, FleetDecision *decision, const char *name, const char *words);

/* Those of a child that was to be written, or NULL. */
const char *plan_fleet_unwritten_words(const FleetStatus *status, const char *name);

/* What is not tried again once it failed: a revision, with the value of sei.io/retry if any. */
const char *plan_fleet_attempt(Arena *a, const char *revision, const char *retry);

#endif
