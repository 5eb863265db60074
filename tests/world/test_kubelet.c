/* The kubelet: pods of the operator's shape from their binding to their end. */
#include "tests/test.h"
#include "tests/world/node_rig.h"

#define MARK1 "11111111-1111-4111-8111-111111111111"
#define MARK2 "22222222-2222-4222-8222-222222222222"

/* --- coming up */

TEST(a_pod_is_not_ready_until_its_sidecar_is_marked_ready)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 120000);
    then_str(r.phases, "Pending/False Running/False");
    then_true(rig_status(&r, ".status.containerStatuses[0].state.running.startedAt") != NULL);
    then_int(kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid.state, SEID_DOWN);

    rig_mark_ready(&r, MARK1);
    rig_run(&r, 60000);
    then_str(r.phases, "Pending/False Running/False Running/True");
    then_int(kubelet_hazards(r.kubelet)->count, 0);
    rig_close(&r);
}

TEST(the_status_of_a_ready_pod_has_the_fields_of_a_real_kubelet)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    const Json *status = json_find(*rig_pod(&r, "rpc-0-0"), ".status");
    then_str(json_str(status, ".phase"), "Running");
    then_str(json_str(status, ".podIP"), "127.200.1.1");
    then_str(json_str(status, ".podIPs[0].ip"), "127.200.1.1");
    then_true(str_has_prefix(json_str(status, ".hostIP"), "127.200.0."));
    then_str(json_str(status, ".startTime"), "2026-01-01T00:00:00Z");
    then_int(json_int(status, ".observedGeneration", 0), 1);
    then_int(json_count(json_find(status, ".conditions")), 5);
    const Json *condition;
    json_each(condition, json_find(status, ".conditions"))
        then_str(json_str(condition, ".status"), "True");

    then_int(json_count(json_find(status, ".initContainerStatuses")), 3);
    then_str(json_str(status, ".initContainerStatuses[0].state.terminated.reason"), "Completed");
    then_true(json_bool(status, ".initContainerStatuses[0].ready", false));
    then_true(json_str(status, ".initContainerStatuses[1].state.running.startedAt") != NULL);
    then_true(json_bool(status, ".initContainerStatuses[2].started", false));

    const Json *seid = json_find(status, ".containerStatuses[0]");
    then_str(json_str(seid, ".image"), "seid:v6.4.1");
    then_true(str_has_prefix(json_str(seid, ".imageID"), "seid:v6.4.1@sha256:"));
    then_true(str_has_prefix(json_str(seid, ".containerID"), "containerd://"));
    then_int(json_int(seid, ".restartCount", -1), 0);
    then_true(json_bool(seid, ".started", false) && json_bool(seid, ".ready", false));
    then_json(json_find(seid, ".lastState"), "{}");
    rig_close(&r);
}

TEST(the_containers_of_a_pod_start_in_order)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 100);
    then_str(rig_status(&r, ".status.initContainerStatuses[0].state.waiting.reason"),
        "ContainerCreating");
    then_str(
        rig_status(&r, ".status.containerStatuses[0].state.waiting.reason"), "PodInitializing");
    const Json *pod = *rig_pod(&r, "rpc-0-0");
    then_str(json_str(pod, ".status.conditions[1].reason"), "ContainersNotInitialized");
    then_str(json_str(pod, ".status.conditions[1].message"),
        "containers with incomplete status: [seid-init sei-sidecar kube-rbac-proxy]");

    rig_run(&r, 5000);
    pod = *rig_pod(&r, "rpc-0-0");
    then_str(json_str(pod, ".status.conditions[1].message"),
        "containers with incomplete status: [kube-rbac-proxy]");
    rig_close(&r);
}

TEST(a_running_pod_causes_no_writes)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    size_t writes = r.writes;
    SCOPED_ARENA a = arena_open(1 << 20);
    then_true(r.actor->step(r.actor, a, &r.port, r.now_ms) == INT64_MAX);
    rig_run(&r, 24 * 3600000);
    then_int(r.writes, writes);
    rig_close(&r);
}

TEST(the_same_seed_gives_the_same_pod_life)
{
    NodeRig r, s;
    rig_open(&r, NULL);
    rig_open(&s, NULL);
    rig_bring_up(&r);
    rig_bring_up(&s);
    then_true(json_equal(*rig_pod(&r, "rpc-0-0"), *rig_pod(&s, "rpc-0-0")));
    rig_close(&r);
    rig_close(&s);
}

/* --- claims */

static const struct {
    const char *name, *claim, *message;
} claim_cases[] = {
    {"no claim", NULL, "persistentvolumeclaim \"data-rpc-0\" not found"},
    {"a claim without a volume",
        "{status: {phase: 'Pending'}}",
        "pod has unbound immediate PersistentVolumeClaims"},
    {"a claim on its way out",
        "{metadata: {deletionTimestamp: 'now'}}",
        "persistentvolumeclaim \"data-rpc-0\" is being deleted"},
};

TEST(a_pod_is_not_scheduled_before_its_pvc_is_bound)
{
    each_case(i, claim_cases) {
        NodeRig r;
        rig_open(&r, NULL);
        if (claim_cases[i].claim)
            rig_claim(&r, claim_cases[i].claim);
        rig_create(&r, NULL);
        rig_run(&r, 60000);
        then_str(r.log, "status");
        const Json *pod = *rig_pod(&r, "rpc-0-0");
        then_str(json_str(pod, ".status.conditions[0].type"), "PodScheduled");
        then_str(json_str(pod, ".status.conditions[0].reason"), "Unschedulable");
        then_str(json_str(pod, ".status.conditions[0].message"), claim_cases[i].message);
        rig_claim(&r, NULL);
        rig_run(&r, 60000);
        then_str(rig_status(&r, ".status.phase"), "Running");
        rig_close(&r);
    }
}

TEST(sidecar_tasks_survive_the_pod_and_not_the_pvc)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 60000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_create(&r, "{metadata: {uid: 'pod-2'}}");
    rig_run(&r, 30000);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" MARK1, NULL).status, 200);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 503);

    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 60000);
    rig_gone(&r, kind_pvc, "data-rpc-0");
    rig_claim(&r, "{metadata: {uid: 'claim-2'}}");
    rig_create(&r, "{metadata: {uid: 'pod-3'}}");
    rig_run(&r, 30000);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" MARK1, NULL).status, 404);
    rig_close(&r);
}

/* --- images */

TEST(a_bad_image_is_pulled_again_with_backoff)
{
    NodeRig r;
    rig_open(&r, NULL);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_BAD_IMAGE, .text = "seid:v6.4.1"}));
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 2200);
    static const char reason[] = ".status.initContainerStatuses[0].state.waiting.reason";
    then_str(rig_status(&r, reason), "ErrImagePull");
    rig_run(&r, 2000);
    then_str(rig_status(&r, reason), "ImagePullBackOff");
    rig_run(&r, 600000);
    then_str(r.phases, "Pending/False");
    size_t writes = r.writes;
    rig_run(&r, 900000);
    then_true(r.writes - writes <= 9);

    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_GOOD_IMAGE, .text = "seid:v6.4.1"}));
    rig_run(&r, 400000);
    then_str(rig_status(&r, ".status.phase"), "Running");
    rig_close(&r);
}

/* --- crashes */

TEST(a_crashing_seid_is_restarted_at_once_and_then_with_backoff)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH, .count = 3}));
    rig_run(&r, 500);
    then_int(
        json_int(
            *rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0].state.terminated.exitCode", -1),
        1);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    rig_run(&r, 5000);
    const Json *seid = json_find(*rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0]");
    then_str(json_str(seid, ".state.waiting.reason"), "CrashLoopBackOff");
    then_int(json_int(seid, ".lastState.terminated.exitCode", -1), 1);
    then_int(json_int(seid, ".restartCount", 0), 1);
    rig_run(&r, 600000);
    seid = json_find(*rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0]");
    then_int(json_int(seid, ".restartCount", 0), 4);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    then_int(json_int(seid, ".lastState.terminated.exitCode", -1), 1);
    const char *ended = json_str(seid, ".lastState.terminated.finishedAt");
    then_true(str_compare(json_str(seid, ".state.running.startedAt"), ended) > 0);
    then_true(!str_eq(
        json_str(seid, ".lastState.terminated.containerID"), json_str(seid, ".containerID")));

    /* A run of more than ten minutes was a good one: the next restart comes at once. */
    rig_run(&r, 700000);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH}));
    rig_run(&r, 3000);
    seid = json_find(*rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0]");
    then_true(json_str(seid, ".state.running.startedAt") != NULL);
    rig_close(&r);
}

TEST(a_container_being_terminated_has_no_finish_time_before_it_ends)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_CRASH}));
    rig_run(&r, 120000);
    rig_order(&r, (KubeletOrder){.deed = DEED_SLOW_STOP, .ms = 600000});
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 20000);
    const Json *seid = json_find(*rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0]");
    then_true(json_str(seid, ".state.running.startedAt") != NULL);
    then_str(rig_status(&r, ".status.phase"), "Running");
    rig_close(&r);
}

TEST(a_killed_sidecar_closes_the_gate_and_seid_keeps_running)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_KILL_SIDECAR}));
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 502);
    rig_run(&r, 60000);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 503);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    then_true(seid_serves(&kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid));
    then_int(
        json_int(*rig_pod(&r, "rpc-0-0"), ".status.initContainerStatuses[1].restartCount", 0), 1);

    rig_mark_ready(&r, MARK1);
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    rig_mark_ready(&r, MARK2);
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

TEST(a_sidecar_that_is_killed_while_another_image_is_pulled_delays_nothing)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 5100);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_KILL_SIDECAR}));
    rig_run(&r, 60000);
    rig_mark_ready(&r, MARK1);
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

/* --- the chain */

TEST(a_seid_halts_at_an_upgrade_height_until_the_right_image_runs)
{
    NodeRig r;
    rig_open(&r, NULL);
    Chain *chain = outside_chain(kubelet_outside(r.kubelet), "pacific-1");
    then_true(chain_schedule_upgrade(chain, 2000, "seid:v7"));
    rig_bring_up(&r);
    rig_run(&r, chain_when(chain, 2000 + chain->lag_max) + 60000 - r.now_ms);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    then_str(rig_status(&r, ".status.phase"), "Running");
    then_int(seid_height(&kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid, r.now_ms), 1999);

    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 60000);
    rig_create(&r,
        "{metadata: {uid: 'pod-2'}, spec: {containers: [{name: 'seid', image: 'seid:v7.0.0',"
        " readinessProbe: {httpGet: {path: '/lag_status', port: 26657}}}]}}");
    rig_run(&r, 30000);
    rig_mark_ready(&r, MARK2);
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

/* --- ending */

TEST(a_deleted_pod_stops_its_containers_in_order_and_is_removed)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    r.log = "";
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 1000);
    then_true(rig_status(&r, ".status.containerStatuses[0].state.running.startedAt") != NULL);
    then_true(rig_status(&r, ".status.initContainerStatuses[1].state.running.startedAt") != NULL);
    then_true(rig_status(&r, ".status.containerStatuses[1].state.terminated.containerID") != NULL);
    rig_run(&r, 60000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    then_true(str_has_suffix(r.log, "status, delete 0"));
    then_true(str_has_suffix(r.phases, "Failed/False"));
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).fate, FATE_REFUSED);
    rig_close(&r);
}

TEST(a_seid_that_does_not_stop_is_killed_at_the_end_of_its_grace_period)
{
    NodeRig r;
    rig_open(&r, NULL);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_SLOW_STOP, .ms = 600000}));
    rig_bring_up(&r);
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 29000);
    then_true(rig_pod(&r, "rpc-0-0") != NULL);
    then_true(rig_status(&r, ".status.containerStatuses[0].state.running.startedAt") != NULL);
    rig_run(&r, 3000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_close(&r);
}

TEST(a_shorter_grace_period_ends_a_pod_earlier)
{
    NodeRig r;
    rig_open(&r, NULL);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_SLOW_STOP, .ms = 600000}));
    rig_bring_up(&r);
    rig_delete(&r, "rpc-0-0", 300);
    rig_run(&r, 5000);
    rig_delete(&r, "rpc-0-0", 5);
    rig_run(&r, 10000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_close(&r);
}

TEST(a_pod_removed_by_force_keeps_running_and_a_second_seid_is_reported_as_a_hazard)
{
    NodeRig r;
    rig_open(&r, &(KubeletOptions){.nodes = 1});
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_SLOW_STOP, .ms = 600000}));
    rig_bring_up(&r);
    rig_gone(&r, kind_pod, "rpc-0-0");
    r.log = "";
    rig_create(&r, "{metadata: {uid: 'pod-2'}}");
    rig_run(&r, 20000);
    then_true(str_has_prefix(r.log, "bind, status"));
    rig_mark_ready(&r, MARK2);
    rig_run(&r, 8000);
    then_int(kubelet_hazards(r.kubelet)->count, 1);
    then_true(strstr(hazards_newest(kubelet_hazards(r.kubelet)), "while another") != NULL);
    rig_close(&r);
}

TEST(the_containers_of_a_pod_removed_by_force_end_at_the_end_of_their_grace_period)
{
    NodeRig r;
    size_t cursor = 0;
    PodEndpoint endpoint;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    rig_gone(&r, kind_pod, "rpc-0-0");
    size_t writes = r.writes;
    then_true(kubelet_next_endpoint(r.kubelet, &cursor, &endpoint));
    then_str(endpoint.address, "127.200.1.1");
    rig_run(&r, 60000);
    cursor = 0;
    then_true(!kubelet_next_endpoint(r.kubelet, &cursor, &endpoint));
    then_int(r.writes, writes);
    rig_close(&r);
}

TEST(a_failed_status_write_of_the_kubelet_is_repeated)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    r.fail_next = 12;
    rig_run(&r, 120000);
    rig_mark_ready(&r, MARK1);
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_delete(&r, "rpc-0-0", 30);
    r.fail_next = 12;
    rig_run(&r, 120000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_close(&r);
}

/* --- scripts */

TEST(a_frozen_pod_does_not_change_and_does_not_answer)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_FREEZE}));
    rig_delete(&r, "rpc-0-0", 30);
    size_t writes = r.writes;
    rig_run(&r, 600000);
    then_int(r.writes, writes);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).fate, FATE_HANGS);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_THAW}));
    rig_run(&r, 60000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_close(&r);
}

TEST(a_pod_that_never_gets_ready_still_runs)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_NEVER_READY}));
    rig_run(&r, 60000);
    const Json *pod = *rig_pod(&r, "rpc-0-0");
    then_str(rig_ready(pod), "False");
    then_str(
        json_str(pod, ".status.conditions[2].message"), "containers with unready status: [seid]");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_READY_AGAIN}));
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

TEST(readiness_is_lost_by_probes_at_their_interval_however_often_the_kubelet_steps)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_NEVER_READY}));
    for (int second = 0; second < 19; second++) {
        rig_run(&r, 1000);
        then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 200);
    }
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_run(&r, 12000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    rig_close(&r);
}

TEST(a_task_that_watches_seid_gets_the_time_of_its_request)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    int64_t height = seid_height(&kubelet_find(r.kubelet, (Key){"sei", "rpc-0-0"})->seid, r.now_ms);
    const char *body = str_format(r.arena,
        "{\"id\":\"" MARK2 "\",\"type\":\"await-condition\","
        "\"params\":{\"condition\":\"height\",\"targetHeight\":%lld}}",
        (long long)height + 50);
    then_int(rig_ask(&r, "POST", "/v0/tasks", body).status, 201);
    rig_run(&r, 19000);
    then_true(strstr(rig_ask(&r, "GET", "/v0/tasks/" MARK2, NULL).body.data, "running") != NULL);
    rig_run(&r, 2000);
    then_true(strstr(rig_ask(&r, "GET", "/v0/tasks/" MARK2, NULL).body.data, "completed") != NULL);
    rig_close(&r);
}

TEST(a_slow_start_takes_the_ordered_time)
{
    NodeRig r;
    rig_open(&r, NULL);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_SLOW_START, .ms = 300000}));
    rig_claim(&r, NULL);
    rig_create(&r, NULL);
    rig_run(&r, 30000);
    rig_mark_ready(&r, MARK1);
    rig_run(&r, 290000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    rig_run(&r, 60000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

TEST(an_evicted_pod_fails_and_is_not_removed)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_EVICT}));
    rig_run(&r, 60000);
    const Json *pod = *rig_pod(&r, "rpc-0-0");
    then_str(json_str(pod, ".status.phase"), "Failed");
    then_str(json_str(pod, ".status.reason"), "Evicted");
    then_str(json_str(pod, ".status.conditions[5].type"), "DisruptionTarget");
    then_str(json_str(pod, ".status.conditions[5].reason"), "TerminationByKubelet");
    rig_run(&r, 600000);
    then_true(rig_pod(&r, "rpc-0-0") != NULL);
    rig_close(&r);
}

TEST(a_lost_node_stops_reporting_and_its_pods_are_evicted_in_the_end)
{
    NodeRig r;
    rig_open(&r, &(KubeletOptions){.nodes = 2});
    rig_bring_up(&r);
    const char *node = rig_status(&r, ".spec.nodeName");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_LOSE_NODE, .text = node}));
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).fate, FATE_HANGS);
    r.log = "";
    rig_run(&r, 39000);
    then_str(r.log, "");
    rig_run(&r, 2000);
    then_str(r.log, "status");
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "False");
    rig_run(&r, 301000);
    then_str(r.log, "status, delete");
    rig_delete(&r, "rpc-0-0", 30);
    rig_run(&r, 3600000);
    then_str(r.log, "status, delete");

    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_RESTORE_NODE, .text = node}));
    rig_run(&r, 60000);
    then_true(!rig_pod(&r, "rpc-0-0"));
    rig_close(&r);
}

TEST(a_node_that_comes_back_makes_its_pods_ready_again)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_bring_up(&r);
    const char *node = rig_status(&r, ".spec.nodeName");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_LOSE_NODE, .text = node}));
    rig_run(&r, 60000);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_RESTORE_NODE, .text = node}));
    rig_run(&r, 10000);
    then_str(rig_ready(*rig_pod(&r, "rpc-0-0")), "True");
    rig_close(&r);
}

TEST(a_volume_is_detached_from_a_lost_node_only_after_a_long_time)
{
    NodeRig r;
    rig_open(&r, &(KubeletOptions){.nodes = 2});
    rig_bring_up(&r);
    const char *node = rig_status(&r, ".spec.nodeName");
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_LOSE_NODE, .text = node}));
    rig_gone(&r, kind_pod, "rpc-0-0");
    rig_create(&r, "{metadata: {uid: 'pod-2'}}");
    rig_run(&r, 300000);
    then_str(rig_status(&r, ".status.initContainerStatuses[0].state.waiting.reason"),
        "ContainerCreating");
    rig_run(&r, 120000);
    then_str(rig_status(&r, ".status.phase"), "Running");
    then_int(kubelet_hazards(r.kubelet)->count, 0);
    rig_close(&r);
}

TEST(an_invalid_fault_command_for_a_kubelet_is_refused)
{
    static const struct {
        const char *name;
        KubeletOrder order;
    } cases[] = {
        {"a node that is none", {.deed = DEED_LOSE_NODE, .text = "node-9"}},
        {"an image without a name", {.deed = DEED_BAD_IMAGE}},
        {"an image that was never bad", {.deed = DEED_GOOD_IMAGE, .text = "x"}},
        {"the sidecar of no pod", {.deed = DEED_KILL_SIDECAR}},
        {"the eviction of no pod", {.deed = DEED_EVICT}},
        {"the disk of no pod", {.deed = DEED_FILL_DISK, .count = 1}},
        {"a crash of no pod, now or later", {.deed = DEED_CRASH}},
    };
    each_case(i, cases) {
        NodeRig r;
        rig_open(&r, NULL);
        then_true(!rig_order(&r, cases[i].order));
        rig_close(&r);
    }
}

TEST(fault_commands_reach_the_sidecar_and_the_disk)
{
    NodeRig r;
    rig_open(&r, NULL);
    then_true(rig_order(&r,
        (KubeletOrder){.deed = DEED_FAIL_TASK, .text = "config-patch", .count = 1, .error = "no"}));
    then_true(
        rig_order(&r, (KubeletOrder){.deed = DEED_TASK_TAKES, .text = "config-patch", .ms = 9000}));
    rig_bring_up(&r);
    then_int(
        rig_ask(&r,
            "POST",
            "/v0/tasks",
            "{\"id\":\"" MARK2 "\",\"type\":\"config-patch\",\"params\":{\"files\":{\"a\":{}}}}")
            .status,
        201);
    rig_run(&r, 60000);
    SidecarAnswer got = rig_ask(&r, "GET", "/v0/tasks/" MARK2, NULL);
    then_true(strstr(got.body.data, "\"error\":\"no\"") != NULL);

    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_FILL_DISK, .count = 1}));
    then_int(rig_ask(&r, "POST", "/v0/tasks", "{\"type\":\"mark-ready\"}").status, 400);
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_TEMPER, .temper = TEMPER_FAILING}));
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 503);
    rig_close(&r);
}

TEST(the_number_of_scripted_task_types_is_limited)
{
    NodeRig r;
    rig_open(&r, NULL);
    for (int i = 0; i < SIDECAR_RULES_MAX; i++)
        then_true(rig_order(&r,
            (KubeletOrder){
                .deed = DEED_TASK_TAKES, .text = str_format(r.arena, "t%d", i), .ms = 1}));
    then_true(!rig_order(&r, (KubeletOrder){.deed = DEED_TASK_TAKES, .text = "more", .ms = 1}));
    then_true(rig_order(&r, (KubeletOrder){.deed = DEED_TASK_TAKES, .text = "t1", .ms = 2}));
    rig_close(&r);
}

/* --- Jobs */

TEST(a_bootstrap_pod_ends_when_seid_has_reached_its_height)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r,
        "{spec: {restartPolicy: 'Never', containers: [{name: 'seid', image: 'seid:v6.4.1',"
        " args: ['wait; seid start --home \"$HOME\" --halt-height 1050;"
        " s=$?; [ $s -ne 130 ] || s=0; exit $s']}]}}");
    rig_run(&r, 30000);
    then_str(rig_status(&r, ".status.phase"), "Running");
    rig_mark_ready(&r, MARK1);
    rig_run(&r, 120000);
    const Json *pod = *rig_pod(&r, "rpc-0-0");
    then_str(json_str(pod, ".status.phase"), "Succeeded");
    then_str(json_str(pod, ".status.conditions[2].reason"), "PodCompleted");
    then_str(json_str(pod, ".status.containerStatuses[0].state.terminated.reason"), "Completed");
    then_true(json_str(pod, ".status.initContainerStatuses[1].state.terminated.reason") != NULL);
    rig_close(&r);
}

TEST(a_new_kubelet_takes_over_running_pods)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r,
        "{spec: {nodeName: 'node-2'}, status: {containerStatuses: [{name: 'seid',"
        " containerID: 'containerd://x', restartCount: 4}]}}");
    rig_run(&r, 60000);
    then_str(rig_status(&r, ".status.phase"), "Running");
    then_int(json_int(*rig_pod(&r, "rpc-0-0"), ".status.containerStatuses[0].restartCount", 0), 5);
    then_true(!strstr(r.log, "bind"));
    rig_close(&r);
}

TEST(a_pod_of_an_unknown_node_is_left_alone)
{
    NodeRig r;
    rig_open(&r, NULL);
    rig_claim(&r, NULL);
    rig_create(&r, "{spec: {nodeName: 'elsewhere'}}");
    rig_run(&r, 60000);
    then_str(r.log, "");
    rig_close(&r);
}
