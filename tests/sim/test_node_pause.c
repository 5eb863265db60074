/* Somebody needs the volume of a node for a while: he scales its StatefulSet to 0, or pauses the
 * node, runs a job on the volume, and takes it back. seid is never started under the job, whatever
 * is deleted meanwhile. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

enum { LOOK_MS = 100 };

#define ANALYZER                                                                                   \
    "{containers: [{name: 'look', image: 'analyzer:v1', volumeMounts: [{name: 'd', mountPath: "    \
    "'/d'}]}], volumes: [{name: 'd', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]"

static const char analyzer_pod[] =
    "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'analyzer'}, spec: " ANALYZER "}}";
static const char analyzer_job[] =
    "{apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'analyzer'}, spec: {template: "
    "{spec: " ANALYZER ", restartPolicy: 'Never'}}}}";

static const char marked[] =
    "{metadata: {annotations: {'sei.io/maintenance': '{\"run\": \"0123456789ab\", \"by\": "
    "\"alice\", \"since\": \"2026-01-01T00:00:00Z\", \"image\": \"analyzer:v1\"}'}}}";

/* How the pod is taken down, and how it is brought back. */
typedef enum Way { BY_HAND, BY_PAUSE, BY_MARK, BY_WORD } Way;

static const struct {
    const char *name;
    Way way;
    Reason ready;
} ways[] = {
    {"scaled by hand", BY_HAND, REASON_SCALED_BY_HAND},
    {"paused", BY_PAUSE, REASON_PAUSED},
    {"marked, though nothing says paused", BY_MARK, REASON_PAUSED},
    {"marked with what cannot be read", BY_WORD, REASON_PAUSED},
};

static void take_down(Play *p, Way way)
{
    if (way == BY_HAND)
        play_scale(p, "rpc-0", 0);
    else if (way == BY_MARK)
        play_patch(p, kind_seinode, "rpc-0", marked);
    else if (way == BY_WORD)
        play_patch(
            p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/maintenance': 'yes'}}}");
    else
        play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: true}}");
}

static void bring_back(Play *p, Way way)
{
    if (way == BY_HAND)
        play_scale(p, "rpc-0", 1);
    else if (way == BY_MARK || way == BY_WORD)
        play_patch(
            p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/maintenance': null}}}");
    else
        play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: null}}");
}

static bool is_down(Play *p, const char *name)
{
    return !play_find(p, kind_pod, str_format(play_arena(p), "%s-0", name));
}

static const char *given_running_node(Play *p)
{
    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    play_mark(p);
    return meta_uid(play_find(p, kind_pvc, "data-rpc-0"));
}

static void given_node_that_is_down(Play *p, Way way)
{
    take_down(p, way);
    then_true(play_until(p, is_down, "rpc-0"));
}

/* Time passes, and at no moment of it there is a pod that could run seid. */
static void run_without_pod(Play *p, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += LOOK_MS) {
        play_run(p, LOOK_MS);
        if (!is_down(p, "rpc-0"))
            play_tell(p);
        then_true(is_down(p, "rpc-0"));
    }
}

static void then_runs_on(Play *p, const char *volume_uid)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-0")), volume_uid);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

TEST(a_node_that_is_paused_or_scaled_to_0_stays_down_until_it_is_resumed)
{
    each_case(i, ways) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p);

        given_node_that_is_down(p, ways[i].way);
        run_without_pod(p, 60000);
        then_str(play_reason(p, "rpc-0", COND_READY), reason_text(ways[i].ready));
        replica_crash(play_replica(p, 0));
        run_without_pod(p, 60000);
        play_create(p, kind_job, analyzer_job);
        run_without_pod(p, 60000);
        then_int((int)json_int(play_find(p, kind_job, "analyzer"), ".status.succeeded", 0), 1);
        then_str(play_reason(p, "rpc-0", COND_READY), reason_text(ways[i].ready));
        bring_back(p, ways[i].way);
        then_runs_on(p, uid);
    }
}

TEST(an_edit_of_a_stopped_node_is_rolled_out_when_the_node_is_resumed)
{
    each_case(i, ways) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10 + (uint64_t)i}});
        const char *uid = given_running_node(p);

        given_node_that_is_down(p, ways[i].way);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        run_without_pod(p, 60000);
        bring_back(p, ways[i].way);
        then_runs_on(p, uid);
        then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
        then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
    }
}

TEST(a_node_that_is_unpaused_while_a_job_uses_its_volume_waits_for_the_volume)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});
    const char *uid = given_running_node(p);

    given_node_that_is_down(p, BY_PAUSE);
    play_create(p, kind_pod, analyzer_pod);
    run_without_pod(p, 10000);
    bring_back(p, BY_PAUSE);
    run_without_pod(p, 60000);
    then_str(play_condition(p, "rpc-0", COND_READY), "False");
    then_str(play_reason(p, "rpc-0", COND_READY), "VolumeInUse");
    then_true(strstr(play_message(p, "rpc-0", COND_READY), "analyzer") != NULL);
    then_str(play_condition(p, "rpc-0", COND_RECONCILING), "True");

    play_mark(p);
    replica_crash(play_replica(p, 0));
    run_without_pod(p, 60000);
    then_str(play_reason(p, "rpc-0", COND_READY), "VolumeInUse");
    then_int(play_writes(p, -1, kind_seinode), 0); /* what was told is not taken back */
    play_delete(p, kind_pod, "analyzer");
    then_runs_on(p, uid);
}

/* The StatefulSet goes while the job is at work: by the way that a node is brought back by hand, a
 * deleted StatefulSet comes back by itself, but not before the volume is free. */
CAMPAIGN(no_pod_starts_while_a_job_uses_the_volume_although_the_statefulset_was_deleted)
{
    for (int64_t after_ms = 0; after_ms < 12000; after_ms += 2399)
        each_case(i, ways) {
            SCOPED_PLAY p =
                play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms + (uint64_t)i}});
            const char *uid = given_running_node(p);

            given_node_that_is_down(p, ways[i].way);
            play_create(p, kind_pod, analyzer_pod);
            run_without_pod(p, after_ms);
            play_delete(p, kind_statefulset, "rpc-0");
            run_without_pod(p, 40000);
            if (ways[i].way != BY_HAND)
                bring_back(p, ways[i].way);
            run_without_pod(p, 20000);
            then_str(play_reason(p, "rpc-0", COND_READY), "VolumeInUse");
            play_delete(p, kind_pod, "analyzer");
            then_runs_on(p, uid);
        }
}

/* At any moment of the way down, before the job has begun. */
CAMPAIGN(a_statefulset_that_is_deleted_while_its_node_stops_comes_back_and_the_node_runs_again)
{
    for (int64_t after_ms = 0; after_ms < 4000; after_ms += 397)
        each_case(i, ways) {
            SCOPED_PLAY p =
                play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms + (uint64_t)i}});
            const char *uid = given_running_node(p);

            take_down(p, ways[i].way);
            play_run(p, after_ms);
            play_delete(p, kind_statefulset, "rpc-0");
            play_run(p, 30000);
            if (ways[i].way != BY_HAND) {
                then_true(is_down(p, "rpc-0"));
                bring_back(p, ways[i].way);
            }
            then_runs_on(p, uid);
        }
}

TEST(pausing_and_unpausing_restarts_a_node_that_was_scaled_to_0_by_hand)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});
    const char *uid = given_running_node(p);

    given_node_that_is_down(p, BY_HAND);
    play_create(p, kind_pod, analyzer_pod);
    take_down(p, BY_PAUSE);
    run_without_pod(p, 10000);
    bring_back(p, BY_PAUSE);
    run_without_pod(p, 60000); /* unlike one that is scaled back */
    then_str(play_reason(p, "rpc-0", COND_READY), "VolumeInUse");
    play_delete(p, kind_pod, "analyzer");
    then_runs_on(p, uid);
}

TEST(a_node_that_is_created_paused_creates_nothing_until_it_is_unpaused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});

    play_create_node(p, "rpc-0", "{spec: {paused: true}}");
    play_run(p, 60000);
    then_true(play_find(p, kind_pvc, "data-rpc-0") == NULL);
    then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
    bring_back(p, BY_PAUSE);
    then_str(play_settle(p), NULL);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_int(play_tasks_posted(p, "config-apply"), 1);
}

static bool has_statefulset(Play *p, const char *name)
{
    return play_find(p, kind_statefulset, name) != NULL;
}

TEST(a_node_that_is_paused_as_soon_as_it_has_a_statefulset_is_scaled_down)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 71}});

    play_create_node(p, "rpc-0", "{}");
    then_true(play_until(p, has_statefulset, "rpc-0"));
    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: true}}");
    play_run(p, 120000);
    then_int((int)json_int(play_find(p, kind_statefulset, "rpc-0"), ".spec.replicas", 1), 0);
    then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
}

static bool waits_for_image(Play *p, const char *name)
{
    const SeiNode *node = play_node(p, name);

    return node->status.plan.waiting && strstr(node->status.plan.waiting, "pull");
}

/* Unpausing applies the StatefulSet as it is wanted now, beside the plan that was paused: its pod
 * is not what the plan applied, and deleting it again and again makes no other. */
TEST(an_update_that_is_paused_during_an_operator_upgrade_continues_with_one_pod)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    given_running_node(p);
    play_order(p, "bad-image seid:v2");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_true(play_until(p, waits_for_image, "rpc-0"));
    take_down(p, BY_PAUSE);
    then_true(play_until(p, is_down, "rpc-0"));
    play_upgrade(p, "8");
    play_mark(p);
    play_order(p, "good-image seid:v2");
    bring_back(p, BY_PAUSE);
    then_str(play_settle(p), NULL);
    then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
    then_int(play_pods_deleted(p), 0);
}

/* Two pods would be on one volume, and a command of maintenance perhaps a third. */
TEST(a_paused_node_that_is_scaled_up_by_hand_is_scaled_down_again)
{
    for (int64_t replicas = 1; replicas <= 2; replicas++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 50 + (uint64_t)replicas}});
        const char *uid = given_running_node(p);

        given_node_that_is_down(p, BY_PAUSE);
        play_scale(p, "rpc-0", (int)replicas);
        play_run(p, 60000);
        then_true(is_down(p, "rpc-0"));
        then_true(play_find(p, kind_pod, "rpc-0-1") == NULL);
        then_str(play_condition(p, "rpc-0", COND_PAUSED), "True");
        bring_back(p, BY_PAUSE);
        then_str(play_settle(p), NULL);
        then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-0")), uid);
    }
}
