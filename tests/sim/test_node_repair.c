/* What a running node owns comes back when it is deleted, on the same volume, and without a
 * bootstrap. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

typedef struct Before {
    const char *volume_uid;
} Before;

static Before given_running_node(Play *p)
{
    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    play_mark(p);
    return (Before){meta_uid(play_find(p, kind_pvc, "data-rpc-0"))};
}

static void then_whole(Play *p, Before before)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_true(play_find(p, kind_statefulset, "rpc-0") != NULL);
    then_true(play_find(p, kind_service, "rpc-0") != NULL);
    then_true(play_find(p, kind_configmap, "rpc-0-rbac-proxy-config") != NULL);
    then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-0")), before.volume_uid);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

static const struct {
    const char *name;
    bool statefulset, service, configmap;
    Propagation how;
} deletions[] = {
    {"the StatefulSet", .statefulset = true},
    {"the StatefulSet, orphaning its pod", .statefulset = true, .how = PROPAGATION_ORPHAN},
    {"the StatefulSet, in the foreground", .statefulset = true, .how = PROPAGATION_FOREGROUND},
    {"the Service", .service = true},
    {"the ConfigMap", .configmap = true},
    {"all at once", .statefulset = true, .service = true, .configmap = true},
};

static void delete_some(Play *p, size_t i)
{
    if (deletions[i].statefulset)
        play_delete_how(p, kind_statefulset, "rpc-0", deletions[i].how);
    if (deletions[i].service)
        play_delete(p, kind_service, "rpc-0");
    if (deletions[i].configmap)
        play_delete(p, kind_configmap, "rpc-0-rbac-proxy-config");
}

TEST(deleted_objects_of_a_node_at_rest_are_created_again)
{
    each_case(i, deletions) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        Before before = given_running_node(p);

        delete_some(p, (size_t)i);
        then_whole(p, before);
        then_int(play_pods_deleted(p), 0);
    }
}

TEST(deleted_objects_of_a_node_are_back_within_a_second)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_running_node(p);
    play_delete(p, kind_service, "rpc-0");
    play_delete(p, kind_configmap, "rpc-0-rbac-proxy-config");
    play_delete(p, kind_statefulset, "rpc-0");
    play_run(p, 1000);
    then_true(play_find(p, kind_service, "rpc-0") != NULL);
    then_true(play_find(p, kind_configmap, "rpc-0-rbac-proxy-config") != NULL);
    then_true(play_find(p, kind_statefulset, "rpc-0") != NULL);
}

CAMPAIGN(objects_that_are_deleted_during_an_update_come_back_and_the_update_completes)
{
    for (int64_t after_ms = 0; after_ms < 15000; after_ms += 1499)
        each_case(i, deletions) {
            SCOPED_PLAY p =
                play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms + (uint64_t)i}});
            Before before = given_running_node(p);

            play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
            play_run(p, after_ms);
            delete_some(p, (size_t)i);
            then_whole(p, before);
            then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
        }
}

TEST(objects_that_are_deleted_while_the_node_is_paused_come_back_without_a_pod)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});
    Before before = given_running_node(p);

    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: true}}");
    play_run(p, 60000);
    then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
    delete_some(p, 5);
    play_run(p, 60000);
    then_true(play_find(p, kind_statefulset, "rpc-0") != NULL);
    then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
    then_str(play_reason(p, "rpc-0", COND_READY), "Paused");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: null}}");
    then_whole(p, before);
}

TEST(a_manual_edit_of_a_statefulset_is_reverted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});
    Before before = given_running_node(p);

    play_patch(p,
        kind_statefulset,
        "rpc-0",
        "{spec: {template: {spec: {terminationGracePeriodSeconds: 1}}}}");
    then_whole(p, before);
    then_int((int)json_int(play_find(p, kind_statefulset, "rpc-0"),
                 ".spec.template.spec.terminationGracePeriodSeconds",
                 0),
        600);
    then_int(play_pods_deleted(p), 0);
}

TEST(a_manual_edit_that_reached_a_pod_is_detected_and_rolled_back)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});
    Before before = given_running_node(p);

    replica_end(play_replica(p, 0));
    play_run(p, 5000);
    play_patch(p,
        kind_statefulset,
        "rpc-0",
        "{spec: {template: {spec: {terminationGracePeriodSeconds: 1}}}}");
    play_delete(p, kind_pod, "rpc-0-0");
    play_run(p, 30000);
    const Json *pod = play_find(p, kind_pod, "rpc-0-0");
    then_int((int)json_int(pod, ".spec.terminationGracePeriodSeconds", 0), 1);
    play_mark(p);
    replica_start(play_replica(p, 0));
    then_whole(p, before);
    pod = play_find(p, kind_pod, "rpc-0-0");
    then_int((int)json_int(pod, ".spec.terminationGracePeriodSeconds", 0), 600);
    then_int(play_pods_deleted(p), 1);
}

CAMPAIGN(objects_that_are_deleted_during_an_init_come_back_and_the_init_completes)
{
    for (int64_t after_ms = 100; after_ms < 14000; after_ms += 1999)
        each_case(i, deletions) {
            SCOPED_PLAY p =
                play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms + (uint64_t)i}});

            play_create_node(p, "rpc-0", "{}");
            play_run(p, after_ms);
            if (!play_find(p, kind_service, "rpc-0"))
                continue; /* there is nothing to delete yet */
            Before before = {meta_uid(play_find(p, kind_pvc, "data-rpc-0"))};
            delete_some(p, (size_t)i);
            const char *wrong = play_settle(p);
            if (wrong)
                play_tell(p);
            then_str(wrong, NULL);
            then_str(play_condition(p, "rpc-0", COND_READY), "True");
            then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-0")), before.volume_uid);
            then_int(play_tasks_posted(p, "configure-genesis"), 1);
            then_int(play_tasks_posted(p, "config-apply"), 1);
            then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
        }
}

/* --- while an approval waits -------------------------------------------------------------------
 */

static bool waits_for_approval(Play *p)
{
    const NodeStatus *status = &play_node(p, "rpc-0")->status;

    return status->has_plan && status->plan.kind == PLAN_MARK_READY
        && status->plan.phase == PLAN_ACTIVE;
}

TEST(a_manual_edit_is_reverted_while_an_approval_is_pending)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 80}});
    static const char grace[] = ".spec.template.spec.terminationGracePeriodSeconds";
    Before before = given_running_node(p);

    play_order(p, "kill-sidecar sei/rpc-0-0");
    play_order(p, "task-takes sei/rpc-0-0 mark-ready 90000");
    play_run(p, 45000);
    then_true(waits_for_approval(p));
    play_mark(p);
    play_patch(p,
        kind_statefulset,
        "rpc-0",
        "{spec: {template: {spec: {terminationGracePeriodSeconds: 7}}}}");
    play_run(p, 2000);
    then_int(json_int(play_find(p, kind_statefulset, "rpc-0"), grace, 0), 600);
    play_patch(p, kind_service, "rpc-0", "{spec: {publishNotReadyAddresses: false}}");
    play_run(p, 12000); /* the second repair in a row has a back-off */
    then_true(
        json_bool(play_find(p, kind_service, "rpc-0"), ".spec.publishNotReadyAddresses", false));
    then_true(play_writes(p, -1, kind_statefulset) <= 2);
    then_whole(p, before);
    then_int(play_pods_deleted(p), 0);
}
