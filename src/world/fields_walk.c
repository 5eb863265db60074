/* Two values side by side, and what of them is owned or has changed.
 *
 * The surprising part is what counts as a field of its own. Somebody who applies owns the leaves,
 * the elements of lists and the keys of maps, but not the objects around them; a change owns every
 * new object on the way down, too. An empty container is a leaf to a change, and to an apply only
 * when it is an object. */
#include "world/fields_walk.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = JSON_DEPTH_MAX + 1,
    OWNED_DEPTH_MAX = 64, /* what is nested deeper is one thing: managedFields must nest, too */
};

FieldForm fieldform_of(const Shape *shape, const Json *value)
{
    JsonType type = json_type(value);

    if (type == JSON_ABSENT || type == JSON_NULL)
        return FORM_NONE;
    if (shape->merge == SHAPE_ATOMIC)
        return FORM_LEAF;
    if (type == JSON_OBJECT && shape->merge == SHAPE_FIELDS)
        return FORM_FIELDS;
    if (type == JSON_ARRAY && (shape->merge == SHAPE_KEYED || shape->merge == SHAPE_SET))
        return FORM_LIST;
    return FORM_LEAF;
}

bool fieldform_is_empty(const Json *value)
{
    return json_count(value) == 0;
}

/* --- pairing --- */

/* A child of one side. */
typedef struct Child {
    const char *name; /* of a field: its key */
    const Json *value;
    size_t order; /* the children of the left before those of the right */
    bool is_right;
} Child;

static int by_key(const void *left, const void *right)
{
    const Child *l = left, *r = right;
    int order = strcmp(l->name, r->name);

    return order != 0 ? order : l->order < r->order ? -1 : 1;
}

static int by_name(const void *left, const void *right)
{
    const Child *l = left, *r = right;
    int order = fieldset_compare_names(l->name, r->name);

    return order != 0 ? order : l->order < r->order ? -1 : 1;
}

typedef struct Gather {
    Arena *arena;
    const Shape *shape;
    FieldForm form;
    Child *children;
    size_t count;
} Gather;

static void gather(Gather *g, const Json *container, bool is_right)
{
    const Json *value;

    json_each(value, container) {
        const char *name = g->form == FORM_FIELDS
            ? json_key(value)
            : fieldset_element_name(g->arena, g->shape, value);
        if (!name)
            continue;
        g->children[g->count] =
            (Child){.name = name, .value = value, .order = g->count, .is_right = is_right};
        g->count++;
    }
}

static void sort_children(Gather *g)
{
    int (*compare)(const void *, const void *) = g->form == FORM_FIELDS ? by_key : by_name;

    for (size_t i = 1; i < g->count; i++) {
        if (compare(&g->children[i - 1], &g->children[i]) > 0) {
            qsort(g->children, g->count, sizeof *g->children, compare);
            return;
        }
    }
}

static void name_pair(Gather *g, FieldPair *pair, const char *name)
{
    if (g->form == FORM_FIELDS) {
        pair->key = name;
        pair->name = fieldset_field_name(g->arena, name);
        pair->shape = shape_of_field(g->shape, name, &pair->declared);
    } else {
        pair->name = name;
        pair->shape = shape_of_element(g->shape);
    }
}

static bool all_equal(const Child *lefts, const Child *rights, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_equal(lefts[i].value, rights[i].value))
            return false;
    return true;
}

/* Elements of one name cannot be told apart: while there are several, they are one thing. */
static void pair_repeated(FieldPair *pair, const Child *children, size_t lefts, size_t rights)
{
    if (lefts > 1 && rights > 1) {
        bool equal = lefts == rights && all_equal(children, children + lefts, lefts);
        pair->flags = equal ? 0 : FIELD_MODIFIED;
        pair->repeated = true;
    } else if (lefts > 1) {
        pair->flags = FIELD_REMOVED;
        pair->left = NULL;
        pair->repeated = rights == 0;
    } else if (rights > 1) {
        pair->flags = FIELD_ADDED;
        pair->right = NULL;
        pair->repeated = lefts == 0;
    }
}

/* Children of one name; those of the left come first. */
static void make_pair(Gather *g, FieldPair *pair, const Child *children, size_t count)
{
    size_t lefts = 0;

    while (lefts < count && !children[lefts].is_right)
        lefts++;
    name_pair(g, pair, children[0].name);
    pair->order = children[0].order;
    pair->left = lefts > 0 ? children[0].value : NULL;
    pair->right = lefts < count ? children[lefts].value : NULL;
    if (g->form == FORM_LIST)
        pair_repeated(pair, children, lefts, count - lefts);
}

FieldPair *fieldpair_list(Arena *a, const FieldPair *around, FieldForm form, size_t *ret_count)
{
    size_t max = json_count(around->left) + json_count(around->right);
    Gather g = {.arena = a, .shape = around->shape, .form = form};
    FieldPair *pairs = arena_array(a, FieldPair, max);
    size_t count = 0, end;

    g.children = arena_array(a, Child, max);
    if (fieldform_of(g.shape, around->left) == form)
        gather(&g, around->left, false);
    if (fieldform_of(g.shape, around->right) == form)
        gather(&g, around->right, true);
    sort_children(&g);
    for (size_t i = 0; i < g.count; i = end) {
        for (end = i + 1; end < g.count && str_eq(g.children[i].name, g.children[end].name);)
            end++;
        make_pair(&g, &pairs[count++], &g.children[i], end - i);
    }
    *ret_count = count;
    return pairs;
}

/* --- walking --- */

typedef struct Level {
    FieldPair *pairs;
    size_t count, at;
    bool in_list;
} Level;

typedef struct Walk {
    FieldSetMaker made;
    Level levels[DEPTH_MAX];
} Walk;

static void enter(Walk *w, const FieldPair *pair, FieldForm form, unsigned flags)
{
    Level level = {.in_list = form == FORM_LIST};

    level.pairs = fieldpair_list(w->made.arena, pair, form, &level.count);
    w->levels[w->made.depth] = level;
    fieldset_open(&w->made, (FieldNode){.name = pair->name, .flags = flags}, level.count);
}

typedef void VisitPair(Walk *w, const FieldPair *pair, bool in_list);

static const FieldSet *walk(Arena *a, const FieldPair *root, VisitPair *visit)
{
    Walk w;
    Level level = {0};
    const FieldSet *made = NULL;

    level.pairs = fieldpair_list(a, root, FORM_FIELDS, &level.count);
    w.levels[0] = level;
    fieldset_begin(&w.made, a, level.count);
    while (w.made.depth > 0) {
        Level *top = &w.levels[w.made.depth - 1];
        if (top->at < top->count)
            visit(&w, &top->pairs[top->at++], top->in_list);
        else
            made = fieldset_close(&w.made);
    }
    return made;
}

/* --- comparing --- */

static void compare_pair(Walk *w, const FieldPair *pair, bool in_list)
{
    FieldForm left = fieldform_of(pair->shape, pair->left);
    FieldForm right = fieldform_of(pair->shape, pair->right);
    FieldForm form = left == FORM_NONE || left == FORM_LEAF ? right : left;
    bool differ = left != FORM_NONE && right != FORM_NONE && left != right;
    bool is_leaf = form == FORM_NONE || form == FORM_LEAF || w->made.depth == OWNED_DEPTH_MAX
        || (fieldform_is_empty(pair->left) && fieldform_is_empty(pair->right));
    unsigned flags = pair->flags;

    (void)in_list;
    if (!pair->repeated) {
        if (pair->left && pair->right && json_equal(pair->left, pair->right))
            return;
        flags |= !pair->left    ? FIELD_ADDED
            : !pair->right      ? FIELD_REMOVED
            : is_leaf || differ ? FIELD_MODIFIED
                                : 0;
    }
    if (is_leaf || pair->repeated)
        fieldset_put(&w->made, (FieldNode){.name = pair->name, .flags = flags});
    else
        enter(w, pair, form, flags);
}

const FieldSet *fieldset_compare(
    Arena *a, const Shape *shape, const Json *before, const Json *after)
{
    return walk(a, &(FieldPair){.left = before, .right = after, .shape = shape}, compare_pair);
}

/* --- owning --- */

static void own_pair(Walk *w, const FieldPair *pair, bool in_list)
{
    FieldForm form = fieldform_of(pair->shape, pair->right);
    bool is_leaf = form == FORM_NONE || form == FORM_LEAF || w->made.depth == OWNED_DEPTH_MAX;
    bool is_empty_object = form == FORM_FIELDS && fieldform_is_empty(pair->right);
    bool owned = is_leaf || is_empty_object || in_list || !pair->declared || pair->flags;
    unsigned flags = owned ? FIELD_OWNED : 0;

    if (is_leaf || pair->repeated)
        fieldset_put(&w->made, (FieldNode){.name = pair->name, .flags = flags});
    else
        enter(w, pair, form, flags);
}

const FieldSet *fieldset_of(Arena *a, const Shape *shape, const Json *applied)
{
    return walk(a, &(FieldPair){.right = applied, .shape = shape}, own_pair);
}
