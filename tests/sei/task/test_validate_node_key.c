/* validate-node-key: as the signing key, with less in it. */
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

TEST(a_node_key_must_have_its_shape)
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
