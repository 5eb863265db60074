/* JSON merge patches (RFC 7386): making one and applying one.
 *
 * Both walk two objects side by side in the order of their keys, a merge join, so thousands of
 * members cost n log n. Of a key that stands twice in an object the first counts. */
#include "base/json_tape.h"

#include <string.h>

/* Two objects on their walk: where each is, by its member value, or NULL at its end. */
typedef struct Join {
    Children lefts, rights;
    yyjson_val *left, *right;
} Join;

static yyjson_val *next_key(Children *children, yyjson_val *current)
{
    yyjson_val *next = children_next(children);
    while (next && current && key_compare(next - 1, current - 1) == 0)
        next = children_next(children);
    return next;
}

static Join join_open(Arena *a, yyjson_val *left, yyjson_val *right)
{
    Join j = {.lefts = children_sorted(a, left), .rights = children_sorted(a, right)};
    j.left = next_key(&j.lefts, NULL);
    j.right = next_key(&j.rights, NULL);
    return j;
}

/* The members of the least key: both, or one and NULL. False at the end of both objects. */
static bool join_next(Join *j, yyjson_val **left, yyjson_val **right)
{
    int order = !j->right ? -1 : !j->left ? 1 : key_compare(j->left - 1, j->right - 1);

    *left = order <= 0 ? j->left : NULL;
    *right = order >= 0 ? j->right : NULL;
    if (*left)
        j->left = next_key(&j->lefts, *left);
    if (*right)
        j->right = next_key(&j->rights, *right);
    return *left || *right;
}

static yyjson_val *object_or_empty(yyjson_val *val)
{
    return yyjson_is_obj(val) ? val : val_empty_object();
}

static void put_member(Tape *t, yyjson_val *key, yyjson_val *val)
{
    tape_key(t, key);
    tape_value(t, val);
}

/* What the base and the patch say about one key. True when both are to be descended into. */
static bool merge_member(Tape *t, yyjson_val *base, yyjson_val *patch)
{
    if (!patch) {
        put_member(t, base - 1, base);
        return false;
    }
    if (unsafe_yyjson_is_obj(patch)) {
        tape_key(t, patch - 1);
        return true;
    }
    if (!unsafe_yyjson_is_null(patch))
        put_member(t, patch - 1, patch);
    return false;
}

const Json *json_merge(Arena *a, const Json *base, const Json *patch)
{
    yyjson_val *left = json_val(base), *right = json_val(patch);
    if (!yyjson_is_obj(right))
        return right ? patch : base;

    Tape t = {.arena = a};
    Join stack[JSON_DEPTH_MAX];
    tape_open(&t, YYJSON_TYPE_OBJ);
    stack[0] = join_open(a, object_or_empty(left), right);
    while (t.depth > 0) {
        if (!join_next(&stack[t.depth - 1], &left, &right)) {
            tape_close(&t);
        } else if (merge_member(&t, left, right)) {
            tape_open(&t, YYJSON_TYPE_OBJ);
            stack[t.depth - 1] = join_open(a, object_or_empty(left), right);
        }
    }
    return tape_seal(&t);
}

/* What turns one member into the other, if anything. True when both are to be descended into. */
static bool diff_member(Tape *t, yyjson_val *from, yyjson_val *to)
{
    static const yyjson_val null = {.tag = YYJSON_TYPE_NULL};
    bool wanted = to && !unsafe_yyjson_is_null(to);

    if (!wanted && from && !(to && unsafe_yyjson_is_null(from)))
        put_member(t, from - 1, (yyjson_val *)&null);
    if (!wanted)
        return false;
    if (yyjson_is_obj(from) && unsafe_yyjson_is_obj(to)) {
        tape_key(t, to - 1);
        return true;
    }
    if (!from || !json_equal(json_of(from), json_of(to)))
        put_member(t, to - 1, to);
    return false;
}

/* Objects between which there is no difference leave no trace. */
static void leave_unless_empty(Tape *t)
{
    if (tape_is_empty(t))
        tape_drop(t);
    else
        tape_close(t);
}

const Json *json_merge_diff(Arena *a, const Json *from, const Json *to)
{
    yyjson_val *left = from ? json_val(from) : val_empty_object();
    yyjson_val *right = to ? json_val(to) : val_empty_object();
    if (!unsafe_yyjson_is_obj(left) || !unsafe_yyjson_is_obj(right))
        return json_equal(json_of(left), json_of(right)) ? NULL : json_of(right);

    Tape t = {.arena = a};
    Join stack[JSON_DEPTH_MAX];
    tape_open(&t, YYJSON_TYPE_OBJ);
    stack[0] = join_open(a, left, right);
    while (t.depth > 0) {
        if (!join_next(&stack[t.depth - 1], &left, &right)) {
            leave_unless_empty(&t);
        } else if (diff_member(&t, left, right)) {
            tape_open(&t, YYJSON_TYPE_OBJ);
            stack[t.depth - 1] = join_open(a, left, right);
        }
    }
    return t.count > 0 ? tape_seal(&t) : NULL;
}
