/* Laying one object over another, and taking fields out of one.
 *
 * Merged lists keep the order of both sides as far as they agree; where they do not, the order of
 * what is applied wins. An element that stands twice in a live list is replaced by the applied one,
 * not merged with it. */
#include "world/fields_merge.h"

#include "base/draft.h"
#include "base/str.h"
#include "world/fields_walk.h"

#include <stdlib.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1 };

/* --- lists --- */

typedef struct Element {
    const char *name;
    const Json *value;
    const struct Element *other; /* the first of its name on the other side, or NULL */
    size_t order;
    bool repeated;
    bool merged;
} Element;

typedef struct Elements {
    Element *items;
    Element **sorted; /* by name, then order */
    size_t count;
} Elements;

static int by_name(const void *left, const void *right)
{
    const Element *l = *(Element *const *)left, *r = *(Element *const *)right;
    int order = fieldset_compare_names(l->name, r->name);

    return order != 0 ? order : l->order < r->order ? -1 : 1;
}

static Elements elements_of(Arena *a, const Shape *shape, const Json *list)
{
    size_t max = json_count(list);
    Elements e = {.items = arena_array(a, Element, max), .sorted = arena_array(a, Element *, max)};
    const Json *value;

    json_each(value, list) {
        const char *name = fieldset_element_name(a, shape, value);
        if (!name)
            continue;
        e.items[e.count] = (Element){.name = name, .value = value, .order = e.count};
        e.sorted[e.count] = &e.items[e.count];
        e.count++;
    }
    qsort(e.sorted, e.count, sizeof *e.sorted, by_name);
    for (size_t i = 1; i < e.count; i++)
        if (str_eq(e.sorted[i - 1]->name, e.sorted[i]->name))
            e.sorted[i - 1]->repeated = e.sorted[i]->repeated = true;
    return e;
}

static void link_elements(Elements *lefts, Elements *rights)
{
    for (size_t i = 0, j = 0; i < lefts->count && j < rights->count;) {
        int order = fieldset_compare_names(lefts->sorted[i]->name, rights->sorted[j]->name);
        if (order == 0) {
            lefts->sorted[i]->other = rights->sorted[j];
            if (!rights->sorted[j]->other)
                rights->sorted[j]->other = lefts->sorted[i];
        }
        if (order <= 0)
            i++;
        else
            j++;
    }
}

/* A list on its way to be merged: pairs in the order of the result. */
typedef struct ListMerge {
    const Shape *shape; /* of the elements */
    Elements lefts, rights;
    size_t left, right; /* elements that are next */
    size_t shared;      /* the next right element that is on the left, too: where the orders meet */
    FieldPair *pairs;
    size_t count;
} ListMerge;

static void find_shared(ListMerge *m)
{
    m->shared = m->right;
    while (m->shared < m->rights.count && !m->rights.items[m->shared].other)
        m->shared++;
}

static void put_left(ListMerge *m)
{
    const Element *left = &m->lefts.items[m->left++];

    m->pairs[m->count++] = (FieldPair){.left = left->value, .shape = m->shape};
}

static void put_right(ListMerge *m)
{
    Element *right = &m->rights.items[m->right++];
    const Json *left = right->other && !right->other->repeated ? right->other->value : NULL;

    right->merged = true;
    m->pairs[m->count++] = (FieldPair){.left = left, .right = right->value, .shape = m->shape};
    find_shared(m);
}

/* A left element that the right has as well, but later: its turn comes in the order of the right.
 */
static bool is_early(const ListMerge *m, const Element *left)
{
    return left->other && m->shared < m->rights.count && left->other != &m->rights.items[m->shared];
}

static void merge_next(ListMerge *m)
{
    const Element *left = m->left < m->lefts.count ? &m->lefts.items[m->left] : NULL;
    const Element *right = m->right < m->rights.count ? &m->rights.items[m->right] : NULL;

    if (left && right && left->other == right) {
        m->left++;
        put_right(m);
    } else if (left && right && is_early(m, left)) {
        m->left++;
    } else if (left && !left->other) {
        put_left(m);
    } else {
        if (left && left->other->merged)
            m->left++;
        if (right)
            put_right(m);
    }
}

static FieldPair *merge_elements(Arena *a, const FieldPair *around, size_t *ret_count)
{
    ListMerge m = {.shape = shape_of_element(around->shape)};

    m.lefts = elements_of(a, around->shape, around->left);
    m.rights = elements_of(a, around->shape, around->right);
    m.pairs = arena_array(a, FieldPair, m.lefts.count + m.rights.count);
    link_elements(&m.lefts, &m.rights);
    find_shared(&m);
    while (m.left < m.lefts.count || m.right < m.rights.count)
        merge_next(&m);
    *ret_count = m.count;
    return m.pairs;
}

/* --- merging --- */

typedef struct Level {
    FieldPair *pairs;
    size_t count, at;
    Draft *draft;
    bool is_list;
} Level;

static int by_order(const void *left, const void *right)
{
    const FieldPair *l = left, *r = right;

    return l->order < r->order ? -1 : l->order > r->order;
}

/* Members keep the order that they have in the live object: equal objects are then compared at
 * once. */
static Level level_of(Arena *a, const FieldPair *pair, FieldForm form)
{
    Level level = {.is_list = form == FORM_LIST};

    level.draft = level.is_list ? draft_array(a) : draft_object(a);
    if (level.is_list) {
        level.pairs = merge_elements(a, pair, &level.count);
    } else {
        level.pairs = fieldpair_list(a, pair, form, &level.count);
        qsort(level.pairs, level.count, sizeof *level.pairs, by_order);
    }
    return level;
}

/* The form in which both sides are merged; FORM_LEAF when *ret_winner is the result. */
static FieldForm form_of_merge(const FieldPair *pair, const Json **ret_winner)
{
    FieldForm left = fieldform_of(pair->shape, pair->left);
    FieldForm right = fieldform_of(pair->shape, pair->right);
    bool is_container = left == FORM_FIELDS || left == FORM_LIST;

    *ret_winner = pair->right ? pair->right : pair->left;
    if (!pair->left || !pair->right || !is_container || fieldform_is_empty(pair->left))
        return FORM_LEAF;
    if (right == FORM_NONE)
        *ret_winner = pair->left;
    return left == right ? left : FORM_LEAF;
}

const Json *fields_merge(Arena *a, const Shape *shape, const Json *live, const Json *applied)
{
    Level levels[DEPTH_MAX];
    size_t depth = 1;
    FieldPair root = {.left = live, .right = applied, .shape = shape};

    levels[0] = level_of(a, &root, FORM_FIELDS);
    while (depth > 0) {
        Level *level = &levels[depth - 1];
        if (level->at == level->count) {
            depth--;
            continue;
        }
        const FieldPair *pair = &level->pairs[level->at++];
        const Json *winner = NULL;
        FieldForm form = form_of_merge(pair, &winner);
        if (form != FORM_LEAF) {
            levels[depth] = level_of(a, pair, form);
            Draft *inner = levels[depth++].draft;
            if (level->is_list)
                draft_push(level->draft, inner);
            else
                draft_add(level->draft, sub(pair->key, inner));
        } else if (level->is_list) {
            draft_push_json(level->draft, winner);
        } else {
            draft_add(level->draft, draft_json(pair->key, winner));
        }
    }
    return json_seal(a, levels[0].draft);
}

/* --- removing --- */

typedef struct Cut {
    const Json *value, *next;
    const FieldSet *set;
    const Shape *shape;
    Draft *draft;
    const char *key; /* in the container around it; NULL in a list */
} Cut;

static Cut cut_of(Arena *a, const Json *value, const FieldSet *set, const Shape *shape)
{
    bool is_list = json_type(value) == JSON_ARRAY;

    return (Cut){.value = value,
        .next = json_first(value),
        .set = set,
        .shape = shape,
        .draft = is_list ? draft_array(a) : draft_object(a)};
}

static void keep(Cut *into, const char *key, Draft *draft, const Json *value)
{
    if (key && draft)
        draft_add(into->draft, sub(key, draft));
    else if (key)
        draft_add(into->draft, draft_json(key, value));
    else if (draft)
        draft_push(into->draft, draft);
    else
        draft_push_json(into->draft, value);
}

/* What the set says about a child; NULL for nothing. */
static const FieldNode *node_of(Arena *a, const Cut *cut, const Json *child)
{
    const char *name = json_type(cut->value) == JSON_OBJECT
        ? fieldset_field_name(a, json_key(child))
        : fieldset_element_name(a, cut->shape, child);

    return name ? fieldset_find(cut->set, name) : NULL;
}

/* Looks at one child; true when *ret_cut is to be gone into. */
static bool cut_child(Arena *a, Cut *cut, const Json *child, Cut *ret_cut)
{
    const char *key = json_type(cut->value) == JSON_OBJECT ? json_key(child) : NULL;
    const FieldNode *node = node_of(a, cut, child);
    bool declared = false;
    const Shape *shape =
        key ? shape_of_field(cut->shape, key, &declared) : shape_of_element(cut->shape);
    FieldForm form = fieldform_of(shape, child);

    if (node && node->flags)
        return false;
    if (node && node->inside && (form == FORM_FIELDS || form == FORM_LIST)) {
        *ret_cut = cut_of(a, child, node->inside, shape);
        ret_cut->key = key;
        return true;
    }
    keep(cut, key, NULL, child);
    return false;
}

const Json *fields_remove(Arena *a, const Shape *shape, const Json *object, const FieldSet *set)
{
    Cut cuts[DEPTH_MAX];
    size_t depth = 1;

    cuts[0] = cut_of(a, object, set, shape);
    for (;;) {
        Cut *cut = &cuts[depth - 1];
        const Json *child = cut->next;
        if (child) {
            cut->next = json_next(cut->value, child);
            depth += cut_child(a, cut, child, &cuts[depth]);
            continue;
        }
        if (--depth == 0)
            return json_seal(a, cut->draft);
        bool is_empty = draft_count(cut->draft) == 0;
        keep(&cuts[depth - 1],
            cut->key,
            is_empty ? NULL : cut->draft,
            is_empty ? json_fixture(a, "null") : NULL);
    }
}
