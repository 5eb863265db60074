/* Applying an object of a node: see owner.h. */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

Err *task_trouble(Err *err, Reason reason)
{
    err->reason = reason_text(reason);
    return err;
}

static Owner owner_of(const SeiNode *node)
{
    return (Owner){kind_seinode, node->object, NODE_MANAGER, LABEL_NODE};
}

Standing task_standing(const Json *object, const SeiNode *node)
{
    return ownership_standing(node->object, kind_seinode, object);
}

bool task_is_right(Arena *a, const TaskRun *run, const Json *there, const char *owned_hash)
{
    Owner owner = owner_of(run->node);
    return owner_has_right(a, &owner, there, owned_hash);
}

Err *task_apply_over(Ctx *c, const TaskRun *run, const Applying *what, const Json **ret)
{
    Owner owner = owner_of(run->node);
    return owner_apply(c, &owner, what, ret);
}

Err *task_apply_object(
    Ctx *c, const TaskRun *run, const Kind *kind, const Json *wanted, const char *owned_hash)
{
    Applying what = {.kind = kind, .wanted = wanted};
    const Json *applied;

    TRY(owner_look(c, kind, meta_key(wanted), &what.there));
    if (task_is_right(c->arena, run, what.there, owned_hash))
        return OK;
    return task_apply_over(c, run, &what, &applied);
}
