/* What every object of a fleet's networking says about itself. */
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
