/* What is stored in plans, by either operator, and what goes over the wire. */
#include "sei/task/sidecar_params.h"
#include "tests/test.h"

static const struct {
    const char *name;
    TaskType type;
    const char *stored, *wire;
    Want want;
} cases[] = {
    {"a height as the Go operator stores it",
        TASK_SNAPSHOT_RESTORE,
        "{TargetHeight: 7}",
        "{targetHeight: 7}"},
    {"a height in the other case", TASK_SNAPSHOT_RESTORE, "{targetHeight: 7}", "{targetHeight: 7}"},
    {"no height", TASK_SNAPSHOT_RESTORE, "{TargetHeight: 0}"},
    {"a genesis", TASK_CONFIGURE_GENESIS, "{ExpectedGenesisHash: ''}"},
    {"a check", TASK_CONFIG_VALIDATE, "{}"},
    {"an approval", TASK_MARK_READY},
    {"a configuration",
        TASK_CONFIG_APPLY,
        "{mode: 'full', overrides: {'logging.level': 'info'}}",
        "{mode: 'full', incremental: false, targetVersion: 0,"
        " overrides: {'logging.level': 'info'}}"},
    {"a configuration without overrides",
        TASK_CONFIG_APPLY,
        "{Mode: 'archive', overrides: {}}",
        "{mode: 'archive', incremental: false, targetVersion: 0}"},
    {"a configuration of no mode",
        TASK_CONFIG_APPLY,
        "{overrides: {}}",
        .want = TERMINAL("mode is missing")},
    {"a configuration of another mode",
        TASK_CONFIG_APPLY,
        "{mode: 'light'}",
        .want = TERMINAL("mode is light")},
    {"an override that is no string",
        TASK_CONFIG_APPLY,
        "{mode: 'full', overrides: {a: 1}}",
        .want = TERMINAL("override a is no string")},
    {"overrides that are none",
        TASK_CONFIG_APPLY,
        "{mode: 'full', overrides: [1]}",
        .want = TERMINAL("no object")},
    {"peers",
        TASK_DISCOVER_PEERS,
        "{Sources: [{type: 'static', addresses: ['a']},"
        " {type: 'ec2Tags', region: 'r', tags: {k: 'v'}}]}",
        "{sources: [{type: 'static', addresses: ['a']},"
        " {type: 'ec2Tags', region: 'r', tags: {k: 'v'}}]}"},
    {"no peers", TASK_DISCOVER_PEERS, "{Sources: null}", .want = TERMINAL("no source")},
    {"peers without addresses",
        TASK_DISCOVER_PEERS,
        "{sources: [{type: 'static', addresses: []}]}",
        .want = TERMINAL("no addresses")},
    {"tags without a region",
        TASK_DISCOVER_PEERS,
        "{sources: [{type: 'ec2Tags', tags: {k: 'v'}}]}",
        .want = TERMINAL("needs a region")},
    {"peers from elsewhere",
        TASK_DISCOVER_PEERS,
        "{sources: [{type: 'dns'}]}",
        .want = TERMINAL("type dns")},
    {"a state sync",
        TASK_CONFIGURE_STATE_SYNC,
        "{UseLocalSnapshot: true, TrustPeriod: '9h', BackfillBlocks: 3, RpcServers: ['x']}",
        "{useLocalSnapshot: true, trustPeriod: '9h', backfillBlocks: 3, rpcServers: ['x']}"},
    {"a state sync of defaults",
        TASK_CONFIGURE_STATE_SYNC,
        "{UseLocalSnapshot: false, TrustPeriod: '', BackfillBlocks: 0}"},
    {"an upload", TASK_SNAPSHOT_UPLOAD, "{}"},
    {"peers of the genesis", TASK_SET_GENESIS_PEERS, "{}"},
    {"an identity",
        TASK_GENERATE_IDENTITY,
        "{ChainID: 'c-1', Moniker: 'v-0'}",
        "{chainId: 'c-1', moniker: 'v-0'}"},
    {"an identity without a chain",
        TASK_GENERATE_IDENTITY,
        "{ChainID: '', Moniker: 'v-0'}",
        .want = TERMINAL("generate-identity: chainId is missing")},
    {"an identity without a name",
        TASK_GENERATE_IDENTITY,
        "{ChainID: 'c-1'}",
        .want = TERMINAL("generate-identity: moniker is missing")},
    {"a first transaction",
        TASK_GENERATE_GENTX,
        "{ChainID: 'c-1', StakingAmount: '1usei', AccountBalance: '2usei'}",
        "{chainId: 'c-1', stakingAmount: '1usei', accountBalance: '2usei'}"},
    {"a first transaction of a number",
        TASK_GENERATE_GENTX,
        "{ChainID: 'c-1', StakingAmount: 1, AccountBalance: '2usei'}",
        .want = TERMINAL("generate-gentx: stakingAmount is missing")},
    {"a first transaction without a balance",
        TASK_GENERATE_GENTX,
        "{ChainID: 'c-1', StakingAmount: '1usei', AccountBalance: ''}",
        .want = TERMINAL("generate-gentx: accountBalance is missing")},
    {"artifacts", TASK_UPLOAD_GENESIS_ARTIFACTS, "{NodeName: 'v-0'}", "{nodeName: 'v-0'}"},
    {"artifacts without a node",
        TASK_UPLOAD_GENESIS_ARTIFACTS,
        "{}",
        .want = TERMINAL("upload-genesis-artifacts: nodeName is missing")},
    {"a genesis, what is empty left out",
        TASK_ASSEMBLE_GENESIS,
        "{AccountBalance: '5usei', Namespace: 'sei', Nodes: [{name: 'v-0'}], Accounts: [],"
        " Overrides: null}",
        "{accountBalance: '5usei', namespace: 'sei', nodes: [{name: 'v-0'}]}"},
    {"a genesis with all that it may have",
        TASK_ASSEMBLE_GENESIS,
        "{AccountBalance: '5usei', Namespace: 'sei', Nodes: [{name: 'v-0'}],"
        " Accounts: [{address: 'sei1', balance: '1usei'}], Overrides: {'a.b': [1, null]}}",
        "{accountBalance: '5usei', namespace: 'sei', nodes: [{name: 'v-0'}],"
        " accounts: [{address: 'sei1', balance: '1usei'}], overrides: {'a.b': [1, null]}}"},
    {"a genesis without nodes",
        TASK_ASSEMBLE_GENESIS,
        "{AccountBalance: '5usei', Namespace: 'sei', Nodes: []}",
        .want = TERMINAL("assemble-and-upload-genesis: there are no nodes")},
    {"a genesis without a balance",
        TASK_ASSEMBLE_GENESIS,
        "{Namespace: 'sei', Nodes: [{name: 'v-0'}]}",
        .want = TERMINAL("assemble-and-upload-genesis: accountBalance is missing")},
};

TEST(stored_task_parameters_are_converted_to_those_of_the_sidecar_api)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *stored = cases[i].stored ? json_fixture(a, cases[i].stored) : NULL;
        const Json *wire = NULL;

        then_err(sidecar_params(a, cases[i].type, stored, &wire), cases[i].want);

        then_json(wire, cases[i].wire);
    }
}
