/* The claim with the data: gone, going, restored, replaced by another. */
#include "tests/sei/plan/given.h"

#define GOING "{metadata: {deletionTimestamp: '" NOW "'}}"
#define LOST  "{status: {phase: 'Lost'}}"
#define OF_OTHER                                                                                   \
    "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', name: 'b',"    \
    " uid: 'b-uid', controller: true}]}}"
#define STALE_POD     "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define RESTORED      "{metadata: {uid: 'pvc-2', ownerReferences: null}}"
#define WISH(w)       "{metadata: {annotations: {'sei.io/" w "'}}}"
#define UNLABELLED    "{metadata: {uid: 'pvc-2', ownerReferences: null, labels: null}}"
#define IMPORT(claim) "{spec: {dataVolume: {import: {pvcName: '" claim "'}}}}"
#define IMPORTED(annotations, claim)                                                               \
    "{metadata: {annotations: {" annotations "}},"                                                 \
    " spec: {dataVolume: {import: {pvcName: '" claim "'}}},"                                       \
    " status: {dataVolume: {imported: true}}}"

/* How a row ends: nothing is done without the data; a claim is the node's from now on; or one that
 * is to be is looked at first. */
#define MISSING                                                                                    \
    "DataVolumeMissing", "pvc-uid", "", PHASE_RUNNING, .held = true, .stops_nothing = true
#define TAKEN(uid)     "", uid, "", PHASE_RUNNING, .held = true, .frozen = true
#define LOOKED_AT(uid) "", uid, "", PHASE_RUNNING, .asks_import = true, .frozen = true
#define INIT_PLAN                                                                                  \
    "plan: {id: 'old', kind: 'init', targetHash: 'now', phase: 'Active', tasks: ["                 \
    "{type: 'ensure-data-pvc', id: 'x', status: 'Complete'}]}"

static const struct {
    const char *name;
    Given given;
    const char *stall, *uid, *plan;
    NodePhase phase;
    bool asks, asks_import, held, stops_nothing, frozen;
} cases[] = {
    {"absence is believed only after a live look",
        {.volume = GONE},
        "",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .asks = true,
        .frozen = true},
    {"a claim that is gone is not replaced",
        {.volume = GONE, .volume_absent_for_sure = true},
        MISSING},
    {"nor by another of its name", {.volume = RESTORED}, MISSING},
    {"unless a person names it",
        {.volume = RESTORED, .node = WISH("adopt-volume': 'pvc-2")},
        "",
        "pvc-2",
        "",
        PHASE_RUNNING},
    {"and it carries our label",
        {.volume = "{metadata: {uid: 'pvc-2', ownerReferences: null, labels: null}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        MISSING},
    {"and has no other owner",
        {.volume = "{metadata: {uid: 'pvc-2', ownerReferences: [{kind: 'X', name: 'x', uid: 'x',"
                   " controller: true}]}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        MISSING},
    {"a permission for another volume is none",
        {.volume = GONE, .volume_absent_for_sure = true, .node = WISH("allow-new-volume': 'pvc-0")},
        MISSING},
    {"with permission the node is initialized as if new",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .pod = GONE,
            .node = WISH("allow-new-volume': 'pvc-uid")},
        "",
        NULL,
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready",
        PHASE_INITIALIZING},
    {"an import is looked at before it takes the place of what is gone",
        {.volume = GONE, .volume_absent_for_sure = true, .node = IMPORT("mine")},
        LOOKED_AT("pvc-uid")},
    {"and takes it when it is good",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .node = IMPORT("mine"),
            .import_uid = "mine-uid"},
        TAKEN("mine-uid")},
    {"a wrong or late one does not cost the record",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .node = IMPORT("mine"),
            .import_trouble = "it is late"},
        MISSING},
    {"also with permission for a new volume: the node would be initialized on the import",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .node = "{metadata: {annotations: {'sei.io/allow-new-volume': 'pvc-uid'}},"
                    " spec: {dataVolume: {import: {pvcName: 'mine'}}}}",
            .import_trouble = "it is late"},
        MISSING},
    {"one of the name of what is gone may be imported, too",
        {.volume = UNLABELLED, .node = IMPORT("data-a"), .import_uid = "pvc-2"},
        TAKEN("pvc-2")},
    {"another volume, where a foreign PVC has the name",
        {.volume = UNLABELLED, .node = IMPORT("mine"), .import_uid = "mine-uid"},
        TAKEN("mine-uid")},
    {"an imported claim that was restored is not taken unasked",
        {.volume = UNLABELLED, .node = IMPORTED("", "data-a")},
        MISSING},
    {"when it is named it is looked at first",
        {.volume = UNLABELLED, .node = IMPORTED("'sei.io/adopt-volume': 'pvc-2'", "data-a")},
        LOOKED_AT("pvc-uid")},
    {"and then taken",
        {.volume = UNLABELLED,
            .node = IMPORTED("'sei.io/adopt-volume': 'pvc-2'", "data-a"),
            .import_uid = "pvc-2"},
        TAKEN("pvc-2")},
    {"an import in an init is looked at before the claim that was made is left",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                 " status: {phase: 'Initializing', identity: null, " INIT_PLAN "}}"},
        "",
        "pvc-uid",
        "init: ensure-data-pvc+",
        PHASE_INITIALIZING,
        .asks_import = true,
        .frozen = true},
    {"it waits for one that cannot be used",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                 " status: {phase: 'Initializing', identity: null, " INIT_PLAN "}}",
            .import_trouble = "it is late"},
        "ImportNotReady",
        "pvc-uid",
        "init: ensure-data-pvc+",
        PHASE_INITIALIZING,
        .held = true,
        .stops_nothing = true,
        .frozen = true},
    {"it moves to one that is good, and nothing counts that was done",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                 " status: {phase: 'Initializing', identity: null, " INIT_PLAN "}}",
            .import_uid = "mine-uid"},
        "",
        "mine-uid",
        "",
        PHASE_INITIALIZING,
        .held = true,
        .frozen = true},
    {"so does one that has failed",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                 " status: {phase: 'Failed', identity: null}}",
            .import_uid = "mine-uid"},
        "",
        "mine-uid",
        "",
        PHASE_INITIALIZING,
        .held = true,
        .frozen = true},
    {"an import that was reverted",
        {.node = "{status: {phase: 'Initializing', identity: null,"
                 " dataVolume: {name: 'mine', uid: 'mine-uid', imported: true}}}"},
        "",
        NULL,
        "",
        PHASE_INITIALIZING,
        .held = true,
        .frozen = true},
    {"a running node stays where it is",
        {.node = IMPORT("mine"), .import_uid = "mine-uid"},
        "IdentityChanged",
        "pvc-uid",
        "",
        PHASE_RUNNING},
    {"while a claim is being deleted nothing stops its pod",
        {.volume = GOING, .pod = STALE_POD, .explained = true},
        "DataVolumeTerminating",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"not even pausing",
        {.volume = GOING, .node = "{spec: {paused: true}}"},
        "DataVolumeTerminating",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true,
        .frozen = true},
    {"in an init as well",
        {.volume = GOING, .node = "{status: {phase: 'Initializing', " INIT_PLAN "}}"},
        "DataVolumeTerminating",
        "pvc-uid",
        "init: ensure-data-pvc+",
        PHASE_INITIALIZING,
        .held = true,
        .stops_nothing = true},
    {"while a claim is Lost nothing stops its pod",
        {.volume = LOST, .pod = STALE_POD, .explained = true},
        "DataVolumeLost",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"not even pausing stops the pod on a Lost claim",
        {.volume = LOST, .node = "{spec: {paused: true}}"},
        "DataVolumeLost",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true,
        .frozen = true},
    {"an imported claim that another SeiNode controls is reported, and nothing is held",
        {.volume = OF_OTHER, .node = IMPORTED("", "data-a")},
        "DataVolumeOfOtherNode",
        "pvc-uid",
        "",
        PHASE_RUNNING},
    {"an init whose claim is gone makes no second one",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .node = "{status: {phase: 'Initializing', " INIT_PLAN "}}"},
        "DataVolumeMissing",
        "pvc-uid",
        "init: ensure-data-pvc+",
        PHASE_INITIALIZING,
        .held = true,
        .stops_nothing = true,
        .frozen = true},
    {"the claim of a running node is recorded when it was not",
        {.node = "{status: {dataVolume: null}}"},
        "",
        "pvc-uid",
        "",
        PHASE_RUNNING},
    {"a claim of another owner is not adopted",
        {.node = "{status: {dataVolume: null}}",
            .volume = "{metadata: {ownerReferences: [{kind: 'X', name: 'x', uid: 'x',"
                      " controller: true}]}}"},
        "ForeignObject",
        NULL,
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"a retained claim without an owner is still the one",
        {.volume = "{metadata: {ownerReferences: null,"
                   " annotations: {'sei.io/retained-by': 'node-uid'}}}"},
        "",
        "pvc-uid",
        "",
        PHASE_RUNNING},
};

TEST(each_state_of_the_data_volume_is_handled_without_loss_of_data)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(stall_text(&p->d), cases[i].stall);
        then_str(p->d.status.volume.uid, cases[i].uid);
        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.status.phase, cases[i].phase);
        then_int(p->d.needs_volume_proof, cases[i].asks);
        then_int(p->d.needs_import_proof, cases[i].asks_import);
        then_int(p->d.hold_statefulset, cases[i].held);
        then_int(p->d.stop_no_pod, cases[i].stops_nothing);
        then_int(p->d.frozen, cases[i].frozen);
    }
}

TEST(an_imported_pvc_is_recorded_as_imported)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                    " status: {dataVolume: null}}",
            .volume = "{metadata: {name: 'mine', uid: 'mine-uid', ownerReferences: null,"
                      " labels: null}}",
            .pod = GONE,
        });

    then_str(p->d.status.volume.name, "mine");
    then_str(p->d.status.volume.uid, "mine-uid");
    then_true(p->d.status.volume.imported);
}

/* The plan may have to wait, here for the end of a pause; what comes then must find nothing done.
 */
TEST(a_paused_node_that_gets_a_new_volume_forgets_the_tasks_done_on_the_old_one)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .volume = GONE,
            .volume_absent_for_sure = true,
            .pod = GONE,
            .node = "{metadata: {annotations: {'sei.io/allow-new-volume': 'pvc-uid'}},"
                    " spec: {paused: true}, status: {plan: {id: 'old', kind: 'init',"
                    " phase: 'Complete', targetHash: 'now', tasks: [{type: 'config-apply',"
                    " id: 'c', status: 'Complete'}]}}}",
        });

    then_int(p->d.status.phase, PHASE_INITIALIZING);
    then_true(!p->d.status.has_plan);
}

/* What the schema forbids is not offered: an import can be neither dropped nor changed. */
static const struct {
    const char *name;
    Given given;
    const char *says[4], *says_not[2];
} advices[] = {
    {"of a claim that was made for the node",
        {0},
        {"sei.io/node=a",
            "sei.io/adopt-volume=<its uid>",
            "or set spec.dataVolume.import",
            "sei.io/allow-new-volume=pvc-uid"}},
    {"of an imported one",
        {.node = IMPORTED("", "data-a")},
        {"a claim of that name",
            "sei.io/adopt-volume=<its uid>",
            "sei.io/allow-new-volume=pvc-uid"},
        {"set spec.dataVolume.import", "sei.io/node=a"}},
    {"of one for which a wrong import was set",
        {.node = IMPORT("mine"), .import_trouble = "it is late"},
        {"it is late",
            "remove spec.dataVolume and",
            "sei.io/adopt-volume=<its uid>",
            "sei.io/allow-new-volume=pvc-uid"}},
    {"of one that was never recorded",
        {.node = "{status: {dataVolume: null}}"},
        {"sei.io/node=a"},
        {"allow-new-volume", "adopt-volume"}},
    {"of an import that was never recorded",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}}, status: {dataVolume: null}}"},
        {"the claim mine", "restore it"},
        {"allow-new-volume", "sei.io/node"}},
};

TEST(the_message_for_a_missing_volume_offers_only_remedies_that_work)
{
    each_case(i, advices) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Given missing = advices[i].given;
        missing.volume = GONE;
        missing.pod = GONE;
        missing.volume_absent_for_sure = true;
        Planned *p = plan_given(a, &missing);

        then_str(stall_text(&p->d), "DataVolumeMissing");
        for (size_t k = 0; k < array_count(advices[i].says) && advices[i].says[k]; k++)
            if (!strstr(p->d.stall.message, advices[i].says[k]))
                then_str(p->d.stall.message, advices[i].says[k]);
        for (size_t k = 0; k < array_count(advices[i].says_not) && advices[i].says_not[k]; k++)
            if (strstr(p->d.stall.message, advices[i].says_not[k]))
                then_str(p->d.stall.message, advices[i].says_not[k]);
    }
}

/* What is there under the name, and why it does not take the place. */
static const struct {
    const char *name;
    Given given;
    const char *says[2];
} claims[] = {
    {"nobody has named it",
        {.volume = RESTORED},
        {"a claim of that name is there, with the uid pvc-2",
            "sei.io/adopt-volume=pvc-2 if it has the data"}},
    {"another one was named",
        {.volume = RESTORED, .node = WISH("adopt-volume': 'pvc-9")},
        {"sei.io/adopt-volume names the uid pvc-9, and the claim that is there has the uid pvc-2",
            "set it to pvc-2 if that one has the data"}},
    {"it lacks the label",
        {.volume = UNLABELLED, .node = WISH("adopt-volume': 'pvc-2")},
        {"The claim of that name that is there (uid pvc-2) lacks the label sei.io/node=a"}},
    {"it belongs to another",
        {.volume = "{metadata: {uid: 'pvc-2', ownerReferences: [{kind: 'X', name: 'x', uid: 'x',"
                   " controller: true}]}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        {"The claim of that name that is there (uid pvc-2) belongs to X x"}},
    {"it is going",
        {.volume =
                "{metadata: {uid: 'pvc-2', ownerReferences: null, deletionTimestamp: '" NOW "'}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        {"The claim of that name that is there (uid pvc-2) is being deleted"}},
    {"one was named, and none is there",
        {.volume = GONE, .volume_absent_for_sure = true, .node = WISH("adopt-volume': 'pvc-9")},
        {"sei.io/adopt-volume names the uid pvc-9, and no claim of that name is there"}},
};

TEST(the_message_says_why_an_existing_pvc_does_not_replace_the_lost_one)
{
    each_case(i, claims) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &claims[i].given);

        then_str(stall_text(&p->d), "DataVolumeMissing");
        for (size_t k = 0; k < array_count(claims[i].says) && claims[i].says[k]; k++)
            if (!strstr(p->d.stall.message, claims[i].says[k]))
                then_str(p->d.stall.message, claims[i].says[k]);
    }
}

TEST(the_message_for_a_terminating_volume_says_how_to_save_its_data)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.volume = GOING});

    then_str(p->d.stall.message,
        "the claim data-a is being deleted and goes with its data as soon as the pod stops, so "
        "nothing stops the pod now; the data is saved if PersistentVolume pv-1 has "
        "persistentVolumeReclaimPolicy: Retain by then: look, and set it if it has not");
}

/* No event tells of a claim that is not ours. */
TEST(an_import_that_is_not_ready_is_requeued)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .volume = GONE,
            .volume_absent_for_sure = true,
            .node = IMPORT("mine"),
            .import_trouble = "it is late",
        });

    then_int(p->d.again_after_ms, 5000);
}
