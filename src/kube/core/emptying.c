/* Looks for empty objects in what is applied, down from its root and not through lists: there the
 * server knows an element by its key, which is never empty. */
#include "kube/core/emptying.h"

#include "base/draft.h"
#include "base/str.h"

#include <string.h>

/* An object in what is applied that is still to be looked at. */
typedef struct Branch {
    struct Branch *next;
    const char *path, *pointer; /* "spec.fullNode", "/spec/fullNode" */
    const Json *applied, *seen;
} Branch;

typedef struct Search {
    Arena *a;
    const char *refusal;
    Branch **end;
} Search;

static void look_at(Search *s, Branch branch)
{
    Branch *copy = arena_new(s->a, Branch);

    *copy = branch;
    *s->end = copy;
    s->end = &copy->next;
}

static bool is_refused(const Search *s, const char *path)
{
    const char *says = str_format(s->a, "%s: Invalid value: \"null\"", path);

    return strstr(s->refusal, says) != NULL;
}

static bool is_plain(const char *key)
{
    return *key && !strpbrk(key, "~/.");
}

static Draft *operation(Arena *a, const char *op, const char *path, const Json *value)
{
    return draft(a, str("op", op), str("path", path), draft_json("value", value));
}

static void look_inside(Search *s, const Branch *branch)
{
    const Json *member;

    json_each(member, branch->applied) {
        const char *key = json_key(member);
        if (json_type(member) == JSON_OBJECT && is_plain(key))
            look_at(s,
                (Branch){
                    .path = str_format(s->a, "%s%s%s", branch->path, *branch->path ? "." : "", key),
                    .pointer = str_format(s->a, "%s/%s", branch->pointer, key),
                    .applied = member,
                    .seen = json_member(branch->seen, key),
                });
    }
}

const Json *emptying_patch(Arena *a, const Json *seen, const Json *applied, const char *refusal)
{
    Branch root = {.path = "", .pointer = "", .applied = applied, .seen = seen};
    Search s = {.a = a, .refusal = refusal, .end = &root.next};
    Draft *patch = draft_array(a);

    draft_push(patch, operation(a, "test", "/metadata/uid", json_find(seen, ".metadata.uid")));
    for (const Branch *branch = &root; branch; branch = branch->next) {
        look_inside(&s, branch);
        if (json_count(branch->applied) > 0 || json_count(branch->seen) == 0
            || !is_refused(&s, branch->path))
            continue;
        draft_push(patch, operation(a, "test", branch->pointer, branch->seen));
        draft_push(patch, operation(a, "replace", branch->pointer, branch->applied));
    }
    return draft_count(patch) > 1 ? json_seal(a, patch) : NULL;
}
