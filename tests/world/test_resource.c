/* The built-in kinds that nobody in the world acts upon: stored, completed and checked. */
#include "tests/world/desk.h"

#define POD                                                                                        \
    "template: {metadata: {labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'i:1'}]}}"

static const struct {
    const char *name;
    const Kind *kind;
    const char *object;
    const char *path, *want; /* JSON of what stands there afterwards */
} defaults[] = {
    {"a role without rules", kind_role, "{metadata: {name: 'system:r'}}", ".rules", "null"},
    {"a subject that is a user",
        kind_rolebinding,
        "{metadata: {name: 'b'}, roleRef: {kind: 'Role', name: 'r'},"
        " subjects: [{kind: 'User', name: 'u'}]}",
        ".subjects",
        "[{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"User\",\"name\":\"u\"}]"},
    {"a subject that is an account",
        kind_clusterrolebinding,
        "{metadata: {name: 'b'}, roleRef: {kind: 'ClusterRole', name: 'r'},"
        " subjects: [{kind: 'ServiceAccount', name: 's', namespace: 'n'}]}",
        ".subjects",
        "[{\"kind\":\"ServiceAccount\",\"name\":\"s\",\"namespace\":\"n\"}]"},
    {"a reference to a role",
        kind_clusterrolebinding,
        "{metadata: {name: 'b'}, roleRef: {kind: 'ClusterRole', name: 'r'}}",
        ".roleRef.apiGroup",
        "\"rbac.authorization.k8s.io\""},
    {"the strategy of a Deployment",
        kind_deployment,
        "{metadata: {name: 'd'}, spec: {selector: {matchLabels: {a: 'b'}}, " POD "}}",
        ".spec.strategy",
        "{\"rollingUpdate\":{\"maxSurge\":\"25%\",\"maxUnavailable\":\"25%\"},"
        "\"type\":\"RollingUpdate\"}"},
    {"a Deployment that is recreated",
        kind_deployment,
        "{metadata: {name: 'd'}, spec: {strategy: {type: 'Recreate'},"
        " selector: {matchLabels: {a: 'b'}}, " POD "}}",
        ".spec.strategy",
        "{\"type\":\"Recreate\"}"},
    {"the deadline of a Deployment",
        kind_deployment,
        "{metadata: {name: 'd'}, spec: {selector: {matchLabels: {a: 'b'}}, " POD "}}",
        ".spec.progressDeadlineSeconds",
        "600"},
    {"the status of a ReplicaSet",
        kind_replicaset,
        "{metadata: {name: 'd'}, spec: {selector: {matchLabels: {a: 'b'}}, " POD "}}",
        ".status",
        "{\"replicas\":0}"},
    {"the status of a budget",
        kind_pdb,
        "{metadata: {name: 'p'}, spec: {minAvailable: 1}}",
        ".status",
        "{\"currentHealthy\":0,\"desiredHealthy\":0,\"disruptionsAllowed\":0,\"expectedPods\":0}"},
    {"what a class does with volumes",
        kind_storageclass,
        "{metadata: {name: 's'}, provisioner: 'x.io/y'}",
        ".reclaimPolicy",
        "\"Delete\""},
    {"the types of a policy",
        kind_networkpolicy,
        "{metadata: {name: 'n'}, spec: {egress: [{ports: [{port: 53}]}]}}",
        ".spec",
        "{\"egress\":[{\"ports\":[{\"port\":53,\"protocol\":\"TCP\"}]}],\"podSelector\":{},"
        "\"policyTypes\":[\"Ingress\",\"Egress\"]}"},
    {"the Jobs of a CronJob are not completed",
        kind_cronjob,
        "{metadata: {name: 'c'}, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {"
        "  spec: {restartPolicy: 'Never', containers: [{name: 'c', image: 'i:1'}]}}}}}}",
        ".spec.jobTemplate.spec.backoffLimit",
        NULL},
    {"how many Jobs a CronJob keeps",
        kind_cronjob,
        "{metadata: {name: 'c'}, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {"
        "  spec: {restartPolicy: 'Never', containers: [{name: 'c', image: 'i:1'}]}}}}}}",
        ".spec.successfulJobsHistoryLimit",
        "3"},
    {"the ports of a slice",
        kind_endpointslice,
        "{metadata: {name: 'e'}, addressType: 'IPv4', ports: [{port: 80}]}",
        ".ports",
        "[{\"name\":\"\",\"port\":80,\"protocol\":\"TCP\"}]"},
};

TEST(absent_fields_of_built_in_kinds_get_their_defaults)
{
    each_case(i, defaults) {
        SCOPED_DESK d = desk_open();
        const Json *made = create(d, defaults[i].kind, defaults[i].object);
        const Json *value = json_find(made, defaults[i].path);
        then_status(d, 201);
        if (defaults[i].want)
            then_str(json_write(d->arena, value).data, defaults[i].want);
        else
            then_true(!value);
    }
}

TEST(a_deployment_can_be_scaled)
{
    SCOPED_DESK d = desk_open();
    create(d,
        kind_deployment,
        "{metadata: {name: 'd'}, spec: {selector: {matchLabels: {a: 'b'}}, " POD "}}");
    Request scale = {
        .verb = VERB_MERGE_PATCH, .kind = kind_deployment, .key.name = "d", .subresource = "scale"};
    ask_body(d, scale, "{spec: {replicas: 3}}");
    then_status(d, 200);
    then_int(json_int(get(d, kind_deployment, "d"), ".spec.replicas", 0), 3);
}

TEST(an_update_creates_a_missing_role)
{
    SCOPED_DESK d = desk_open();
    update(d, kind_role, "r", "{metadata: {name: 'r'}, rules: []}");
    then_status(d, 201);
}
