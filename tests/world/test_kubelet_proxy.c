/* The way through the API server to a seid in its pod: what it answers, and how it does not. */
#include "world/kubelet_proxy.h"

#include "tests/world/node_rig.h"

static const struct {
    const char *name, *id, *path;
    int status;
    const char *phrase;
} cases[] = {
    {"its height", "rpc-0-0:26657", "/status", 200, "\"latest_block_height\":\"1"},
    {"with a scheme", "http:rpc-0-0:26657", "/status", 200, "\"network\":\"pacific-1\""},
    {"its peers", "rpc-0-0:26657", "/net_info", 200, "\"n_peers\":\"14\""},
    {"its lag", "rpc-0-0:26657", "/lag_status", 200, "\"lag\":\"0\""},
    {"its health", "rpc-0-0:26657", "/health", 200, "{}"},
    {"a page that it has not", "rpc-0-0:26657", "/nothing", 404, ""},
    {"a port without a listener", "rpc-0-0:1", "/status", 503, ":1: connect: connection refused"},
    {"no port", "rpc-0-0", "/status", 503, ":80: connect: connection refused"},
    {"another scheme than it speaks", "https:rpc-0-0:26657", "/status", 503, "HTTPS client"},
    {"another pod", "rpc-1-0:26657", "/status", 404, "pods \\\"rpc-1-0\\\" not found"},
    {"no scheme at all", "ftp:rpc-0-0:26657", "/status", 400, "invalid pod request"},
    {"too many parts", "http:rpc-0-0:1:2", "/status", 400, "invalid pod request"},
    {"no name", ":26657", "/status", 400, "invalid pod request"},
};

static const Json *ask(NodeRig *r, const char *id, const char *path, int status)
{
    Answer answer = {0};
    KubeletProxyQuery query = {"sei", id, path, r->now_ms};

    then_true(!kubelet_proxy(r->kubelet, r->arena, &query, &answer));
    then_int(answer.status, status);
    return answer.body;
}

TEST(the_api_server_proxy_reaches_seid_only_at_its_rpc_port)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    each_case(i, cases) {
        const Json *body = ask(&r, cases[i].id, cases[i].path, cases[i].status);
        const char *text = body ? json_write(r.arena, body).data : "";
        if (!strstr(text, cases[i].phrase))
            then_str(text, cases[i].phrase);
    }
    rig_close(&r);
}

static int64_t count_at(const Json *from, const char *path)
{
    int64_t count = -1;

    then_true(str_to_int(json_str(from, path), &count));
    return count;
}

TEST(the_rpc_status_of_seid_matches_its_state)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    rig_run(&r, 60000);
    const Seid *seid = &kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid;
    const Json *sync = json_find(ask(&r, "rpc-0-0:26657", "/status", 200), ".sync_info");
    then_int(count_at(sync, ".latest_block_height"), seid_height(seid, r.now_ms));
    then_int(count_at(sync, ".max_peer_block_height"), chain_head(seid->chain, r.now_ms));
    then_true(!json_bool(sync, ".catching_up", true));
    rig_close(&r);
}

TEST(a_seid_reports_the_chain_id_of_the_genesis_on_its_volume)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    volume_write_genesis(kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->volume, "atlantic-2");
    const Json *page = ask(&r, "rpc-0-0:26657", "/status", 200);
    then_str(json_str(page, ".node_info.network"), "atlantic-2");
    rig_close(&r);
}

TEST(a_halted_seid_keeps_its_height_and_does_not_report_catching_up)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    Chain *chain = outside_chain(kubelet_outside(r.kubelet), "pacific-1");
    then_true(chain_schedule_upgrade(chain, chain_head(chain, r.now_ms) + 1, "another"));
    rig_run(&r, 600000);
    const Json *sync = json_find(ask(&r, "rpc-0-0:26657", "/status", 200), ".sync_info");
    int64_t head = count_at(sync, ".max_peer_block_height");
    then_true(head - count_at(sync, ".latest_block_height") > 1000);
    then_true(!json_bool(sync, ".catching_up", true));
    ask(&r, "rpc-0-0:26657", "/lag_status", 417);
    rig_close(&r);
}

TEST(a_frozen_pod_does_not_answer_through_the_proxy)
{
    NodeRig r;
    Answer answer = {0};
    KubeletOrder order = {.deed = DEED_FREEZE, .pod = {"sei", "rpc-0-0"}};

    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(kubelet_order(r.kubelet, &order, r.now_ms));
    KubeletProxyQuery query = {"sei", "rpc-0-0:26657", "/status", r.now_ms};
    then_true(kubelet_proxy(r.kubelet, r.arena, &query, &answer));
    then_int(answer.status, 503);
    then_true(strstr(json_str(answer.body, ".message"), "i/o timeout") != NULL);
    rig_close(&r);
}

/* The ports on which the pod listens, and that the version says when they change. */
static unsigned count_endpoints(NodeRig *r, uint64_t *version)
{
    size_t cursor = 0;
    unsigned ports = 0;
    PodEndpoint endpoint;

    while (kubelet_next_endpoint(r->kubelet, &cursor, &endpoint)) {
        then_str(endpoint.address, "127.200.1.1");
        ports += endpoint.port == POD_PORT_PROXY ? 1 : endpoint.port == POD_PORT_RPC ? 10 : 100;
    }
    bool has_changed = *version != kubelet_endpoints_version(r->kubelet);
    *version = kubelet_endpoints_version(r->kubelet);
    return has_changed ? ports : 0;
}

TEST(a_pod_has_endpoints_for_its_sidecar_and_its_seid_while_they_run)
{
    NodeRig r;
    uint64_t version = 0;

    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 30000);
    then_int(count_endpoints(&r, &version), 1);
    rig_mark_ready(&r, "b8c5e6d0-0000-4000-8000-000000000002");
    rig_run(&r, 60000);
    then_int(count_endpoints(&r, &version), 11);
    then_int(count_endpoints(&r, &version), 0); /* nothing has changed */
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH, .count = 100}));
    rig_run(&r, 1000);
    then_int(count_endpoints(&r, &version), 1);
    rig_close(&r);
}

static SidecarAnswer ask_port(NodeRig *r, const char *target)
{
    SidecarAnswer answer;
    PodEndpoint endpoint = rig_endpoint(r, POD_PORT_RPC);

    kubelet_ask(r->kubelet,
        r->arena,
        &endpoint,
        &(SidecarRequest){.method = "GET", .target = target, .now_ms = r->now_ms},
        &answer);
    return answer;
}

TEST(seid_answers_at_the_pod_address_as_through_the_api_server)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    SidecarAnswer got = ask_port(&r, "/status");
    then_int(got.fate, FATE_ANSWERED);
    then_int(got.status, 200);
    then_str(got.content_type, "application/json");
    then_str(got.body.data, json_write(r.arena, ask(&r, "rpc-0-0:26657", "/status", 200)).data);
    then_int(ask_port(&r, "/status?height=1").status, 200);
    then_int(ask_port(&r, "/nothing").status, 404);
    rig_close(&r);
}

TEST(a_seed_node_has_no_rpc_endpoint)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_bring_up(&r);
    kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->volume->is_seed = true;
    then_int(ask_port(&r, "/status").fate, FATE_REFUSED);
    ask(&r, "rpc-0-0:26657", "/status", 503);
    rig_close(&r);
}

TEST(a_connection_to_seid_is_refused_before_it_runs)
{
    NodeRig r;

    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 3000);
    ask(&r, "rpc-0-0:26657", "/status", 503);
    then_int(ask_port(&r, "/status").fate, FATE_REFUSED);
    rig_close(&r);
}
