/* Carrying over: what a plan takes from the one that it supersedes. The volume remembers what the
 * sidecar did, so that is not done again; but each step builds on the ones before it, so after the
 * first that has to be done anew all are. Steps of our own are free when they are already done, and
 * are always taken anew. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/course.h"
#include "sei/plan/purpose.h"

#include <string.h>

bool plan_task_is_at_work(const PlannedTask *task)
{
    /* A Pending task with an error is one whose last attempt has ended. */
    return task_type_is_sidecar(task->type) && !task_type_never_ends(task->type)
        && task->status == TASK_PENDING && task->submitted_at && !task->error;
}

/* Where its sidecar would be. */
static bool has_pod(const Planning *p, const Plan *plan, const PlannedTask *task)
{
    return plan_is_bootstrap_task(plan, task) ? p->s->bootstrap_job != NULL : p->s->pod != NULL;
}

/* A submission is not stored before it is made, only that the tasks before it have ended: the next
 * one in line may be at work, if there is a pod to work in. A task behind one that has failed was
 * never submitted. Letting seid go is not work. */
static bool may_be_at_work(const Planning *p, const Plan *old, const PlannedTask *task)
{
    if (plan_task_is_at_work(task))
        return true;
    if (task->type == TASK_MARK_READY || task_type_never_ends(task->type) || !has_pod(p, old, task))
        return false;
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *first = &old->tasks[i];
        if (task_type_is_sidecar(first->type) && first->status != TASK_COMPLETE)
            return first == task && first->status == TASK_PENDING;
    }
    return false;
}

/* How often the volume was set up before: a plan with a bootstrap Job does that twice, in the pod
 * of the Job and in the node's own. The first time is the same thing in every course. */
static int round_of(const Plan *plan, const PlannedTask *task)
{
    return plan_has_bootstrap(plan) && !plan_is_bootstrap_task(plan, task) ? 1 : 0;
}

static bool does_the_same(const Planning *p, const PlannedTask *task, const PlannedTask *wanted)
{
    return plan_is_same_work(p, task, wanted)
        || (task->type == TASK_CONFIG_APPLY
            && plan_config_is_done(p->a, task->params, wanted->params));
}

/* What is wanted, and in which round. */
typedef struct Search {
    const PlannedTask *wanted;
    int round;
} Search;

static const PlannedTask *find_done(const Planning *p, const Plan *old, Search search)
{
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *task = &old->tasks[i];
        bool is_done = task->status == TASK_COMPLETE && !task->superseded;

        if (task->type == search.wanted->type && round_of(old, task) == search.round
            && (is_done || may_be_at_work(p, old, task)) && does_the_same(p, task, search.wanted))
            return task;
    }
    return NULL;
}

static void take(PlannedTask *to, const PlannedTask *from)
{
    const char *done_for = from->done_for ? from->done_for : to->done_for;

    *to = *from;
    to->superseded = false;
    to->done_for = done_for;
}

static bool has_task_id(const Plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (str_eq(plan->tasks[i].id, id))
            return true;
    return false;
}

/* Awaited are at most PLAN_AWAITED_MAX submitted tasks and the next task in line. */
_Static_assert(PLAN_INIT_TASKS_MAX + PLAN_REMEMBERED_MAX + PLAN_AWAITED_MAX + 1 <= PLAN_TASKS_MAX,
    "an init has no room for the tasks that it remembers and awaits");

static void insert(Plan *plan, size_t at, const PlannedTask *task)
{
    if (plan->task_count == PLAN_TASKS_MAX)
        BUG("more tasks at work than plan_can_be_superseded has let pass");
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
        task.done_for = plan_recorded_purpose(p, &old->tasks[i]);
        task.superseded = true;
        task.error = task.failing_since = NULL;
        insert(next, first_hand_over(next), &task);
    }
}

static bool has_type(const Plan *plan, TaskType type)
{
    return plan_find_task((Plan *)plan, type) != NULL;
}

/* What stands on the volume is remembered, also while no step of its type is wanted. */
static void keep_what_is_on_volume(const Planning *p, const Plan *old, Plan *next)
{
    for (size_t i = 0; i < old->task_count; i++) {
        PlannedTask task = old->tasks[i];

        if (!plan_is_on_volume(&task) || has_type(next, task.type))
            continue;
        task.done_for = plan_recorded_purpose(p, &old->tasks[i]);
        task.superseded = true;
        insert(next, first_hand_over(next), &task);
    }
}

/* A sidecar forgets with its pod that it was told to let seid go. */
static bool keeps_pod(const Planning *p, const Plan *old, const Plan *next, const PlannedTask *task)
{
    const Json *job = p->s->bootstrap_job;
    bool in_job = plan_is_bootstrap_task(next, task);

    if (in_job)
        return plan_has_bootstrap(old) && job && !meta_deleting(job) && !job_is_failed(job)
            && str_eq(meta_annotation(job, ANNOTATION_TEMPLATE_HASH), p->s->wanted->bootstrap_hash);
    return plan_has_bootstrap(old) == plan_has_bootstrap(next)
        && !plan_find_task((Plan *)next, TASK_REPLACE_POD);
}

static void take_volume(const Planning *p, const Plan *old, PlannedTask *task)
{
    const NodeVolume *volume = &p->status->volume;
    const PlannedTask *done = find_done(p, old, (Search){task, 0});
    bool is_there = p->s->volume && !meta_deleting(p->s->volume) && volume->uid
        && str_eq(volume->uid, meta_uid(p->s->volume));

    if (done && is_there)
        take(task, done);
}

/* --- a bootstrap Job that does its work or has done it --- */

static const PlannedTask *find_in_round(const Plan *plan, TaskType type, int round)
{
    for (size_t i = 0; i < plan->task_count; i++) {
        const PlannedTask *task = &plan->tasks[i];
        if (task->type == type && !task->superseded && round_of(plan, task) == round)
            return task;
    }
    return NULL;
}

/* The data of the first stage are those that are wanted now. */
static bool keeps_restored(const Planning *p, const Plan *old, const Plan *next)
{
    const PlannedTask *restored = find_in_round(old, TASK_SNAPSHOT_RESTORE, 0);
    const PlannedTask *wanted = find_in_round(next, TASK_SNAPSHOT_RESTORE, 0);

    return plan_has_bootstrap(next) && restored && wanted && plan_is_same_work(p, restored, wanted);
}

/* The Job was seen to end. */
static bool has_bootstrapped(const Planning *p, const Plan *old, const Plan *next)
{
    const PlannedTask *await = plan_find_task((Plan *)old, TASK_AWAIT_BOOTSTRAP_COMPLETE);

    return keeps_restored(p, old, next) && await && await->status == TASK_COMPLETE;
}

/* The seid of the Job runs, and goes on. */
static bool is_let_go(const Planning *p, const Plan *old, const Plan *next)
{
    const PlannedTask *gate = plan_find_bootstrap_task((Plan *)old, TASK_MARK_READY);
    const PlannedTask *wanted = plan_find_bootstrap_task((Plan *)next, TASK_MARK_READY);

    return keeps_restored(p, old, next) && gate && wanted && keeps_pod(p, old, next, wanted)
        && (gate->status == TASK_COMPLETE || plan_task_is_at_work(gate));
}

static bool is_of_job(const Plan *plan, const PlannedTask *task)
{
    switch (task->type) {
    case TASK_DEPLOY_BOOTSTRAP_SERVICE:
    case TASK_DEPLOY_BOOTSTRAP_JOB:
    case TASK_AWAIT_BOOTSTRAP_COMPLETE:
    case TASK_TEARDOWN_BOOTSTRAP:
        return true;
    default:
        return task_type_is_sidecar(task->type) && plan_is_bootstrap_task(plan, task);
    }
}

/* Its stage is over, whatever is wanted of it now: what it made stands on the volume. */
static void take_stage(const Plan *old, Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];
        const PlannedTask *done = find_in_round(old, task->type, round_of(next, task));

        if (!is_of_job(next, task))
            continue;
        if (done)
            take(task, done);
        else
            task->status = TASK_COMPLETE;
    }
}

/* Its seid has read what it was told, and would not read it again: what was edited since is told to
 * the node's own. A task that it was not given is given to it no more, and says so: it is done
 * without params. */
static void take_told(const Plan *old, Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];

        if (!task_type_is_sidecar(task->type) || !plan_is_bootstrap_task(next, task))
            continue;
        const PlannedTask *done = plan_find_bootstrap_task((Plan *)old, task->type);
        if (done) {
            take(task, done);
        } else {
            task->status = TASK_COMPLETE;
            task->params = NULL;
        }
    }
}

static void take_done(const Planning *p, const Plan *old, Plan *next)
{
    bool builds_on_it = true;

    if (has_bootstrapped(p, old, next))
        take_stage(old, next);
    else if (is_let_go(p, old, next))
        take_told(old, next);
    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];

        if (task->type == TASK_ENSURE_DATA_PVC)
            take_volume(p, old, task);
        if (!task_type_is_sidecar(task->type) || task_type_never_ends(task->type)
            || task->status == TASK_COMPLETE || !builds_on_it)
            continue;
        bool outlives = task->type != TASK_MARK_READY || keeps_pod(p, old, next, task);
        const PlannedTask *done =
            outlives ? find_done(p, old, (Search){task, round_of(next, task)}) : NULL;
        if (done)
            take(task, done);
        builds_on_it = done != NULL;
    }
}

/* What never ends goes on in the sidecar, whatever else is done anew: under another id it would be
 * there twice. It is submitted again, because the sidecar may have restarted since: under the id
 * that it runs with, that changes nothing. */
static void take_endless(const Plan *old, Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        PlannedTask *task = &next->tasks[i];
        const PlannedTask *there = plan_find_task((Plan *)old, task->type);

        if (task_type_never_ends(task->type) && there)
            task->id = there->id;
    }
}

/* --- what fits --- */

bool plan_can_be_superseded(const Plan *plan)
{
    size_t at_work = 0;

    for (size_t i = 0; i < plan->task_count; i++)
        at_work += plan_task_is_at_work(&plan->tasks[i]);
    return at_work <= PLAN_AWAITED_MAX;
}

void plan_carry_over(Planning *p, const Plan *old, Plan *next, bool keeps_data)
{
    if (keeps_data) {
        take_done(p, old, next);
        keep_what_is_on_volume(p, old, next);
    }
    if (!p->is_fresh)
        take_endless(old, next);
    await_dropped(p, old, next);
}
