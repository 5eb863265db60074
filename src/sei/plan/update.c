/* Update: the pod of a Running node is not what is wanted. Explained field by field before anything
 * is applied; rolled at once when the spec asks for it, in its turn when only the platform does, or
 * when it is the node of a fleet and somebody else than the fleet wrote that spec. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/batch.h"
#include "sei/plan/course.h"

#define CAUSE_SPEC     "spec"
#define CAUSE_PLATFORM "platform"

bool plan_has_drift(const SeiNode *node, const NodeStatus *status, PodMatch match)
{
    return match == POD_STALE
        || (status->current_image && !str_eq(status->current_image, node->spec.image));
}

bool plan_spec_has_moved(const SeiNode *node, const NodeStatus *status, const char *spec_hash)
{
    const char *recorded = node->status.spec_hash, *image = status->current_image;

    if (recorded)
        return !str_eq(recorded, spec_hash);
    return image && !str_eq(image, node->spec.image);
}

/* An edit has made the pod already, and was not seen to its end: what is recorded is of the pod
 * before. A spec that goes back to that one has moved all the same. */
static bool is_of_unfinished_edit(const Planning *p)
{
    const NodeStatus *before = &p->node->status;
    const char *made_from = meta_annotation(p->pod, ANNOTATION_TEMPLATE_HASH);

    return made_from && before->pod_template_hash && !str_eq(made_from, before->pod_template_hash)
        && str_eq(before->drift.cause, CAUSE_SPEC);
}

/* Who moved: the spec since the last roll, or the operator. */
static const char *cause_of(const Planning *p)
{
    bool has_moved = plan_spec_has_moved(p->node, p->status, p->spec_hash);

    return has_moved || is_of_unfinished_edit(p) ? CAUSE_SPEC : CAUSE_PLATFORM;
}

/* As whose change it is rolled: what the platform changes, and what a fleet left to be done, has
 * its turn. */
static const char *roller_of(const Planning *p)
{
    return batch_is_left_waiting(p->node) ? CAUSE_PLATFORM : cause_of(p);
}

/* The StatefulSet may be right already while the pod is not: then the pod itself says what it can.
 */
static void explain_by_pod(Planning *p, Drift *drift)
{
    DriftField *field = &drift->fields[drift->count++];

    if (!str_eq(p->status->current_image, p->node->spec.image))
        *field = (DriftField){.path = "spec.containers[" CONTAINER_SEID "].image",
            .have = p->status->current_image,
            .want = p->node->spec.image};
    else
        *field = (DriftField){.path = "metadata.annotations[" ANNOTATION_TEMPLATE_HASH "]",
            .have = meta_annotation(p->pod, ANNOTATION_TEMPLATE_HASH),
            .want = p->s->wanted->template_hash};
}

/* False: the live StatefulSet must be read first. */
static bool explain(Planning *p)
{
    Drift *drift = &p->status->drift;

    if (p->s->statefulset && !p->s->drift_explained) {
        p->d->needs_explanation = true;
        return false;
    }
    if (p->s->explained.count)
        *drift = p->s->explained;
    if (!drift->count)
        explain_by_pod(p, drift);
    drift->cause = cause_of(p);
    return true;
}

/* A person who edits, or asks for a retry, does not wait. */
static int64_t backoff(const Planning *p)
{
    const Plan *last = &p->node->status.plan;
    bool is_last_update = p->node->status.has_plan && last->kind == PLAN_NODE_UPDATE;

    if (p->superseded || p->node->status.observed_generation != p->node->generation)
        return 0;
    if (is_last_update
        && (!str_eq(last->target_hash, p->spec_hash)
            || !str_eq(last->retry, p->node->wishes.retry)))
        return 0;
    return plan_backoff_ms(p, PLAN_NODE_UPDATE, false, 0);
}

static bool config_drifts(const Planning *p)
{
    const char *made_with = meta_annotation(p->pod, ANNOTATION_CONFIG_HASH);

    return (made_with && !str_eq(made_with, p->s->wanted->config_hash))
        || plan_object_state(p, TASK_APPLY_RBAC_PROXY_CONFIG) != OBJECT_RIGHT;
}

static void build(Planning *p, const char *cause)
{
    Plan *plan = plan_new(p, PLAN_NODE_UPDATE, cause);

    if (config_drifts(p))
        plan_add_own_task(p, plan, TASK_APPLY_RBAC_PROXY_CONFIG);
    plan_add_own_task(p, plan, TASK_APPLY_STATEFULSET);
    plan_add_own_task(p, plan, TASK_APPLY_SERVICE);
    plan_add_own_task(p, plan, TASK_REPLACE_POD);
    plan_add_own_task(p, plan, TASK_OBSERVE_IMAGE);
    plan_add_approval(p, plan);
    plan_install(p, plan);
}

/* Nothing is rolled while something needs a person, or somebody has scaled the node down; nor
 * beside another that signs with the same key. */
static bool may_roll(const Planning *p)
{
    return !p->s->scaled_by_hand && !p->spec_refused && !p->identity_changed && !p->object_foreign
        && !p->d->stop_no_pod && !p->d->hold_statefulset && !p->s->signing_twin;
}

/* True: there is a question. */
static bool wait_for_permit(Planning *p)
{
    p->d->wants_permit = true;
    p->drift_waits = true;
    if (!p->status->drift.cause)
        return !explain(p);
    p->status->drift.cause = cause_of(p);
    return false;
}

/* The pod runs this spec but for a restart that is newly asked for: which one it was made with
 * stands on it, or in the status, or there was none. */
static bool only_restarts(const Planning *p)
{
    const char *before[] = {
        meta_annotation(p->pod, ANNOTATION_RESTARTED_AT), p->node->status.restarted_at, NULL};
    const char *recorded = p->node->status.spec_hash;
    SeiNode node = *p->node;

    if (is_of_unfinished_edit(p))
        return false;
    node.status.restarted_at = NULL;
    for (size_t i = 0; recorded && i < sizeof before / sizeof before[0]; i++) {
        node.wishes.restarted_at = before[i];
        if (str_eq(node_spec_hash(p->a, &node), recorded))
            return true;
    }
    return false;
}

bool plan_awaits_fleet(const Planning *p)
{
    return str_eq(cause_of(p), CAUSE_SPEC) && fleet_child_is_unreleased(p->node)
        && !only_restarts(p);
}

/* True: there is a question. */
static bool wait_for_fleet(Planning *p)
{
    bool is_told =
        p->status->drift.cause && p->node->status.observed_generation == p->node->generation;

    p->d->awaits_fleet = true;
    return !is_told && !explain(p);
}

/* Where there is no pod, none is wrong: but the next one would be made from a spec that waits. */
static bool is_to_be_judged(const Planning *p)
{
    return plan_has_drift(p->node, p->status, p->match)
        || (p->match == POD_MISSING && plan_awaits_fleet(p));
}

bool plan_update_awaits_fleet(const Planning *p)
{
    return is_to_be_judged(p) && may_roll(p) && plan_awaits_fleet(p);
}

bool plan_update_of_spec_is_due(const Planning *p)
{
    return plan_has_drift(p->node, p->status, p->match) && str_eq(roller_of(p), CAUSE_SPEC)
        && may_roll(p) && !plan_awaits_fleet(p) && backoff(p) == 0;
}

bool plan_update(Planning *p)
{
    if (!is_to_be_judged(p))
        return false;
    const char *roller = roller_of(p);
    int64_t left_ms = backoff(p);

    p->drift_waits = true;
    if (!may_roll(p))
        return false;
    if (plan_awaits_fleet(p))
        return wait_for_fleet(p);
    if (left_ms > 0) {
        plan_look_again(p, left_ms);
        return false;
    }
    if (str_eq(roller, CAUSE_PLATFORM) && !p->s->may_disrupt)
        return wait_for_permit(p);
    if (!explain(p))
        return true;
    build(p, roller);
    return true;
}
