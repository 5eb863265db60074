/* PodMatch: whether a pod was made from what is wanted. Its own annotation says what it was made
 * from; the revision tells of edits that do not know the annotation. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/plan/node_plan.h"
#include "sei/plan/parts.h"

const char *plan_pod_image(const Json *pod)
{
    const Json *container;

    json_each(container, json_find(pod, ".spec.containers"))
        if (str_eq(json_str(container, ".name"), CONTAINER_SEID))
            return json_str(container, ".image");
    return NULL;
}

/* A pod of the reference says nothing of what it was made from. What it observed counts as well as
 * the pod's own image, which a webhook may have rewritten. */
const char *plan_reference_image(const SeiNode *node, const NodeStatus *status, const Json *pod)
{
    const char *image = plan_pod_image(pod);

    if (str_eq(image, node->spec.image) || !status->current_image)
        return image;
    return status->current_image;
}

static PodMatch match_reference(const NodeSnapshot *s)
{
    const NodeStatus *status = &s->node->status;
    const NodeAdopted *adopted = &status->adopted;
    bool is_recorded = adopted->pod_uid && str_eq(adopted->pod_uid, meta_uid(s->pod));

    if (!str_eq(plan_reference_image(s->node, status, s->pod), s->node->spec.image))
        return POD_STALE;
    if (is_recorded && !str_eq(adopted->template_hash, s->wanted->template_hash))
        return POD_STALE;
    return POD_ADOPTED;
}

/* The revision that pods are made of now, or NULL while that is not known. */
static const char *update_revision(const Json *statefulset)
{
    if (json_int(statefulset, ".status.observedGeneration", 0) < meta_generation(statefulset))
        return NULL;
    return json_str(statefulset, ".status.updateRevision");
}

PodMatch plan_pod_match(const NodeSnapshot *s)
{
    const char *made_from = meta_annotation(s->pod, ANNOTATION_TEMPLATE_HASH);
    const char *of_pod = meta_label(s->pod, LABEL_REVISION);
    const char *of_set = update_revision(s->statefulset);

    if (!s->pod || meta_deleting(s->pod) || !s->wanted)
        return POD_MISSING;
    if (!made_from)
        return match_reference(s);
    if (!str_eq(made_from, s->wanted->template_hash))
        return POD_STALE;
    if (str_empty(of_pod) || str_empty(of_set) || str_eq(of_pod, of_set))
        return POD_CURRENT;
    static const PodMatch by_edit[] = {
        [EDIT_UNREAD] = POD_UNCLEAR,
        [EDIT_METADATA_ONLY] = POD_CURRENT,
        [EDIT_TEMPLATE] = POD_STALE,
    };
    return by_edit[s->hand_edit];
}
