/* Of what pods are replaced for only the sidecar can be added to: image and mode are always there,
 * and others refuse what they do not know. */
#include "sei/reconcile/fleet_strays.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/fleet_hash.h"

#define SIDECAR "/spec/sidecar"

static void push(Draft *patch, Arena *a, const char *op, const char *path, const Json *value)
{
    draft_push(patch, draft(a, str("op", op), str("path", path), draft_json("value", value)));
}

/* What cannot be read differs from everything. */
static const char *asks_for(Arena *a, const Json *node)
{
    NodeSpec *spec = arena_new(a, NodeSpec);

    return node_spec_decode(a, node, spec) ? NULL : fleet_released_spec(a, spec);
}

static void remove_members(Draft *patch, Arena *a, const Json *child, const Json *wanted)
{
    const Json *member;

    json_each(member, child) {
        const char *path = str_format(a, SIDECAR "/%s", json_key(member));
        const Json *should = json_member(wanted, json_key(member));
        if (!should)
            push(patch, a, "remove", path, NULL);
        else if (!json_equal(member, should))
            push(patch, a, "replace", path, should);
    }
}

const Json *strays_patch(Arena *a, const Json *child, const Json *wanted)
{
    const Json *is = json_find(child, ".spec.sidecar"),
               *should = json_find(wanted, ".spec.sidecar");
    Draft *patch = draft_array(a);

    if (!is || str_eq(asks_for(a, child), asks_for(a, wanted)))
        return NULL;
    push(patch, a, "test", "/metadata/uid", json_find(child, ".metadata.uid"));
    push(patch, a, "test", SIDECAR, is);
    if (should)
        remove_members(patch, a, is, should);
    else
        push(patch, a, "remove", SIDECAR, NULL);
    return draft_count(patch) > 2 ? json_seal(a, patch) : NULL;
}
