/* Nodes of every mode with every option that shows in an object: what golden files, properties and
 * the real server are asked about. */
#ifndef TESTS_SEI_RENDER_CASES_H
#define TESTS_SEI_RENDER_CASES_H

#include "sei/render/render.h"
#include "tests/sei/nodes.h"

typedef struct RenderCase {
    const char *name;  /* of the golden file, too */
    const char *patch; /* onto the sample node */
    ReplicaRule replicas;
} RenderCase;

#define VALIDATOR_KEYS                                                                             \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"
#define VALIDATOR_KEYRING                                                                          \
    "operatorKeyring: {secret: {secretName: 'keyring', keyName: 'node_admin',"                     \
    " passphraseSecretRef: {secretName: 'passphrase', key: 'word'}}}"

#define BOOTSTRAP "s3: {targetHeight: 198000000}, bootstrapImage: 'ghcr.io/example/seid:v6.3.0'"

#define FOUNDING                                                                                   \
    "genesisCeremony: {chainId: 'founders-1', stakingAmount: '10usei', accountBalance: '100usei'," \
    " index: 0}"

static const RenderCase render_cases[] = {
    {"full"},
    {"archive", "{metadata: {name: 'archive-0'}, spec: {fullNode: null, archive: {}}}"},
    {"replayer",
        "{metadata: {name: 'replayer-0'}, spec: {fullNode: null,"
        " peers: [{static: {addresses: ['a@b:1']}}],"
        " replayer: {snapshot: {s3: {targetHeight: 5}}}}}"},
    {"validator", "{metadata: {name: 'validator-0'}, spec: {fullNode: null, validator: {}}}"},
    {"validator-keys",
        "{metadata: {name: 'validator-1'}, spec: {fullNode: null,"
        " validator: {" VALIDATOR_KEYS ", " VALIDATOR_KEYRING "}}}"},
    {"validator-signing",
        "{metadata: {name: 'validator-2'}, spec: {fullNode: null, validator: {" VALIDATOR_KEYS
        "}}}"},
    {"founder",
        "{metadata: {name: 'founder-0'}, spec: {chainId: 'founders-1', fullNode: null,"
        " validator: {" FOUNDING "}}}"},
    {"founder-keyring",
        "{metadata: {name: 'founder-1'}, spec: {chainId: 'founders-1', fullNode: null,"
        " validator: {" FOUNDING ", " VALIDATOR_KEYRING "}}}"},
    {"archive-imported",
        "{metadata: {name: 'archive-1'}, spec: {fullNode: null, archive: {},"
        " dataVolume: {import: {pvcName: 'old-disk'}}}}"},
    {"bootstrap",
        "{metadata: {name: 'bootstrap-0'}, spec: {podLabels: {team: 'chain'},"
        " fullNode: {snapshot: {" BOOTSTRAP "}}}}"},
    {"bootstrap-imported",
        "{metadata: {name: 'bootstrap-1'}, spec: {dataVolume: {import: {pvcName: 'old-disk'}},"
        " sidecar: {port: 7070, resources: {limits: {cpu: '1000m'}}},"
        " fullNode: null, peers: [{static: {addresses: ['a@b:1']}}],"
        " replayer: {snapshot: {" BOOTSTRAP "}}}}"},
    {"bootstrap-keys",
        "{metadata: {name: 'bootstrap-2'}, spec: {fullNode: null,"
        " validator: {snapshot: {" BOOTSTRAP "}, " VALIDATOR_KEYS ", " VALIDATOR_KEYRING "}}}"},
    {"paused", "{metadata: {name: 'paused-0'}, spec: {paused: true}}", REPLICAS_ZERO},
    {"scaled-by-hand", "{metadata: {name: 'scaled-0'}}", REPLICAS_LEFT_OUT},
    {"imported",
        "{metadata: {name: 'imported-0'}, spec: {dataVolume: {import: {pvcName: 'old-disk'}}}}"},
    {"retained",
        "{metadata: {name: 'retained-0', annotations: {'sei.io/volume-policy': 'Retain'}}}"},
    {"restarted",
        "{metadata: {name: 'restarted-0',"
        " annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T12:00:00Z'}}}"},
    {"labelled",
        "{metadata: {name: 'labelled-0'}, spec: {podLabels: {team: 'chain', empty: '',"
        " 'example.com/tier': 'gold', 'sei.io/nodedeployment': 'rpc', 'sei.io/role': 'mine',"
        " 'sei.io/node': 'other', 'controller-revision-hash': 'x'}}}"},
    {"sidecar",
        "{metadata: {name: 'sidecar-0'}, spec: {sidecar: {image: 'example/seictl:dev', port: 7070,"
        " resources: {requests: {cpu: '0.25', memory: '1024Mi', 'ephemeral-storage': 1000},"
        "  limits: {cpu: '1000m', memory: '2048Mi', 'ephemeral-storage': '2k'}}}}}"},
    {"sidecar-amounts",
        "{metadata: {name: 'amounts-0'}, spec: {sidecar: {resources: {"
        " requests: {cpu: '100u', memory: '0.5Gi'},"
        " limits: {cpu: 1, memory: '1.500G', 'example.com/gpu': '2.0'}}}}}"},
};

/* What a case renders. */
static inline Wanted render_case(Arena *a, const RenderCase *c)
{
    SeiNode *node = arena_new(a, SeiNode);
    Wanted wanted = {0};

    *node = sample_node(a, c->patch);
    Subject s = subject_of(a, node, sample_settings(), c->replicas);
    then_ok(render_node(a, &s, &wanted));
    return wanted;
}

#endif
