/* validate-signing-key: what is waited for, what never works, and that nothing is told of the key.
 */
#include "tests/sei/task/keys.h"

#define PARAMS "{secretName: 'signing', namespace: 'sei'}"
#define FILE   "priv_validator_key.json"
#define PUB    "\"pub_key\":{\"type\":\"t\",\"value\":\"v\"}"
#define PRIV   "\"priv_key\":{\"type\":\"t\",\"value\":\"" KEY_WORD "\"}"

static const struct {
    const char *name, *params, *file, *value;
    Want want;
} cases[] = {
    {"a key", PARAMS, FILE, SIGNING_KEY},
    {"a key with more in it", PARAMS, FILE, "{\"address\":\"1\"," PUB "," PRIV ",\"x\":[1]}\n"},
    {"no params", "{}", FILE, SIGNING_KEY, TERMINAL("names no Secret")},
    {"an empty name", "{secretName: ''}", FILE, SIGNING_KEY, TERMINAL("names no Secret")},
    {"no Secret",
        "{secretName: 'late'}",
        FILE,
        SIGNING_KEY,
        WAIT("Secret sei/late does not exist")},
    {"another file", PARAMS, "node_key.json", SIGNING_KEY, TERMINAL("sei/signing has no " FILE)},
    {"an empty file", PARAMS, FILE, "", TERMINAL("sei/signing has no " FILE ", or an empty one")},
    {"no JSON", PARAMS, FILE, KEY_WORD, TERMINAL(FILE " of Secret sei/signing is not JSON")},
    {"JSON and more", PARAMS, FILE, SIGNING_KEY "{}", TERMINAL("is not JSON")},
    {"a list", PARAMS, FILE, "[\"" KEY_WORD "\"]", TERMINAL("has no address")},
    {"null", PARAMS, FILE, "null", TERMINAL("has no address")},
    {"no address", PARAMS, FILE, "{" PUB "," PRIV "}", TERMINAL("has no address")},
    {"an empty address", PARAMS, FILE, "{\"address\":\"\"," PUB "," PRIV "}", TERMINAL("address")},
    {"an address that is a number",
        PARAMS,
        FILE,
        "{\"address\":7," PUB "," PRIV "}",
        TERMINAL("has no address")},
    {"no public key", PARAMS, FILE, "{\"address\":\"1\"," PRIV "}", TERMINAL("no pub_key.type")},
    {"a public key without type",
        PARAMS,
        FILE,
        "{\"address\":\"1\",\"pub_key\":{\"value\":\"v\"}," PRIV "}",
        TERMINAL("has no pub_key.type")},
    {"an empty public key",
        PARAMS,
        FILE,
        "{\"address\":\"1\",\"pub_key\":{\"type\":\"t\",\"value\":\"\"}," PRIV "}",
        TERMINAL("has no pub_key.value")},
    {"no private key", PARAMS, FILE, "{\"address\":\"1\"," PUB "}", TERMINAL("no priv_key.type")},
    {"a private key without type",
        PARAMS,
        FILE,
        "{\"address\":\"1\"," PUB ",\"priv_key\":{\"value\":\"" KEY_WORD "\"}}",
        TERMINAL("has no priv_key.type")},
    {"a private key that is a text",
        PARAMS,
        FILE,
        "{\"address\":\"1\"," PUB ",\"priv_key\":\"" KEY_WORD "\"}",
        TERMINAL("has no priv_key.type")},
    {"an empty private key",
        PARAMS,
        FILE,
        "{\"address\":\"1\"," PUB ",\"priv_key\":{\"type\":\"t\",\"value\":\"\"}}",
        TERMINAL("has no priv_key.value")},
};

TEST(a_malformed_signing_key_is_reported_without_its_value)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_secret(w, "signing", cases[i].file, cases[i].value);
        given_params(w, cases[i].params);

        Err *err = when_task_runs(w, TASK_VALIDATE_SIGNING_KEY);

        then_err(err, cases[i].want);
        then_told(w, "SigningKeyReady", "SigningKey", err);
    }
}
