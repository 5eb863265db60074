/* FleetRevision: a template of a fleet as it once stood, kept in a ControllerRevision. What
 * children are made from when the template has moved on: a rollback, an ordinal below the
 * partition.
 *
 * It is found by its name alone, and never labelled as a node's: the StatefulSet of that node would
 * take it for one of its own. */
#ifndef SEI_RENDER_FLEET_REVISION_H
#define SEI_RENDER_FLEET_REVISION_H

#include "base/draft.h"
#include "sei/api/fleet.h"

/* The object. `hash` is that of the fleet's template (fleet_revision), which stands in `data` as
 * render_child_node takes it: labelled with the generation that it is rolled with. The generation
 * is also its number, so that later ones have greater ones. */
const Json *render_fleet_revision(Arena *a, const Fleet *fleet, const char *hash);

/* Its annotations: which revision is complete while this one begins, so that an undo knows a
 * template that all nodes have run. NULL when none is, or none but itself. */
Draft *render_came_after(Arena *a, const Fleet *fleet, const char *hash);

/* The template in such an object, {metadata, spec}; NULL when it is not of that hash. */
const Json *render_template_of(Arena *a, const char *hash, const Json *revision);

#endif
