/* Taking over: a node without a phase whose objects live already. Its status was lost, or it was
 * restored from a backup under a new UID. Setting it up again would bootstrap onto its data, so it
 * is taken as what it evidently is: Running. Unless its bootstrap Job is still there. */
#include "base/str.h"
#include "kube/meta.h"
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

bool plan_take_over(Planning *p)
{
    bool was_never_seen = p->status->phase == PHASE_NONE || p->status->phase == PHASE_PENDING;

    if (!was_never_seen || plan_is_active(p->status) || p->node->spec.mode == MODE_NONE)
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
