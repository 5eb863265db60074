/* What kubectl logs shows: made when it is asked for, fitting what the pod did. */
#include "world/pod_log.h"

#include "tests/world/node_rig.h"
#include "world/kubelet_log.h"

enum { LOG_ARENA_MAX = 64 << 20 };

static KubeletLogQuery of(const char *container)
{
    return (KubeletLogQuery){.pod = {"sei", "rpc-0-0"}, .container = container};
}

static const char *read_log(NodeRig *r, KubeletLogQuery query)
{
    Answer refusal = {0};
    KubeletLog *log = kubelet_open_log(r->kubelet, r->arena, &query, &refusal);
    bool ended = false;
    Bytes text;

    if (!log)
        return json_str(refusal.body, ".message");
    kubelet_next_log(log, r->arena, &text, &ended);
    then_true(ended);
    kubelet_close_log(log);
    return str_slice(r->arena, text.data ? text.data : "", text.len);
}

static void then_has(const char *text, const char *phrase)
{
    if (!strstr(text, phrase))
        test_fail(__FILE__, __LINE__, "got:  %s\nwant: ...%s...", text, phrase);
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void up(NodeRig *r)
{
    rig_open(r, NULL);
    rig_bring_up(r);
}

TEST(a_node_logs_its_blocks_as_time_passes)
{
    NodeRig r;
    up(&r);
    const char *text = read_log(&r, of("seid"));
    int64_t height = seid_height(&kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid, r.now_ms);
    then_has(text, "INF starting ABCI with Tendermint chain_id=pacific-1\n");
    then_has(text, "Completed ABCI Handshake");
    then_has(text, "block sync rate blocks/s=500 height=1000 ");
    then_has(text, str_format(r.arena, " height=%lld module=state", (long long)height));
    then_true(!strstr(text, str_format(r.arena, " height=%lld module", (long long)(height + 1))));
    rig_run(&r, 4000);
    then_has(read_log(&r, of("seid")),
        str_format(r.arena, " height=%lld module=state", (long long)(height + 10)));
    rig_close(&r);
}

TEST(a_log_can_be_limited_by_lines_and_age_and_bytes)
{
    NodeRig r;
    up(&r);
    rig_run(&r, 600000);
    KubeletLogQuery q = of("seid");
    then_int(count_lines(read_log(&r, q)), POD_LOG_LINES_MAX);
    q.has_tail = true;
    q.tail_lines = 3;
    then_int(count_lines(read_log(&r, q)), 3);
    q.tail_lines = 0;
    then_str(read_log(&r, q), "");
    q = of("seid");
    q.has_since = true;
    q.since_seconds = 4;
    size_t blocks = count_lines(read_log(&r, q));
    then_true(blocks >= 10 && blocks <= 11);
    q.since_seconds = INT64_MAX; /* longer ago than anything */
    then_str(read_log(&r, q), read_log(&r, of("seid")));
    q.since_seconds = 4;
    q.has_limit = true;
    q.limit_bytes = 25;
    then_int(strlen(read_log(&r, q)), 25);
    rig_close(&r);
}

TEST(log_lines_can_have_timestamps)
{
    NodeRig r;
    up(&r);
    KubeletLogQuery q = of("kube-rbac-proxy");
    q.timestamps = true;
    const char *text = read_log(&r, q);
    then_true(str_has_prefix(text, "2026-01-01T00:00:"));
    then_int(strcspn(text, "Z"), strlen("2026-01-01T00:00:00.000000000"));
    rig_close(&r);
}

TEST(a_log_is_followed_until_its_container_ends)
{
    NodeRig r;
    up(&r);
    Answer refusal;
    KubeletLogQuery q = of("seid");
    q.follow = true;
    q.has_tail = true;
    q.tail_lines = 1;
    KubeletLog *log = kubelet_open_log(r.kubelet, r.arena, &q, &refusal);
    Bytes text;
    bool ended;
    then_true(kubelet_next_log(log, r.arena, &text, &ended) && !ended);
    then_int(count_lines(str_slice(r.arena, text.data, text.len)), 1);
    then_true(!kubelet_next_log(log, r.arena, &text, &ended) && !ended);
    rig_run(&r, 4000);
    then_true(kubelet_next_log(log, r.arena, &text, &ended) && !ended);
    size_t blocks = count_lines(str_slice(r.arena, text.data, text.len));
    then_true(blocks >= 10 && blocks <= 11);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH}));
    rig_run(&r, 30000);
    kubelet_next_log(log, r.arena, &text, &ended);
    then_true(ended);
    kubelet_close_log(log);
    rig_close(&r);
}

TEST(a_followed_log_ends_with_its_pod)
{
    NodeRig r;
    up(&r);
    Answer refusal;
    KubeletLogQuery q = of("seid");
    q.follow = true;
    KubeletLog *log = kubelet_open_log(r.kubelet, r.arena, &q, &refusal);
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 60000);
    Bytes text;
    bool ended;
    then_true(!kubelet_next_log(log, r.arena, &text, &ended) && ended);
    kubelet_close_log(log);
    rig_close(&r);
}

TEST(a_crash_is_logged_and_the_log_of_the_previous_container_can_be_read)
{
    NodeRig r;
    up(&r);
    KubeletLogQuery q = of("seid");
    q.previous = true;
    then_str(
        read_log(&r, q), "previous terminated container \"seid\" in pod \"rpc-0-0\" not found");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH, .count = 1}));
    rig_run(&r, 120000);
    then_has(read_log(&r, q), "panic: runtime error");
    rig_run(&r, 60000);
    rig_close(&r);
}

TEST(a_wrong_configuration_is_logged)
{
    NodeRig r;
    up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_SPOIL_CONFIG}));
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH, .count = 5}));
    rig_run(&r, 20000);
    then_has(read_log(&r, of("seid")), "Error: failed to load the configuration: config.toml");
    rig_close(&r);
}

TEST(a_halted_node_logs_the_upgrade_that_it_needs)
{
    static const struct {
        const char *name;
        bool exits;
    } ways[] = {{"it stands still", false}, {"it ends", true}};
    each_case(i, ways) {
        NodeRig r;
        up(&r);
        Chain *chain = outside_chain(kubelet_outside(r.kubelet), "pacific-1");
        int64_t height = chain_head(chain, r.now_ms) + 20;
        chain->halt_exits = ways[i].exits;
        then_true(chain_schedule_upgrade(chain, height, "v6.5.0"));
        /* Nobody told the kubelet: a little order makes it look. */
        then_true(rig_order(&r, (KubeletOrder){.deed = DEED_THAW}));
        rig_run(&r, 9000);
        KubeletLogQuery q = of("seid");
        q.previous = ways[i].exits; /* it has begun anew by now */
        const char *text = read_log(&r, q);
        then_has(text,
            str_format(r.arena, "UPGRADE \"v6.5.0\" NEEDED at height: %lld", (long long)height));
        then_has(text, str_format(r.arena, "height=%lld module=state", (long long)(height - 1)));
        then_int(strstr(text, "panic: UPGRADE") != NULL, ways[i].exits);
        rig_close(&r);
    }
}

TEST(the_sidecar_logs_its_tasks_without_their_parameters)
{
    NodeRig r;
    up(&r);
    SidecarAnswer got = rig_ask(&r,
        "POST",
        "/v0/tasks",
        "{\"id\":\"33333333-3333-4333-8333-333333333333\",\"type\":\"config-validate\","
        "\"params\":{\"password\":\"hush\"}}");
    then_int(got.status, 201);
    rig_run(&r, 20000);
    const char *text = read_log(&r, of("sei-sidecar"));
    then_has(text, "msg=\"sei-sidecar is listening\"");
    then_has(text, "msg=\"task completed\" type=mark-ready");
    then_has(text, "id=33333333-3333-4333-8333-333333333333");
    then_true(!strstr(text, "hush"));
    rig_close(&r);
}

TEST(other_containers_log_their_start_and_their_end)
{
    NodeRig r;
    up(&r);
    then_has(read_log(&r, of("seid-init")), "seid-init: started\nseid-init: done\n");
    then_has(read_log(&r, of("kube-rbac-proxy")), "listening securely on 0.0.0.0:8443\n");
    then_str(read_log(&r, of("cosmos-exporter")), "cosmos-exporter: started\n");
    rig_close(&r);
}

static const struct {
    const char *name;
    KubeletLogQuery query;
    const char *message;
} refusals[] = {
    {"no such pod", {.pod = {"sei", "none"}}, "pods \"none\" not found"},
    {"no such container",
        {.pod = {"sei", "rpc-0-0"}, .container = "x"},
        "container x is not valid for pod rpc-0-0"},
    {"which container",
        {.pod = {"sei", "rpc-0-0"}},
        "a container name must be specified for pod rpc-0-0, choose one of: [seid cosmos-exporter] "
        "or one of the init containers: [seid-init sei-sidecar kube-rbac-proxy]"},
    {"a tail of less than nothing",
        {.pod = {"sei", "rpc-0-0"}, .has_tail = true, .tail_lines = -1},
        "PodLogOptions \"rpc-0-0\" is invalid: tailLines: Invalid value: -1: must be greater than "
        "or equal to 0"},
    {"an age of nothing",
        {.pod = {"sei", "rpc-0-0"}, .has_since = true},
        "PodLogOptions \"rpc-0-0\" is invalid: sinceSeconds: Invalid value: 0: must be greater "
        "than 0"},
    {"no bytes",
        {.pod = {"sei", "rpc-0-0"}, .has_limit = true},
        "PodLogOptions \"rpc-0-0\" is invalid: limitBytes: Invalid value: 0: must be greater than "
        "0"},
};

TEST(an_invalid_log_request_is_refused_with_the_message_of_the_real_server)
{
    each_case(i, refusals) {
        NodeRig r;
        up(&r);
        then_str(read_log(&r, refusals[i].query), refusals[i].message);
        rig_close(&r);
    }
}

TEST(the_log_of_a_waiting_container_is_refused)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_create(&r, NULL);
    rig_claim(&r, NULL);
    then_str(read_log(&r, of("seid")),
        "container \"seid\" in pod \"rpc-0-0\" is waiting to start: PodInitializing");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_BAD_IMAGE, .text = "seid"}));
    rig_run(&r, 5000);
    then_str(read_log(&r, of("seid-init")),
        "container \"seid-init\" in pod \"rpc-0-0\" is waiting to start: trying and failing to "
        "pull image");
    rig_close(&r);
}
