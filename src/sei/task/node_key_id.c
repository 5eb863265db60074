/* NodeKeyId: the node id of a validator whose node key is in a Secret. The Secret is mounted into
 * seid alone, so its sidecar answers with the id of another key.
 *
 * The key bytes exist only in the memory of secret_look, which overwrites them. What comes out is
 * the id, which every peer knows. It is the id of the Secret as it is now: a seid that was started
 * before the Secret was edited has another one, which cannot be known here. */
#include "base/base64.h"
#include "base/sha256.h"
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/secret_check.h"

#include <string.h>

enum {
    KEY_BYTES = 64, /* ed25519: the seed, then the public key */
    PUBLIC_AT = 32,
    NODE_ID_DIGITS = SIDECAR_NODE_ID_SIZE - 1,
};

/* Where the judge puts the id. */
typedef struct Derived {
    char *node_id;
} Derived;

static void derive(const unsigned char *public_key, char *ret)
{
    char digits[SHA256_HEX_SIZE];

    sha256_hex((Bytes){(const char *)public_key, KEY_BYTES - PUBLIC_AT}, digits);
    memcpy(ret, digits, NODE_ID_DIGITS);
    ret[NODE_ID_DIGITS] = '\0';
}

static Err *judge(Arena *a, const char *secret, const Json *data, const void *self)
{
    const char *encoded = json_text(json_member(data, KEY_FILE_NODE));
    const Json *file = NULL;
    Bytes text, key;

    if (str_empty(encoded) || base64_decode(a, encoded, &text) || json_parse(a, text, &file)
        || str_empty(json_str(file, ".priv_key.value"))
        || base64_decode(a, json_str(file, ".priv_key.value"), &key) || key.len != KEY_BYTES)
        return err_wait(a,
            "%s of Secret %s does not hold an ed25519 key, so the node id is not known: correct "
            "the Secret",
            KEY_FILE_NODE,
            secret);
    derive((const unsigned char *)key.data + PUBLIC_AT, ((const Derived *)self)->node_id);
    return OK;
}

Err *task_node_key_id(Ctx *c, TaskRun *run, char ret[SIDECAR_NODE_ID_SIZE])
{
    return secret_look(c, run, run->node->spec.node_key.secret, judge, &(Derived){ret});
}
