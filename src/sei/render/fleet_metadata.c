/* What the objects of a fleet's networking have in common. */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/fleet_network.h"

Draft *render_fleet_label(Arena *a, const Fleet *fleet)
{
    return draft(a, str(LABEL_FLEET, fleet->key.name));
}

Draft *render_managed_by(Arena *a)
{
    return draft(a, str(ANNOTATION_MANAGED_BY, MANAGED_BY_FLEET));
}

Draft *render_fleet_metadata(
    Arena *a, const Fleet *fleet, const char *name, Draft *labels, Draft *annotations)
{
    return draft(a,
        str("name", name),
        str("namespace", fleet->key.namespace),
        sub("labels", labels),
        sub("annotations", annotations),
        list("ownerReferences", meta_owner_reference(a, kind_seinodedeployment, fleet->object)));
}

const Json *render_fleet_service(
    Arena *a, const Fleet *fleet, const char *name, Draft *annotations, Draft *ports)
{
    Draft *labels = render_fleet_label(a, fleet);

    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Service"),
            sub("metadata", render_fleet_metadata(a, fleet, name, labels, annotations)),
            obj("spec", sub("selector", render_fleet_label(a, fleet)), sub("ports", ports))));
}
