/* FleetParts: what the files of fleet plans share. One decision in the making is a FleetPlanning;
 * each file judges one thing about it and writes into the decision. */
#ifndef SEI_PLAN_FLEET_PARTS_H
#define SEI_PLAN_FLEET_PARTS_H

#include "sei/plan/fleet_plan.h"

typedef struct FleetPlanning {
    Arena *a;
    const FleetSnapshot *s;
    const Fleet *fleet;
    FleetDecision *d;
    FleetStatus *status;
    const char *template_hash; /* of the template as it is, by the reference's algorithm */
    const char *attempt;
    bool is_restart_known;      /* of a target that is not the template */
    const char *target_restart; /* that one; NULL: it asks for none */
    bool inherits; /* what an unfinished rollout has left on the target is this one's from now on */
} FleetPlanning;

/* What this template, as it is asked for, has failed at before. */
bool plan_fleet_has_failed(const FleetPlanning *p);

/* The child is what the target asks for. A restart that it has honoured since takes it off no
 * template that asks for an older one or for none, be it the fleet's or one of before. */
bool plan_fleet_has_target(const FleetPlanning *p, const FleetChild *child);

/* The same of a target that was given up: as far as the child alone can tell. */
bool plan_fleet_has_reached(const FleetPlanning *p, const FleetChild *child, const char *revision);

/* Somebody is yet to be written, now or later. */
bool plan_fleet_has_pending(const FleetDecision *d);

/* fleet_takeover.c: a status that another operator wrote is made ours. */
void plan_fleet_take_over(FleetPlanning *p);

/* fleet_plan.c: the plan goes to the history, if there is one. */
void plan_fleet_end_plan(FleetPlanning *p, const char *result, const char *message);

/* fleet_genesis.c: the fleet is to found a chain and has not. And: what is to be done for that. */
bool plan_fleet_is_founding(const FleetPlanning *p);
void plan_fleet_found(FleetPlanning *p);

/* fleet_identity.c: whether the template is one of another chain or mode than the nodes are of; it
 * is not for them then, and only a person can go on. */
void plan_fleet_identity(FleetPlanning *p);

/* fleet_founders.c: something that may be true of a founder. */
typedef bool FounderQuestion(const FleetPlanning *p, size_t child);

/* The child is one of the nodes that found the chain. */
bool plan_fleet_is_founder(const FleetPlanning *p, size_t child);

/* "v-1, v-2, v-5 and 3 more": the founders of whom it is true; NULL: of none. */
const char *plan_fleet_name_founders(const FleetPlanning *p, FounderQuestion *is);

/* The genesis counts on the keys that the founders have: remembers the volumes that they are on.
 * `handed_over` is the task that handed them over; NULL: it is no longer known. */
void plan_fleet_note_keys(FleetPlanning *p, const PlannedTask *handed_over);

/* A founder whose key the genesis counts on, and who has it no more; or NULL. */
const char *plan_fleet_lost_founder(const FleetPlanning *p, const PlannedTask *handed_over);

/* The chain has been founded: who of the founders has another key since. */
void plan_fleet_keep_founders(FleetPlanning *p);

/* Looks again after so long, or earlier if that was wanted already. */
void plan_fleet_look_again(FleetPlanning *p, int64_t after_ms);

/* fleet_progress.c: nothing has moved for too long. If not, it says when to look again. */
bool plan_fleet_is_overdue(FleetPlanning *p);

/* A pause has ended, and nodes are yet to be told so; not for ever, if one cannot be. */
bool plan_fleet_is_resuming(FleetPlanning *p);

/* When what began at `since` began to run: then, or at the end of a pause after that. */
int64_t plan_fleet_running_since_ms(const FleetPlanning *p, const char *since);

/* fleet_tell.c: what is recorded of a node, and when this rollout wrote a child; or nothing. And:
 * how far each is, into the status. */
FleetNode plan_fleet_recorded(const FleetStatus *status, const char *name);
const char *plan_fleet_written_at(const FleetStatus *status, const SeiNode *child);
void plan_fleet_tell_nodes(FleetPlanning *p);
void plan_fleet_tell_rollout(FleetPlanning *p);

/* The child is to be written, and was the last time: nothing has come of it. */
bool plan_fleet_is_written_again(const FleetPlanning *p, size_t child);

#endif
