/* Equality: in one pass while members stand in the same order, by sorted keys where they do not, so
 * that objects with thousands of members cost n log n. */
#include "base/json_tape.h"

#include <string.h>

typedef struct Pair {
    Children left;
    Children right;
} Pair;

static bool in_same_order(yyjson_val *left, yyjson_val *right)
{
    Children lefts = children_of(left), rights = children_of(right);
    yyjson_val *child;
    while ((child = children_next(&lefts)))
        if (key_compare(child - 1, children_next(&rights) - 1) != 0)
            return false;
    return true;
}

/* The scratch arena is opened by the first pair of objects that needs it. */
static Pair pair_children(Arena **scratch, yyjson_val *left, yyjson_val *right)
{
    if (unsafe_yyjson_is_arr(left) || in_same_order(left, right))
        return (Pair){children_of(left), children_of(right)};
    if (!*scratch)
        *scratch = arena_open(SIZE_MAX);
    return (Pair){children_sorted(*scratch, left), children_sorted(*scratch, right)};
}

/* Containers are looked at from outside: their kind and how many children they have. */
static bool equal_outside(yyjson_val *left, yyjson_val *right)
{
    if (unsafe_yyjson_get_type(left) != unsafe_yyjson_get_type(right))
        return false;
    if (unsafe_yyjson_is_num(left)) {
        yyjson_val l = number_normal(left), r = number_normal(right);
        return unsafe_yyjson_get_tag(&l) == unsafe_yyjson_get_tag(&r) && l.uni.u64 == r.uni.u64;
    }
    if (unsafe_yyjson_is_str(left))
        return key_compare(left, right) == 0;
    if (unsafe_yyjson_is_ctn(left))
        return unsafe_yyjson_get_len(left) == unsafe_yyjson_get_len(right);
    return unsafe_yyjson_get_tag(left) == unsafe_yyjson_get_tag(right);
}

static bool equal_inside(Arena **scratch, yyjson_val *left, yyjson_val *right)
{
    Pair stack[JSON_DEPTH_MAX];
    size_t depth = 0;

    for (;;) {
        if (!equal_outside(left, right))
            return false;
        if (unsafe_yyjson_is_ctn(left)) {
            if (depth == JSON_DEPTH_MAX)
                BUG("a JSON value nested deeper than JSON_DEPTH_MAX");
            stack[depth++] = pair_children(scratch, left, right);
        }
        while (depth > 0 && stack[depth - 1].left.left == 0)
            depth--;
        if (depth == 0)
            return true;
        Pair *pair = &stack[depth - 1];
        left = children_next(&pair->left);
        right = children_next(&pair->right);
        if (pair->left.keyed && key_compare(left - 1, right - 1) != 0)
            return false;
    }
}

bool json_equal(const Json *left, const Json *right)
{
    if (!left || !right || left == right)
        return left == right;
    Arena *scratch = NULL;
    bool equal = equal_inside(&scratch, json_val(left), json_val(right));
    arena_close(scratch);
    return equal;
}
