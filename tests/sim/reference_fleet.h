/* ReferenceFleet: a fleet as the operator that came before leaves it behind: the SeiNodeDeployment
 * with the status that it stored, its SeiNodes, which it made and changed by plain updates, and
 * whatever it made for each of those (reference.h).
 *
 *     reference_create_fleet(p, "rpc");
 *     reference_roll_fleet(p, "rpc", 1);
 *     replica_start(play_replica(p, 0));
 *
 * No replica of ours may run meanwhile. */
#ifndef TESTS_SIM_REFERENCE_FLEET_H
#define TESTS_SIM_REFERENCE_FLEET_H

#include "tests/sim/play.h"

/* Three full nodes of seid:v1 that run, at rest. */
void reference_create_fleet(Play *p, const char *name);

/* The template is edited to seid:v2, which all nodes are asked for at once. The pods of so many of
 * them, from the first, have been replaced; the next one has just lost its pod, and nothing has
 * been done about the others. */
void reference_roll_fleet(Play *p, const char *name, int replaced);

/* The same, a moment earlier: it is about to delete the pods of all of them. */
void reference_begin_rollout(Play *p, const char *name);

#endif
