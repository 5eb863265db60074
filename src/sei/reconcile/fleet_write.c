/* One apply, and what it needs besides: the fields of an operator before us are taken over first,
 * and what the server cannot empty by an apply is emptied for it. Both are rare, and both leave a
 * child at which the same apply works when the operator dies in between. */
#include "sei/reconcile/fleet_write.h"

#include "base/str.h"
#include "kube/core/emptying.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet_takeover.h"

static Err *apply_emptied(FleetPass *p, const Json *wanted, ApplyOptions options, Err *refusal)
{
    Arena *a = p->c->arena;
    const Json *patch = emptying_patch(a, options.seen, wanted, err_text(a, refusal));

    if (!patch)
        return refusal;
    TRY(kube_json_patch(p->c, kind_seinode, meta_key(wanted), patch, &options.seen));
    return kube_apply(p->c, kind_seinode, wanted, options, NULL);
}

Err *write_child(FleetPass *p, const Json *child, const Json *wanted, bool stops_pod)
{
    ApplyOptions options = {
        .manager = FLEET_MANAGER, .force = true, .seen = child, .any_version = !stops_pod};
    const char *is = meta_owned_hash(child), *should = hash_owned_of_rendered(p->c->arena, wanted);
    const Json *taken = NULL;

    if (str_eq(is, should))
        return OK;
    if (!is)
        TRY(take_over_child(p, child, wanted, &taken));
    if (taken)
        options.seen = taken;
    Err *err = kube_apply(p->c, kind_seinode, wanted, options, NULL);
    return status_is_invalid(err) ? apply_emptied(p, wanted, options, err) : err;
}
