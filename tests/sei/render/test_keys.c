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

TEST(key_volumes_are_readable_only_by_their_user)
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

TEST(seid_mounts_the_signing_and_node_keys_and_the_sidecar_mounts_the_keyring)
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

TEST(a_validator_without_a_keyring_uses_the_test_backend)
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

TEST(keys_are_rendered_only_for_validators)
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
