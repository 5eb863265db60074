/* FleetSays: what the files of a fleet's conditions share. */
#ifndef SEI_PLAN_FLEET_SAYS_H
#define SEI_PLAN_FLEET_SAYS_H

#include "sei/plan/fleet_conditions.h"

typedef struct FleetSays {
    Arena *a;
    const FleetSnapshot *s;
    const FleetDecision *d;
    const FleetProgress *progress;
    FleetStatus *status;
    const Fleet *fleet;
    bool is_decided; /* the spec could be read */
} FleetSays;

/* Something that may be true of a child. */
typedef bool ChildQuestion(const FleetSays *t, size_t child);

/* What is said of one. */
typedef const char *ChildText(const FleetSays *t, size_t child);

/* The condition of the reason. */
void fleet_says(FleetSays *t, const char *status, Reason reason, const char *message);

/* A condition stays as it is, and speaks of the spec as it is. */
void fleet_says_again(FleetSays *t, const char *type);

/* --- fleet_nodes.c: nodes by name --- */

/* The child is one of the replicas, not one too many. */
bool child_counts(const FleetSays *t, size_t child);

/* How many of the replicas it is true of. */
int64_t count_children(const FleetSays *t, ChildQuestion *is);

/* "rpc-0, rpc-2 and 3 more": of the replicas those of whom it is true; "" for none. */
const char *name_children(const FleetSays *t, ChildQuestion *is);

/* The same; of those who have been down for a while with what they say of it themselves. */
const char *quote_children(const FleetSays *t, ChildQuestion *is);

/* The same, with any text. */
const char *enumerate_children(const FleetSays *t, ChildQuestion *is, ChildText *text_of);

bool child_is_available(const FleetSays *t, size_t child);
bool child_is_unavailable(const FleetSays *t, size_t child);

/* Only a person can go on with it, be it available or not: failed, or stalled itself. Not while its
 * pod alone is the trouble and a rollout may still replace that. */
bool child_is_stuck(const FleetSays *t, size_t child);

/* It runs on as it did before, since it cannot become what it is asked to be. */
bool child_refuses(const FleetSays *t, size_t child);

/* It is not available, and will be by itself. */
bool child_is_awaited(const FleetSays *t, size_t child);

/* It is to be written sooner or later. */
bool child_is_pending(const FleetSays *t, size_t child);

/* Its pod is not made from what it asks for. And: it will be, without a person. */
bool child_drifts(const FleetSays *t, size_t child);
bool child_will_follow(const FleetSays *t, size_t child);

/* It says nothing of its spec as it is now: what it says of itself is about an older one. */
bool child_is_unheard(const FleetSays *t, size_t child);

/* Replicas that do not exist, and nodes beyond the replicas. */
int64_t missing_children(const FleetSays *t);
int64_t surplus_children(const FleetSays *t);

/* --- the conditions of each file --- */

void fleet_says_up_to_date(FleetSays *t);

/* fleet_identity.c: which nodes are of another chain or mode than the template, and what to do
 * next. To be asked when FleetDecision.other is set. */
const char *fleet_identity_text(const FleetSays *t);

/* PlanInProgress, RolloutInProgress, GenesisCeremonyComplete, NodesReady, NetworkingReady. */
void fleet_says_as_reference(FleetSays *t);

#endif
