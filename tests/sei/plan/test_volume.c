/* The claim with the data: gone, going, restored, replaced by another. */
#include "tests/sei/plan/given.h"

#define GOING     "{metadata: {deletionTimestamp: '" NOW "'}}"
#define STALE_POD "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define RESTORED  "{metadata: {uid: 'pvc-2', ownerReferences: null}}"
#define WISH(w)   "{metadata: {annotations: {'sei.io/" w "'}}}"
#define INIT_PLAN                                                                                  \
    "plan: {id: 'old', kind: 'init', targetHash: 'now', phase: 'Active', tasks: ["                 \
    "{type: 'ensure-data-pvc', id: 'x', status: 'Complete'}]}"

static const struct {
    const char *name;
    Given given;
    const char *stall, *uid, *plan;
    NodePhase phase;
    bool asks, held, stops_nothing, frozen;
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
        "DataVolumeMissing",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"nor by another of its name",
        {.volume = RESTORED},
        "DataVolumeMissing",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"unless a person names it",
        {.volume = RESTORED, .node = WISH("adopt-volume': 'pvc-2")},
        "",
        "pvc-2",
        "",
        PHASE_RUNNING},
    {"and it carries our label",
        {.volume = "{metadata: {uid: 'pvc-2', ownerReferences: null, labels: null}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        "DataVolumeMissing",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"and has no other owner",
        {.volume = "{metadata: {uid: 'pvc-2', ownerReferences: [{kind: 'X', name: 'x', uid: 'x',"
                   " controller: true}]}}",
            .node = WISH("adopt-volume': 'pvc-2")},
        "DataVolumeMissing",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"a permission for another volume is none",
        {.volume = GONE, .volume_absent_for_sure = true, .node = WISH("allow-new-volume': 'pvc-0")},
        "DataVolumeMissing",
        "pvc-uid",
        "",
        PHASE_RUNNING,
        .held = true,
        .stops_nothing = true},
    {"with permission the node is set up as if new",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .pod = GONE,
            .node = WISH("allow-new-volume': 'pvc-uid")},
        "",
        NULL,
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready",
        PHASE_INITIALIZING},
    {"an import takes the place of what is gone",
        {.volume = GONE,
            .volume_absent_for_sure = true,
            .node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"},
        "",
        NULL,
        "",
        PHASE_RUNNING,
        .held = true,
        .frozen = true},
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
    {"but not one of somebody else",
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

TEST(never_loses_a_volume)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(stall_text(&p->d), cases[i].stall);
        then_str(p->d.status.volume.uid, cases[i].uid);
        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.status.phase, cases[i].phase);
        then_int(p->d.needs_volume_proof, cases[i].asks);
        then_int(p->d.hold_statefulset, cases[i].held);
        then_int(p->d.stop_no_pod, cases[i].stops_nothing);
        then_int(p->d.frozen, cases[i].frozen);
    }
}

TEST(an_imported_claim_is_recorded_as_such)
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
TEST(a_node_that_begins_afresh_while_paused_forgets_what_its_init_had_done)
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

TEST(what_to_do_about_a_missing_volume_is_said)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.volume = GONE, .volume_absent_for_sure = true});

    then_true(strstr(p->d.stall.message, "sei.io/adopt-volume=<its uid>") != NULL);
    then_true(strstr(p->d.stall.message, "spec.dataVolume.import") != NULL);
    then_true(strstr(p->d.stall.message, "sei.io/allow-new-volume=pvc-uid") != NULL);
    p = plan_given(a, &(Given){.volume = GOING});
    then_true(strstr(p->d.stall.message, "Retain on PersistentVolume pv-1") != NULL);
}
