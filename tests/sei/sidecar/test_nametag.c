/* Asking a sidecar for the id of its node: once per pod, with a token, and never in a hurry. */
#include "tests/sei/sidecar/street.h"

#define ID    "0123456789abcdef0123456789abcdef01234567"
#define NAMED "{\"nodeId\":\"" ID "\"}"
#define ASK   "GET /v0/node-id"

static const SidecarTarget rpc = {
    .node = {"sei", "rpc-0"},
    .pod_uid = "pod-1",
    .pod_ip = "10.0.0.1",
    .host = "rpc-0-0.rpc-0.sei.svc.cluster.local:8443",
    .bearer = "token-1",
};

static SidecarName name(Street *s, SidecarTarget target)
{
    SidecarName result = {0};

    sidecar_name(s->port, s->arena, &target, &result);
    street_step(s);
    return result;
}

TEST(the_node_id_of_a_pod_is_requested_once_and_then_cached)
{
    SCOPED_STREET s = street_open();

    then_str(name(s, rpc).node_id, "");
    then_str(street_sent(s), ASK);
    then_str(street_call(s, NULL)->bearer, "token-1");
    street_answer(s, 200, NAMED);
    then_int(street_wakes(s), 1);
    then_str(s->woken, "sei/rpc-0");
    street_pass(s, 3600000);
    then_str(name(s, rpc).node_id, ID);
    then_str(street_sent(s), "");
    then_int(street_wakes(s), 0);
}

TEST(without_a_token_no_node_id_is_requested)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    target.bearer = NULL;
    name(s, target);
    street_pass(s, 60000);
    then_str(street_sent(s), "");
}

TEST(a_new_pod_is_asked_for_its_node_id_again)
{
    SCOPED_STREET s = street_open();
    SidecarTarget other = rpc;

    name(s, rpc);
    street_answer(s, 200, NAMED);
    street_sent(s);
    other.pod_uid = "pod-2";
    other.pod_ip = "10.0.0.2";
    then_str(name(s, other).node_id, "");
    then_str(street_sent(s), ASK);
    then_str(street_call(s, NULL)->ip, "10.0.0.2:8443");
}

TEST(a_sidecar_without_a_node_key_is_polled_with_growing_delays_and_enqueues_nothing)
{
    SCOPED_STREET s = street_open();

    name(s, rpc);
    for (int i = 0; i < 20; i++) {
        street_answer(s, 500, "{\"error\":\"node_key.json not found\"}");
        street_pass(s, 40000);
        then_true(street_call(s, NULL) != NULL);
    }
    then_int(street_wakes(s), 0);
    then_int(s->calls, 21); /* one for each pause, which is never longer than 36 s */
    street_answer(s, 200, NAMED);
    then_int(street_wakes(s), 1);
}

TEST(a_refused_token_is_reported_once_and_a_new_token_is_tried_at_once)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    name(s, rpc);
    street_answer(s, 401, "Unauthorized");
    then_int(street_wakes(s), 1);
    street_sent(s);
    target.bearer = "token-2";
    then_true(name(s, rpc).needs_token);
    then_true(!name(s, target).needs_token);
    then_str(street_sent(s), ASK);
    then_str(street_call(s, NULL)->bearer, "token-2");
    street_answer(s, 403, "Forbidden");
    then_true(!name(s, target).needs_token);
    then_int(street_wakes(s), 0);
    street_pass(s, 3000);
    then_str(street_sent(s), ASK);
    street_answer(s, 200, NAMED);
    then_str(name(s, target).node_id, ID);
}

TEST(a_task_continues_while_the_node_id_is_requested)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = "aaaaaaaa-0000-4000-8000-000000000001", .type = "config-apply"};
    SidecarNews news;

    name(s, rpc);
    sidecar_task(s->port, s->arena, &rpc, &job, &news);
    street_answer(s, 500, "{\"error\":\"node_key.json not found\"}");
    then_str(street_sent(s), ASK ", POST /v0/tasks");
}

TEST(a_forgotten_node_is_not_asked_for_its_node_id_again)
{
    SCOPED_STREET s = street_open();

    name(s, rpc);
    sidecar_forget(s->port, rpc.node);
    street_pass(s, 120000);
    then_int(s->cancels, 1);
    then_str(street_sent(s), ASK);
    then_int((int)sidecars_figures(s->machine).nodes, 0);
}
