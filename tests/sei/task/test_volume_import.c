/* The import of a person's volume: what is wrong for good, and what may still come. */
#include "tests/sei/world.h"

static const char claim[] =
    "{metadata: {name: 'mine', namespace: 'sei'}, spec: {accessModes: ['ReadWriteOncePod'],"
    " volumeName: 'pv-1', resources: {requests: {storage: '2000Gi'}}},"
    " status: {phase: 'Bound', capacity: {storage: '2000Gi'}}}";
static const char volume[] =
    "{metadata: {name: 'pv-1'}, spec: {capacity: {storage: '2000Gi'},"
    " accessModes: ['ReadWriteOncePod'], hostPath: {path: '/x'}}, status: {phase: 'Bound'}}";

static const struct {
    const char *name, *claim, *volume, *reason;
    bool dying;
    Want want;
} cases[] = {
    {"a volume that fits", .reason = "PVCValidated"},
    {"no claim", ABSENT, .reason = "PVCNotReady", .want = WAIT("mine does not exist")},
    {"a claim on its way out",
        "{metadata: {finalizers: ['t.io/x']}}",
        .dying = true,
        .reason = "PVCNotReady",
        .want = WAIT("being deleted")},
    {"a claim that lost its volume",
        "{status: {phase: 'Lost'}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has lost its volume")},
    {"a claim that is not bound",
        "{status: {phase: 'Pending'}}",
        .reason = "PVCNotReady",
        .want = WAIT("Pending, not Bound")},
    {"a claim that cannot be written",
        "{spec: {accessModes: ['ReadOnlyMany']}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("ReadWriteOncePod")},
    {"a claim without a capacity",
        "{status: {capacity: null}}",
        .reason = "PVCNotReady",
        .want = WAIT("no capacity yet")},
    {"a claim that is too small",
        "{status: {capacity: {storage: '1999Gi'}}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has 1999Gi, and the node needs 2000Gi")},
    {"a claim without a volume",
        "{spec: {volumeName: null}}",
        .reason = "PVCNotReady",
        .want = WAIT("names no volume")},
    {"no volume", .volume = ABSENT, .reason = "PVCNotReady", .want = WAIT("pv-1 does not exist")},
    {"a failed volume",
        .volume = "{status: {phase: 'Failed'}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("is Failed")},
    {"a volume of another size",
        .volume = "{spec: {capacity: {storage: '3000Gi'}}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has 3000Gi")},
};

TEST(an_imported_volume_must_be_able_to_carry_the_node)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
        given(w, kind_pv, volume, cases[i].volume);
        const Json *there = given(w, kind_pvc, claim, cases[i].claim);
        if (cases[i].dying)
            deleted(w, kind_pvc, "mine");

        then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), cases[i].want);

        const Cond *cond = conds_find(&w->status.conds, "ImportPVCReady");
        then_str(cond->reason, cases[i].reason);
        then_str(cond->status, cases[i].want ? "False" : "True");
        then_str(w->status.volume.uid, cases[i].want ? NULL : meta_uid(there));
        then_true(w->status.volume.imported == !cases[i].want);
    }
}

TEST(an_archive_node_needs_more)
{
    SCOPED_WORLD w =
        world_of("{spec: {fullNode: null, archive: {}, dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), TERMINAL("the node needs 40Ti"));
}

TEST(an_imported_volume_is_never_written)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);

    then_ok(when_task_runs(w, TASK_ENSURE_DATA_PVC));

    then_str(w->said, "get persistentvolumeclaims mine, get persistentvolumes pv-1");
}
