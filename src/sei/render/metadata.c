/* What every object of a node says about itself.
 *
 * Labels of the spec come first and ours win. Those that the StatefulSet controller puts on a pod
 * are left out as well: they tell a pod from its successor, and nobody else may write them. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/render.h"

static bool is_reserved(const char *key)
{
    static const char *const reserved[] = {
        LABEL_NODE,
        LABEL_CHAIN,
        LABEL_ROLE,
        LABEL_REVISION,
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
    };

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (str_eq(key, reserved[i]))
            return true;
    return false;
}

Draft *render_labels(Arena *a, const Subject *s)
{
    const Json *label, *wished = s->node->spec.pod_labels;
    Draft *labels = draft(a,
        str(LABEL_NODE, s->node->key.name),
        str(LABEL_CHAIN, s->chain_id),
        str(LABEL_ROLE, node_role_text(s->mode)));

    json_each(label, wished)
        if (!is_reserved(json_key(label)))
            draft_add(labels, str(json_key(label), json_text(label)));
    return labels;
}

Draft *render_selector(Arena *a, const Subject *s)
{
    return draft(a, str(LABEL_NODE, s->node->key.name));
}

Draft *render_metadata(Arena *a, const Subject *s, const char *name)
{
    return draft(a,
        str("name", name),
        str("namespace", s->node->key.namespace),
        sub("labels", render_labels(a, s)),
        list("ownerReferences", meta_owner_reference(a, kind_seinode, s->node->object)));
}
