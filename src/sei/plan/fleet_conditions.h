/* FleetConditions: what is said about a fleet, all of it, at every write. Pure.
 *
 * Tools read Ready, Reconciling and Stalled (kstatus): they never come out as Current while
 * something is left to do. A fleet is Ready when all its replicas exist, are available and on what
 * the template asks for; those below the partition are asked to stay as they are. It is Available
 * when so many nodes are that a rollout would not have to stop: replicas less the budget, and at
 * least one.
 *
 * Invariants (tests/sei/plan/test_every_fleet_condition.c): all conditions are there, about the
 * spec as it is; Stalled excludes Reconciling; paused and stalled fleets are not Ready; one that is
 * neither Ready, Reconciling nor Stalled is paused, held, or has nodes that people took out. */
#ifndef SEI_PLAN_FLEET_CONDITIONS_H
#define SEI_PLAN_FLEET_CONDITIONS_H

#include "sei/api/condition.h"
#include "sei/plan/fleet_plan.h"

/* What others found out about one condition. */
typedef struct FleetSaying {
    const char *status; /* "True", "False", "Unknown"; NULL: nothing new */
    Reason reason;      /* one of that condition, a FLEET_REASON_ */
    const char *message;
} FleetSaying;

/* What a pass found besides the plan. */
typedef struct FleetProgress {
    bool waits;             /* something is waited for, be it told or not */
    const char *waiting;    /* what is waited for, when it is to be told; or NULL */
    bool waiting_is_error;  /* it went wrong, and is tried again */
    bool trouble_is_new;    /* it names a pod that cannot have its image, and nothing did before */
    const char *reason;     /* of `waiting`, a word of condition.h, or NULL. One of the condition
                             * Stalled says that only a person can go on */
    bool child_unwritten;   /* a child could not be brought to what it should be */
    bool child_written;     /* a child was written in this moment, and has not looked at it yet */
    FleetSaying networking; /* of NetworkingReady */
    FleetSaying founding;   /* of GenesisCeremonyComplete: InvalidGenesis and Failed are stalls */
} FleetProgress;

/* What the fleet waits for, and the nodes that are waited for in their own words; NULL: nothing.
 * It goes into FleetProgress.waiting once it has lasted long enough to be told; its reason, where
 * it has one of its own, into `reason`. */
const char *plan_fleet_waiting(
    Arena *a, const FleetSnapshot *s, const FleetDecision *d, const char **reason);

/* What is waited for names a pod that cannot have its image, and none has been told of yet. */
bool plan_fleet_trouble_is_new(Arena *a, const FleetSnapshot *s, const char *waiting);

/* All conditions, into `status`, which has its counts and phase already. To be called once, last. A
 * spec that cannot be read has no decision: `d` then has nothing but its status, and `progress`
 * says what is wrong. */
void plan_fleet_conditions(Arena *a, const FleetSnapshot *s, const FleetDecision *d,
    const FleetProgress *progress, FleetStatus *status);

/* What is said of a fleet that is being deleted: it is not Ready, and goes when its nodes are gone.
 * The rest stays as it was. */
void plan_fleet_ending(Arena *a, const Fleet *fleet, const char *now, FleetStatus *status);

#endif
