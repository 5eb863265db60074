/* Applying an object of a node: whose it is, whether it is right already, and then one server-side
 * apply that names what was seen.
 *
 * What the cache does not show may still be there, without our label. The first apply is therefore
 * not forced: the server refuses it where somebody else's fields or selector stand, and then we
 * look. It would not refuse in a Service without a selector or in a ConfigMap with other keys, so
 * these are read first. */
#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

Err *task_trouble(Err *err, Reason reason)
{
    err->reason = reason_text(reason);
    return err;
}

Standing task_standing(const Json *object, const SeiNode *node)
{
    const Json *controller = meta_controller(object);

    if (!controller)
        return STANDING_NOBODYS;
    if (meta_controlled_by(object, node->object))
        return STANDING_OURS;
    if (str_eq(json_str(controller, ".kind"), kind_seinode->name)
        && str_eq(json_str(controller, ".name"), node->key.name))
        return STANDING_PREVIOUS;
    return STANDING_FOREIGN;
}

static const char *owned_hash_of(Arena *a, const Json *there)
{
    const char *cached = meta_owned_hash(there);

    return cached ? cached : hash_owned(a, there, NODE_MANAGER); /* when it was read live */
}

bool task_is_right(Arena *a, const TaskRun *run, const Json *there, const char *owned_hash)
{
    return there && !meta_deleting(there) && task_standing(there, run->node) == STANDING_OURS
        && str_eq(owned_hash_of(a, there), owned_hash);
}

/* An object without a controller is taken when it serves the same pods. */
static bool may_be_taken(const Json *there, const Json *wanted, const SeiNode *node)
{
    const Json *selector = json_find(wanted, ".spec.selector");

    if (selector)
        return json_equal(json_find(there, ".spec.selector"), selector);
    return str_eq(meta_label(there, LABEL_NODE), node->key.name);
}

static Err *err_foreign(Arena *a, const Kind *kind, const Json *there, const SeiNode *node)
{
    const Json *controller = meta_controller(there);
    const char *whose = controller ? str_format(a,
                                         "belongs to %s %s and not to",
                                         json_str(controller, ".kind"),
                                         json_str(controller, ".name"))
                                   : "selects other pods than those of";

    return task_trouble(err_terminal(a,
                            "%s %s %s SeiNode %s: it is left alone; delete or rename it",
                            kind->name,
                            meta_name(there),
                            whose,
                            node->key.name),
        REASON_FOREIGN_OBJECT);
}

static Err *check_standing(Arena *a, const TaskRun *run, const Applying *what)
{
    const Json *there = what->there;
    Standing standing = task_standing(there, run->node);

    if (standing == STANDING_FOREIGN
        || (standing == STANDING_NOBODYS && !may_be_taken(there, what->wanted, run->node)))
        return err_foreign(a, what->kind, there, run->node);
    if (meta_deleting(there))
        return err_wait(a,
            "%s %s is being deleted: it is made again when it is gone",
            what->kind->name,
            meta_name(there));
    if (standing == STANDING_PREVIOUS)
        return err_wait(a,
            "%s %s is an earlier SeiNode's of this name, and is yet to be collected: if it stays, "
            "delete it",
            what->kind->name,
            meta_name(there));
    return OK;
}

static Err *apply_over_seen(Ctx *c, const TaskRun *run, const Applying *what, const Json **ret)
{
    ApplyOptions options = {.manager = NODE_MANAGER, .force = true, .seen = what->there};

    TRY(check_standing(c->arena, run, what));
    return kube_apply(c, what->kind, what->wanted, options, ret);
}

Err *task_apply_over(Ctx *c, const TaskRun *run, const Applying *what, const Json **ret)
{
    Applying live = *what;

    if (what->there)
        return apply_over_seen(c, run, what, ret);
    Err *err =
        kube_apply(c, what->kind, what->wanted, (ApplyOptions){.manager = NODE_MANAGER}, ret);
    if (!status_is_conflict(err) && !status_is_invalid(err))
        return err;
    TRY(kube_get_if_any(c, what->kind, meta_key(what->wanted), &live.there));
    return live.there ? apply_over_seen(c, run, &live, ret) : err;
}

Err *task_apply_object(
    Ctx *c, const TaskRun *run, const Kind *kind, const Json *wanted, const char *owned_hash)
{
    Applying what = {.kind = kind, .wanted = wanted};
    const Json *applied;

    TRY(kube_find(c, kind, meta_key(wanted), &what.there));
    if (!what.there)
        TRY(kube_get_if_any(c, kind, meta_key(wanted), &what.there));
    if (task_is_right(c->arena, run, what.there, owned_hash))
        return OK;
    return task_apply_over(c, run, &what, &applied);
}
