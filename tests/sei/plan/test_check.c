/* Specs that the schema lets through and that cannot be carried out. */
#include "sei/reconcile/peers.h"
#include "tests/sei/plan/given.h"

#include <stdio.h>
#include <string.h>

#define ARCHIVE(block) "{spec: {fullNode: null, archive: {" block "}}}"
#define REPLAYER(block)                                                                            \
    "{spec: {fullNode: null, peers: [{static: {addresses: ['a@b:1']}}], replayer: {" block "}}}"
#define VALIDATOR(block) "{spec: {fullNode: null, validator: {" block "}}}"
#define SIGNING(name)    "signingKey: {secret: {secretName: '" name "'}}"
#define NODE(name)       "nodeKey: {secret: {secretName: '" name "'}}"
#define KEYRING(name, passphrase)                                                                  \
    "operatorKeyring: {secret: {secretName: '" name                                                \
    "', passphraseSecretRef: {secretName: '" passphrase "', key: 'word'}}}"
#define GENESIS(chain, stake)                                                                      \
    "genesisCeremony: {chainId: '" chain "', stakingAmount: '" stake                               \
    "', accountBalance: '9usei', index: 0}"

static const struct {
    const char *name, *spec;
    Want want;
} cases[] = {
    {"a full node", "{}"},
    {"no mode", "{spec: {fullNode: null}}", TERMINAL("no mode sub-spec set on SeiNode n/a")},
    {"two modes", "{spec: {archive: {}}}", TERMINAL("exactly one of")},
    {"a bootstrap image without a snapshot",
        "{spec: {fullNode: {snapshot: {stateSync: {}, bootstrapImage: 'x'}}}}",
        TERMINAL("fullNode: bootstrapImage requires s3")},
    {"a bootstrap image with height 0",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 0}, bootstrapImage: 'x'}}}}",
        TERMINAL("fullNode: bootstrapImage requires s3")},
    {"a bootstrap Job",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: 'x'}}}}",
        OKAY},
    {"snapshots of no kind",
        "{spec: {fullNode: {snapshotGeneration: {}}}}",
        TERMINAL("fullNode: snapshotGeneration is set but has no sub-struct")},
    {"snapshots that are gone before they are published",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1, publish: {}}}}}}",
        TERMINAL("keepRecent must be >= 2")},
    {"published snapshots",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 2, publish: {}}}}}}"},
    {"snapshots for oneself",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1}}}}}"},

    {"an archive", ARCHIVE("")},
    {"an archive with snapshots of no kind",
        ARCHIVE("snapshotGeneration: {}"),
        TERMINAL("archive: snapshotGeneration is set but has no sub-struct")},
    {"an archive that publishes what is gone",
        ARCHIVE("snapshotGeneration: {tendermint: {keepRecent: 1, publish: {}}}"),
        TERMINAL("archive: snapshotGeneration.tendermint.keepRecent must be >= 2")},
    {"an archive that publishes",
        ARCHIVE("snapshotGeneration: {tendermint: {keepRecent: 2, publish: {}}}")},

    {"a replayer", REPLAYER("snapshot: {s3: {targetHeight: 5}}")},
    {"a replayer of nothing", REPLAYER(""), TERMINAL("replayer: snapshot.s3 is required")},
    {"a replayer by state sync",
        REPLAYER("snapshot: {stateSync: {}}"),
        TERMINAL("replayer: snapshot.s3 is required")},
    {"a replayer from height 0",
        REPLAYER("snapshot: {s3: {targetHeight: 0}}"),
        TERMINAL("replayer: snapshot.s3.targetHeight")},
    {"a replayer without peers",
        "{spec: {fullNode: null, replayer: {snapshot: {s3: {targetHeight: 5}}}}}",
        TERMINAL("replayer: peers are required")},
    {"a replayer with an empty list of peers",
        "{spec: {fullNode: null, peers: [], replayer: {snapshot: {s3: {targetHeight: 5}}}}}",
        TERMINAL("replayer: peers are required")},
    {"a replayer that exports nothing",
        REPLAYER("snapshot: {s3: {targetHeight: 5}}, resultExport: {}"),
        TERMINAL("replayer: resultExport is set but has no sub-struct")},
    {"a replayer that exports",
        REPLAYER("snapshot: {s3: {targetHeight: 5}},"
                 " resultExport: {shadowResult: {canonicalRpc: 'http://x'}}")},

    {"a validator", VALIDATOR("")},
    {"a validator with keys", VALIDATOR(SIGNING("s") ", " NODE("n"))},
    {"a validator with all its keys",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " KEYRING("k", "p"))},
    {"a validator with a keyring only", VALIDATOR(KEYRING("k", "p"))},
    {"a ceremony with a signing key",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " GENESIS("c", "1usei")),
        TERMINAL("validator: signingKey and genesisCeremony")},
    {"a signing key from nowhere",
        VALIDATOR("signingKey: {}, " NODE("n")),
        TERMINAL("validator: signingKey.secret.secretName is required")},
    {"a signing key alone",
        VALIDATOR(SIGNING("s")),
        TERMINAL("validator: signingKey requires nodeKey")},
    {"a node key from nowhere",
        VALIDATOR(SIGNING("s") ", nodeKey: {}"),
        TERMINAL("validator: nodeKey.secret.secretName is required")},
    {"a node key alone", VALIDATOR(NODE("n")), TERMINAL("validator: nodeKey requires signingKey")},
    {"two keys in one Secret",
        VALIDATOR(SIGNING("s") ", " NODE("s")),
        TERMINAL("validator: signingKey and nodeKey must")},
    {"a keyring from nowhere",
        VALIDATOR("operatorKeyring: {}"),
        TERMINAL("validator: operatorKeyring.secret needs")},
    {"a keyring without a passphrase",
        VALIDATOR("operatorKeyring: {secret: {secretName: 'k'}}"),
        TERMINAL("validator: operatorKeyring.secret needs")},
    {"a keyring beside its passphrase",
        VALIDATOR(KEYRING("k", "k")),
        TERMINAL("validator: operatorKeyring secret must be another Secret than that of "
                 "passphraseSecretRef")},
    {"a keyring beside the signing key",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " KEYRING("s", "p")),
        TERMINAL("validator: operatorKeyring secret must be another Secret than that of "
                 "signingKey")},
    {"a keyring beside the node key",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " KEYRING("n", "p")),
        TERMINAL("validator: operatorKeyring secret must be another Secret than that of nodeKey")},
    {"a passphrase beside the signing key",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " KEYRING("k", "s")),
        TERMINAL("validator: operatorKeyring passphraseSecretRef must be another Secret than that "
                 "of signingKey")},
    {"a passphrase beside the node key",
        VALIDATOR(SIGNING("s") ", " NODE("n") ", " KEYRING("k", "n")),
        TERMINAL("validator: operatorKeyring passphraseSecretRef must be another Secret than that "
                 "of nodeKey")},
    {"a ceremony", VALIDATOR(GENESIS("c", "1usei"))},
    {"a ceremony with a keyring", VALIDATOR(GENESIS("c", "1usei") ", " KEYRING("k", "p"))},
    {"a ceremony of no chain",
        VALIDATOR(GENESIS("", "1usei")),
        TERMINAL("validator: genesisCeremony.chainId is required")},
    {"a ceremony with nothing at stake",
        VALIDATOR(GENESIS("c", "")),
        TERMINAL("validator: genesisCeremony.stakingAmount is required")},
    {"a ceremony without a balance",
        VALIDATOR("genesisCeremony: {chainId: 'c', stakingAmount: '1usei', index: 0}"),
        TERMINAL("validator: genesisCeremony.accountBalance is required")},
    {"a ceremony does not look at the snapshot",
        VALIDATOR(GENESIS("c", "1usei") ", snapshot: {stateSync: {}, bootstrapImage: 'x'}")},
    {"a validator with a bootstrap image and no snapshot",
        VALIDATOR("snapshot: {stateSync: {}, bootstrapImage: 'x'}"),
        TERMINAL("validator: bootstrapImage requires s3")},
};

TEST(a_spec_that_the_schema_accepts_but_the_operator_cannot_apply_is_refused)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Planned *p = given(a, &(Given){.fresh = true, .node = cases[i].spec});

        then_err(plan_check_spec(a, &p->node), cases[i].want);
    }
}

#define BY_JOB "{snapshot: {s3: {targetHeight: 5}, bootstrapImage: 'x'}}"

TEST(a_spec_that_is_too_large_to_be_repeated_in_the_status_is_refused)
{
    static const struct {
        const char *name;
        int bytes;
        const char *rest;
        Want want;
    } sizes[] = {
        {"as big as may be", 239 << 10, "{}"},
        {"bigger", 241 << 10, "{}", TERMINAL("shorten overrides or peers")},
        {"as big as may be when there are two rounds", 175 << 10, BY_JOB},
        {"bigger than what two rounds can repeat",
            177 << 10,
            BY_JOB,
            TERMINAL("at most 180224 can be carried out with a bootstrapImage; shorten")},
    };

    each_case(i, sizes) {
        SCOPED_ARENA a = arena_open(16 << 20);
        char *text = arena_alloc(a, (size_t)sizes[i].bytes + 1);

        memset(text, 'x', (size_t)sizes[i].bytes);
        text[sizes[i].bytes] = '\0';
        Planned *p = given(a,
            &(Given){
                .fresh = true,
                .node = str_format(
                    a, "{spec: {overrides: {a: '%s'}, fullNode: %s}}", text, sizes[i].rest),
            });
        then_err(plan_check_spec(a, &p->node), sizes[i].want);
    }
}

/* --- the largest node there may be --- */

enum {
    OBJECT_MAX = 1536 << 10, /* what etcd stores */
    ANNOTATIONS = 256 << 10, /* what the server allows */
    THE_REST = 100 << 10,    /* conditions, history and what else is small */
    BOOK_EXTRA = 8,          /* of a key in the server's books of who set what: "f:key":{}, */
    NAME = 5,
    ENTRY = NAME + 6, /* "00000":"", */
};

/* As many keys as fit, without values: the books name every key. */
static const char *many_overrides(Arena *a, size_t bytes)
{
    char *text = arena_alloc(a, bytes + 1);
    size_t used = 0;

    for (unsigned i = 0; used + ENTRY < bytes; i++, used += ENTRY)
        snprintf(text + used, ENTRY + 1, "\"%05u\":\"\",", i % 100000U);
    text[used - 1] = '\0';
    return text;
}

static const char *many_peers(Arena *a)
{
    const char *peer =
        "'0123456789abcdef0123456789abcdef01234567@peer.sei.svc.cluster.local:26656'";
    size_t length = strlen(peer) + 1, used = 0;
    char *text = arena_alloc(a, PEERS_TEXT_MAX + length);

    for (; used < PEERS_TEXT_MAX - length; used += length)
        snprintf(text + used, length + 1, "%s,", peer);
    text[used - 1] = '\0';
    return text;
}

/* A set-up that applies its configuration, and is edited. */
static const char *edited_node(Arena *a, const char *mode, size_t bytes)
{
    return str_format(a,
        "{spec: {peers: [{label: {selector: {a: 'b'}}}], fullNode: %s, overrides: {%s}},"
        " status: {phase: 'Initializing', dataVolume: {name: 'data-a', uid: 'pvc-uid'},"
        "  resolvedPeers: [%s], plan: {id: 'old', kind: 'init', targetHash: 'before',"
        "  phase: 'Active', tasks: [{type: 'ensure-data-pvc', id: 'x', status: 'Complete'},"
        "  {type: 'config-apply', id: 'y', status: 'Pending', submittedAt: '" NOW "',"
        "   params: {mode: 'full', overrides: {a: 'before', %s}}}]}}}",
        mode,
        many_overrides(a, bytes),
        many_peers(a),
        many_overrides(a, (240 << 10) + PEERS_TEXT_MAX));
}

static int count_tasks(const Plan *plan, TaskType type)
{
    int count = 0;

    for (size_t i = 0; i < plan->task_count; i++)
        count += plan->tasks[i].type == type;
    return count;
}

TEST(the_status_of_the_largest_accepted_node_fits_into_one_object)
{
    static const struct {
        const char *name, *mode;
        size_t bytes;
        int rounds;
    } largest[] = {
        {"one round", "{}", 239 << 10, 1},
        {"two rounds", BY_JOB, 175 << 10, 2},
    };

    each_case(i, largest) {
        SCOPED_ARENA a = arena_open(256 << 20);
        Planned *p =
            plan_given(a, &(Given){.node = edited_node(a, largest[i].mode, largest[i].bytes)});
        const Plan *plan = &p->d.status.plan;

        then_str(stall_text(&p->d), "");
        then_int(count_tasks(plan, TASK_CONFIG_APPLY), largest[i].rounds + 1);
        then_int(count_tasks(plan, TASK_DISCOVER_PEERS), largest[i].rounds);
        size_t spec = json_write(a, json_find(p->node.object, ".spec")).len;
        size_t status = json_write(a, node_status_encode(a, &p->d.status)).len;
        size_t books = json_count(p->node.spec.overrides) * (NAME + BOOK_EXTRA);
        print_message(
            "# %s: %zu KiB of spec, %zu of status\n", largest[i].name, spec >> 10, status >> 10);
        then_true(status > largest[i].bytes * (size_t)largest[i].rounds + (240 << 10));
        then_true(spec + status + books + ANNOTATIONS + THE_REST < OBJECT_MAX);
    }
}
