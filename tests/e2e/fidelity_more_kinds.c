/* Rows of the kinds that nobody in the world works on. */
#include "tests/e2e/fidelity.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

const KindRow fidelity_role = {
    .kind = kind_role,
    .objects = TEXTS("{rules: [{apiGroups: [''], resources: ['pods'], verbs: ['get']}]}",
        "{metadata: {labels: {app: 'a'}, finalizers: ['test.io/hold']}}", "{rules: []}",
        "{rules: [{verbs: ['get']}]}",
        ("{rules: [{apiGroups: ['a', 'b'], resources: ['x/y'], resourceNames: ['n'], verbs: "
         "['*']}]}")),
    .changes = TEXTS("{rules: null}",
        "{rules: [{apiGroups: ['apps'], resources: ['*'], verbs: ['list']}]}",
        "{rules: [{apiGroups: [''], resources: []}]}", "{rules: 'none'}", "{unknown: 1}"),
    .applies = TEXTS("{rules: [{apiGroups: [''], resources: ['pods'], verbs: ['get']}]}",
        "{metadata: {labels: {app: 'b'}}, rules: [{apiGroups: [''], resources: ['pods'],"
        " verbs: ['get', 'list']}]}",
        "{metadata: {annotations: {note: 'm'}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/rules/0/verbs', value: ['watch']}]",
        "[{op: 'remove', path: '/rules/0'}]"),
};

const KindRow fidelity_rolebinding = {
    .kind = kind_rolebinding,
    .objects = TEXTS("{roleRef: {kind: 'Role', name: 'r'}, subjects: [{kind: 'User', name: 'u'}]}",
        ("{metadata: {labels: {app: 'a'}}, roleRef: {apiGroup: 'rbac.authorization.k8s.io',"
         " kind: 'ClusterRole', name: 'view'}, subjects: [{kind: 'ServiceAccount', name: 's'},"
         " {kind: 'Group', name: 'g'}]}"),
        "{roleRef: {kind: 'Role', name: 'r'}}", "{roleRef: {kind: 'Pod'}, subjects: [{}]}"),
    .changes = TEXTS("{subjects: [{kind: 'User', name: 'v'}]}", "{subjects: null}",
        "{roleRef: {name: 'other'}}", "{roleRef: null}", "{subjects: [{kind: 'Dog', name: 'd'}]}"),
    .applies = TEXTS("{roleRef: {kind: 'Role', name: 'r'}, subjects: [{kind: 'User', name: 'u'}]}",
        "{roleRef: {kind: 'Role', name: 'r'}, subjects: [{kind: 'Group', name: 'u',"
        " apiGroup: 'rbac.authorization.k8s.io'}]}",
        "{metadata: {labels: {app: 'b'}}, roleRef: {kind: 'Role', name: 'other'}}"),
    .patches = TEXTS("[{op: 'add', path: '/subjects/0/name', value: 'j'}]"),
};

#define TEMPLATE(image)                                                                            \
    "selector: {matchLabels: {app: 'a'}}, template: {metadata: {labels: {app: 'a'}},"              \
    " spec: {containers: [{name: 'main', image: '" image "'}]}}"

const KindRow fidelity_deployment = {
    .kind = kind_deployment,
    .objects = TEXTS("{spec: {" TEMPLATE("i:1") "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {replicas: 2, strategy: {type: 'Recreate'}, "
        "" TEMPLATE("i") "}}",
        "{spec: {minReadySeconds: 5, paused: true, strategy: {rollingUpdate: {maxSurge: 1}}, "
        "" TEMPLATE("i:1") "}}",
        "{spec: {replicas: -1, " TEMPLATE("i:1") "}}", "{spec: {}}"),
    .changes = TEXTS("{spec: {replicas: 3}}", "{spec: {paused: true}}",
        "{spec: {template: {metadata: {annotations: {hash: 'h'}}}}}",
        "{spec: {template: {spec: {containers: [{name: 'main', image: 'i:2'}]}}}}",
        "{spec: {strategy: {type: 'Recreate', rollingUpdate: null}}}",
        "{spec: {strategy: {rollingUpdate: {maxUnavailable: '150%'}}}}",
        "{spec: {selector: {matchLabels: {app: 'z'}}}}", "{spec: {replicas: 'three'}}",
        "{spec: {template: {metadata: {labels: {app: 'z'}}}}}"),
    .applies = TEXTS("{spec: {" TEMPLATE("i:1") "}}", "{spec: {replicas: 2, " TEMPLATE("i:2") "}}",
        "{spec: {strategy: {type: 'RollingUpdate', rollingUpdate: {maxSurge: 0}}, "
        "" TEMPLATE("i:1") "}}",
        "{metadata: {labels: {app: 'b'}}, spec: {" TEMPLATE("i:1") "}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/replicas', value: 5}]",
        "[{op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'i:3'}]"),
    .status = TEXTS("{status: {observedGeneration: 1, replicas: 1, readyReplicas: 1,"
                    " conditions: [{type: 'Available', status: 'True', reason: 'R',"
                    " lastUpdateTime: '2020-01-01T00:00:00Z',"
                    " lastTransitionTime: '2020-01-01T00:00:00Z'}]}}",
        "{status: {replicas: 2}}"),
    .scales = true,
};

const KindRow fidelity_replicaset = {
    .kind = kind_replicaset,
    .objects = TEXTS("{spec: {" TEMPLATE("i:1") "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {replicas: 0, minReadySeconds: 3, "
        "" TEMPLATE("i") "}}",
        "{spec: {selector: {matchLabels: {app: 'a'}}}}"),
    .changes = TEXTS("{spec: {replicas: 3}}", "{spec: {minReadySeconds: -1}}",
        "{spec: {selector: {matchLabels: {app: 'z'}}}}"),
    .applies = TEXTS("{spec: {" TEMPLATE("i:1") "}}", "{spec: {replicas: 2, " TEMPLATE("i:2") "}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/replicas', value: 5}]"),
    .status = TEXTS("{status: {replicas: 1, fullyLabeledReplicas: 1, observedGeneration: 1}}"),
    .scales = true,
};

const KindRow fidelity_cronjob = {
    .kind = kind_cronjob,
    .objects = TEXTS("{spec: {schedule: '0 0 * * *', jobTemplate: {spec: {template: {spec: {"
                     "restartPolicy: 'Never', containers: [{name: 'c', image: 'i:1'}]}}}}}}",
        "{metadata: {labels: {app: 'a'}}, spec: {schedule: '* * * * *', suspend: true,"
        " timeZone: 'UTC', concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 10,"
        " jobTemplate: {metadata: {labels: {x: 'y'}}, spec: {backoffLimit: 0, template: {spec: {"
        "restartPolicy: 'OnFailure', containers: [{name: 'c', image: 'i'}]}}}}}}",
        "{spec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}}"),
    .changes = TEXTS("{spec: {suspend: true}}", "{spec: {schedule: '1 1 1 1 1'}}",
        "{spec: {successfulJobsHistoryLimit: 0}}", "{spec: {concurrencyPolicy: 'X'}}",
        "{spec: {jobTemplate: {spec: {parallelism: 2}}}}", "{spec: {suspend: 'yes'}}"),
    .applies = TEXTS("{spec: {schedule: '0 0 * * *', jobTemplate: {spec: {template: {spec: {"
                     "restartPolicy: 'Never', containers: [{name: 'c', image: 'i:1'}]}}}}}}",
        "{spec: {schedule: '0 1 * * *', jobTemplate: {spec: {template: {spec: {"
        "restartPolicy: 'Never', containers: [{name: 'c', image: 'i:2'}]}}}}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/schedule', value: '2 2 2 2 2'}]"),
    .status = TEXTS("{status: {lastScheduleTime: '2020-01-01T00:00:00Z'}}",
        "{status: {active: [{kind: 'Job', name: 'j', namespace: 'n'}]}}"),
};

const KindRow fidelity_pdb = {
    .kind = kind_pdb,
    .objects = TEXTS("{spec: {minAvailable: 1, selector: {matchLabels: {app: 'a'}}}}",
        ("{metadata: {labels: {app: 'a'}}, spec: {maxUnavailable: '50%',"
         " unhealthyPodEvictionPolicy: 'AlwaysAllow'}}"),
        "{spec: {}}", "{spec: {minAvailable: 1, maxUnavailable: 1}}",
        "{spec: {maxUnavailable: 1, selector: {}}}"),
    .changes = TEXTS("{spec: {minAvailable: 2}}", "{spec: {selector: null}}",
        "{spec: {minAvailable: null, maxUnavailable: 1}}", "{spec: {minAvailable: 'x'}}"),
    .applies = TEXTS("{spec: {minAvailable: 1, selector: {matchLabels: {app: 'a'}}}}",
        "{spec: {minAvailable: '20%', selector: {matchLabels: {app: 'b'}}}}",
        "{metadata: {labels: {app: 'b'}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/minAvailable', value: 5}]"),
    .status = TEXTS("{status: {currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0,"
                    " expectedPods: 1, observedGeneration: 1}}",
        "{status: {currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1, expectedPods: 3,"
        " observedGeneration: 50}}",
        "{status: {currentHealthy: 9, desiredHealthy: 0, disruptionsAllowed: 9, expectedPods: 9,"
        " observedGeneration: 50, conditions: [{type: 'DisruptionAllowed', status: 'True', reason:"
        " 'SufficientPods', message: '', lastTransitionTime: '2020-01-01T00:00:00Z'}]}}",
        "{status: {disruptedPods: {p: '2020-01-01T00:00:00Z'}, conditions: [{type: 'Ok',"
        " status: 'True', reason: 'R', message: 'm',"
        " lastTransitionTime: '2020-01-01T00:00:00Z'}]}}"),
};

const KindRow fidelity_networkpolicy = {
    .kind = kind_networkpolicy,
    .objects = TEXTS("{spec: {podSelector: {}}}",
        ("{metadata: {labels: {app: 'a'}}, spec: {podSelector: {matchLabels: {app: 'a'}},"
         " ingress: [{from: [{podSelector: {}}, {ipBlock: {cidr: '10.0.0.0/8'}}],"
         " ports: [{port: 80}, {port: 'rpc', protocol: 'UDP'}]}], egress: [{}]}}"),
        "{spec: {policyTypes: ['Egress']}}", "{spec: {ingress: [{from: [{}]}]}}"),
    .changes = TEXTS("{spec: {egress: [{to: [{namespaceSelector: {}}]}]}}",
        "{spec: {ingress: null}}", "{spec: {policyTypes: ['Ingress', 'Egress']}}",
        "{spec: {policyTypes: ['Up']}}", "{spec: {podSelector: 'all'}}"),
    .applies = TEXTS("{spec: {podSelector: {}, policyTypes: ['Ingress']}}",
        "{spec: {podSelector: {matchLabels: {app: 'b'}}, ingress: [{ports: [{port: 1}]}]}}"),
    .patches = TEXTS("[{op: 'add', path: '/spec/policyTypes', value: ['Egress']}]"),
};

const KindRow fidelity_endpointslice = {
    .kind = kind_endpointslice,
    .objects = TEXTS("{addressType: 'IPv4', endpoints: [{addresses: ['10.1.2.3']}],"
                     " ports: [{port: 80}]}",
        "{metadata: {labels: {app: 'a'}}, addressType: 'IPv4', endpoints: [{addresses:"
        " ['10.1.2.4'], conditions: {ready: true}, nodeName: 'n', hostname: 'h'}],"
        " ports: [{name: 'rpc', port: 26657, appProtocol: 'http'}]}",
        "{addressType: 'IPv4'}"),
    .changes = TEXTS("{endpoints: [{addresses: ['10.1.2.5']}]}", "{ports: null}",
        "{endpoints: null}", "{ports: [{name: 'x', port: 1}]}"),
    .applies = TEXTS("{addressType: 'IPv4', endpoints: [{addresses: ['10.1.2.3']}]}",
        "{metadata: {labels: {app: 'b'}}, addressType: 'IPv4', ports: [{name: 'y', port: 2}]}"),
    .patches = TEXTS("[{op: 'add', path: '/endpoints/0/addresses/0', value: '10.9.9.9'}]"),
};
