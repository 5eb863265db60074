/* Checks of validators, over all namespaces: whatever can make one consensus key sign twice, and
 * keys that are not there. Of a key there is only a hash, which is compared and never told. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

#define SIGNING_PATH ".spec.validator.signingKey.secret.secretName"
#define NODE_PATH    ".spec.validator.nodeKey.secret.secretName"

static const char *hash_of(const Chart *c, const Json *node, const char *path, const char *file)
{
    const Json *secret = chart_find(c, CHART_SECRETS, meta_namespace(node), json_str(node, path));

    return json_text(json_member(json_find(secret, ".files"), file));
}

/* How two nodes come by one key: what they are told apart by. NULL: the node has none. */
typedef const char *KeyOf(const Chart *c, const Json *node);

typedef struct Sharing {
    KeyOf *key_of;
    KeyOf *unless;    /* two that have this in common too are another check's; NULL: none are */
    const char *what; /* "has the same node key as" */
    bool of_stopped;  /* tells of nodes that are stopped, else of those that are not */
} Sharing;

static void tell_shared_by(Exam *exam, const Sharing *s, const Json *node, const Json *first)
{
    if (s->unless && str_eq(s->unless(exam->chart, first), s->unless(exam->chart, node)))
        return;
    exam_find(exam,
        exam_about("SeiNode",
            node,
            str_format(exam->arena,
                "%s SeiNode %s/%s",
                s->what,
                meta_namespace(first),
                meta_name(first))));
}

/* Tells of each node whose key another one before it has. Those that are stopped come after all
 * others: of two the one that runs is not the one to tell of. */
static void tell_shared(Exam *exam, Sharing s)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);
    Map *first_of = map_open(nodes->count + 1);

    for (size_t i = 0; i < 2 * nodes->count; i++) {
        const Json *node = nodes->items[i % nodes->count];
        bool is_turn_of_stopped = i >= nodes->count;
        const char *key = s.key_of(exam->chart, node);
        if (!key || chart_is_stopped(exam->chart, node) != is_turn_of_stopped)
            continue;
        const Json *first = map_find(first_of, key);
        if (!first && !map_put(first_of, key, (void *)node))
            BUG("a map that was made for all nodes is full");
        if (first && s.of_stopped == is_turn_of_stopped)
            tell_shared_by(exam, &s, node, first);
    }
    map_close(first_of);
}

static const char *signing_secret(const Chart *c, const Json *node)
{
    const char *name = json_str(node, SIGNING_PATH);

    return name ? str_format(c->arena, "%s/%s", meta_namespace(node), name) : NULL;
}

static const char *signing_hash(const Chart *c, const Json *node)
{
    return hash_of(c, node, SIGNING_PATH, KEY_FILE_SIGNING);
}

static const char *node_hash(const Chart *c, const Json *node)
{
    return hash_of(c, node, NODE_PATH, KEY_FILE_NODE);
}

/* Whoever the operator holds back does not sign, and is told of as stalled. */
static const char *secret_in_use(const Chart *c, const Json *node)
{
    bool is_held_back =
        chart_has_condition(node, COND_STALLED, "True", reason_text(REASON_SIGNING_KEY_IN_USE));

    return is_held_back ? NULL : signing_secret(c, node);
}

static void secret_is_shared(Exam *exam)
{
    tell_shared(exam, (Sharing){.key_of = secret_in_use, .what = "signs with the same Secret as"});
}

static void key_is_shared(Exam *exam)
{
    tell_shared(exam,
        (Sharing){.key_of = signing_hash,
            .unless = signing_secret,
            .what = "its Secret holds the same consensus key as that of"});
}

static void identity_is_shared(Exam *exam)
{
    tell_shared(exam, (Sharing){.key_of = node_hash, .what = "has the same node key as"});
}

static void stopped_one_shares_a_secret(Exam *exam)
{
    tell_shared(exam,
        (Sharing){.key_of = signing_secret,
            .what = "is paused and names the same Secret as",
            .of_stopped = true});
}

static void stopped_one_shares_a_key(Exam *exam)
{
    tell_shared(exam,
        (Sharing){.key_of = signing_hash,
            .unless = signing_secret,
            .what = "is paused and has the same consensus key as",
            .of_stopped = true});
}

static void secret_is_missing(Exam *exam)
{
    static const char *const paths[] = {
        SIGNING_PATH,
        NODE_PATH,
        ".spec.validator.operatorKeyring.secret.secretName",
        ".spec.validator.operatorKeyring.secret.passphraseSecretRef.secretName",
    };
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++)
        for (size_t n = 0; n < sizeof paths / sizeof paths[0]; n++) {
            const Json *node = nodes->items[i];
            const char *name = json_str(node, paths[n]);
            if (!name || chart_find(exam->chart, CHART_SECRETS, meta_namespace(node), name))
                continue;
            Finding f = exam_about("SeiNode",
                node,
                str_format(exam->arena, "names Secret %s, which is not there", name));
            f.other = name;
            exam_find(exam, f);
        }
}

static void tell_without_file(Exam *exam, const Json *node, const char *path, const char *file)
{
    const char *name = json_str(node, path);
    const Json *secret = chart_find(exam->chart, CHART_SECRETS, meta_namespace(node), name);

    if (!secret || json_member(json_find(secret, ".files"), file))
        return;
    Finding f = exam_about(
        "SeiNode", node, str_format(exam->arena, "its Secret %s has no file %s", name, file));
    f.other = name;
    exam_find(exam, f);
}

static void secret_has_no_key(Exam *exam)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        tell_without_file(exam, nodes->items[i], SIGNING_PATH, KEY_FILE_SIGNING);
        tell_without_file(exam, nodes->items[i], NODE_PATH, KEY_FILE_NODE);
    }
}

static void fleet_shares_a_key(Exam *exam)
{
    const Objects *fleets = chart_list(exam->chart, CHART_FLEETS);

    for (size_t i = 0; i < fleets->count; i++) {
        const Json *fleet = fleets->items[i];
        bool is_paused = chart_has_condition(fleet, COND_PAUSED, "True", NULL);
        if (!json_find(fleet, ".spec.template.spec.validator.signingKey")
            || json_int(fleet, ".spec.replicas", 1) < 2)
            continue;
        Finding f = exam_about("SeiNodeDeployment",
            fleet,
            str_format(exam->arena,
                is_paused ? "is paused: %lld nodes would sign with one key"
                          : "%lld nodes are to sign with one key",
                (long long)json_int(fleet, ".spec.replicas", 1)));
        f.fix = is_paused ? "kubectl sei status fleet/{name} -n {namespace}" : NULL;
        exam_find(exam, f);
    }
}

static void scaler_has_validators(Exam *exam)
{
    const Objects *scalers = chart_list(exam->chart, CHART_SCALERS);

    for (size_t i = 0; i < scalers->count; i++) {
        const Json *scaler = scalers->items[i];
        const char *name = json_str(scaler, ".spec.scaleTargetRef.name");
        const Json *fleet = chart_find(exam->chart, CHART_FLEETS, meta_namespace(scaler), name);
        if (!str_eq(json_str(scaler, ".spec.scaleTargetRef.kind"), "SeiNodeDeployment")
            || !json_find(fleet, ".spec.template.spec.validator"))
            continue;
        exam_find(exam,
            exam_about("HorizontalPodAutoscaler",
                scaler,
                str_format(exam->arena, "scales fleet %s of validators", name)));
    }
}

#define PAUSE "kubectl sei pause node/{name} -n {namespace}"

#define LEAVE_IT_PAUSED                                                                            \
    "Nothing is signed twice while it is paused, and whoever lets it run again makes it so: that " \
    "is slashed, and jailed for good. Leave it paused until you know which of the two is meant, "  \
    "and that no other cluster has the key."

const Check validator_checks[] = {
    {.code = "SEI5001",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "two nodes sign with the same Secret",
        .fine = "no two nodes sign with the same Secret",
        .about = "Both sign every height: the chain slashes that and jails the validator for "
                 "good. Stop one of them now, wait until its pod is gone, and only then change "
                 "anything. The operator starts no second one (it is stalled then, with the reason "
                 "SigningKeyInUse), and stops neither of two that run already, as another operator "
                 "or a person has left them (SigningKeyShared).",
        .fix = PAUSE,
        .needs = {CHART_NODES},
        .run = secret_is_shared},
    {.code = "SEI5002",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "two Secrets hold the same consensus key",
        .fine = "no two Secrets of signing nodes hold the same consensus key",
        .about = "Under another name or in another namespace, it is the same key: both nodes sign "
                 "every height, which is slashed and jailed for good. Stop one of them now. Keys "
                 "are compared by a hash that is neither shown nor kept.",
        .fix = PAUSE,
        .needs = {CHART_NODES, CHART_SECRETS},
        .run = key_is_shared},
    {.code = "SEI5003",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "a Secret of a validator is missing",
        .fine = "no Secret of a validator is missing",
        .about = "A pod that runs has its keys in memory and runs on; it cannot be started again.",
        .fix = "kubectl get secret {other} -n {namespace}",
        .other_is = "SECRET",
        .needs = {CHART_NODES, CHART_SECRETS},
        .run = secret_is_missing},
    {.code = "SEI5004",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "a fleet would sign with one key on several nodes",
        .fine = "no fleet would sign with one key on several nodes",
        .about = "The schema of this release refuses such a fleet; this one was stored before, or "
                 "by a schema without that rule (SEI1204). A pause stops all signing and deletes "
                 "nothing. A scale-down is no way out: it is done after the pause, when all nodes "
                 "have started again, and deletes the volumes of those that go unless "
                 "deletionPolicy is Retain; one of them may hold the highest height that was "
                 "signed (priv_validator_state.json).",
        .fix = "kubectl sei pause fleet/{name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = fleet_shares_a_key},
    {.code = "SEI5005",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_WARNING,
        .title = "two nodes have the same node key",
        .fine = "no two running nodes have the same node key",
        .about = "Peers take both for one node and drop whichever came first: neither keeps its "
                 "connections.",
        .fix = "kubectl sei status node/{name} -n {namespace}",
        .needs = {CHART_NODES, CHART_SECRETS},
        .run = identity_is_shared},
    {.code = "SEI5006",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "a Secret of a validator lacks its file",
        .fine = "no Secret of a validator lacks its file",
        .about = "A consensus key is in priv_validator_key.json, the key of a node's identity in "
                 "node_key.json; under another name seid does not find it, and makes a new one.",
        .fix = "kubectl describe secret {other} -n {namespace}",
        .other_is = "SECRET",
        .needs = {CHART_NODES, CHART_SECRETS},
        .run = secret_has_no_key},
    {.code = "SEI5007",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_ERROR,
        .title = "an autoscaler scales validators",
        .fine = "no autoscaler scales validators",
        .about = "More validators do not validate more: each is a stake of its own, and those with "
                 "one key are slashed. Take it away where it comes from, and look at the replicas "
                 "first: a scale-down deletes the volumes of those that go unless deletionPolicy "
                 "is Retain.",
        .fix = "kubectl get horizontalpodautoscalers -n {namespace}",
        .needs = {CHART_FLEETS, CHART_SCALERS},
        .run = scaler_has_validators},
    {.code = "SEI5008",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_WARNING,
        .title = "a paused node names the Secret of another's consensus key",
        .fine = "no paused node names the Secret of another's consensus key",
        .about = LEAVE_IT_PAUSED,
        .fix = "kubectl sei status node/{name} -n {namespace}",
        .needs = {CHART_NODES},
        .run = stopped_one_shares_a_secret},
    {.code = "SEI5009",
        .area = AREA_VALIDATORS,
        .severity = SEVERITY_WARNING,
        .title = "a paused node has the consensus key of another in its own Secret",
        .fine = "no paused node has the consensus key of another in its own Secret",
        .about = LEAVE_IT_PAUSED,
        .fix = "kubectl sei status node/{name} -n {namespace}",
        .needs = {CHART_NODES, CHART_SECRETS},
        .run = stopped_one_shares_a_key},
    {.code = NULL},
};
