/* The tree of a Draft. */
#include "base/json_tree.h"

#include <assert.h>

Draft *tree_value(Arena *a, yyjson_val *val)
{
    Draft *d = arena_new(a, Draft);
    d->arena = a;
    d->val = *val;
    if (unsafe_yyjson_is_ctn(val)) {
        d->graft = val;
        d->count = unsafe_yyjson_get_len(val);
    }
    return d;
}

Draft *tree_container(Arena *a, yyjson_type type)
{
    Draft *d = arena_new(a, Draft);
    d->arena = a;
    val_set_container(&d->val, type);
    return d;
}

void tree_expand(Draft *d)
{
    if (!d->graft)
        return;
    Children children = children_of(d->graft);
    yyjson_val *child;

    d->graft = NULL;
    d->count = 0;
    while ((child = children_next(&children))) {
        Draft *node = tree_value(d->arena, child);
        if (children.keyed)
            node->key = child[-1];
        tree_insert(d, node, NULL);
    }
}

yyjson_val *tree_graft(Draft *d)
{
    if (!unsafe_yyjson_is_ctn(&d->val))
        return &d->val;
    if (!d->graft)
        d->graft = json_val(tree_seal(d->arena, d));
    d->first = d->last = NULL;
    return d->graft;
}

Draft *tree_find(Draft *object, Bytes key)
{
    assert(!object->graft);
    for (Draft *child = object->first; child; child = child->next)
        if (unsafe_yyjson_equals_strn(&child->key, key.data, key.len))
            return child;
    return NULL;
}

Draft *tree_at(Draft *array, size_t index)
{
    assert(!array->graft);
    Draft *child = array->first;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

/* The child that stands before this one; before NULL stands the last. */
static Draft *tree_before(const Draft *container, const Draft *child)
{
    if (!child)
        return container->last;
    Draft *before = NULL;
    for (Draft *at = container->first; at != child; at = at->next)
        before = at;
    return before;
}

void tree_insert(Draft *container, Draft *child, Draft *next)
{
    assert(!container->graft);
    if (child->adopted)
        BUG("a draft cannot have two parents");
    Draft *before = tree_before(container, next);

    child->adopted = true;
    child->next = next;
    container->count++;
    if (before)
        before->next = child;
    else
        container->first = child;
    if (!next)
        container->last = child;
}

void tree_remove(Draft *container, Draft *child)
{
    assert(!container->graft);
    Draft *before = tree_before(container, child);

    if (before)
        before->next = child->next;
    else
        container->first = child->next;
    if (!child->next)
        container->last = before;
    container->count--;
    child->next = NULL;
    child->key = (yyjson_val){.tag = YYJSON_TYPE_NONE};
    child->adopted = false;
}

static void seal_outside(Tape *t, const Draft *d)
{
    if (d->graft)
        tape_value(t, d->graft);
    else if (unsafe_yyjson_is_ctn((void *)&d->val))
        tape_open(t, unsafe_yyjson_get_type((void *)&d->val));
    else
        tape_value(t, (yyjson_val *)&d->val);
}

const Json *tree_seal(Arena *a, const Draft *d)
{
    Tape t = {.arena = a};
    const Draft *stack[JSON_DEPTH_MAX]; /* what comes next at each depth */

    for (;;) {
        size_t depth = t.depth;
        seal_outside(&t, d);
        if (t.depth > depth)
            stack[depth] = d->first;
        while (t.depth > 0 && !stack[t.depth - 1])
            tape_close(&t);
        if (t.depth == 0)
            return tape_seal(&t);
        d = stack[t.depth - 1];
        stack[t.depth - 1] = d->next;
        if (unsafe_yyjson_is_str((void *)&d->key))
            tape_key(&t, (yyjson_val *)&d->key);
    }
}
