/* First contact with the status of another operator: what its nodes are is written down, and
 * nothing is rolled that it did not roll itself. */
#include "base/str.h"
#include "sei/plan/fleet_parts.h"

/* A status with a template hash, and nothing in it that only we write. */
static bool is_of_the_reference(const FleetStatus *status)
{
    if (!status->template_hash || status->complete_revision)
        return false;
    for (size_t i = 0; i < status->node_count; i++)
        if (status->nodes[i].revision)
            return false;
    return true;
}

/* The reference wrote what it rolls: seid's image and the sidecar's. What else differs it never
 * rolled, and it is not for a change of operators to do so. */
static bool is_rolled_by_the_reference(const NodeSpec *child, const NodeSpec *template)
{
    return str_eq(child->image, template->image)
        && str_eq(child->sidecar_image, template->sidecar_image);
}

void plan_fleet_take_over(FleetPlanning *p)
{
    FleetStatus *status = p->status;

    if (!is_of_the_reference(status))
        return;
    status->node_count = 0;
    for (size_t i = 0; i < p->s->count; i++) {
        const SeiNode *node = p->s->children[i].node;
        bool is_kept = is_rolled_by_the_reference(&node->spec, &p->fleet->spec.node);
        status->nodes[status->node_count++] = (FleetNode){
            .name = node->key.name,
            .revision = is_kept ? p->s->revision : NULL,
            .adopted = is_kept ? p->s->children[i].revision : NULL,
        };
    }
}
