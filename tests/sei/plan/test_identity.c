/* Chain, mode and volume of a running node are not edited. */
#include "tests/sei/plan/given.h"

#define REFERENCE "{metadata: {annotations: null}}"

static const struct {
    const char *name;
    Given given;
    const char *stall, *chain, *plan;
    NodeMode mode;
    bool held;
} cases[] = {
    {"another chain",
        {.node = "{spec: {chainId: 'other'}}"},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL},
    {"another mode, also one that this version cannot initialize",
        {.node = "{spec: {fullNode: null, archive: {}}}"},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL},
    {"another volume",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL},
    {"is still repaired",
        {.node = "{spec: {chainId: 'other'}}", .service = GONE},
        "IdentityChanged",
        "sei",
        REPAIR_PLAN,
        MODE_FULL},
    {"and approved",
        {.node = "{spec: {chainId: 'other'}}", .health = HEALTH_NOT_READY},
        "IdentityChanged",
        "sei",
        REAPPROVAL,
        MODE_FULL},
    {"but not rolled",
        {.node = "{spec: {chainId: 'other', image: 'sei:2'}}",
            .pod = "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}",
            .explained = true},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL},
    {"what is not recorded is read from the pod",
        {.node = "{status: {identity: null}}", .pod = REFERENCE},
        "",
        "sei",
        "",
        MODE_FULL},
    {"which may have been something else than the spec says now",
        {.node = "{spec: {chainId: 'other'}, status: {identity: null}}", .pod = REFERENCE},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL,
        .held = true},
    {"or an archive",
        {.node = "{status: {identity: null}}",
            .pod = "{metadata: {labels: {'sei.io/role': 'archive'}}}"},
        "IdentityChanged",
        "sei",
        "",
        MODE_ARCHIVE,
        .held = true},
    {"without a pod, from the StatefulSet",
        {.node = "{spec: {chainId: 'other'}, status: {identity: null}}", .pod = GONE},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL,
        .held = true},
    {"a pod of the Go operator on another claim is not moved",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'mine'}}},"
                 " status: {identity: null, dataVolume: null}}",
            .pod = REFERENCE,
            .volume = "{metadata: {name: 'mine', ownerReferences: null}}"},
        "IdentityChanged",
        "sei",
        "",
        MODE_FULL,
        .held = true},
    {"an init may still be edited",
        {.fresh = true, .node = "{status: {identity: {chainId: 'other', mode: 'archive'}}}"},
        "",
        "other",
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready",
        MODE_ARCHIVE},
};

TEST(the_identity_of_a_running_node_is_not_changed_by_an_edit)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(stall_text(&p->d), cases[i].stall);
        then_str(p->d.status.identity.chain_id, cases[i].chain);
        then_int(p->d.status.identity.mode, cases[i].mode);
        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.hold_statefulset, cases[i].held);
    }
}

TEST(a_terminating_volume_is_reported_rather_than_an_edit_of_the_chain)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{spec: {chainId: 'other'}}",
            .volume = "{metadata: {deletionTimestamp: '" NOW "'}}",
        });

    then_str(stall_text(&p->d), "DataVolumeTerminating");
}
