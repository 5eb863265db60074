/* ChartOperator: what a Chart says of the operator that looks after the nodes: which Deployment it
 * is and what it was told. One that runs outside of the cluster has none of this. */
#ifndef CLI_DOCTOR_CHART_OPERATOR_H
#define CLI_DOCTOR_CHART_OPERATOR_H

#include "cli/doctor/chart.h"
#include "sei/api/settings.h"

/* The Deployment of our operator that is at work: of several the one that wants most replicas; NULL
 * for none. */
const Json *chart_operator(const Chart *c);

/* The settings of that Deployment; ERR_TERMINAL lists what is missing or makes no sense, ERR_WAIT
 * where they cannot be seen. */
Err *chart_settings(const Chart *c, Settings *ret) MUST_CHECK;

/* The account that the operator runs as, and the one whose tokens it shows to sidecars. */
Key chart_operator_account(const Chart *c);
Key chart_sidecar_account(const Chart *c);

/* The value of a flag among the arguments of an operator's Deployment, or NULL. */
const char *chart_operator_flag(const Chart *c, const Json *deployment, const char *name);

#endif
