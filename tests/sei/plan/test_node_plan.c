/* The order of judgement, from a snapshot to the tasks of a plan. */
#include "tests/sei/plan/given.h"

#define OTHER_HASH "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define NEW_IMAGE  "{spec: {image: 'sei:2'}}"

static const struct {
    const char *name;
    Given given;
    const char *plan, *stall;
} cases[] = {
    {"a new node is initialized",
        {.fresh = true},
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready"},
    {"a node that is what it should be is left alone", {.health = HEALTH_READY}, ""},
    {"a sidecar that waits is approved again", {.health = HEALTH_NOT_READY}, REAPPROVAL},
    {"a sidecar that does not answer is not", {.health = HEALTH_UNREACHABLE}, ""},
    {"drift wins over approval",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .health = HEALTH_NOT_READY, .explained = true},
        UPDATE_PLAN},
    {"drift wins over repair",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .service = GONE, .explained = true},
        UPDATE_PLAN},
    {"repair wins over approval", {.service = GONE, .health = HEALTH_NOT_READY}, REPAIR_PLAN},
    {"a paused node is frozen",
        {.node = "{spec: {paused: true}}", .pod = OTHER_HASH, .service = GONE},
        ""},
    {"a node that is being deleted gets no plan",
        {.node = "{metadata: {deletionTimestamp: '" NOW "'}}", .service = GONE},
        ""},
    {"a new node that is paused is not begun",
        {.fresh = true, .node = "{spec: {paused: true}}"},
        ""},
    {"a spec that is refused begins nothing",
        {.fresh = true, .node = "{spec: {fullNode: null, archive: {snapshotGeneration: {}}}}"},
        "",
        "InvalidSpec"},
    {"a running node with a spec that is refused is still repaired",
        {.node = "{spec: {fullNode: {snapshotGeneration: {}}}}", .service = GONE},
        REPAIR_PLAN,
        "InvalidSpec"},
    {"but not rolled",
        {.node = "{spec: {image: 'sei:2', fullNode: {snapshotGeneration: {}}}}",
            .pod = OTHER_HASH,
            .explained = true},
        "",
        "InvalidSpec"},
    {"a plan of another operator is not run",
        {.node = "{status: {plan: {id: 'p', kind: 'dance', phase: 'Active', tasks: []}}}",
            .service = GONE},
        "unknown:",
        "UnknownPlan"},
    {"nor is one with a task that is not known",
        {.node = "{status: {plan: {id: 'p', kind: 'repair', targetHash: 'now', phase: 'Active',"
                 " tasks: [{type: 'dance', id: 't', status: 'Pending'}]}}}"},
        "repair: dance",
        "UnknownPlan"},
    {"a node that runs beside another with its key is reported, and not updated",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .signing_twin = "b", .explained = true},
        "",
        "SigningKeyShared"},
    {"nor by the platform",
        {.pod = OTHER_HASH, .signing_twin = "b", .explained = true},
        "",
        "SigningKeyShared"},
    {"but what else is missing is repaired",
        {.service = GONE, .signing_twin = "b"},
        REPAIR_PLAN,
        "SigningKeyShared"},
    {"other problems are reported afterwards",
        {.node = "{spec: {fullNode: {snapshotGeneration: {}}}}", .signing_twin = "b"},
        "",
        "SigningKeyShared"},
    {"a node that is to be paused is being resumed",
        {.node = "{spec: {paused: true}}", .signing_twin = "b"},
        ""},
};

TEST(each_situation_of_a_node_gives_its_plan_or_its_stall_reason)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_str(stall_text(&p->d), cases[i].stall ? cases[i].stall : "");
        then_true(!p->d.stall.is_set || !str_empty(p->d.stall.message));
    }
}

TEST(a_new_plan_is_stored_before_its_first_task_runs)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.fresh = true});
    const Plan *plan = &p->d.status.plan;

    then_true(p->d.plan_is_new);
    then_int(p->d.status.phase, PHASE_INITIALIZING);
    then_str(p->d.status.phase_transition_time, NOW);
    then_int(p->d.status.observed_generation, 3);
    then_str(plan->id, PLAN_ID);
    then_str(plan->target_hash, node_init_hash(a, &p->node));
    then_str(plan->started_at, NOW);
    then_int(plan->generation, 3);
    then_str(plan->target_phase, "Running");
    then_str(plan->failed_phase, "Failed");
    then_int(plan->failed_index, -1);
}

TEST(task_ids_and_parameters_equal_those_of_the_go_operator)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Plan *plan = &plan_given(a, &(Given){.fresh = true})->d.status.plan;

    then_str(plan->tasks[0].id, "859d8a92-8a4f-5ce6-a0b0-ace7c5793bc4");
    then_str(plan->tasks[1].id, "592291bd-8d5a-5da2-94d4-4c64698fec6a");
    then_str(plan->tasks[2].id, "eba13aff-e7ab-52c9-80ff-2db95daf3e03");
    then_str(plan->tasks[3].id, "d970c28e-4397-599c-82bb-1d6bcfe4ef1c");
    then_str(plan->tasks[4].id, "0728b42e-aa1b-51ac-aa2a-31e88ac6b3dc");
    then_str(plan->tasks[5].id, "9ce1fa13-9abe-55cc-af21-2697559af5a6");
    then_str(plan->tasks[7].id, "5cec5b44-3ed4-5d63-aa55-66dcf7dc3bdb");
    for (size_t i = 0; i < plan->task_count; i++) {
        then_true(plan->tasks[i].params != NULL);
        then_int(plan->tasks[i].status, TASK_PENDING);
    }
    then_json(plan->tasks[0].params, "{nodeName: 'a', namespace: 'n'}");
    then_int(plan->tasks[4].retries_max, 180);
}

TEST(a_requested_restart_is_recorded_in_the_status)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '" NOW "'}}}"});

    then_str(p->d.status.restarted_at, NOW);
}
