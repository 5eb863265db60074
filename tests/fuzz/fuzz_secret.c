/* Fuzzes the tasks that look at Secrets: whatever a server answers, the verdict is one of a few
 * sentences, and none of them depends on what the Secret holds.
 *
 * The first byte chooses the task and what the rest is: the answer of the server, as JSON, or the
 * bytes of one value in it. */
#include "base/draft.h"
#include "base/str.h"
#include "sei/api/condition.h"
#include "tests/sei/task/one_answer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PARAMS                                                                                     \
    "{secretName: 's', keyName: 'k', passphraseSecretName: 's', passphraseSecretKey: 'word'}"

static const struct {
    TaskType type;
    const char *condition, *file;
} tasks[] = {
    {TASK_VALIDATE_SIGNING_KEY, COND_SIGNING_KEY, "priv_validator_key.json"},
    {TASK_VALIDATE_NODE_KEY, COND_NODE_KEY, "node_key.json"},
    {TASK_VALIDATE_OPERATOR_KEYRING, COND_OPERATOR_KEYRING, "k.info"},
};

/* All that may be said; a name of a file in the keyring may stand in front of the last. */
static const char *const sentences[] = {
    "Secret sei/s cannot be read: get secrets sei/s: the answer is no object",
    "Secret sei/s is being deleted: create it again when it is gone",
    "Secret sei/s has no priv_validator_key.json, or an empty one",
    "priv_validator_key.json of Secret sei/s is larger than any key",
    "priv_validator_key.json of Secret sei/s is not base64",
    "priv_validator_key.json of Secret sei/s is not JSON",
    "priv_validator_key.json of Secret sei/s has no address",
    "priv_validator_key.json of Secret sei/s has no pub_key.type",
    "priv_validator_key.json of Secret sei/s has no pub_key.value",
    "priv_validator_key.json of Secret sei/s has no priv_key.type",
    "priv_validator_key.json of Secret sei/s has no priv_key.value",
    "Secret sei/s has no node_key.json, or an empty one",
    "node_key.json of Secret sei/s is larger than any key",
    "node_key.json of Secret sei/s is not base64",
    "node_key.json of Secret sei/s is not JSON",
    "node_key.json of Secret sei/s has no priv_key.type",
    "node_key.json of Secret sei/s has no priv_key.value",
    "Secret sei/s is no keyring: it has no key that ends in .info",
    "Secret sei/s is no keyring: it has no key that ends in .address",
    "Secret sei/s has no k.info",
    "Secret sei/s has no word, or an empty one",
    ".info of Secret sei/s is empty",
};

static void must(bool law)
{
    if (!law)
        abort();
}

static bool is_known(const char *text)
{
    size_t count = sizeof sentences / sizeof sentences[0];

    for (size_t i = 0; i < count; i++)
        if (str_eq(text, sentences[i]))
            return true;
    return str_has_suffix(text, sentences[count - 1]);
}

static const char *encode(Arena *a, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = arena_alloc(a, size / 3 * 4 + 5), *at = text;

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0)
            | (left > 2 ? data[i + 2] : 0);
        *at++ = digits[bits >> 18];
        *at++ = digits[bits >> 12 & 63];
        *at++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[bits & 63] : '=';
    }
    return text;
}

/* A Secret with one value that a server could store; the keyring's has an address as well. */
static const Json *secret_of(Arena *a, const char *file, const char *value)
{
    return json_seal(a,
        draft(a,
            obj("metadata", str("name", "s"), str("resourceVersion", "1")),
            obj("data", str(file, value), str("a.address", "eA=="), str("word", value))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open((size_t)256 << 20);
    const Json *answer = NULL;

    if (size == 0)
        return 0;
    size_t chosen = data[0] % (sizeof tasks / sizeof tasks[0]);
    Bytes rest = {(const char *)data + 1, size - 1};
    if (data[0] & 0x80)
        answer = secret_of(a, tasks[chosen].file, encode(a, data + 1, size - 1));
    else if (json_parse(a, rest, &answer))
        return 0;
    OneAnswer *o = one_answer_of(a, answer, PARAMS);

    Err *err = one_answer_run(o, tasks[chosen].type);

    const Cond *cond = conds_find(&o->status.conds, tasks[chosen].condition);
    must(cond && str_eq(cond->status, err ? "False" : "True"));
    must(!err || err_is(err, ERR_WAIT) || err_is(err, ERR_TERMINAL));
    must(!err || is_known(err_text(a, err)));
    must(!err || str_eq(cond->message, err_text(a, err)));
    must((o->run.look_again_ms > 0) == err_is(err, ERR_WAIT));
    return 0;
}
