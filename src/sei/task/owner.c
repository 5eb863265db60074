/* Applying an object: whose it is, whether it is right already, and then one server-side apply that
 * names what was seen.
 *
 * What the cache does not show may still be there, without our label. The first apply is therefore
 * not forced: the server refuses it where somebody else's fields or selector stand, and then we
 * look. It would not refuse in a Service without a selector or in a ConfigMap with other keys, so
 * these are read first. */
#include "sei/task/owner.h"

#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/condition.h"

static Standing standing_of(const Owner *owner, const Json *object)
{
    return ownership_standing(owner->object, owner->kind, object);
}

static const char *owned_hash_of(Arena *a, const Owner *owner, const Json *there)
{
    const char *cached = meta_owned_hash(there);

    return cached ? cached : hash_owned(a, there, owner->manager); /* when it was read live */
}

bool owner_has_right(Arena *a, const Owner *owner, const Json *there, const char *owned_hash)
{
    return there && !meta_deleting(there) && standing_of(owner, there) == STANDING_OURS
        && str_eq(owned_hash_of(a, owner, there), owned_hash);
}

Err *owner_look(Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    TRY(kube_find(c, kind, key, ret));
    return *ret ? OK : kube_get_if_any(c, kind, key, ret);
}

static Err *err_foreign(Arena *a, const Owner *owner, const Applying *what)
{
    const Json *controller = meta_controller(what->there);
    const char *whose = controller                  ? str_format(a,
                                         "belongs to %s %s and not to",
                                         json_str(controller, ".kind"),
                                         json_str(controller, ".name"))
        : json_find(what->wanted, ".spec.selector") ? "selects other pods than those of"
                                                    : "is not labelled as one of";
    Err *err = err_terminal(a,
        "%s %s %s %s %s: it is left alone; delete or rename it",
        what->kind->name,
        meta_name(what->there),
        whose,
        owner->kind->name,
        meta_name(owner->object));

    err->reason = reason_text(REASON_FOREIGN_OBJECT);
    return err;
}

static Err *check_standing(Arena *a, const Owner *owner, const Applying *what)
{
    Standing standing = standing_of(owner, what->there);

    if (standing == STANDING_FOREIGN
        || (standing == STANDING_NOBODYS
            && !ownership_is_adoptable(owner->object, owner->label, what->there, what->wanted)))
        return err_foreign(a, owner, what);
    if (meta_deleting(what->there))
        return err_wait(a,
            "%s %s is being deleted: it is made again when it is gone",
            what->kind->name,
            meta_name(what->there));
    if (standing == STANDING_PREVIOUS)
        return err_wait(a,
            "%s %s is an earlier %s's of this name, and is yet to be collected: if it stays, "
            "delete it",
            what->kind->name,
            meta_name(what->there),
            owner->kind->name);
    return OK;
}

static Err *apply_over_seen(Ctx *c, const Owner *owner, const Applying *what, const Json **ret)
{
    ApplyOptions options = {.manager = owner->manager, .force = true, .seen = what->there};

    TRY(check_standing(c->arena, owner, what));
    return kube_apply(c, what->kind, what->wanted, options, ret);
}

Err *owner_apply(Ctx *c, const Owner *owner, const Applying *what, const Json **ret)
{
    Applying live = *what;

    if (what->there)
        return apply_over_seen(c, owner, what, ret);
    Err *err =
        kube_apply(c, what->kind, what->wanted, (ApplyOptions){.manager = owner->manager}, ret);
    if (!status_is_conflict(err) && !status_is_invalid(err))
        return err;
    TRY(kube_get_if_any(c, what->kind, meta_key(what->wanted), &live.there));
    return live.there ? apply_over_seen(c, owner, &live, ret) : err;
}
