/* No key of a validator in a bootstrap pod, by whatever way: looked for in what was rendered. */
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

#include <string.h>

enum { ARENA_MAX = 16 << 20 };

#define VALIDATOR                                                                                  \
    "{spec: {fullNode: null, validator: {snapshot: {" BOOTSTRAP "}, " VALIDATOR_KEYS               \
    ", " VALIDATOR_KEYRING "}}}"

static const struct {
    const char *name, *pod, *found;
} pods[] = {
    {"nothing", "{}", NULL},
    {"other Secrets",
        "{volumes: [{name: 'a', secret: {secretName: 'other'}}], containers: [{name: 'seid',"
        " env: [{name: 'A', value: 'signing'}], envFrom: [{configMapRef: {name: 'signing'}}]}]}",
        NULL},
    {"the key of the node's name is not a secret of the chain",
        "{volumes: [{name: 'a', secret: {secretName: 'node'}}]}",
        NULL},
    {"the signing key as a volume that nobody mounts",
        "{volumes: [{name: 'a', secret: {secretName: 'signing'}}]}",
        "signing"},
    {"the keyring as a volume",
        "{volumes: [{name: 'a'}, {name: 'b', secret: {secretName: 'keyring'}}]}",
        "keyring"},
    {"the passphrase in a projected volume",
        "{volumes: [{name: 'a', projected: {sources: [{configMap: {name: 'x'}},"
        " {secret: {name: 'passphrase'}}]}}]}",
        "passphrase"},
    {"the passphrase in a variable",
        "{containers: [{name: 'seid', env: [{name: 'A', valueFrom:"
        " {secretKeyRef: {name: 'passphrase', key: 'word'}}}]}]}",
        "passphrase"},
    {"the signing key in all variables of an init container",
        "{initContainers: [{name: 'sei-sidecar', envFrom: [{secretRef: {name: 'signing'}}]}]}",
        "signing"},
};

TEST(a_bootstrap_pod_with_a_key_is_refused)
{
    each_case(i, pods) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        SeiNode node = sample_node(a, VALIDATOR);
        Subject s = subject_of(a, &node, sample_settings(), REPLICAS_ONE);
        Err *err = render_check_bootstrap(a, &s, json_fixture(a, pods[i].pod));

        if (!pods[i].found) {
            then_ok(err);
            continue;
        }
        then_true(err_is(err, ERR_TERMINAL));
        then_true(strstr(err_text(a, err), pods[i].found) != NULL);
    }
}

TEST(the_rendered_bootstrap_pod_of_a_validator_names_none_of_its_secrets)
{
    static const char *const secrets[] = {"signing", "keyring", "passphrase", "secretName"};
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = render_case(a, &(RenderCase){"", VALIDATOR});
    const char *text = json_write(a, w.bootstrap_job).data;

    for (size_t i = 0; i < array_count(secrets); i++)
        then_true(!strstr(text, secrets[i]));
    then_true(strstr(json_write(a, w.statefulset).data, "signing") != NULL);
}
