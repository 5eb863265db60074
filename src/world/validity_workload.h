/* The tables of rules of the workloads that nobody in the world works on, and of what surrounds
 * them. */
#ifndef WORLD_VALIDITY_WORKLOAD_H
#define WORLD_VALIDITY_WORKLOAD_H

#include "world/validity_rules.h"

extern const Rule validity_deployment_rules[];
extern const Rule validity_replicaset_rules[];
extern const Rule validity_cronjob_rules[];
extern const Rule validity_pdb_rules[];
extern const Rule validity_storage_class_rules[];
extern const Rule validity_network_policy_rules[];

#endif
