/* Splits the fields of an update in two: those that an apply has as well, and the others.
 *
 * No schema is needed for it: the server has already said in fieldsV1 what is owned as a whole and
 * what by its members, so the applied object is looked up along those names. */
#include "kube/core/handover.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/core/managed.h"
#include "kube/meta.h"

enum { FRAMES_MAX = JSON_DEPTH_MAX + 1 };

/* The fields of a container on the way down. */
typedef struct Frame {
    const Json *fields;
    const Json *value; /* as applied: a container */
    const Json *next;  /* of `fields`, to be looked at */
    Draft *moved, *left;
} Frame;

typedef struct Split {
    Arena *arena;
    Frame frames[FRAMES_MAX];
    size_t depth;
    bool failed; /* too deep for an honest object */
} Split;

static void enter(Split *s, const Json *fields, const Json *value)
{
    if (s->depth == FRAMES_MAX) {
        s->failed = true;
        return;
    }
    s->frames[s->depth++] = (Frame){
        .fields = fields,
        .value = value,
        .next = json_first(fields),
        .moved = draft_object(s->arena),
        .left = draft_object(s->arena),
    };
}

static void put(Draft *to, const char *name, Draft *fields)
{
    if (draft_count(fields))
        draft_add(to, sub(name, fields));
}

/* The outermost one stays, for its result. */
static void leave(Split *s)
{
    const Frame *done = &s->frames[--s->depth];

    if (s->depth == 0)
        return;
    Frame *around = &s->frames[s->depth - 1];
    put(around->moved, json_key(done->fields), done->moved);
    put(around->left, json_key(done->fields), done->left);
}

static const Json *find_element(Arena *a, const Json *list, const Json *name)
{
    const Json *element;
    ManagedItem item;

    if (json_type(list) != JSON_ARRAY || !managed_item_read(a, name, &item))
        return NULL;
    json_each(element, list)
        if (managed_item_is(&item, element))
            return element;
    return NULL;
}

/* What is applied under a name of fieldsV1, or NULL. */
static const Json *find_applied(Split *s, const Json *value, const Json *name)
{
    const char *text = json_key(name);

    if (str_eq(text, "."))
        return value;
    if (str_has_prefix(text, "f:"))
        return json_member(value, text + 2);
    return find_element(s->arena, value, name);
}

static bool is_container(const Json *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

static void step(Split *s)
{
    Frame *frame = &s->frames[s->depth - 1];
    const Json *name = frame->next;

    if (!name) {
        leave(s);
        return;
    }
    frame->next = json_next(frame->fields, name);
    const Json *applied = find_applied(s, frame->value, name);
    if (!applied || json_type(applied) == JSON_NULL)
        draft_add(frame->left, draft_json(json_key(name), name));
    else if (managed_first_child(name) && is_container(applied))
        enter(s, name, applied);
    else
        draft_add(frame->moved, draft_json(json_key(name), name));
}

/* Puts what of the fields is applied into the outermost `moved`, the rest into its `left`. */
static bool split(Split *s, const Json *fields, const Json *applied)
{
    enter(s, fields, applied);
    while (s->depth > 0 && !s->failed)
        step(s);
    return !s->failed;
}

/* --- entries --- */

static Draft *entry_with(Arena *a, const Json *entry, const char *manager, const Json *fields)
{
    Draft *d = draft_object(a);
    const Json *member;

    json_each(member, entry) {
        const char *key = json_key(member);
        if (str_eq(key, "fieldsV1"))
            draft_add(d, draft_json(key, fields));
        else if (manager && str_eq(key, "manager"))
            draft_add(d, str(key, manager));
        else if (manager && str_eq(key, "operation"))
            draft_add(d, str(key, "Apply"));
        else
            draft_add(d, draft_json(key, member));
    }
    return d;
}

static bool is_handed_over(const Handover *handover, const Json *entry, const Json *applied)
{
    return str_eq(json_str(entry, ".operation"), "Update") && json_str(entry, ".manager")
        && str_empty(json_str(entry, ".subresource"))
        && str_eq(json_str(entry, ".apiVersion"), json_str(applied, ".apiVersion"))
        && json_type(json_find(entry, ".fieldsV1")) == JSON_OBJECT && handover->is_from(entry);
}

/* The entries as they become. Fields may come from several updates; they are put together. */
typedef struct Books {
    Draft *entries;
    const Json *moved, *last; /* fieldsV1, and the latest entry that some of it is from */
} Books;

static bool read_entry(Arena *a, Books *books, const Json *entry, const Json *applied)
{
    Split *s = arena_new(a, Split);

    s->arena = a;
    if (!split(s, json_find(entry, ".fieldsV1"), applied))
        return false;
    const Frame *all = &s->frames[0];
    if (draft_count(all->moved)) {
        books->moved = json_merge(a, books->moved, json_seal(a, all->moved));
        books->last = entry;
    }
    if (draft_count(all->left))
        draft_push(books->entries, entry_with(a, entry, NULL, json_seal(a, all->left)));
    return true;
}

static bool read_entries(
    Arena *a, const Json *entries, const Json *applied, const Handover *handover, Books *ret)
{
    const Json *entry;

    *ret = (Books){.entries = draft_array(a)};
    json_each(entry, entries) {
        if (!is_handed_over(handover, entry, applied))
            draft_push_json(ret->entries, entry);
        else if (!read_entry(a, ret, entry, applied))
            return false;
    }
    if (!ret->moved)
        return false;
    draft_push(ret->entries, entry_with(a, ret->last, handover->to, ret->moved));
    return true;
}

const Json *handover_patch(
    Arena *a, const Json *live, const Json *applied, const Handover *handover)
{
    const Json *entries = json_find(live, ".metadata.managedFields");
    Books books;

    if (managed_find_entry(entries, handover->to)
        || !read_entries(a, entries, applied, handover, &books))
        return NULL;
    Draft *patch = draft_array(a);
    draft_push(patch,
        draft(a,
            str("op", "test"),
            str("path", "/metadata/resourceVersion"),
            str("value", meta_resource_version(live))));
    draft_push(patch,
        draft(a,
            str("op", "replace"),
            str("path", "/metadata/managedFields"),
            sub("value", books.entries)));
    return json_seal(a, patch);
}
