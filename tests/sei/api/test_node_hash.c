/* Hashes of a spec: for every field, whose business it is. */
#include "sei/api/node_hash.h"
#include "tests/test.h"

static const char small[] = "{metadata: {name: 'n', namespace: 's'},"
                            " spec: {chainId: 'c', image: 'i:1', fullNode: {}}}";

static const char validator[] =
    "{spec: {fullNode: null, validator: {"
    " signingKey: {secret: {secretName: 's'}}, nodeKey: {secret: {secretName: 'n'}},"
    " operatorKeyring: {secret: {secretName: 'k',"
    "  passphraseSecretRef: {secretName: 'p', key: 'w'}}},"
    " genesisCeremony: {chainId: 'c', stakingAmount: '1', accountBalance: '2', index: 0}}}}";

static SeiNode decode(Arena *a, const char *patch)
{
    SeiNode node;
    const Json *object = json_merge(a, json_fixture(a, small), json_fixture(a, patch));
    then_ok(node_decode(a, object, &node));
    return node;
}

static const struct {
    const char *name, *patch;
    bool is_template, is_init;
} fields[] = {
    {"image", "{spec: {image: 'i:2'}}", true, true},
    {"chain", "{spec: {chainId: 'd'}}", true, true},
    {"mode", "{spec: {fullNode: null, archive: {}}}", true, true},
    {"sidecar image", "{spec: {sidecar: {image: 's'}}}", true, true},
    {"sidecar port", "{spec: {sidecar: {port: 7000}}}", true, true},
    {"sidecar resources", "{spec: {sidecar: {resources: {limits: {cpu: '1'}}}}}", true, true},
    {"volume", "{spec: {dataVolume: {import: {pvcName: 'v'}}}}", true, true},
    {"restart",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z'}}}",
        true,
        true},
    {"snapshot", "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}}", .is_init = true},
    {"state sync", "{spec: {fullNode: {snapshot: {stateSync: {}}}}}", .is_init = true},
    {"bootstrap image",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: 'b'}}}}",
        .is_init = true},
    {"snapshot generation",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 3}}}}}",
        .is_init = true},
    {"publishing",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 3, publish: {}}}}}}",
        .is_init = true},
    {"overrides", "{spec: {overrides: {a: 'b'}}}", .is_init = true},
    {"peers", "{spec: {peers: [{label: {selector: {a: 'b'}}}]}}", .is_init = true},
    {"external address", "{spec: {externalAddress: 'h:1'}}", .is_init = true},
    {"nothing", "{}"},
    {"pod labels", "{spec: {podLabels: {a: 'b'}}}"},
    {"pause", "{spec: {paused: true}}"},
    {"what is the default already", "{spec: {sidecar: {port: 7777, resources: {}}}}"},
    {"empty containers", "{spec: {overrides: {}, peers: []}}"},
    {"a label of the node", "{metadata: {labels: {a: 'b'}}}"},
    {"a phase", "{status: {phase: 'Initializing'}}"},
};

TEST(each_spec_field_changes_exactly_the_hashes_whose_plans_apply_it)
{
    SCOPED_ARENA base = arena_open(1 << 20);
    SeiNode plain = decode(base, "{}");
    const char *spec_hash = node_spec_hash(base, &plain);
    const char *init_hash = node_init_hash(base, &plain);
    const char *setup_hash = node_setup_hash(base, &plain);

    then_int(strlen(spec_hash), 16);
    then_true(!str_eq(spec_hash, init_hash));
    each_case(i, fields) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = decode(a, fields[i].patch);
        then_int(!str_eq(node_spec_hash(a, &node), spec_hash), fields[i].is_template);
        then_int(!str_eq(node_init_hash(a, &node), init_hash), fields[i].is_init);
        then_int(!str_eq(node_setup_hash(a, &node), setup_hash),
            fields[i].is_init && !fields[i].is_template);
    }
}

TEST(each_spec_field_changes_the_init_hash_in_a_different_way)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const char *hashes[array_count(fields)] = {0};

    each_case(i, fields) {
        SeiNode node = decode(a, fields[i].patch);
        hashes[i] = node_init_hash(a, &node);
        for (size_t j = 0; fields[i].is_init && j < i; j++)
            then_true(!str_eq(hashes[i], hashes[j]));
    }
}

#define VALIDATOR(block) "{spec: {validator: {" block "}}}"

/* Onto a validator with everything. */
static const struct {
    const char *name, *patch;
    bool is_template, is_init, is_setup;
} validator_fields[] = {
    {"signing key", VALIDATOR("signingKey: {secret: {secretName: 'x'}}"), true, true},
    {"node key", VALIDATOR("nodeKey: {secret: {secretName: 'x'}}"), true, true},
    {"keyring", VALIDATOR("operatorKeyring: {secret: {secretName: 'x'}}"), true, true},
    {"no keyring", VALIDATOR("operatorKeyring: null"), true, true},
    {"passphrase",
        VALIDATOR("operatorKeyring: {secret: {passphraseSecretRef: {secretName: 'x'}}}"),
        true,
        true},
    {"key of the passphrase",
        VALIDATOR("operatorKeyring: {secret: {passphraseSecretRef: {key: 'x'}}}"),
        true,
        true},
    {"name of the key in the ring",
        VALIDATOR("operatorKeyring: {secret: {keyName: 'x'}}"),
        .is_init = true},
    {"the name that it has by default",
        VALIDATOR("operatorKeyring: {secret: {keyName: "
                  "'node_admin'}}")},
    {"chain of the ceremony",
        VALIDATOR("genesisCeremony: {chainId: 'x'}"),
        .is_init = true,
        .is_setup = true},
    {"stake",
        VALIDATOR("genesisCeremony: {stakingAmount: 'x'}"),
        .is_init = true,
        .is_setup = true},
    {"balance",
        VALIDATOR("genesisCeremony: {accountBalance: 'x'}"),
        .is_init = true,
        .is_setup = true},
    {"no ceremony", VALIDATOR("genesisCeremony: null"), .is_init = true, .is_setup = true},
    {"peers, which a ceremony writes down", "{spec: {peers: [{static: {addresses: ['a@b:1']}}]}}"},
    {"index in the genesis ceremony", VALIDATOR("genesisCeremony: {index: 5}")},
    {"snapshot", VALIDATOR("snapshot: {stateSync: {}}"), .is_init = true, .is_setup = true},
};

TEST(each_validator_field_changes_exactly_the_hashes_whose_plans_apply_it)
{
    SCOPED_ARENA base = arena_open(1 << 20);
    SeiNode plain = decode(base, validator);

    each_case(i, validator_fields) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node;
        const Json *object =
            json_merge(a, plain.object, json_fixture(a, validator_fields[i].patch));
        bool is_template = validator_fields[i].is_template, is_init = validator_fields[i].is_init;

        then_ok(node_decode(a, object, &node));
        then_int(!str_eq(node_spec_hash(a, &node), node_spec_hash(a, &plain)), is_template);
        then_int(!str_eq(node_init_hash(a, &node), node_init_hash(a, &plain)), is_init);
        then_int(!str_eq(node_setup_hash(a, &node), node_setup_hash(a, &plain)),
            validator_fields[i].is_setup);
    }
}

/* They stand in stored objects: another value would make every node look edited. */
TEST(the_hashes_of_a_node_stay_the_same_across_releases)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a, "{}");

    then_str(node_spec_hash(a, &node), "1b044076707a76cc");
    then_str(node_init_hash(a, &node), "5f2be24d6fe8c007");
}

/* --- identity */

#define SETTLED                                                                                    \
    "status: {phase: 'Running', identity: {chainId: 'c', mode: 'fullNode'},"                       \
    " dataVolume: {name: 'data-n', uid: 'v', imported: false}}"

TEST(an_edit_of_chain_or_mode_or_volume_of_a_running_node_changes_no_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode still = decode(a, "{" SETTLED "}");
    SeiNode moved = decode(a,
        "{" SETTLED ", spec: {chainId: 'd', fullNode: null, archive: {},"
        " dataVolume: {import: {pvcName: 'v'}}}}");
    SeiNode promoted = decode(a,
        "{" SETTLED ", spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 's'}},"
        " nodeKey: {secret: {secretName: 'n'}}}}}");

    then_str(node_spec_hash(a, &promoted), node_spec_hash(a, &still));
    then_str(node_spec_hash(a, &moved), node_spec_hash(a, &still));
    then_str(node_init_hash(a, &moved), node_init_hash(a, &still));
    then_str(node_chain_id(&moved), "c");
    then_int(node_mode(&moved), MODE_FULL);
    then_str(node_claim(a, &moved), "data-n");
}

TEST(a_node_without_a_recorded_identity_has_the_identity_of_its_spec)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode node = decode(a,
        "{status: {phase: 'Initializing'}, spec: {chainId: 'd', fullNode: null, archive: {},"
        " dataVolume: {import: {pvcName: 'v'}}}}");

    then_str(node_chain_id(&node), "d");
    then_int(node_mode(&node), MODE_ARCHIVE);
    then_str(node_claim(a, &node), "v");
    then_str(node_claim(a, &(SeiNode){.key = {"s", "n"}}), "data-n");
}

TEST(importing_a_pvc_of_the_default_name_changes_the_init_hash_and_not_the_spec_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeiNode made = decode(a, "{}");
    SeiNode imported = decode(a, "{spec: {dataVolume: {import: {pvcName: 'data-n'}}}}");

    then_str(node_spec_hash(a, &imported), node_spec_hash(a, &made));
    then_true(!str_eq(node_init_hash(a, &imported), node_init_hash(a, &made)));
}

/* --- restarts */

static const struct {
    const char *name, *honoured, *asked, *want;
} restarts[] = {
    {"never asked", NULL, NULL, NULL},
    {"asked first", NULL, "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z"},
    {"the annotation was removed", "2026-01-02T00:00:00Z", NULL, "2026-01-02T00:00:00Z"},
    {"asked again", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-03T00:00:00Z"},
    {"an older manifest", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
    {"the same moment elsewhere",
        "2026-01-02T00:00:00Z",
        "2026-01-02T02:00:00+02:00",
        "2026-01-02T00:00:00Z"},
    {"later by its offset",
        "2026-01-02T00:00:00Z",
        "2026-01-02T01:00:00-02:00",
        "2026-01-02T01:00:00-02:00"},
    {"a word", "2026-01-02T00:00:00Z", "now", "now"},
    {"a time after a word", "now", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z"},
};

TEST(the_newest_of_the_stored_and_the_requested_restart_time_counts)
{
    each_case(i, restarts) {
        SeiNode node = {
            .status.restarted_at = restarts[i].honoured, .wishes.restarted_at = restarts[i].asked};
        then_str(node_restarted_at(&node), restarts[i].want);
    }
}
