/* Sets of paths, walked two at a time in the order of names, like a merge join: what two sets have
 * in common costs as much as they are large, however many managers there are. */
#include "world/fields_set.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1 };

/* --- the order of names --- */

static int sign(int64_t difference)
{
    return difference < 0 ? -1 : difference > 0;
}

static bool is_number_part(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Two JSON texts that are equal up to `at`. Texts go by bytes, numbers by value. */
static int compare_values(const char *left, const char *right, size_t at, bool in_string)
{
    if (in_string && (left[at] == '"' || right[at] == '"'))
        return left[at] == '"' ? -1 : 1;
    if (!in_string && (is_number_part(left[at]) || is_number_part(right[at]))) {
        while (at > 0 && is_number_part(left[at - 1]))
            at--;
        double l = strtod(left + at, NULL), r = strtod(right + at, NULL);
        if (is_number_part(left[at]) && is_number_part(right[at]) && l != r)
            return l < r ? -1 : 1;
    }
    return sign((unsigned char)left[at] - (unsigned char)right[at]);
}

static int compare_json(const char *left, const char *right)
{
    bool in_string = false, escaped = false;
    size_t at = 0;

    for (; left[at] && left[at] == right[at]; at++) {
        if (left[at] == '"' && !escaped)
            in_string = !in_string;
        escaped = in_string && left[at] == '\\' && !escaped;
    }
    return left[at] == right[at] ? 0 : compare_values(left, right, at, in_string);
}

/* "f:" before "k:" before "v:" before "i:". */
static int rank_of(const char *name)
{
    return name[0] == 'i' ? 'z' : name[0];
}

int fieldset_compare_names(const char *left, const char *right)
{
    if (left[0] != right[0])
        return sign(rank_of(left) - rank_of(right));
    return left[0] == 'f' ? strcmp(left, right) : compare_json(left, right);
}

const FieldNode *fieldset_find(const FieldSet *set, const char *name)
{
    size_t low = 0, high = set ? set->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = fieldset_compare_names(set->nodes[middle].name, name);
        if (order == 0)
            return &set->nodes[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* --- making one --- */

void fieldset_begin(FieldSetMaker *m, Arena *a, size_t max)
{
    m->arena = a;
    m->depth = 0;
    fieldset_open(m, (FieldNode){0}, max);
}

void fieldset_open(FieldSetMaker *m, FieldNode node, size_t max)
{
    if (m->depth == DEPTH_MAX)
        BUG("a set of fields deeper than any object");
    m->open[m->depth].nodes = arena_array(m->arena, FieldNode, max);
    m->open[m->depth].count = 0;
    m->open[m->depth].node = node;
    m->depth++;
}

void fieldset_put(FieldSetMaker *m, FieldNode node)
{
    size_t top = m->depth - 1;

    if (node.flags != 0 || node.inside)
        m->open[top].nodes[m->open[top].count++] = node;
}

const FieldSet *fieldset_close(FieldSetMaker *m)
{
    size_t top = --m->depth;
    FieldNode node = m->open[top].node;

    if (m->open[top].count > 0) {
        FieldSet *set = arena_new(m->arena, FieldSet);
        set->count = m->open[top].count;
        set->nodes = m->open[top].nodes;
        node.inside = set;
    } else {
        node.inside = NULL;
    }
    if (m->depth > 0)
        fieldset_put(m, node);
    return node.inside;
}

/* --- two sets side by side --- */

typedef struct Join {
    const FieldSet *left, *right;
    size_t at_left, at_right;
} Join;

static size_t count_of(const FieldSet *set)
{
    return set ? set->count : 0;
}

/* The nodes of the least name: both, or one and NULL. False at the end of both sets. */
static bool join_next(Join *j, const FieldNode **left, const FieldNode **right)
{
    const FieldNode *l = j->at_left < count_of(j->left) ? &j->left->nodes[j->at_left] : NULL;
    const FieldNode *r = j->at_right < count_of(j->right) ? &j->right->nodes[j->at_right] : NULL;
    int order = !r ? -1 : !l ? 1 : fieldset_compare_names(l->name, r->name);

    *left = order <= 0 ? l : NULL;
    *right = order >= 0 ? r : NULL;
    j->at_left += *left != NULL;
    j->at_right += *right != NULL;
    return l || r;
}

static bool is_member(FieldSetOp op, bool left, bool right)
{
    switch (op) {
    case FIELDSET_BOTH:
        return left && right;
    case FIELDSET_EITHER:
        return left || right;
    case FIELDSET_ONLY:
    case FIELDSET_OUTSIDE:
        return left && !right;
    }
    BUG("an operation on sets of fields that does not exist");
}

typedef struct Combine {
    FieldSetMaker made;
    FieldSetOp op;
    unsigned mask; /* of the right */
    Join joins[DEPTH_MAX];
} Combine;

/* Whether a pair and all that is inside of it has no part in the result. */
static bool is_out(const Combine *c, const FieldNode *left, const FieldNode *right)
{
    switch (c->op) {
    case FIELDSET_BOTH:
        return !left || !right;
    case FIELDSET_EITHER:
        return false;
    case FIELDSET_ONLY:
        return !left;
    case FIELDSET_OUTSIDE:
        return !left || (right && right->flags & c->mask);
    }
    BUG("an operation on sets of fields that does not exist");
}

static void combine_nodes(Combine *c, const FieldNode *left, const FieldNode *right)
{
    if (is_out(c, left, right))
        return;
    if (!right) {
        fieldset_put(&c->made, *left);
        return;
    }
    unsigned flags = left ? left->flags : 0;
    Join inside = {.left = left ? left->inside : NULL, .right = right->inside};
    if (!is_member(c->op, flags, right->flags & c->mask))
        flags = 0;
    else if (flags == 0)
        flags = FIELD_OWNED;
    c->joins[c->made.depth] = inside;
    fieldset_open(&c->made,
        (FieldNode){.name = right->name, .flags = flags},
        count_of(inside.left) + count_of(inside.right));
}

const FieldSet *fieldset_combine(
    Arena *a, const FieldSet *left, FieldSetOp op, const FieldSet *right, unsigned mask)
{
    Combine c;
    const FieldSet *made = NULL;
    const FieldNode *l, *r;

    c.op = op;
    c.mask = mask;
    c.joins[0] = (Join){.left = left, .right = right};
    fieldset_begin(&c.made, a, count_of(left) + count_of(right));
    while (c.made.depth > 0) {
        if (join_next(&c.joins[c.made.depth - 1], &l, &r))
            combine_nodes(&c, l, r);
        else
            made = fieldset_close(&c.made);
    }
    return made;
}

bool fieldset_touches(const FieldSet *left, const FieldSet *right, unsigned mask)
{
    Join joins[DEPTH_MAX];
    size_t depth = 1;
    const FieldNode *l, *r;

    joins[0] = (Join){.left = left, .right = right};
    while (depth > 0) {
        if (!join_next(&joins[depth - 1], &l, &r)) {
            depth--;
            continue;
        }
        if (!l || !r)
            continue;
        if (l->flags && (r->flags & mask))
            return true;
        if (l->inside && r->inside)
            joins[depth++] = (Join){.left = l->inside, .right = r->inside};
    }
    return false;
}

/* --- by the schema --- */

typedef struct Descent {
    const FieldSet *set;
    const Shape *shape;
    size_t at;
} Descent;

const FieldSet *fieldset_with_parents(Arena *a, const FieldSet *set, const Shape *shape)
{
    FieldSetMaker m;
    Descent stack[DEPTH_MAX];
    const FieldSet *made = NULL;

    stack[0] = (Descent){.set = set, .shape = shape};
    fieldset_begin(&m, a, count_of(set));
    while (m.depth > 0) {
        Descent *d = &stack[m.depth - 1];
        if (d->at == count_of(d->set)) {
            made = fieldset_close(&m);
            continue;
        }
        FieldNode node = d->set->nodes[d->at++];
        if (!node.inside) {
            fieldset_put(&m, node);
            continue;
        }
        bool declared = false;
        const Shape *inner = node.name[0] == 'f'
            ? shape_of_field(d->shape, node.name + 2, &declared)
            : shape_of_element(d->shape);
        if (declared)
            node.flags = FIELD_OWNED;
        stack[m.depth] = (Descent){.set = node.inside, .shape = inner};
        fieldset_open(&m, node, node.inside->count);
    }
    return made;
}
