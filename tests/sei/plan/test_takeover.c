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

TEST(a_node_without_status_whose_objects_run_is_taken_over)
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

TEST(a_node_with_an_imported_volume_is_taken_over_if_its_statefulset_exists)
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

TEST(a_stored_plan_continues_although_the_phase_was_lost)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){.node = "{status: {phase: null, plan: {id: 'p', kind: 'init', targetHash: 'now',"
                         " phase: 'Active', tasks: [{type: 'mark-ready', id: 'x',"
                         " status: 'Pending'}]}}}"});

    then_str(plan_text(a, &p->d.status), "init: mark-ready");
    then_int(p->d.status.phase, PHASE_INITIALIZING);
}

/* --- a status that says Initializing, without a plan --- */

#define REMADE "{status: {phase: 'Initializing'}}"
#define CLEARED                                                                                    \
    "{status: {phase: 'Initializing', identity: null, dataVolume: null, currentImage: null,"       \
    " podTemplateHash: null, specHash: null}}"
#define NOT_READY "{status: {conditions: [{type: 'Ready', status: 'False'}]}}"

static const struct {
    const char *name;
    Given given;
    NodePhase phase;
    const char *stall;
} overwritten[] = {
    {"an identity proves that the node ran", {.node = REMADE}, PHASE_RUNNING, ""},
    {"also without a StatefulSet",
        {.node = REMADE, .statefulset = GONE, .pod = GONE},
        PHASE_RUNNING,
        ""},
    {"also without a volume, which is not replaced",
        {.node = REMADE, .volume = GONE, .volume_absent_for_sure = true},
        PHASE_RUNNING,
        "DataVolumeMissing"},
    {"also in phase Failed", {.node = "{status: {phase: 'Failed'}}"}, PHASE_RUNNING, ""},
    {"a Ready pod on the volume proves that the node ran", {.node = CLEARED}, PHASE_RUNNING, ""},
    {"a pod that is not Ready proves nothing",
        {.node = CLEARED, .pod = NOT_READY},
        PHASE_INITIALIZING,
        "UnknownPlan"},
    {"nor does a StatefulSet alone",
        {.node = CLEARED, .pod = GONE},
        PHASE_INITIALIZING,
        "UnknownPlan"},
    {"a node with a StatefulSet whose volume is gone is not initialized again",
        {.node = CLEARED, .volume = GONE, .pod = GONE},
        PHASE_INITIALIZING,
        "UnknownPlan"},
};

TEST(an_overwritten_status_never_reinitializes_a_node_whose_objects_exist)
{
    each_case(i, overwritten) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &overwritten[i].given);

        then_int(p->d.status.phase, overwritten[i].phase);
        then_str(stall_text(&p->d), overwritten[i].stall);
        then_true(!has_active_plan(&p->d.status) || p->d.status.plan.kind == PLAN_REPAIR);
    }
}

TEST(a_node_without_status_and_objects_is_initialized)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p =
        plan_given(a, &(Given){.node = CLEARED, .statefulset = GONE, .pod = GONE, .volume = GONE});

    then_int(p->d.status.phase, PHASE_INITIALIZING);
    then_true(has_active_plan(&p->d.status) && p->d.status.plan.kind == PLAN_INIT);
}

/* --- a node that goes to another claim before it runs --- */

static const struct {
    const char *name, *pod;
} moved_pods[] = {
    {"the node was paused and has no pod", GONE},
    {"the pod on the old claim is terminating", "{metadata: {deletionTimestamp: '" NOW "'}}"},
};

TEST(a_node_whose_spec_imports_another_pvc_is_initialized_on_that_pvc)
{
    each_case(i, moved_pods) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given(a, &(Given){.node = CLEARED, .volume = GONE, .pod = moved_pods[i].pod});

        p->node.spec.import_claim = p->wanted.claim = "theirs";
        then_ok(plan_node(a, &p->s, &p->d));
        then_str(stall_text(&p->d), "");
        then_true(has_active_plan(&p->d.status));
        then_int(p->d.hold_statefulset, false);
    }
}

/* --- what to do about a plan that is lost or unknown --- */

#define FOREIGN_PLAN                                                                               \
    "plan: {id: 'p', kind: 'later', phase: 'Active', tasks: [{type: 'new', id: 'x', status: "      \
    "'Pending'}]}"
#define TAKE_OVER_OR_SET_UP                                                                        \
    "if the node has run, remove status.phase to take it over as Running; otherwise, delete "      \
    "StatefulSet a to set the node up anew"
#define SET_UP "delete StatefulSet a to set the node up anew"

static const struct {
    const char *name;
    Given given;
    const char *message;
} ways[] = {
    {"a lost plan on a volume of ours",
        {.node = CLEARED, .pod = GONE},
        "the status says Initializing and has no plan, but StatefulSet a exists, and its volume "
        "may have data: " TAKE_OVER_OR_SET_UP},
    {"a lost plan without its volume",
        {.node = CLEARED, .pod = GONE, .volume = GONE},
        "the status says Initializing and has no plan, but StatefulSet a exists, and its volume "
        "may have data: " SET_UP},
    {"an unknown plan of a node that may have run",
        {.node = "{status: {phase: 'Initializing', identity: null, " FOREIGN_PLAN "}}",
            .pod = GONE},
        "status.plan p has a kind or tasks that this operator does not know, and is left alone; "
        "let the operator that made it finish, or remove status.plan and then do "
        "this: " TAKE_OVER_OR_SET_UP},
    {"an unknown plan of a node that runs",
        {.node = "{status: {" FOREIGN_PLAN "}}"},
        "status.plan p has a kind or tasks that this operator does not know, and is left alone; "
        "let the operator that made it finish, or remove status.plan"},
    {"an unknown plan of a node without a StatefulSet",
        {.node = "{status: {phase: 'Initializing', identity: null, " FOREIGN_PLAN "}}",
            .statefulset = GONE,
            .pod = GONE},
        "status.plan p has a kind or tasks that this operator does not know, and is left alone; "
        "let the operator that made it finish, or remove status.plan"},
};

TEST(the_messages_for_a_lost_and_for_an_unknown_plan_name_the_same_steps)
{
    each_case(i, ways) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &ways[i].given);

        then_str(stall_text(&p->d), "UnknownPlan");
        then_str(p->d.stall.message, ways[i].message);
    }
}

/* --- a bootstrap Job beside the StatefulSet --- */

#define BY_JOB                                                                                     \
    "{status: null, spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: "          \
    "'sei:0'}}}}"
#define JOB(metadata)                                                                              \
    "{metadata: {name: 'a-bootstrap', namespace: 'n', uid: 'job-uid'," metadata                    \
    " labels: {'sei.io/node': 'a', 'sei.io/component': 'bootstrap'}}}"

static const struct {
    const char *name, *node, *job;
    bool set_up;
} jobs[] = {
    {"its own", BY_JOB, JOB(OWNER ","), INIT_AGAIN},
    {"one that is being torn down",
        BY_JOB,
        JOB(OWNER ", deletionTimestamp: '" NOW "',"),
        INIT_AGAIN},
    {"one that has lost its owner with the status", BY_JOB, JOB(""), INIT_AGAIN},
    {"one of a course that the spec no longer has", LOST, JOB(OWNER ","), INIT_AGAIN},
    {"objects of another owner",
        BY_JOB,
        JOB("ownerReferences: [{kind: 'CronJob', name: 'x', uid: 'x', controller: true}],")},
    {"one of no labels", BY_JOB, "{metadata: {name: 'a-bootstrap', namespace: 'n', uid: 'x'}}"},
};

/* Its set-up has not come to its second stage, whatever else there is. */
TEST(a_node_in_its_bootstrap_stage_is_initialized_and_not_taken_over)
{
    each_case(i, jobs) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given(a, &(Given){.node = jobs[i].node});

        p->s.bootstrap_job = json_fixture(a, jobs[i].job);
        then_ok(plan_node(a, &p->s, &p->d));
        then_int(p->d.status.phase, jobs[i].set_up ? PHASE_INITIALIZING : PHASE_RUNNING);
        then_int(has_active_plan(&p->d.status), jobs[i].set_up);
    }
}
