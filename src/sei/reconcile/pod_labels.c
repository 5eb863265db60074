/* Labels and annotations that the template gained after the pod was made: put on the live pod, in
 * one patch that names it. They never restart it. The annotations that say what it was made from
 * stay as they are. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

static bool is_about_its_making(const char *annotation)
{
    return str_eq(annotation, ANNOTATION_TEMPLATE_HASH)
        || str_eq(annotation, ANNOTATION_CONFIG_HASH)
        || str_eq(annotation, ANNOTATION_RESTARTED_AT);
}

/* What of `wanted` is not so in `have`, or NULL. */
static Draft *missing_of(Arena *a, const Json *wanted, const Json *have)
{
    const Json *value;
    Draft *missing = NULL;

    json_each(value, wanted) {
        const char *key = json_key(value);
        if (is_about_its_making(key) || json_equal(value, json_member(have, key)))
            continue;
        if (!missing)
            missing = draft_object(a);
        draft_set(missing, draft_json(key, value));
    }
    return missing;
}

Err *keep_pod_labels(NodePass *p)
{
    Arena *a = p->c->arena;
    const Json *pod = p->snapshot.pod;
    const Json *wanted = json_find(p->wanted.statefulset, ".spec.template.metadata");

    if (!pod || meta_deleting(pod) || plan_pod_match(&p->snapshot) != POD_CURRENT
        || !meta_owned_by(pod, p->snapshot.statefulset))
        return OK;
    Draft *labels = missing_of(a, json_find(wanted, ".labels"), json_find(pod, ".metadata.labels"));
    Draft *annotations =
        missing_of(a, json_find(wanted, ".annotations"), json_find(pod, ".metadata.annotations"));
    if (!labels && !annotations)
        return OK;
    Draft *patch = draft(a,
        obj("metadata",
            str("uid", meta_uid(pod)),
            sub("labels", labels),
            sub("annotations", annotations)));
    return kube_merge_patch(p->c, kind_pod, pod, json_seal(a, patch), NULL);
}
