/* The import of a person's volume: what is wrong for good, and what may still come. */
#include "tests/sei/pods.h"

static const char claim[] =
    "{metadata: {name: 'mine', namespace: 'sei'}, spec: {accessModes: ['ReadWriteOncePod'],"
    " volumeName: 'pv-1', resources: {requests: {storage: '2000Gi'}}},"
    " status: {phase: 'Bound', capacity: {storage: '2000Gi'}}}";
static const char volume[] =
    "{metadata: {name: 'pv-1'}, spec: {capacity: {storage: '2000Gi'},"
    " accessModes: ['ReadWriteOncePod'], hostPath: {path: '/x'}}, status: {phase: 'Bound'}}";

/* Row by row as the specification has them. */
static const struct {
    const char *name, *claim, *volume, *reason;
    bool dying;
    int failing_call; /* counted from 1 */
    Want want;
} cases[] = {
    {"1: no claim", ABSENT, .reason = "PVCNotReady", .want = WAIT("mine does not exist")},
    {"2: a claim that cannot be read",
        .failing_call = 1,
        .reason = "PVCNotReady",
        .want = RETRY("persistentvolumeclaims")},
    {"3: a claim on its way out",
        "{metadata: {finalizers: ['t.io/x']}}",
        .dying = true,
        .reason = "PVCNotReady",
        .want = WAIT("being deleted")},
    {"3 before 4: of a claim on its way out nothing else counts",
        "{metadata: {finalizers: ['t.io/x']}, status: {phase: 'Lost'}}",
        .dying = true,
        .reason = "PVCNotReady",
        .want = WAIT("being deleted")},
    {"4: a claim that lost its volume",
        "{status: {phase: 'Lost'}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has lost its volume")},
    {"5: a claim that is not bound",
        "{status: {phase: 'Pending'}}",
        .reason = "PVCNotReady",
        .want = WAIT("Pending, not Bound")},
    {"5 before 6: a claim that is not bound may still be replaced",
        "{spec: {accessModes: ['ReadOnlyMany']}, status: {phase: 'Pending'}}",
        .reason = "PVCNotReady",
        .want = WAIT("Pending, not Bound")},
    {"6: a claim that cannot be written",
        "{spec: {accessModes: ['ReadOnlyMany']}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("ReadWriteOncePod")},
    {"6: one access mode of several is enough",
        "{spec: {accessModes: ['ReadOnlyMany', 'ReadWriteOnce']}}",
        .reason = "PVCValidated"},
    {"8: a claim without a capacity",
        "{status: {capacity: null}}",
        .reason = "PVCNotReady",
        .want = WAIT("no capacity yet")},
    {"9: a claim that is too small",
        "{status: {capacity: {storage: '1999Gi'}}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has 1999Gi, and the node needs 2000Gi")},
    {"9: a larger one will do",
        "{status: {capacity: {storage: '3000Gi'}}}",
        "{spec: {capacity: {storage: '3000Gi'}}}",
        .reason = "PVCValidated"},
    {"10: a claim without a volume",
        "{spec: {volumeName: null}}",
        .reason = "PVCNotReady",
        .want = WAIT("names no volume")},
    {"11: no volume",
        .volume = ABSENT,
        .reason = "PVCNotReady",
        .want = WAIT("pv-1 does not exist")},
    {"11: a volume that cannot be read",
        .failing_call = 2,
        .reason = "PVCNotReady",
        .want = RETRY("persistentvolumes")},
    {"12: a failed volume",
        .volume = "{status: {phase: 'Failed'}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("is Failed")},
    {"13: a volume of another size",
        .volume = "{spec: {capacity: {storage: '3000Gi'}}}",
        .reason = "PVCInvalid",
        .want = TERMINAL("has 3000Gi")},
    {"13: the same size in other words is the same",
        .volume = "{spec: {capacity: {storage: '2147483648000'}}}",
        .reason = "PVCValidated"},
    {"14: a volume that fits", .reason = "PVCValidated"},
};

TEST(an_import_is_accepted_only_if_its_pvc_can_serve_the_node)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
        given(w, kind_pv, volume, cases[i].volume);
        const Json *there = given(w, kind_pvc, claim, cases[i].claim);
        if (cases[i].dying)
            deleted(w, kind_pvc, "mine");
        w->fault_at = cases[i].failing_call;
        w->fault = cases[i].failing_call ? FAULT_BEFORE : FAULT_NONE;

        then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), cases[i].want);

        const Cond *cond = conds_find(&w->status.conds, "ImportPVCReady");
        then_str(cond->reason, cases[i].reason);
        then_str(cond->status, cases[i].want ? "False" : "True");
        then_str(w->status.volume.uid, cases[i].want ? NULL : meta_uid(there));
        then_true(w->status.volume.imported == !cases[i].want);
    }
}

TEST(an_invalid_storage_size_setting_is_reported_as_an_invalid_import)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    Settings settings = sample_settings_with(offsetof(Settings, storage_size), "a lot");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, "{status: {capacity: null}}");
    w->run.settings = &settings;

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), TERMINAL("a lot"));
    then_str(conds_find(&w->status.conds, "ImportPVCReady")->reason, "PVCInvalid");
}

/* It is good, and somebody else writes to it. */
TEST(an_imported_pvc_that_is_in_use_is_awaited)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);
    given(w,
        kind_pod,
        sample_job,
        "{spec: {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'mine'}}]}}");

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), WAIT("in use by pod analyzer"));
    then_str(conds_find(&w->status.conds, "ImportPVCReady")->reason, "PVCValidated");
    then_str(w->status.volume.uid, NULL);
}

/* The operator died before it stored that the import was done. */
TEST(the_pod_of_the_bootstrap_job_of_the_node_may_use_the_imported_pvc)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);
    given(w,
        kind_pod,
        sample_job,
        "{metadata: {labels: {'sei.io/node': 'rpc-0'}, ownerReferences: [{apiVersion: 'batch/v1',"
        " kind: 'Job', name: 'rpc-0-bootstrap', uid: '1', controller: true}]},"
        " spec: {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'mine'}}]}}");

    then_ok(when_task_runs(w, TASK_ENSURE_DATA_PVC));
}

TEST(an_import_for_an_archive_node_needs_the_archive_size)
{
    SCOPED_WORLD w =
        world_of("{spec: {fullNode: null, archive: {}, dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), TERMINAL("the node needs 40Ti"));
}

TEST(an_imported_pvc_is_never_written)
{
    SCOPED_WORLD w = world_of("{spec: {dataVolume: {import: {pvcName: 'mine'}}}}");
    given(w, kind_pv, volume, NULL);
    given(w, kind_pvc, claim, NULL);

    then_ok(when_task_runs(w, TASK_ENSURE_DATA_PVC));

    then_str(w->said, "get persistentvolumeclaims mine, get persistentvolumes pv-1, list pods");
}
