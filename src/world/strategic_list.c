/* Lists of a strategic merge patch. What the patch names stands in the patch's order, what only the
 * server has in the server's, and where both can be compared, the server's order decides. */
#include "world/strategic_list.h"

#include "base/str.h"

#include <string.h>

enum { ELEMENTS_MAX = 1000 };

/* An element: of the old list, of the patch, or of both. */
typedef struct Slot {
    const char *name; /* its key, or itself, as text */
    const Json *original, *patch;
    int64_t place; /* while it is sorted */
} Slot;

typedef struct Names {
    const char **list;
    size_t count;
} Names;

typedef struct Merging {
    Strategic *s;
    const StrategicList *l;
    const char *merge_key; /* NULL: of scalars */
    Slot *slots;
    size_t count;
    Names originals, patched;
} Merging;

/* --- names --- */

/* The key by which elements are told apart, or NULL. A Job's conditions are one thing for apply. */
static const char *merge_key_of(const StrategicList *l)
{
    if (l->shape->merge == SHAPE_KEYED)
        return l->shape->keys[0].name;
    return str_eq(l->key, "conditions") ? "type" : NULL;
}

static Err *name_of(Merging *m, const Json *element, const char **ret)
{
    const Json *value = m->merge_key ? json_member(element, m->merge_key) : element;

    if (!value || (!m->merge_key && json_type(value) == JSON_OBJECT))
        return strategic_refusal(m->s,
            500,
            str_format(m->s->arena,
                "map: %s does not contain declared merge key: %s",
                json_write(m->s->arena, element).data,
                m->merge_key ? m->merge_key : ""));
    *ret = json_canonical(m->s->arena, value).data;
    return OK;
}

static Err *names_of(Merging *m, const Json *list, Names *ret)
{
    const Json *element;

    *ret = (Names){.list = arena_array(m->s->arena, const char *, json_count(list) + 1)};
    json_each(element, list)
        if (!strategic_is_special(element))
            TRY(name_of(m, element, &ret->list[ret->count++]));
    return OK;
}

/* The place of a name, or -1. */
static int64_t place_of(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->list[i], name))
            return (int64_t)i;
    return -1;
}

/* --- what stays --- */

static Slot *slot_of(Merging *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (str_eq(m->slots[i].name, name))
            return &m->slots[i];
    return NULL;
}

static void remove_named(Merging *m, const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->count; i++)
        if (!str_eq(m->slots[i].name, name))
            m->slots[kept++] = m->slots[i];
    m->count = kept;
}

static Err *follow_directive(Merging *m, const Json *element, bool *ret_replaces)
{
    const char *directive = json_str(element, "['$patch']"), *name = NULL;

    if (str_eq(directive, "replace")) {
        *ret_replaces = true;
        return OK;
    }
    if (str_eq(directive, "merge"))
        return strategic_refusal(m->s, 500, "merging lists cannot yet be specified in the patch");
    if (!str_eq(directive, "delete"))
        return strategic_refusal(m->s,
            500,
            str_format(m->s->arena,
                "unknown patch type: %s in map: %s",
                directive ? directive : "",
                json_write(m->s->arena, element).data));
    TRY(name_of(m, element, &name));
    remove_named(m, name);
    return OK;
}

static Err *follow_directives(Merging *m)
{
    bool replaces = false;
    const Json *element;

    json_each(element, m->l->patch)
        if (strategic_is_special(element))
            TRY(follow_directive(m, element, &replaces));
    if (!replaces)
        return OK;
    m->count = 0;
    m->originals = m->patched;
    m->patched = (Names){0};
    return OK;
}

static Err *put_patch(Merging *m)
{
    const Json *element;
    size_t at = 0;

    m->patched.list = NULL;
    TRY(names_of(m, m->l->patch, &m->patched));
    Names all = m->patched;
    TRY(follow_directives(m));
    json_each(element, m->l->patch) {
        if (strategic_is_special(element))
            continue;
        const char *name = all.list[at++];
        Slot *slot = slot_of(m, name);
        if (!slot)
            m->slots[m->count++] = (Slot){.name = name, .patch = element};
        else if (m->merge_key)
            slot->patch = element;
    }
    return OK;
}

static Err *put_original(Merging *m)
{
    const Json *element;
    size_t at = 0;

    TRY(names_of(m, m->l->original, &m->originals));
    json_each(element, m->l->original) {
        const char *name = m->originals.list[at++];
        if (m->merge_key || !slot_of(m, name))
            m->slots[m->count++] = (Slot){.name = name, .original = element};
    }
    return OK;
}

/* --- in which order --- */

/* Puts slots in the order of names; those without one keep theirs, in front. */
static void sort_slots(Slot *slots, size_t count, const Names *order)
{
    for (size_t i = 0; i < count; i++)
        slots[i].place = place_of(order, slots[i].name);
    for (size_t i = 1; i < count; i++) {
        Slot slot = slots[i];
        size_t k = i;
        for (; k > 0 && slots[k - 1].place > slot.place; k--)
            slots[k] = slots[k - 1];
        slots[k] = slot;
    }
}

static bool comes_first(const Merging *m, const Slot *mine, const Slot *patched)
{
    int64_t left = place_of(&m->originals, mine->name);
    int64_t right = place_of(&m->originals, patched->name);

    return left >= 0 && right >= 0 && left < right;
}

/* The server's own and the patch's: each in their order, and then put together. */
static void arrange(Merging *m, const Names *order)
{
    Slot *mine = arena_array(m->s->arena, Slot, m->count + 1);
    Slot *patched = arena_array(m->s->arena, Slot, m->count + 1);
    size_t mine_count = 0, patched_count = 0, i = 0, k = 0;

    for (size_t at = 0; at < m->count; at++) {
        if (place_of(order, m->slots[at].name) >= 0)
            patched[patched_count++] = m->slots[at];
        else
            mine[mine_count++] = m->slots[at];
    }
    sort_slots(patched, patched_count, order);
    sort_slots(mine, mine_count, &m->originals);
    for (size_t at = 0; at < m->count; at++) {
        bool takes_mine =
            k == patched_count || (i < mine_count && comes_first(m, &mine[i], &patched[k]));
        m->slots[at] = takes_mine ? mine[i++] : patched[k++];
    }
}

/* What the patch lists, it lists in the order that it asks for. */
static Err *check_order(Merging *m, const Names *order)
{
    size_t at = 0;

    for (size_t i = 0; i < order->count && at < m->patched.count; i++)
        at += str_eq(order->list[i], m->patched.list[at]);
    if (at == m->patched.count || order->count == 0)
        return OK;
    return strategic_refusal(m->s,
        500,
        str_format(m->s->arena,
            "The order in patch list:\n%s\n doesn't match $setElementOrder list:\n%s\n",
            json_write(m->s->arena, m->l->patch).data,
            json_write(m->s->arena, m->l->order).data));
}

static Err *arrange_all(Merging *m)
{
    Names order = {0};

    if (m->l->patch)
        arrange(m, &m->patched);
    if (!m->l->order)
        return OK;
    TRY(names_of(m, m->l->order, &order));
    TRY(check_order(m, &order));
    arrange(m, &order);
    return OK;
}

/* --- all of it --- */

static void write_slot(Merging *m, const Slot *slot, Draft *out)
{
    const Json *only = slot->patch ? slot->patch : slot->original;

    if (slot->original && slot->patch) {
        Draft *both = draft_object(m->s->arena);
        draft_push(out, both);
        strategic_pair(m->s,
            (StrategicPair){.out = both,
                .original = slot->original,
                .patch = slot->patch,
                .shape = shape_of_element(m->l->shape)});
    } else if (slot->patch && json_type(only) == JSON_OBJECT) {
        draft_push(out, strategic_taken(m->s, only));
    } else {
        draft_push_json(out, only);
    }
}

static Err *replace_list(Strategic *s, const StrategicList *l, Draft *out)
{
    const Json *element;

    json_each(element, l->patch ? l->patch : l->original) {
        if (json_type(element) == JSON_OBJECT && !strategic_is_special(element))
            draft_push(out, strategic_taken(s, element));
        else if (!strategic_is_special(element))
            draft_push_json(out, element);
    }
    return OK;
}

Err *strategic_list(Strategic *s, const StrategicList *l, Draft *out)
{
    Merging m = {.s = s, .l = l, .merge_key = merge_key_of(l)};
    size_t most = json_count(l->original) + json_count(l->patch);
    Names gone = {0};

    if (most > ELEMENTS_MAX || json_count(l->order) > ELEMENTS_MAX
        || json_count(l->gone) > ELEMENTS_MAX)
        return strategic_refusal(s, 422, "a list of over 1000 elements is not merged here");
    if (!m.merge_key && l->shape->merge != SHAPE_SET && !l->gone)
        return replace_list(s, l, out);
    m.slots = arena_array(s->arena, Slot, most + 1);
    TRY(put_original(&m));
    TRY(put_patch(&m));
    TRY(arrange_all(&m));
    TRY(names_of(&m, l->gone, &gone));
    for (size_t i = 0; i < m.count; i++)
        if (place_of(&gone, m.slots[i].name) < 0)
            write_slot(&m, &m.slots[i], out);
    return OK;
}
