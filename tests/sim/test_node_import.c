/* Volumes that people bring: used, never written, and kept when the node goes. A wrong or late one
 * costs nothing that cannot be had back. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define OWN         "data-rpc-0"
#define IMPORT_MINE "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"
#define TAKE_BACK   "{spec: {dataVolume: null}}"

/* A claim of a person. */
static const char *given_claim(Play *p, const char *name, const char *mode, const char *size)
{
    play_create(p,
        kind_pvc,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: '%s'},"
            " spec: {accessModes: ['%s'], storageClassName: 'gp3',"
            " resources: {requests: {storage: '%s'}}}}",
            name,
            mode,
            size));
    return meta_uid(play_find(p, kind_pvc, name));
}

static const char *given_good_claim(Play *p, const char *name)
{
    return given_claim(p, name, "ReadWriteOnce", "3000Gi");
}

static void then_settles(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

static void then_condition(Play *p, const char *type, const char *status, const char *reason)
{
    then_str(play_condition(p, "rpc-0", type), status);
    then_str(play_reason(p, "rpc-0", type), reason);
}

static void then_says(Play *p, const char *type, const char *phrase)
{
    const char *said = play_message(p, "rpc-0", type);

    if (!said || !strstr(said, phrase))
        then_str(said, phrase);
}

/* The name of the claim that the pod is on. */
static const char *claim_of_pod(Play *p)
{
    const Json *volume;

    json_each(volume, json_find(play_find(p, kind_pod, "rpc-0-0"), ".spec.volumes"))
        if (json_str(volume, ".persistentVolumeClaim.claimName"))
            return json_str(volume, ".persistentVolumeClaim.claimName");
    return NULL;
}

static void then_runs_on(Play *p, const char *claim, const char *uid)
{
    then_settles(p);
    if (!str_eq(play_condition(p, "rpc-0", COND_READY), "True")) {
        play_tell(p);
        then_str(play_message(p, "rpc-0", COND_STALLED), "");
    }
    const NodeVolume *recorded = &play_node(p, "rpc-0")->status.volume;
    then_str(play_condition(p, "rpc-0", COND_STALLED), "False");
    then_str(recorded->name, claim);
    then_str(recorded->uid, uid);
    then_true(recorded->imported == !str_eq(claim, OWN));
    then_str(claim_of_pod(p), claim);
}

static void then_untouched(Play *p, const char *claim, const char *uid)
{
    const Json *there = play_find(p, kind_pvc, claim);

    then_str(meta_uid(there), uid);
    then_true(!meta_deleting(there));
    then_int(json_count(json_find(there, ".metadata.ownerReferences")), 0);
    then_int(json_count(json_find(there, ".metadata.labels")), 0);
    then_str(meta_annotation(there, ANNOTATION_RETAINED_BY), NULL);
}

/* --- at birth ----------------------------------------------------------------------------------
 */

TEST(a_new_node_waits_for_a_pvc_to_import_that_is_created_later)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_create_node(p, "rpc-0", IMPORT_MINE);
    play_run(p, 60000);
    then_condition(p, COND_IMPORT_READY, "False", "PVCNotReady");
    then_says(p, COND_IMPORT_READY, "mine does not exist");
    then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
    then_int(play_node(p, "rpc-0")->status.phase, PHASE_INITIALIZING);

    const char *uid = given_good_claim(p, "mine");
    then_runs_on(p, "mine", uid);
    then_condition(p, COND_IMPORT_READY, "True", "PVCValidated");
    then_true(play_find(p, kind_pvc, OWN) == NULL);
    then_untouched(p, "mine", uid);
    then_int(play_writes(p, -1, kind_pvc), 0);
}

static const struct {
    const char *name, *mode, *size, *says;
} wrongs[] = {
    {"too small", "ReadWriteOnce", "1Gi", "has 1Gi, and the node needs"},
    {"read only", "ReadOnlyMany", "3000Gi", "neither access mode"},
};

TEST(an_unusable_pvc_fails_the_node_until_it_is_replaced)
{
    each_case(i, wrongs) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        const char *uid = given_claim(p, "mine", wrongs[i].mode, wrongs[i].size);
        play_create_node(p, "rpc-0", IMPORT_MINE);
        then_settles(p);
        then_condition(p, COND_IMPORT_READY, "False", "PVCInvalid");
        then_says(p, COND_IMPORT_READY, wrongs[i].says);
        then_condition(p, COND_STALLED, "True", "PlanFailed");
        then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);
        then_untouched(p, "mine", uid);

        play_delete(p, kind_pvc, "mine");
        play_run(p, 5000);
        uid = given_good_claim(p, "mine");
        play_patch(p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_runs_on(p, "mine", uid);
        then_condition(p, COND_IMPORT_READY, "True", "PVCValidated");
    }
}

/* --- at the end --------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    Propagation how;
    bool retained, operator_is_down;
} ends[] = {
    {"deleted"},
    {"in the foreground", PROPAGATION_FOREGROUND},
    {"in the foreground, with the operator down", PROPAGATION_FOREGROUND, .operator_is_down = true},
    {"orphaned", PROPAGATION_ORPHAN},
    {"retained", .retained = true},
};

TEST(an_imported_volume_survives_its_node_unchanged)
{
    each_case(i, ends) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        const char *uid = given_good_claim(p, "mine");
        play_create_node(p, "rpc-0", IMPORT_MINE);
        then_runs_on(p, "mine", uid);
        if (ends[i].retained)
            play_patch(p,
                kind_seinode,
                "rpc-0",
                "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}");
        play_run(p, 5000);
        if (ends[i].operator_is_down)
            replica_end(play_replica(p, 0));
        play_delete_how(p, kind_seinode, "rpc-0", ends[i].how);
        play_run(p, 120000);
        if (ends[i].operator_is_down)
            replica_start(play_replica(p, 0));
        play_run(p, 120000);
        then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
        then_untouched(p, "mine", uid);
        then_int(play_writes(p, -1, kind_pvc), 0);
    }
}

/* --- for a volume that is lost -----------------------------------------------------------------
 */

/* The uid of the volume that is gone. */
static const char *given_lost_volume(Play *p)
{
    play_create_node(p, "rpc-0", "{}");
    then_settles(p);
    const char *uid = meta_uid(play_find(p, kind_pvc, OWN));
    play_delete(p, kind_pvc, OWN);
    play_delete(p, kind_pod, "rpc-0-0");
    play_run(p, 60000);
    then_condition(p, COND_STALLED, "True", "DataVolumeMissing");
    play_mark(p);
    return uid;
}

static void given_wrong_import(Play *p, const char *lost)
{
    given_claim(p, "mine", "ReadWriteOnce", "1Gi");
    play_patch(p, kind_seinode, "rpc-0", IMPORT_MINE);
    play_run(p, 60000);
    then_condition(p, COND_STALLED, "True", "DataVolumeMissing");
    then_says(p, COND_STALLED, "has 1Gi, and the node needs");
    then_says(p, COND_STALLED, lost);
    then_condition(p, COND_IMPORT_READY, "False", "PVCInvalid");
    then_str(play_node(p, "rpc-0")->status.volume.uid, lost);
}

static void then_no_bootstrap(Play *p)
{
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

TEST(an_import_restores_a_node_that_has_lost_its_volume)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10}});

    given_lost_volume(p);
    const char *uid = given_good_claim(p, "mine");
    play_run(p, 30000);
    play_patch(p, kind_seinode, "rpc-0", IMPORT_MINE);
    then_runs_on(p, "mine", uid);
    then_condition(p, COND_IMPORT_READY, "True", "PVCValidated");
    then_no_bootstrap(p);
    then_untouched(p, "mine", uid);
}

TEST(an_import_of_an_unusable_pvc_can_be_corrected)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 11}});
    const char *lost = given_lost_volume(p);

    given_wrong_import(p, lost);
    play_delete(p, kind_pvc, "mine");
    play_run(p, 60000);
    then_condition(p, COND_IMPORT_READY, "False", "PVCNotReady");
    replica_crash(play_replica(p, 0));
    const char *uid = given_good_claim(p, "mine");
    then_runs_on(p, "mine", uid);
    then_no_bootstrap(p);
}

TEST(an_import_of_an_unusable_pvc_can_be_replaced_by_any_other_remedy)
{
    static const struct {
        const char *name;
        bool adopts;
    } ways[] = {{"an empty volume"}, {"a restored one", true}};

    each_case(i, ways) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});
        const char *lost = given_lost_volume(p);

        given_wrong_import(p, lost);
        play_patch(p, kind_seinode, "rpc-0", TAKE_BACK);
        play_run(p, 60000);
        then_condition(p, COND_STALLED, "True", "DataVolumeMissing");
        then_str(play_condition(p, "rpc-0", COND_IMPORT_READY), NULL);
        const char *annotation = "allow-new-volume", *uid = lost;
        if (ways[i].adopts) {
            annotation = "adopt-volume";
            uid = given_good_claim(p, OWN);
            play_patch(p, kind_pvc, OWN, "{metadata: {labels: {'sei.io/node': 'rpc-0'}}}");
        }
        play_patch(p,
            kind_seinode,
            "rpc-0",
            str_format(
                play_arena(p), "{metadata: {annotations: {'sei.io/%s': '%s'}}}", annotation, uid));
        then_settles(p);
        then_runs_on(p, OWN, meta_uid(play_find(p, kind_pvc, OWN)));
        then_int(play_tasks_posted(p, "config-apply"), ways[i].adopts ? 0 : 1);
    }
}

TEST(an_imported_volume_that_is_lost_is_restored_under_its_name)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 13}});

    given_good_claim(p, "mine");
    play_create_node(p, "rpc-0", IMPORT_MINE);
    then_settles(p);
    play_delete(p, kind_pvc, "mine");
    play_delete(p, kind_pod, "rpc-0-0");
    play_run(p, 60000);
    then_condition(p, COND_STALLED, "True", "DataVolumeMissing");
    then_true(!strstr(play_message(p, "rpc-0", COND_STALLED), "set spec.dataVolume.import"));

    play_mark(p);
    const char *uid = given_good_claim(p, "mine");
    play_run(p, 60000);
    then_condition(p, COND_STALLED, "True", "DataVolumeMissing");
    play_patch(p,
        kind_seinode,
        "rpc-0",
        str_format(play_arena(p), "{metadata: {annotations: {'sei.io/adopt-volume': '%s'}}}", uid));
    then_runs_on(p, "mine", uid);
    then_no_bootstrap(p);
    then_untouched(p, "mine", uid);
}

/* --- in an init --------------------------------------------------------------------------------
 */

/* In the middle of its tasks. */
static void given_init(Play *p)
{
    play_order(p, "task-takes sei/rpc-0-0 config-apply 20000");
    play_create_node(p, "rpc-0", "{}");
    play_run(p, 15000);
    then_int(play_tasks_posted(p, "config-apply"), 1);
    then_true(play_node(p, "rpc-0")->status.volume.uid != NULL);
}

TEST(an_init_moves_to_a_pvc_that_is_imported_meanwhile)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});

    given_init(p);
    const char *own = meta_uid(play_find(p, kind_pvc, OWN));
    const char *uid = given_good_claim(p, "mine");
    play_run(p, 1000);
    play_patch(p, kind_seinode, "rpc-0", IMPORT_MINE);
    then_runs_on(p, "mine", uid);
    then_int(play_tasks_posted(p, "configure-genesis"), 2);
    then_int(play_tasks_posted(p, "config-apply"), 2);
    then_untouched(p, "mine", uid);

    then_str(meta_uid(play_find(p, kind_pvc, OWN)), own);
    play_delete(p, kind_seinode, "rpc-0");
    play_run(p, 120000);
    then_true(play_find(p, kind_pvc, OWN) == NULL);
    then_untouched(p, "mine", uid);
}

TEST(a_paused_init_moves_to_a_pvc_that_is_imported_meanwhile)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 33}});

    given_init(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: true}}");
    play_run(p, 60000);
    then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
    const char *uid = given_good_claim(p, "mine");
    play_patch(p, kind_seinode, "rpc-0", IMPORT_MINE);
    play_run(p, 60000);
    then_int(play_events(p, "rpc-0", "UnknownPlan", NULL), 0);

    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: false}}");
    then_runs_on(p, "mine", uid);
    then_untouched(p, "mine", uid);
}

TEST(an_import_that_is_reverted_during_an_init_loses_nothing)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 21}});

    given_init(p);
    const char *own = meta_uid(play_find(p, kind_pvc, OWN));
    play_patch(p, kind_seinode, "rpc-0", IMPORT_MINE);
    play_run(p, 60000);
    then_condition(p, COND_STALLED, "True", "ImportNotReady");
    then_says(p, COND_STALLED, "mine does not exist");
    then_condition(p, COND_IMPORT_READY, "False", "PVCNotReady");
    then_int(play_node(p, "rpc-0")->status.phase, PHASE_INITIALIZING);

    play_patch(p, kind_seinode, "rpc-0", TAKE_BACK);
    then_runs_on(p, OWN, own);
    then_int(play_tasks_posted(p, "configure-genesis"), 1);
    then_int(play_tasks_posted(p, "config-apply"), 1);
    then_str(play_condition(p, "rpc-0", COND_IMPORT_READY), NULL);
}

/* --- under a running node ----------------------------------------------------------------------
 */

static const struct {
    const char *name, *birth, *edit, *back;
} edits[] = {
    {"an import is added", "{}", IMPORT_MINE, TAKE_BACK},
    {"an import is exchanged",
        "{spec: {dataVolume: {import: {pvcName: 'first'}}}}",
        IMPORT_MINE,
        "{spec: {dataVolume: {import: {pvcName: 'first'}}}}"},
    {"an import is removed",
        "{spec: {dataVolume: {import: {pvcName: 'first'}}}}",
        TAKE_BACK,
        "{spec: {dataVolume: {import: {pvcName: 'first'}}}}"},
};

/* In two writes: the rules of the kind let nobody exchange an import in one. */
static void edit_node(Play *p, const char *edit)
{
    play_patch(p, kind_seinode, "rpc-0", TAKE_BACK);
    play_patch(p, kind_seinode, "rpc-0", edit);
}

/* Also to a volume that would do. */
TEST(a_running_node_is_not_moved_to_another_volume)
{
    each_case(i, edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_good_claim(p, "first");
        const char *mine = given_good_claim(p, "mine");
        play_create_node(p, "rpc-0", edits[i].birth);
        then_settles(p);
        NodeVolume volume = play_node(p, "rpc-0")->status.volume;
        const char *pod = meta_uid(play_find(p, kind_pod, "rpc-0-0"));
        play_mark(p);

        edit_node(p, edits[i].edit);
        then_settles(p);
        then_condition(p, COND_STALLED, "True", "IdentityChanged");
        then_str(meta_uid(play_find(p, kind_pod, "rpc-0-0")), pod);
        play_delete(p, kind_statefulset, "rpc-0");
        then_settles(p);
        then_condition(p, COND_STALLED, "True", "IdentityChanged");
        then_condition(p, COND_READY, "True", "Available");
        then_str(claim_of_pod(p), volume.name);

        edit_node(p, edits[i].back);
        then_runs_on(p, volume.name, volume.uid);
        then_no_bootstrap(p);
        then_untouched(p, "mine", mine);
        then_true(i == 0 || !play_find(p, kind_pvc, OWN));
    }
}

/* --- a volume that another node controls -------------------------------------------------------
 */

#define IMPORT_OWN "{spec: {dataVolume: {import: {pvcName: '" OWN "'}}}}"
#define RETAIN     "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}"
#define PAUSE      "{spec: {paused: true}}"

static bool is_ready(Play *p, const char *node)
{
    return str_eq(play_condition(p, node, COND_READY), "True");
}

static bool has_no_pod(Play *p, const char *pod)
{
    return !play_find(p, kind_pod, pod);
}

static bool is_reported(Play *p, const char *node)
{
    return str_eq(play_reason(p, node, COND_STALLED), "DataVolumeOfOtherNode");
}

static bool is_not_stalled(Play *p, const char *node)
{
    return str_eq(play_condition(p, node, COND_STALLED), "False");
}

static bool is_gone(Play *p, const char *node)
{
    return !play_find(p, kind_seinode, node);
}

/* rpc-0 is paused, and rpc-1 imports its volume. */
static void given_heir(Play *p)
{
    play_create_node(p, "rpc-0", "{}");
    then_settles(p);
    play_patch(p, kind_seinode, "rpc-0", PAUSE);
    then_true(play_until(p, has_no_pod, "rpc-0-0"));
    play_create_node(p, "rpc-1", IMPORT_OWN);
}

TEST(an_import_waits_while_another_node_owns_the_pvc_and_the_message_names_the_remedy)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});

    given_heir(p);
    play_run(p, 60000);
    then_str(play_reason(p, "rpc-1", COND_IMPORT_READY), "PVCNotReady");
    then_true(strstr(play_message(p, "rpc-1", COND_IMPORT_READY),
                  "sei.io/volume-policy: Retain on SeiNode rpc-0")
        != NULL);
    then_true(!play_find(p, kind_statefulset, "rpc-1"));

    play_patch(p, kind_seinode, "rpc-0", RETAIN);
    then_true(play_until(p, is_ready, "rpc-1"));
    then_int(play_events(p, "rpc-1", "DataVolumeOfOtherNode", NULL), 0);
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    play_run(p, 60000);
    then_true(!meta_deleting(play_find(p, kind_pvc, OWN)));
    then_true(is_ready(p, "rpc-1"));
}

/* Also while it waits: then it gets the volume. */
TEST(a_pvc_that_another_node_imports_survives_the_deletion_of_its_owner)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});

    given_heir(p);
    play_run(p, 30000);
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_ready, "rpc-1"));
    then_true(!meta_deleting(play_find(p, kind_pvc, OWN)));
    then_int(play_events(p, "rpc-0", "VolumeKept", NULL), 1);
}

/* As an operator before this one allowed: rpc-1 runs on it. */
static void given_heir_that_runs(Play *p)
{
    given_heir(p);
    play_patch(p, kind_seinode, "rpc-0", RETAIN);
    then_true(play_until(p, is_ready, "rpc-1"));
    const char *owner = meta_uid(play_find(p, kind_seinode, "rpc-0"));
    play_patch(
        p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/volume-policy': null}}}");
    play_patch(p,
        kind_pvc,
        OWN,
        str_format(play_arena(p),
            "{metadata: {annotations: {'sei.io/retained-by': null}, ownerReferences: [{apiVersion:"
            " 'sei.io/v1alpha1', kind: 'SeiNode', name: 'rpc-0', uid: '%s', controller: true}]}}",
            owner));
    replica_crash(play_replica(p, 0)); /* no event of this claim concerns rpc-1 */
    play_run(p, 60000);
}

TEST(a_node_on_a_pvc_of_another_node_reports_it_and_keeps_running_when_that_one_is_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 32}});

    given_heir_that_runs(p);
    const char *pod = meta_uid(play_find(p, kind_pod, "rpc-1-0"));
    then_true(is_reported(p, "rpc-1"));
    then_true(is_ready(p, "rpc-1"));
    then_true(
        strstr(play_message(p, "rpc-1", COND_STALLED), "which SeiNode rpc-0 controls") != NULL);
    then_int(play_events(p, "rpc-1", "DataVolumeOfOtherNode", NULL), 1);

    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    then_true(play_until(p, is_not_stalled, "rpc-1"));
    then_true(!meta_deleting(play_find(p, kind_pvc, OWN)));
    then_int(play_events(p, "rpc-0", "VolumeKept", NULL), 1);
    then_str(meta_uid(play_find(p, kind_pod, "rpc-1-0")), pod);
    then_true(is_ready(p, "rpc-1"));
}

/* The SeiNode of the pod is gone, and left it behind. */
TEST(a_pvc_that_the_pod_of_another_node_mounts_is_kept)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 33}});

    given_heir_that_runs(p);
    play_delete_how(p, kind_seinode, "rpc-1", PROPAGATION_ORPHAN);
    then_true(play_until(p, is_gone, "rpc-1"));
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    play_run(p, 60000);
    then_true(!meta_deleting(play_find(p, kind_pvc, OWN)));
    then_true(play_find(p, kind_pod, "rpc-1-0") != NULL);
}

/* --- what the search for other users reads -----------------------------------------------------
 */

/* The LISTs of SeiNodes and of pods while it is armed. */
typedef struct ListCount {
    bool armed;
    int nodes, pods;
    int64_t nodes_limit;
    char pods_labels[64];
} ListCount;

static PortFault count_lists(void *self, const PortCall *call)
{
    ListCount *count = self;
    const Request *q = call->request;

    if (!count->armed || !q || call->is_stream || q->verb != VERB_LIST)
        return (PortFault){0};
    if (kind_eq(q->kind, kind_seinode)) {
        count->nodes++;
        count->nodes_limit = q->limit;
    }
    if (kind_eq(q->kind, kind_pod)) {
        count->pods++;
        snprintf(count->pods_labels, sizeof count->pods_labels, "%s", q->labels ? q->labels : "");
    }
    return (PortFault){0};
}

static ListCount when_node_is_deleted(bool has_heir)
{
    ListCount count = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 34, .judge = count_lists, .judge_self = &count}});

    given_heir(p);
    if (!has_heir) {
        play_delete(p, kind_seinode, "rpc-1");
        then_true(play_until(p, is_gone, "rpc-1"));
    }
    play_run(p, 30000);
    count.armed = true;
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    return count;
}

TEST(the_search_for_other_users_of_a_pvc_reads_small_pages_and_ends_at_the_first_user)
{
    ListCount count = when_node_is_deleted(false);

    then_int(count.nodes, 1);
    then_int(count.nodes_limit, 16);
    then_int(count.pods, 1);
    then_str(count.pods_labels, "sei.io/node");

    count = when_node_is_deleted(true);
    then_int(count.nodes, 1);
    then_int(count.pods, 0);
}
