/* NodeReport: the conditions of a node while they are written, shared by the files that write them:
 * conditions.c, and ready_condition.c for condition Ready. */
#ifndef SEI_PLAN_NODE_REPORT_H
#define SEI_PLAN_NODE_REPORT_H

#include "sei/plan/node_plan.h"
#include "sei/plan/pod_report.h"

typedef struct NodeReport {
    Arena *a;
    const NodeSnapshot *s;
    const NodeDecision *d;
    const NodeProgress *progress;
    NodeStatus *status;
    const SeiNode *node;
    const Json *pod;
    PodMatch match;
    PodReport pod_report;
    bool drifts;
} NodeReport;

/* Writes a condition. */
void node_report_set(
    NodeReport *t, const char *type, const char *status, Reason reason, const char *message);

/* Leaves a condition as it is stored, for the generation of now. */
void node_report_keep(NodeReport *t, const char *type);

/* The operator cannot go on: only a person can. */
bool node_report_is_stopped(const NodeReport *t);

/* The node is paused, and its pod is stopped. */
bool node_report_is_held(const NodeReport *t);

/* An update replaces the pod: until its plan has ended. */
bool node_report_is_updating(const NodeReport *t);

/* Writes condition Ready. */
void node_report_ready(NodeReport *t);

#endif
