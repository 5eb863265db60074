/* StatusWrite: send, and on a conflict read and send again, a few times. */
#include "sei/reconcile/status_write.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"

enum { RESENDS_MAX = 3 };

static const Json *stored_status(const Json *object)
{
    return json_find(object, ".status");
}

/* The object as it is now, if the status in it is still ours to write; an error if not. */
static Err *read_again(Ctx *c, StatusWrite *w, Err *conflict, const Json **ret)
{
    const Json *live;

    TRY(kube_get_if_any(c, w->kind, meta_key(w->object), &live));
    if (!live || !str_eq(meta_uid(live), meta_uid(w->object)))
        return conflict;
    if (!json_equal(stored_status(live), stored_status(w->object))) {
        w->contested = true;
        return conflict;
    }
    *ret = live;
    return OK;
}

Err *status_write(Ctx *c, StatusWrite *w)
{
    const Json *seen = w->object;
    const Json *change = json_merge_diff(c->arena, stored_status(w->object), w->status);

    if (!change)
        return OK;
    const Json *patch = json_seal(c->arena, draft(c->arena, draft_json("status", change)));
    Err *err = kube_patch_status(c, w->kind, seen, patch, &w->written);
    for (int i = 0; i < RESENDS_MAX && status_is_conflict(err); i++) {
        TRY(read_again(c, w, err, &seen));
        err = kube_patch_status(c, w->kind, seen, patch, &w->written);
    }
    w->contested = status_is_conflict(err); /* somebody writes faster than we do */
    if (err)
        w->written = NULL;
    return err;
}
