/* Carrying over: what a plan takes from the one that it supersedes. The volume remembers what the
 * sidecar did, so that is not done again; but each step builds on the ones before it, so after the
 * first that has to be done anew all are. Steps of our own are free when they are already done, and
 * are always taken anew. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/plan/parts.h"

#include <string.h>

bool plan_task_is_at_work(const PlannedTask *task)
{
    /* A Pending task with an error is one whose last attempt has ended. */
    return task_type_is_sidecar(task->type) && !task_type_never_ends(task->type)
        && task->status == TASK_PENDING && task->submitted_at && !task->error;
}

/* A hand-over is not stored before it is made, only that the tasks before it have ended: the next
 * one in line may be at work, if there is a pod to work in. Letting seid go is not work. */
static bool may_be_at_work(const Planning *p, const Plan *old, const PlannedTask *task)
{
    if (plan_task_is_at_work(task))
        return true;
    if (!p->s->pod || task->type == TASK_MARK_READY || task_type_never_ends(task->type))
        return false;
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *first = &old->tasks[i];
        if (task_type_is_sidecar(first->type) && first->status == TASK_PENDING)
            return first == task;
    }
    return false;
}

static bool same_params(const Json *left, const Json *right)
{
    if (json_count(left) == 0 && json_count(right) == 0)
        return true;
    return json_equal(left, right);
}

static const PlannedTask *find_done(const Planning *p, const Plan *old, const PlannedTask *wanted)
{
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *task = &old->tasks[i];
        bool is_done = task->status == TASK_COMPLETE && !task->superseded;

        if (task->type == wanted->type && (is_done || may_be_at_work(p, old, task))
            && same_params(task->params, wanted->params))
            return task;
    }
    return NULL;
}

static void take(PlannedTask *to, const PlannedTask *from)
{
    *to = *from;
    to->superseded = false;
}

static bool has_task_id(const Plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (str_eq(plan->tasks[i].id, id))
            return true;
    return false;
}

static void insert(Plan *plan, size_t at, const PlannedTask *task)
{
    if (plan->task_count == PLAN_TASKS_MAX)
        return; /* no plan of ours is that long: what a stranger stored must not stop us */
    memmove(&plan->tasks[at + 1], &plan->tasks[at], (plan->task_count - at) * sizeof *task);
    plan->tasks[at] = *task;
    plan->task_count++;
}

/* Where the first task stands that would be handed over. */
static size_t first_hand_over(const Plan *plan)
{
    size_t i = 0;

    while (i < plan->task_count
        && !(task_type_is_sidecar(plan->tasks[i].type) && plan->tasks[i].status == TASK_PENDING))
        i++;
    return i;
}

/* Two tasks never work on one volume: what is at work is awaited, whatever comes of it. */
static void await_dropped(const Planning *p, const Plan *old, Plan *next)
{
    for (size_t i = 0; i < old->task_count; i++) {
        PlannedTask task = old->tasks[i];

        if (!may_be_at_work(p, old, &old->tasks[i]) || has_task_id(next, task.id))
            continue;
        task.superseded = true;
        task.error = NULL;
        insert(next, first_hand_over(next), &task);
    }
}

/* A sidecar forgets with its pod that it was told to let seid go. */
static bool outlives_pod(const Plan *next, const PlannedTask *task)
{
    return task->type != TASK_MARK_READY || !plan_find_task((Plan *)next, TASK_REPLACE_POD);
}

static void take_volume(const Planning *p, const Plan *old, PlannedTask *task)
{
    const NodeVolume *volume = &p->status->volume;
    const PlannedTask *done = find_done(p, old, task);
    bool is_there = p->s->volume && !meta_deleting(p->s->volume) && volume->uid
        && str_eq(volume->uid, meta_uid(p->s->volume));

    if (done && is_there)
        take(task, done);
}

static void take_done(const Planning *p, const Plan *old, Plan *next)
{
    bool builds_on_it = true;

    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];

        if (task->type == TASK_ENSURE_DATA_PVC)
            take_volume(p, old, task);
        if (!task_type_is_sidecar(task->type) || task_type_never_ends(task->type) || !builds_on_it)
            continue;
        const PlannedTask *done = outlives_pod(next, task) ? find_done(p, old, task) : NULL;
        if (done)
            take(task, done);
        builds_on_it = done != NULL;
    }
}

/* What never ends goes on in the sidecar, whatever else is done anew: under another id it would be
 * there twice. */
static void take_endless(const Plan *old, Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];
        const PlannedTask *there = plan_find_task((Plan *)old, task->type);

        if (task_type_never_ends(task->type) && there && there->status != TASK_FAILED)
            take(task, there);
    }
}

void plan_carry_over(Planning *p, const Plan *old, Plan *next, bool keeps_data)
{
    if (keeps_data)
        take_done(p, old, next);
    if (!p->is_fresh)
        take_endless(old, next);
    await_dropped(p, old, next);
}
