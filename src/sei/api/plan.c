/* Plans between JSON and C. What is not known is not lost: the spelling and params of every task
 * stand as they were stored, and a plan of another operator is given back whole. */
#include "sei/api/plan.h"

#include "base/str.h"
#include "kube/uuid.h"

#define TASK_ID_SPACE "b7e89c3a-4f12-4d8b-9a6e-1c2d3e4f5a6b"

static const char *const kinds[PLAN_KIND_COUNT] = {
#define X(name, spelling) [PLAN_##name] = spelling,
    PLAN_KINDS(X)
#undef X
};

static const char *const phases[] = {"Active", "Complete", "Failed"};
static const char *const statuses[] = {"Pending", "Complete", "Failed"};

enum { WORDS = 3 };

const char *plan_kind_text(PlanKind kind)
{
    if ((unsigned)kind >= PLAN_KIND_COUNT)
        BUG("a plan kind out of its range");
    return kinds[kind];
}

static PlanKind parse_kind(const char *text)
{
    for (int kind = PLAN_UNKNOWN + 1; kind < PLAN_KIND_COUNT; kind++)
        if (str_eq(kinds[kind], text))
            return (PlanKind)kind;
    return PLAN_UNKNOWN;
}

/* The place of a word among three, or -1. */
static int place_of(const char *const words[WORDS], const char *word)
{
    for (int i = 0; i < WORDS; i++)
        if (str_eq(words[i], word))
            return i;
    return -1;
}

/* --- decoding */

typedef struct PlanWords { /* what is read as text first */
    const char *kind, *phase;
    const Json *tasks;
} PlanWords;

static const JsonField plan_words[] = {
    {".kind", JSON_FIELD_STR, offsetof(PlanWords, kind), .required = false},
    {".phase", JSON_FIELD_STR, offsetof(PlanWords, phase), .required = true},
    {".tasks", JSON_FIELD_ARRAY, offsetof(PlanWords, tasks), .required = true},
    {0},
};

static const JsonField plan_fields[] = {
    {".id", JSON_FIELD_STR, offsetof(Plan, id), .required = false},
    {".cause", JSON_FIELD_STR, offsetof(Plan, cause), .required = false},
    {".startedAt", JSON_FIELD_STR, offsetof(Plan, started_at), .required = false},
    {".generation", JSON_FIELD_INT, offsetof(Plan, generation), .required = false},
    {".targetHash", JSON_FIELD_STR, offsetof(Plan, target_hash), .required = false},
    {".appliedHash", JSON_FIELD_STR, offsetof(Plan, applied_hash), .required = false},
    {".waiting", JSON_FIELD_STR, offsetof(Plan, waiting), .required = false},
    {".retry", JSON_FIELD_STR, offsetof(Plan, retry), .required = false},
    {".targetPhase", JSON_FIELD_STR, offsetof(Plan, target_phase), .required = false},
    {".failedPhase", JSON_FIELD_STR, offsetof(Plan, failed_phase), .required = false},
    {".failedTaskIndex", JSON_FIELD_INT, offsetof(Plan, failed_index), .required = false},
    {0},
};

static const JsonField task_fields[] = {
    {".type", JSON_FIELD_STR, offsetof(PlannedTask, spelling), .required = true},
    {".id", JSON_FIELD_STR, offsetof(PlannedTask, id), .required = true},
    {".params", JSON_FIELD_VALUE, offsetof(PlannedTask, params), .required = false},
    {".submittedAt", JSON_FIELD_STR, offsetof(PlannedTask, submitted_at), .required = false},
    {".error", JSON_FIELD_STR, offsetof(PlannedTask, error), .required = false},
    {".failingSince", JSON_FIELD_STR, offsetof(PlannedTask, failing_since), .required = false},
    {".maxRetries", JSON_FIELD_INT, offsetof(PlannedTask, retries_max), .required = false},
    {".retryCount", JSON_FIELD_INT, offsetof(PlannedTask, retry_count), .required = false},
    {".doneFor", JSON_FIELD_STR, offsetof(PlannedTask, done_for), .required = false},
    {".superseded", JSON_FIELD_BOOL, offsetof(PlannedTask, superseded), .required = false},
    {0},
};

static Err *decode_task(Arena *a, const Json *task, PlannedTask *ret)
{
    PlannedTask read = {0};
    const char *word = json_str(task, ".status");
    int status = place_of(statuses, word);

    TRY(json_decode(a, task, task_fields, &read));
    if (status < 0)
        return err_terminal(a,
            ".status: expected Pending, Complete or Failed, found %s",
            word ? word : "no such word");
    if (read.retries_max < 0 || read.retry_count < 0)
        return err_terminal(a, ".retryCount and .maxRetries must not be negative");
    read.status = (TaskStatus)status;
    read.type = task_type_parse(read.spelling);
    *ret = read;
    return OK;
}

static Err *decode_tasks(Arena *a, const Json *tasks, Plan *plan)
{
    const Json *task;

    if (json_count(tasks) > PLAN_TASKS_MAX)
        return err_terminal(a,
            ".tasks: %zu of them, which is more than the %d that a plan may have",
            json_count(tasks),
            (int)PLAN_TASKS_MAX);
    json_each(task, tasks) {
        const Err *err = decode_task(a, task, &plan->tasks[plan->task_count]);
        if (err)
            return err_terminal(a, ".tasks[%zu]%s", plan->task_count, err->message);
        plan->task_count++;
    }
    return OK;
}

/* The reference stores no kind; its metrics tell plans by these tasks. */
static PlanKind kind_by_tasks(Plan *plan)
{
    if (plan_find_task(plan, TASK_OBSERVE_IMAGE))
        return PLAN_NODE_UPDATE;
    if (plan_find_task(plan, TASK_ENSURE_DATA_PVC))
        return PLAN_INIT;
    if (plan->task_count == 1 && plan->tasks[0].type == TASK_MARK_READY)
        return PLAN_MARK_READY;
    if (plan_find_task(plan, TASK_UPDATE_NODE_SPECS))
        return PLAN_ROLLOUT;
    if (plan_find_task(plan, TASK_ASSEMBLE_GENESIS))
        return PLAN_GENESIS;
    return PLAN_UNKNOWN;
}

Err *plan_decode(Arena *a, const Json *plan, Plan *ret)
{
    PlanWords words = {0};
    Plan read = {.id = "", .failed_index = -1};

    TRY(json_decode(a, plan, plan_words, &words));
    TRY(json_decode(a, plan, plan_fields, &read));
    int phase = place_of(phases, words.phase);
    if (phase < 0)
        return err_terminal(
            a, ".phase: expected Active, Complete or Failed, found %s", words.phase);
    TRY(decode_tasks(a, words.tasks, &read));
    if (read.failed_index < -1 || read.failed_index >= (int64_t)read.task_count)
        return err_terminal(
            a, ".failedTaskIndex: there is no task %lld", (long long)read.failed_index);
    read.phase = (PlanPhase)phase;
    read.kind_is_told = !words.kind;
    read.kind = words.kind ? parse_kind(words.kind) : kind_by_tasks(&read);
    if (read.kind == PLAN_UNKNOWN)
        read.stored = plan;
    *ret = read;
    return OK;
}

/* --- encoding */

static Draft *encode_task(Arena *a, const PlannedTask *task)
{
    return draft(a,
        str("type", task->spelling),
        str("id", task->id),
        str("status", statuses[task->status]),
        draft_json("params", task->params),
        str("submittedAt", task->submitted_at),
        str("error", task->error),
        str("failingSince", task->failing_since),
        draft_num_if(task->retries_max > 0, "maxRetries", task->retries_max),
        draft_num_if(task->retry_count > 0, "retryCount", task->retry_count),
        str("doneFor", task->done_for),
        draft_flag_if("superseded", task->superseded));
}

static Draft *encode_failed_task(Arena *a, const Plan *plan)
{
    if (plan->failed_index < 0)
        return NULL;
    const PlannedTask *task = &plan->tasks[plan->failed_index];
    return draft(a,
        str("type", task->spelling),
        str("id", task->id),
        str("error", task->error ? task->error : ""),
        num("retryCount", task->retry_count),
        num("maxRetries", task->retries_max));
}

static Draft *encode_stored(Arena *a, const Json *stored)
{
    Draft *copy = draft_object(a);
    const Json *member;

    json_each(member, stored)
        draft_add(copy, draft_json(json_key(member), member));
    return copy;
}

Draft *plan_encode(Arena *a, const Plan *plan)
{
    Draft *tasks = draft_array(a);
    bool has_kind = !plan->kind_is_told || plan->target_hash;

    if (plan->stored)
        return encode_stored(a, plan->stored);
    for (size_t i = 0; i < plan->task_count; i++)
        draft_push(tasks, encode_task(a, &plan->tasks[i]));
    return draft(a,
        str("id", str_empty(plan->id) ? NULL : plan->id),
        str("kind", has_kind ? plan_kind_text(plan->kind) : NULL),
        str("cause", plan->cause),
        str("startedAt", plan->started_at),
        draft_num_if(plan->generation > 0, "generation", plan->generation),
        str("targetHash", plan->target_hash),
        str("appliedHash", plan->applied_hash),
        str("waiting", plan->waiting),
        str("retry", plan->retry),
        str("phase", phases[plan->phase]),
        str("targetPhase", plan->target_phase),
        str("failedPhase", plan->failed_phase),
        draft_num_if(plan->failed_index >= 0, "failedTaskIndex", plan->failed_index),
        sub("failedTaskDetail", encode_failed_task(a, plan)),
        sub("tasks", tasks));
}

/* --- tasks */

PlannedTask *plan_next_task(Plan *plan)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (plan->tasks[i].status != TASK_COMPLETE)
            return &plan->tasks[i];
    return NULL;
}

PlannedTask *plan_find_task(Plan *plan, TaskType type)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (plan->tasks[i].type == type)
            return &plan->tasks[i];
    return NULL;
}

bool plan_failed_at(const Plan *plan, TaskType type)
{
    return plan->failed_index >= 0 && plan->tasks[plan->failed_index].type == type;
}

bool plan_failed_by_secret(const Plan *plan)
{
    if (plan->failed_index < 0)
        return false;
    TaskType failed = plan->tasks[plan->failed_index].type;
    return failed == TASK_VALIDATE_SIGNING_KEY || failed == TASK_VALIDATE_NODE_KEY
        || failed == TASK_VALIDATE_OPERATOR_KEYRING;
}

bool plan_has_unknown_task(const Plan *plan)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (plan->tasks[i].type == TASK_UNKNOWN || task_type_is_of_fleet(plan->tasks[i].type))
            return true;
    return false;
}

bool plan_has_task_unknown_to_fleets(const Plan *plan)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (!task_type_is_of_fleet(plan->tasks[i].type))
            return true;
    return false;
}

bool plan_has_bootstrap(const Plan *plan)
{
    return plan_find_task((Plan *)plan, TASK_DEPLOY_BOOTSTRAP_JOB) != NULL;
}

bool plan_is_bootstrapping(const Plan *plan)
{
    const PlannedTask *teardown = plan_find_task((Plan *)plan, TASK_TEARDOWN_BOOTSTRAP);

    return teardown && teardown->status != TASK_COMPLETE;
}

bool plan_is_bootstrap_task(const Plan *plan, const PlannedTask *task)
{
    const PlannedTask *teardown = plan_find_task((Plan *)plan, TASK_TEARDOWN_BOOTSTRAP);

    return task && plan_has_bootstrap(plan) && teardown && task < teardown;
}

PlannedTask *plan_find_bootstrap_task(Plan *plan, TaskType type)
{
    for (size_t i = 0; i < plan->task_count; i++) {
        PlannedTask *task = &plan->tasks[i];
        if (task->type == type && !task->superseded && plan_is_bootstrap_task(plan, task))
            return task;
    }
    return NULL;
}

static const char *task_id(Arena *a, const char *seed, const char *spelling, size_t place)
{
    const char *name = str_format(a, "%s/%s/%zu", seed, spelling, place);
    char id[UUID_SIZE];

    if (uuid_v5(a, TASK_ID_SPACE, name, id))
        BUG("the name space of task ids is no UUID");
    return str_copy(a, id);
}

void plan_share_task(Arena *a, const Plan *plan, PlannedTask *task, const char *seed)
{
    task->id = task_id(a, seed, task->spelling, (size_t)(task - plan->tasks));
}

void plan_fix_task(Arena *a, PlannedTask *task, const char *seed)
{
    task->id = task_id(a, seed, task->spelling, 0);
}

void plan_renew_task(Arena *a, const Plan *plan, PlannedTask *task, const char *seed)
{
    plan_share_task(a, plan, task, seed);
    task->status = TASK_PENDING;
    task->submitted_at = task->error = task->failing_since = NULL;
    task->retry_count = 0;
}

void plan_add_task(Arena *a, Plan *plan, TaskType type, const Json *params)
{
    const char *spelling = task_type_text(type);

    if (plan->task_count == PLAN_TASKS_MAX)
        BUG("a plan with too many tasks");
    if (!spelling)
        BUG("a task of no known type in a plan of ours");
    plan->tasks[plan->task_count] = (PlannedTask){
        .type = type,
        .spelling = spelling,
        .id = task_id(a, plan->id, spelling, plan->task_count),
        .status = TASK_PENDING,
        .params = params,
        .retries_max = task_type_retries(type),
    };
    plan->task_count++;
}

/* --- the end */

PlanEnded plan_ended(
    Arena *a, const Plan *plan, const char *result, const char *message, const char *now)
{
    return (PlanEnded){
        .id = plan->id,
        .kind = plan_kind_text(plan->kind),
        .cause = plan->cause,
        .result = result,
        .started_at = plan->started_at,
        .finished_at = now,
        .message = str_cut(a, message, PLAN_MESSAGE_MAX),
    };
}
