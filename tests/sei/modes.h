/* Nodes of every mode and variant, and the tasks that set them up: the same list for the planner,
 * for golden files and for births in the simulator. The patch is onto a full node of chain
 * pacific-1. */
#ifndef TESTS_SEI_MODES_H
#define TESTS_SEI_MODES_H

typedef struct ModeCase {
    const char *name;  /* of the golden file, too */
    const char *patch; /* merge patch, JSON5 */
    const char *keys;  /* the validate- tasks, each with a space behind it */
    const char *tasks; /* what the sidecar does, in its order */
} ModeCase;

#define STATIC_PEERS    "peers: [{static: {addresses: ['aa@peer-0:26656', 'bb@peer-1:26656']}}]"
#define FROM_S3         "snapshot: {s3: {targetHeight: 1000}, trustPeriod: '168h0m0s'}"
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

static const ModeCase mode_cases[] = {
    {"full", "{}", "", FROM_GENESIS},
    {"full-peers", "{spec: {" STATIC_PEERS "}}", "", WITH_PEERS},
    {"full-told",
        "{spec: {externalAddress: 'rpc.example:26656', overrides: {'evm.http_port': '8545'}}}",
        "",
        FROM_GENESIS},
    {"full-s3", "{spec: {" STATIC_PEERS ", fullNode: {" FROM_S3 "}}}", "", BY_S3},
    {"full-state-sync",
        "{spec: {" STATIC_PEERS ", fullNode: {" FROM_STATE_SYNC "}}}",
        "",
        BY_STATE_SYNC},
    {"full-snapshots", "{spec: {fullNode: {" MAKES_SNAPSHOTS "}}}", "", FROM_GENESIS},
    {"full-publish", "{spec: {fullNode: {" PUBLISHES "}}}", "", PUBLISHING},
    {"archive", "{spec: {fullNode: null, archive: {}}}", "", FROM_GENESIS},
    {"archive-snapshots",
        "{spec: {fullNode: null, archive: {" MAKES_SNAPSHOTS "}}}",
        "",
        FROM_GENESIS},
    {"archive-publish", "{spec: {fullNode: null, archive: {" PUBLISHES "}}}", "", PUBLISHING},
    {"replayer", "{spec: {" STATIC_PEERS ", fullNode: null, replayer: {" FROM_S3 "}}}", "", BY_S3},
    {"replayer-export",
        "{spec: {" STATIC_PEERS ", fullNode: null, replayer: {" FROM_S3
        ", resultExport: {shadowResult: {canonicalRpc: 'http://rpc.example:26657'}}}}}",
        "",
        BY_S3},
    {"validator", "{spec: {fullNode: null, validator: {}}}", "", FROM_GENESIS},
    {"validator-s3",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" FROM_S3 "}}}",
        "",
        BY_S3},
    {"validator-state-sync",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" FROM_STATE_SYNC "}}}",
        "",
        BY_STATE_SYNC},
    {"validator-keys",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" MODE_KEYS "}}}",
        "validate-signing-key validate-node-key ",
        WITH_PEERS},
    {"validator-keyring",
        "{spec: {" STATIC_PEERS ", fullNode: null, validator: {" MODE_KEYS ", " MODE_KEYRING "}}}",
        "validate-signing-key validate-node-key validate-operator-keyring ",
        WITH_PEERS},
    {"ceremony",
        "{spec: {chainId: 'founders-1', " STATIC_PEERS ", fullNode: null,"
        " validator: {" CEREMONY "}}}",
        "",
        BY_CEREMONY},
    {"ceremony-keyring",
        "{spec: {chainId: 'founders-1', fullNode: null,"
        " validator: {" CEREMONY ", " MODE_KEYRING "}}}",
        "validate-operator-keyring ",
        BY_CEREMONY},
};

#endif
