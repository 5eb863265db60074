/* What the random sequences are about, continued: the two kinds of deploy/crds. Nothing here breaks
 * a rule in CEL, which the world does not know; all else may be broken. */
#include "tests/crds/crds.h"
#include "tests/e2e/fidelity.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define FULL_NODE "chainId: 'pacific-1', image: 'seid:1', fullNode: {}"

const KindRow fidelity_seinode = {
    .kind = crd_seinode,
    .objects = TEXTS("{spec: {" FULL_NODE "}}",
        "{metadata: {labels: {app: 'a'}, finalizers: ['sei.io/hold']},"
        " spec: {" FULL_NODE ", sidecar: {image: 's:1'}, overrides: {'a.b': 'c'}}}",
        "{spec: {chainId: 'arctic-1', image: 'seid:1', peers: [{static: {addresses: ['x:1']}}],"
        " fullNode: {snapshotGeneration: {tendermint: {keepRecent: 5}}}, unknown: {x: 1}}}",
        "{spec: {chainId: 'Bad_Chain', image: '', fullNode: {}}}",
        "{spec: {" FULL_NODE "}, status: {phase: 'Running'}}"),
    .changes = TEXTS("{spec: {image: 'seid:2'}}", "{spec: {paused: true}}",
        "{spec: {podLabels: {a: 'b'}}}", "{spec: {sidecar: {}}}", "{spec: {sidecar: {port: 'x'}}}",
        "{spec: {image: ''}}", "{spec: {unknown: 1}}", "{status: {phase: 'Running'}}",
        "{spec: {peers: [{static: {addresses: ['x:1', 'y:2']}}]}}"),
    .applies = TEXTS("{spec: {" FULL_NODE "}}",
        "{spec: {chainId: 'pacific-1', image: 'seid:2', fullNode: {}, podLabels: {a: 'x'}}}",
        "{metadata: {labels: {app: 'b'}, finalizers: ['sei.io/hold']}, spec: {" FULL_NODE "}}",
        "{spec: {" FULL_NODE ", sidecar: {resources: {requests: {cpu: 1}}}}}",
        "{spec: {" FULL_NODE ", unknown: 1}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/image', value: 'seid:3'}]",
        "[{op: 'test', path: '/spec/image', value: 'seid:1'},"
        " {op: 'add', path: '/spec/overrides', value: {x: 'y'}}]",
        "[{op: 'remove', path: '/metadata/finalizers'}]"),
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

const KindRow fidelity_seinodedeployment = {
    .kind = crd_seinodedeployment,
    .objects = TEXTS("{spec: {updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{metadata: {labels: {app: 'a'}}, spec: {replicas: 3, updateStrategy: {type: 'InPlace',"
        " maxUnavailable: '25%'}, " TEMPLATE "}}",
        "{spec: {replicas: 0, updateStrategy: {}, " TEMPLATE "}}"),
    .changes = TEXTS("{spec: {replicas: 2}}", "{spec: {replicas: 101}}", "{spec: {paused: true}}",
        "{spec: {updateStrategy: {maxUnavailable: 2}}}", "{spec: {deletionPolicy: 'Retain'}}",
        "{spec: {template: {metadata: {labels: {x: 'y'}}}}}", "{spec: {replicas: null}}",
        "{spec: {template: {spec: {image: 'seid:2'}}}}"),
    .applies = TEXTS("{spec: {updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{spec: {replicas: 2, updateStrategy: {type: 'InPlace'}, " TEMPLATE "}}",
        "{metadata: {labels: {app: 'b'}}, spec: {replicas: 4, updateStrategy: {type: 'InPlace',"
        " hold: true}, " TEMPLATE "}}"),
    .patches = TEXTS("[{op: 'replace', path: '/spec/replicas', value: 5}]",
        "[{op: 'replace', path: '/spec/template/spec/image', value: 'seid:9'}]"),
    .status = TEXTS("{status: {replicas: 1, selector: 'sei.io/fleet=a'}}",
        "{status: {phase: 'Ready', observedGeneration: 2}}", "{status: {replicas: -1}}",
        "{status: {replicas: 2}, spec: {replicas: 7}}"),
    .fields = TEXTS("status.phase=Ready"),
    .scales = true,
};
