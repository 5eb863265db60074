/* Whether a validator's pod could start: looked for before one is stopped. */
#include "tests/sei/task/keys.h"

#define KEYS                                                                                       \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"
#define KEYRING                                                                                    \
    "operatorKeyring: {secret: {secretName: 'ring',"                                               \
    " passphraseSecretRef: {secretName: 'pass', key: 'word'}}}"
#define VALIDATOR(block) "{spec: {fullNode: null, validator: {" block "}}}"

static const struct {
    const char *name, *node, *missing, *said;
    Want want;
} cases[] = {
    {"all keys",
        VALIDATOR(KEYS ", " KEYRING),
        .said = "get secrets signing, get secrets node, get secrets ring"},
    {"no keyring is asked for", VALIDATOR(KEYS), .said = "get secrets signing, get secrets node"},
    {"a validator without keys", VALIDATOR("")},
    {"a node of another mode", NULL},
    {"a node that was recorded in another mode",
        "{spec: {fullNode: null, validator: {" KEYS "}}, status: {phase: 'Running',"
        " identity: {chainId: 'pacific-1', mode: 'fullNode'}}}"},
    {"no signing key",
        VALIDATOR(KEYS ", " KEYRING),
        "signing",
        "get secrets signing",
        WAIT("Secret sei/signing does not exist: create it")},
    {"no node key",
        VALIDATOR(KEYS ", " KEYRING),
        "node",
        "get secrets signing, get secrets node",
        WAIT("Secret sei/node does not exist")},
    {"no keyring",
        VALIDATOR(KEYS ", " KEYRING),
        "ring",
        "get secrets signing, get secrets node, get secrets ring",
        WAIT("Secret sei/ring does not exist")},
};

static void given_secrets_but(TaskWorld *w, const char *missing)
{
    static const struct {
        const char *secret, *file;
    } rows[] = {
        {"signing", "priv_validator_key.json"},
        {"node", "node_key.json"},
        {"ring", "x.info"},
    };

    for (size_t i = 0; i < array_count(rows); i++)
        if (!str_eq(rows[i].secret, missing))
            given_secret(w, rows[i].secret, rows[i].file, KEY_WORD);
}

TEST(every_secret_that_the_pod_mounts_must_exist)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(cases[i].node);
        given_secrets_but(w, cases[i].missing);

        Err *err = task_keys_are_there(&w->ctx, &w->run);

        then_err(err, cases[i].want);
        then_str(w->said, cases[i].said);
        then_int(w->run.look_again_ms, err ? 5000 : 0);
        then_nothing_leaks(w, err);
    }
}

TEST(a_secret_must_contain_the_key_that_the_pod_mounts)
{
    SCOPED_WORLD w = world_of(VALIDATOR(KEYS));
    given_secret(w, "signing", "node_key.json", KEY_WORD);

    then_err(task_keys_are_there(&w->ctx, &w->run),
        WAIT("Secret sei/signing has no priv_validator_key.json"));

    then_int(w->run.look_again_ms, 5000);
}
