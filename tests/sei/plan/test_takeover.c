/* A node without a status whose objects live is taken over, not set up again. */
#include "tests/sei/plan/given.h"

#define LOST       "{status: null}"
#define NOBODYS    "{metadata: {ownerReferences: null}}"
#define INIT_AGAIN true

static const struct {
    const char *name;
    Given given;
    bool set_up;
} cases[] = {
    {"with its StatefulSet and its volume", {.node = LOST}},
    {"also when only Pending was written", {.node = "{status: {phase: 'Pending'}}"}},
    {"with ownerless ones of our chain and role",
        {.node = LOST, .statefulset = NOBODYS, .volume = NOBODYS}},
    {"not with ownerless ones of another chain",
        {.node = LOST,
            .statefulset = "{metadata: {ownerReferences: null, labels: {'sei.io/chain': 'b'}}}",
            .volume = NOBODYS},
        INIT_AGAIN},
    {"not with ones of another role",
        {.node = LOST,
            .statefulset = NOBODYS,
            .volume = "{metadata: {ownerReferences: null, labels: {'sei.io/role': 'archive'}}}"},
        INIT_AGAIN},
    {"not with a volume alone", {.node = LOST, .statefulset = GONE, .pod = GONE}, INIT_AGAIN},
    {"not with a StatefulSet alone", {.node = LOST, .volume = GONE}, INIT_AGAIN},
    {"not with a volume that is going",
        {.node = LOST, .volume = "{metadata: {deletionTimestamp: '" NOW "'}}"},
        INIT_AGAIN},
};

TEST(takes_over_what_lives)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_int(p->d.status.phase, cases[i].set_up ? PHASE_INITIALIZING : PHASE_RUNNING);
        then_int(has_active_plan(&p->d.status), cases[i].set_up);
        if (cases[i].set_up)
            continue;
        then_str(p->d.status.identity.chain_id, "sei");
        then_str(p->d.status.volume.uid, "pvc-uid");
        then_str(p->d.status.current_image, "sei:1");
        then_str(stall_text(&p->d), "");
    }
}

TEST(a_node_with_an_imported_volume_is_taken_over_by_its_statefulset)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{status: null, spec: {dataVolume: {import: {pvcName: 'theirs'}}}}",
            .volume = GONE,
        });

    then_int(p->d.status.phase, PHASE_RUNNING);
    then_int(has_active_plan(&p->d.status), false);
}

TEST(a_plan_that_is_left_of_a_lost_status_goes_on)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){.node = "{status: {phase: null, plan: {id: 'p', kind: 'init', targetHash: 'now',"
                         " phase: 'Active', tasks: [{type: 'mark-ready', id: 'x',"
                         " status: 'Pending'}]}}}"});

    then_str(plan_text(a, &p->d.status), "init: mark-ready");
    then_int(p->d.status.phase, PHASE_INITIALIZING);
}
