/* An Active plan. It is the only one there is until it ends, with four exceptions: the spec that
 * it carries out is no longer the spec; an object is gone or was edited, and it has no step to make
 * it again; it only waits, and an update need not any more; it does not fit the phase. Settings
 * never supersede. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/purpose.h"

#include <string.h>

static const TaskType applies[] = {
    TASK_APPLY_RBAC_PROXY_CONFIG, TASK_APPLY_STATEFULSET, TASK_APPLY_SERVICE};

enum { APPLIES = sizeof applies / sizeof applies[0] };

static void rearm_type(Plan *plan, TaskType type)
{
    PlannedTask *task = plan_find_task(plan, type);

    if (!task || task->status != TASK_COMPLETE)
        return;
    task->status = TASK_PENDING;
    task->submitted_at = task->error = NULL;
}

/* Pods that come from the StatefulSet as it was in between must be looked at again. */
static void rearm(Plan *plan, TaskType type)
{
    rearm_type(plan, type);
    if (type != TASK_APPLY_STATEFULSET)
        return;
    rearm_type(plan, TASK_REPLACE_POD);
    rearm_type(plan, TASK_OBSERVE_IMAGE);
}

/* A plan of the reference goes on under our rules. What it applied is not known: it is applied
 * again. */
static void stamp(Planning *p)
{
    Plan *plan = &p->status->plan;

    plan->target_hash = plan_target(p, plan->kind);
    plan->generation = p->node->generation;
    plan->started_at = plan->started_at ? plan->started_at : p->s->now;
    if (!plan->applied_hash)
        rearm(plan, TASK_APPLY_STATEFULSET);
}

/* The StatefulSet is as it is wanted, and that is not what the plan has applied: it was brought to
 * a new rendering beside the plan, as unpausing does. Whoever went by what he applied would delete
 * every pod that comes from it. */
static bool is_ahead(const Planning *p)
{
    const Plan *plan = &p->status->plan;

    return plan->applied_hash && !str_eq(p->s->wanted->template_hash, plan->applied_hash)
        && !meta_deleting(p->s->statefulset)
        && plan_object_state(p, TASK_APPLY_STATEFULSET) == OBJECT_RIGHT;
}

/* An object is not what the plan made of it. A new rendering is not its concern. */
static bool is_lost(const Planning *p, TaskType type)
{
    const Plan *plan = &p->status->plan;
    bool is_statefulset = type == TASK_APPLY_STATEFULSET;
    bool rendering_stands = str_eq(p->s->wanted->template_hash, plan->applied_hash);

    if (is_statefulset && p->d->hold_statefulset)
        return false;
    switch (plan_object_state(p, type)) {
    case OBJECT_MISSING:
        return true;
    case OBJECT_DIFFERS:
        return rendering_stands || (is_statefulset && !p->s->statefulset_was_right);
    default:
        return false;
    }
}

/* --- the first stage of a set-up that has two --- */

static bool is_done(Plan *plan, TaskType type)
{
    const PlannedTask *task = plan_find_task(plan, type);

    return task && task->status == TASK_COMPLETE;
}

/* The Service has the name of the node's own, so it is told by what it selects. */
static bool bootstrap_service_is_lost(const Planning *p)
{
    const Json *service = p->s->service, *wanted = p->s->wanted->bootstrap_service;

    return !service
        || (wanted && !meta_deleting(service)
            && !json_equal(
                json_find(service, ".spec.selector"), json_find(wanted, ".spec.selector")));
}

/* A sidecar forgets with its process that seid may run, and does not repeat what it has done under
 * an id that it knows from the volume: so it is told again under another. All else stands on the
 * volume. One that never gets ready is told ever more rarely. */
static bool renew_gate(Planning *p)
{
    Plan *plan = &p->status->plan;
    PlannedTask *gate = plan_find_bootstrap_task(plan, TASK_MARK_READY);
    bool is_shut = !p->s->bootstrap_job || p->s->bootstrap_health == HEALTH_NOT_READY;

    if (!gate || gate->status != TASK_COMPLETE || !is_shut)
        return false;
    int64_t left_ms = p->s->bootstrap_job ? plan_gate_backoff_ms(p, gate) : 0;
    if (left_ms > 0) {
        plan_look_again(p, left_ms);
        return false;
    }
    int64_t row = plan_gate_has_held(p, gate) ? 0 : gate->retry_count;
    plan_renew_task(p->a, plan, gate, p->s->plan_id);
    gate->retry_count = row + 1;
    return true;
}

/* The reference overlooks an import: what such a Job and its sidecar have done was done to another
 * volume, if there is one, and nothing to that of the node. */
static bool job_is_beside_volume(const Planning *p)
{
    const Json *job = p->s->bootstrap_job;

    return job && !meta_annotation(job, ANNOTATION_TEMPLATE_HASH)
        && meta_controlled_by(job, p->node->object) && !job_mounts_claim(job, p->s->wanted->claim);
}

static void renew_stage(Planning *p)
{
    Plan *plan = &p->status->plan;

    rearm_type(plan, TASK_DEPLOY_BOOTSTRAP_JOB);
    for (size_t i = 0; i < plan->task_count; i++) {
        PlannedTask *task = &plan->tasks[i];
        if (task_type_is_sidecar(task->type) && !task->superseded
            && plan_is_bootstrap_task(plan, task))
            plan_renew_task(p->a, plan, task, p->s->plan_id);
    }
}

/* What was deleted before the Job was seen to have ended is made again. True when the plan has
 * changed in a way that must be stored first. */
static bool rearm_bootstrap(Planning *p)
{
    Plan *plan = &p->status->plan;

    if (!plan_has_bootstrap(plan) || is_done(plan, TASK_AWAIT_BOOTSTRAP_COMPLETE)
        || !is_done(plan, TASK_DEPLOY_BOOTSTRAP_JOB))
        return false;
    if (bootstrap_service_is_lost(p))
        rearm_type(plan, TASK_DEPLOY_BOOTSTRAP_SERVICE);
    if (job_is_beside_volume(p)) {
        renew_stage(p);
        return true;
    }
    if (!p->s->bootstrap_job)
        rearm_type(plan, TASK_DEPLOY_BOOTSTRAP_JOB);
    return renew_gate(p);
}

/* An approval, or a repair that has done its steps and awaits one: what is edited meanwhile is for
 * a repair of its own, which comes the later the more there were. */
static bool has_only_to_wait(const Plan *plan)
{
    if (plan->kind == PLAN_MARK_READY)
        return true;
    for (size_t i = 0; i < plan->task_count; i++)
        if (!task_type_is_sidecar(plan->tasks[i].type) && plan->tasks[i].status != TASK_COMPLETE)
            return false;
    return plan->kind == PLAN_REPAIR;
}

/* False: the plan has no step for what is lost, or cannot come to it. */
static bool rearm_lost(Planning *p)
{
    Plan *plan = &p->status->plan;
    bool can_repair = plan->kind == PLAN_INIT || !p->d->hold_statefulset;

    for (int i = 0; i < APPLIES; i++) {
        if (!is_lost(p, applies[i]))
            continue;
        if (has_only_to_wait(plan) && plan_object_state(p, applies[i]) == OBJECT_DIFFERS)
            continue;
        if (plan_find_task(plan, applies[i]) && (can_repair || plan->kind == PLAN_REPAIR))
            rearm(plan, applies[i]);
        else if (plan->kind != PLAN_INIT && plan_object_state(p, applies[i]) == OBJECT_MISSING)
            return false;
    }
    return true;
}

/* It is applied once more, which writes nothing, so that the plan knows what it goes by. */
static void catch_up(Planning *p)
{
    if (!p->d->hold_statefulset && is_ahead(p))
        rearm(&p->status->plan, TASK_APPLY_STATEFULSET);
}

static bool is_pending(Plan *plan, TaskType type)
{
    const PlannedTask *task = plan_find_task(plan, type);

    return task && task->status != TASK_COMPLETE;
}

/* Whether its pod is to go hangs on what that pod was made from. */
static bool must_know_pod(const Planning *p)
{
    Plan *plan = &p->status->plan;

    return p->match == POD_UNCLEAR && !p->s->scaled_by_hand
        && (is_pending(plan, TASK_REPLACE_POD) || is_pending(plan, TASK_OBSERVE_IMAGE));
}

/* An init was made while there was no pod, and one of an older template came up behind its back: it
 * is replaced after all. True when the plan has become longer. */
static bool add_replacement(Planning *p)
{
    Plan *plan = &p->status->plan;
    const PlannedTask *apply = plan_find_task(plan, TASK_APPLY_STATEFULSET);

    if (plan->kind != PLAN_INIT || p->match != POD_STALE || !apply
        || plan_find_task(plan, TASK_REPLACE_POD) || plan->task_count == PLAN_TASKS_MAX
        || !str_eq(plan->applied_hash, p->s->wanted->template_hash))
        return false;
    size_t at = (size_t)(apply - plan->tasks) + 1;
    plan_add_own_task(p, plan, TASK_REPLACE_POD);
    PlannedTask added = plan->tasks[plan->task_count - 1];
    memmove(&plan->tasks[at + 1], &plan->tasks[at], (plan->task_count - 1 - at) * sizeof added);
    plan->tasks[at] = added;
    return true;
}

/* The reference replaces the pods of a fleet all at once. Where it has not come to that yet, the
 * node waits for its turn. */
static bool is_out_of_turn(const Planning *p)
{
    return p->status->plan.kind == PLAN_NODE_UPDATE && !p->status->plan.target_hash
        && p->match == POD_STALE && plan_awaits_fleet(p);
}

/* An update that waited, and for no other spec than that of the plan: it goes before the approval
 * of a pod that it replaces, which may never come. */
static bool stops_update(const Planning *p)
{
    return has_only_to_wait(&p->status->plan) && plan_update_of_spec_is_due(p);
}

/* An update that waits for the fleet is told of beside whatever else is done meanwhile. */
static bool leaves_update_waiting(const Planning *p)
{
    PlanKind kind = p->status->plan.kind;

    return kind != PLAN_INIT && kind != PLAN_NODE_UPDATE && plan_update_awaits_fleet(p);
}

/* The plan ends although the spec still asks for it. An init decides for itself whether another one
 * may follow. */
static bool ends_early(Planning *p)
{
    const Plan *plan = &p->status->plan;

    if (plan->kind == PLAN_INIT && plan_volume_conflict(p, plan, plan))
        return true;
    if (is_out_of_turn(p)) {
        plan_supersede(p, "its fleet has its nodes updated one after the other");
        return true;
    }
    if (stops_update(p)) {
        plan_supersede(p, "the pod that it approves is to be replaced");
        return true;
    }
    return false;
}

bool plan_active(Planning *p)
{
    Plan *plan = &p->status->plan;

    if (!plan_is_active(p->status))
        return false;
    bool is_init = plan->kind == PLAN_INIT;
    bool fits_phase = is_init != (p->status->phase == PHASE_RUNNING);
    bool is_stamped = plan->target_hash != NULL;
    bool has_target = !is_stamped || str_eq(plan->target_hash, plan_target(p, plan->kind));
    if (!fits_phase || !has_target) {
        /* Nothing could take its place. */
        p->d->frozen = p->spec_refused || (!fits_phase && p->object_foreign);
        if (p->d->frozen)
            return true;
        /* An init decides for itself whether another one may follow. */
        if (!fits_phase || !is_init)
            plan_supersede(
                p, fits_phase ? "the spec was edited" : "it does not fit the phase of the node");
        return false;
    }
    if (ends_early(p))
        return false;
    if (!is_stamped)
        stamp(p);
    if (is_init)
        node_set_phase(p->status, PHASE_INITIALIZING, p->s->now);
    bool gives_way = has_only_to_wait(plan) && plan_repair_is_due(p);
    if (rearm_lost(p) && !gives_way) {
        catch_up(p);
        bool is_renewed = rearm_bootstrap(p);
        p->d->plan_is_new = add_replacement(p) || is_renewed || !is_stamped;
        p->d->needs_hand_edit = must_know_pod(p);
        p->d->awaits_fleet = leaves_update_waiting(p);
        plan_refresh_peers(p);
        return true;
    }
    plan_supersede(p, "an object was deleted or edited that it has no step for");
    return false;
}
