/* Nodes of every mode and variant, and the tasks that set them up: the same list for the planner,
 * for golden files and for births in the simulator. The patch is onto a full node of chain
 * pacific-1. */
#ifndef TESTS_SEI_MODES_H
#define TESTS_SEI_MODES_H

typedef struct ModeCase {
    const char *name;  /* of the golden file, too */
    const char *patch; /* merge patch, JSON5 */
    const char *tasks; /* of its init, with a space between two */
} ModeCase;

#define STATIC_PEERS "peers: [{static: {addresses: ['aa@peer-0:26656', 'bb@peer-1:26656']}}]"
#define FROM_S3      "snapshot: {s3: {targetHeight: 1000}, trustPeriod: '168h0m0s'}"
#define BOOTSTRAP_S3                                                                               \
    "snapshot: {s3: {targetHeight: 1000}, bootstrapImage: 'ghcr.io/example/seid:v0'}"
#define FROM_STATE_SYNC "snapshot: {stateSync: {}, trustPeriod: '24h', backfillBlocks: 100}"
#define MAKES_SNAPSHOTS "snapshotGeneration: {tendermint: {keepRecent: 3}}"
#define PUBLISHES       "snapshotGeneration: {tendermint: {keepRecent: 3, publish: {}}}"
#define MODE_KEYS                                                                                  \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"
#define MODE_KEYRING                                                                               \
    "operatorKeyring: {secret: {secretName: 'keyring', keyName: 'admin',"                          \
    " passphraseSecretRef: {secretName: 'passphrase', key: 'word'}}}"
#define CEREMONY                                                                                   \
    "genesisCeremony: {chainId: 'founders-1', stakingAmount: '10usei', accountBalance: '100usei'," \
    " index: 2}"

#define FROM_GENESIS "configure-genesis config-apply config-validate mark-ready"
#define WITH_PEERS   "configure-genesis config-apply discover-peers config-validate mark-ready"
#define BY_STATE_SYNC                                                                              \
    "configure-genesis config-apply discover-peers configure-state-sync config-validate "          \
    "mark-ready"
#define BY_S3      "snapshot-restore " BY_STATE_SYNC
#define PUBLISHING "configure-genesis config-apply config-validate snapshot-upload mark-ready"
#define BY_CEREMONY                                                                                \
    "generate-identity generate-gentx upload-genesis-artifacts configure-genesis config-apply "    \
    "set-genesis-peers config-validate mark-ready"

#define SET_UP(keys, rest)                                                                         \
    "ensure-data-pvc " keys "apply-rbac-proxy-config apply-statefulset apply-service " rest
#define BOOTSTRAPPED(keys, rest)                                                                   \
    "ensure-data-pvc apply-rbac-proxy-config " keys                                                \
    "deploy-bootstrap-service deploy-bootstrap-job " BY_S3                                         \
    " await-bootstrap-complete teardown-bootstrap apply-statefulset apply-service " rest

static const ModeCase mode_cases[] = {
    {"full", "{}", SET_UP("", FROM_GENESIS)},
    {"full-peers", "{spec: {" STATIC_PEERS "}}", SET_UP("", WITH_PEERS)},
    {"full-told",
        "{spec: {externalAddress: 'rpc.example:26656', overrides: {'evm.http_port': '8545'}}}",
        SET_UP("", FROM_GENESIS)},
    {"full-s3", "{spec: {" STATIC_PEERS ", fullNode: {" FROM_S3 "}}}", SET_UP("", BY_S3)},
    {"full-state-sync",
        "{spec: {" STATIC_PEERS ", fullNode: {" FROM_STATE_SYNC "}}}",
        SET_UP("", BY_STATE_SYNC)},
    {"full-snapshots", "{spec: {fullNode: {" MAKES_SNAPSHOTS "}}}", SET_UP("", FROM_GENESIS)},
    {"full-publish", "{spec: {fullNode: {" PUBLISHES "}}}", SET_UP("", PUBLISHING)},
    {"archive", "{spec: {fullNode: null, archive: {}}}", SET_UP("", FROM_GENESIS)},
    {"archive-snapshots",
        "{spec: {fullNode: null, archive: {" MAKES_SNAPSHOTS "}}}",
        SET_UP("", FROM_GENESIS)},
    {"archive-publish",
        "{spec: {fullNode: null, archive: {" PUBLISHES "}}}",
        SET_UP("", PUBLISHING)},
    {"replayer",
        "{spec: {" STATIC_PEERS ", fullNode: null, replayer: {" FROM_S3 "}}}",
        SET_UP("", BY_S3)},
    {"replayer-export",
        "{spec: {" STATIC_PEERS ", fullNode: null, replayer: {" FROM_S3
        ", resultExport: {shadowResult: {canonicalRpc: 'http://rpc.example:26657'}}}}}",
        SET_UP("", BY_S3)},
    {"validator", "{spec: {fullNode: null, validator: {}}}", SET_UP("", FROM_GENESIS)},
    {"validator-s3",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" FROM_S3 "}}}",
        SET_UP("", BY_S3)},
    {"validator-state-sync",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" FROM_STATE_SYNC "}}}",
        SET_UP("", BY_STATE_SYNC)},
    {"validator-keys",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" MODE_KEYS "}}}",
        SET_UP("validate-signing-key validate-node-key ", WITH_PEERS)},
    {"validator-keyring",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" MODE_KEYS ", " MODE_KEYRING "}}}",
        SET_UP("validate-signing-key validate-node-key validate-operator-keyring ", WITH_PEERS)},
    {"full-bootstrap",
        "{spec: {" STATIC_PEERS ", fullNode: {" BOOTSTRAP_S3 "}}}",
        BOOTSTRAPPED("", WITH_PEERS)},
    {"full-bootstrap-publish",
        "{spec: {" STATIC_PEERS ", fullNode: {" BOOTSTRAP_S3 ", " PUBLISHES "}}}",
        BOOTSTRAPPED("",
            "configure-genesis config-apply discover-peers config-validate snapshot-upload "
            "mark-ready")},
    {"replayer-bootstrap",
        "{spec: {" STATIC_PEERS ", fullNode: null, replayer: {" BOOTSTRAP_S3 "}}}",
        BOOTSTRAPPED("", WITH_PEERS)},
    {"validator-bootstrap",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" BOOTSTRAP_S3 ", " MODE_KEYS
        ", " MODE_KEYRING "}}}",
        BOOTSTRAPPED(
            "validate-signing-key validate-node-key validate-operator-keyring ", WITH_PEERS)},
    {"ceremony",
        "{spec: {chainId: 'founders-1', " STATIC_PEERS ", fullNode: null,"
        " validator: {" CEREMONY "}}}",
        SET_UP("", BY_CEREMONY)},
    {"ceremony-keyring",
        "{spec: {chainId: 'founders-1', fullNode: null,"
        " validator: {" CEREMONY ", " MODE_KEYRING "}}}",
        SET_UP("validate-operator-keyring ", BY_CEREMONY)},
};

#endif
