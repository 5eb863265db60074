/* The keys of a validator: late, wrong, put right, deleted under it; and never to be heard of
 * anywhere. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

/* Stands in every Secret of these tests, and may stand nowhere else. */
#define WORD "rosebud"

#define NAME "val-0"
#define KEYS                                                                                       \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"
#define KEYRING                                                                                    \
    "operatorKeyring: {secret: {secretName: 'ring', keyName: 'node_admin',"                        \
    " passphraseSecretRef: {secretName: 'pass', key: 'word'}}}"
#define VALIDATOR(block) "{spec: {fullNode: null, validator: {" block "}}}"

#define PUB  "\"pub_key\":{\"type\":\"t\",\"value\":\"v\"}"
#define PRIV "\"priv_key\":{\"type\":\"t\",\"value\":\"" WORD "\"}"

#define SIGNING_FILE "'priv_validator_key.json': '{\"address\":\"1F\"," PUB "," PRIV "}'"
#define NODE_FILE    "'node_key.json': '{" PRIV "}'"
#define RING_FILES   "'node_admin.info': '" WORD "', '1f.address': '" WORD "'"
#define PASS_FILE    "word: '" WORD "'"

/* A Secret with these files, as plain text. */
static void given_secret(Play *p, const char *name, const char *files)
{
    play_create(p,
        kind_secret,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'Secret', metadata: {name: '%s'}, stringData: {%s}}",
            name,
            files));
}

static const struct {
    const char *name, *files;
} good[] = {
    {"signing", SIGNING_FILE},
    {"node", NODE_FILE},
    {"ring", RING_FILES},
    {"pass", PASS_FILE},
};

static void given_good_secrets(Play *p)
{
    for (size_t i = 0; i < array_count(good); i++)
        given_secret(p, good[i].name, good[i].files);
}

static bool is_failed(Play *p, const char *name)
{
    return play_node(p, name)->status.phase == PHASE_FAILED;
}

static bool is_running(Play *p, const char *name)
{
    return play_node(p, name)->status.phase == PHASE_RUNNING;
}

static const char *reason_of(Play *p, const char *type)
{
    return play_reason(p, NAME, type);
}

/* --- how Secrets are asked for --- */

typedef struct Asked {
    int gets, others;
    int refuse; /* with this status; 0: nothing is refused */
} Asked;

static PortFault watch_secrets(void *self, const PortCall *call)
{
    Asked *asked = self;
    bool is_secret = call->request && kind_eq(call->request->kind, kind_secret);

    if (is_secret && !call->is_stream && call->request->verb == VERB_GET)
        asked->gets++;
    else if (is_secret)
        asked->others++;
    if (is_secret && asked->refuse)
        return (PortFault){.kind = PORT_REFUSED, .status = asked->refuse};
    return (PortFault){0};
}

TEST(a_validator_with_all_its_secrets_becomes_ready)
{
    Asked asked = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 1, .judge = watch_secrets, .judge_self = &asked}});

    given_good_secrets(p);
    play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));
    then_str(play_settle(p), NULL);

    then_true(is_running(p, NAME));
    then_str(play_condition(p, NAME, COND_READY), "True");
    then_str(reason_of(p, COND_SIGNING_KEY), "SigningKeyValidated");
    then_str(reason_of(p, COND_NODE_KEY), "NodeKeyValidated");
    then_str(reason_of(p, COND_OPERATOR_KEYRING), "OperatorKeyringValidated");
    then_true(strstr(play_message(p, NAME, COND_OPERATOR_KEYRING), "Secret ring ") != NULL);
    then_true(strstr(play_message(p, NAME, COND_OPERATOR_KEYRING), "Secret pass ") != NULL);
    then_int(asked.gets, 4);
    then_int(asked.others, 0); /* never listed, watched or written */
}

/* The bytes 0 to 63, and the id that Tendermint makes of them. */
#define KEY_64                                                                                     \
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
#define ID_OF_KEY "72dbb7336c76780023f83da4c355f2eeea85733b"

TEST(peers_by_label_get_the_node_id_of_the_key_in_the_secret)
{
    Asked asked = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 3, .judge = watch_secrets, .judge_self = &asked}});

    given_secret(p, "signing", SIGNING_FILE);
    given_secret(
        p, "node", "'node_key.json': '{\"priv_key\":{\"type\":\"t\",\"value\":\"" KEY_64 "\"}}'");
    play_create_node(p,
        NAME,
        "{metadata: {labels: {role: 'sentried'}},"
        " spec: {fullNode: null, validator: {" KEYS "}}}");
    play_create_node(p, "rpc-0", "{spec: {peers: [{label: {selector: {role: 'sentried'}}}]}}");
    then_str(play_settle(p), NULL);

    then_json(play_node(p, "rpc-0")->status.resolved_peers,
        "['" ID_OF_KEY "@val-0-0.val-0.sei.svc.cluster.local:26656']");
    then_true(asked.gets <= 4); /* two validations, and one for each pod that is asked for */
    int gets = asked.gets;
    play_run(p, 3600000);
    then_int(asked.gets, gets);
    then_int(asked.others, 0);
}

TEST(a_secret_without_a_node_id_is_read_with_growing_delays_and_the_wait_is_reported)
{
    Asked asked = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 4, .judge = watch_secrets, .judge_self = &asked}});

    given_secret(p, "signing", SIGNING_FILE);
    given_secret(p, "node", NODE_FILE);
    play_create_node(p,
        NAME,
        "{metadata: {labels: {role: 'sentried'}},"
        " spec: {fullNode: null, validator: {" KEYS "}}}");
    play_run(p, 300000);
    int before = asked.gets;
    play_create_node(p,
        "rpc-0",
        "{spec: {peers: [{label: {selector: {role: 'sentried'}}}], fullNode: {snapshot:"
        " {stateSync: {}}}}}");
    play_run(p, 60000);
    then_true(strstr(play_message(p, "rpc-0", COND_RECONCILING), "correct the Secret") != NULL);
    play_run(p, 3600000);
    then_true(asked.gets - before > 10 && asked.gets - before < 25);
}

TEST(a_validator_without_keys_reads_no_secrets)
{
    Asked asked = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 2, .judge = watch_secrets, .judge_self = &asked}});

    play_create_node(p, NAME, VALIDATOR(""));
    then_str(play_settle(p), NULL);

    then_true(is_running(p, NAME));
    then_int(asked.gets + asked.others, 0);
    then_str(play_condition(p, NAME, COND_SIGNING_KEY), NULL);
    then_str(play_condition(p, NAME, COND_NODE_KEY), NULL);
    then_str(play_condition(p, NAME, COND_OPERATOR_KEYRING), NULL);
}

TEST(a_genesis_ceremony_validates_its_operator_keyring)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_create_node(p,
        NAME,
        VALIDATOR(KEYRING ", genesisCeremony: {chainId: 'pacific-1', stakingAmount: '1usei',"
                          " accountBalance: '2usei', index: 0}"));
    play_run(p, 30000);
    then_str(reason_of(p, COND_OPERATOR_KEYRING), "OperatorKeyringNotReady");
    then_true(play_find(p, kind_statefulset, NAME) == NULL);

    given_secret(p, "ring", RING_FILES);
    given_secret(p, "pass", PASS_FILE);
    play_run(p, 10000);
    then_str(reason_of(p, COND_OPERATOR_KEYRING), "OperatorKeyringValidated");
    then_true(play_find(p, kind_statefulset, NAME) != NULL);
    then_str(play_condition(p, NAME, COND_SIGNING_KEY), NULL);
}

/* --- keys that come late --- */

static void then_waits_for(Play *p, const char *task, const char *secret)
{
    const char *wanted =
        str_format(play_arena(p), "%s: Secret sei/%s does not exist", task, secret);
    const SeiNode *node = play_node(p, NAME);

    then_int(node->status.phase, PHASE_INITIALIZING);
    then_true(str_has_prefix(node->status.plan.waiting, wanted));
    then_true(str_has_prefix(play_message(p, NAME, COND_RECONCILING), wanted));
    then_str(play_condition(p, NAME, COND_RECONCILING), "True");
    then_str(play_condition(p, NAME, COND_STALLED), "False");
    then_true(play_find(p, kind_statefulset, NAME) == NULL);
}

TEST(missing_secrets_of_a_validator_are_awaited_one_by_one)
{
    static const struct {
        const char *name; /* the Secret */
        const char *files, *task, *condition, *not_ready;
        int reads;    /* of each look */
        bool goes_on; /* the condition was False before, because of another Secret */
    } waits[] = {
        {"signing",
            SIGNING_FILE,
            "validate-signing-key",
            COND_SIGNING_KEY,
            "SigningKeyNotReady",
            1},
        {"node", NODE_FILE, "validate-node-key", COND_NODE_KEY, "NodeKeyNotReady", 1},
        {"ring",
            RING_FILES,
            "validate-operator-keyring",
            COND_OPERATOR_KEYRING,
            "OperatorKeyringNotReady",
            1},
        {"pass",
            PASS_FILE,
            "validate-operator-keyring",
            COND_OPERATOR_KEYRING,
            "OperatorKeyringNotReady",
            2,
            .goes_on = true},
    };
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));
    each_case(i, waits) {
        play_run(p, 10000);
        if (!waits[i].goes_on) { /* it may be applied a moment later */
            then_waits_for(p, waits[i].task, waits[i].name);
            then_str(reason_of(p, COND_STALLED), "NotStalled");
        }
        then_str(reason_of(p, waits[i].condition), waits[i].not_ready);
        play_run(p, 60000);
        then_str(reason_of(p, COND_STALLED), "SecretMissing");
        then_true(strstr(play_message(p, NAME, COND_STALLED), waits[i].name) != NULL);

        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0); /* told once, and not again */
        int looks = play_requests(p) / waits[i].reads;
        then_true(looks >= 115 && looks <= 125); /* every 5 s */

        given_secret(p, waits[i].name, waits[i].files);
    }
    play_mark(p);
    then_str(play_settle(p), NULL); /* by itself */
    then_true(is_running(p, NAME));
    then_int(play_pods_deleted(p), 0);
    then_int((int)play_node(p, NAME)->status.history.count, 1);
}

TEST(a_terminating_secret_of_a_validator_is_awaited)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_good_secrets(p);
    play_patch(p, kind_secret, "node", "{metadata: {finalizers: ['t.io/x']}}");
    play_delete(p, kind_secret, "node");
    play_create_node(p, NAME, VALIDATOR(KEYS));
    play_run(p, 30000);
    then_str(reason_of(p, COND_SIGNING_KEY), "SigningKeyValidated");
    then_str(reason_of(p, COND_NODE_KEY), "NodeKeyNotReady");
    then_str(play_message(p, NAME, COND_NODE_KEY),
        "Secret sei/node is being deleted: create it again when it is gone");

    play_patch(p, kind_secret, "node", "{metadata: {finalizers: null}}");
    given_secret(p, "node", NODE_FILE);
    then_str(play_settle(p), NULL);
    then_true(is_running(p, NAME));
}

TEST(a_missing_permission_to_read_secrets_is_reported_and_awaited)
{
    Asked asked = {.refuse = 403};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 6, .judge = watch_secrets, .judge_self = &asked}});

    given_good_secrets(p);
    play_create_node(p, NAME, VALIDATOR(KEYS));
    play_run(p, 600000);
    then_str(reason_of(p, COND_SIGNING_KEY), "SigningKeyNotReady");
    then_true(str_has_prefix(
        play_message(p, NAME, COND_SIGNING_KEY), "Secret sei/signing cannot be read: get secrets"));
    then_true(asked.gets >= 115); /* every 5 s, for as long as it takes */

    asked.refuse = 0;
    play_run(p, 6000);
    then_str(reason_of(p, COND_SIGNING_KEY), "SigningKeyValidated");
    then_str(play_settle(p), NULL);
}

/* --- keys that are wrong --- */

static const struct {
    const char *name, *secret, *files, *condition, *reason, *message;
} wrong[] = {
    {"no signing key",
        "signing",
        "x: '" WORD "'",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "Secret sei/signing has no priv_validator_key.json"},
    {"an empty signing key",
        "signing",
        "'priv_validator_key.json': ''",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "Secret sei/signing has no priv_validator_key.json, or an empty one"},
    {"a signing key that is no JSON",
        "signing",
        "'priv_validator_key.json': '{" WORD "}'",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "priv_validator_key.json of Secret sei/signing is not JSON"},
    {"a signing key without an address",
        "signing",
        "'priv_validator_key.json': '{" PUB "," PRIV "}'",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "has no address"},
    {"a signing key without its public half",
        "signing",
        "'priv_validator_key.json': '{\"address\":\"1\"," PRIV "}'",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "has no pub_key.type"},
    {"a signing key without its private half",
        "signing",
        "'priv_validator_key.json': '{\"address\":\"" WORD "\"," PUB "}'",
        COND_SIGNING_KEY,
        "SigningKeyInvalid",
        "has no priv_key.type"},
    {"no node key",
        "node",
        "x: '" WORD "'",
        COND_NODE_KEY,
        "NodeKeyInvalid",
        "Secret sei/node has no node_key.json"},
    {"a node key that is no JSON",
        "node",
        "'node_key.json': '" WORD "'",
        COND_NODE_KEY,
        "NodeKeyInvalid",
        "node_key.json of Secret sei/node is not JSON"},
    {"a node key without a key",
        "node",
        "'node_key.json': '{\"priv_key\":{\"type\":\"" WORD "\"}}'",
        COND_NODE_KEY,
        "NodeKeyInvalid",
        "has no priv_key.value"},
    {"an empty key in the ring",
        "ring",
        "'node_admin.info': '', '1f.address': '" WORD "'",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "node_admin.info of Secret sei/ring is empty"},
    {"no key in the ring",
        "ring",
        "'1f.address': '" WORD "'",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "no key that ends in .info"},
    {"no address in the ring",
        "ring",
        "'node_admin.info': '" WORD "'",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "no key that ends in .address"},
    {"another key in the ring",
        "ring",
        "'other.info': '" WORD "', '1f.address': '" WORD "'",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "Secret sei/ring has no node_admin.info"},
    {"no passphrase",
        "pass",
        "other: '" WORD "'",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "Secret sei/pass has no word, or an empty one"},
    {"an empty passphrase",
        "pass",
        "word: ''",
        COND_OPERATOR_KEYRING,
        "OperatorKeyringInvalid",
        "Secret sei/pass has no word, or an empty one"},
};

static void given_all_but(Play *p, const char *secret, const char *files)
{
    for (size_t i = 0; i < array_count(good); i++)
        given_secret(p, good[i].name, str_eq(good[i].name, secret) ? files : good[i].files);
}

static void put_right(Play *p, const char *secret)
{
    for (size_t i = 0; i < array_count(good); i++)
        if (str_eq(good[i].name, secret)) {
            play_delete(p, kind_secret, secret);
            given_secret(p, secret, good[i].files);
        }
}

TEST(a_malformed_key_fails_the_node_until_it_is_corrected_and_retried)
{
    each_case(i, wrong) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 100 + i}});
        given_all_but(p, wrong[i].secret, wrong[i].files);
        play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));

        play_run(p, 20000);
        then_true(is_failed(p, NAME));
        then_str(play_condition(p, NAME, wrong[i].condition), "False");
        then_str(reason_of(p, wrong[i].condition), wrong[i].reason);
        then_true(strstr(play_message(p, NAME, wrong[i].condition), wrong[i].message) != NULL);
        then_str(reason_of(p, COND_STALLED), "PlanFailed");
        then_true(strstr(play_message(p, NAME, COND_STALLED), wrong[i].message) != NULL);
        then_true(strstr(play_message(p, NAME, COND_STALLED), ANNOTATION_RETRY) != NULL);
        then_true(play_find(p, kind_statefulset, NAME) == NULL);

        put_right(p, wrong[i].secret);
        play_mark(p);
        play_run(p, 120000);
        then_int(play_requests(p), 0); /* a failure is final until somebody asks */
        play_patch(p, kind_seinode, NAME, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_str(play_settle(p), NULL);
        then_true(is_running(p, NAME));
        then_str(play_condition(p, NAME, wrong[i].condition), "True");
    }
}

/* --- keys under a running node --- */

static Play *running_validator(uint64_t seed)
{
    Play *p = play_open(&(PlayOptions){.sim = {.seed = seed}});

    given_good_secrets(p);
    play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));
    then_str(play_settle(p), NULL);
    play_mark(p);
    return p;
}

TEST(changing_or_deleting_secrets_of_a_running_validator_stops_nothing)
{
    SCOPED_PLAY p = running_validator(7);
    const char *pod = meta_uid(play_find(p, kind_pod, NAME "-0"));

    play_patch(p, kind_secret, "signing", "{stringData: {'priv_validator_key.json': 'x'}}");
    play_delete(p, kind_secret, "node");
    play_delete(p, kind_secret, "ring");
    play_delete(p, kind_secret, "pass");
    play_run(p, 3600000);

    then_str(meta_uid(play_find(p, kind_pod, NAME "-0")), pod);
    then_int(play_requests(p), 0);
    then_str(play_condition(p, NAME, COND_READY), "True");
}

/* --- pods that cannot start --- */

static const struct {
    const char *name, *secret, *files; /* what is there instead; NULL: nothing */
    const char *message;
} held_back[] = {
    {"no signing key", "signing", NULL, "Secret sei/signing does not exist: create it"},
    {"no node key", "node", NULL, "Secret sei/node does not exist: create it"},
    {"no keyring", "ring", NULL, "Secret sei/ring does not exist: create it"},
    {"a Secret without the key", "node", "x: 'y'", "Secret sei/node has no node_key.json"},
};

static void spoil(Play *p, size_t i)
{
    play_delete(p, kind_secret, held_back[i].secret);
    if (held_back[i].files)
        given_secret(p, held_back[i].secret, held_back[i].files);
}

static void restore(Play *p, size_t i)
{
    if (!held_back[i].files)
        given_secret(p, held_back[i].secret, "x: 'y'");
    put_right(p, held_back[i].secret);
}

TEST(a_pod_that_cannot_start_reports_which_secret_is_missing)
{
    each_case(i, held_back) {
        SCOPED_PLAY p = running_validator(200 + i);
        spoil(p, i);
        play_delete(p, kind_pod, NAME "-0");
        play_run(p, 60000);
        then_str(reason_of(p, COND_READY), "PodNotReady");
        then_str(play_message(p, NAME, COND_READY),
            str_format(play_arena(p), "the pod cannot start: %s", held_back[i].message));

        play_run(p, 60000);
        then_str(reason_of(p, COND_STALLED), "SecretMissing");
        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0);
        then_true(play_requests(p) <= 70); /* three at most, every 30 s */
        restore(p, i);
        then_str(play_settle(p), NULL);
        then_str(play_condition(p, NAME, COND_READY), "True");
        then_str(play_condition(p, NAME, COND_STALLED), "False");
    }
}

TEST(an_update_stops_no_pod_if_the_new_pod_could_not_start)
{
    each_case(i, held_back) {
        SCOPED_PLAY p = running_validator(300 + i);
        spoil(p, i);
        play_patch(p, kind_seinode, NAME, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        play_run(p, 120000);

        then_int(play_pods_deleted(p), 0);
        then_true(pod_is_ready(play_find(p, kind_pod, NAME "-0")));
        then_str(play_node(p, NAME)->status.plan.waiting,
            str_format(play_arena(p),
                "replace-pod: pod " NAME "-0 is not stopped now, for the next could not start: %s",
                held_back[i].message));

        restore(p, i);
        then_str(play_settle(p), NULL); /* by itself */
        then_int(play_pods_deleted(p), 1);
        then_str(play_node(p, NAME)->status.current_image, "ghcr.io/example/seid:v2");
    }
}

TEST(a_plan_reports_which_secret_its_pod_waits_for)
{
    SCOPED_PLAY p = running_validator(10);
    play_patch(p, kind_seinode, NAME, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    while (!play_pods_deleted(p))
        play_run(p, 10);
    play_delete(p, kind_secret, "node"); /* at the worst moment */
    play_run(p, 120000);

    const char *waiting = play_node(p, NAME)->status.plan.waiting;
    then_true(str_has_prefix(waiting, "observe-image: "));
    then_true(strstr(waiting, "the pod cannot start: Secret sei/node does not exist") != NULL);

    given_secret(p, "node", NODE_FILE);
    then_str(play_settle(p), NULL);
    then_str(play_node(p, NAME)->status.current_image, "ghcr.io/example/seid:v2");
}

TEST(a_pod_that_starts_in_time_causes_no_read_of_its_secrets)
{
    Asked asked = {0};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 11, .judge = watch_secrets, .judge_self = &asked}});

    given_good_secrets(p);
    play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));
    then_str(play_settle(p), NULL);
    play_delete(p, kind_secret, "node");
    play_delete(p, kind_pod, NAME "-0");
    play_run(p, 12000);
    then_str(json_str(play_find(p, kind_pod, NAME "-0"), ".status.podIP"), NULL);
    given_secret(p, "node", NODE_FILE);
    then_str(play_settle(p), NULL);
    then_int(asked.gets, 4); /* those of its birth */
}

/* --- the Job before the node --- */

#define PEERS                                                                                      \
    "peers: [{static: {addresses: ['0123456789abcdef0123456789abcdef01234567@peer:26656']}}]"
#define BOOTSTRAPPED                                                                               \
    "{spec: {fullNode: null, " PEERS ", validator: {" KEYS ", " KEYRING                            \
    ", snapshot: {s3: {targetHeight: 950}, bootstrapImage: 'ghcr.io/example/seid:v0'}}}}"

static bool is_job_there(Play *p, const char *name)
{
    return play_find(p, kind_job, name) != NULL;
}

static void then_no_secret_in(Play *p, const Json *object)
{
    const char *text = json_write(play_arena(p), object).data;

    then_true(object != NULL);
    then_true(!strstr(text, "secretName") && !strstr(text, "secretKeyRef"));
    then_true(!strstr(text, "secretRef"));
}

TEST(a_bootstrap_job_is_created_after_the_keys_exist_and_mounts_none_of_them)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    play_create_node(p, NAME, BOOTSTRAPPED);
    play_run(p, 60000);
    then_str(reason_of(p, COND_SIGNING_KEY), "SigningKeyNotReady");
    then_true(!is_job_there(p, NAME "-bootstrap"));

    given_good_secrets(p);
    then_true(play_until(p, is_job_there, NAME "-bootstrap"));
    then_no_secret_in(p, play_find(p, kind_job, NAME "-bootstrap"));
    play_delete(p, kind_secret, "node"); /* the node's own pod will want it */
    play_run(p, 300000);
    then_true(!is_job_there(p, NAME "-bootstrap"));
    const char *waiting = play_node(p, NAME)->status.plan.waiting;
    then_true(strstr(waiting, "the pod cannot start: Secret sei/node does not exist") != NULL);

    given_secret(p, "node", NODE_FILE);
    then_str(play_settle(p), NULL);
    then_true(is_running(p, NAME));
    const char *pod = json_write(play_arena(p), play_find(p, kind_pod, NAME "-0")).data;
    then_true(strstr(pod, "priv_validator_key.json") != NULL);
}

TEST(a_deleted_validator_keeps_its_secrets)
{
    SCOPED_PLAY p = running_validator(8);

    play_delete(p, kind_seinode, NAME);
    play_run(p, 120000);

    then_true(play_find(p, kind_seinode, NAME) == NULL);
    for (size_t i = 0; i < array_count(good); i++)
        then_true(play_find(p, kind_secret, good[i].name) != NULL);
}

/* --- what is heard of them --- */

/* The word as it is, and in base64 wherever it begins. */
static const char *const traces_of_word[] = {WORD, "cm9zZWJ1Z", "Jvc2VidW", "yb3NlYnVk"};

/* Listens to everything that leaves the operator. */
typedef struct Listener {
    LogSink sink; /* of the trace, with the operator's log in it */
    Arena *arena;
    const char *leak; /* the first one, or NULL */
    int lines, requests, objects, secrets;
} Listener;

static bool has_word(const char *text, size_t len)
{
    for (size_t i = 0; i < array_count(traces_of_word); i++)
        if (memmem(text, len, traces_of_word[i], strlen(traces_of_word[i])))
            return true;
    return false;
}

static void hear(Listener *l, const char *where, const char *text, size_t len)
{
    if (!l->leak && has_word(text, len))
        l->leak = str_format(l->arena, "%s: %s", where, str_slice(l->arena, text, len));
}

static void hear_line(LogSink *self, const char *line, size_t len)
{
    Listener *l = (Listener *)(void *)self;

    l->lines++;
    hear(l, "trace", line, len);
}

static PortFault hear_call(void *self, const PortCall *call)
{
    Listener *l = self;
    SCOPED_ARENA a = arena_open(16 << 20);
    Bytes body = call->http ? call->http->body : request_body(a, call->request);
    const char *url = "";

    if (call->http)
        url = call->http->url;
    else
        then_ok(request_url(a, call->request, &url));
    l->requests++;
    hear(l, "body", body.data ? body.data : "", body.len);
    hear(l, "url", url, strlen(url));
    return (PortFault){0};
}

static void hear_object(void *self, const Kind *kind, const Json *object)
{
    Listener *l = self;
    Bytes text = json_write(l->arena, object);

    l->objects++;
    if (kind_eq(kind, kind_secret))
        l->secrets += has_word(text.data, text.len);
    else
        hear(l, kind->plural, text.data, text.len);
}

static void hear_world(Listener *l, Play *p)
{
    const char *page = play_metrics(p, "");

    hear(l, "metrics", page, strlen(page));
    server_each(world_server(sim_world(play_sim(p))), l->arena, hear_object, l);
    if (l->leak)
        print_error("%s\n", l->leak);
    then_true(l->leak == NULL);
}

TEST(the_content_of_a_secret_never_appears_in_any_output)
{
    SCOPED_ARENA a = arena_open((size_t)1 << 30);
    Listener l = {.sink = {.write = hear_line}, .arena = a};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 9, .judge = hear_call, .judge_self = &l, .print = &l.sink},
            .talkative = true});

    play_create_node(p, NAME, VALIDATOR(KEYS ", " KEYRING));
    play_run(p, 30000); /* late */
    hear_world(&l, p);
    for (size_t i = 0; i < array_count(wrong); i++) { /* wrong, one way after another */
        for (size_t j = 0; j < array_count(good); j++)
            (void)play_try(p,
                (Request){.verb = VERB_DELETE, .kind = kind_secret, .key = {.name = good[j].name}},
                NULL);
        given_all_but(p, wrong[i].secret, wrong[i].files);
        play_patch(p,
            kind_seinode,
            NAME,
            str_format(a, "{metadata: {annotations: {'sei.io/retry': 'r%zu'}}}", i));
        play_run(p, 20000);
        then_true(is_failed(p, NAME));
        hear_world(&l, p);
    }
    put_right(p, "pass");
    play_patch(p, kind_seinode, NAME, "{metadata: {annotations: {'sei.io/retry': 'right'}}}");
    then_str(play_settle(p), NULL);
    replica_crash(play_replica(p, 0));
    play_patch(p, kind_seinode, NAME, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_str(play_settle(p), NULL);
    hear_world(&l, p);

    then_true(l.lines > 100 && l.requests > 100 && l.objects > 100);
    then_true(l.secrets > 50); /* the ears are open */
}
