/* Plans: as this operator stores them, as the reference stored them, and broken. */
#include "sei/api/plan.h"
#include "tests/test.h"

#define PLAN_ID "11111111-2222-4333-8444-555555555555"

/* A plan of ours, in its middle. */
static const char ours[] =
    "{id: '" PLAN_ID "', kind: 'node-update', cause: 'spec', startedAt: '2026-01-02T03:04:05Z',"
    " generation: 7, targetHash: 't', appliedHash: 'h', waiting: 'the pod to start', retry: '2',"
    " phase: 'Active', targetPhase: 'Running',"
    " tasks: [{type: 'apply-statefulset', id: 'a', status: 'Complete',"
    "          params: {nodeName: 'n', namespace: 's'}},"
    "         {type: 'replace-pod', id: 'b', status: 'Pending', maxRetries: 3, retryCount: 1},"
    "         {type: 'mark-ready', id: 'c', status: 'Pending',"
    "          submittedAt: '2026-01-02T03:04:06Z', params: {}}]}";

static Plan decode(Arena *a, const char *text)
{
    Plan plan = {0};
    then_ok(plan_decode(a, json_fixture(a, text), &plan));
    return plan;
}

TEST(every_field_of_a_plan_is_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = decode(a, ours);

    then_str(plan.id, PLAN_ID);
    then_int(plan.kind, PLAN_NODE_UPDATE);
    then_true(!plan.kind_is_told && !plan.stored);
    then_str(plan.cause, "spec");
    then_str(plan.started_at, "2026-01-02T03:04:05Z");
    then_int(plan.generation, 7);
    then_str(plan.target_hash, "t");
    then_str(plan.applied_hash, "h");
    then_str(plan.waiting, "the pod to start");
    then_str(plan.retry, "2");
    then_int(plan.phase, PLAN_ACTIVE);
    then_str(plan.target_phase, "Running");
    then_str(plan.failed_phase, NULL);
    then_int(plan.failed_index, -1);
    then_int(plan.task_count, 3);
    then_int(plan.tasks[1].type, TASK_REPLACE_POD);
    then_str(plan.tasks[1].id, "b");
    then_int(plan.tasks[1].retries_max, 3);
    then_int(plan.tasks[1].retry_count, 1);
    then_int(plan.tasks[0].status, TASK_COMPLETE);
    then_json(plan.tasks[0].params, "{nodeName: 'n', namespace: 's'}");
    then_true(!plan.tasks[1].params);
    then_str(plan.tasks[2].submitted_at, "2026-01-02T03:04:06Z");
}

/* Stored by the reference: no kind, no hash, params as Go wrote them. */
#define REFERENCE(phase, tasks)                                                                    \
    "{id: 'p', phase: '" phase "', targetPhase: 'Running', tasks: [" tasks "]}"

static const struct {
    const char *name, *plan;
    PlanKind kind;
} kinds[] = {
    {"an init plan",
        REFERENCE("Active",
            "{type: 'ensure-data-pvc', id: 'a', status: 'Complete'},"
            "{type: 'snapshot-restore', id: 'b', status: 'Pending', params: {TargetHeight: 5}},"
            "{type: 'discover-peers', id: 'c', status: 'Pending', maxRetries: 20,"
            " params: {Sources: null}}"),
        PLAN_INIT},
    {"an update plan",
        REFERENCE("Complete",
            "{type: 'apply-statefulset', id: 'a', status: 'Complete'},"
            "{type: 'observe-image', id: 'b', status: 'Complete'}"),
        PLAN_NODE_UPDATE},
    {"a plan that makes ready again",
        REFERENCE("Active", "{type: 'mark-ready', id: 'a', status: 'Pending'}"),
        PLAN_MARK_READY},
    {"a plan with a task of a later reference",
        REFERENCE("Active",
            "{type: 'ensure-data-pvc', id: 'a', status: 'Complete'},"
            "{type: 'config-patch', id: 'b', status: 'Pending', params: {files: {}}}"),
        PLAN_INIT},
    {"a plan without a recognizable kind",
        REFERENCE("Active", "{type: 'drain', id: 'a', status: 'Pending'}"),
        PLAN_UNKNOWN},
    {"a plan without tasks", REFERENCE("Active", ""), PLAN_UNKNOWN},
    {"a plan of an unknown kind",
        "{id: 'p', kind: 'ceremony', phase: 'Active', colour: 'red',"
        " tasks: [{type: 'mark-ready', id: 'a', status: 'Pending', speed: 2}]}",
        PLAN_UNKNOWN},
    {"a failed plan",
        "{id: 'p', phase: 'Failed', failedPhase: 'Failed', failedTaskIndex: 0,"
        " failedTaskDetail: {type: 'ensure-data-pvc', id: 'a', error: 'no', retryCount: 0,"
        "                    maxRetries: 0},"
        " tasks: [{type: 'ensure-data-pvc', id: 'a', status: 'Failed', error: 'no'}]}",
        PLAN_INIT},
    {"a plan of before there were ids",
        "{phase: 'Complete', tasks: [{type: 'observe-image', id: 'a', status: 'Complete'}]}",
        PLAN_NODE_UPDATE},
    {"a plan of ours", ours, PLAN_NODE_UPDATE},
};

TEST(the_kind_of_a_plan_is_its_stored_kind_or_follows_from_its_tasks)
{
    each_case(i, kinds) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_int(decode(a, kinds[i].plan).kind, kinds[i].kind);
    }
}

TEST(an_unchanged_plan_is_encoded_as_it_was_stored)
{
    each_case(i, kinds) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Plan plan = decode(a, kinds[i].plan);
        then_json(json_seal(a, plan_encode(a, &plan)), kinds[i].plan);
    }
}

TEST(a_plan_of_the_go_operator_gets_its_kind_when_it_gets_a_target_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = decode(a, kinds[1].plan);

    plan.target_hash = "t";
    const Json *stored = json_seal(a, plan_encode(a, &plan));
    then_str(json_str(stored, ".kind"), "node-update");
    then_str(json_str(stored, ".targetHash"), "t");
}

/* --- broken ones */

#define TASKS_10                                                                                   \
    "{type:'t',id:'i',status:'Pending'},{type:'t',id:'i',status:'Pending'},"                       \
    "{type:'t',id:'i',status:'Pending'},{type:'t',id:'i',status:'Pending'},"                       \
    "{type:'t',id:'i',status:'Pending'},{type:'t',id:'i',status:'Pending'},"                       \
    "{type:'t',id:'i',status:'Pending'},{type:'t',id:'i',status:'Pending'},"                       \
    "{type:'t',id:'i',status:'Pending'},{type:'t',id:'i',status:'Pending'},"

static const struct {
    const char *name, *plan;
    Want want;
} broken[] = {
    {"no object", "'plan'", TERMINAL(".phase is missing")},
    {"no phase", "{tasks: []}", TERMINAL(".phase is missing")},
    {"an unknown phase", "{phase: 'Idle', tasks: []}", TERMINAL(".phase: expected Active")},
    {"no tasks", "{phase: 'Active'}", TERMINAL(".tasks is missing")},
    {"tasks that are none",
        "{phase: 'Active', tasks: {}}",
        TERMINAL(".tasks: expected an array, found an object")},
    {"a task without type",
        "{phase: 'Active', tasks: [{id: 'i', status: 'Pending'}]}",
        TERMINAL(".tasks[0].type is missing")},
    {"a task without id",
        "{phase: 'Active', tasks: [{type: 't', id: 'i', status: 'Pending'}, {type: 't'}]}",
        TERMINAL(".tasks[1].id is missing")},
    {"a task without status",
        "{phase: 'Active', tasks: [{type: 't', id: 'i'}]}",
        TERMINAL(".tasks[0].status: expected Pending")},
    {"an unknown task status",
        "{phase: 'Active', tasks: [{type: 't', id: 'i', status: 'Running'}]}",
        TERMINAL(".tasks[0].status: expected Pending, Complete or Failed, found Running")},
    {"a budget below nothing",
        "{phase: 'Active', tasks: [{type: 't', id: 'i', status: 'Pending', maxRetries: -1}]}",
        TERMINAL(".tasks[0].retryCount")},
    {"a count that no number holds",
        "{phase: 'Active', tasks: [{type: 't', id: 'i', status: 'Pending',"
        " retryCount: 99999999999999999999}]}",
        TERMINAL(".tasks[0].retryCount: expected a whole number")},
    {"an index behind the tasks",
        "{phase: 'Failed', failedTaskIndex: 1, tasks: [{type: 't', id: 'i', status: 'Failed'}]}",
        TERMINAL(".failedTaskIndex: there is no task 1")},
    {"an index before the tasks",
        "{phase: 'Failed', failedTaskIndex: -2, tasks: [{type: 't', id: 'i', status: 'Failed'}]}",
        TERMINAL(".failedTaskIndex: there is no task -2")},
    {"more tasks than a plan has",
        "{phase: 'Active', tasks: [" TASKS_10 TASKS_10 TASKS_10 TASKS_10
        "{type:'t',id:'i',status:'Pending'}]}",
        TERMINAL(".tasks: 41 of them")},
    {"as many tasks as a plan has",
        "{phase: 'Active', tasks: [" TASKS_10 TASKS_10 TASKS_10 TASKS_10 "]}"},
};

TEST(an_invalid_plan_is_refused_with_the_path_and_changes_nothing)
{
    each_case(i, broken) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Plan plan = {.id = "before"};
        then_err(plan_decode(a, json_fixture(a, broken[i].plan), &plan), broken[i].want);
        if (broken[i].want)
            then_str(plan.id, "before");
    }
}

/* --- tasks */

static const struct {
    const char *name; /* the id */
    TaskType type;
    size_t place;
} vectors[] = {
    {"859d8a92-8a4f-5ce6-a0b0-ace7c5793bc4", TASK_ENSURE_DATA_PVC, 0},
    {"592291bd-8d5a-5da2-94d4-4c64698fec6a", TASK_APPLY_RBAC_PROXY_CONFIG, 1},
    {"eba13aff-e7ab-52c9-80ff-2db95daf3e03", TASK_APPLY_STATEFULSET, 2},
    {"d970c28e-4397-599c-82bb-1d6bcfe4ef1c", TASK_APPLY_SERVICE, 3},
    {"0728b42e-aa1b-51ac-aa2a-31e88ac6b3dc", TASK_CONFIGURE_GENESIS, 4},
    {"9ce1fa13-9abe-55cc-af21-2697559af5a6", TASK_CONFIG_APPLY, 5},
    {"5cec5b44-3ed4-5d63-aa55-66dcf7dc3bdb", TASK_MARK_READY, 7},
    {"27669cc2-ff5c-5954-a251-8491a7bd9284", TASK_MARK_READY, 0},
};

TEST(a_task_has_the_same_id_as_in_the_go_operator)
{
    each_case(i, vectors) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Plan plan = {.id = PLAN_ID, .task_count = vectors[i].place};
        plan_add_task(a, &plan, vectors[i].type, NULL);
        then_str(plan.tasks[vectors[i].place].id, vectors[i].name);
    }
}

TEST(a_task_is_added_to_a_plan_as_pending_with_its_retry_budget)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = {.id = PLAN_ID};
    const Json *params = json_fixture(a, "{a: 1}");

    plan_add_task(a, &plan, TASK_CONFIGURE_GENESIS, params);
    plan_add_task(a, &plan, TASK_MARK_READY, NULL);
    then_int(plan.task_count, 2);
    then_int(plan.tasks[0].status, TASK_PENDING);
    then_int(plan.tasks[0].retries_max, 180);
    then_str(plan.tasks[0].spelling, "configure-genesis");
    then_json(plan.tasks[0].params, "{a: 1}");
    then_true(!plan.tasks[1].params);
}

TEST(a_plan_with_too_many_tasks_or_an_unknown_task_type_is_a_bug)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = {.id = PLAN_ID};

    for (int i = 0; i < PLAN_TASKS_MAX; i++)
        plan_add_task(a, &plan, TASK_MARK_READY, NULL);
    then_bug("too many tasks", plan_add_task(a, &plan, TASK_MARK_READY, NULL));
    plan.task_count = 0;
    then_bug("no known type", plan_add_task(a, &plan, TASK_UNKNOWN, NULL));
}

TEST(the_next_task_of_a_plan_and_a_task_by_its_type_are_found)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = decode(a, ours);

    then_true(plan_next_task(&plan) == &plan.tasks[1]);
    then_true(plan_find_task(&plan, TASK_MARK_READY) == &plan.tasks[2]);
    then_true(!plan_find_task(&plan, TASK_OBSERVE_IMAGE));
    then_true(!plan_has_unknown_task(&plan));

    plan.tasks[1].status = TASK_FAILED;
    then_true(plan_next_task(&plan) == &plan.tasks[1]);
    plan.tasks[1].status = plan.tasks[2].status = TASK_COMPLETE;
    then_true(!plan_next_task(&plan));
    plan.tasks[2].type = TASK_UNKNOWN;
    then_true(plan_has_unknown_task(&plan));
}

/* --- the end */

TEST(the_message_of_an_ended_plan_is_cut_to_its_maximum)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = decode(a, ours);
    char *long_text = arena_alloc(a, PLAN_MESSAGE_MAX + 2);

    memset(long_text, 'x', PLAN_MESSAGE_MAX + 1);
    PlanEnded ended = plan_ended(a, &plan, "Failed", long_text, "2026-01-02T04:00:00Z");
    then_str(ended.id, PLAN_ID);
    then_str(ended.kind, "node-update");
    then_str(ended.cause, "spec");
    then_str(ended.result, "Failed");
    then_str(ended.started_at, "2026-01-02T03:04:05Z");
    then_str(ended.finished_at, "2026-01-02T04:00:00Z");
    then_int(strlen(ended.message), PLAN_MESSAGE_MAX);
    then_str(plan_ended(a, &plan, "Complete", NULL, NULL).message, NULL);
}

TEST(every_plan_kind_has_the_text_that_metrics_use)
{
    then_str(plan_kind_text(PLAN_INIT), "init");
    then_str(plan_kind_text(PLAN_REPAIR), "repair");
    then_str(plan_kind_text(PLAN_MARK_READY), "mark-ready-reapply");
    then_str(plan_kind_text(PLAN_UNKNOWN), NULL);
    then_bug("a plan kind", plan_kind_text(PLAN_KIND_COUNT));
}

/* --- a set-up in two stages --- */

static Plan two_stages(Arena *a)
{
    Plan plan = {.id = "11111111-2222-4333-8444-555555555555"};

    plan_add_task(a, &plan, TASK_DEPLOY_BOOTSTRAP_JOB, NULL);
    plan_add_task(a, &plan, TASK_MARK_READY, NULL);
    plan_add_task(a, &plan, TASK_MARK_READY, NULL);
    plan_add_task(a, &plan, TASK_TEARDOWN_BOOTSTRAP, NULL);
    plan_add_task(a, &plan, TASK_MARK_READY, NULL);
    plan.tasks[1].superseded = true;
    return plan;
}

TEST(a_task_belongs_to_the_bootstrap_stage_if_it_precedes_the_teardown_of_the_job)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = two_stages(a), plain = {.id = "p"};

    plan_add_task(a, &plain, TASK_MARK_READY, NULL);
    then_true(plan_has_bootstrap(&plan));
    then_true(!plan_has_bootstrap(&plain));
    then_true(plan_is_bootstrap_task(&plan, &plan.tasks[2]));
    then_true(!plan_is_bootstrap_task(&plan, &plan.tasks[4]));
    then_true(!plan_is_bootstrap_task(&plain, &plain.tasks[0]));
    then_true(plan_find_bootstrap_task(&plan, TASK_MARK_READY) == &plan.tasks[2]);
    then_true(!plan_find_bootstrap_task(&plan, TASK_CONFIG_APPLY));
    then_true(!plan_find_bootstrap_task(&plain, TASK_MARK_READY));
    then_true(plan_is_bootstrapping(&plan));
    plan.tasks[3].status = TASK_COMPLETE;
    then_true(!plan_is_bootstrapping(&plan));
    then_true(!plan_is_bootstrapping(&plain));
}

TEST(a_shared_task_has_the_same_id_in_two_plans)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan first = {.id = "11111111-2222-4333-8444-555555555555"};
    Plan second = {.id = "22222222-2222-4333-8444-555555555555"};

    plan_add_task(a, &first, TASK_ASSEMBLE_GENESIS, NULL);
    plan_add_task(a, &second, TASK_ASSEMBLE_GENESIS, NULL);
    then_true(!str_eq(first.tasks[0].id, second.tasks[0].id));
    plan_share_task(a, &first, &first.tasks[0], "fleet/genesis");
    plan_share_task(a, &second, &second.tasks[0], "fleet/genesis");
    then_str(first.tasks[0].id, second.tasks[0].id);
    plan_share_task(a, &second, &second.tasks[0], "fleet/other genesis");
    then_true(!str_eq(first.tasks[0].id, second.tasks[0].id));
}

TEST(a_renewed_task_is_pending_under_an_id_that_was_never_used)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Plan plan = two_stages(a);
    PlannedTask *task = &plan.tasks[4];
    const char *id = task->id;

    task->status = TASK_COMPLETE;
    task->submitted_at = "2026-01-01T00:00:00Z";
    plan_renew_task(a, &plan, task, "22222222-2222-4333-8444-555555555555");
    then_int(task->status, TASK_PENDING);
    then_str(task->submitted_at, NULL);
    then_true(!str_eq(task->id, id));
    const char *again = task->id;
    plan_renew_task(a, &plan, task, "22222222-2222-4333-8444-555555555555");
    then_str(task->id, again);
}
