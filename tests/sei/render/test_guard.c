/* The guards of keys: each Secret where it may be seen, and by whatever way nowhere else. */
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

#include <string.h>

enum { ARENA_MAX = 16 << 20 };

#define VALIDATOR                                                                                  \
    "{spec: {fullNode: null, validator: {snapshot: {" BOOTSTRAP "}, " VALIDATOR_KEYS               \
    ", " VALIDATOR_KEYRING "}}}"

static Subject validator(Arena *a, const char *patch)
{
    SeiNode *node = arena_new(a, SeiNode);

    *node = sample_node(a, patch);
    return subject_of(a, node, sample_settings(), REPLICAS_ONE);
}

/* --- the pod of a node --- */

#define SEE "would see the Secret "

typedef enum Way { BY_VOLUME, BY_PROJECTED_VOLUME, BY_VARIABLE, BY_ALL_VARIABLES, WAYS } Way;

/* A container that sees a Secret in one of the ways there are. */
static const char *pod_that_sees(
    Arena *a, Way way, const char *list, const char *container, const char *secret)
{
    switch (way) {
    case BY_VOLUME:
        return str_format(a,
            "{%s: [{name: '%s', volumeMounts: [{name: 'y'}, {name: 'x'}]}],"
            " volumes: [{name: 'x', secret: {secretName: '%s'}}]}",
            list,
            container,
            secret);
    case BY_PROJECTED_VOLUME:
        return str_format(a,
            "{%s: [{name: '%s', volumeMounts: [{name: 'x'}]}], volumes: [{name: 'x',"
            " projected: {sources: [{configMap: {name: 'c'}}, {secret: {name: '%s'}}]}}]}",
            list,
            container,
            secret);
    case BY_VARIABLE:
        return str_format(a,
            "{%s: [{name: 'innocent'}, {name: '%s', env: [{name: 'A', value: 'a'},"
            " {name: 'P', valueFrom: {secretKeyRef: {name: '%s', key: 'word'}}}]}]}",
            list,
            container,
            secret);
    default:
        return str_format(a,
            "{%s: [{name: '%s',"
            " envFrom: [{configMapRef: {name: 'c'}}, {secretRef: {name: '%s'}}]}]}",
            list,
            container,
            secret);
    }
}

static const struct {
    const char *name; /* the Secret */
    const char *container, *path;
} secrets[] = {
    {"keyring", "sei-sidecar", "spec.validator.operatorKeyring"},
    {"passphrase", "sei-sidecar", "spec.validator.operatorKeyring"},
    {"signing", "seid", "spec.validator.signingKey"},
    {"node", "seid", "spec.validator.nodeKey"},
};

/* OK for the container that may, ERR_TERMINAL for every other. */
static void then_only_one_may_see(Arena *a, size_t secret, const char *container, const char *pod)
{
    Subject s = validator(a, VALIDATOR);
    Err *err = render_check_keys(a, &s, json_fixture(a, pod));

    if (str_eq(container, secrets[secret].container)) {
        then_ok(err);
        return;
    }
    then_true(err_is(err, ERR_TERMINAL));
    then_str(err_text(a, err),
        str_format(a,
            "%s: container %s " SEE "%s, which only %s may; give each of the validator's Secrets "
            "its own name",
            secrets[secret].path,
            container,
            secrets[secret].name,
            secrets[secret].container));
}

TEST(each_secret_of_a_validator_is_mounted_by_one_container_and_by_no_other)
{
    static const struct {
        const char *list, *name;
    } containers[] = {
        {"initContainers", "seid-init"},
        {"initContainers", "sei-sidecar"},
        {"initContainers", "kube-rbac-proxy"},
        {"containers", "seid"},
        {"containers", "cosmos-exporter"},
        {"containers", "a stranger"},
    };

    each_case(i, secrets)
        each_case(j, containers) {
            SCOPED_ARENA a = arena_open(ARENA_MAX);
            const char *list = containers[j].list, *name = containers[j].name;
            for (Way way = BY_VOLUME; way < WAYS; way++)
                then_only_one_may_see(
                    a, i, name, pod_that_sees(a, way, list, name, secrets[i].name));
        }
}

static const struct {
    const char *name, *pod;
    Want want;
} others[] = {
    {"no pod at all", "{}"},
    {"other Secrets",
        "{volumes: [{name: 'x', secret: {secretName: 'other'}}], containers: [{name: 'seid',"
        "  volumeMounts: [{name: 'x'}], env: [{name: 'keyring', value: 'keyring'}],"
        "  envFrom: [{configMapRef: {name: 'keyring'}}]}]}"},
    {"a volume of a Secret that no container mounts",
        "{volumes: [{name: 'x', secret: {secretName: 'keyring'}}], containers: [{name: 'seid'}]}"},
    {"a volume whose contents cannot be judged",
        "{volumes: [{name: 'x', csi: {driver: 'd', nodePublishSecretRef: {name: 'keyring'}}}]}",
        TERMINAL("volume x is a csi")},
    {"a container without a name",
        "{containers: [{envFrom: [{secretRef: {name: 'keyring'}}]}]}",
        TERMINAL(SEE "keyring")},
};

TEST(a_secret_that_does_not_belong_to_the_validator_may_be_mounted_anywhere)
{
    each_case(i, others) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = validator(a, VALIDATOR);
        then_err(render_check_keys(a, &s, json_fixture(a, others[i].pod)), others[i].want);
    }
}

TEST(a_validator_without_keys_passes_the_exposure_check)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, "{spec: {fullNode: null, validator: {}}}");

    each_case(i, others)
        if (i < 4) {
            then_ok(render_check_keys(a, &s, json_fixture(a, others[i].pod)));
            then_ok(render_check_bootstrap(a, &s, json_fixture(a, others[i].pod)));
        }
}

TEST(the_exposure_check_of_keys_applies_in_every_mode)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = validator(a, VALIDATOR);
    s.mode = MODE_FULL; /* as recorded, before somebody edited the spec */

    then_err(render_check_keys(a, &s, json_fixture(a, others[4].pod)), TERMINAL(SEE "keyring"));
    then_err(render_check_bootstrap(a, &s, json_fixture(a, others[4].pod)), TERMINAL(SEE));
}

static const struct {
    const char *name, *block;
    Want want;
} blocks[] = {
    {"Secrets of their own", VALIDATOR_KEYS ", " VALIDATOR_KEYRING},
    {"one Secret for signing and the keyring",
        "signingKey: {secret: {secretName: 'keyring'}}, nodeKey: {secret: {secretName: 'node'}},"
        " " VALIDATOR_KEYRING,
        TERMINAL("spec.validator.operatorKeyring: container seid would see")},
    {"one Secret for the node and the passphrase",
        "signingKey: {secret: {secretName: 'signing'}},"
        " nodeKey: {secret: {secretName: 'passphrase'}}, " VALIDATOR_KEYRING,
        TERMINAL("spec.validator.operatorKeyring: container seid would see")},
    {"a keyring without its passphrase",
        "operatorKeyring: {secret: {secretName: 'keyring'}}",
        TERMINAL("passphraseSecretRef: secretName and key must be set")},
};

TEST(a_validator_that_would_expose_its_keyring_is_not_rendered)
{
    each_case(i, blocks) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = validator(
            a, str_format(a, "{spec: {fullNode: null, validator: {%s}}}", blocks[i].block));
        Wanted wanted;
        then_err(render_node(a, &s, &wanted), blocks[i].want);
    }
}

/* --- a bootstrap pod --- */

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
    {"the signing key as a volume that no container mounts",
        "{volumes: [{name: 'a', secret: {secretName: 'signing'}}]}",
        "signing"},
    {"a volume whose contents cannot be judged", "{volumes: [{name: 'a', csi: {}}]}", "csi"},
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
        Subject s = validator(a, VALIDATOR);
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
    static const char *const words[] = {"signing", "keyring", "passphrase", "secretName"};
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = render_case(a, &(RenderCase){"", VALIDATOR});
    const char *text = json_write(a, w.bootstrap_job).data;

    for (size_t i = 0; i < array_count(words); i++)
        then_true(!strstr(text, words[i]));
    then_true(strstr(json_write(a, w.statefulset).data, "signing") != NULL);
}
