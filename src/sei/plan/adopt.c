/* What the live pod says: the image and template that it was made from, and whether another
 * operator made it. Nothing is assumed: while no seid of a new pod has started, the last values
 * stand. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/parts.h"

/* A pod without our annotation is taken as it is: restarting it for that alone would be wrong. */
static void adopt(Planning *p)
{
    NodeAdopted *adopted = &p->status->adopted;
    const char *uid = meta_uid(p->pod);

    if (adopted->pod_uid && (!p->pod || !str_eq(adopted->pod_uid, uid)))
        *adopted = (NodeAdopted){0};
    if (p->match != POD_ADOPTED || adopted->pod_uid || p->rendering_is_old)
        return;
    *adopted = (NodeAdopted){
        .pod_uid = uid,
        .template_hash = p->s->wanted->template_hash,
        .spec_hash = p->spec_hash,
    };
    p->status->spec_hash = p->spec_hash;
}

static void observe_current(Planning *p)
{
    p->status->pod_template_hash = p->s->wanted->template_hash;
    p->status->current_image = p->s->wanted->image;
    p->status->spec_hash = p->spec_hash;
}

static void observe_other(Planning *p)
{
    const char *made_from = meta_annotation(p->pod, ANNOTATION_TEMPLATE_HASH);

    if (!made_from) {
        p->status->current_image = plan_reference_image(p->node, p->status, p->pod);
        return;
    }
    /* The image of a pod may have been rewritten on its way; what was recorded of it has not. */
    if (!str_eq(made_from, p->status->pod_template_hash))
        p->status->current_image = plan_pod_image(p->pod);
    p->status->pod_template_hash = made_from;
}

void plan_observe_pod(Planning *p)
{
    bool lives = p->status->phase == PHASE_RUNNING || p->status->phase == PHASE_INITIALIZING;

    if (!lives)
        return;
    adopt(p);
    if (p->status->phase != PHASE_RUNNING || !pod_has_started_seid(p->pod))
        return;
    if (p->match == POD_CURRENT || p->match == POD_UNCLEAR)
        observe_current(p);
    else
        observe_other(p);
}
