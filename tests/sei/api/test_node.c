/* SeiNodes: a small one with one thing changed, and what makes no sense in it. */
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "tests/test.h"

static const char small[] =
    "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
    " metadata: {name: 'rpc-0', namespace: 'sei', uid: 'u1', generation: 4},"
    " spec: {chainId: 'pacific-1', image: 'seid:v1', fullNode: {}},"
    " status: {phase: 'Running', observedGeneration: 3,"
    "   conditions: [{type: 'Ready', status: 'True', reason: 'Available', message: '',"
    "     lastTransitionTime: '2026-01-02T03:04:05Z'}]}}";

static const Json *node_with(Arena *a, const char *patch)
{
    return json_merge(a, json_fixture(a, small), json_fixture(a, patch));
}

static SeiNode decode(Arena *a, const char *patch)
{
    SeiNode node;
    then_ok(node_decode(a, node_with(a, patch), &node));
    return node;
}

TEST(the_defaults_of_a_minimal_seinode_spec_are_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a, "{}");

    then_str(node.key.namespace, "sei");
    then_str(node.key.name, "rpc-0");
    then_str(node.uid, "u1");
    then_int(node.generation, 4);
    then_true(!node.deleting && node.object);
    then_str(node.spec.chain_id, "pacific-1");
    then_str(node.spec.image, "seid:v1");
    then_int(node.spec.mode, MODE_FULL);
    then_int(node.spec.mode_count, 1);
    then_int(node.spec.sidecar_port, SIDECAR_PORT_DEFAULT);
    then_true(!node.spec.snapshot.is_set && !node.spec.generates.is_set && !node.spec.paused);
    then_true(!node.spec.sidecar_image && !node.spec.import_claim && !node.spec.external_address);
    then_true(!node.wishes.retry && !node.wishes.restarted_at);
    then_int(node.status.phase, PHASE_RUNNING);
    then_str(kind_seinode->plural, "seinodes");
}

TEST(every_field_of_a_seinode_spec_is_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a,
        "{metadata: {deletionTimestamp: '2026-01-02T03:04:05Z', annotations: {"
        "   'kubectl.kubernetes.io/restartedAt': 'r', 'sei.io/retry': '1',"
        "   'sei.io/adopt-volume': 'v1', 'sei.io/allow-new-volume': 'v2',"
        "   'sei.io/volume-policy': 'Retain'}},"
        " spec: {peers: [{static: {addresses: ['a@b:1']}}], overrides: {'a.b': 'c'},"
        "   podLabels: {team: 'x'}, sidecar: {image: 'seictl:v1', port: 7000, resources: {}},"
        "   dataVolume: {import: {pvcName: 'old'}}, externalAddress: 'h:1', paused: true,"
        "   fullNode: {snapshot: {s3: {targetHeight: 9007199254740993}, trustPeriod: '2h',"
        "       backfillBlocks: 5, bootstrapImage: 'seid:v0'},"
        "     snapshotGeneration: {tendermint: {keepRecent: 2, publish: {}}}}}}");

    then_true(node.deleting && node.spec.paused);
    then_str(node.wishes.restarted_at, "r");
    then_str(node.wishes.retry, "1");
    then_str(node.wishes.adopt_volume, "v1");
    then_str(node.wishes.allow_new_volume, "v2");
    then_str(node.wishes.volume_policy, "Retain");
    then_json(node.spec.peers, "[{static: {addresses: ['a@b:1']}}]");
    then_json(node.spec.overrides, "{'a.b': 'c'}");
    then_json(node.spec.pod_labels, "{team: 'x'}");
    then_str(node.spec.sidecar_image, "seictl:v1");
    then_int(node.spec.sidecar_port, 7000);
    then_json(node.spec.sidecar_resources, "{}");
    then_str(node.spec.import_claim, "old");
    then_str(node.spec.external_address, "h:1");
    then_true(node.spec.snapshot.is_set && node.spec.snapshot.has_s3);
    then_true(!node.spec.snapshot.state_sync);
    then_int(node.spec.snapshot.s3_height, 9007199254740993);
    then_str(node.spec.snapshot.trust_period, "2h");
    then_int(node.spec.snapshot.backfill_blocks, 5);
    then_str(node.spec.snapshot.bootstrap_image, "seid:v0");
    then_true(node.spec.generates.is_set && node.spec.generates.has_tendermint);
    then_true(node.spec.generates.publish);
    then_int(node.spec.generates.keep_recent, 2);
}

static const struct {
    const char *name, *patch;
    NodeMode mode;
    int count;
    const char *text, *role, *config;
    bool reads_snapshot, reads_generation, has_validator;
} modes[] = {
    {"full",
        "{}",
        MODE_FULL,
        1,
        "fullNode",
        "node",
        "full",
        .reads_snapshot = true,
        .reads_generation = true},
    {"archive",
        "{spec: {fullNode: null, archive: {}}}",
        MODE_ARCHIVE,
        1,
        "archive",
        "archive",
        "archive",
        .reads_generation = true},
    {"replayer",
        "{spec: {fullNode: null, replayer: {}}}",
        MODE_REPLAYER,
        1,
        "replayer",
        "replayer",
        "full",
        .reads_snapshot = true},
    {"validator",
        "{spec: {fullNode: null, validator: {}}}",
        MODE_VALIDATOR,
        1,
        "validator",
        "validator",
        "validator",
        .reads_snapshot = true,
        .has_validator = true},
    {"none", "{spec: {fullNode: null}}", MODE_NONE, 0},
    {"two", "{spec: {archive: {}}}", MODE_FULL, 2, "fullNode", "node", "full", true, true},
};

TEST(the_mode_of_a_node_follows_from_the_block_that_its_spec_has)
{
    each_case(i, modes) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = decode(a, modes[i].patch);
        then_int(node.spec.mode, modes[i].mode);
        then_int(node.spec.mode_count, modes[i].count);
        then_str(node_mode_text(modes[i].mode), modes[i].text);
        then_int(node_mode_parse(modes[i].text), modes[i].mode);
        then_str(node_role_text(modes[i].mode), modes[i].role);
        then_str(node_config_mode_text(modes[i].mode), modes[i].config);
        then_int(node.spec.validator != NULL, modes[i].has_validator);
    }
    then_int(node_mode_parse("full"), MODE_NONE);
}

TEST(snapshot_fields_are_decoded_only_for_modes_that_use_them)
{
    each_case(i, modes) {
        SCOPED_ARENA a = arena_open(1 << 20);
        if (!modes[i].text)
            continue;
        const char *block = str_format(
            a, "{spec: {%s: {snapshot: {stateSync: {}}, snapshotGeneration: {}}}}", modes[i].text);
        const Json *object = json_merge(a, node_with(a, modes[i].patch), json_fixture(a, block));
        SeiNode node;
        then_ok(node_decode(a, object, &node));
        then_int(node.spec.snapshot.is_set, modes[i].reads_snapshot);
        then_int(node.spec.snapshot.state_sync, modes[i].reads_snapshot);
        then_int(node.spec.generates.is_set, modes[i].reads_generation);
        then_true(!node.spec.generates.has_tendermint && !node.spec.snapshot.has_s3);
    }
}

TEST(the_secret_names_of_a_validator_are_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a,
        "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 's'}},"
        " nodeKey: {secret: {secretName: 'n'}}, operatorKeyring: {secret: {secretName: 'k',"
        " keyName: 'me', passphraseSecretRef: {secretName: 'p', key: 'w'}}}}}}");

    then_true(node.spec.signing_key.is_set && node.spec.node_key.is_set);
    then_str(node.spec.signing_key.secret, "s");
    then_str(node.spec.node_key.secret, "n");
    then_true(node.spec.keyring.is_set && !node.spec.ceremony.is_set);
    then_str(node.spec.keyring.secret, "k");
    then_str(node.spec.keyring.key_name, "me");
    then_str(node.spec.keyring.passphrase, "p");
    then_str(node.spec.keyring.passphrase_key, "w");
}

TEST(an_absent_validator_secret_is_unset_and_a_malformed_one_counts_as_set)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode bare = decode(a, "{spec: {fullNode: null, validator: {signingKey: null}}}");
    SeiNode odd = decode(a,
        "{spec: {fullNode: null, validator: {signingKey: 'x', nodeKey: {}, operatorKeyring: [],"
        " genesisCeremony: 5}}}");

    then_true(!bare.spec.signing_key.is_set && !bare.spec.keyring.is_set);
    then_true(!bare.spec.ceremony.is_set && !bare.spec.keyring.key_name);
    then_true(odd.spec.signing_key.is_set && odd.spec.node_key.is_set);
    then_true(odd.spec.keyring.is_set && odd.spec.ceremony.is_set);
    then_str(odd.spec.signing_key.secret, NULL);
    then_str(odd.spec.keyring.key_name, "node_admin");
}

TEST(the_genesis_ceremony_of_a_validator_is_decoded_with_its_stake)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a,
        "{spec: {fullNode: null, validator: {genesisCeremony: {chainId: 'c', stakingAmount: '1',"
        " accountBalance: '2', index: 3}}}}");

    then_true(node.spec.ceremony.is_set);
    then_str(node.spec.ceremony.chain_id, "c");
    then_str(node.spec.ceremony.staking_amount, "1");
    then_str(node.spec.ceremony.account_balance, "2");
}

static const struct {
    const char *name, *block;
    bool is_empty;
} exports[] = {
    {"none", "", false},
    {"an empty one", "resultExport: {}", true},
    {"an odd one", "resultExport: 'x'", true},
    {"one with a result", "resultExport: {shadowResult: {canonicalRpc: 'r'}}", false},
};

TEST(an_empty_result_export_of_a_replayer_is_recognized)
{
    each_case(i, exports) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node =
            decode(a, str_format(a, "{spec: {fullNode: null, replayer: {%s}}}", exports[i].block));

        then_int(node.spec.result_export_is_empty, exports[i].is_empty);
    }
}

TEST(an_empty_text_in_a_seinode_counts_as_absent)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a,
        "{metadata: {annotations: {'sei.io/retry': ''}},"
        " spec: {sidecar: {image: '', port: 0}, externalAddress: '',"
        "   fullNode: {snapshot: {trustPeriod: '', bootstrapImage: ''}}}}");

    then_str(node.wishes.retry, NULL);
    then_str(node.spec.sidecar_image, NULL);
    then_str(node.spec.external_address, NULL);
    then_str(node.spec.snapshot.trust_period, NULL);
    then_str(node.spec.snapshot.bootstrap_image, NULL);
    then_int(node.spec.sidecar_port, SIDECAR_PORT_DEFAULT);
}

static const struct {
    const char *name, *patch;
    Want want;
} broken[] = {
    {"no spec", "{spec: null}", TERMINAL(".spec.chainId is missing")},
    {"no chain", "{spec: {chainId: ''}}", TERMINAL(".spec.chainId is empty")},
    {"no image", "{spec: {image: null}}", TERMINAL(".spec.image is missing")},
    {"an empty image", "{spec: {image: ''}}", TERMINAL(".spec.image is empty")},
    {"an image that is a number", "{spec: {image: 7}}", TERMINAL(".spec.image: expected a string")},
    {"peers that are no list",
        "{spec: {peers: {a: 1}}}",
        TERMINAL(".spec.peers: expected an array, found an object")},
    {"an override that is a number",
        "{spec: {overrides: {'a.b': 1}}}",
        TERMINAL(".spec.overrides['a.b']: expected a string")},
    {"a label that is a number",
        "{spec: {podLabels: {x: 1}}}",
        TERMINAL(".spec.podLabels['x']: expected a string")},
    {"a port beyond all ports",
        "{spec: {sidecar: {port: 65536}}}",
        TERMINAL(".spec.sidecar.port: expected a number from 0 to 65535, found 65536")},
    {"a port below all ports",
        "{spec: {sidecar: {port: -1}}}",
        TERMINAL(".spec.sidecar.port: expected a number from 0 to 65535, found -1")},
    {"a port that no number holds",
        "{spec: {sidecar: {port: 99999999999999999999}}}",
        TERMINAL(".spec.sidecar.port: expected a whole number")},
    {"a port with a fraction",
        "{spec: {sidecar: {port: 1.5}}}",
        TERMINAL(".spec.sidecar.port: expected a whole number")},
    {"more to keep than an int32",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 2147483648}}}}}",
        TERMINAL(".spec.fullNode.snapshotGeneration.tendermint.keepRecent: expected a number"
                 " from 0 to 2147483647, found 2147483648")},
    {"a height that is text",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: '5'}}}}}",
        TERMINAL(".spec.fullNode.snapshot.s3.targetHeight: expected a whole number")},
    {"a Secret of the validator",
        "{spec: {fullNode: null, validator: {nodeKey: {secret: {secretName: 5}}}}}",
        TERMINAL(".spec.validator.nodeKey.secret.secretName: expected a string")},
    {"the stake of a genesis validator",
        "{spec: {fullNode: null, validator: {genesisCeremony: {stakingAmount: 5}}}}",
        TERMINAL(".spec.validator.genesisCeremony.stakingAmount: expected a string")},
    {"a height of the validator",
        "{spec: {fullNode: null, validator: {snapshot: {s3: {targetHeight: '5'}}}}}",
        TERMINAL(".spec.validator.snapshot.s3.targetHeight: expected a whole number")},
    {"a mode that is a word", "{spec: {fullNode: 'yes'}}", TERMINAL(".spec.fullNode: expected an")},
    {"an import of nothing",
        "{spec: {dataVolume: {import: {x: 1}}}}",
        TERMINAL(".spec.dataVolume.import.pvcName is missing")},
    {"paused by a word", "{spec: {paused: 'true'}}", TERMINAL(".spec.paused: expected a boolean")},
    {"a broken status before a broken spec",
        "{spec: {image: 7}, status: {phase: 'Upgrading'}}",
        TERMINAL(".status.phase")},
    {"an unknown phase",
        "{status: {phase: 'Upgrading'}}",
        TERMINAL(".status.phase: expected a phase of a node, found Upgrading")},
};

TEST(an_invalid_seinode_field_is_refused_with_its_path)
{
    each_case(i, broken) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node;
        then_err(node_decode(a, node_with(a, broken[i].patch), &node), broken[i].want);
    }
}

/* So that the error can be told where people look. */
TEST(metadata_and_status_are_decoded_although_the_spec_is_invalid)
{
    each_case(i, broken) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *object = node_with(a, broken[i].patch);
        SeiNode node;
        then_true(node_decode(a, object, &node) != OK);
        then_true(node.object == object);
        then_str(node.key.name, "rpc-0");
        then_str(node.uid, "u1");
        then_int(node.generation, 4);
        then_true(conds_is_true(&node.status.conds, "Ready"));
        then_int(node.status.observed_generation, 3);
    }
}

TEST(a_seinode_with_ten_thousand_peers_is_decoded)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Draft *peers = draft_array(a);

    for (int i = 0; i < 10000; i++)
        draft_push(peers, draft(a, obj("static", strs("addresses", "id@host:26656"))));
    const Json *patch = json_seal(a, draft(a, obj("spec", sub("peers", peers))));
    SeiNode node;
    then_ok(node_decode(a, json_merge(a, json_fixture(a, small), patch), &node));
    then_int(json_count(node.spec.peers), 10000);
}
