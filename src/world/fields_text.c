/* Sets of fields as the server writes them: as fieldsV1 in managedFields, and as paths in messages.
 *
 * How a name is read stands in kube/core/managed.h, which the operator reads the same texts with.
 */
#include "base/draft.h"
#include "base/str.h"
#include "kube/core/managed.h"
#include "kube/core/text.h"
#include "world/fields_set.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1 };

/* --- names --- */

const char *fieldset_field_name(Arena *a, const char *key)
{
    size_t len = strlen(key);
    char *name = arena_alloc(a, len + 3);

    memcpy(name, "f:", 2);
    memcpy(name + 2, key, len);
    return name;
}

/* Nothing that JSON would escape, but perhaps quotes. */
static bool is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~' || text[i] == '\\')
            return false;
    return true;
}

/* A text that JSON writes as it stands. */
static bool is_simple(const char *text)
{
    return !strchr(text, '"') && is_plain(text, strlen(text));
}

/* Goes on to the first `end`; false when something before it would have to be escaped. */
static bool is_simple_until(const char **at, char end)
{
    const char *from = *at;

    while (**at && **at != end)
        (*at)++;
    return **at == end && is_plain(from, (size_t)(*at - from));
}

static void add_value(Text *t, const Json *value)
{
    const char *text = json_text(value);

    if (!text || !is_simple(text)) {
        text_add(t, json_canonical(t->arena, value).data);
        return;
    }
    text_add_byte(t, '"');
    text_add(t, text);
    text_add_byte(t, '"');
}

static const char *value_name(Arena *a, const Json *element)
{
    JsonType type = json_type(element);
    Text t = {.arena = a};

    if (type != JSON_STRING && type != JSON_NUMBER && type != JSON_BOOL)
        return NULL;
    text_add(&t, "v:");
    add_value(&t, element);
    return text_seen(&t);
}

const char *fieldset_element_name(Arena *a, const Shape *list, const Json *element)
{
    Text t = {.arena = a};

    if (list->merge == SHAPE_SET)
        return value_name(a, element);
    if (json_type(element) != JSON_OBJECT)
        return NULL;
    text_add(&t, "k:{");
    for (const ShapeKey *key = list->keys; key->name; key++) {
        const Json *value = json_member(element, key->name);
        if (!value && !key->text)
            continue;
        text_add(&t, t.len > 3 ? ",\"" : "\"");
        text_add(&t, key->name);
        text_add(&t, "\":");
        if (value)
            add_value(&t, value);
        else
            text_add(&t, key->text);
    }
    if (t.len == 3)
        return NULL;
    text_add_byte(&t, '}');
    return text_seen(&t);
}

/* --- reading --- */

/* Whether a name with one key or value is spelled without a letter too much. */
static bool is_spelled(const char *name)
{
    static const char key_start[] = "k:{\"";
    bool is_key = str_has_prefix(name, key_start);
    const char *at = is_key            ? name + strlen(key_start)
        : str_has_prefix(name, "v:\"") ? name + 3
                                       : NULL;

    if (!at || !is_simple_until(&at, '"'))
        return false;
    if (!is_key)
        return at[1] == '\0';
    if (!str_has_prefix(at, "\":\""))
        return false;
    at += strlen("\":\"");
    return is_simple_until(&at, '"') && str_eq(at, "\"}");
}

/* The one spelling of a name, or NULL when no server writes such a one. */
static const char *spell(Arena *a, const Json *child)
{
    const char *name = json_key(child);
    ManagedItem item;

    if (str_has_prefix(name, "f:") || is_spelled(name))
        return name;
    if (!managed_item_read(a, child, &item))
        return NULL;
    return str_format(a, "%c:%s", name[0], json_canonical(a, item.key).data);
}

static int by_name(const void *left, const void *right)
{
    return fieldset_compare_names(
        ((const FieldNode *)left)->name, ((const FieldNode *)right)->name);
}

/* Names come in order from a server, but clients may write managedFields, too. Of a name that comes
 * twice the first counts. */
static size_t sort_nodes(FieldNode *nodes, size_t count)
{
    size_t kept = 0;
    bool ordered = true;

    for (size_t i = 1; i < count && ordered; i++)
        ordered = by_name(&nodes[i - 1], &nodes[i]) < 0;
    if (ordered)
        return count;
    qsort(nodes, count, sizeof *nodes, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_name(&nodes[kept - 1], &nodes[i]) != 0)
            nodes[kept++] = nodes[i];
    return kept;
}

const FieldSet *fieldset_decode(Arena *a, const Json *fields)
{
    FieldSetMaker m;
    struct {
        const Json *fields, *next;
    } stack[DEPTH_MAX];
    const FieldSet *made = NULL;

    stack[0].fields = fields;
    stack[0].next = json_type(fields) == JSON_OBJECT ? json_first(fields) : NULL;
    fieldset_begin(&m, a, json_count(fields));
    while (m.depth > 0) {
        const Json *child = stack[m.depth - 1].next;
        if (!child) {
            m.open[m.depth - 1].count =
                sort_nodes(m.open[m.depth - 1].nodes, m.open[m.depth - 1].count);
            made = fieldset_close(&m);
            continue;
        }
        stack[m.depth - 1].next = json_next(stack[m.depth - 1].fields, child);
        const char *name = spell(a, child);
        if (!name)
            continue;
        const Json *first = managed_first_child(child);
        bool member = !first || json_member(child, ".");
        stack[m.depth].fields = child;
        stack[m.depth].next = first;
        fieldset_open(
            &m, (FieldNode){.name = name, .flags = member ? FIELD_OWNED : 0}, json_count(child));
    }
    return made;
}

/* --- writing --- */

const Json *fieldset_encode(Arena *a, const FieldSet *set)
{
    struct {
        const FieldSet *set;
        size_t at;
        Draft *draft;
    } stack[DEPTH_MAX];
    Draft *root = draft_object(a);
    size_t depth = set ? 1 : 0;

    stack[0].set = set;
    stack[0].at = 0;
    stack[0].draft = root;
    while (depth > 0) {
        size_t top = depth - 1;
        if (stack[top].at == stack[top].set->count) {
            depth--;
            continue;
        }
        const FieldNode *node = &stack[top].set->nodes[stack[top].at++];
        Draft *draft = draft_object(a);
        draft_add(stack[top].draft, sub(node->name, draft));
        if (!node->inside)
            continue;
        if (node->flags)
            draft_add(draft, sub(".", draft_object(a)));
        stack[depth].set = node->inside;
        stack[depth].at = 0;
        stack[depth].draft = draft;
        depth++;
    }
    return json_seal(a, root);
}

/* --- for people --- */

static void add_shown(Text *t, Arena *a, const Json *value)
{
    text_add(t, json_write(a, value).data);
}

const char *fieldset_shown_name(Arena *a, const char *name)
{
    Text text = {.arena = a}, *t = &text;
    const Json *key = NULL, *part;

    if (name[0] == 'f') {
        text_add_byte(t, '.');
        text_add(t, name + 2);
        return text_seen(t);
    }
    text_add_byte(t, '[');
    if (json_parse(a, bytes_of(name + 2), &key))
        BUG("a name in a set of fields that is no JSON");
    if (name[0] == 'v') {
        text_add_byte(t, '=');
        add_shown(t, a, key);
    } else {
        json_each(part, key) {
            if (part != json_first(key))
                text_add_byte(t, ',');
            text_add(t, json_key(part));
            text_add_byte(t, '=');
            add_shown(t, a, part);
        }
    }
    text_add_byte(t, ']');
    return text_seen(t);
}

typedef struct Level {
    const FieldSet *set;
    size_t at;
    size_t len;   /* of the path that leads here */
    bool entered; /* its own members have been shown */
} Level;

static void show_members(Arena *a, Text *path, const Level *level, FieldVisit *visit, void *self)
{
    for (size_t i = 0; i < level->set->count; i++) {
        if (!level->set->nodes[i].flags)
            continue;
        text_add(path, fieldset_shown_name(a, level->set->nodes[i].name));
        visit(self, str_slice(a, path->data, path->len));
        path->len = level->len;
    }
}

void fieldset_each(Arena *a, const FieldSet *set, FieldVisit *visit, void *self)
{
    Level stack[DEPTH_MAX];
    Text path = {.arena = a};
    size_t depth = set ? 1 : 0;

    stack[0] = (Level){.set = set};
    while (depth > 0) {
        Level *level = &stack[depth - 1];
        if (!level->entered)
            show_members(a, &path, level, visit, self);
        level->entered = true;
        path.len = level->len;
        if (level->at == level->set->count) {
            depth--;
            continue;
        }
        const FieldNode *node = &level->set->nodes[level->at++];
        if (!node->inside)
            continue;
        text_add(&path, fieldset_shown_name(a, node->name));
        stack[depth++] = (Level){.set = node->inside, .len = path.len};
    }
}
