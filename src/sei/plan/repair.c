/* Repair: StatefulSet, Service or ConfigMap of a Running node is not there, or not as it was made.
 * Exactly the steps that make them, and never one of an init. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/plan/parts.h"

#include <string.h>

enum { REPAIRS_FREE = 3 }; /* in a row, before it is seen that they do not help */

typedef struct OwnedObject {
    TaskType apply;
    const char *kind;
} OwnedObject;

static const OwnedObject owned[] = {
    {TASK_APPLY_RBAC_PROXY_CONFIG, "ConfigMap"},
    {TASK_APPLY_STATEFULSET, "StatefulSet"},
    {TASK_APPLY_SERVICE, "Service"},
};

enum { OWNED = sizeof owned / sizeof owned[0] };

bool plan_object_is_right(const Json *object, const SeiNode *node, const char *owned_hash)
{
    return meta_controlled_by(object, node->object) && owned_hash
        && str_eq(meta_owned_hash(object), owned_hash);
}

ObjectState plan_object_state(const Planning *p, TaskType apply)
{
    const NodeSnapshot *s = p->s;
    const Json *object = s->statefulset;
    const char *hash = s->wanted->statefulset_owned;

    if (apply == TASK_APPLY_SERVICE) {
        object = s->service;
        hash = s->wanted->service_owned;
    } else if (apply == TASK_APPLY_RBAC_PROXY_CONFIG) {
        object = s->proxy_config;
        hash = s->wanted->proxy_config_owned;
    }
    if (!object)
        return OBJECT_MISSING;
    if (meta_deleting(object) || plan_object_is_right(object, p->node, hash))
        return OBJECT_RIGHT;
    return OBJECT_DIFFERS;
}

/* Somebody else's is not ours to put right; the others are, all the same. */
static bool is_left_out(const Planning *p, TaskType apply)
{
    switch (apply) {
    case TASK_APPLY_STATEFULSET:
        return p->d->hold_statefulset;
    case TASK_APPLY_SERVICE:
        return p->service_foreign;
    default:
        return p->config_foreign;
    }
}

/* While drift waits for its turn a new rendering is expected; only a hand edit is not. */
static ObjectState state_for_repair(const Planning *p, TaskType apply)
{
    ObjectState state = plan_object_state(p, apply);
    bool is_statefulset = apply == TASK_APPLY_STATEFULSET;

    if (is_left_out(p, apply))
        return OBJECT_RIGHT;
    if (state == OBJECT_DIFFERS && p->drift_waits
        && !(is_statefulset && !p->s->statefulset_was_right))
        return OBJECT_RIGHT;
    return state;
}

static const char *missing_text(Arena *a, const char *kind)
{
    return str_format(a, "%s is missing", kind);
}

/* "StatefulSet is missing, Service differs"; NULL when all is well. It becomes the cause of the
 * plan, and the history keeps it. */
static const char *describe(const Planning *p)
{
    const char *text = NULL;

    for (int i = 0; i < OWNED; i++) {
        ObjectState state = state_for_repair(p, owned[i].apply);
        if (state == OBJECT_RIGHT)
            continue;
        text = str_format(p->a,
            "%s%s%s",
            text ? text : "",
            text ? ", " : "",
            state == OBJECT_MISSING ? missing_text(p->a, owned[i].kind)
                                    : str_format(p->a, "%s differs", owned[i].kind));
    }
    return text;
}

/* Repairs in a row that failed to bring an object of this kind back. A repair with another cause
 * ends the row: the object was there at that time, and was deleted after it. */
static BackoffRow failed_to_bring_back(const Planning *p, const char *kind)
{
    const PlanHistory *history = &p->status->history;
    const char *missing = missing_text(p->a, kind);
    BackoffRow row = {0};

    for (size_t i = history->count; i-- > 0;) {
        const PlanEnded *ended = &history->items[i];
        if (!str_eq(ended->kind, plan_kind_text(PLAN_REPAIR)))
            continue;
        if (!str_eq(ended->result, "Failed") || !ended->cause || !strstr(ended->cause, missing))
            break;
        if (!row.last)
            row.last = ended;
        row.count++;
    }
    return row;
}

/* How long the repair waits for the sake of what is missing: not at all, unless bringing it back
 * has failed. INT64_MAX: nothing is missing. */
static int64_t missing_backoff_ms(const Planning *p)
{
    int64_t left_ms = INT64_MAX;

    for (int i = 0; i < OWNED; i++) {
        if (state_for_repair(p, owned[i].apply) != OBJECT_MISSING)
            continue;
        BackoffRow row = failed_to_bring_back(p, owned[i].kind);
        int64_t of_kind =
            row.last ? backoff_left_ms(row.count, row.last->finished_at, p->s->now_ms) : 0;
        left_ms = of_kind < left_ms ? of_kind : left_ms;
    }
    return left_ms;
}

/* What is missing was deleted, and comes back at once. What only differs may have been changed on
 * its way by a webhook that will do so again: beyond REPAIRS_FREE in a row the next one waits. */
static int64_t repair_backoff_ms(const Planning *p)
{
    int64_t missing_ms = missing_backoff_ms(p);

    return missing_ms < INT64_MAX ? missing_ms
                                  : plan_backoff_ms(p, PLAN_REPAIR, true, REPAIRS_FREE);
}

/* What the reference rendered is told before it is written over: a new pod would pick that up. */
static bool explain_adopted(Planning *p)
{
    if (p->match != POD_ADOPTED || p->d->hold_statefulset || !p->s->statefulset
        || state_for_repair(p, TASK_APPLY_STATEFULSET) == OBJECT_RIGHT)
        return true;
    if (!p->s->drift_explained) {
        p->d->needs_explanation = true;
        return false;
    }
    p->status->drift = p->s->explained;
    p->status->drift.cause = p->s->explained.count ? "platform" : NULL;
    return true;
}

/* The history as it will be when this plan has given way: a repair counts from its beginning. */
static void end_in_thought(Planning *p)
{
    NodeStatus *status = arena_new(p->a, NodeStatus);
    const Plan *plan = &p->status->plan;
    PlanEnded ended = plan_ended(p->a, plan, "Superseded", NULL, plan->started_at);

    *status = *p->status;
    plan_history_add(&status->history, &ended);
    p->status = status;
}

bool plan_repair_is_due(Planning *p)
{
    Planning *judged = arena_new(p->a, Planning);

    *judged = *p;
    judged->drift_waits = plan_has_drift(p->node, p->status, p->match) || p->match == POD_UNCLEAR;
    if (!describe(judged))
        return false;
    end_in_thought(judged);
    int64_t left_ms = plan_backoff_ms(judged, PLAN_REPAIR, true, 0);
    plan_look_again(p, left_ms);
    return left_ms == 0;
}

/* The steps beside that for what is missing cost nothing, unless they bring in a spec that waits.
 */
static bool has_step(const Planning *p, TaskType apply)
{
    bool is_to_wait = apply == TASK_APPLY_STATEFULSET && p->d->awaits_fleet
        && state_for_repair(p, apply) == OBJECT_RIGHT;

    return !is_left_out(p, apply) && !is_to_wait;
}

static void build(Planning *p, const char *cause)
{
    Plan *plan = plan_new(p, PLAN_REPAIR, cause);

    for (int i = 0; i < OWNED; i++)
        if (has_step(p, owned[i].apply))
            plan_add_own_task(p, plan, owned[i].apply);
    plan_install(p, plan);
}

bool plan_repair(Planning *p)
{
    const char *cause = describe(p);

    if (!cause)
        return false;
    int64_t left_ms = repair_backoff_ms(p);
    if (left_ms > 0) {
        p->d->repair_waits = true;
        plan_look_again(p, left_ms);
        return false;
    }
    if (!explain_adopted(p))
        return true;
    build(p, cause);
    return true;
}
