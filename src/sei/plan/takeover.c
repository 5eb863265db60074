/* Taking over: a node whose objects live already, although its status does not say that it runs.
 * The status was lost or overwritten, or the node was restored from a backup under a new UID. A
 * bootstrap would go onto its data, so the node is taken over as Running, unless its bootstrap Job
 * is still there. If nothing proves that it ran, it is Stalled. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/parts.h"

/* Ours by UID; or nobody's, with our name, chain and role. */
static bool is_ours(const Planning *p, const Json *object)
{
    const NodeSpec *spec = &p->node->spec;

    if (!object || meta_deleting(object))
        return false;
    if (meta_controller(object))
        return meta_controlled_by(object, p->node->object);
    return str_eq(meta_label(object, LABEL_NODE), p->node->key.name)
        && str_eq(meta_label(object, LABEL_CHAIN), spec->chain_id)
        && str_eq(meta_label(object, LABEL_ROLE), node_role_text(spec->mode));
}

/* An imported volume bears no mark of ours: that we control the StatefulSet is the evidence. */
static bool has_its_volume(const Planning *p)
{
    if (str_empty(p->node->spec.import_claim))
        return is_ours(p, p->s->volume);
    return meta_controlled_by(p->s->statefulset, p->node->object);
}

/* Set up in two stages, and not through with the first. A StatefulSet may be there all the same:
 * one of an earlier course, or the reference's, which makes it first of all. */
static bool is_bootstrapping(const Planning *p)
{
    const Json *job = p->s->bootstrap_job;

    if (meta_controller(job))
        return meta_controlled_by(job, p->node->object);
    return str_eq(meta_label(job, LABEL_NODE), p->node->key.name)
        && str_eq(meta_label(job, LABEL_COMPONENT), COMPONENT_BOOTSTRAP);
}

/* The next pod goes to another claim than the last one, or the claim was given up: the planner
 * itself removed the plan and builds the next one. A paused node has no pod to judge by. */
static bool is_moving_volume(const Planning *p)
{
    const char *claim = p->s->wanted->claim;

    if (p->pod ? !pod_mounts_claim(p->pod, claim)
               : !statefulset_mounts_claim(p->s->statefulset, claim))
        return true;
    return !p->s->volume && p->node->wishes.allow_new_volume;
}

static bool is_proven_to_run(const Planning *p)
{
    return p->status->identity.chain_id || (has_its_volume(p) && pod_is_ready(p->pod));
}

/* Without a plan, nothing says whether a set-up of the node was ever completed. */
static bool may_hold_data(const Planning *p)
{
    return p->status->phase == PHASE_INITIALIZING && is_ours(p, p->s->statefulset)
        && !is_bootstrapping(p) && !is_moving_volume(p);
}

static const char *ways_out(const Planning *p)
{
    const char *set_up =
        str_format(p->a, "delete StatefulSet %s to set the node up anew", p->node->key.name);

    if (!has_its_volume(p) || plan_volume_is_lost(p))
        return set_up;
    return str_format(p->a,
        "if the node has run, remove status.phase to take it over as Running; otherwise, %s",
        set_up);
}

const char *plan_ways_without_plan(const Planning *p)
{
    return may_hold_data(p) && !is_proven_to_run(p) ? ways_out(p) : NULL;
}

static void stall_without_plan(Planning *p)
{
    plan_stall(p,
        REASON_UNKNOWN_PLAN,
        str_format(p->a,
            "the status says Initializing and has no plan, but StatefulSet %s exists, and its "
            "volume may have data: %s",
            p->node->key.name,
            ways_out(p)));
    p->d->frozen = true;
    p->d->hold_statefulset = true;
    p->d->stop_no_pod = true;
}

/* The identity is recorded when an init has completed, and forgotten with the volume. */
static bool has_run(const Planning *p)
{
    bool is_set_up_again =
        p->status->phase == PHASE_INITIALIZING || p->status->phase == PHASE_FAILED;

    return is_set_up_again && !p->status->has_plan && p->status->identity.chain_id;
}

bool plan_take_over(Planning *p)
{
    if (has_run(p)) {
        node_set_phase(p->status, PHASE_RUNNING, p->s->now);
        return false;
    }
    bool is_unclear = !p->status->has_plan && may_hold_data(p);
    if (is_unclear && !is_proven_to_run(p)) {
        stall_without_plan(p);
        return true;
    }
    bool was_never_seen = p->status->phase == PHASE_NONE || p->status->phase == PHASE_PENDING;

    if (!(was_never_seen || is_unclear) || plan_is_active(p->status)
        || p->node->spec.mode == MODE_NONE)
        return false;
    if (!is_ours(p, p->s->statefulset) || !has_its_volume(p) || is_bootstrapping(p))
        return false;
    node_set_phase(p->status, PHASE_RUNNING, p->s->now);
    plan_identity(p);
    p->match = plan_pod_match(p->s);
    (void)plan_volume(p); /* records it */
    plan_observe_pod(p);
    p->d->frozen = true;
    p->d->hold_statefulset = true;
    return true;
}
