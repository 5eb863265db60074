/* A node of every mode on a real control plane, all of them side by side: born, rolled to another
 * image, and repaired when their StatefulSets are gone. */
#include "kube/meta.h"
#include "tests/e2e/nodes.h"

#define PEERS "peers: [{static: {addresses: ['a@b:1']}}]"

/* Keys in shape only, which hold SECRET. */
#define KEY_DATA                                                                                   \
    "eyJhZGRyZXNzIjoiQTEiLCJwdWJfa2V5Ijp7InR5cGUiOiJ0IiwidmFsdWUiOiJwIn0sInByaXZfa2V5Ijp7InR5"     \
    "cGUiOiJ0IiwidmFsdWUiOiJkby1ub3QtdGVsbCJ9fQ=="
#define SECRET "do-not-tell"

static const struct {
    const char *name; /* of the node, too */
    const char *spec;
    int bootstrap_tasks;
} modes[] = {
    {"full", "chainId: pacific-1, fullNode: {}", 3},
    {"snapshot",
        "chainId: pacific-1, " PEERS ", fullNode: {snapshot: {s3: {targetHeight: 900}}}",
        6},
    {"statesync",
        "chainId: pacific-1, " PEERS
        ", fullNode: {snapshot: {stateSync: {}, trustPeriod: 168h0m0s}}",
        5},
    {"archive", "chainId: pacific-1, archive: {}", 3},
    {"replayer",
        "chainId: pacific-1, " PEERS ", replayer: {snapshot: {s3: {targetHeight: 900}}}",
        6},
    {"validator", "chainId: pacific-1, validator: {}", 3},
    {"keyed",
        "chainId: pacific-1, validator: {signingKey: {secret: {secretName: signing}},"
        " nodeKey: {secret: {secretName: node}}, operatorKeyring: {secret: {secretName: keyring,"
        " keyName: node_admin, passphraseSecretRef: {secretName: passphrase, key: word}}}}",
        3},
    {"ceremony",
        "chainId: ceremony-1, validator: {genesisCeremony: {chainId: ceremony-1,"
        " stakingAmount: 10usei, accountBalance: 20usei, index: 0}}",
        7},
    {"job",
        "chainId: pacific-1, " PEERS ", fullNode: {snapshot: {s3: {targetHeight: 950},"
        " bootstrapImage: 'ghcr.io/example/seid:v0'}}",
        10},
};

enum { MODES = array_count(modes) };

/* What must not change as long as the data of a node lives. */
typedef struct Before {
    const char *claims[MODES], *statefulsets[MODES], *pods[MODES];
    int64_t mark;
} Before;

static const char *pod_name(const Nodes *n, size_t mode)
{
    return str_format(n->arena, "%s-0", modes[mode].name);
}

static const char *claim_uid(const Nodes *n, size_t mode)
{
    const char *claim = str_format(n->arena, "data-%s", modes[mode].name);

    return nodes_uid(n, "persistentvolumeclaims", claim);
}

/* --- what there must be before */

static void create_secrets(const Nodes *n)
{
    scene_apply(n->cp,
        n->arena,
        str_format(n->arena,
            "{apiVersion: v1, kind: Secret, metadata: {name: signing, namespace: %s},"
            " data: {priv_validator_key.json: " KEY_DATA "}}\n---\n"
            "{apiVersion: v1, kind: Secret, metadata: {name: node, namespace: %s},"
            " data: {node_key.json: " KEY_DATA "}}\n---\n"
            "{apiVersion: v1, kind: Secret, metadata: {name: keyring, namespace: %s},"
            " stringData: {node_admin.info: " SECRET ", a1.address: " SECRET "}}\n---\n"
            "{apiVersion: v1, kind: Secret, metadata: {name: passphrase, namespace: %s},"
            " stringData: {word: " SECRET "}}\n",
            n->namespace,
            n->namespace,
            n->namespace,
            n->namespace));
}

static void create_nodes(const Nodes *n)
{
    const char *objects = "";

    for (size_t i = 0; i < MODES; i++)
        objects = str_format(n->arena,
            "%s---\n{apiVersion: sei.io/v1alpha1, kind: SeiNode,"
            " metadata: {name: %s, namespace: %s},"
            " spec: {image: 'ghcr.io/example/seid:v1', %s}}\n",
            objects,
            modes[i].name,
            n->namespace,
            modes[i].spec);
    scene_apply(n->cp, n->arena, objects);
}

/* Whoever leads the ceremony puts the genesis together once all have handed in. */
static void lead_ceremony(const Nodes *n)
{
    eventually(nodes_tasks(n, "ceremony", "configure-genesis") > 0);
    eventually(nodes_give_task(n,
        "ceremony",
        "{\"id\": \"11111111-2222-4333-8444-555555555555\","
        " \"type\": \"assemble-and-upload-genesis\","
        " \"params\": {\"accountBalance\": \"20usei\", \"namespace\": \"x\","
        " \"nodes\": [{\"name\": \"ceremony\"}]}}"));
}

/* --- what must be so afterwards */

static Before remember(const Nodes *n)
{
    Before before = {.mark = scene_mark(n->cp)};

    for (size_t i = 0; i < MODES; i++) {
        before.claims[i] = claim_uid(n, i);
        before.statefulsets[i] = nodes_uid(n, "statefulsets", modes[i].name);
        before.pods[i] = nodes_uid(n, "pods", pod_name(n, i));
    }
    return before;
}

static bool runs(const Nodes *n, size_t mode, const char *image)
{
    return nodes_settled(n, modes[mode].name)
        && nodes_say(n, "seinodes", modes[mode].name, ".status.currentImage", image);
}

/* On the volumes they always had, and without a second bootstrap. */
static void then_data_is_untouched(const Nodes *n, const Before *before)
{
    each_case(i, modes) {
        then_str(claim_uid(n, i), before->claims[i]);
        int of_others = str_eq(modes[i].name, "ceremony"); /* the leader's */
        then_int(
            nodes_tasks(n, modes[i].name, "!mark-ready") - of_others, modes[i].bootstrap_tasks);
    }
}

static void then_nothing_secret_is_told(const Nodes *n, Arena *a)
{
    const char *nodes = kubectl(n->cp, a, "get", "seinodes", "-n", n->namespace, "-o", "json");
    const char *events = kubectl(n->cp, a, "get", "events", "-n", n->namespace, "-o", "json");

    then_true(strstr(nodes, "OperatorKeyringValidated") != NULL);
    then_true(strstr(nodes, SECRET) == NULL);
    then_true(strstr(events, SECRET) == NULL);
    then_true(strstr(operator_log(&n->op, a), SECRET) == NULL);
}

/* --- one pass */

static void roll(const Nodes *n, const Before *before)
{
    each_case(i, modes)
        nodes_set_image(n, modes[i].name, "v2");
    each_case(i, modes)
        eventually(runs(n, i, "ghcr.io/example/seid:v2"));
    then_int(nodes_requests(n, before->mark, "delete", "pods"), MODES);
    then_data_is_untouched(n, before);
}

static void repair(const Nodes *n, const Before *before)
{
    each_case(i, modes)
        nodes_delete(n, "statefulsets", modes[i].name, "background");
    each_case(i, modes) {
        eventually(nodes_is_new(n, "statefulsets", modes[i].name, before->statefulsets[i]));
        eventually(nodes_is_new(n, "pods", pod_name(n, i), before->pods[i]));
        eventually(runs(n, i, "ghcr.io/example/seid:v2"));
    }
    then_int(nodes_requests(n, before->mark, "delete", "pods"), 0);
    then_data_is_untouched(n, before);
}

TEST(nodes_of_every_mode_are_initialized_and_updated_and_repaired)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, controlplane_shared(), "modes");

    create_secrets(&n);
    create_nodes(&n);
    lead_ceremony(&n);
    each_case(i, modes)
        eventually(runs(&n, i, "ghcr.io/example/seid:v1"));
    Before born = remember(&n);
    roll(&n, &born);
    Before rolled = remember(&n);
    repair(&n, &rolled);
    then_nothing_secret_is_told(&n, a);
    nodes_close(&n);
}
