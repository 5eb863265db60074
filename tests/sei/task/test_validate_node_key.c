/* validate-node-key: as the signing key, with less in it. */
#include "sei/task/secret_check.h"
#include "tests/sei/task/keys.h"

#define PARAMS "{secretName: 'node', namespace: 'sei'}"
#define FILE   "node_key.json"

static const struct {
    const char *name, *params, *file, *value;
    Want want;
} cases[] = {
    {"a key", PARAMS, FILE, NODE_KEY},
    {"no params", "{}", FILE, NODE_KEY, TERMINAL("names no Secret")},
    {"no Secret", "{secretName: 'late'}", FILE, NODE_KEY, WAIT("Secret sei/late does not exist")},
    {"another file", PARAMS, "priv_validator_key.json", NODE_KEY, TERMINAL("has no " FILE)},
    {"an empty file", PARAMS, FILE, "", TERMINAL("has no " FILE ", or an empty one")},
    {"no JSON", PARAMS, FILE, KEY_WORD, TERMINAL(FILE " of Secret sei/node is not JSON")},
    {"no private key", PARAMS, FILE, "{\"id\":\"" KEY_WORD "\"}", TERMINAL("no priv_key.type")},
    {"a private key without type",
        PARAMS,
        FILE,
        "{\"priv_key\":{\"value\":\"" KEY_WORD "\"}}",
        TERMINAL("has no priv_key.type")},
    {"an empty private key",
        PARAMS,
        FILE,
        "{\"priv_key\":{\"type\":\"t\",\"value\":\"\"}}",
        TERMINAL("has no priv_key.value")},
};

/* The bytes 0 to 63, and the id that Tendermint makes of them. */
#define KEY_64                                                                                     \
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
#define ID_OF_KEY "72dbb7336c76780023f83da4c355f2eeea85733b"

static const struct {
    const char *name, *file, *value;
    Want want;
} ids[] = {
    {"a key", FILE, "{\"priv_key\":{\"type\":\"t\",\"value\":\"" KEY_64 "\"}}"},
    {"no file", "other.json", "{}", WAIT(FILE " of Secret sei/node does not hold an ed25519 key")},
    {"no JSON", FILE, KEY_WORD, WAIT("does not hold an ed25519 key")},
    {"no base64", FILE, NODE_KEY, WAIT("does not hold an ed25519 key")},
    {"a key of another length",
        FILE,
        "{\"priv_key\":{\"type\":\"t\",\"value\":\"AAEC\"}}",
        WAIT("does not hold an ed25519 key")},
};

TEST(the_node_id_is_derived_from_the_node_key_in_the_secret)
{
    each_case(i, ids) {
        SCOPED_WORLD w = world_of(NULL);
        char id[SIDECAR_NODE_ID_SIZE] = "";
        given_secret(w, "node", ids[i].file, ids[i].value);
        w->node.spec.node_key.secret = "node";

        Err *err = task_node_key_id(&w->ctx, &w->run, id);

        then_err(err, ids[i].want);
        then_str(id, err ? "" : ID_OF_KEY);
        then_int(w->run.look_again_ms, err ? 5000 : 0);
        then_nothing_leaks(w, err);
    }
}

TEST(a_malformed_node_key_is_reported_without_its_value)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_secret(w, "node", cases[i].file, cases[i].value);
        given_params(w, cases[i].params);

        Err *err = when_task_runs(w, TASK_VALIDATE_NODE_KEY);

        then_err(err, cases[i].want);
        then_told(w, "NodeKeyReady", "NodeKey", err);
    }
}
