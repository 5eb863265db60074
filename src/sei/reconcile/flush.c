/* The one place where the status of a node is written: a merge patch of what differs, locked to the
 * version that was read. When that version has passed, somebody wrote meanwhile: if the status is
 * still what we read, only the rest of the object has changed and the patch is as good as before;
 * else everything must be looked at again. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"

enum { RESENDS_MAX = 3 };

static const Json *stored_status(const Json *object)
{
    return json_find(object, ".status");
}

static Err *send(NodePass *p, const Json *seen, const Json *change)
{
    const Json *patch = json_seal(p->c->arena, draft(p->c->arena, draft_json("status", change)));

    return kube_patch_status(p->c, kind_seinode, seen, patch, &p->stored);
}

/* The object as it is now, if the status in it is still ours to write; an error if not. */
static Err *read_again(NodePass *p, const Json *base, Err *conflict, const Json **ret)
{
    const Json *live;

    TRY(kube_get_if_any(p->c, kind_seinode, p->node.key, &live));
    if (!live || !str_eq(meta_uid(live), p->node.uid))
        return conflict;
    if (!json_equal(stored_status(live), base)) {
        telling_conflict(p->c, &p->app->figures, &p->node);
        return conflict;
    }
    *ret = live;
    return OK;
}

Err *flush_status(NodePass *p, bool *ret_written)
{
    const Json *base = stored_status(p->node.object), *seen = p->node.object;
    const Json *change =
        json_merge_diff(p->c->arena, base, node_status_encode(p->c->arena, &p->status));

    *ret_written = false;
    if (!change)
        return OK;
    Err *err = send(p, seen, change);
    for (int i = 0; i < RESENDS_MAX && status_is_conflict(err); i++) {
        TRY(read_again(p, base, err, &seen));
        err = send(p, seen, change);
    }
    if (status_is_conflict(err)) /* somebody writes faster than we do */
        telling_conflict(p->c, &p->app->figures, &p->node);
    *ret_written = !err;
    return err;
}
