/* FleetSums: what a fleet is in numbers, and in the one word of its phase. The phase and
 * readyReplicas keep the meaning that the reference gave them; whether nodes serve is said by
 * availableReplicas. */
#ifndef SEI_PLAN_FLEET_SUMS_H
#define SEI_PLAN_FLEET_SUMS_H

#include "sei/plan/fleet_plan.h"

/* Counts, selector, incumbents and phase, into the status of the decision; observedGeneration with
 * them. To be called once, last. */
void plan_fleet_sums(Arena *a, const FleetSnapshot *snapshot, FleetDecision *decision);

#endif
