/* Reading a SeiNodeDeployment: what is absent has the meaning that the schema gives it, and what
 * makes no sense is told with its path. */
#include "sei/api/fleet.h"

#include "tests/sei/fleets.h"

enum { ARENA_MAX = 4 << 20 };

TEST(absent_fields_of_a_fleet_spec_take_the_defaults_of_the_schema)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Fleet *fleet = sample_fleet(a, "{spec: {replicas: null}}");
    const FleetStrategy *strategy = &fleet->spec.strategy;

    then_str(fleet->key.name, "rpc");
    then_str(fleet->key.namespace, "sei");
    then_str(fleet->uid, FLEET_UID);
    then_int(fleet->generation, 3);
    then_true(!fleet->deleting && !fleet->retry);
    then_int(fleet->spec.replicas, 1);
    then_str(strategy->type, "InPlace");
    then_int(strategy->max_unavailable.value, 1);
    then_true(!strategy->max_unavailable.percent);
    then_int(strategy->partition, 0);
    then_int(strategy->min_ready_seconds, 0);
    then_int(strategy->progress_deadline_seconds, 1800);
    then_true(!strategy->hold && !strategy->rolls_back);
    then_true(!fleet->spec.retains && !fleet->spec.paused && !fleet->spec.genesis.is_set);
    then_true(!fleet->spec.has_http && !fleet->spec.has_tcp);
}

TEST(every_field_of_a_fleet_spec_is_decoded)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Fleet *fleet = sample_fleet(a,
        "{metadata: {annotations: {'sei.io/retry': '2'}, deletionTimestamp: 't'},"
        " spec: {replicas: 100, deletionPolicy: 'Retain', paused: true,"
        "  updateStrategy: {type: 'InPlace', maxUnavailable: '25%', partition: 7, hold: true,"
        "   minReadySeconds: 30, progressDeadlineSeconds: 60, onFailure: 'Rollback'},"
        "  networking: {http: {}, tcp: {}},"
        "  genesis: {chainId: 'g', stakingAmount: '1usei', accountBalance: '2usei',"
        "   accounts: [{address: 'sei1', balance: '3usei'}], overrides: {'a.b': 1},"
        "   maxCeremonyDuration: '15m'},"
        "  template: {metadata: {annotations: {k: 'v'}},"
        "   spec: {fullNode: null, validator: {}, sidecar: {image: 's:1'}}}}}");
    const FleetSpec *spec = &fleet->spec;

    then_str(fleet->retry, "2");
    then_true(fleet->deleting);
    then_int(spec->replicas, 100);
    then_true(spec->retains && spec->paused && spec->has_http && spec->has_tcp);
    then_int(spec->strategy.max_unavailable.value, 25);
    then_true(spec->strategy.max_unavailable.percent);
    then_int(spec->strategy.partition, 7);
    then_int(spec->strategy.min_ready_seconds, 30);
    then_int(spec->strategy.progress_deadline_seconds, 60);
    then_true(spec->strategy.hold && spec->strategy.rolls_back);
    then_true(spec->genesis.is_set);
    then_str(spec->genesis.chain_id, "g");
    then_str(spec->genesis.staking_amount, "1usei");
    then_str(spec->genesis.account_balance, "2usei");
    then_int(json_count(spec->genesis.accounts), 1);
    then_int(json_count(spec->genesis.overrides), 1);
    then_str(spec->genesis.duration_max, "15m");
    then_json(spec->labels, "{team: 'infra'}");
    then_json(spec->annotations, "{k: 'v'}");
    then_str(json_str(spec->template, ".spec.chainId"), "pacific-1");
    then_int(spec->node.mode, MODE_VALIDATOR);
    then_str(spec->node.image, "ghcr.io/sei-protocol/seid:v1.0.0");
    then_str(spec->node.sidecar_image, "s:1");
}

TEST(a_genesis_without_amounts_takes_the_amounts_of_the_schema)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Fleet *fleet = sample_fleet(
        a, "{spec: {genesis: {chainId: 'g'}, template: {spec: {fullNode: null, validator: {}}}}}");

    then_str(fleet->spec.genesis.staking_amount, "10000000usei");
    then_true(str_has_prefix(fleet->spec.genesis.account_balance, "1000000000000000000000usei,"));
    then_str(fleet->spec.genesis.duration_max, NULL);
}

static const struct {
    const char *name, *patch;
    bool http, tcp;
} tiers[] = {
    {"none", "{}"},
    {"null", "{spec: {networking: null}}"},
    {"empty means http", "{spec: {networking: {}}}", true, false},
    {"http", "{spec: {networking: {http: {}}}}", true, false},
    {"tcp", "{spec: {networking: {tcp: {}}}}", false, true},
    {"both", "{spec: {networking: {http: {}, tcp: {}}}}", true, true},
};

TEST(a_networking_tier_of_a_fleet_is_enabled_by_its_presence)
{
    each_case(i, tiers) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Fleet *fleet = sample_fleet(a, tiers[i].patch);
        then_int(fleet->spec.has_http, tiers[i].http);
        then_int(fleet->spec.has_tcp, tiers[i].tcp);
    }
}

static const struct {
    const char *name, *strategy;
    int64_t value;
    bool percent;
} budgets[] = {
    {"a number", "{maxUnavailable: 3}", 3},
    {"a number as text", "{maxUnavailable: '3'}", 3},
    {"a share", "{maxUnavailable: '40%'}", 40, true},
    {"null", "{maxUnavailable: null}", 1},
    {"no strategy at all", "null", 1},
    {"a strategy without type", "{type: ''}", 1},
};

TEST(max_unavailable_is_a_number_or_a_percentage)
{
    each_case(i, budgets) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Fleet *fleet =
            sample_fleet(a, str_format(a, "{spec: {updateStrategy: %s}}", budgets[i].strategy));
        then_int(fleet->spec.strategy.max_unavailable.value, budgets[i].value);
        then_int(fleet->spec.strategy.max_unavailable.percent, budgets[i].percent);
        then_str(fleet->spec.strategy.type, "InPlace");
    }
}

static const struct {
    const char *name, *patch;
    Want want;
} refused[] = {
    {"no template", "{spec: {template: null}}", TERMINAL(".spec.template is missing")},
    {"a template without image",
        "{spec: {template: {spec: {image: null}}}}",
        TERMINAL(".spec.template.spec.image is missing")},
    {"a mode that is no object",
        "{spec: {template: {spec: {fullNode: 3}}}}",
        TERMINAL(".spec.template.spec.fullNode: expected an object")},
    {"a label that is no text",
        "{spec: {template: {metadata: {labels: {a: 1}}}}}",
        TERMINAL(".spec.template.metadata.labels['a']: expected a string")},
    {"an annotation that is no text",
        "{spec: {template: {metadata: {annotations: {a: 1}}}}}",
        TERMINAL(".spec.template.metadata.annotations['a']: expected a string")},
    {"no replicas",
        "{spec: {replicas: 0}}",
        TERMINAL(".spec.replicas: expected a number from 1 to 100, found 0")},
    {"too many replicas", "{spec: {replicas: 101}}", TERMINAL("found 101")},
    {"another strategy",
        "{spec: {updateStrategy: {type: 'BlueGreen'}}}",
        TERMINAL(".spec.updateStrategy.type: expected InPlace, found BlueGreen")},
    {"a budget of nonsense",
        "{spec: {updateStrategy: {maxUnavailable: 'half'}}}",
        TERMINAL(".spec.updateStrategy.maxUnavailable: \"half\" is neither")},
    {"a negative budget",
        "{spec: {updateStrategy: {maxUnavailable: -1}}}",
        TERMINAL(".spec.updateStrategy.maxUnavailable: -1 is neither")},
    {"a negative partition",
        "{spec: {updateStrategy: {partition: -1}}}",
        TERMINAL(".spec.updateStrategy.partition: expected a number from 0")},
    {"a negative time",
        "{spec: {updateStrategy: {minReadySeconds: -1}}}",
        TERMINAL(".spec.updateStrategy.minReadySeconds: expected a number from 0")},
    {"no deadline",
        "{spec: {updateStrategy: {progressDeadlineSeconds: 0}}}",
        TERMINAL(".spec.updateStrategy.progressDeadlineSeconds: expected a number from 1")},
    {"another end",
        "{spec: {updateStrategy: {onFailure: 'Cry'}}}",
        TERMINAL(".spec.updateStrategy.onFailure: expected Hold or Rollback, found Cry")},
    {"another policy",
        "{spec: {deletionPolicy: 'Burn'}}",
        TERMINAL(".spec.deletionPolicy: expected Delete or Retain, found Burn")},
    {"a genesis without chain",
        "{spec: {genesis: {}}}",
        TERMINAL(".spec.genesis.chainId is missing")},
    {"a genesis of an empty chain",
        "{spec: {genesis: {chainId: ''}}}",
        TERMINAL(".spec.genesis.chainId is empty")},
    {"a genesis that is no object",
        "{spec: {genesis: 1}}",
        TERMINAL(".spec.genesis: expected an object")},
    {"networking that is no object",
        "{spec: {networking: 1}}",
        TERMINAL(".spec.networking: expected an object")},
    {"a status that is no object", "{status: 1}", TERMINAL(".status: expected an object")},
};

TEST(an_invalid_field_of_a_fleet_spec_is_refused_with_its_path)
{
    each_case(i, refused) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Fleet *fleet = arena_new(a, Fleet);
        then_err(fleet_decode(a, sample_fleet_object(a, refused[i].patch), fleet), refused[i].want);
        then_str(fleet->key.name, "rpc");
    }
}

TEST(an_invalid_fleet_spec_does_not_hide_the_status)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Fleet *fleet = arena_new(a, Fleet);
    const Json *object =
        sample_fleet_object(a, "{spec: {replicas: 0}, status: {phase: 'Upgrading'}}");

    then_err(fleet_decode(a, object, fleet), TERMINAL("replicas"));
    then_int(fleet->status.phase, FLEET_UPGRADING);
}

static const struct {
    const char *name, *node;
    int64_t want;
} children[] = {
    {"a child",
        "{metadata: {name: 'rpc-2', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '2'}}}",
        2},
    {"of another fleet",
        "{metadata: {name: 'rpc-2', labels: {'sei.io/nodedeployment': 'rp',"
        " 'sei.io/nodedeployment-ordinal': '2'}}}",
        -1},
    {"of another name",
        "{metadata: {name: 'rpc-3', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '2'}}}",
        -1},
    {"another spelling",
        "{metadata: {name: 'rpc-02', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '02'}}}",
        -1},
    {"a word",
        "{metadata: {name: 'rpc-x', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': 'x'}}}",
        -1},
    {"a negative one",
        "{metadata: {name: 'rpc--1', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '-1'}}}",
        -1},
    {"without labels", "{metadata: {name: 'rpc-2'}}", -1},
};

TEST(a_seinode_is_a_child_of_a_fleet_if_its_name_and_its_labels_match)
{
    each_case(i, children) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_int(
            fleet_child_ordinal(a, "rpc", json_fixture(a, children[i].node)), children[i].want);
    }
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    then_str(fleet_child_name(a, "rpc", 12), "rpc-12");
}

static const struct {
    const char *name;
    int want;
} names[] = {{"rpc-12", 12},
    {"rpc-0", 0},
    {"rpc-01", -1},
    {"rpc--1", -1},
    {"rpc", -1},
    {"rpc-x", -1},
    {"rpc-a-1", -1},
    {"xrpc-1", -1}};

TEST(the_ordinal_of_a_child_is_parsed_from_its_name)
{
    each_case(i, names) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_int(fleet_name_ordinal(a, "rpc", names[i].name), names[i].want);
    }
}
