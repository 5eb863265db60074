/* ensure-data-pvc: data is found again, never replaced, and never somebody else's. */
#include "tests/sei/pods.h"

#define OWNER(kind, name, uid)                                                                     \
    "ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: '" kind "', name: '" name             \
    "', uid: '" uid "', controller: true}]"
#define OURS     OWNER("SeiNode", "rpc-0", SAMPLE_UID)
#define RETAINED "annotations: {'sei.io/retained-by': 'an-earlier-uid'}"
#define RETAIN   "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}"
#define TAKEN    "list pods, merge persistentvolumeclaims data-rpc-0"

static const char claim[] =
    "{metadata: {name: 'data-rpc-0', namespace: 'sei', labels: {'sei.io/node': 'rpc-0',"
    " 'sei.io/chain': 'pacific-1'}}, spec: {accessModes: ['ReadWriteOnce'],"
    " resources: {requests: {storage: '1Gi'}}}}";

static const struct {
    const char *name, *claim, *node, *said;
    bool dying;
    Want want;
} cases[] = {
    {"a first volume is made", ABSENT, .said = "create persistentvolumeclaims data-rpc-0"},
    {"ours is taken as it is", "{metadata: {" OURS "}}"},
    {"ours on its way out is waited for",
        "{metadata: {finalizers: ['t.io/x'], " OURS "}}",
        .dying = true,
        .want = WAIT("being deleted")},
    {"an earlier node's on its way out is waited for",
        "{metadata: {finalizers: ['t.io/x'], " OWNER("SeiNode", "rpc-0", "9") "}}",
        .dying = true,
        .want = WAIT("being deleted")},
    {"an earlier node's is waited for",
        "{metadata: {" OWNER("SeiNode", "rpc-0", "9") "}}",
        .want = WAIT("yet to be collected")},
    {"a retained one is adopted", "{metadata: {" RETAINED "}}", .said = TAKEN},
    {"a retained one stays without an owner where it is to be kept again",
        "{metadata: {" RETAINED "}}",
        .node = RETAIN,
        .said = TAKEN},
    {"one that we keep for ourselves is ours",
        "{metadata: {annotations: {'sei.io/retained-by': '" SAMPLE_UID "'}}}",
        .node = RETAIN},
    {"a retained one of another chain is left alone",
        "{metadata: {labels: {'sei.io/chain': 'atlantic-2'}, " RETAINED "}}",
        .want = TERMINAL("data of chain atlantic-2")},
    {"a retained one of a node of another name is left alone",
        "{metadata: {labels: {'sei.io/node': 'rpc-1'}, " RETAINED "}}",
        .want = TERMINAL("exists and is not")},
    {"a retained one that has an owner is left alone",
        "{metadata: {" OWNER("Backup", "b", "9") ", " RETAINED "}}",
        .want = TERMINAL("is not SeiNode rpc-0's")},
    {"a nameless one with our label is left alone",
        NULL,
        .want = TERMINAL("spec.dataVolume.import.pvcName, or delete it")},
    {"one without our label is seen when the name is taken",
        "{metadata: {labels: null}}",
        .said = "create persistentvolumeclaims data-rpc-0, "
                "get persistentvolumeclaims data-rpc-0",
        .want = TERMINAL("exists and is not")},
    {"another node's is left alone",
        "{metadata: {" OWNER("SeiNode", "rpc-1", "9") "}}",
        .want = TERMINAL("exists and is not")},
    {"a recorded volume that is gone is not replaced",
        ABSENT,
        .node = "{status: {dataVolume: {name: 'data-rpc-0', uid: 'u-1'}}}",
        .want = WAIT("allow an empty one with annotation sei.io/allow-new-volume=u-1")},
    {"a person may allow an empty one",
        ABSENT,
        .node = "{metadata: {annotations: {'sei.io/allow-new-volume': 'u-1'}},"
                " status: {dataVolume: {name: 'data-rpc-0', uid: 'u-1'}}}",
        .said = "create persistentvolumeclaims data-rpc-0"},
    {"but not by the name of another volume",
        ABSENT,
        .node = "{metadata: {annotations: {'sei.io/allow-new-volume': 'u-2'}},"
                " status: {dataVolume: {name: 'data-rpc-0', uid: 'u-1'}}}",
        .want = WAIT("is gone")},
};

TEST(an_existing_data_pvc_is_used_again_and_never_replaced)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(cases[i].node);
        const Json *there = given(w, kind_pvc, claim, cases[i].claim);
        if (cases[i].dying)
            deleted(w, kind_pvc, "data-rpc-0");
        const char *recorded = w->status.volume.uid;

        then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), cases[i].want);

        then_str(w->said, cases[i].said);
        const Json *now = stored(w, kind_pvc, "data-rpc-0");
        if (there)
            then_str(meta_uid(now), meta_uid(there));
        then_str(w->status.volume.uid, cases[i].want ? recorded : meta_uid(now));
    }
}

TEST(an_adopted_data_pvc_records_its_owner)
{
    SCOPED_WORLD owned = world_of(NULL);
    SCOPED_WORLD kept = world_of(RETAIN);

    given(owned, kind_pvc, claim, "{metadata: {" RETAINED "}}");
    then_ok(when_task_runs(owned, TASK_ENSURE_DATA_PVC));
    const Json *volume = stored(owned, kind_pvc, "data-rpc-0");
    then_true(meta_controlled_by(volume, owned->node.object));
    then_str(meta_annotation(volume, ANNOTATION_RETAINED_BY), NULL);

    given(kept, kind_pvc, claim, "{metadata: {" RETAINED "}}");
    then_ok(when_task_runs(kept, TASK_ENSURE_DATA_PVC));
    volume = stored(kept, kind_pvc, "data-rpc-0");
    then_true(!meta_controller(volume));
    then_str(meta_annotation(volume, ANNOTATION_RETAINED_BY), SAMPLE_UID);
}

TEST(a_restored_data_pvc_is_adopted_by_its_uid)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *there = given(w, kind_pvc, claim, NULL);
    world_set_node(w,
        str_format(w->arena,
            "{metadata: {annotations: {'sei.io/adopt-volume': '%s'}},"
            " status: {dataVolume: {name: 'data-rpc-0', uid: 'lost'}}}",
            meta_uid(there)));

    then_ok(when_task_runs(w, TASK_ENSURE_DATA_PVC));

    then_str(w->status.volume.uid, meta_uid(there));
    then_true(meta_controlled_by(stored(w, kind_pvc, "data-rpc-0"), w->node.object));
}

TEST(a_retained_data_pvc_that_is_in_use_is_awaited)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w, kind_pvc, claim, "{metadata: {" RETAINED "}}");
    given(w, kind_pod, sample_job, NULL);

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), WAIT("in use by pod analyzer"));
}

TEST(a_retained_data_pvc_that_changed_after_it_was_read_is_retried)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w, kind_pvc, claim, "{metadata: {" RETAINED "}}");
    w->refusal.verb = VERB_MERGE_PATCH;
    w->refusal.status = 409;
    w->refusal.message = "modified";

    then_err(when_task_runs(w, TASK_ENSURE_DATA_PVC), RETRY("modified"));
}

static void nothing(TaskWorld *w)
{
    (void)w;
}

static void retained(TaskWorld *w)
{
    given(w, kind_pvc, claim, "{metadata: {" RETAINED "}}");
}

TEST(each_api_call_of_ensuring_the_data_pvc_may_fail_and_the_retry_completes_it)
{
    each_fault(nothing, TASK_ENSURE_DATA_PVC)
        ;
    each_fault(retained, TASK_ENSURE_DATA_PVC)
        ;
}
