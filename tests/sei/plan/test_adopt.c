/* A pod that another operator made is taken as it is. */
#include "tests/sei/plan/given.h"

#define REFERENCE_POD "{metadata: {annotations: null}}"
#define REFERENCE_STATUS                                                                           \
    "{status: {podTemplateHash: null, specHash: null, identity: null, dataVolume: null,"           \
    " observedGeneration: null}}"
#define ADOPTED(hash)                                                                              \
    "{status: {adopted: {podUID: 'pod-uid', templateHash: '" hash "', specHash: 'x'}}}"
#define REFERENCE_SET "{$ownedHash: 'of the reference'}"

TEST(a_resting_node_of_the_go_operator_is_adopted_without_a_restart)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Given world = {
        .node = REFERENCE_STATUS,
        .pod = REFERENCE_POD,
        .statefulset = REFERENCE_SET,
        .no_permit = true,
    };
    Planned *p = plan_given(a, &world);

    then_true(p->d.needs_explanation);
    world.explained = true;
    p = plan_given(a, &world);
    then_str(plan_text(a, &p->d.status), REPAIR_PLAN);
    then_str(p->d.status.adopted.pod_uid, "pod-uid");
    then_str(p->d.status.adopted.template_hash, "hash-now");
    then_str(p->d.status.adopted.spec_hash, node_spec_hash(a, &p->node));
    then_str(p->d.status.spec_hash, node_spec_hash(a, &p->node));
    then_str(p->d.status.current_image, "sei:1");
    then_str(p->d.status.pod_template_hash, NULL);
    then_str(p->d.status.identity.chain_id, "sei");
    then_str(p->d.status.volume.uid, "pvc-uid");
    then_int(p->d.status.drift.count, 1);
}

static const struct {
    const char *name;
    Given given;
    const char *plan, *adopted;
    bool wants_permit;
} cases[] = {
    {"is left alone", {.node = ADOPTED("hash-now"), .pod = REFERENCE_POD}, "", "pod-uid"},
    {"is rolled in its turn when the template moves on",
        {.node = ADOPTED("hash-old"), .pod = REFERENCE_POD, .explained = true, .no_permit = true},
        "",
        "pod-uid",
        .wants_permit = true},
    {"is rolled when its image is not the spec's",
        {.node = "{spec: {image: 'sei:2'}, status: {adopted: {podUID: 'pod-uid',"
                 " templateHash: 'hash-now', specHash: 'x'}}}",
            .pod = REFERENCE_POD,
            .explained = true},
        UPDATE_PLAN,
        "pod-uid"},
    {"is not rolled for an image that a webhook rewrote",
        {.node = ADOPTED("hash-now"),
            .pod = "{metadata: {annotations: null},"
                   " spec: {containers: [{name: 'seid', image: 'mirror/sei:1'}]}}"},
        "",
        "pod-uid"},
    {"is forgotten with the pod", {.node = ADOPTED("hash-now"), .pod = GONE}, "", NULL},
    {"and when another has come",
        {.node = ADOPTED("hash-now"), .pod = "{metadata: {uid: 'pod-2'}}"},
        "",
        NULL},
};

TEST(a_pod_of_another_operator_is_adopted_only_if_it_matches)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_str(p->d.status.adopted.pod_uid, cases[i].adopted);
        then_int(p->d.wants_permit, cases[i].wants_permit);
    }
}

TEST(a_pod_of_another_operator_is_adopted_during_an_init_plan)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{status: {phase: 'Initializing', plan: {id: 'p', phase: 'Active', tasks: ["
                    "{type: 'ensure-data-pvc', id: 'x', status: 'Complete'},"
                    "{type: 'apply-statefulset', id: 'y', status: 'Complete'},"
                    "{type: 'mark-ready', id: 'z', status: 'Pending'}]}}}",
            .pod = REFERENCE_POD,
        });

    then_str(p->d.status.adopted.pod_uid, "pod-uid");
    then_str(plan_text(a, &p->d.status), "init: ensure-data-pvc+ apply-statefulset mark-ready");
}
