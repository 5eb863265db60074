/* The built-in kinds. Caches keep an object whole, except of the two kinds that are bulky by parts
 * no controller looks at: a Node's list of images and a CustomResourceDefinition's schemas. */
#include "kube/kind.h"

#include "base/str.h"

#include <stddef.h>
#include <stdio.h>

static const char *const node_projection[] = {
    ".spec.unschedulable",
    ".spec.taints",
    ".spec.providerID",
    ".status.conditions",
    ".status.addresses",
    ".status.capacity",
    ".status.allocatable",
    ".status.nodeInfo",
    NULL,
};

static const char *const crd_projection[] = {
    ".spec.group",
    ".spec.names",
    ".spec.scope",
    ".spec.versions[].name",
    ".spec.versions[].served",
    ".spec.versions[].storage",
    ".status.conditions",
    ".status.acceptedNames",
    ".status.storedVersions",
    NULL,
};

const Kind kind_namespace[1] = {{"", "v1", "namespaces", "Namespace", .namespaced = false}};
const Kind kind_node[1] = {
    {"", "v1", "nodes", "Node", .namespaced = false, .projection = node_projection}};
const Kind kind_pod[1] = {{"", "v1", "pods", "Pod", .namespaced = true}};
const Kind kind_service[1] = {{"", "v1", "services", "Service", .namespaced = true}};
const Kind kind_configmap[1] = {{"", "v1", "configmaps", "ConfigMap", .namespaced = true}};
const Kind kind_secret[1] = {{"", "v1", "secrets", "Secret", .namespaced = true}};
const Kind kind_serviceaccount[1] = {
    {"", "v1", "serviceaccounts", "ServiceAccount", .namespaced = true}};
const Kind kind_pvc[1] = {
    {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", .namespaced = true}};
const Kind kind_pv[1] = {{"", "v1", "persistentvolumes", "PersistentVolume", .namespaced = false}};
const Kind kind_statefulset[1] = {
    {"apps", "v1", "statefulsets", "StatefulSet", .namespaced = true}};
const Kind kind_controllerrevision[1] = {
    {"apps", "v1", "controllerrevisions", "ControllerRevision", .namespaced = true}};
const Kind kind_job[1] = {{"batch", "v1", "jobs", "Job", .namespaced = true}};
const Kind kind_lease[1] = {{"coordination.k8s.io", "v1", "leases", "Lease", .namespaced = true}};
const Kind kind_event[1] = {{"events.k8s.io", "v1", "events", "Event", .namespaced = true}};
const Kind kind_crd[1] = {{"apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    .namespaced = false,
    .projection = crd_projection}};

const Kind kind_core_event[1] = {{"", "v1", "events", "Event", .namespaced = true}};
const Kind kind_deployment[1] = {{"apps", "v1", "deployments", "Deployment", .namespaced = true}};
const Kind kind_replicaset[1] = {{"apps", "v1", "replicasets", "ReplicaSet", .namespaced = true}};
const Kind kind_cronjob[1] = {{"batch", "v1", "cronjobs", "CronJob", .namespaced = true}};
const Kind kind_pdb[1] = {
    {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", .namespaced = true}};
const Kind kind_networkpolicy[1] = {
    {"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", .namespaced = true}};
const Kind kind_endpointslice[1] = {
    {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", .namespaced = true}};
const Kind kind_storageclass[1] = {
    {"storage.k8s.io", "v1", "storageclasses", "StorageClass", .namespaced = false}};

#define RBAC "rbac.authorization.k8s.io"
const Kind kind_role[1] = {{RBAC, "v1", "roles", "Role", .namespaced = true}};
const Kind kind_rolebinding[1] = {{RBAC, "v1", "rolebindings", "RoleBinding", .namespaced = true}};
const Kind kind_clusterrole[1] = {{RBAC, "v1", "clusterroles", "ClusterRole", .namespaced = false}};
const Kind kind_clusterrolebinding[1] = {
    {RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", .namespaced = false}};

const Kind kind_token_review[1] = {
    {"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", .namespaced = false}};
const Kind kind_access_review[1] = {{"authorization.k8s.io",
    "v1",
    "subjectaccessreviews",
    "SubjectAccessReview",
    .namespaced = false}};

const Kind kind_local_access_review[1] = {{"authorization.k8s.io",
    "v1",
    "localsubjectaccessreviews",
    "LocalSubjectAccessReview",
    .namespaced = true}};
const Kind kind_self_access_review[1] = {{"authorization.k8s.io",
    "v1",
    "selfsubjectaccessreviews",
    "SelfSubjectAccessReview",
    .namespaced = false}};
const Kind kind_self_rules_review[1] = {{"authorization.k8s.io",
    "v1",
    "selfsubjectrulesreviews",
    "SelfSubjectRulesReview",
    .namespaced = false}};
const Kind kind_self_review[1] = {{"authentication.k8s.io",
    "v1",
    "selfsubjectreviews",
    "SelfSubjectReview",
    .namespaced = false}};

const Kind kind_httproute[1] = {
    {"gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute", .namespaced = true}};

static const Kind *const kinds[] = {
    kind_namespace,
    kind_node,
    kind_pod,
    kind_service,
    kind_configmap,
    kind_secret,
    kind_serviceaccount,
    kind_pvc,
    kind_pv,
    kind_statefulset,
    kind_controllerrevision,
    kind_job,
    kind_lease,
    kind_event,
    kind_crd,
    kind_core_event,
    kind_deployment,
    kind_replicaset,
    kind_cronjob,
    kind_pdb,
    kind_networkpolicy,
    kind_endpointslice,
    kind_storageclass,
    kind_role,
    kind_rolebinding,
    kind_clusterrole,
    kind_clusterrolebinding,
    kind_token_review,
    kind_access_review,
    kind_local_access_review,
    kind_self_access_review,
    kind_self_rules_review,
    kind_self_review,
    kind_httproute,
    NULL,
};

const char *kind_api_version(const Kind *kind, char ret[KIND_API_VERSION_SIZE])
{
    const char *slash = *kind->group ? "/" : "";

    snprintf(ret, KIND_API_VERSION_SIZE, "%s%s%s", kind->group, slash, kind->version);
    return ret;
}

const Kind *kind_find(const char *api_version, const char *name)
{
    char text[KIND_API_VERSION_SIZE];

    for (const Kind *const *kind = kinds; *kind; kind++)
        if (str_eq((*kind)->name, name) && str_eq(kind_api_version(*kind, text), api_version))
            return *kind;
    return NULL;
}

bool kind_eq(const Kind *left, const Kind *right)
{
    if (!left || !right)
        return left == right;
    return str_eq(left->plural, right->plural) && str_eq(left->group, right->group);
}
