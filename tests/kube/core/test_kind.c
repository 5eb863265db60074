/* Kinds: the built-in table, and how kinds are told apart. */
#include "kube/kind.h"
#include "tests/test.h"

static const struct {
    const char *name, *api_version, *plural;
    const Kind *kind;
    bool cluster;
} kinds[] = {
    {"Namespace", "v1", "namespaces", kind_namespace, .cluster = true},
    {"Node", "v1", "nodes", kind_node, .cluster = true},
    {"Pod", "v1", "pods", kind_pod},
    {"Service", "v1", "services", kind_service},
    {"ConfigMap", "v1", "configmaps", kind_configmap},
    {"Secret", "v1", "secrets", kind_secret},
    {"ServiceAccount", "v1", "serviceaccounts", kind_serviceaccount},
    {"PersistentVolumeClaim", "v1", "persistentvolumeclaims", kind_pvc},
    {"PersistentVolume", "v1", "persistentvolumes", kind_pv, .cluster = true},
    {"StatefulSet", "apps/v1", "statefulsets", kind_statefulset},
    {"ControllerRevision", "apps/v1", "controllerrevisions", kind_controllerrevision},
    {"Job", "batch/v1", "jobs", kind_job},
    {"Lease", "coordination.k8s.io/v1", "leases", kind_lease},
    {"Event", "events.k8s.io/v1", "events", kind_event},
    {"CustomResourceDefinition",
        "apiextensions.k8s.io/v1",
        "customresourcedefinitions",
        kind_crd,
        .cluster = true},
    {"Event", "v1", "events", kind_core_event},
    {"Deployment", "apps/v1", "deployments", kind_deployment},
    {"ReplicaSet", "apps/v1", "replicasets", kind_replicaset},
    {"CronJob", "batch/v1", "cronjobs", kind_cronjob},
    {"PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", kind_pdb},
    {"NetworkPolicy", "networking.k8s.io/v1", "networkpolicies", kind_networkpolicy},
    {"EndpointSlice", "discovery.k8s.io/v1", "endpointslices", kind_endpointslice},
    {"StorageClass", "storage.k8s.io/v1", "storageclasses", kind_storageclass, .cluster = true},
    {"Role", "rbac.authorization.k8s.io/v1", "roles", kind_role},
    {"RoleBinding", "rbac.authorization.k8s.io/v1", "rolebindings", kind_rolebinding},
    {"ClusterRole",
        "rbac.authorization.k8s.io/v1",
        "clusterroles",
        kind_clusterrole,
        .cluster = true},
    {"ClusterRoleBinding",
        "rbac.authorization.k8s.io/v1",
        "clusterrolebindings",
        kind_clusterrolebinding,
        .cluster = true},
    {"LocalSubjectAccessReview",
        "authorization.k8s.io/v1",
        "localsubjectaccessreviews",
        kind_local_access_review},
    {"SelfSubjectAccessReview",
        "authorization.k8s.io/v1",
        "selfsubjectaccessreviews",
        kind_self_access_review,
        .cluster = true},
    {"SelfSubjectRulesReview",
        "authorization.k8s.io/v1",
        "selfsubjectrulesreviews",
        kind_self_rules_review,
        .cluster = true},
    {"SelfSubjectReview",
        "authentication.k8s.io/v1",
        "selfsubjectreviews",
        kind_self_review,
        .cluster = true},
    {"TokenReview", "authentication.k8s.io/v1", "tokenreviews", kind_token_review, .cluster = true},
    {"SubjectAccessReview",
        "authorization.k8s.io/v1",
        "subjectaccessreviews",
        kind_access_review,
        .cluster = true},
    {"HTTPRoute", "gateway.networking.k8s.io/v1", "httproutes", kind_httproute},
};

TEST(every_built_in_kind_is_found_by_its_api_version_and_kind)
{
    each_case(i, kinds) {
        char api_version[KIND_API_VERSION_SIZE];
        const Kind *kind = kinds[i].kind;

        then_true(kind_find(kinds[i].api_version, kinds[i].name) == kind);
        then_str(kind_api_version(kind, api_version), kinds[i].api_version);
        then_str(kind->plural, kinds[i].plural);
        then_true(kind->namespaced == !kinds[i].cluster);
    }
}

TEST(a_kind_that_is_not_built_in_is_not_found)
{
    then_true(!kind_find("v1", "Unicorn"));
    then_true(!kind_find("apps/v1", "Pod"));
    then_true(!kind_find("apps/v1beta1", "StatefulSet"));
    then_true(!kind_find(NULL, "Pod"));
    then_true(!kind_find("v1", NULL));
}

TEST(kinds_are_equal_if_group_and_plural_are_equal)
{
    static const Kind lean_pod = {"", "v1", "pods", "Pod", .namespaced = true};
    static const Kind foreign_pod = {"metrics.k8s.io", "v1", "pods", "Pod", .namespaced = true};

    then_true(kind_eq(kind_pod, &lean_pod));
    then_true(!kind_eq(kind_pod, &foreign_pod));
    then_true(!kind_eq(kind_pod, kind_service));
    then_true(!kind_eq(kind_pod, NULL));
    then_true(!kind_eq(NULL, kind_pod));
    then_true(kind_eq(NULL, NULL));
}

TEST(an_overlong_group_is_cut_at_the_buffer_size)
{
    char group[400], api_version[KIND_API_VERSION_SIZE];
    Kind kind = {group, "v1", "things", "Thing", .namespaced = true};
    memset(group, 'g', sizeof group);
    group[sizeof group - 1] = '\0';

    then_int(strlen(kind_api_version(&kind, api_version)), KIND_API_VERSION_SIZE - 1);
}
