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

static Draft *labels_but(Arena *a, const Subject *s, const char *but)
{
    const Json *label, *wished = s->node->spec.pod_labels;
    Draft *labels = draft(a,
        str(LABEL_NODE, s->node->key.name),
        str(LABEL_CHAIN, s->chain_id),
        str(LABEL_ROLE, node_role_text(s->mode)));

    json_each(label, wished)
        if (!is_reserved(json_key(label)) && !str_eq(json_key(label), but))
            draft_add(labels, str(json_key(label), json_text(label)));
    return labels;
}

Draft *render_labels(Arena *a, const Subject *s)
{
    return labels_but(a, s, NULL);
}

Draft *render_lasting_labels(Arena *a, const Subject *s)
{
    return labels_but(a, s, LABEL_FLEET_REVISION);
}

Draft *render_selector(Arena *a, const Subject *s)
{
    return draft(a, str(LABEL_NODE, s->node->key.name));
}

static Draft *metadata(Arena *a, const Subject *s, const char *name, Draft *labels)
{
    return draft(a,
        str("name", name),
        str("namespace", s->node->key.namespace),
        sub("labels", labels),
        list("ownerReferences", meta_owner_reference(a, kind_seinode, s->node->object)));
}

Draft *render_metadata(Arena *a, const Subject *s, const char *name)
{
    return metadata(a, s, name, render_labels(a, s));
}

Draft *render_lasting_metadata(Arena *a, const Subject *s, const char *name)
{
    return metadata(a, s, name, render_lasting_labels(a, s));
}
