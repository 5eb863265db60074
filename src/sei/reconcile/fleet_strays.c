/* Of what pods are replaced for, the sidecar and the keys of a validator can be added to: image and
 * mode are always there, and others refuse what they do not know. */
#include "sei/reconcile/fleet_strays.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/fleet_hash.h"

#define SIDECAR   "/spec/sidecar"
#define VALIDATOR "/spec/validator"

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

static void set_sidecar_right(Draft *patch, Arena *a, const Json *is, const Json *should)
{
    const Json *member;

    if (!should) {
        set_right(patch, a, SIDECAR, is, NULL);
        return;
    }
    json_each(member, is)
        set_right(patch,
            a,
            str_format(a, SIDECAR "/%s", json_key(member)),
            member,
            json_member(should, json_key(member)));
}

static void set_keys_right(Draft *patch, Arena *a, const Json *is, const Json *should)
{
    static const char *const keys[] = {"signingKey", "nodeKey", "operatorKeyring", NULL};

    for (const char *const *key = keys; *key; key++)
        set_right(patch,
            a,
            str_format(a, VALIDATOR "/%s", *key),
            json_member(is, *key),
            json_member(should, *key));
}

const Json *strays_patch(Arena *a, const Json *child, const Json *wanted)
{
    const Json *is = json_member(child, "spec"), *should = json_member(wanted, "spec");
    Draft *patch = draft_array(a);

    if (str_eq(asks_for(a, child), asks_for(a, wanted)))
        return NULL;
    push(patch, a, "test", "/metadata/uid", json_find(child, ".metadata.uid"));
    set_sidecar_right(patch, a, json_member(is, "sidecar"), json_member(should, "sidecar"));
    set_keys_right(patch, a, json_member(is, "validator"), json_member(should, "validator"));
    return draft_count(patch) > 1 ? json_seal(a, patch) : NULL;
}
