/* validate-operator-keyring: two Secrets, looked at in order. */
#include "tests/sei/task/keys.h"

#define PARAMS                                                                                     \
    "{secretName: 'ring', keyName: 'node_admin', passphraseSecretName: 'pass',"                    \
    " passphraseSecretKey: 'word', namespace: 'sei'}"

static const char ring[] =
    "{metadata: {name: 'ring', namespace: 'sei', finalizers: ['t.io/x']},"
    " stringData: {'node_admin.info': '" KEY_WORD "', 'a1.address': '" KEY_WORD "'}}";
static const char pass[] = "{metadata: {name: 'pass', namespace: 'sei', finalizers: ['t.io/x']},"
                           " stringData: {word: '" KEY_WORD "'}}";

static const struct {
    const char *name, *params, *ring, *pass, *dying;
    Want want;
} cases[] = {
    {"a keyring and its passphrase", "{}"},
    {"a keyring with more keys", "{}", "{stringData: {'other.info': 'x', README: ''}}"},
    {"any key, when none is named",
        "{keyName: ''}",
        "{stringData: {'node_admin.info': null, 'x.info': 'x'}}"},

    {"no name of the keyring", "{secretName: null}", .want = TERMINAL("must have secretName")},
    {"no name of the passphrase's Secret",
        "{passphraseSecretName: ''}",
        .want = TERMINAL("passphraseSecretName")},
    {"no name of the passphrase", "{passphraseSecretKey: null}", .want = TERMINAL("SecretKey")},
    {"names before Secrets", "{secretName: null}", ABSENT, .want = TERMINAL("must have")},

    {"no keyring", "{}", ABSENT, .want = WAIT("Secret sei/ring does not exist")},
    {"a keyring on its way out", "{}", .dying = "ring", .want = WAIT("sei/ring is being deleted")},
    {"a missing keyring before a wrong passphrase",
        "{passphraseSecretKey: 'none'}",
        ABSENT,
        .want = WAIT("sei/ring")},

    {"an empty key", "{}", "{stringData: {'x.info': ''}}", .want = TERMINAL("x.info of Secret")},
    {"no key",
        "{}",
        "{stringData: {'node_admin.info': null}}",
        .want = TERMINAL("no key that ends in .info")},
    {"no address",
        "{}",
        "{stringData: {'a1.address': null}}",
        .want = TERMINAL("no key that ends in .address")},
    {"an empty keyring", "{}", "{stringData: null}", .want = TERMINAL("is no keyring")},
    {"another key than the one that is named",
        "{keyName: 'admin'}",
        .want = TERMINAL("Secret sei/ring has no admin.info")},
    {"a wrong keyring before a missing passphrase",
        "{keyName: 'admin'}",
        NULL,
        ABSENT,
        .want = TERMINAL("admin.info")},

    {"no passphrase's Secret", "{}", NULL, ABSENT, .want = WAIT("Secret sei/pass does not exist")},
    {"a passphrase on its way out",
        "{}",
        .dying = "pass",
        .want = WAIT("Secret sei/pass is being deleted")},
    {"another passphrase's name", "{passphraseSecretKey: 'key'}", .want = TERMINAL("has no key")},
    {"an empty passphrase",
        "{}",
        NULL,
        "{stringData: {word: ''}}",
        .want = TERMINAL("sei/pass has no word, or an empty one")},
};

TEST(a_malformed_keyring_or_passphrase_is_reported_without_its_value)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given(w, kind_secret, ring, cases[i].ring);
        given(w, kind_secret, pass, cases[i].pass);
        if (cases[i].dying)
            deleted(w, kind_secret, cases[i].dying);
        w->run.task->params = json_merge(
            w->arena, json_fixture(w->arena, PARAMS), json_fixture(w->arena, cases[i].params));

        Err *err = when_task_runs(w, TASK_VALIDATE_OPERATOR_KEYRING);

        then_err(err, cases[i].want);
        then_told(w, "OperatorKeyringReady", "OperatorKeyring", err);
    }
}

TEST(a_valid_keyring_is_reported_with_the_names_of_both_secrets)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w, kind_secret, ring, NULL);
    given(w, kind_secret, pass, NULL);
    given_params(w, PARAMS);

    then_ok(when_task_runs(w, TASK_VALIDATE_OPERATOR_KEYRING));

    then_str(conds_find(&w->status.conds, "OperatorKeyringReady")->message,
        "Secret ring has the keyring, and Secret pass its passphrase");
    then_str(w->said, "get secrets ring, get secrets pass");
}
