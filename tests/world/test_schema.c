/* What a Kubernetes 1.34 server makes of objects of built-in kinds before it stores them. */
#include "kube/kind.h"
#include "tests/test.h"
#include "world/schema.h"

typedef struct Case {
    const char *name;
    const Kind *kind;
    const char *sent;
    const char *completed;
    const char *before;
} Case;

#define POD(spec) POD_WITH(spec, "")
#define POD_WITH(spec, status)                                                                     \
    "{metadata: {name: 'p'}, spec: {dnsPolicy: 'ClusterFirst',"                                    \
    " restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {},"           \
    " terminationGracePeriodSeconds: 30, enableServiceLinks: true, " spec "}, status: {" status    \
    "}}"
#define CONTAINER(policy)                                                                          \
    "terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File',"            \
    " resources: {}, imagePullPolicy: '" policy "'"

static const Case cases[] = {
    {"fields that no kind has go, and so do zeros that say nothing",
        kind_configmap,
        "{metadata: {name: 'c', labels: {}, foo: 1}, data: {}, binaryData: null, immutable: false,"
        " spec: {}}",
        "{metadata: {name: 'c'}, immutable: false}"},
    {"zeros in data stay",
        kind_configmap,
        "{metadata: {name: 'c', annotations: {a: ''}}, data: {x: ''}}",
        "{metadata: {name: 'c', annotations: {a: ''}}, data: {x: ''}}"},
    {"a Secret keeps its texts as data",
        kind_secret,
        "{metadata: {name: 's'}, data: {a: 'eA==', z: 'eA=='}, stringData: {a: 'b', c: 'hello!',"
        " d: 'abc', e: ''}}",
        "{metadata: {name: 's'}, type: 'Opaque', data: {a: 'Yg==', c: 'aGVsbG8h', d: 'YWJj', e: '',"
        " z: 'eA=='}}"},
    {"a pod is filled in",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: null}}",
        POD("containers: null")},
    {"a container is pulled always when it is the latest",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'a', image: 'x'},"
        " {name: 'b', image: 'x:latest'}]}}",
        POD("containers: [{name: 'a', image: 'x', " CONTAINER(
            "Always") "},"
                      " {name: 'b', image: 'x:latest', " CONTAINER("Always") "}]")},
    {"a container is pulled once when it has a tag or a digest",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'a', image: 'r:5000/x:1'},"
        " {name: 'b', image: 'x@sha256:00'}]}}",
        POD("containers: [{name: 'a', image: 'r:5000/x:1', " CONTAINER(
            "IfNotPresent") "},"
                            " {name: 'b', image: 'x@sha256:00', " CONTAINER("IfNotPresent") "}]")},
    {"a container without an image is pulled once",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'a'}]}}",
        POD("containers: [{name: 'a', " CONTAINER("IfNotPresent") "}]")},
    {"a registry's port is no tag",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'a', image: 'r:5000/x'}]}}",
        POD("containers: [{name: 'a', image: 'r:5000/x', " CONTAINER("Always") "}]")},
    {"a pod's requests are its limits, spelled one way",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'a', image: 'x:1', resources: {"
        " limits: {cpu: '1000m', memory: '1024Mi'}, requests: {cpu: 0.5}}}]}}",
        POD("containers: [{name: 'a', image: 'x:1', imagePullPolicy: 'IfNotPresent',"
            " terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File',"
            " resources: {limits: {cpu: '1', memory: '1Gi'},"
            " requests: {cpu: '500m', memory: '1Gi'}}}]")},
    {"a pod on the host's network has the host's ports",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {hostNetwork: true, containers: [{name: 'a', image: 'x:1',"
        " ports: [{containerPort: 80}]}]}}",
        POD("hostNetwork: true, containers: [{name: 'a', image: 'x:1', "
            "ports: [{containerPort: 80, hostPort: 80, protocol: 'TCP'}], " CONTAINER(
                "IfNotPresent") "}]")},
    {"a volume that is nothing is empty, and files have a mode",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {volumes: [{name: 'e'}, {name: 's', secret: {secretName: "
        "'x',"
        " defaultMode: 0}}, {name: 'c', configMap: {name: 'c'}}, {name: 'h', hostPath: {path: "
        "'/'}},"
        " {name: 'd', emptyDir: {sizeLimit: '1024Mi'}}]}}",
        POD("containers: null, volumes: [{name: 'e', emptyDir: {}}, {name: 's', secret: "
            "{secretName: 'x',"
            " defaultMode: 0}}, {name: 'c', configMap: {name: 'c', defaultMode: 420}},"
            " {name: 'h', hostPath: {path: '/', type: ''}},"
            " {name: 'd', emptyDir: {sizeLimit: '1Gi'}}]")},
    {"an account has two names",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {serviceAccountName: 'x'}}",
        POD("containers: null, serviceAccountName: 'x', serviceAccount: 'x'")},
    {"an address has two names, too",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: null}, status: {podIP: '1.1.1.1',"
        " podIPs: [{ip: '2.2.2.2'}]}}",
        POD_WITH("containers: null", "podIP: '1.1.1.1', podIPs: [{ip: '1.1.1.1'}]")},
    {"an address may be told by its new name",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: null}, status: {podIPs: [{ip: '2.2.2.2'}]}}",
        POD_WITH("containers: null", "podIP: '2.2.2.2', podIPs: [{ip: '2.2.2.2'}]")},
    {"conditions show the times that they lack",
        kind_pod,
        "{metadata: {name: 'p'}, spec: {}, status: {conditions: [{type: 'A', status: 'True'}],"
        " containerStatuses: [{name: 'a', ready: false}]}}",
        "{metadata: {name: 'p'}, spec: {containers: null, dnsPolicy: 'ClusterFirst',"
        " restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {},"
        " terminationGracePeriodSeconds: 30, enableServiceLinks: true},"
        " status: {conditions: [{type: 'A', status: 'True', lastProbeTime: null,"
        "   lastTransitionTime: null}], containerStatuses: [{name: 'a', ready: false, image: '',"
        "   imageID: '', restartCount: 0, state: {}, lastState: {}}]}}"},
    {"a headless Service",
        kind_service,
        "{metadata: {name: 's'}, spec: {clusterIP: 'None', publishNotReadyAddresses: false,"
        " ports: [{port: 80}, {port: 81, targetPort: 'http', protocol: 'UDP'}]}}",
        "{metadata: {name: 's'}, spec: {clusterIP: 'None', type: 'ClusterIP',"
        " sessionAffinity: 'None', internalTrafficPolicy: 'Cluster',"
        " ports: [{port: 80, protocol: 'TCP', targetPort: 80},"
        " {port: 81, protocol: 'UDP', targetPort: 'http'}]}, status: {loadBalancer: {}}}"},
    {"a Service for the outside",
        kind_service,
        "{metadata: {name: 's'}, spec: {type: 'LoadBalancer', sessionAffinity: 'ClientIP'}}",
        "{metadata: {name: 's'}, spec: {type: 'LoadBalancer', sessionAffinity: 'ClientIP',"
        " sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}},"
        " allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster',"
        " internalTrafficPolicy: 'Cluster'}, status: {loadBalancer: {}}}"},
    {"a Service that is only a name",
        kind_service,
        "{metadata: {name: 's'}, spec: {type: 'ExternalName', externalName: 'a.b'}}",
        "{metadata: {name: 's'}, spec: {type: 'ExternalName', externalName: 'a.b',"
        " sessionAffinity: 'None'}, status: {loadBalancer: {}}}"},
    {"a claim",
        kind_pvc,
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'c'},"
        " spec: {storageClassName: '', resources: {requests: {storage: '1024Mi'}}}}",
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'c'},"
        " spec: {storageClassName: '', volumeMode: 'Filesystem',"
        " resources: {requests: {storage: '1Gi'}}}, status: {phase: 'Pending'}}"},
    {"a StatefulSet without a strategy uses rolling updates",
        kind_statefulset,
        "{metadata: {name: 's'}, spec: {selector: {matchLabels: {a: 'b'}, matchExpressions: []},"
        " template: {metadata: {creationTimestamp: null}, spec: {containers: []}}}}",
        "{metadata: {name: 's'}, spec: {selector: {matchLabels: {a: 'b'}}, serviceName: '',"
        " replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady',"
        " persistentVolumeClaimRetentionPolicy: {whenDeleted: 'Retain', whenScaled: 'Retain'},"
        " updateStrategy: {type: 'RollingUpdate', rollingUpdate: {partition: 0}},"
        " template: {metadata: {}, spec: {containers: [], dnsPolicy: 'ClusterFirst',"
        "   restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {},"
        "   terminationGracePeriodSeconds: 30}}},"
        " status: {replicas: 0, availableReplicas: 0}}"},
    {"a StatefulSet that updates on delete has no partition",
        kind_statefulset,
        "{metadata: {name: 's'}, spec: {replicas: 0, updateStrategy: {type: 'OnDelete'},"
        " volumeClaimTemplates: [{metadata: {name: 'd'}}]}}",
        "{metadata: {name: 's'}, spec: {selector: null, serviceName: '',"
        " replicas: 0, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady',"
        " persistentVolumeClaimRetentionPolicy: {whenDeleted: 'Retain', whenScaled: 'Retain'},"
        " updateStrategy: {type: 'OnDelete'},"
        " volumeClaimTemplates: [{apiVersion: 'v1', kind: 'PersistentVolumeClaim',"
        "   metadata: {name: 'd'}, spec: {resources: {}, volumeMode: 'Filesystem'},"
        "   status: {phase: 'Pending'}}],"
        " template: {metadata: {}, spec: {containers: null, dnsPolicy: 'ClusterFirst',"
        "   restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {},"
        "   terminationGracePeriodSeconds: 30}}},"
        " status: {replicas: 0, availableReplicas: 0}}"},
    {"a Job runs once, and is labelled as its pods are",
        kind_job,
        "{metadata: {name: 'j'}, spec: {template: {metadata: {labels: {a: 'b'}},"
        " spec: {restartPolicy: 'Never'}}}}",
        "{metadata: {name: 'j', labels: {a: 'b'}}, spec: {completions: 1, parallelism: 1,"
        " backoffLimit: 6, completionMode: 'NonIndexed', suspend: false, manualSelector: false,"
        " podReplacementPolicy: 'TerminatingOrFailed',"
        " template: {metadata: {labels: {a: 'b'}}, spec: {containers: null, restartPolicy: 'Never',"
        "   dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler', securityContext: {},"
        "   terminationGracePeriodSeconds: 30}}}, status: {}}"},
    {"a namespace is labelled with its name",
        kind_namespace,
        "{metadata: {name: 'n'}}",
        "{metadata: {name: 'n', labels: {'kubernetes.io/metadata.name': 'n'}}, spec: {},"
        " status: {phase: 'Active'}}"},
    {"a lease keeps what it holds, zero or not",
        kind_lease,
        "{metadata: {name: 'l'}, spec: {holderIdentity: '', leaseTransitions: 0, x: 1}}",
        "{metadata: {name: 'l'}, spec: {holderIdentity: '', leaseTransitions: 0}}"},
    {"what a revision holds is not touched",
        kind_controllerrevision,
        "{metadata: {name: 'r'}, data: {a: null, b: {}}}",
        "{metadata: {name: 'r'}, revision: 0, data: {a: null, b: {}}}"},
    {"what was complete before stays",
        kind_service,
        "{metadata: {name: 's'}, spec: {type: 'Odd'}, status: {loadBalancer: {x: 1}}}",
        "{metadata: {name: 's'}, spec: {type: 'Odd'}, status: {loadBalancer: {}}}",
        .before = "{metadata: {name: 's'}, spec: {type: 'Odd'}}"},
};

TEST(objects_of_built_in_kinds_get_their_defaults)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *before = cases[i].before ? json_fixture(a, cases[i].before) : NULL;
        const Schema *schema = schema_of_kind(cases[i].kind);

        const Json *completed = schema_complete(a, schema, json_fixture(a, cases[i].sent), before);

        then_json(completed, cases[i].completed);
    }
}

TEST(defaulting_an_object_twice_changes_nothing_more)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Schema *schema = schema_of_kind(cases[i].kind);

        const Json *once = schema_complete(a, schema, json_fixture(a, cases[i].sent), NULL);
        const Json *twice = schema_complete(a, schema, once, NULL);

        then_true(json_equal(once, twice));
    }
}

TEST(a_kind_without_a_schema_gets_no_defaults)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Kind kind = {"x.io", "v1", "xs", "X", .namespaced = true};
    const Schema *schema = schema_of_kind(&kind);

    then_json(schema_complete(a, schema, json_fixture(a, "{spec: {a: '', b: [0]}}"), NULL),
        "{spec: {a: '', b: [0]}}");
    then_ok(schema_check(a, schema, json_fixture(a, "{spec: 1}"), NULL));
}
