/* ChartOperator: what a Chart says of the operators that look after the nodes: which Deployments
 * they are and what each was told. There may be several, each for namespaces of its own. One that
 * runs outside of the cluster has none of this. */
#ifndef CLI_DOCTOR_CHART_OPERATOR_H
#define CLI_DOCTOR_CHART_OPERATOR_H

#include "cli/doctor/chart.h"
#include "cli/operator_args.h"
#include "sei/api/settings.h"

/* By which the metrics of an operator are found, in its namespace. */
#define METRICS_SERVICE "sei-operator-metrics"

/* The Deployment of our operator that wants most replicas; NULL for none. */
const Json *chart_operator(const Chart *c);

/* Every Deployment of our operator that is at work. Where none is, the one that is scaled to 0. */
Objects chart_operators(const Chart *c);

/* Of these the one that looks after a namespace; NULL for none. */
const Json *chart_operator_of(const Chart *c, const char *namespace);

/* It is a Deployment of our operator, and not scaled to 0: one that is harms nobody. */
bool chart_is_at_work(const Json *deployment);

/* The settings of such a Deployment; ERR_TERMINAL lists what is missing or makes no sense, ERR_WAIT
 * where they cannot be seen. */
Err *chart_settings(const Chart *c, const Json *deployment, Settings *ret) MUST_CHECK;

/* The account that pods of nodes in a namespace run as: the settings of its operator name it; where
 * these cannot be seen, as those of one outside of the cluster, a StatefulSet there does. NULL: it
 * is not known. */
const char *chart_account_of_pods(const Chart *c, const char *namespace);

/* The namespace of an operator's Lease: its own, unless it was told another. */
const char *chart_lease_namespace(const Chart *c, const Json *deployment);

/* The account that an operator runs as, and the one whose tokens it shows to sidecars. */
Key chart_operator_account(const Json *deployment);
Key chart_sidecar_account(const Chart *c, const Json *deployment);

/* The only namespaces that an operator looks after; none means all. */
Watched chart_watched(const Chart *c, const Json *deployment);

/* Whether there is a namespace that both Deployments look after; one that was told of none looks
 * after all. NULL is one that nothing is known of. */
bool chart_operators_meet(const Chart *c, const Json *left, const Json *right);

/* The value of a flag among the arguments of an operator's Deployment, or NULL, with the namespace
 * of its pod in it as the kubelet fills it in. */
const char *chart_operator_flag(const Chart *c, const Json *deployment, const char *name);

/* A switch among these arguments is on: "--name" or "--name=true", the last one counts. */
bool chart_operator_is_on(const Chart *c, const Json *deployment, const char *name);

/* deploy/install.yaml, and the files beside it, speak of this operator as it stands: not those that
 * Helm, or an overlay for another namespace, made. */
bool chart_operator_is_of_files(const Json *deployment);

#endif
