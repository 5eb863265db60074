/* The two hashes of a template: the reference's, digit for digit, and ours: for every field,
 * whether a pod is replaced for it. */
#include "sei/api/fleet_hash.h"

#include "tests/sei/fleets.h"

enum { ARENA_MAX = 4 << 20 };

static const struct {
    const char *name, *patch, *want;
} vectors[] = {
    {"v1", "{}", "9c13d843e3cbbdb0"},
    {"v2",
        "{spec: {template: {spec: {image: 'ghcr.io/sei-protocol/seid:v2.0.0'}}}}",
        "753bf0c944503efa"},
    {"v1 with a sidecar",
        "{spec: {template: {spec: {sidecar: {image: 'ghcr.io/sei-protocol/seictl:v0.0.29'}}}}}",
        "7983a3e92e5fd8a7"},
    {"a sidecar without an image",
        "{spec: {template: {spec: {sidecar: {port: 7000}}}}}",
        "9c13d843e3cbbdb0"},
};

TEST(the_template_hash_equals_that_of_the_go_operator)
{
    each_case(i, vectors) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_str(fleet_template_hash(a, &sample_fleet(a, vectors[i].patch)->spec), vectors[i].want);
    }
}

static const char *revision(Arena *a, const char *patch)
{
    const char *hash = NULL;

    then_ok(fleet_revision(a, sample_fleet(a, patch)->spec.template, &hash));
    return hash;
}

#define SPEC(fields)      "{spec: {template: {spec: {" fields "}}}}"
#define VALIDATOR(fields) SPEC("fullNode: null, validator: {" fields "}")
#define RESTART(time)                                                                              \
    "{spec: {template: {metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '" time      \
    "'}}}}}"

static const struct {
    const char *name, *patch;
    bool is_revision;
} fields[] = {
    {"nothing", "{}", false},
    {"image", SPEC("image: 'i:2'"), true},
    {"sidecar image", SPEC("sidecar: {image: 's'}"), true},
    {"sidecar port", SPEC("sidecar: {port: 7000}"), true},
    {"sidecar resources", SPEC("sidecar: {resources: {limits: {cpu: '1'}}}"), true},
    {"mode", SPEC("fullNode: null, archive: {}"), true},
    {"restart", RESTART("2026-01-02T03:04:05Z"), true},
    {"what is the default already", SPEC("sidecar: {port: 7777, resources: {}}"), false},
    {"chain", SPEC("chainId: 'd'"), false},
    {"peers", SPEC("peers: [{label: {selector: {a: 'b'}}}]"), false},
    {"overrides", SPEC("overrides: {a: 'b'}"), false},
    {"external address", SPEC("externalAddress: 'h:1'"), false},
    {"pod labels", SPEC("podLabels: {a: 'b'}"), false},
    {"pause", SPEC("paused: true"), false},
    {"snapshot", SPEC("fullNode: {snapshot: {stateSync: {}}}"), false},
    {"labels", "{spec: {template: {metadata: {labels: {a: 'b'}}}}}", false},
    {"annotations", "{spec: {template: {metadata: {annotations: {a: 'b'}}}}}", false},
    {"replicas", "{spec: {replicas: 7}}", false},
    {"generation", "{metadata: {generation: 9}}", false},
};

TEST(the_revision_of_a_fleet_changes_with_each_field_that_pods_are_replaced_for)
{
    SCOPED_ARENA base = arena_open(ARENA_MAX);
    const char *plain = revision(base, "{}");

    then_int(strlen(plain), 16);
    each_case(i, fields) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_int(!str_eq(revision(a, fields[i].patch), plain), fields[i].is_revision);
    }
}

static const struct {
    const char *name, *patch;
    bool is_revision;
} keys[] = {
    {"signing key", VALIDATOR("signingKey: {secret: {secretName: 's'}}"), true},
    {"node key", VALIDATOR("nodeKey: {secret: {secretName: 's'}}"), true},
    {"keyring", VALIDATOR("operatorKeyring: {secret: {secretName: 's'}}"), true},
    {"passphrase",
        VALIDATOR("operatorKeyring: {secret: {passphraseSecretRef: {secretName: 's'}}}"),
        true},
    {"key of the passphrase",
        VALIDATOR("operatorKeyring: {secret: {passphraseSecretRef: {key: 'k'}}}"),
        true},
    {"snapshot", VALIDATOR("snapshot: {stateSync: {}}"), false},
};

TEST(the_secrets_of_a_validator_are_part_of_the_revision_of_its_fleet)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *seen[array_count(keys)] = {0};

    each_case(i, keys) {
        seen[i] = revision(a, keys[i].patch);
        then_int(!str_eq(seen[i], revision(a, VALIDATOR(""))), keys[i].is_revision);
        for (size_t j = 0; keys[i].is_revision && j < i; j++)
            then_true(!str_eq(seen[i], seen[j]));
    }
}

/* It stands in stored objects: another value would roll every fleet. */
TEST(the_revision_of_a_template_stays_the_same_across_releases)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    then_str(revision(a, "{}"), "233ffcc0916481a8");
}

TEST(a_template_that_cannot_be_decoded_has_no_revision)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *hash = NULL;

    then_err(fleet_revision(a, json_fixture(a, "{spec: {chainId: 'c'}}"), &hash),
        TERMINAL(".spec.image is missing"));
}

#define ASKED(time)    "metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '" time "'}}"
#define HONOURED(time) "status: {restartedAt: '" time "'}"

static const struct {
    const char *name, *child, *template;
    bool is_on_it;
} restarts[] = {
    {"none", "{}", "{}", true},
    {"another image", "{spec: {image: 'i:0'}}", "{}", false},
    {"not asked of the child yet", "{}", RESTART("2026-01-02T00:00:00Z"), false},
    {"asked", "{" ASKED("2026-01-02T00:00:00Z") "}", RESTART("2026-01-02T00:00:00Z"), true},
    {"honoured", "{" HONOURED("2026-01-02T00:00:00Z") "}", RESTART("2026-01-02T00:00:00Z"), true},
    {"asked of the child alone, later",
        "{" ASKED("2026-01-03T00:00:00Z") "}",
        RESTART("2026-01-02T00:00:00Z"),
        true},
    {"asked of the child alone, before",
        "{" ASKED("2026-01-01T00:00:00Z") "}",
        RESTART("2026-01-02T00:00:00Z"),
        false},
    {"asked of the child alone", "{" ASKED("2026-01-01T00:00:00Z") "}", "{}", true},
    {"a word", "{" ASKED("now") "}", RESTART("2026-01-02T00:00:00Z"), false},
};

static const Json *child_object(Arena *a, const char *change)
{
    return json_merge(a,
        json_fixture(a,
            "{metadata: {name: 'rpc-0'}, spec: {chainId: 'other', fullNode: {},"
            " image: 'ghcr.io/sei-protocol/seid:v1.0.0'}}"),
        json_fixture(a, change));
}

TEST(a_child_is_on_the_revision_that_its_template_and_its_restart_time_give)
{
    each_case(i, restarts) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Fleet *fleet = sample_fleet(a, restarts[i].template);
        SeiNode *child = arena_new(a, SeiNode);
        const char *want = NULL;

        then_ok(node_decode(a, child_object(a, restarts[i].child), child));
        then_ok(fleet_revision(a, fleet->spec.template, &want));
        then_int(str_eq(fleet_child_revision(a, child, fleet->spec.template), want),
            restarts[i].is_on_it);
    }
}

/* --- templates of before, of which only the hash is known --- */

static const struct {
    const char *name, *child, *template;
    bool tells;
    const char *restart;
} tellers[] = {
    {"no restart", "{}", "{}", true, NULL},
    {"no restart, of a child that was restarted",
        "{" HONOURED("2026-01-02T00:00:00Z") "}",
        "{}",
        true,
        NULL},
    {"the one that was honoured last",
        "{" HONOURED("2026-01-02T00:00:00Z") "}",
        RESTART("2026-01-02T00:00:00Z"),
        true,
        "2026-01-02T00:00:00Z"},
    {"the one that is asked for, and was honoured long ago",
        "{" ASKED("2026-01-02T00:00:00Z") ", " HONOURED("2026-01-03T00:00:00Z") "}",
        RESTART("2026-01-02T00:00:00Z"),
        true,
        "2026-01-02T00:00:00Z"},
    {"one that the child does not know",
        "{" HONOURED("2026-01-03T00:00:00Z") "}",
        RESTART("2026-01-02T00:00:00Z"),
        false,
        NULL},
    {"of another image", "{spec: {image: 'i:0'}}", "{}", false, NULL},
};

TEST(the_restart_time_of_a_revision_is_read_from_a_child_that_is_on_it)
{
    each_case(i, tellers) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        SeiNode *child = arena_new(a, SeiNode);
        const char *told = NULL;

        then_ok(node_decode(a, child_object(a, tellers[i].child), child));
        then_int(fleet_child_tells_restart(a, child, revision(a, tellers[i].template), &told),
            tellers[i].tells);
        then_str(told, tellers[i].restart);
    }
}

/* The restart is known by then: from a sibling, as a rule. */
TEST(a_child_that_was_restarted_later_still_belongs_to_the_revision_of_the_earlier_restart)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *before = revision(a, RESTART("2026-01-02T00:00:00Z"));
    SeiNode *later = arena_new(a, SeiNode), *never = arena_new(a, SeiNode);

    then_ok(node_decode(a, child_object(a, "{" HONOURED("2026-01-03T00:00:00Z") "}"), later));
    then_ok(node_decode(a, child_object(a, "{}"), never));
    then_true(fleet_child_is_of(a, later, before, "2026-01-02T00:00:00Z"));
    then_true(!fleet_child_is_of(a, never, before, "2026-01-02T00:00:00Z"));
    then_true(fleet_child_is_of(a, later, revision(a, "{}"), NULL));
}

/* --- what a fleet has let a child roll to --- */

#define OWNED_BY(kind, fleet)                                                                      \
    "ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: '" kind "', name: '" fleet            \
    "', uid: 'u', controller: true}]"

static const struct {
    const char *name, *child;
    bool bears_it, is_unreleased;
} releases[] = {
    {"written by its fleet", "{metadata: {" OWNED_BY("SeiNodeDeployment", "rpc") "}}", true, false},
    {"not written by its fleet",
        "{metadata: {" OWNED_BY("SeiNodeDeployment", "rpc") "}}",
        false,
        true},
    {"edited after that",
        "{metadata: {" OWNED_BY("SeiNodeDeployment", "rpc") "}, spec: {image: 'i:0'}}",
        true,
        true},
    {"restarted by a person",
        "{metadata: {" OWNED_BY("SeiNodeDeployment",
            "rpc") ", annotations: {'kubectl.kubernetes.io/restartedAt': 'now'}}}",
        true,
        false},
    {"edited in what no pod is replaced for",
        "{metadata: {" OWNED_BY("SeiNodeDeployment", "rpc") "}, spec: {overrides: {x: '1'}}}",
        true,
        false},
    {"a child without an owner", "{}", false, false},
    {"of something else", "{metadata: {" OWNED_BY("SeiNetwork", "rpc") "}}", false, false},
    {"not named as a child is",
        "{metadata: {" OWNED_BY("SeiNodeDeployment", "other") "}}",
        false,
        false},
};

TEST(a_child_is_released_only_for_the_spec_that_its_fleet_wrote)
{
    each_case(i, releases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *made = json_fixture(
            a, "{metadata: {name: 'rpc-0'}, spec: {chainId: 'c', fullNode: {}, image: 'i:1'}}");
        SeiNode *node = arena_new(a, SeiNode), *child = arena_new(a, SeiNode);

        then_ok(node_decode(a, made, node));
        then_ok(node_decode(a, json_merge(a, made, json_fixture(a, releases[i].child)), child));
        child->released_spec = releases[i].bears_it ? fleet_released_spec(a, &node->spec) : NULL;
        then_int(fleet_child_is_unreleased(child), releases[i].is_unreleased);
    }
}
