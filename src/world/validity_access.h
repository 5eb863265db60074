/* The tables of rules of rbac.authorization.k8s.io. */
#ifndef WORLD_VALIDITY_ACCESS_H
#define WORLD_VALIDITY_ACCESS_H

#include "world/validity_rules.h"

extern const Rule validity_role_rules[];
extern const Rule validity_cluster_role_rules[];
extern const Rule validity_role_binding_rules[];
extern const Rule validity_cluster_role_binding_rules[];

#endif
