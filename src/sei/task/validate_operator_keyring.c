/* validate-operator-keyring: the Secret with the operator's keyring and the one with its passphrase
 * are there and have their shape. Whether one opens the other is never tried. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/secret_check.h"

static const KeyWords words = {
    .condition = COND_OPERATOR_KEYRING,
    .validated = REASON_OPERATOR_KEYRING_VALIDATED,
    .not_ready = REASON_OPERATOR_KEYRING_NOT_READY,
    .invalid = REASON_OPERATOR_KEYRING_INVALID,
};

/* What the task's params name. */
typedef struct Keyring {
    const char *secret, *key_name;
    const char *passphrase_secret, *passphrase_key;
} Keyring;

/* A file of the keyring: <name>.info is a key, <address>.address finds it by its address. */
static Err *judge_keyring(Arena *a, const char *secret, const Json *data, const void *self)
{
    const Keyring *ring = self;
    const Json *value;
    int keys = 0, addresses = 0;

    json_each(value, data) {
        const char *name = json_key(value);

        if (str_has_suffix(name, ".info") && str_empty(json_text(value)))
            return err_terminal(a, "%s of Secret %s is empty", name, secret);
        keys += str_has_suffix(name, ".info");
        addresses += str_has_suffix(name, ".address");
    }
    if (!keys || !addresses)
        return err_terminal(a,
            "Secret %s is no keyring: it has no key that ends in %s",
            secret,
            keys ? ".address" : ".info");
    if (!str_empty(ring->key_name) && !json_member(data, str_format(a, "%s.info", ring->key_name)))
        return err_terminal(a, "Secret %s has no %s.info", secret, ring->key_name);
    return OK;
}

static Err *judge_passphrase(Arena *a, const char *secret, const Json *data, const void *self)
{
    const Keyring *ring = self;

    if (str_empty(json_text(json_member(data, ring->passphrase_key))))
        return err_terminal(
            a, "Secret %s has no %s, or an empty one", secret, ring->passphrase_key);
    return OK;
}

static Err *validate(Ctx *c, TaskRun *run, const Keyring *ring)
{
    if (str_empty(ring->secret) || str_empty(ring->passphrase_secret)
        || str_empty(ring->passphrase_key))
        return err_terminal(c->arena,
            "the task's params must have secretName, passphraseSecretName and "
            "passphraseSecretKey");
    TRY(secret_look(c, run, ring->secret, judge_keyring, ring));
    return secret_look(c, run, ring->passphrase_secret, judge_passphrase, ring);
}

static Err *validate_operator_keyring(Ctx *c, TaskRun *run)
{
    const Json *params = run->task->params;
    Keyring ring = {
        .secret = json_str(params, ".secretName"),
        .key_name = json_str(params, ".keyName"),
        .passphrase_secret = json_str(params, ".passphraseSecretName"),
        .passphrase_key = json_str(params, ".passphraseSecretKey"),
    };
    Err *err = validate(c, run, &ring);
    const char *found = err ? NULL
                            : str_format(c->arena,
                                  "Secret %s has the keyring, and Secret %s its passphrase",
                                  ring.secret,
                                  ring.passphrase_secret);

    return secret_tell(c, run, &words, found, err);
}

const TaskKind task_validate_operator_keyring = {
    .type = TASK_VALIDATE_OPERATOR_KEYRING, .step = validate_operator_keyring};
