/* Every way in which a running pod can differ from what is wanted is noticed, explained and rolled
 * out by a plan: once. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

static void given_running_node(Play *p)
{
    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    play_mark(p);
}

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

/* One pod was deleted, the new one is of what is wanted, and no bootstrap was repeated. */
static void then_rolled_once(Play *p)
{
    const SeiNode *node = play_node(p, "rpc-0");
    const Json *pod = play_find(p, kind_pod, "rpc-0-0");

    then_settled(p);
    if (play_pods_deleted(p) != 1)
        play_tell(p);
    then_int(play_pods_deleted(p), 1);
    then_str(node->status.pod_template_hash, meta_annotation(pod, ANNOTATION_TEMPLATE_HASH));
    then_int(play_tasks_posted(p, "mark-ready"), 1);
    then_int(play_tasks_posted(p, NULL), 1);
    then_str(play_reason(p, "rpc-0", COND_NODE_UPDATE), "UpdateComplete");
}

static const struct {
    const char *name, *change;
} spec_changes[] = {
    {"the image", "{spec: {image: 'ghcr.io/example/seid:v2'}}"},
    {"the sidecar's image", "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v9'}}}"},
    {"the sidecar's port", "{spec: {sidecar: {port: 7778}}}"},
    {"the sidecar's resources",
        "{spec: {sidecar: {resources: {requests: {cpu: '500m', memory: '1Gi'}}}}}"},
    {"a restart on request",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T00:00:00Z'}}}"},
};

TEST(a_changed_spec_replaces_the_pod_once)
{
    each_case(i, spec_changes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_running_node(p);
        play_patch(p, kind_seinode, "rpc-0", spec_changes[i].change);
        then_settled(p);
        then_rolled_once(p);
        const SeiNode *node = play_node(p, "rpc-0");
        then_str(node->status.plan.cause, "spec");
    }
}

static void change_cpu(Settings *s)
{
    s->cpu = "8";
}

static void change_proxy(Settings *s)
{
    s->proxy_image = "quay.io/brancz/kube-rbac-proxy:v0.20.0";
}

static void change_bucket(Settings *s)
{
    s->snapshot_bucket = "another-bucket";
}

static void change_pool(Settings *s)
{
    s->nodepool = "sei-node-large";
}

static void change_grace(Settings *s)
{
    s->termination_grace_seconds = 900;
}

static const struct {
    const char *name;
    void (*change)(Settings *s);
} setting_changes[] = {
    {"resources", change_cpu},
    {"an image", change_proxy},
    {"an env", change_bucket},
    {"scheduling", change_pool},
    {"grace", change_grace},
};

TEST(changed_operator_settings_replace_the_pod_once)
{
    each_case(i, setting_changes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_running_node(p);
        setting_changes[i].change(play_settings(p));
        replica_crash(play_replica(p, 0));
        play_run(p, 5000);
        then_settled(p);
        then_rolled_once(p);
        then_str(play_node(p, "rpc-0")->status.plan.cause, "platform");
    }
}

/* The words fit every turn of the loop. They change when the restarts reach the next step (5+), and
 * the node becomes Stalled once, after five minutes, whether the operator runs all along or not. */
TEST(a_crash_loop_costs_a_few_status_writes_and_not_one_per_restart)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    given_running_node(p);
    play_order(p, "never-ready sei/rpc-0-0");
    play_order(p, "crash sei/rpc-0-0 20");
    play_run(p, 60000);
    then_str(play_condition(p, "rpc-0", COND_READY), "False");
    then_true(strstr(play_message(p, "rpc-0", COND_READY), "is crash-looping"));
    play_mark(p);
    play_run(p, 200000);
    then_str(play_reason(p, "rpc-0", COND_STALLED), "NotStalled");
    replica_crash(play_replica(p, 0));
    play_run(p, 100000);
    then_str(play_reason(p, "rpc-0", COND_STALLED), "CrashLoop");
    play_run(p, 600000);
    if (play_writes(p, -1, kind_seinode) > 3)
        play_tell(p);
    then_true(play_writes(p, -1, kind_seinode) <= 3);
}

/* Who waits for a permit is woken when it is his turn, and asks for nothing before. */
static int passes(Play *p)
{
    const char *total =
        play_metrics(p, "controller_runtime_reconcile_total{controller=\"seinode\"");
    int sum = 0;

    for (; (total = strchr(total, '}')); total++)
        sum += (int)strtol(total + 1, NULL, 10);
    return sum;
}

TEST(reporting_a_wait_does_not_requeue_the_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){0});

    given_running_node(p);
    play_order(p, "slow-stop sei/rpc-0-0 60000");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    play_run(p, 1500);
    then_str(play_node(p, "rpc-0")->status.plan.waiting, NULL);
    int before = passes(p);
    play_run(p, 10000);
    then_str(play_node(p, "rpc-0")->status.plan.waiting,
        "observe-image: pod rpc-0-0 is still terminating");
    then_int(passes(p) - before, 1);
}

TEST(an_upgrade_goes_from_node_to_node_without_a_pause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});
    static const char *const names[] = {"rpc-0", "rpc-1", "rpc-2", "rpc-3"};

    for (size_t i = 0; i < array_count(names); i++)
        play_create_node(p, names[i], "{}");
    then_settled(p);
    play_mark(p);
    setting_changes[0].change(play_settings(p));
    replica_crash(play_replica(p, 0));
    play_run(p, 280000); /* less than the look of one that nobody wakes */
    then_settled(p);
    then_int(play_pods_deleted(p), (int)array_count(names));
    for (size_t i = 0; i < array_count(names); i++)
        then_str(play_condition(p, names[i], COND_UP_TO_DATE), "True");
}

TEST(a_restarted_operator_restarts_no_pod)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_running_node(p);
    for (int i = 0; i < 3; i++) {
        replica_crash(play_replica(p, 0));
        play_run(p, 5000);
        then_settled(p);
    }
    if (play_writes(p, -1, NULL))
        play_tell(p);
    then_int(play_writes(p, -1, NULL), 0);
}

TEST(new_pod_labels_reach_the_live_pod_without_a_restart)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_running_node(p);
    const char *uid = meta_uid(play_find(p, kind_pod, "rpc-0-0"));
    play_patch(p, kind_seinode, "rpc-0", "{spec: {podLabels: {team: 'blue'}}}");
    then_settled(p);
    then_int(play_pods_deleted(p), 0);
    then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), uid);
    then_str(meta_label(play_find(p, kind_pod, "rpc-0-0"), "team"), "blue");
    then_str(meta_label(play_find(p, kind_statefulset, "rpc-0"), "team"), "blue");
}

/* The server takes no patch of a pod while this is true. */
static PortFault refuse_pods(void *self, const PortCall *call)
{
    const bool *refuses = self;
    bool is_pod = call->request && call->request->verb == VERB_MERGE_PATCH
        && kind_eq(call->request->kind, kind_pod);

    return *refuses && is_pod ? (PortFault){.kind = PORT_REFUSED, .status = 403} : (PortFault){0};
}

static bool says_forbidden(Play *p, const char *name)
{
    const char *message = play_message(p, name, COND_RECONCILING);

    return message && strstr(message, "pods") && strstr(message, "forbidden");
}

TEST(a_pod_that_cannot_be_labelled_is_reported_in_the_conditions)
{
    bool refuses = true;
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 13, .judge = refuse_pods, .judge_self = &refuses}});

    given_running_node(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {podLabels: {team: 'blue'}}}");
    then_true(play_until(p, says_forbidden, "rpc-0"));
    then_str(play_condition(p, "rpc-0", COND_RECONCILING), "True");
    refuses = false;
    then_settled(p);
    then_str(meta_label(play_find(p, kind_pod, "rpc-0-0"), "team"), "blue");
    then_str(play_condition(p, "rpc-0", COND_RECONCILING), "False");
}

TEST(the_template_of_a_relabelled_pod_is_read_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    given_running_node(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {podLabels: {team: 'blue'}}}");
    then_settled(p);
    play_mark(p);
    for (int i = 0; i < 5; i++) {
        play_patch(p, kind_seinode, "rpc-0", "{metadata: {annotations: {a: 'b'}}}");
        play_run(p, 10000);
        play_patch(p, kind_seinode, "rpc-0", "{metadata: {annotations: {a: 'c'}}}");
        play_run(p, 10000);
    }
    then_int(play_requests(p), 0);
}

TEST(an_image_update_costs_at_most_six_requests)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    given_running_node(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_settled(p);
    print_message("# %d requests, of them %d reads, and %d that tell what it waits for\n",
        play_requests(p) - play_waits_told(p),
        play_reads(p),
        play_waits_told(p));
    then_true(play_reads(p) <= 1);
    then_true(play_requests(p) - play_waits_told(p) <= 6);
    then_true(play_requests(p) <= 11);
}

static bool waits_for_image(Play *p, const char *name)
{
    const SeiNode *node = play_node(p, name);

    return node->status.plan.waiting && strstr(node->status.plan.waiting, "pull");
}

TEST(a_bad_image_is_reported_and_a_corrected_spec_supersedes_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    given_running_node(p);
    play_order(p, "bad-image seid:bad");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:bad'}}");
    then_true(play_until(p, waits_for_image, "rpc-0"));
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v1");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v3'}}");
    then_settled(p);
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v3");
}

CAMPAIGN(an_image_edit_can_be_reverted_at_any_time)
{
    for (int64_t after_ms = 0; after_ms < 20000; after_ms += 997) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}});

        given_running_node(p);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        play_run(p, after_ms);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v1'}}");
        then_settled(p);
        then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v1");
    }
}

TEST(a_seid_that_is_halted_at_an_upgrade_height_is_replaced_by_a_new_image)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    given_running_node(p);
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");
    int64_t now = world_now_ms(sim_world(play_sim(p)));
    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 600000);
    then_str(play_condition(p, "rpc-0", COND_READY), "False");
    play_mark(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_settled(p);
    then_rolled_once(p);
}

static bool is_ready(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_READY), "True")
        && str_eq(play_condition(p, name, COND_RECONCILING), "False");
}

TEST(an_image_that_crashes_can_be_reverted_at_any_time)
{
    for (int64_t after_ms = 500; after_ms < 60000; after_ms += 9973) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}});

        given_running_node(p);
        play_order(p, "crash sei/rpc-0-0 4");
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        play_run(p, after_ms);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v1'}}");
        play_run(p, 1000);
        then_true(play_until(p, is_ready, "rpc-0"));
        then_settled(p);
        then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v1");
        then_true(play_pods_deleted(p) <= 2);
    }
}

TEST(relabelling_during_an_update_deletes_no_pod_twice)
{
    for (int64_t after_ms = 0; after_ms < 15000; after_ms += 1499) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}});

        given_running_node(p);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        play_run(p, after_ms);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {podLabels: {team: 'blue'}}}");
        then_settled(p);
        then_int(play_pods_deleted(p), 1);
        then_str(meta_label(play_find(p, kind_pod, "rpc-0-0"), "team"), "blue");
        then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
    }
}
