/* FleetMonitor: sees every write of a play and says when the operator broke a promise that it made
 * about fleets:
 *
 *   It takes down no more serving nodes than the budget has left, whoever else is down.
 *   It writes no more nodes that do not serve than the budget either, unless all nodes stand still
 *     for another reason than a pause.
 *   It deletes a pod once for each thing that the node is asked to run. A delete that was sent
 *     before another thing was asked for belongs to the one before: the StatefulSet still has that.
 *   It deletes a volume only with its node, and no volume of a fleet that retains.
 *
 * It knows pods and specs, what is stored of sidecars, and when an update of a node began, and
 * nothing else of what the operator thinks about them. Who falls ill by himself counts as down, and
 * is nobody's fault; he is held against the operator only when it had the time to hear of him: a
 * node is judged when it is written or its turn has come, not when its pod goes, for which it waits
 * for others. */
#ifndef TESTS_SIM_FLEET_MONITOR_H
#define TESTS_SIM_FLEET_MONITOR_H

#include "kube/request.h"

typedef struct FleetMonitor FleetMonitor;

typedef enum MonitorWriter { WRITER_OPERATOR, WRITER_PERSON, WRITER_CLUSTER } MonitorWriter;

/* A write, as ServerWrote has it. */
typedef struct MonitorWrite {
    MonitorWriter by;
    int64_t now_ms;
    const Request *request;
    const Json *before, *after;
} MonitorWrite;

FleetMonitor *fleet_monitor_open(Arena *a);

void fleet_monitor_see(FleetMonitor *m, const MonitorWrite *write);

/* The operator is another one from now on: each pod may have to be replaced for that alone. */
void fleet_monitor_upgrade(FleetMonitor *m);

/* An operator goes on that had been stopped without its knowing: it may still do what it had
 * decided on before, and hears of the rest from now on. */
void fleet_monitor_awake(FleetMonitor *m, int64_t now_ms);

/* The first promise that was broken, as a sentence; NULL for none. */
const char *fleet_monitor_complaint(const FleetMonitor *m);

/* How many nodes of one fleet were down or about to be, at most, when the operator took the last of
 * them; since the last time that this was forgotten. */
int fleet_monitor_most(const FleetMonitor *m);
void fleet_monitor_forget(FleetMonitor *m);

#endif
