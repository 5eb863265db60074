/* ViewDrift: how what runs differs from what is wanted. A fleet drifts where its nodes do, and
 * where they are not on its template. */
#include "base/str.h"
#include "cli/view.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "sei/api/condition.h"

static bool is_drifted(const Json *object)
{
    Conds conds;
    conds_decode(json_find(object, ".status.conditions"), &conds);
    const Cond *cond = conds_find(&conds, COND_UP_TO_DATE);

    return json_find(object, ".status.drift") || (cond && str_eq(cond->status, "False"));
}

static Draft *drift_with_name(Arena *a, const Json *object)
{
    Draft *drift = view_drift_of(a, object);

    draft_set(drift, str("name", meta_name(object)));
    return drift;
}

const Json *view_drift(Arena *a, const Json *sight)
{
    Seen seen;
    seen_read(a, sight, &seen);
    bool drifted = is_drifted(seen.object);
    Draft *view = view_begin(&seen, VIEW_DRIFT), *nodes = draft_array(a);
    const Json *child;

    json_each(child, json_find(sight, ".children"))
        if (is_drifted(child)) {
            drifted = true;
            draft_push(nodes, drift_with_name(a, child));
        }
    draft_set(view, flag("drifted", drifted));
    draft_set(view, sub("drift", view_drift_of(a, seen.object)));
    draft_set(view,
        obj("image",
            str("wanted",
                json_str(seen.object, seen.is_fleet ? ".spec.template.spec.image" : ".spec.image")),
            str("running", json_str(seen.object, ".status.currentImage"))));
    if (seen.is_fleet)
        draft_set(view, sub("nodes", nodes));
    draft_set(view, draft_json("missing", json_find(sight, ".missing")));
    return json_seal(a, view);
}
