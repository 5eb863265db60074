/* What the nodes of a fleet are, and what its template says that they are. A node never moves to
 * another chain or mode, because it would start there on data from here; so a template of another
 * one is not for these nodes, and nothing of it reaches them: an image or peers of that chain would
 * do as much harm. */
#include "base/str.h"
#include "sei/api/fleet_network.h"
#include "sei/api/node_hash.h"
#include "sei/plan/fleet_parts.h"
#include "sei/plan/fleet_says.h"

static bool is_of_other_chain(const Fleet *fleet, const SeiNode *node)
{
    const char *chain = node_chain_id(node);

    return !str_empty(chain) && !str_eq(chain, fleet_chain_id(fleet));
}

/* One that has never run may still become anything. */
static bool is_of_other_mode(const Fleet *fleet, const SeiNode *node)
{
    return node->status.identity.chain_id && node_mode(node) != fleet->spec.node.mode;
}

bool plan_fleet_is_other(const Fleet *fleet, const SeiNode *node)
{
    return is_of_other_chain(fleet, node) || is_of_other_mode(fleet, node);
}

const SeiNode *plan_fleet_find_other(const FleetSnapshot *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->children[i].health.ordinal < s->fleet->spec.replicas
            && plan_fleet_is_other(s->fleet, s->children[i].node))
            return s->children[i].node;
    return NULL;
}

/* --- in words --- */

static bool is_of_that_chain(const FleetSays *t, size_t child)
{
    return str_eq(node_chain_id(t->s->children[child].node), node_chain_id(t->d->other));
}

static bool is_of_that_mode(const FleetSays *t, size_t child)
{
    const SeiNode *node = t->s->children[child].node;

    return is_of_other_mode(t->fleet, node) && node_mode(node) == node_mode(t->d->other);
}

static const char *mode_text(NodeMode mode)
{
    const char *text = node_mode_text(mode);
    return text ? text : "none";
}

static const char *text_of(
    const FleetSays *t, const char *what, const char *want, const char *have, ChildQuestion *is)
{
    return str_format(t->a,
        "spec.template asks for %s %s, and %s %s of %s %s: they keep running as they are, nothing "
        "of the template reaches them, and no node is made beside them; take the edit back, or "
        "create another SeiNodeDeployment",
        what,
        want,
        name_children(t, is),
        count_children(t, is) == 1 ? "is" : "are",
        what,
        have);
}

const char *fleet_identity_text(const FleetSays *t)
{
    const SeiNode *node = t->d->other;

    if (is_of_other_chain(t->fleet, node))
        return text_of(t, "chain", fleet_chain_id(t->fleet), node_chain_id(node), is_of_that_chain);
    return text_of(t,
        "mode",
        mode_text(t->fleet->spec.node.mode),
        mode_text(node_mode(node)),
        is_of_that_mode);
}

void plan_fleet_identity(FleetPlanning *p)
{
    const FleetSays t = {.a = p->a, .s = p->s, .d = p->d, .fleet = p->fleet};

    p->d->other = plan_fleet_find_other(p->s);
    if (!p->d->other || p->d->stall)
        return;
    p->d->stall_reason = FLEET_REASON_IDENTITY_CHANGED;
    p->d->stall = fleet_identity_text(&t);
}
