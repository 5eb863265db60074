/* Every type of task: what it takes, what it leaves behind, how it fails. */
#include "tests/test.h"
#include "tests/world/sidecar_rig.h"

#include "world/sidecar_tasks.h"

enum { HOUR = 3600000 };

#define GOV      "'chainId':'pacific-1','keyName':'k','fees':'10usei','gas':200000"
#define PROPOSAL GOV ",'title':'t','description':'d','initialDeposit':'1usei'"

/* A world for one task: everything off unless said. */
typedef struct TaskCase {
    const char *name, *type, *params, *chain;
    unsigned files; /* on the volume beforehand */
    bool seid_up, keyring, peers;
    int version;        /* 0: the newest */
    const char *bucket; /* a key that is there */
    const char *error;  /* a phrase; NULL: it completes */
    const char *result; /* JSON, or NULL */
    unsigned leaves;    /* files that it made */
} TaskCase;

static const TaskCase cases[] = {
    {"mark-ready", "mark-ready"},
    {"mark-not-ready", "mark-not-ready"},
    {"stop-seid without seid", "stop-seid"},
    {"stop-seid", "stop-seid", .seid_up = true},
    {"restart-seid without a kubelet", "restart-seid", .error = "within 5m0s"},
    {"reset-data", "reset-data", .files = MARKER_STATE_SYNC, .result = "{wipedBytes: 0}"},
    {"reset-data under a serving seid", "reset-data", .seid_up = true, .error = "RPC is serving"},

    {"config-apply", "config-apply", "{'mode':'archive'}", .leaves = FILE_CONFIG | FILE_APP},
    {"config-apply of no mode", "config-apply", "{}", .error = "invalid mode"},
    {"config-apply of a number for a mode",
        "config-apply",
        "{'mode':5}",
        .error = "parsing params: json: cannot unmarshal number into Go struct field .mode"},
    {"config-apply with an override that is no string",
        "config-apply",
        "{'mode':'full','overrides':{'a.b':1}}",
        .error = "of type map[string]string"},
    {"config-apply, incremental, on nothing",
        "config-apply",
        "{'incremental':true}",
        .error = "no such file"},
    {"config-apply, incremental",
        "config-apply",
        "{'incremental':true}",
        .files = FILE_CONFIG | FILE_APP,
        .leaves = FILE_CONFIG | FILE_APP},
    {"config-patch", "config-patch", "{'files':{'app.toml':{'a':'b'}}}", .leaves = FILE_APP},
    {"config-patch of nothing", "config-patch", "{'files':{}}", .error = "files"},
    {"config-patch without parameters", "config-patch", .error = "files"},
    {"config-patch of a text", "config-patch", "{'files':{'x':'y'}}", .error = "not an object"},
    {"config-validate on a fresh home", "config-validate", .error = "no such file"},
    {"config-validate", "config-validate", .files = FILE_CONFIG | FILE_APP},
    {"config-reload",
        "config-reload",
        "{'fields':{'logging.level':'debug'}}",
        .files = FILE_CONFIG | FILE_APP},
    {"config-reload of a cold field",
        "config-reload",
        "{'fields':{'storage.x':'1'}}",
        .files = FILE_CONFIG | FILE_APP,
        .error = "not hot-reloadable"},
    {"config-reload on a fresh home",
        "config-reload",
        "{'fields':{'logging.level':'debug'}}",
        .error = "no such file"},

    {"configure-genesis of a known chain",
        "configure-genesis",
        .leaves = FILE_GENESIS | MARKER_GENESIS},
    {"configure-genesis of a known chain ignores the hash",
        "configure-genesis",
        "{'expectedGenesisHash':'00'}",
        .leaves = FILE_GENESIS},
    {"configure-genesis before the genesis is assembled",
        "configure-genesis",
        .chain = "my-1",
        .error = "object \"my-1/genesis.json\" not found"},
    {"configure-genesis",
        "configure-genesis",
        .chain = "my-1",
        .bucket = "my-1/genesis.json",
        .leaves = FILE_GENESIS | MARKER_GENESIS},
    {"configure-genesis of another hash",
        "configure-genesis",
        "{'expectedGenesisHash':'00'}",
        .chain = "my-1",
        .bucket = "my-1/genesis.json",
        .error = "verify-hash"},
    {"configure-state-sync without peers",
        "configure-state-sync",
        .error = "no peers in config.toml"},
    {"configure-state-sync by peers",
        "configure-state-sync",
        .peers = true,
        .leaves = MARKER_STATE_SYNC},
    {"configure-state-sync by servers",
        "configure-state-sync",
        "{'rpcServers':['a:26657']}",
        .leaves = MARKER_STATE_SYNC},
    {"snapshot-restore", "snapshot-restore", .leaves = MARKER_SNAPSHOT},
    {"snapshot-restore of a chain without one",
        "snapshot-restore",
        .chain = "my-1",
        .error = "no snapshot"},
    {"snapshot-restore below every snapshot",
        "snapshot-restore",
        "{'targetHeight':10}",
        .error = "no snapshot"},
    {"snapshot-restore of a text",
        "snapshot-restore",
        "{'targetHeight':'10'}",
        .error = "parsing params"},
    {"await-condition of nothing", "await-condition", "{}", .error = "condition"},
    {"await-condition of a height without height",
        "await-condition",
        "{'condition':'height'}",
        .error = "targetHeight"},
    {"await-condition of something strange",
        "await-condition",
        "{'condition':'peers'}",
        .error = "unknown condition"},
    {"await-condition of a height",
        "await-condition",
        "{'condition':'height','targetHeight':1200}",
        .seid_up = true},
    {"await-condition of catching up",
        "await-condition",
        "{'condition':'catchingUp'}",
        .seid_up = true},
    {"await-condition of catching up, in an old image",
        "await-condition",
        "{'condition':'catchingUp'}",
        .version = 60,
        .seid_up = true,
        .error = "unknown condition"},
    {"await-condition that ends seid",
        "await-condition",
        "{'condition':'height','targetHeight':1100,'action':'SIGTERM_SEID'}",
        .seid_up = true},

    {"generate-identity",
        "generate-identity",
        "{'chainId':'c','moniker':'m'}",
        .leaves = FILE_NODE_KEY | MARKER_IDENTITY},
    {"generate-identity without a moniker",
        "generate-identity",
        "{'chainId':'c'}",
        .error = "moniker"},
    {"generate-gentx",
        "generate-gentx",
        "{'chainId':'c','stakingAmount':'1usei','accountBalance':'2usei'}",
        .files = FILE_STAKING,
        .leaves = FILE_GENTX | MARKER_GENTX},
    {"generate-gentx on the bare genesis",
        "generate-gentx",
        "{'chainId':'c','stakingAmount':'1usei','accountBalance':'2usei'}",
        .error = "panicked",
        .leaves = FILE_GENTX_KEY},
    {"generate-gentx after half a run",
        "generate-gentx",
        "{'chainId':'c','stakingAmount':'1usei','accountBalance':'2usei'}",
        .files = FILE_STAKING | FILE_GENTX_KEY,
        .error = "already exists in keybase"},
    {"upload-genesis-artifacts",
        "upload-genesis-artifacts",
        "{'nodeName':'v-0'}",
        .files = FILE_GENTX,
        .leaves = MARKER_UPLOAD},
    {"upload-genesis-artifacts without a gentx",
        "upload-genesis-artifacts",
        "{'nodeName':'v-0'}",
        .error = "no gentx"},
    {"set-genesis-peers", "set-genesis-peers", .chain = "my-1", .bucket = "my-1/peers.json"},
    {"set-genesis-peers before the assembly",
        "set-genesis-peers",
        .chain = "my-1",
        .error = "not found"},
    {"assemble-and-upload-genesis",
        "assemble-and-upload-genesis",
        "{'accountBalance':'1usei','namespace':'sei','nodes':[{'name':'v-0'}]}",
        .chain = "my-1",
        .bucket = "my-1/v-0/gentx.json",
        .result = "{genesisHash: "
                  "'5e16f68dab6ed7f262e759d4da9132e6a4cd4eb86113edfb66c840141304e708'}",
        .leaves = MARKER_ASSEMBLE},
    {"assemble-and-upload-genesis without a node's gentx",
        "assemble-and-upload-genesis",
        "{'accountBalance':'1usei','namespace':'sei','nodes':[{'name':'v-1'}]}",
        .chain = "my-1",
        .bucket = "my-1/v-0/gentx.json",
        .error = "my-1/v-1/gentx.json"},
    {"assemble-and-upload-genesis, done before, says no hash",
        "assemble-and-upload-genesis",
        "{'accountBalance':'1usei','namespace':'sei','nodes':[{'name':'v-0'}]}",
        .files = MARKER_ASSEMBLE},
    {"assemble-and-upload-genesis after half a run",
        "assemble-and-upload-genesis",
        "{'accountBalance':'1usei','namespace':'sei','nodes':[{'name':'v-0'}],"
        "'accounts':[{'address':'a','balance':'1usei'}]}",
        .chain = "my-1",
        .bucket = "my-1/v-0/gentx.json",
        .files = FILE_ACCOUNTS,
        .error = "collides"},
    {"assemble-and-upload-genesis of no nodes",
        "assemble-and-upload-genesis",
        "{'accountBalance':'1usei','namespace':'sei','nodes':[]}",
        .error = "nodes"},

    {"snapshot-upload-once without snapshots",
        "snapshot-upload-once",
        .result = "{outcome: 'noop', noopReason: 'fewer-than-2-snapshots'}"},
    {"result-export", "result-export", "{'bucket':'b','region':'r'}"},
    {"result-export without a bucket", "result-export", "{'region':'r'}", .error = "bucket"},
    {"evm-logical-digest",
        "evm-logical-digest",
        "{'flatkvDir':'a','memiavlDir':'b','height':7,'bucket':'c','region':'d'}"},
    {"evm-logical-digest of height 0",
        "evm-logical-digest",
        "{'flatkvDir':'a','memiavlDir':'b','height':0,'bucket':'c','region':'d'}",
        .error = "height"},

    {"gov-vote without a keyring",
        "gov-vote",
        "{" GOV ",'proposalId':4,'option':'yes'}",
        .seid_up = true,
        .error = "keyring not configured"},
    {"gov-vote without seid",
        "gov-vote",
        "{" GOV ",'proposalId':4,'option':'yes'}",
        .keyring = true,
        .error = "connection refused"},
    {"gov-vote of another chain",
        "gov-vote",
        "{'chainId':'x','keyName':'k','fees':'1usei','gas':1,'proposalId':4,'option':'yes'}",
        .keyring = true,
        .seid_up = true,
        .error = "does not match"},
    {"gov-vote with other coins",
        "gov-vote",
        "{'chainId':'pacific-1','keyName':'k','fees':'1uatom','gas':1,'proposalId':4,"
        "'option':'yes'}",
        .keyring = true,
        .seid_up = true,
        .error = "usei"},
    {"gov-vote with a forged memo",
        "gov-vote",
        "{" GOV ",'memo':'taskID=1','proposalId':4,'option':'yes'}",
        .keyring = true,
        .seid_up = true,
        .error = "memo"},
    {"gov-vote of maybe",
        "gov-vote",
        "{" GOV ",'proposalId':4,'option':'maybe'}",
        .keyring = true,
        .seid_up = true,
        .error = "invalid vote option"},
    {"gov-software-upgrade without a height",
        "gov-software-upgrade",
        "{" PROPOSAL ",'upgradeName':'v7'}",
        .keyring = true,
        .error = "upgradeHeight"},
    {"gov-param-change of nothing",
        "gov-param-change",
        "{" PROPOSAL ",'changes':[]}",
        .keyring = true,
        .error = "changes"},

    {"discover-peers of old",
        "discover-peers",
        "{'sources':[{'type':'static'}]}",
        .version = 50,
        .leaves = FILE_CONFIG},
    {"discover-peers from nowhere",
        "discover-peers",
        "{'sources':[]}",
        .version = 50,
        .error = "sources"},
};

/* Single quotes read better in C. */
static const char *json_of(Arena *a, const char *text)
{
    char *copy = (char *)(uintptr_t)str_copy(a, text);
    for (char *c = copy; c && *c; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

static void run_case(SidecarRig *r, const TaskCase *c)
{
    rig_open(r, c->chain ? c->chain : "pacific-1");
    r->volume.files = c->files;
    r->volume.has_peers = c->peers;
    r->sidecar.has_keyring = c->keyring;
    r->sidecar.version = c->version ? c->version : SIDECAR_NEWEST;
    if (c->bucket)
        then_true(outside_put(r->outside, c->bucket, "cafe"));
    if (c->seid_up) {
        seid_start(&r->seid, 0);
        rig_run(r, 5000);
    }
    rig_post(r, ID1, c->type, json_of(r->arena, c->params));
    rig_run(r, HOUR);
}

TEST(every_simulated_sidecar_task_has_its_result_and_side_effects)
{
    each_case(i, cases) {
        SidecarRig r;
        run_case(&r, &cases[i]);
        const Json *got = rig_get(&r, ID1);
        const char *error = json_str(got, ".error");
        then_str(json_str(got, ".status"), cases[i].error ? "failed" : "completed");
        if (cases[i].error ? !error || !strstr(error, cases[i].error) : error != NULL)
            fail_msg("%s: %s", cases[i].name, error ? error : "(no error)");
        then_json(json_member(got, "result"), cases[i].result);
        then_int(r.volume.files & cases[i].leaves, cases[i].leaves);
        then_int(r.hazards.count, 0);
        rig_close(&r);
    }
}

TEST(the_table_of_sidecar_tasks_is_sorted_and_every_type_has_a_case)
{
    static const char *const elsewhere[] = {"snapshot-upload"};
    for (size_t i = 0; i < SIDECAR_TASKS_COUNT; i++) {
        const char *type = sidecar_tasks[i].type;
        bool found = str_eq(type, elsewhere[0]);
        for (size_t j = 0; j < array_count(cases); j++)
            found = found || str_eq(cases[j].type, type);
        if (!found)
            fail_msg("no case for %s", type);
        then_true(i == 0 || str_compare(sidecar_tasks[i - 1].type, type) < 0);
    }
}

TEST(each_sidecar_version_knows_the_task_types_of_its_release)
{
    static const struct {
        const char *name, *type;
        int version;
        bool known;
    } types[] = {
        {"the oldest has discover-peers", "discover-peers", 50, true},
        {"later ones have not", "discover-peers", 57, false},
        {"restart-seid came", "restart-seid", 57, true},
        {"restart-seid was not there", "restart-seid", 50, false},
        {"mark-not-ready came", "mark-not-ready", 64, true},
        {"mark-not-ready was not there", "mark-not-ready", 63, false},
        {"snapshot-upload-once came", "snapshot-upload-once", 66, true},
        {"config-apply was always there", "config-apply", 50, true},
        {"assemble-genesis is no wire name", "assemble-genesis", SIDECAR_NEWEST, false},
    };
    each_case(i, types)
        then_int(sidecar_task_find(types[i].type, types[i].version) != NULL, types[i].known);
}

TEST(an_old_sidecar_version_returns_no_task_results)
{
    SidecarRig r;
    rig_open(&r, "my-1");
    r.sidecar.version = 50;
    then_true(outside_put(r.outside, "my-1/v-0/gentx.json", "x"));
    rig_post(&r,
        ID1,
        "assemble-and-upload-genesis",
        "{\"accountBalance\":\"1\",\"namespace\":\"n\",\"nodes\":[{\"name\":\"v-0\"}]}");
    rig_run(&r, 60000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    then_true(!json_member(rig_get(&r, ID1), "result"));
    rig_close(&r);
}

TEST(endless_sidecar_tasks_stay_running)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "snapshot-upload", NULL);
    rig_post(&r, ID2, "await-condition", "{\"condition\":\"height\",\"targetHeight\":5}");
    rig_post(&r,
        ID3,
        "result-export",
        "{\"bucket\":\"b\",\"region\":\"r\",\"canonicalRpc\":\"http://x\"}");
    rig_run(&r, 24 * HOUR);
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    then_str(json_str(rig_get(&r, ID2), ".status"), "running");
    then_str(json_str(rig_get(&r, ID3), ".status"), "running");
    rig_close(&r);
}

TEST(an_awaited_height_is_noticed_when_it_is_reached)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    seid_start(&r.seid, 0);
    rig_run(&r, 60000);
    int64_t target = seid_height(&r.seid, r.now_ms) + 100;
    rig_post(&r,
        ID1,
        "await-condition",
        str_format(r.arena, "{\"condition\":\"height\",\"targetHeight\":%lld}", (long long)target));
    rig_run(&r, 39000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    rig_run(&r, 2000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

TEST(stop_seid_fails_if_seid_does_not_end_and_never_kills_it)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.seid.stop_ms = HOUR;
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    rig_post(&r, ID1, "stop-seid", NULL);
    rig_run(&r, 80000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    rig_run(&r, 20000);
    then_str(json_str(rig_get(&r, ID1), ".error"), "seid is still running 90s after SIGTERM");
    then_int(r.seid.state, SEID_STOPPING);
    rig_close(&r);
}

TEST(restart_seid_completes_when_rpc_answers_again)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    rig_post(&r, ID1, "restart-seid", NULL);
    rig_run(&r, 5000);
    then_int(r.seid.state, SEID_DOWN);
    seid_start(&r.seid, r.now_ms);
    rig_run(&r, 2000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    rig_run(&r, 2000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

TEST(restart_seid_fails_if_seid_does_not_end)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.seid.stop_ms = HOUR;
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    rig_post(&r, ID1, "restart-seid", NULL);
    rig_run(&r, 100000);
    then_str(json_str(rig_get(&r, ID1), ".error"), "seid is still running 90s after SIGTERM");
    rig_close(&r);
}

TEST(a_genesis_with_another_hash_is_removed)
{
    SidecarRig r;
    rig_open(&r, "my-1");
    r.volume.files = FILE_GENESIS;
    then_true(outside_put(r.outside, "my-1/genesis.json", "cafe"));
    rig_post(&r, ID1, "configure-genesis", "{\"expectedGenesisHash\":\"00\"}");
    rig_run(&r, 10000);
    then_true(!volume_has(&r.volume, FILE_GENESIS) && !volume_has(&r.volume, MARKER_GENESIS));
    rig_post(&r, ID1, "configure-genesis", "{\"expectedGenesisHash\":\"cafe\"}");
    rig_run(&r, 10000);
    then_true(volume_has(&r.volume, FILE_GENESIS) && volume_has(&r.volume, MARKER_GENESIS));
    rig_close(&r);
}

TEST(a_volume_keeps_a_limited_number_of_signed_transactions)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.sidecar.has_keyring = true;
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    r.volume.tx_count = VOLUME_TX_MAX;
    rig_post(&r, ID1, "gov-vote", json_of(r.arena, "{" GOV ",'proposalId':4,'option':'yes'}"));
    rig_run(&r, 10000);
    then_true(str_has_prefix(json_str(rig_get(&r, ID1), ".error"), "save tx marker: "));
    rig_close(&r);
}

TEST(reset_data_empties_the_volume_and_allows_state_sync_again)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.volume.has_peers = true;
    r.volume.height = 500;
    rig_post(&r, ID1, "configure-state-sync", NULL);
    rig_run(&r, 10000);
    then_true(r.volume.state_sync);
    rig_post(&r, ID2, "config-apply", "{\"mode\":\"full\"}");
    rig_run(&r, 10000);
    then_true(!r.volume.state_sync);
    r.volume.has_peers = true;
    rig_post(&r, ID3, "reset-data", NULL);
    rig_run(&r, 20000);
    then_int(r.volume.height, 0);
    rig_post(&r, "44444444-4444-4444-8444-444444444444", "configure-state-sync", NULL);
    rig_run(&r, 10000);
    then_true(r.volume.state_sync);
    rig_close(&r);
}

TEST(the_configuration_of_a_validator_has_no_grpc_before_version_51_unless_requested)
{
    static const struct {
        const char *name, *params;
        int version;
        bool is_off;
    } configs[] = {
        {"a validator", "{\"mode\":\"validator\"}", 50, true},
        {"a validator that asks for it",
            "{\"mode\":\"validator\",\"overrides\":{\"api.grpc.enable\":\"true\"}}",
            50,
            false},
        {"a validator of a later version", "{\"mode\":\"validator\"}", 51, false},
        {"a full node", "{\"mode\":\"full\"}", 50, false},
        {"a full node that turns it off",
            "{\"mode\":\"full\",\"overrides\":{\"api.grpc.enable\":\"false\"}}",
            51,
            true},
    };

    each_case(i, configs) {
        SidecarRig r;
        rig_open(&r, "pacific-1");
        r.sidecar.version = configs[i].version;
        rig_post(&r, ID1, "config-apply", configs[i].params);
        rig_run(&r, 10000);
        then_int(r.volume.grpc_is_off, configs[i].is_off);
        rig_close(&r);
    }
}

TEST(a_configuration_of_mode_seed_disables_rpc)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"seed\"}");
    rig_run(&r, 10000);
    then_true(r.volume.is_seed);
    rig_post(&r, ID2, "config-apply", "{\"mode\":\"full\"}");
    rig_run(&r, 10000);
    then_true(!r.volume.is_seed);
    rig_close(&r);
}

TEST(reset_data_under_a_starting_seid_is_reported_as_a_hazard)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.seid.start_ms = HOUR;
    seid_start(&r.seid, 0);
    rig_post(&r, ID1, "reset-data", NULL);
    rig_run(&r, 20000);
    then_int(r.hazards.count, 1);
    rig_close(&r);
}

TEST(a_governance_vote_is_signed_once_per_task_id)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.sidecar.has_keyring = true;
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    r.script.rules[0] = (SidecarRule){.type = "gov-vote", .fail_count = 1, .error = "pending"};
    const char *params = json_of(r.arena, "{" GOV ",'proposalId':4,'option':'No-With-Veto'}");
    rig_post(&r, ID1, "gov-vote", params);
    rig_run(&r, 10000);
    const Json *first = rig_get(&r, ID1);
    then_str(json_str(first, ".status"), "failed");
    then_str(json_str(first, ".result.inclusionStatus"), "pending");
    rig_post(&r, ID1, "gov-vote", params);
    rig_run(&r, 10000);
    const Json *second = rig_get(&r, ID1);
    then_str(json_str(second, ".result.inclusionStatus"), "committed_ok");
    then_str(json_str(second, ".result.txHash"), json_str(first, ".result.txHash"));
    then_int(r.volume.tx_count, 1);
    rig_close(&r);
}

TEST(a_governance_proposal_gets_a_number)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.sidecar.has_keyring = true;
    seid_start(&r.seid, 0);
    rig_run(&r, 10000);
    rig_post(&r,
        ID1,
        "gov-software-upgrade",
        json_of(r.arena, "{" PROPOSAL ",'upgradeName':'v7','upgradeHeight':9000}"));
    rig_run(&r, 10000);
    then_true(json_int(rig_get(&r, ID1), ".result.proposalId", 0) > 0);
    rig_close(&r);
}

TEST(a_scripted_failure_leaves_an_incomplete_gentx)
{
    SidecarRig r;
    rig_open(&r, "my-1");
    r.volume.files = FILE_STAKING;
    r.script.rules[0] = (SidecarRule){.type = "generate-gentx", .fail_count = 1, .error = "disk"};
    const char *params =
        json_of(r.arena, "{'chainId':'c','stakingAmount':'1usei','accountBalance':'2usei'}");
    rig_post(&r, ID1, "generate-gentx", params);
    rig_run(&r, 10000);
    then_str(json_str(rig_get(&r, ID1), ".error"), "disk");
    rig_post(&r, ID1, "generate-gentx", params);
    rig_run(&r, 10000);
    then_str(
        json_str(rig_get(&r, ID1), ".error"), "keys add: public key already exists in keybase");
    rig_close(&r);
}

TEST(snapshot_upload_once_uploads_one_snapshot)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.volume.snapshots = 2;
    r.volume.height = 5000;
    rig_post(&r, ID1, "snapshot-upload-once", NULL);
    rig_run(&r, 120000);
    then_json(json_find(rig_get(&r, ID1), ".result"),
        "{outcome: 'uploaded', height: 5000, key: 'pacific-1/state-sync/5000.tar.gz'}");
    rig_post(&r, ID2, "snapshot-upload-once", NULL);
    rig_run(&r, 120000);
    then_str(json_str(rig_get(&r, ID2), ".result.noopReason"), "already-uploaded");
    rig_close(&r);
}

TEST(a_scripted_wrong_configuration_stays_until_it_is_written_again)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.volume.files = FILE_CONFIG | FILE_APP;
    r.volume.is_config_wrong = true;
    rig_post(&r, ID1, "config-validate", NULL);
    rig_run(&r, 1000);
    then_true(str_has_prefix(json_str(rig_get(&r, ID1), ".error"), "config validation failed: {"));
    rig_post(&r, ID2, "config-apply", "{\"mode\":\"full\"}");
    rig_run(&r, 1000);
    rig_post(&r, ID1, "config-validate", NULL);
    rig_run(&r, 1000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}
