/* Applying the objects of a node: only what is ours, and nothing that is right already. The Service
 * and the ConfigMap stand for all; the StatefulSet has more of its own (test_apply_statefulset.c).
 */
#include "tests/sei/world.h"

#define OWNER(kind, name, uid)                                                                     \
    "ownerReferences: [{apiVersion: 'v1', kind: '" kind "', name: '" name "', uid: '" uid          \
    "', controller: true}]"
#define APPLIED "get services rpc-0, apply services rpc-0"

static const char service[] =
    "{metadata: {name: 'rpc-0', namespace: 'sei', labels: {'sei.io/node': 'rpc-0'}},"
    " spec: {clusterIP: 'None', selector: {'sei.io/node': 'rpc-0'}, ports: [{name: 'old', port: "
    "1}]}}";

static const struct {
    const char *name, *there, *said;
    bool dying;
    Want want;
} cases[] = {
    {"what is missing is made", ABSENT, APPLIED},
    {"an object of the node is corrected",
        "{metadata: {" OWNER("SeiNode", "rpc-0", SAMPLE_UID) "}}",
        "apply services rpc-0"},
    {"an object without an owner and with our selector is adopted", NULL, "apply services rpc-0"},
    {"the same without our label is found all the same", "{metadata: {labels: null}}", APPLIED},
    {"an object without an owner that selects other pods is left alone",
        "{spec: {selector: {app: 'x'}}}",
        .want = TERMINAL("selects other pods")},
    {"an object without an owner and without a selector is left alone",
        "{metadata: {labels: null}, spec: {selector: null}}",
        "get services rpc-0",
        .want = TERMINAL("left alone")},
    {"what another controller owns is left alone",
        "{metadata: {" OWNER("Rollout", "blue", "9") "}}",
        .want = TERMINAL("belongs to Rollout blue")},
    {"what an earlier node of this name owned is waited for",
        "{metadata: {" OWNER("SeiNode", "rpc-0", "9") "}}",
        .want = WAIT("earlier SeiNode's")},
    {"what another node owns is left alone",
        "{metadata: {" OWNER("SeiNode", "rpc-1", "9") "}}",
        .want = TERMINAL("belongs to SeiNode rpc-1")},
    {"what is being deleted is waited for",
        "{metadata: {finalizers: ['t.io/x'], " OWNER("SeiNode", "rpc-0", SAMPLE_UID) "}}",
        .dying = true,
        .want = WAIT("being deleted")},
};

TEST(an_object_is_applied_only_if_the_node_owns_it_or_it_does_not_exist)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        const Json *there = given(w, kind_service, service, cases[i].there);
        if (cases[i].dying)
            deleted(w, kind_service, "rpc-0");

        Err *err = when_task_runs(w, TASK_APPLY_SERVICE);

        then_err(err, cases[i].want);
        then_str(w->said, cases[i].said);
        const Json *now = stored(w, kind_service, "rpc-0");
        if (there)
            then_str(meta_uid(now), meta_uid(there));
        then_true(cases[i].want || meta_controlled_by(now, w->node.object));
        if (err_is(err, ERR_TERMINAL)) {
            then_str(err->reason, "ForeignObject");
            then_str(meta_resource_version(now), meta_resource_version(there));
        }
    }
}

static const struct {
    const char *name;
    TaskType type;
} tasks[] = {
    {"Service", TASK_APPLY_SERVICE},
    {"ConfigMap", TASK_APPLY_RBAC_PROXY_CONFIG},
    {"StatefulSet", TASK_APPLY_STATEFULSET},
};

TEST(a_correct_object_is_applied_without_a_write)
{
    each_case(i, tasks) {
        SCOPED_WORLD w = world_of(NULL);
        then_ok(when_task_runs(w, tasks[i].type));
        then_true(w->said != NULL);
        then_ok(when_task_runs(w, tasks[i].type));
        then_str(w->said, NULL);
    }
}

TEST(a_correct_object_that_is_being_deleted_is_awaited)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_SERVICE));
    changed(w, kind_service, "rpc-0", NULL, "{metadata: {finalizers: ['t.io/x']}}");
    deleted(w, kind_service, "rpc-0");

    then_err(when_task_runs(w, TASK_APPLY_SERVICE), WAIT("being deleted"));
}

TEST(a_correct_object_of_an_earlier_seinode_is_left_alone)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_SERVICE));
    w->node = sample_node(w->arena, "{metadata: {uid: 'another'}}"); /* a new node of this name */

    then_err(when_task_runs(w, TASK_APPLY_SERVICE), WAIT("earlier SeiNode's"));
}

TEST(an_apply_carries_the_uid_and_the_resource_version_that_were_read)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *there = given(w, kind_service, service, NULL);

    then_ok(when_task_runs(w, TASK_APPLY_SERVICE));

    then_str(meta_uid(w->sent), meta_uid(there));
    then_str(meta_resource_version(w->sent), meta_resource_version(there));
}

TEST(a_manual_edit_of_a_managed_field_is_reverted)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(when_task_runs(w, TASK_APPLY_RBAC_PROXY_CONFIG));
    changed(w, kind_configmap, "rpc-0-rbac-proxy-config", NULL, "{data: {'config.yaml': 'open'}}");

    then_ok(when_task_runs(w, TASK_APPLY_RBAC_PROXY_CONFIG));

    const Json *config = stored(w, kind_configmap, "rpc-0-rbac-proxy-config");
    then_true(json_equal(json_find(config, ".data"), json_find(w->wanted.proxy_config, ".data")));
}

TEST(a_foreign_configmap_with_other_keys_is_not_touched)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w,
        kind_configmap,
        "{metadata: {name: 'rpc-0-rbac-proxy-config', namespace: 'sei'}, data: {other: 'x'}}",
        NULL);

    then_err(when_task_runs(w, TASK_APPLY_RBAC_PROXY_CONFIG), TERMINAL("left alone"));
}

static void nothing(TaskWorld *w)
{
    (void)w;
}

TEST(each_api_call_of_applying_an_object_may_fail_and_the_retry_completes_it)
{
    each_case(i, tasks)
        each_fault(nothing, tasks[i].type)
            ;
}
