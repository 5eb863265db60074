/* What becomes of data: a volume is never deleted when it is not ours to delete, never replaced by
 * an empty one behind anybody's back, and never bootstrapped twice. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

#define CLAIM "data-rpc-0"

static const char retained[] = "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}";

/* A claim that somebody else made, with room for `change`. */
#define FOREIGN_CLAIM(metadata)                                                                    \
    "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: '" CLAIM "'" metadata      \
    "}, spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'gp3',"                           \
    " resources: {requests: {storage: '3000Gi'}}}}"

static void then_settles(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    const char *hazard = hazards_newest(kubelet_hazards(play_kubelet(p)));
    if (hazard)
        play_tell(p);
    then_str(hazard, NULL);
}

static const char *volume_uid(Play *p)
{
    return meta_uid(play_find(p, kind_pvc, CLAIM));
}

/* The uid of the volume of a node that runs. */
static const char *given_running_node(Play *p, const char *change)
{
    play_create_node(p, "rpc-0", change);
    then_settles(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    play_mark(p);
    return volume_uid(p);
}

static void then_runs_on(Play *p, const char *uid)
{
    then_settles(p);
    if (!str_eq(play_condition(p, "rpc-0", COND_READY), "True"))
        then_str(play_message(p, "rpc-0", COND_STALLED), "");
    then_str(play_condition(p, "rpc-0", COND_STALLED), "False");
    then_str(volume_uid(p), uid);
    then_str(play_node(p, "rpc-0")->status.volume.uid, uid);
}

/* It is there, and nobody is deleting it. */
static void then_volume_lives(Play *p, const char *uid)
{
    then_str(volume_uid(p), uid);
    then_true(!meta_deleting(play_find(p, kind_pvc, CLAIM)));
}

static void then_no_bootstrap(Play *p)
{
    if (play_tasks_posted(p, NULL) != play_tasks_posted(p, "mark-ready"))
        play_tell(p);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

static void then_stalled(Play *p, Reason reason)
{
    then_str(play_condition(p, "rpc-0", COND_STALLED), "True");
    then_str(play_reason(p, "rpc-0", COND_STALLED), reason_text(reason));
}

static void then_says(Play *p, const char *phrase)
{
    const char *said = play_message(p, "rpc-0", COND_STALLED);

    if (!said || !strstr(said, phrase))
        then_str(said, phrase);
}

/* --- the end of a node -------------------------------------------------------------------------
 */

static const struct {
    const char *name, *change;
    Propagation how;
    bool operator_is_down, volume_stays;
} ends[] = {
    {"deleted", "{}"},
    {"deleted in the foreground", "{}", PROPAGATION_FOREGROUND},
    {"orphaned", "{}", PROPAGATION_ORPHAN, .volume_stays = true},
    {"retained", retained, .volume_stays = true},
    {"retained, in the foreground", retained, PROPAGATION_FOREGROUND, .volume_stays = true},
    {"retained, in the foreground, while the operator is down",
        retained,
        PROPAGATION_FOREGROUND,
        .operator_is_down = true,
        .volume_stays = true},
    {"orphaned while the operator is down",
        "{}",
        PROPAGATION_ORPHAN,
        .operator_is_down = true,
        .volume_stays = true},
    {"deleted while the operator is down", "{}", .operator_is_down = true},
};

TEST(a_data_volume_is_deleted_with_its_node_unless_it_is_retained)
{
    each_case(i, ends) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p, ends[i].change);

        if (ends[i].operator_is_down)
            replica_end(play_replica(p, 0));
        play_run(p, 1000);
        play_delete_how(p, kind_seinode, "rpc-0", ends[i].how);
        play_run(p, 120000);
        if (ends[i].volume_stays)
            then_volume_lives(p, uid);
        if (ends[i].operator_is_down)
            replica_start(play_replica(p, 0));
        play_run(p, 120000);
        then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
        if (ends[i].volume_stays)
            then_volume_lives(p, uid);
        else
            then_true(play_find(p, kind_pvc, CLAIM) == NULL);
    }
}

TEST(a_data_volume_has_an_owner_reference_only_while_it_is_not_retained)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});
    const char *uid = given_running_node(p, "{}");

    then_true(meta_controller(play_find(p, kind_pvc, CLAIM)) != NULL);
    play_patch(p, kind_seinode, "rpc-0", retained);
    then_runs_on(p, uid);
    then_true(meta_controller(play_find(p, kind_pvc, CLAIM)) == NULL);
    play_patch(
        p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/volume-policy': null}}}");
    then_runs_on(p, uid);
    then_true(
        meta_controlled_by(play_find(p, kind_pvc, CLAIM), play_find(p, kind_seinode, "rpc-0")));
    then_int(play_pods_deleted(p), 0);
}

TEST(a_recreated_node_uses_the_retained_volume)
{
    static const struct {
        const char *name, *change;
    } cases[] = {{"to keep it", retained}, {"to own it", "{}"}};

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 21}});
        const char *uid = given_running_node(p, retained);

        play_delete(p, kind_seinode, "rpc-0");
        play_run(p, 120000);
        play_create_node(p, "rpc-0", cases[i].change);
        then_runs_on(p, uid);
        const Json *claim = play_find(p, kind_pvc, CLAIM),
                   *node = play_find(p, kind_seinode, "rpc-0");
        bool is_kept = i == 0;
        then_true(meta_controlled_by(claim, node) == !is_kept);
        then_str(meta_annotation(claim, ANNOTATION_RETAINED_BY), is_kept ? meta_uid(node) : NULL);
    }
}

TEST(a_retained_volume_of_another_chain_is_not_used)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});
    const char *uid = given_running_node(p, retained);

    play_delete(p, kind_seinode, "rpc-0");
    play_run(p, 120000);
    play_mark(p);
    play_create_node(p, "rpc-0", "{spec: {chainId: 'atlantic-2'}}");
    then_settles(p);
    then_says(p, "data of chain pacific-1");
    then_volume_lives(p, uid);
    then_int(play_writes(p, -1, kind_pvc), 0);
    then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
}

TEST(an_orphaned_node_that_is_created_again_is_taken_over_while_it_runs)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 23}});
    const char *uid = given_running_node(p, "{}");
    const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));

    play_delete_how(p, kind_seinode, "rpc-0", PROPAGATION_ORPHAN);
    play_run(p, 60000);
    then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
    play_create_node(p, "rpc-0", "{}");
    then_runs_on(p, uid);
    then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);
    then_no_bootstrap(p);
}

/* The kind is being deleted: perhaps by a person who removes the operator, and not the data. */
TEST(a_data_volume_survives_the_deletion_of_the_seinode_crd)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 24}});
    const char *uid = given_running_node(p, "{}");

    play_delete(p, kind_crd, "seinodes.sei.io");
    play_run(p, 120000);
    then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
    then_volume_lives(p, uid);
    then_true(meta_controller(play_find(p, kind_pvc, CLAIM)) == NULL);
}

/* --- a claim of our name at birth --------------------------------------------------------------
 */

static const struct {
    const char *name, *claim;
} foreigners[] = {
    {"without a label", FOREIGN_CLAIM("")},
    {"with our label", FOREIGN_CLAIM(", labels: {'sei.io/node': 'rpc-0'}")},
    {"of another node",
        FOREIGN_CLAIM(", labels: {'sei.io/node': 'rpc-1'},"
                      " annotations: {'sei.io/retained-by': '7'}")},
};

TEST(a_foreign_volume_is_left_alone)
{
    each_case(i, foreigners) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        play_create(p, kind_pvc, foreigners[i].claim);
        const char *uid = volume_uid(p);
        play_create_node(p, "rpc-0", "{}");
        then_settles(p);
        then_stalled(p, REASON_PLAN_FAILED);
        then_says(p, "spec.dataVolume.import.pvcName, or delete it");
        then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
        play_delete(p, kind_seinode, "rpc-0");
        play_run(p, 60000);
        then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
        then_volume_lives(p, uid);
        then_int(play_writes(p, -1, kind_pvc), 0);
    }
}

TEST(a_foreign_volume_can_be_imported_by_a_later_edit)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});

    play_create(p, kind_pvc, FOREIGN_CLAIM(""));
    const char *uid = volume_uid(p);
    play_create_node(p, "rpc-0", "{}");
    then_settles(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {dataVolume: {import: {pvcName: '" CLAIM "'}}}}");
    then_runs_on(p, uid);
    play_delete(p, kind_seinode, "rpc-0");
    play_run(p, 60000);
    then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
    then_volume_lives(p, uid);
}

TEST(a_node_starts_after_a_foreign_volume_of_its_name_was_moved_away)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 32}});

    play_create(p, kind_pvc, FOREIGN_CLAIM(""));
    const char *uid = volume_uid(p);
    play_create_node(p, "rpc-0", "{}");
    then_settles(p);
    play_delete(p, kind_pvc, CLAIM);
    play_run(p, 1000);
    play_patch(p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    then_settles(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_true(!str_eq(volume_uid(p), uid));
}

TEST(a_new_node_waits_for_a_terminating_volume_of_its_name)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 33}});

    play_create(p, kind_pvc, FOREIGN_CLAIM(", finalizers: ['example.com/hold']"));
    play_delete(p, kind_pvc, CLAIM);
    const char *uid = volume_uid(p);
    play_create_node(p, "rpc-0", "{}");
    play_run(p, 60000);
    then_int(play_node(p, "rpc-0")->status.phase, PHASE_INITIALIZING);
    then_true(strstr(play_node(p, "rpc-0")->status.plan.waiting, "is being deleted") != NULL);
    then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
    play_patch(p, kind_pvc, CLAIM, "{metadata: {finalizers: null}}");
    then_settles(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_true(!str_eq(volume_uid(p), uid));
}

/* Created anew under its name at any moment of its end. */
TEST(a_recreated_node_does_not_use_the_volume_of_the_node_before_it)
{
    for (int64_t after_ms = 0; after_ms < 4000; after_ms += 397) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)after_ms}});
        const char *uid = given_running_node(p, "{}");

        play_delete(p, kind_seinode, "rpc-0");
        for (int64_t until = after_ms; play_find(p, kind_seinode, "rpc-0") || until > 0;
            until -= 20)
            play_run(p, 20);
        play_create_node(p, "rpc-0", "{}");
        then_settles(p);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
        then_true(!str_eq(volume_uid(p), uid));
    }
}

/* --- a volume that goes under a running node ---------------------------------------------------
 */

TEST(the_pod_that_keeps_a_terminating_volume_is_not_stopped_for_any_edit)
{
    static const struct {
        const char *name, *change;
    } reasons[] = {
        {"an image", "{spec: {image: 'ghcr.io/example/seid:v2'}}"},
        {"a restart",
            "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': "
            "'2026-11-15T00:00:00Z'}}}"},
        {"pausing", "{spec: {paused: true}}"},
    };

    each_case(i, reasons) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p, "{}");
        const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));

        play_delete(p, kind_pvc, CLAIM);
        play_run(p, 5000);
        then_stalled(p, REASON_DATA_VOLUME_TERMINATING);
        then_says(p, "persistentVolumeReclaimPolicy: Retain");
        play_patch(p, kind_seinode, "rpc-0", reasons[i].change);
        play_run(p, 120000);
        replica_crash(play_replica(p, 0));
        play_run(p, 120000);
        then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);
        then_true(!meta_deleting(play_find(p, kind_pod, "rpc-0-0")));
        then_int(play_pods_deleted(p), 0);
        then_str(volume_uid(p), uid);
        then_stalled(p, REASON_DATA_VOLUME_TERMINATING);
    }
}

TEST(the_pod_whose_persistent_volume_is_gone_is_not_stopped_for_any_edit)
{
    static const struct {
        const char *name, *change;
    } reasons[] = {
        {"an image", "{spec: {image: 'ghcr.io/example/seid:v2'}}"},
        {"pausing", "{spec: {paused: true}}"},
    };

    each_case(i, reasons) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p, "{}");
        const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));
        const char *volume = json_str(play_find(p, kind_pvc, CLAIM), ".spec.volumeName");

        play_delete(p, kind_pv, volume);
        play_patch(p, kind_pv, volume, "{metadata: {finalizers: null}}");
        play_run(p, 5000);
        then_str(json_str(play_find(p, kind_pvc, CLAIM), ".status.phase"), "Lost");
        then_stalled(p, REASON_DATA_VOLUME_LOST);
        play_patch(p, kind_seinode, "rpc-0", reasons[i].change);
        play_run(p, 120000);
        replica_crash(play_replica(p, 0));
        play_run(p, 120000);
        then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);
        then_int(play_pods_deleted(p), 0);
        then_str(volume_uid(p), uid);
        then_stalled(p, REASON_DATA_VOLUME_LOST);
    }
}

/* A person deletes the claim and edits the node in one breath: which of the two the operator hears
 * of first is chance. */
CAMPAIGN(a_pvc_that_is_deleted_just_before_an_edit_keeps_its_pod)
{
    static const struct {
        const char *name, *change;
    } reasons[] = {
        {"an image", "{spec: {image: 'ghcr.io/example/seid:v2'}}"},
        {"pausing", "{spec: {paused: true}}"},
    };

    each_case(i, reasons)
        for (uint64_t seed = 0; seed < 30; seed++) {
            SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});
            const char *uid = given_running_node(p, "{}");

            play_delete(p, kind_pvc, CLAIM);
            play_patch(p, kind_seinode, "rpc-0", reasons[i].change);
            play_run(p, 60000);
            then_str(volume_uid(p), uid);
            then_stalled(p, REASON_DATA_VOLUME_TERMINATING);
            then_true(!meta_deleting(play_find(p, kind_pod, "rpc-0-0")));
        }
}

/* A claim goes when its pod is gone. */
static const char *given_lost_volume(Play *p)
{
    const char *uid = given_running_node(p, "{}");

    play_delete(p, kind_pvc, CLAIM);
    play_delete(p, kind_pod, "rpc-0-0");
    play_run(p, 60000);
    then_true(play_find(p, kind_pvc, CLAIM) == NULL);
    play_mark(p);
    return uid;
}

TEST(a_lost_volume_is_not_replaced_by_an_empty_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 40}});
    const char *uid = given_lost_volume(p);

    then_stalled(p, REASON_DATA_VOLUME_MISSING);
    then_says(p, uid);
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{metadata: {annotations: {'sei.io/allow-new-volume': 'another'}},"
        " spec: {image: 'ghcr.io/example/seid:v2'}}");
    play_run(p, 60000);
    play_delete(p, kind_statefulset, "rpc-0");
    play_run(p, 60000);
    replica_crash(play_replica(p, 0));
    play_run(p, 600000);
    then_stalled(p, REASON_DATA_VOLUME_MISSING);
    then_true(play_find(p, kind_pvc, CLAIM) == NULL);
    then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
    then_int(play_tasks_posted(p, NULL), 0);
}

TEST(a_lost_volume_is_replaced_by_an_empty_one_after_an_annotation_names_its_uid)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});
    const char *uid = given_lost_volume(p);

    play_patch(p,
        kind_seinode,
        "rpc-0",
        str_format(
            play_arena(p), "{metadata: {annotations: {'sei.io/allow-new-volume': '%s'}}}", uid));
    then_settles(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_true(!str_eq(volume_uid(p), uid));
    then_int(play_tasks_posted(p, "config-apply"), 1);
    then_int(play_tasks_posted(p, "configure-genesis"), 1);
}

/* It goes with its node, or stays, just as one that was made for it. */
TEST(a_restored_volume_is_adopted_after_an_annotation_names_its_uid)
{
    static const struct {
        const char *name, *node;
        bool stays;
    } policies[] = {{"to go with its node", "{}"}, {"to be kept", retained, .stays = true}};

    each_case(i, policies) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 42}});

        given_lost_volume(p);
        play_patch(p, kind_seinode, "rpc-0", policies[i].node);
        play_create(p, kind_pvc, FOREIGN_CLAIM(", labels: {'sei.io/node': 'rpc-0'}"));
        play_run(p, 60000);
        then_stalled(p, REASON_DATA_VOLUME_MISSING);
        then_int(play_writes(p, -1, kind_pvc), 0);
        const char *uid = volume_uid(p);
        play_patch(p,
            kind_seinode,
            "rpc-0",
            str_format(
                play_arena(p), "{metadata: {annotations: {'sei.io/adopt-volume': '%s'}}}", uid));
        play_run(p, 60000);
        then_str(play_condition(p, "rpc-0", COND_STALLED), "False");
        then_str(play_node(p, "rpc-0")->status.volume.uid, uid);
        then_volume_lives(p, uid);
        then_no_bootstrap(p);
        const Json *claim = play_find(p, kind_pvc, CLAIM),
                   *node = play_find(p, kind_seinode, "rpc-0");
        then_true(meta_controlled_by(claim, node) == !policies[i].stays);
        then_str(meta_annotation(claim, ANNOTATION_RETAINED_BY),
            policies[i].stays ? meta_uid(node) : NULL);
        then_int(play_writes(p, -1, kind_pvc), 1);

        play_delete(p, kind_seinode, "rpc-0");
        play_run(p, 120000);
        if (policies[i].stays)
            then_volume_lives(p, uid);
        else
            then_true(play_find(p, kind_pvc, CLAIM) == NULL);
    }
}

/* --- what a running node is --------------------------------------------------------------------
 */

static const struct {
    const char *name, *edit, *back;
} edits[] = {
    {"the chain", "{spec: {chainId: 'atlantic-2'}}", "{spec: {chainId: 'pacific-1'}}"},
    {"the mode", "{spec: {fullNode: null, archive: {}}}", "{spec: {fullNode: {}, archive: null}}"},
    {"the volume",
        "{spec: {dataVolume: {import: {pvcName: 'other'}}}}",
        "{spec: {dataVolume: null}}"},
};

TEST(an_edit_of_chain_or_mode_or_volume_of_a_running_node_changes_nothing)
{
    each_case(i, edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p, "{}");
        const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));

        play_patch(p, kind_seinode, "rpc-0", edits[i].edit);
        then_settles(p);
        then_stalled(p, REASON_IDENTITY_CHANGED);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
        then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);

        play_delete(p, kind_statefulset, "rpc-0");
        play_delete(p, kind_service, "rpc-0");
        then_settles(p);
        then_stalled(p, REASON_IDENTITY_CHANGED);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
        const Json *set = play_find(p, kind_statefulset, "rpc-0");
        then_str(meta_label(set, LABEL_CHAIN), "pacific-1");
        then_str(meta_label(set, LABEL_ROLE), "node");
        then_volume_lives(p, uid);

        play_patch(p, kind_seinode, "rpc-0", edits[i].back);
        then_runs_on(p, uid);
        then_int(play_pods_deleted(p), 0);
        then_no_bootstrap(p);
    }
}

TEST(a_node_whose_status_was_wiped_is_taken_over_while_it_runs)
{
    static const struct {
        const char *name;
        bool operator_is_down;
    } cases[] = {{"under the operator"}, {"while it was down", true}};

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});
        const char *uid = given_running_node(p, "{}");
        const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));

        if (cases[i].operator_is_down)
            replica_end(play_replica(p, 0));
        play_run(p, 5000);
        play_patch_status(p, kind_seinode, "rpc-0", "{status: null}");
        play_run(p, 5000);
        if (cases[i].operator_is_down)
            replica_start(play_replica(p, 0));
        then_runs_on(p, uid);
        then_int(play_node(p, "rpc-0")->status.phase, PHASE_RUNNING);
        then_str(play_node(p, "rpc-0")->status.identity.chain_id, "pacific-1");
        then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);
        then_int(play_pods_deleted(p), 0);
        then_no_bootstrap(p);
    }
}

/* --- tasks -------------------------------------------------------------------------------------
 */

/* Slow tasks, some of which fail; a spec that is edited and an operator that dies meanwhile. The
 * kubelet sees when two tasks work on one volume. */
TEST(two_sidecar_tasks_never_run_on_one_volume)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});
        int64_t step_ms = 1700 + 613 * (int64_t)seed;

        play_order(p, "task-takes sei/rpc-0-0 configure-genesis 7000");
        play_order(p, "task-takes sei/rpc-0-0 config-apply 9000");
        play_order(p, "fail-task sei/rpc-0-0 config-apply 1 disk is on fire");
        play_create_node(p, "rpc-0", "{}");
        for (int i = 0; i < 6; i++) {
            play_run(p, step_ms);
            play_patch(p,
                kind_seinode,
                "rpc-0",
                str_format(
                    play_arena(p), "{spec: {overrides: {'evm.http_port': '%d'}}}", 9000 + i));
            play_run(p, step_ms);
            replica_crash(play_replica(p, 0));
        }
        play_run(p, 300000);
        play_patch(p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_settles(p);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
    }
}

/* --- a claim that cannot be patched ------------------------------------------------------------
 */

/* As a webhook does: every patch of a claim is denied. */
static PortFault deny_claim_patches(void *self, const PortCall *call)
{
    const bool *armed = self;
    const Request *request = call->request;

    if (!*armed || !request || request->verb != VERB_JSON_PATCH
        || !kind_eq(request->kind, kind_pvc))
        return (PortFault){0};
    return (PortFault){.kind = PORT_REFUSED, .status = 403};
}

static bool runs_new_image(Play *p, const char *name)
{
    return str_eq(play_node(p, name)->status.current_image, "ghcr.io/example/seid:v2");
}

static bool has_no_owner(Play *p, const char *claim)
{
    return !json_count(json_find(play_find(p, kind_pvc, claim), ".metadata.ownerReferences"));
}

static bool is_ready(Play *p, const char *name)
{
    return str_eq(play_condition(p, name, COND_READY), "True");
}

TEST(a_pvc_that_cannot_be_patched_blocks_no_update)
{
    bool armed = false;
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 50, .judge = deny_claim_patches, .judge_self = &armed}});

    given_running_node(p, "{}");
    armed = true;
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}},"
        " spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_true(play_until(p, runs_new_image, "rpc-0"));
    then_true(!has_no_owner(p, CLAIM));

    armed = false;
    then_true(play_until(p, has_no_owner, CLAIM));
    then_true(play_until(p, is_ready, "rpc-0"));
}
