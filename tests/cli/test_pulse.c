/* What seid is asked, what is made of its answers, and what is said when there is none. */
#include "cli/pulse.h"

#include "kube/status.h"
#include "tests/cli/seid_api.h"

static const struct {
    const char *name, *status, *want;
} answers[] = {
    {"as Sei answers",
        "{sync_info: {latest_block_height: '236812044', latest_block_time:"
        " '2026-01-01T00:00:00.25Z', max_peer_block_height: '236812310', catching_up: true}}",
        "{node: 'rpc-0', height: 236812044, blockTime: '2026-01-01T00:00:00.25Z', catchesUp: true,"
        " peersHeight: 236812310}"},
    {"in an envelope",
        "{jsonrpc: '2.0', id: -1, result: {sync_info: {latest_block_height: '7', catching_up:"
        " false}}}",
        "{node: 'rpc-0', height: 7, catchesUp: false}"},
    {"numbers as numbers",
        "{sync_info: {latest_block_height: 7, max_peer_block_height: 8}}",
        "{node: 'rpc-0', height: 7, catchesUp: false, peersHeight: 8}"},
    {"a time that is none",
        "{sync_info: {latest_block_height: '7', latest_block_time: '\\u001b[2J'}}",
        "{node: 'rpc-0', height: 7, catchesUp: false}"},
    {"no peer has reported a height",
        "{sync_info: {latest_block_height: '7', max_peer_block_height: '0'}}",
        "{node: 'rpc-0', height: 7, catchesUp: false}"},
    {"a height below nothing",
        "{sync_info: {latest_block_height: '-1'}}",
        "{node: 'rpc-0', why: 'what answers at its RPC port is no seid'}"},
    {"a height that is no number",
        "{sync_info: {latest_block_height: 'many'}}",
        "{node: 'rpc-0', why: 'what answers at its RPC port is no seid'}"},
    {"something else", "[1, 2]", "{node: 'rpc-0', why: 'what answers at its RPC port is no seid'}"},
};

TEST(the_status_of_seid_is_decoded)
{
    each_case(i, answers) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeidApi s;
        Pulse pulse;

        seid_api(&s, a, answers[i].status);
        pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, false, &pulse);
        then_json(json_seal(a, pulse_draft(a, &pulse)), answers[i].want);
        then_str(s.asked, "/api/v1/namespaces/sei/pods/rpc-0-0:26657/proxy/status ");
    }
}

static const struct {
    const char *name;
    int status;
    const char *message, *want;
} silences[] = {
    {"without permission",
        403,
        "pods \"rpc-0-0:26657\" is forbidden",
        "asking seid needs the right to get pods/proxy in namespace sei"},
    {"without a pod", 404, "pods \"rpc-0-0\" not found", "there is no pod"},
    {"before it has an address", 400, "address not allowed", "the pod has no address yet"},
    {"before seid serves",
        503,
        "error trying to reach service: dial tcp 10.0.0.7:26657: connect: connection refused",
        "seid does not answer: connection refused"},
    {"where the way is cut",
        503,
        "error trying to reach service: dial tcp 10.0.0.7:26657: i/o timeout",
        "seid does not answer: i/o timeout"},
    {"behind a proxy with words of its own",
        503,
        "no healthy upstream",
        "seid does not answer: the API server cannot reach it"},
    {"in time", 0, "the server did not answer", "seid does not answer in time"},
    {"for a reason of its own", 500, "boom", "boom"},
};

TEST(a_missing_seid_answer_is_reported_with_its_cause)
{
    each_case(i, silences) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeidApi s;
        Pulse pulse;

        seid_api(&s, a, "{}");
        s.refusal = seid_refusal(a, silences[i].status, silences[i].message);
        pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, true, &pulse);
        if (!strstr(pulse.why, silences[i].want))
            then_str(pulse.why, silences[i].want);
        then_int(pulse.is_forbidden, silences[i].status == 403);
        then_int(s.calls, 1);
    }
}

TEST(peers_of_seid_are_counted_if_requested)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeidApi s;
    Pulse pulse;

    seid_api(&s, a, "{sync_info: {latest_block_height: '7'}}");
    s.peers = "{n_peers: '38', peers: []}";
    pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, true, &pulse);
    then_int(pulse.peers, 38);
    then_int(s.calls, 2);
    s.peers = "{n_peers: 'none'}";
    pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, true, &pulse);
    then_int(pulse.peers, -1);
    then_int(pulse.height, 7);
}

TEST(a_seid_request_waits_at_most_one_second_or_the_remaining_time)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeidApi s;
    Pulse pulse;

    seid_api(&s, a, "{sync_info: {latest_block_height: '7'}}");
    pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, false, &pulse);
    then_int(s.deadline_ms, PULSE_PATIENCE_MS);
    s.pulse_port.deadline_ms = clock_mono_ms(&s.clock.port) + 300;
    pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, false, &pulse);
    then_int(s.deadline_ms, 300);
    s.pulse_port.deadline_ms = clock_mono_ms(&s.clock.port);
    s.calls = 0;
    pulse_take(&s.pulse_port, (Key){"sei", "rpc-0"}, false, &pulse);
    then_int(s.calls, 0);
    then_str(pulse.why, "no time was left to ask seid");
}
