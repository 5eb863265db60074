/* What the random sequences are about, continued: the two kinds of deploy/crds. Whatever can be
 * broken is broken now and then: types, limits, rules in CEL, and those about changes. */
#include "tests/crds/crds.h"
#include "tests/e2e/fidelity.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define FULL_NODE "chainId: 'pacific-1', image: 'seid:1', fullNode: {}"
#define VALIDATOR                                                                                  \
    "chainId: 'pacific-1', image: 'seid:1',"                                                       \
    " validator: {signingKey: {secret: {secretName: 'a'}}, nodeKey: {secret: {secretName: 'b'}}}"

const KindRow fidelity_seinode = {
    .kind = crd_seinode,
    .objects = TEXTS("{spec: {" FULL_NODE "}}",
        "{metadata: {labels: {app: 'a'}, finalizers: ['sei.io/hold']},"
        " spec: {" FULL_NODE ", sidecar: {image: 's:1'}, overrides: {'a.b': 'c'}}}",
        "{spec: {chainId: 'arctic-1', image: 'seid:1', peers: [{static: {addresses: ['x:1']}}],"
        " fullNode: {snapshotGeneration: {tendermint: {keepRecent: 5}}}, unknown: {x: 1}}}",
        "{spec: {chainId: 'Bad_Chain', image: '', fullNode: {}}}",
        "{spec: {" FULL_NODE "}, status: {phase: 'Running'}}", "{spec: {" VALIDATOR "}}",
        "{spec: {chainId: 'pacific-1', image: 'seid:1', replayer: {}}}",
        "{spec: {" FULL_NODE ", archive: {}, peers: [{}, {static: {addresses: ['x:1']},"
        " label: {selector: {a: 'b'}}}]}}",
        "{spec: {" FULL_NODE ", dataVolume: {import: {pvcName: 'p'}}}}"),
    .changes = TEXTS("{spec: {archive: {}}}", "{spec: {fullNode: null}}",
        "{spec: {validator: {signingKey: {secret: {secretName: 'c'}}}}}",
        "{spec: {validator: {nodeKey: null}}}",
        "{spec: {validator: {nodeKey: {secret: {secretName: 'a'}}}}}",
        "{spec: {dataVolume: {import: {pvcName: 'q'}}}}", "{spec: {dataVolume: {import: null}}}",
        "{spec: {peers: [{}]}}", "{spec: {fullNode: null, replayer: {}}}",
        "{spec: {image: 'seid:2'}}", "{spec: {paused: true}}", "{spec: {podLabels: {a: 'b'}}}",
        "{spec: {sidecar: {}}}", "{spec: {sidecar: {port: 'x'}}}", "{spec: {image: ''}}",
        "{spec: {unknown: 1}}", "{status: {phase: 'Running'}}",
        "{spec: {peers: [{static: {addresses: ['x:1', 'y:2']}}]}}"),
    .applies = TEXTS("{spec: {" FULL_NODE "}}",
        "{spec: {chainId: 'pacific-1', image: 'seid:2', fullNode: {}, podLabels: {a: 'x'}}}",
        "{metadata: {labels: {app: 'b'}, finalizers: ['sei.io/hold']}, spec: {" FULL_NODE "}}",
        "{spec: {" FULL_NODE ", sidecar: {resources: {requests: {cpu: 1}}}}}",
        "{spec: {" FULL_NODE ", unknown: 1}}", "{spec: {" VALIDATOR "}}",
        "{spec: {" FULL_NODE ", validator: {}}}",
        "{spec: {" FULL_NODE ", dataVolume: {import: {pvcName: 'r'}}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/image', value: 'seid:3'}]",
        ("[{op: 'test', path: '/spec/image', value: 'seid:1'},"
         " {op: 'add', path: '/spec/overrides', value: {x: 'y'}}]"),
        "[{op: 'remove', path: '/metadata/finalizers'}]",
        "[{op: 'remove', path: '/spec/fullNode'}]",
        "[{op: 'replace', path: '/spec/dataVolume/import/pvcName', value: 's'}]",
        "[{op: 'add', path: '/spec/peers', value: [{static: {addresses: ['x:1']}}, {}]}]"),
    .status = TEXTS("{status: {phase: 'Running', observedGeneration: 1}}",
        "{status: {phase: 'Nonsense'}}",
        "{status: {conditions: [{type: 'Ready', status: 'True', reason: 'R', message: 'm',"
        " lastTransitionTime: '2020-01-01T00:00:00Z'}]}}",
        "{status: {conditions: [{type: 'UpToDate', status: 'False', reason: 'R', message: '',"
        " lastTransitionTime: '2020-01-01T00:00:00Z'}]}, metadata: {labels: {app: 's'}}}",
        "{status: {currentImage: 'seid:1', unknown: 1}, spec: {image: 'seid:7'}}"),
    .fields = TEXTS("spec.chainId=pacific-1", "status.phase=Running", "spec.image=x"),
};

#define TEMPLATE "template: {spec: {" FULL_NODE "}}"
#define IN_PLACE "updateStrategy: {type: 'InPlace'}"
#define FOUNDERS                                                                                   \
    "genesis: {chainId: 'c'}, template: {spec: {chainId: 'c', image: 'seid:1', validator: {}}}"

const KindRow fidelity_seinodedeployment = {
    .kind = crd_seinodedeployment,
    .objects = TEXTS("{spec: {updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {replicas: 3, updateStrategy: {type: 'InPlace',"
        " maxUnavailable: '25%'}, " TEMPLATE "}}",
        "{spec: {replicas: 0, updateStrategy: {}, " TEMPLATE "}}",
        "{spec: {replicas: 4, " IN_PLACE ", " FOUNDERS "}}",
        "{spec: {genesis: {chainId: 'c'}, " IN_PLACE ", " TEMPLATE "}}",
        "{spec: {replicas: 2, " IN_PLACE ", template: {spec: {" VALIDATOR "}}}}",
        "{spec: {" IN_PLACE ", template: {spec: {" VALIDATOR "}}}}"),
    .changes = TEXTS("{spec: {genesis: null}}", "{spec: {genesis: {chainId: 'd'}}}",
        "{spec: {template: {spec: {fullNode: null}}}}",
        "{spec: {template: {spec: {dataVolume: {import: {pvcName: 'p'}}}}}}",
        "{spec: {template: {spec: {validator: {signingKey: null}}}}}", "{spec: {replicas: 2}}",
        "{spec: {replicas: 101}}", "{spec: {paused: true}}",
        "{spec: {updateStrategy: {maxUnavailable: 2}}}", "{spec: {deletionPolicy: 'Retain'}}",
        "{spec: {template: {metadata: {labels: {x: 'y'}}}}}", "{spec: {replicas: null}}",
        "{spec: {template: {spec: {image: 'seid:2'}}}}"),
    .applies = TEXTS("{spec: {updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{spec: {replicas: 2, updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{metadata: {labels: {app: 'b'}}, spec: {replicas: 4, updateStrategy: {type: 'InPlace',"
        " hold: true}, " TEMPLATE "}}",
        "{spec: {replicas: 4, " IN_PLACE ", " FOUNDERS "}}",
        "{spec: {replicas: 3, " IN_PLACE ", template: {spec: {" VALIDATOR "}}}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/replicas', value: 5}]",
        "[{op: 'replace', path: '/spec/template/spec/image', value: 'seid:9'}]",
        "[{op: 'remove', path: '/spec/genesis'}]",
        "[{op: 'remove', path: '/spec/template/spec/validator/nodeKey'}]"),
    .status = TEXTS("{status: {replicas: 1, selector: 'sei.io/fleet=a'}}",
        "{status: {phase: 'Ready', observedGeneration: 2}}", "{status: {replicas: -1}}",
        "{status: {replicas: 2}, spec: {replicas: 7}}"),
    .fields = TEXTS("status.phase=Ready"),
    .scales = true,
};
