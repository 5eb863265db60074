/* What the random sequences are about: texts that hit each other. Few names, few fields and few
 * managers, so that conflicts, stale versions and shared ownership are the rule. */
#include "tests/e2e/fidelity.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

const SelectorRow fidelity_selectors[FIDELITY_SELECTORS] = {
    {"app=a", "{app: 'a'}"},
    {"app!=a", "{app: 'other'}"},
    {"app in (a,b)", "{app: 'b'}"},
    {"app", "{app: 'any'}"},
    {"!app", "{}"},
    {"app=a,tier=web", "{app: 'a', tier: 'web'}"},
    {"tier notin (db)", "{}"},
};

/* --- ConfigMap and Secret --- */

static const KindRow configmap = {
    .kind = kind_configmap,
    .objects = TEXTS("{data: {x: '1'}}",
        "{metadata: {labels: {app: 'a'}, finalizers: ['test.io/hold']}, data: {x: '1', y: '2'}}",
        "{metadata: {labels: {app: 'b', tier: 'web'}, annotations: {note: 'n'}}}",
        "{immutable: true, data: {x: '1'}}", "{data: {x: '1'}, binaryData: {blob: 'AAEC'}}",
        "{metadata: {generateName: 'a-'}, data: {x: '1'}}", "{data: 7}",
        "{data: {x: '1'}, binaryData: {x: 'AAEC'}}"),
    .changes = TEXTS("{data: {x: '2'}}", "{data: {x: null, y: '3'}}", "{data: null}",
        "{immutable: true}", "{binaryData: {blob: 'AAED'}}", "{unknown: {field: 1}}",
        "{data: {x: 1}}", "{data: {'bad key!': 'x'}}", "{immutable: 'yes'}"),
    .applies = TEXTS("{data: {x: '1'}}", "{data: {x: 1}}", "{data: {x: '2', y: '2'}}",
        "{data: {y: '3', z: '1'}}", "{metadata: {labels: {app: 'a'}}}",
        "{metadata: {labels: {app: 'b'}, finalizers: ['test.io/hold']}, data: {z: '4'}}",
        "{metadata: {annotations: {note: 'm'}, finalizers: ['test.io/other']}}", "{}"),
    .patches = TEXTS("[{op: 'add', path: '/data/x', value: '7'}]",
        "[{op: 'remove', path: '/data/x'}]",
        "[{op: 'test', path: '/data/x', value: '1'}, {op: 'replace', path: '/data/x', value: '8'}]",
        "[{op: 'remove', path: '/metadata/finalizers'}]",
        "[{op: 'add', path: '/metadata/labels', value: {app: 'z'}}]"),
};

static const KindRow secret = {
    .kind = kind_secret,
    .objects = TEXTS("{data: {x: 'MQ=='}}", "{stringData: {x: '1'}, type: 'Opaque'}",
        "{metadata: {labels: {app: 'a'}}, type: 'example.io/key', data: {k: 'AAEC'}}",
        "{immutable: true, data: {x: 'MQ=='}}", "{data: {x: '!'}}"),
    .changes = TEXTS("{data: {x: 'Mg=='}}", "{stringData: {x: '2'}}", "{type: 'other.io/type'}",
        "{data: {x: null}}", "{immutable: true}", "{data: {x: 'not base64!'}}"),
    .applies = TEXTS("{data: {x: 'MQ=='}}", "{data: {x: 'Mg==', y: 'Mg=='}}",
        "{stringData: {z: '1'}}", "{metadata: {labels: {app: 'b'}}}"),
    .patches =
        TEXTS("[{op: 'add', path: '/data/x', value: 'Nw=='}]", "[{op: 'remove', path: '/data/x'}]"),
    .fields = TEXTS("type=Opaque", "type!=Opaque"),
    .uncached = true,
};

static const KindRow lease = {
    .kind = kind_lease,
    .objects = TEXTS("{spec: {holderIdentity: 'a', leaseDurationSeconds: 15,"
                     " renewTime: '2020-01-01T00:00:00.000000Z'}}",
        "{metadata: {labels: {app: 'a'}}, spec: {}}", "{spec: {leaseDurationSeconds: -1}}"),
    .changes = TEXTS("{spec: {renewTime: '2020-01-01T00:00:05.000000Z'}}",
        "{spec: {holderIdentity: 'b', leaseTransitions: 1}}", "{spec: {holderIdentity: ''}}",
        "{spec: {leaseDurationSeconds: 0}}", "{spec: {leaseDurationSeconds: 'x'}}",
        "{spec: {renewTime: 'now'}}",
        "{spec: {acquireTime: '2020-01-01T00:00:00.000000Z', leaseTransitions: 2}}"),
    .applies = TEXTS("{spec: {holderIdentity: 'a'}}",
        "{spec: {holderIdentity: 'b', leaseDurationSeconds: 20}}",
        "{metadata: {annotations: {note: 'm'}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/holderIdentity', value: 'j'}]",
        "[{op: 'test', path: '/spec/holderIdentity', value: 'a'},"
        " {op: 'remove', path: '/spec/holderIdentity'}]"),
    .uncached = true,
};

/* --- Service --- */

static const KindRow service = {
    .kind = kind_service,
    .objects = TEXTS("{spec: {clusterIP: 'None', selector: {app: 'a'},"
                     " ports: [{name: 'rpc', port: 26657}]}}",
        "{metadata: {labels: {app: 'a'}}, spec: {selector: {app: 'a'}, ports: [{name: 'web', port: "
        "80}]}}",
        "{spec: {clusterIP: 'None', ports: [{name: 'rpc', port: 26657}]}}", "{spec: {}}",
        "{spec: {clusterIP: 'None', selector: {app: 'a'}, publishNotReadyAddresses: true,"
        " ports: [{name: 'rpc', port: 26657, targetPort: 'rpc', protocol: 'TCP'}, {name: 'p2p', "
        "port: 26656}]}}"),
    .changes = TEXTS("{spec: {publishNotReadyAddresses: true}}", "{spec: {selector: {app: 'b'}}}",
        "{spec: {ports: [{name: 'rpc', port: 26657, targetPort: 1234}]}}",
        "{spec: {sessionAffinity: 'ClientIP'}}", "{spec: {ports: [{port: 0}]}}",
        "{spec: {type: 'Nope'}}", "{spec: {ports: [{port: 1}, {port: 2}]}}"),
    .applies = TEXTS("{spec: {clusterIP: 'None', selector: {app: 'a'},"
                     " ports: [{name: 'rpc', port: 26657, protocol: 'TCP'}]}}",
        "{spec: {clusterIP: 'None', selector: {app: 'a'},"
        " ports: [{name: 'grpc', port: 9090, protocol: 'TCP'}]}}",
        "{spec: {clusterIP: 'None', selector: {app: 'b'}, publishNotReadyAddresses: true,"
        " ports: [{name: 'rpc', port: 26657, targetPort: 1234, protocol: 'TCP'}]}}",
        "{metadata: {labels: {app: 'b'}}, spec: {ports: [{name: 'web', port: 80}]}}"),
    .strategic = TEXTS("{spec: {ports: [{port: 80, '$patch': 'delete'}]}}",
        "{spec: {ports: [{name: 'p2p', port: 26656}, {port: 26657, targetPort: 7}]}}",
        "{spec: {ports: [{'$patch': 'replace'}, {name: 'only', port: 1}]}}",
        ("{spec: {'$setElementOrder/ports': [{port: 26656}, {port: 26657}],"
         " ports: [{port: 26656, name: 'first'}]}}"),
        "{spec: {selector: {'$patch': 'delete'}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/ports/0/targetPort', value: 99}]",
        "[{op: 'add', path: '/spec/selector', value: {app: 'j'}}]"),
    .status = TEXTS("{status: {conditions: [{type: 'Ok', status: 'True', reason: 'R',"
                    " message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z'}]}}",
        "{status: {loadBalancer: {}}, metadata: {labels: {app: 's'}}}"),
};

/* --- PersistentVolumeClaim --- */

static const KindRow pvc = {
    .kind = kind_pvc,
    .objects = TEXTS("{spec: {accessModes: ['ReadWriteOnce'],"
                     " resources: {requests: {storage: '10Gi'}}}}",
        "{metadata: {labels: {app: 'a'}}, spec: {accessModes: ['ReadWriteOnce'],"
        " storageClassName: 'fast', resources: {requests: {storage: '1024Mi'}}}}",
        "{spec: {accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: 'pv',"
        " dataSource: {apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's'},"
        " resources: {requests: {storage: '1Gi'}}}}",
        "{spec: {}}"),
    .changes = TEXTS("{metadata: {finalizers: null}}", "{spec: {accessModes: ['Nope']}}",
        "{spec: {resources: {requests: {storage: 'much'}}}}",
        "{spec: {resources: {requests: {storage: '20Gi'}}}}",
        "{metadata: {annotations: {keep: 'true'}}}"),
    .applies = TEXTS("{spec: {accessModes: ['ReadWriteOnce'],"
                     " resources: {requests: {storage: '10Gi'}}}}",
        "{metadata: {labels: {app: 'b'}}, spec: {accessModes: ['ReadWriteOnce'],"
        " resources: {requests: {storage: '10Gi'}}}}",
        "{metadata: {finalizers: ['test.io/hold']}, spec: {accessModes: ['ReadWriteOnce'],"
        " resources: {requests: {storage: '10Gi'}}}}"),
    .patches = TEXTS("[{op: 'remove', path: '/metadata/finalizers'}]"),
    .status = TEXTS("{status: {phase: 'Bound', capacity: {storage: '10Gi'},"
                    " accessModes: ['ReadWriteOnce']}}",
        "{status: {phase: 'Lost'}}"),
};

/* --- StatefulSet --- */

#define TEMPLATE(image)                                                                            \
    "template: {metadata: {labels: {app: 'a'}}, spec: {containers: ["                              \
    "{name: 'main', image: '" image "'}]}}"

/* What a node of a chain looks like: all parts that the operator's pods have. */
#define RICH_TEMPLATE(image)                                                                       \
    "template: {metadata: {labels: {app: 'a'}, annotations: {hash: 'h'}}, spec: {"                 \
    "serviceAccountName: 'default', shareProcessNamespace: true, terminationGracePeriodSeconds:"   \
    " 120, securityContext: {fsGroup: 1000, runAsNonRoot: true, fsGroupChangePolicy:"              \
    " 'OnRootMismatch', seccompProfile: {type: 'RuntimeDefault'}}, tolerations: [{key: 'k',"       \
    " operator: 'Equal', value: 'v', effect: 'NoSchedule'}], initContainers: [{name: 'init',"      \
    " image: '" image "', command: ['sh', '-c'], args: ['x'], volumeMounts: [{name: 'chain',"      \
    " mountPath: '/data'}]}, {name: 'sidecar', image: 's:1', restartPolicy: 'Always', ports:"      \
    " [{name: 'api', containerPort: 7777}], startupProbe: {tcpSocket: {port: 7777},"               \
    " failureThreshold: 30}, env: [{name: 'POD', valueFrom: {fieldRef: {fieldPath:"                \
    " 'metadata.name'}}}, {name: 'KEY', valueFrom: {secretKeyRef: {name: 's', key: 'k'}}}]}],"     \
    " containers: [{name: 'main', image: '" image                                                  \
    "', ports: [{name: 'p2p', containerPort: 26656},"                                              \
    " {name: 'rpc', containerPort: 26657, protocol: 'TCP'}], readinessProbe: {httpGet: {path:"     \
    " '/ready', port: 'api'}, periodSeconds: 5}, livenessProbe: {exec: {command: ['true']}},"      \
    " lifecycle: {preStop: {exec: {command: ['true']}}}, resources: {requests: {cpu: '500m',"      \
    " memory: '1.5Gi'}, limits: {memory: '2048Mi'}}, securityContext: {allowPrivilegeEscalation:"  \
    " false, capabilities: {drop: ['ALL']}}, volumeMounts: [{name: 'chain', mountPath: '/data'},"  \
    " {name: 'config', mountPath: '/config', readOnly: true}]}], volumes: [{name: 'chain',"        \
    " persistentVolumeClaim: {claimName: 'data-a'}}, {name: 'config', configMap: {name: 'c',"      \
    " items: [{key: 'k', path: 'p'}]}}, {name: 'key', secret: {secretName: 's', defaultMode:"      \
    " 256}}, {name: 'token', projected: {sources: [{serviceAccountToken: {path: 't', audience:"    \
    " 'a', expirationSeconds: 3600}}]}}]}}"

static const KindRow statefulset = {
    .kind = kind_statefulset,
    .objects = TEXTS(
        "{spec: {serviceName: 's', selector: {matchLabels: {app: 'a'}}, " TEMPLATE("i:1") "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {replicas: 2, serviceName: 's', updateStrategy:"
        " {type: 'OnDelete'}, selector: {matchLabels: {app: 'a'}}, template: {metadata: {labels:"
        " {app: 'a'}}, spec: {terminationGracePeriodSeconds: 60, containers: [{name: 'main',"
        " image: 'i', ports: [{name: 'rpc', containerPort: 26657}],"
        " env: [{name: 'A', value: '1'}], volumeMounts: [{name: 'data', mountPath: '/data'}],"
        " resources: {requests: {cpu: '1000m', memory: '1Gi'}}},"
        " {name: 'side', image: 'i:latest', readinessProbe: {httpGet: {path: '/x', port: 80}}}],"
        " volumes: [{name: 'data', emptyDir: {}}]}}}}",
        "{spec: {serviceName: 's', " TEMPLATE("i:1") "}}",
        "{spec: {serviceName: 's', selector: {matchLabels: {app: 'z'}}, " TEMPLATE("i:1") "}}"),
    .strategic = TEXTS("{spec: {template: {spec: {containers: [{name: 'main', image: 'i:7',"
                       " env: [{name: 'B', value: '2'}, {name: 'A', value: null}],"
                       " ports: [{containerPort: 1317, name: 'api'}]}]}}}}",
        "{spec: {template: {spec: {containers: [{name: 'side', '$patch': 'delete'}]}}}}",
        "{spec: {template: {spec: {containers: [{name: 'new', image: 'n:1'},"
        " {name: 'main', volumeMounts: [{mountPath: '/b', name: 'b'}]}],"
        " volumes: [{name: 'b', emptyDir: {}}]}}}}",
        "{spec: {template: {spec: {'$setElementOrder/containers': [{name: 'new'}, {name: 'main'}],"
        " containers: [{name: 'new', image: 'n:2'}]}}}}",
        "{spec: {template: {spec: {'$setElementOrder/containers': [{name: 'side'}, {name: "
        "'main'}]}}}}",
        "{spec: {template: {spec: {volumes: [{name: 'data', '$retainKeys': ['name', 'configMap'],"
        " configMap: {name: 'c'}}]}}}}",
        "{spec: {updateStrategy: {'$patch': 'replace', type: 'OnDelete'}}}",
        "{spec: {template: {spec: {tolerations: [{key: 'k', operator: 'Exists'}],"
        " containers: [{name: 'main', args: ['x', 'y']}]}}}}",
        "{spec: {template: {spec: {containers: [{'$patch': 'replace'}, {name: 'lone', image: "
        "'l'}]}}}}",
        "{spec: {template: {metadata: {annotations:"
        " {'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z'}}}}}"),
    .changes =
        TEXTS("{spec: {replicas: 3}}", "{spec: {template: {metadata: {annotations: {hash: 'h'}}}}}",
            "{spec: {template: {spec: {terminationGracePeriodSeconds: 10}}}}",
            "{spec: {template: {spec: {containers: [{name: 'main', image: 'i:2'}]}}}}",
            "{spec: {updateStrategy: {type: 'OnDelete', rollingUpdate: null}}}",
            "{spec: {serviceName: 'other'}}", "{status: {replicas: 9}}",
            "{spec: {replicas: 'three'}}", "{spec: {template: {spec: {containers: []}}}}",
            "{spec: {template: {metadata: {labels: {app: 'z'}}}}}",
            "{spec: {template: {spec: {restartPolicy: 'Never'}}}}"),
    .applies = TEXTS("{spec: {replicas: 1, serviceName: 's', selector: {matchLabels: {app: 'a'}},"
                     " " TEMPLATE("i:1") "}}",
        "{spec: {serviceName: 's', selector: {matchLabels: {app: 'a'}}, " TEMPLATE("i:2") "}}",
        "{spec: {serviceName: 's', selector: {matchLabels: {app: 'a'}}, template: {metadata:"
        " {labels: {app: 'a'}}, spec: {containers: [{name: 'main', image: 'i:1',"
        " env: [{name: 'B', value: '2'}]}]}}}}",
        "{metadata: {labels: {app: 'b'}}, spec: {replicas: 4, serviceName: 's',"
        " selector: {matchLabels: {app: 'a'}}, " TEMPLATE("i:1") "}}",
        "{spec: {serviceName: 's', updateStrategy: {type: 'OnDelete'}, podManagementPolicy:"
        " 'OrderedReady', selector: {matchLabels: {app: 'a'}}, " RICH_TEMPLATE("i:1") "}}",
        "{spec: {serviceName: 's', updateStrategy: {type: 'OnDelete'}, podManagementPolicy:"
        " 'OrderedReady', selector: {matchLabels: {app: 'a'}}, " RICH_TEMPLATE("i:2") "}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/replicas', value: 5}]",
        "[{op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'i:3'}]",
        "[{op: 'test', path: '/spec/replicas', value: 1},"
        " {op: 'replace', path: '/spec/replicas', value: 2}]"),
    .status = TEXTS("{status: {observedGeneration: 1, replicas: 1, readyReplicas: 1,"
                    " currentRevision: 'r1', updateRevision: 'r1'}}",
        "{status: {replicas: 2}, spec: {replicas: 7}}"),
    .scales = true,
};

/* --- Pod --- */

static const KindRow pod = {
    .kind = kind_pod,
    .objects = TEXTS("{spec: {automountServiceAccountToken: false,"
                     " containers: [{name: 'main', image: 'i:1'}]}}",
        "{metadata: {labels: {app: 'a'}}, spec: {automountServiceAccountToken: false,"
        " nodeName: 'n1', containers: [{name: 'main', image: 'i', resources: {requests: {cpu:"
        " '500m'}, limits: {memory: '1Gi'}}}], volumes: [{name: 'd', emptyDir: {}}]}}",
        "{metadata: {finalizers: ['test.io/hold']}, spec: {automountServiceAccountToken: false,"
        " initContainers: [{name: 'init', image: 'i:1'}],"
        " containers: [{name: 'main', image: 'i:1'}]}}",
        "{spec: {automountServiceAccountToken: false, containers: []}}",
        "{spec: {automountServiceAccountToken: false, containers: [{name: 'main', image: 'i:1',"
        " volumeMounts: [{name: 'x', mountPath: '/x'}]}, {name: 'main'}]}}"),
    .strategic = TEXTS("{spec: {containers: [{name: 'main', image: 'i:8'}]}}",
        "{spec: {containers: [{name: 'main', env: [{name: 'X', value: '1'}]}]}}",
        "{spec: {tolerations: [{key: 'k', operator: 'Exists'}]}}",
        "{spec: {initContainers: [{name: 'init', image: 'i:2'}]}}",
        ("{metadata: {finalizers: ['test.io/b', 'test.io/hold'],"
         " '$setElementOrder/finalizers': ['test.io/b', 'test.io/hold']}}")),
    .changes = TEXTS("{metadata: {annotations: {note: 'x'}}}",
        "{spec: {terminationGracePeriodSeconds: 5}}", "{spec: {activeDeadlineSeconds: 100}}",
        "{spec: {activeDeadlineSeconds: 0}}", "{spec: {containers: 'none'}}",
        "{metadata: {labels: {app: 7}}}"),
    .applies = TEXTS("{metadata: {labels: {app: 'b'}}, spec: {automountServiceAccountToken: false,"
                     " containers: [{name: 'main', image: 'i:1'}]}}",
        "{metadata: {annotations: {note: 'm'}}, spec: {automountServiceAccountToken: false,"
        " containers: [{name: 'main', image: 'i:1'}]}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/containers/0/image', value: 'i:9'}]"),
    .status = TEXTS("{status: {phase: 'Running', podIP: '127.0.0.9',"
                    " conditions: [{type: 'Ready', status: 'True'}]}}",
        "{status: {phase: 'Failed'}}",
        "{status: {phase: 'Running', hostIP: '127.0.0.1', podIP: '127.0.0.9', podIPs: [{ip:"
        " '127.0.0.9'}], startTime: '2020-01-01T00:00:00Z', conditions: [{type: 'Initialized',"
        " status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z'}, {type: 'Ready', status:"
        " 'False', reason: 'ContainersNotReady', message: 'm'}], containerStatuses: [{name: 'main',"
        " image: 'i:1', imageID: 'x', containerID: 'c://1', ready: true, started: true,"
        " restartCount: 0, state: {running: {startedAt: '2020-01-01T00:00:00Z'}}}]}}",
        "{status: {containerStatuses: [{name: 'main', image: 'i:1', imageID: '', ready: false,"
        " restartCount: 1, state: {waiting: {reason: 'CrashLoopBackOff', message: 'm'}}, lastState:"
        " {terminated: {exitCode: 1, reason: 'Error'}}}]}}"),
    .fields = TEXTS("spec.nodeName=n1", "status.phase=Running", "spec.nodeName="),
    .evictions = TEXTS("{}", "{}", "{deleteOptions: {gracePeriodSeconds: 0}}",
        "{deleteOptions: {gracePeriodSeconds: 7, propagationPolicy: 'Foreground'}}",
        "{deleteOptions: {dryRun: ['All']}}",
        "{deleteOptions: {preconditions: {uid: '11111111-1111-4111-8111-111111111111'}}}",
        "{deleteOptions: {preconditions: {resourceVersion: '1'}}}"),
};

/* --- ControllerRevision, Job --- */

static const KindRow controllerrevision = {
    .kind = kind_controllerrevision,
    .objects = TEXTS("{revision: 1, data: {spec: {template: {x: 1}}}}",
        "{metadata: {labels: {app: 'a'}}, revision: 2, data: {spec: {template: {x: 2}}}}",
        "{revision: -1, data: {x: 1}}", "{revision: 1}"),
    .changes = TEXTS("{revision: 3}", "{data: {spec: {template: {x: 9}}}}", "{revision: 1}"),
    .applies = TEXTS("{revision: 1, data: {spec: {template: {x: 1}}}}",
        "{metadata: {labels: {app: 'b'}}, revision: 4, data: {spec: {template: {x: 1}}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/revision', value: 5}]"),
};

#define JOB_TEMPLATE                                                                               \
    "template: {spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'i:1'}]}}"

static const KindRow job = {
    .kind = kind_job,
    .objects = TEXTS("{spec: {" JOB_TEMPLATE "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {backoffLimit: 0, ttlSecondsAfterFinished: 60, "
        "" JOB_TEMPLATE "}}",
        "{spec: {template: {spec: {containers: [{name: 'main', image: 'i:1'}]}}}}"),
    .changes =
        TEXTS("{spec: {suspend: true}}", "{spec: {backoffLimit: 3}}", "{spec: {parallelism: 2}}",
            "{spec: {activeDeadlineSeconds: 100}}", "{spec: {backoffLimit: -1}}"),
    .applies = TEXTS("{spec: {" JOB_TEMPLATE "}}",
        "{metadata: {labels: {app: 'b'}}, spec: {backoffLimit: 1, " JOB_TEMPLATE "}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/backoffLimit', value: 5}]"),
    .status = TEXTS("{status: {active: 1, startTime: '2020-01-01T00:00:00Z'}}",
        "{status: {active: 1, ready: 0, startTime: '2020-01-01T00:00:00Z'}, metadata: {labels: "
        "{app:"
        " 's'}}}"),
};

/* --- Events, by both of their names --- */

static const KindRow event = {
    .kind = kind_event,
    .objects =
        TEXTS("{eventTime: '2020-01-01T00:00:00.000000Z', reportingController: 'sei.io/x',"
              " reportingInstance: 'x-0', action: 'Reconcile', reason: 'Made', type: 'Normal',"
              " note: 'n', regarding: {kind: 'Pod', name: 'a', namespace: '<namespace>'}}",
            "{metadata: {labels: {app: 'a'}}, eventTime: '2020-01-01T00:00:00.000000Z',"
            " reportingController: 'sei.io/x', reportingInstance: 'x-0', action: 'Reconcile',"
            " reason: 'Made', type: 'Warning', regarding: {kind: 'Node', name: 'a', namespace: "
            "'<namespace>'}}",
            "{type: 'Strange', regarding: {kind: 'Node', name: 'a', namespace: 'elsewhere'}}",
            "{eventTime: '2020-01-01T00:00:00.000000Z', type: 'Normal',"
            " regarding: {kind: 'Node', name: 'a', namespace: 'elsewhere'}}"),
    .changes = TEXTS("{series: {count: 2, lastObservedTime: '2020-01-01T00:00:01.000000Z'}}",
        "{series: {count: 3, lastObservedTime: '2020-01-01T00:00:02.000000Z'}}",
        "{series: {count: 1}}"),
    .applies =
        TEXTS("{eventTime: '2020-01-01T00:00:00.000000Z', reportingController: 'sei.io/x',"
              " reportingInstance: 'x-0', action: 'Reconcile', reason: 'Made', type: 'Normal',"
              " regarding: {kind: 'Node', name: 'a', namespace: '<namespace>'}}"),
    .patches = TEXTS("[{op: 'add', path: '/series',"
                     " value: {count: 9, lastObservedTime: '2020-01-01T00:00:09.000000Z'}}]"),
    .fields = TEXTS("type=Normal", "reason=Made", "regarding.name=a", "regarding.kind!=Node"),
    .uncached = true,
};

static const KindRow core_event = {
    .kind = kind_core_event,
    .objects = TEXTS("{involvedObject: {kind: 'Node', name: 'a', namespace: '<namespace>'}, "
                     "reason: 'Made', message: 'm',"
                     " type: 'Normal', count: 1, firstTimestamp: '2020-01-01T00:00:00Z',"
                     " lastTimestamp: '2020-01-01T00:00:00Z', source: {component: 'x'}}",
        "{metadata: {labels: {app: 'a'}}, involvedObject: {kind: 'Node', name: 'b', namespace: "
        "'<namespace>'},"
        " reason: 'Made', type: 'Warning', source: {component: 'x', host: 'h'}}"),
    .changes = TEXTS("{count: 2, lastTimestamp: '2020-01-01T00:00:02Z'}", "{message: 'other'}"),
    .applies = TEXTS("{involvedObject: {kind: 'Node', name: 'a', namespace: '<namespace>'}, "
                     "reason: 'Made', message: 'm'}",
        "{involvedObject: {kind: 'Node', name: 'a', namespace: '<namespace>'}, reason: 'Made', "
        "count: 2}"),
    .patches = TEXTS("[{op: 'replace', path: '/count', value: 7}]"),
    .fields =
        TEXTS("type=Normal", "reason=Made", "involvedObject.name=a", "involvedObject.kind!=Node"),
    .uncached = true,
};

const KindRow *const fidelity_kinds[FIDELITY_KINDS] = {
    &configmap,
    &secret,
    &lease,
    &service,
    &pvc,
    &statefulset,
    &pod,
    &controllerrevision,
    &job,
    &event,
    &core_event,
    &fidelity_seinode,
    &fidelity_seinodedeployment,
    &fidelity_role,
    &fidelity_rolebinding,
    &fidelity_deployment,
    &fidelity_replicaset,
    &fidelity_cronjob,
    &fidelity_pdb,
    &fidelity_networkpolicy,
    &fidelity_endpointslice,
};
