/* What the sidecar is told of the configuration and of peers. */
#include "sei/plan/course.h"
#include "tests/sei/plan/given.h"

static const struct {
    const char *name, *spec, *intent;
} intents[] = {
    {"nothing asked for", "{}", "{mode: 'full', overrides: {'logging.level': 'info'}}"},
    {"an address for others",
        "{spec: {externalAddress: 'h:1'}}",
        "{mode: 'full', overrides: {'logging.level': 'info',"
        " 'network.p2p.external_address': 'h:1'}}"},
    {"the user's word wins over ours",
        "{spec: {externalAddress: 'h:1', overrides: {'network.p2p.external_address': 'x:2',"
        " other: '1'}}}",
        "{mode: 'full', overrides: {'logging.level': 'info', other: '1',"
        " 'network.p2p.external_address': 'x:2'}}"},
    {"except for the level of logs",
        "{spec: {overrides: {'logging.level': 'debug'}}}",
        "{mode: 'full', overrides: {'logging.level': 'info'}}"},
    {"a node that makes snapshots",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 3}}},"
        " overrides: {'storage.pruning_keep_every': '9'}}}",
        "{mode: 'full', overrides: {'logging.level': 'info', 'storage.snapshot_interval': '2000',"
        " 'storage.snapshot_keep_recent': '3', 'storage.pruning_keep_recent': '50000',"
        " 'storage.pruning_keep_every': '9', 'chain.min_retain_blocks': '50000',"
        " 'network.p2p.max_connections': '500', 'network.p2p.send_rate': '20971520',"
        " 'network.p2p.recv_rate': '20971520'}}"},
    {"an archive",
        "{spec: {fullNode: null, archive: {}}}",
        "{mode: 'archive', overrides: {'logging.level': 'info'}}"},
    {"an archive that makes snapshots",
        "{spec: {fullNode: null, archive: {snapshotGeneration: {tendermint: {keepRecent: 4}}}}}",
        "{mode: 'archive', overrides: {'logging.level': 'info',"
        " 'storage.snapshot_interval': '2000', 'storage.snapshot_keep_recent': '4'}}"},
    {"a replayer is a full node to its configuration",
        "{spec: {fullNode: null, peers: [{static: {addresses: ['a@b:1']}}],"
        " replayer: {snapshot: {s3: {targetHeight: 5}}},"
        " overrides: {'storage.state_commit.async_commit_buffer': '7'}}}",
        "{mode: 'full', overrides: {'logging.level': 'info',"
        " 'storage.state_commit.async_commit_buffer': '7',"
        " 'storage.state_commit.memiavl.snapshot_keep_recent': '2',"
        " 'storage.state_commit.memiavl.snapshot_min_time_interval': '3600'}}"},
    {"a validator",
        "{spec: {fullNode: null, validator: {}, externalAddress: 'h:1'}}",
        "{mode: 'validator', overrides: {'logging.level': 'info', 'api.grpc.enable': 'true',"
        " 'network.p2p.external_address': 'h:1'}}"},
    {"a validator whose user turns gRPC off",
        "{spec: {fullNode: null, validator: {}, overrides: {'api.grpc.enable': 'false'}}}",
        "{mode: 'validator', overrides: {'logging.level': 'info', 'api.grpc.enable': 'false'}}"},
};

TEST(each_spec_gives_the_expected_config_apply_parameters)
{
    each_case(i, intents) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.fresh = true, .node = intents[i].spec});

        then_json(plan_find_task(&p->d.status.plan, TASK_CONFIG_APPLY)->params, intents[i].intent);
    }
}

static const struct {
    const char *name, *node, *sources;
} peers[] = {
    {"static ones as they are",
        "{spec: {peers: [{static: {addresses: ['x@y:1', 'z@y:1']}}]}}",
        "{Sources: [{type: 'static', addresses: ['x@y:1', 'z@y:1']}]}"},
    {"EC2 tags as they are",
        "{spec: {peers: [{ec2Tags: {region: 'r', tags: {a: 'b'}}}]}}",
        "{Sources: [{type: 'ec2Tags', region: 'r', tags: {a: 'b'}}]}"},
    {"labels by what was found, once",
        "{spec: {peers: [{label: {selector: {a: 'b'}}}, {static: {addresses: ['x@y:1']}},"
        " {label: {selector: {c: 'd'}}}]}, status: {resolvedPeers: ['p@q:1']}}",
        "{Sources: [{type: 'static', addresses: ['p@q:1']}, {type: 'static', addresses: ['x@y:1']}]"
        "}"},
    {"labels without a matching node are omitted",
        "{spec: {peers: [{label: {selector: {a: 'b'}}}, {static: {addresses: ['x@y:1']}}]}}",
        "{Sources: [{type: 'static', addresses: ['x@y:1']}]}"},
};

TEST(each_spec_gives_the_expected_peer_sources)
{
    each_case(i, peers) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.fresh = true, .node = peers[i].node});

        then_json(plan_find_task(&p->d.status.plan, TASK_DISCOVER_PEERS)->params, peers[i].sources);
    }
}

static const struct {
    const char *name, *stored, *wanted;
    bool is_done;
} repetitions[] = {
    {"the same",
        "{mode: 'validator', overrides: {a: '1', 'api.grpc.enable': 'true'}}",
        "{mode: 'validator', overrides: {a: '1', 'api.grpc.enable': 'true'}}",
        true},
    {"stored by a version that did not say that gRPC is on",
        "{mode: 'validator', overrides: {a: '1'}}",
        "{mode: 'validator', overrides: {a: '1', 'api.grpc.enable': 'true'}}",
        true},
    {"the same without any override",
        "{mode: 'validator'}",
        "{mode: 'validator', overrides: {'api.grpc.enable': 'true'}}",
        true},
    {"a user turns gRPC off",
        "{mode: 'validator', overrides: {a: '1'}}",
        "{mode: 'validator', overrides: {a: '1', 'api.grpc.enable': 'false'}}",
        false},
    {"another override differs",
        "{mode: 'validator', overrides: {a: '1'}}",
        "{mode: 'validator', overrides: {a: '2', 'api.grpc.enable': 'true'}}",
        false},
};

TEST(an_applied_configuration_is_not_applied_again_only_to_enable_grpc)
{
    each_case(i, repetitions) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *stored = json_fixture(a, repetitions[i].stored);
        const Json *wanted = json_fixture(a, repetitions[i].wanted);

        then_int(plan_config_is_done(a, stored, wanted), repetitions[i].is_done);
    }
}
