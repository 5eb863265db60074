/* The nodes of every mode, and what they find when they come. */
#include "tests/sim/play_modes.h"

#include "base/str.h"
#include "sei/api/names.h"
#include "tests/test.h"

/* The keys of tests hold PLAY_SECRET and nothing else. */
#define KEY_DATA                                                                                   \
    "eyJhZGRyZXNzIjoiQTEiLCJwdWJfa2V5Ijp7InR5cGUiOiJ0IiwidmFsdWUiOiJwIn0sInByaXZfa2V5Ijp7InR5"     \
    "cGUiOiJ0IiwidmFsdWUiOiJkby1ub3QtdGVsbCJ9fQ=="
#define PASSPHRASE_DATA "ZG8tbm90LXRlbGw="

#define PEERS "peers: [{static: {addresses: ['a@b:1']}}]"
#define KEYS                                                                                       \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}},"      \
    " operatorKeyring: {secret: {secretName: 'keyring', keyName: 'node_admin',"                    \
    "  passphraseSecretRef: {secretName: 'passphrase', key: 'word'}}}"

#define CEREMONY_CHAIN "ceremony-1"

#define POD_TASKS "apply-rbac-proxy-config apply-statefulset apply-service "
#define TASKS     "ensure-data-pvc " POD_TASKS

const PlayMode play_modes[PLAY_MODES] = {
    {"full node", "{}", TASKS "configure-genesis config-apply config-validate mark-ready"},
    {"full node from a snapshot",
        "{spec: {" PEERS ", fullNode: {snapshot: {s3: {targetHeight: 900}}}}}",
        TASKS "snapshot-restore configure-genesis config-apply discover-peers"
              " configure-state-sync config-validate mark-ready"},
    {"full node by state sync",
        "{spec: {" PEERS ", fullNode: {snapshot: {stateSync: {}, trustPeriod: '168h0m0s'}}}}",
        TASKS "configure-genesis config-apply discover-peers configure-state-sync"
              " config-validate mark-ready"},
    {"archive",
        "{spec: {fullNode: null, archive: {}}}",
        TASKS "configure-genesis config-apply config-validate mark-ready"},
    {"replayer",
        "{spec: {" PEERS ", fullNode: null, replayer: {snapshot: {s3: {targetHeight: 900}}}}}",
        TASKS "snapshot-restore configure-genesis config-apply discover-peers"
              " configure-state-sync config-validate mark-ready"},
    {"validator",
        "{spec: {fullNode: null, validator: {}}}",
        TASKS "configure-genesis config-apply config-validate mark-ready"},
    {"validator with keys",
        "{spec: {fullNode: null, validator: {" KEYS "}}}",
        "ensure-data-pvc validate-signing-key validate-node-key "
        "validate-operator-keyring " POD_TASKS
        "configure-genesis config-apply config-validate mark-ready"},
    {"ceremony validator",
        "{spec: {chainId: '" CEREMONY_CHAIN "', fullNode: null, validator: {genesisCeremony:"
        " {chainId: '" CEREMONY_CHAIN "', stakingAmount: '10usei', accountBalance: '20usei',"
        "  index: 0}}}}",
        TASKS "generate-identity generate-gentx upload-genesis-artifacts configure-genesis"
              " config-apply set-genesis-peers config-validate mark-ready"},
    {"full node by a bootstrap Job",
        "{spec: {" PEERS ", fullNode: {snapshot: {s3: {targetHeight: 950},"
        " bootstrapImage: 'ghcr.io/example/seid:v0'}}}}",
        "ensure-data-pvc apply-rbac-proxy-config deploy-bootstrap-service deploy-bootstrap-job"
        " snapshot-restore configure-genesis config-apply discover-peers configure-state-sync"
        " config-validate mark-ready await-bootstrap-complete teardown-bootstrap"
        " apply-statefulset apply-service configure-genesis config-apply discover-peers"
        " config-validate mark-ready"},
};

static void create_secret(Play *p, const char *name, const char *data)
{
    play_create(p,
        kind_secret,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'Secret', metadata: {name: '%s'}, data: {%s}}",
            name,
            data));
}

void play_prepare_mode(Play *p, const PlayMode *mode)
{
    Outside *outside = kubelet_outside(play_kubelet(p));

    if (strstr(mode->change, "signingKey")) {
        create_secret(p, "signing", "'priv_validator_key.json': '" KEY_DATA "'");
        create_secret(p, "node", "'node_key.json': '" KEY_DATA "'");
        create_secret(p,
            "keyring",
            "'node_admin.info': '" PASSPHRASE_DATA "', 'a1.address': '" PASSPHRASE_DATA "'");
        create_secret(p, "passphrase", "word: '" PASSPHRASE_DATA "'");
    }
    /* Whoever leads the ceremony has published it. */
    then_true(outside_put(outside, CEREMONY_CHAIN "/genesis.json", "hash"));
    then_true(outside_put(outside, CEREMONY_CHAIN "/peers.json", "[]"));
}

int play_mode_bootstraps(const PlayMode *mode)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *at = mode->tasks;
    int count = 0;

    while (*at) {
        const char *type = str_slice(a, at, strcspn(at, " "));
        count += task_type_is_sidecar(task_type_parse(type)) && !str_eq(type, "mark-ready");
        at += strlen(type);
        at += *at == ' ';
    }
    return count;
}

void play_create_mode(Play *p, const char *name, const PlayMode *mode)
{
    play_prepare_mode(p, mode);
    play_create_node(p, name, mode->change);
}

void play_create_claim_of_chain(Play *p, const char *claim, const char *chain_id)
{
    Arena *a = play_arena(p);

    play_create(p,
        kind_pvc,
        str_format(a,
            "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: '%s'},"
            " spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'gp3',"
            " resources: {requests: {storage: '3000Gi'}}}}",
            claim));
    play_create_node(p,
        "first",
        str_format(
            a, "{spec: {chainId: '%s', dataVolume: {import: {pvcName: '%s'}}}}", chain_id, claim));
    then_str(play_settle(p), NULL);
    play_delete(p, kind_seinode, "first");
    play_run(p, 700000); /* the grace period of its pod */
    then_true(play_find(p, kind_pod, "first-0") == NULL);
}
