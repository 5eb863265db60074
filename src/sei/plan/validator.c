/* Validator: signs blocks, with keys from Secrets or made by a genesis ceremony. No two roles of a
 * key may share a Secret: each is mounted where the others must not be seen. */
#include "base/str.h"
#include "sei/plan/course.h"

static Err *check_keys(Arena *a, const NodeSpec *spec)
{
    const KeySource *signing = &spec->signing_key, *node = &spec->node_key;

    if (signing->is_set && spec->ceremony.is_set)
        return err_terminal(a, "validator: signingKey and genesisCeremony are mutually exclusive");
    if (signing->is_set && !signing->secret)
        return err_terminal(a, "validator: signingKey.secret.secretName is required");
    if (signing->is_set && !node->is_set)
        return err_terminal(a, "validator: signingKey requires nodeKey");
    if (node->is_set && !node->secret)
        return err_terminal(a, "validator: nodeKey.secret.secretName is required");
    if (node->is_set && !signing->is_set)
        return err_terminal(a, "validator: nodeKey requires signingKey");
    if (signing->is_set && str_eq(signing->secret, node->secret))
        return err_terminal(a, "validator: signingKey and nodeKey must be in different Secrets");
    return OK;
}

static Err *err_shared(Arena *a, const char *what, const char *other)
{
    return err_terminal(
        a, "validator: operatorKeyring %s must be another Secret than that of %s", what, other);
}

static Err *check_keyring(Arena *a, const NodeSpec *spec)
{
    const KeyringSource *keyring = &spec->keyring;
    const char *signing = spec->signing_key.secret, *node = spec->node_key.secret;

    if (!keyring->is_set)
        return OK;
    if (!keyring->secret || !keyring->passphrase || !keyring->passphrase_key)
        return err_terminal(a,
            "validator: operatorKeyring.secret needs secretName, passphraseSecretRef.secretName "
            "and passphraseSecretRef.key");
    if (str_eq(keyring->secret, keyring->passphrase))
        return err_shared(a, "secret", "passphraseSecretRef");
    if (str_eq(keyring->secret, signing))
        return err_shared(a, "secret", "signingKey");
    if (str_eq(keyring->secret, node))
        return err_shared(a, "secret", "nodeKey");
    if (str_eq(keyring->passphrase, signing))
        return err_shared(a, "passphraseSecretRef", "signingKey");
    if (str_eq(keyring->passphrase, node))
        return err_shared(a, "passphraseSecretRef", "nodeKey");
    return OK;
}

static Err *check_ceremony(Arena *a, const GenesisCeremony *ceremony)
{
    if (str_empty(ceremony->chain_id))
        return err_terminal(a, "validator: genesisCeremony.chainId is required");
    if (str_empty(ceremony->staking_amount))
        return err_terminal(a, "validator: genesisCeremony.stakingAmount is required");
    if (str_empty(ceremony->account_balance))
        return err_terminal(a, "validator: genesisCeremony.accountBalance is required");
    return OK;
}

static Err *check(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    TRY(check_keys(a, spec));
    TRY(check_keyring(a, spec));
    if (spec->ceremony.is_set) /* it does not begin from a snapshot: one is not looked at */
        return check_ceremony(a, &spec->ceremony);
    return plan_check_bootstrap(a, "validator", &spec->snapshot);
}

/* Sidecars up to v0.0.50 turn gRPC off for validators, and container cosmos-exporter is not Ready
 * before gRPC answers. */
static Draft *overrides(Arena *a, const NodeSpec *spec)
{
    (void)spec;
    return draft(a, str(OVERRIDE_GRPC, "true"));
}

const ModeRow plan_validator = {check, overrides};
