/* FleetClocks: for how long this process has seen a fleet as it is, by the monotonic clock: with
 * the same last progress of its rollout, and with every seid down. Stored times are of the wall
 * clock, which may step. A deadline passes only when both clocks agree.
 *
 * In memory only: after a restart the times count from 0, so a deadline passes later, never
 * earlier.
 */
#ifndef SEI_RECONCILE_FLEET_CLOCKS_H
#define SEI_RECONCILE_FLEET_CLOCKS_H

#include "kube/key.h"
#include "sei/plan/fleet_plan.h"

typedef struct FleetClocks FleetClocks;

/* Fleets with a rollout or a halt at the same time. What is seen of one more is forgotten, and its
 * deadlines wait until there is room. */
enum { FLEET_CLOCKS_MAX = 20000 };

FleetClocks *fleet_clocks_open(void);
void fleet_clocks_close(FleetClocks *t); /* accepts NULL */

/* What the planner is told of a fleet; zero when nothing was noted. The guard is held, here and
 * below. */
FleetSeen fleet_clocks_read(FleetClocks *t, Key fleet, int64_t mono_ms);

/* Notes what the planner has seen. */
void fleet_clocks_note(FleetClocks *t, Key fleet, const FleetDecision *decision, int64_t mono_ms);

/* The fleet is gone. */
void fleet_clocks_forget(FleetClocks *t, Key fleet);

#endif
