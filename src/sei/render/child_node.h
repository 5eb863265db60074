/* ChildNode: the SeiNode of an ordinal, as its fleet wants it.
 *
 * What pods are replaced for (mode, image, sidecar, keys, a restart) and what they are not replaced
 * for come from different places: everything else always from the fleet's template, at once; these
 * from the revision that the child is to be on, which only a rollout moves. So an edit of the peers
 * reaches every child in the middle of a rollout, and no pod stops for it.
 *
 * What stands here is the whole of what the fleet applies. What others put onto a child stays:
 * `paused` belongs to the fleet only while the fleet itself is paused, peers of founders to their
 * ceremony. */
#ifndef SEI_RENDER_CHILD_NODE_H
#define SEI_RENDER_CHILD_NODE_H

#include "sei/api/fleet.h"
#include "sei/api/settings.h"

typedef struct ChildSource {
    int64_t ordinal;
    const Json *child; /* as it is, or NULL: it is yet to be made */
    /* Whose mode, image, sidecar, keys and restart it gets, {metadata, spec}: the child itself when
     * its turn has not come, a template of before that it is kept at; NULL: the fleet's template.
     */
    const Json *revision;
    bool keeps_restart; /* of itself: rolled back, it was given one that the template need not ask
                         * for */
} ChildSource;

/* The object. */
const Json *render_child_node(
    Arena *a, const Fleet *fleet, const Settings *settings, const ChildSource *source);

#endif
