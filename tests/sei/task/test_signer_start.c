/* Before a pod starts that signs: whoever else has its key, by the server itself. How nodes with
 * one key stand to each other is played in tests/sim/test_node_twins.c. */
#include "tests/sei/pods.h"

#define VALIDATOR                                                                                  \
    "spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 'key'}},"                \
    " nodeKey: {secret: {secretName: 'n'}}}}"
#define RUNNING "status: {phase: 'Running', statefulSet: {name: 'rpc-0', uid: '1'}}"

#define POD(volume)                                                                                \
    "{metadata: {name: 'by-hand', namespace: 'sei'}, spec: {containers: [{name: 'main', image: "   \
    "'x'}], volumes: [{name: 'v', " volume "}]}, status: {phase: 'Running'}}"

static const struct {
    const char *name, *pod, *change;
    bool is_held;
} pods[] = {
    {"no other pod", POD("emptyDir: {}"), ABSENT},
    {"a pod with the key", POD("secret: {secretName: 'key'}"), .is_held = true},
    {"a pod that has it among other things",
        POD("projected: {sources: [{configMap: {name: 'c'}}, {secret: {name: 'key'}}]}"),
        .is_held = true},
    {"a pod that is terminating",
        POD("secret: {secretName: 'key'}"),
        "{metadata: {finalizers: ['t.io/x'], deletionTimestamp: '2026-01-01T00:00:00Z'}}",
        .is_held = true},
    {"a pod that says it is of another node",
        POD("secret: {secretName: 'key'}"),
        "{metadata: {labels: {'sei.io/node': 'rpc-1'}}}",
        .is_held = true},
    {"a pod that has ended", POD("secret: {secretName: 'key'}"), "{status: {phase: 'Failed'}}"},
    {"a pod with another key", POD("secret: {secretName: 'other'}")},
    {"the pod that our own StatefulSet left behind",
        POD("secret: {secretName: 'key'}"),
        "{metadata: {name: 'rpc-0-0', labels: {'sei.io/node': 'rpc-0'}, ownerReferences: ["
        " {apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'rpc-0', uid: '1', controller: "
        "true}]}}"},
};

static const char *const nodes[] = {"{" VALIDATOR "}", "{" VALIDATOR ", " RUNNING "}"};

/* One list, whether the node is born or comes back. */
TEST(no_pod_is_started_while_another_pod_has_its_signing_key)
{
    for (size_t n = 0; n < array_count(nodes); n++)
        each_case(i, pods) {
            SCOPED_WORLD w = world_of(nodes[n]);
            given(w, kind_pod, pods[i].pod, pods[i].change);

            Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);

            then_err(err, pods[i].is_held ? WAIT("in use by pod by-hand") : OKAY);
            then_str(
                w->said, pods[i].is_held ? "list pods" : "list pods, apply statefulsets rpc-0");
            then_int(w->run.look_again_ms, err ? 5000 : 0);
            if (err)
                then_str(err->reason, "SigningKeyInUse");
        }
}

TEST(no_statefulset_is_scaled_from_0_to_1_while_another_pod_has_its_signing_key)
{
    SCOPED_WORLD w = world_of("{" VALIDATOR "}");

    world_render(w, REPLICAS_ZERO);
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    then_str(w->said, "apply statefulsets rpc-0"); /* nothing starts: nobody is asked */
    world_render(w, REPLICAS_ONE);
    given(w, kind_pod, pods[1].pod, NULL);
    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("in use by pod by-hand"));
    then_str(w->said, "list pods");
    deleted(w, kind_pod, "by-hand");
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
}

TEST(a_running_node_gets_no_signing_key_that_another_pod_has)
{
    SCOPED_WORLD w = world_of("{spec: {fullNode: null, validator: {}}, " RUNNING "}");

    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    world_set_node(w, "{" VALIDATOR ", " RUNNING "}");
    given(w, kind_pod, pods[1].pod, NULL);
    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("in use by pod by-hand"));
    then_true(!statefulset_mounts_secret(stored(w, kind_statefulset, "rpc-0"), "key"));
    deleted(w, kind_pod, "by-hand");
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    then_true(statefulset_mounts_secret(stored(w, kind_statefulset, "rpc-0"), "key"));

    /* What it has is not asked about again. */
    world_set_node(w,
        "{" VALIDATOR ", " RUNNING ", metadata: {annotations: {"
        "'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z'}}}");
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    then_str(w->said, "apply statefulsets rpc-0");
}

TEST(a_validator_waits_without_api_calls_while_another_one_with_its_key_is_started)
{
    SCOPED_WORLD w = world_of("{" VALIDATOR "}");
    Key other = {.namespace = "sei", .name = "rpc-1"};

    start_locks_see(w->start_locks, other, exclusive_key("key"));
    then_int(start_locks_take(w->start_locks, other, exclusive_key("key"), 0), START_MAY_LOOK);
    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("is being started"));
    then_str(w->said, NULL);
    start_locks_give_up(w->start_locks, other, exclusive_key("key"));
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    then_int(start_locks_take(w->start_locks, other, exclusive_key("key"), 0),
        START_MUST_WAIT); /* until its next pass */
}

/* The operator before this one may have made it a moment ago, and no cache shows it yet. */
TEST(a_statefulset_that_no_cache_has_yet_is_found_before_a_validator_starts)
{
    SCOPED_WORLD w = world_of("{" VALIDATOR "}");

    start_locks_see(
        w->start_locks, (Key){.namespace = "sei", .name = "rpc-1"}, exclusive_key("key"));
    given(w,
        kind_statefulset,
        "{metadata: {name: 'rpc-1', namespace: 'sei'}, spec: {serviceName: 'rpc-1', selector: "
        "{matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, spec: {containers: "
        "[{name: 'seid', image: 'x'}], volumes: [{name: 'signing-key', secret: {secretName: "
        "'key'}}]}}}}",
        NULL);
    Err *err = when_task_runs(w, TASK_APPLY_STATEFULSET);
    then_err(err, WAIT("in use by node rpc-1"));
    then_str(err->reason, "SigningKeyInUse");
    then_str(w->said, "list pods, get statefulsets rpc-1");
    changed(w, kind_statefulset, "rpc-1", NULL, "{spec: {replicas: 0}}");
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
}

TEST(a_start_that_another_pod_blocks_releases_the_lock_of_its_key)
{
    SCOPED_WORLD w = world_of("{" VALIDATOR "}");
    Key other = {.namespace = "sei", .name = "rpc-1"};

    start_locks_see(w->start_locks, other, exclusive_key("key"));
    given(w, kind_pod, pods[1].pod, NULL);
    then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("in use by pod by-hand"));
    then_int(start_locks_take(w->start_locks, other, exclusive_key("key"), 0), START_MAY_LOOK);
}
