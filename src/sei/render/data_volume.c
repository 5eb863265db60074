/* The claim of a node's data. Made once and never changed by rendering it again.
 *
 * A volume that is to outlive its node has no owner, from the first moment on: the garbage
 * collector would not wait until somebody has taken the reference off. An annotation says whose it
 * is. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

static bool is_retained(const SeiNode *node)
{
    return name_policy_retains(node->wishes.volume_policy);
}

static Draft *retained_metadata(Arena *a, const Subject *s)
{
    return draft(a,
        str("name", s->claim),
        str("namespace", s->node->key.namespace),
        sub("labels", render_lasting_labels(a, s)),
        obj("annotations", str(ANNOTATION_RETAINED_BY, s->node->uid)));
}

Draft *render_data_volume(Arena *a, const Subject *s)
{
    Platform platform = render_platform(s);

    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "PersistentVolumeClaim"),
        sub("metadata",
            is_retained(s->node) ? retained_metadata(a, s)
                                 : render_lasting_metadata(a, s, s->claim)),
        obj("spec",
            strs("accessModes", "ReadWriteOnce"),
            str("storageClassName", platform.storage_class),
            obj("resources", obj("requests", str("storage", platform.storage_size)))));
}
