/* The keys of a validator: each where it belongs, and nowhere else. */
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

enum { ARENA_MAX = 16 << 20 };

static Subject validator(Arena *a, const char *block)
{
    SeiNode *node = arena_new(a, SeiNode);

    *node = sample_node(a, str_format(a, "{spec: {fullNode: null, validator: {%s}}}", block));
    return subject_of(a, node, sample_settings(), REPLICAS_ONE);
}

static const Json *volumes_of(Arena *a, const Subject *s)
{
    Draft *volumes = draft_array(a);

    render_key_volumes(a, s, volumes);
    return json_seal(a, volumes);
}

TEST(keys_are_volumes_that_only_their_user_can_read)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, VALIDATOR_KEYS ", " VALIDATOR_KEYRING);

    then_json(volumes_of(a, &s),
        "[{name: 'signing-key', secret: {secretName: 'signing', defaultMode: 256,"
        "   items: [{key: 'priv_validator_key.json', path: 'priv_validator_key.json'}]}},"
        " {name: 'node-key', secret: {secretName: 'node', defaultMode: 256,"
        "   items: [{key: 'node_key.json', path: 'node_key.json'}]}},"
        " {name: 'operator-keyring', secret: {secretName: 'keyring', defaultMode: 256}}]");
}

TEST(seid_sees_its_keys_and_the_sidecar_the_keyring)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, VALIDATOR_KEYS ", " VALIDATOR_KEYRING);
    Draft *seid = draft_array(a), *sidecar = draft_array(a), *variables = draft_array(a);

    render_seid_key_mounts(a, &s, seid);
    then_json(json_seal(a, seid),
        "[{name: 'signing-key', mountPath: '/.sei/config/priv_validator_key.json',"
        "  subPath: 'priv_validator_key.json', readOnly: true},"
        " {name: 'node-key', mountPath: '/.sei/config/node_key.json', subPath: 'node_key.json',"
        "  readOnly: true}]");
    render_sidecar_key_mounts(a, &s, sidecar);
    then_json(json_seal(a, sidecar),
        "[{name: 'operator-keyring', mountPath: '/.sei/keyring-file', readOnly: true}]");
    render_sidecar_key_variables(a, &s, variables);
    then_json(json_seal(a, variables),
        "[{name: 'SEI_KEYRING_BACKEND', value: 'file'}, {name: 'SEI_KEYRING_DIR', value: '/.sei'},"
        " {name: 'SEI_KEYRING_PASSPHRASE',"
        "  valueFrom: {secretKeyRef: {name: 'passphrase', key: 'word'}}}]");
}

TEST(a_validator_without_a_keyring_tests_with_one)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, "");
    Draft *variables = draft_array(a);

    render_sidecar_key_variables(a, &s, variables);
    then_json(json_seal(a, variables),
        "[{name: 'SEI_KEYRING_BACKEND', value: 'test'}, {name: 'SEI_KEYRING_DIR', value: "
        "'/.sei'}]");
    then_json(volumes_of(a, &s), "[]");
}

TEST(other_modes_have_no_keys)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, VALIDATOR_KEYS ", " VALIDATOR_KEYRING);
    Draft *pieces = draft_array(a);

    s.mode = MODE_FULL;
    render_seid_key_mounts(a, &s, pieces);
    render_sidecar_key_mounts(a, &s, pieces);
    render_sidecar_key_variables(a, &s, pieces);
    render_key_volumes(a, &s, pieces);
    then_int(draft_count(pieces), 0);
}

/* --- the guard --- */

static const struct {
    const char *name, *pod;
    Want want;
} pods[] = {
    {"the sidecar alone",
        "{volumes: [{name: 'operator-keyring', secret: {secretName: 'keyring'}}],"
        " initContainers: [{name: 'sei-sidecar', volumeMounts: [{name: 'operator-keyring'}],"
        "  env: [{name: 'P', valueFrom: {secretKeyRef: {name: 'passphrase', key: 'word'}}}]}]}"},
    {"seid with other Secrets",
        "{volumes: [{name: 'signing-key', secret: {secretName: 'signing'}}],"
        " containers: [{name: 'seid', volumeMounts: [{name: 'signing-key'}],"
        "  env: [{name: 'P', valueFrom: {secretKeyRef: {name: 'other', key: 'word'}}}]}]}"},
    {"seid with the volume",
        "{volumes: [{name: 'operator-keyring', secret: {secretName: 'keyring'}}],"
        " containers: [{name: 'seid', volumeMounts: [{name: 'operator-keyring'}]}]}",
        TERMINAL("container seid would see the operator's keyring")},
    {"an init container with the volume",
        "{volumes: [{name: 'operator-keyring', secret: {secretName: 'keyring'}}],"
        " initContainers: [{name: 'seid-init', volumeMounts: [{name: 'operator-keyring'}]}]}",
        TERMINAL("container seid-init would see")},
    {"the keyring under another volume's name",
        "{volumes: [{name: 'x', secret: {secretName: 'keyring'}}],"
        " containers: [{name: 'seid', volumeMounts: [{name: 'x'}]}]}",
        TERMINAL("container seid would see")},
    {"the passphrase in a projected volume",
        "{volumes: [{name: 'x', projected: {sources: [{secret: {name: 'passphrase'}}]}}],"
        " containers: [{name: 'seid', volumeMounts: [{name: 'x'}]}]}",
        TERMINAL("container seid would see")},
    {"the passphrase in a variable",
        "{containers: [{name: 'seid', env: [{name: 'P',"
        "  valueFrom: {secretKeyRef: {name: 'passphrase', key: 'word'}}}]}]}",
        TERMINAL("container seid would see")},
    {"the passphrase among all variables",
        "{containers: [{name: 'seid'}, {name: 'cosmos-exporter',"
        "  envFrom: [{secretRef: {name: 'passphrase'}}]}]}",
        TERMINAL("container cosmos-exporter would see")},
};

TEST(nobody_but_the_sidecar_may_see_the_keyring)
{
    each_case(i, pods) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = validator(a, VALIDATOR_KEYRING);
        then_err(render_check_keyring(a, &s, json_fixture(a, pods[i].pod)), pods[i].want);
    }
}

TEST(without_a_keyring_there_is_nothing_to_guard)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, VALIDATOR_KEYS);

    then_ok(render_check_keyring(a, &s, json_fixture(a, pods[2].pod)));
}

static const struct {
    const char *name, *block;
    Want want;
} blocks[] = {
    {"Secrets of their own", VALIDATOR_KEYS ", " VALIDATOR_KEYRING},
    {"one Secret for signing and the keyring",
        "signingKey: {secret: {secretName: 'keyring'}}, nodeKey: {secret: {secretName: 'node'}},"
        " " VALIDATOR_KEYRING,
        TERMINAL("spec.validator.operatorKeyring: container seid would see")},
    {"one Secret for the node and the passphrase",
        "signingKey: {secret: {secretName: 'signing'}},"
        " nodeKey: {secret: {secretName: 'passphrase'}}, " VALIDATOR_KEYRING,
        TERMINAL("spec.validator.operatorKeyring: container seid would see")},
    {"a keyring without its passphrase",
        "operatorKeyring: {secret: {secretName: 'keyring'}}",
        TERMINAL("passphraseSecretRef: secretName and key must be set")},
};

TEST(a_validator_that_would_show_its_keyring_is_not_rendered)
{
    each_case(i, blocks) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = validator(a, blocks[i].block);
        Wanted wanted;
        then_err(render_node(a, &s, &wanted), blocks[i].want);
    }
}
