/* Fields that pods are replaced for and that another writer has added to a child, such as a port of
 * the sidecar or a key of a validator. */
#include "sei/reconcile/fleet_strays.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/spec_field.h"

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

/* Made what it should be, while it is still what was seen. */
static void set_right(Draft *patch, Arena *a, const char *path, const Json *is, const Json *should)
{
    if (!is || (should && json_equal(is, should)))
        return;
    push(patch, a, "test", path, is);
    push(patch, a, should ? "replace" : "remove", path, should);
}

/* One member that comes from the revision. A text or a number of ours cannot be added to. */
static void set_member_right(
    Draft *patch, Arena *a, const char *path, const Json *is, const Json *should)
{
    const Json *member;

    if (json_type(is) != JSON_OBJECT)
        return;
    if (!should) {
        set_right(patch, a, path, is, NULL);
        return;
    }
    json_each(member, is)
        set_right(patch,
            a,
            str_format(a, "%s/%s", path, json_key(member)),
            member,
            json_member(should, json_key(member)));
}

static void set_members_right(
    Draft *patch, Arena *a, NodeMode mode, const Json *is, const Json *should)
{
    const char *block = mode == MODE_NONE ? "" : str_format(a, "/%s", node_mode_text(mode));

    for (const char *const *name = spec_members(a, mode, SPEC_FROM_REVISION); *name; name++)
        set_member_right(patch,
            a,
            str_format(a, "/spec%s/%s", block, *name),
            json_member(is, *name),
            json_member(should, *name));
}

const Json *strays_patch(Arena *a, const Json *child, const Json *wanted)
{
    const Json *is = json_member(child, "spec"), *should = json_member(wanted, "spec");
    Draft *patch = draft_array(a);

    if (str_eq(asks_for(a, child), asks_for(a, wanted)))
        return NULL;
    push(patch, a, "test", "/metadata/uid", json_find(child, ".metadata.uid"));
    set_members_right(patch, a, MODE_NONE, is, should);
    for (int mode = MODE_FULL; mode <= MODE_VALIDATOR; mode++) {
        const char *block = node_mode_text((NodeMode)mode);
        set_members_right(
            patch, a, (NodeMode)mode, json_member(is, block), json_member(should, block));
    }
    return draft_count(patch) > 1 ? json_seal(a, patch) : NULL;
}
