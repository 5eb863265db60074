/* What of an object is ours, in a form that can be compared with what we applied.
 *
 * Server-side apply writes into metadata.managedFields which fields of an object are ours. The
 * object pruned to them and the rendering that was applied are brought into one form, in which they
 * are equal for as long as nobody touched what is ours:
 *
 * - What the server fills in (defaults, status, others' fields) is not ours and falls away.
 * - Who changes a field of ours takes it over, so it falls away, and the hashes differ.
 * - Of what we apply the server does not store every zero: false, 0, "", null and {} vanish from
 *   some fields and stay in others. So in the one form each of them is null, and so is a field that
 *   is ours but is not there. An empty list that is merged by items is nobody's, so empty lists are
 *   left out, and with them objects of which nothing else is left.
 * - Merged lists keep the order in which we applied our items, so order counts as it stands.
 * - apiVersion, kind, status and what identifies the object are never ours.
 *
 * What remains is up to who renders, and stands in kube/hash.h. Both sides are walked with an
 * explicit stack and written as text, which is parsed in the end. */
#include "kube/core/owned.h"

#include "base/str.h"
#include "kube/core/managed.h"
#include "kube/core/text.h"

#include <string.h>

enum {
    FRAMES_MAX = JSON_DEPTH_MAX + 1,
    WORK_MAX = 1 << 23, /* comparisons; a thousand times what an honest object needs */
};

const char *const owned_passes_by[] = {
    ".status",
    ".metadata.resourceVersion",
    ".metadata.managedFields[].time",
    ".metadata.managedFields[].fieldsV1['f:status']",
    NULL,
};

typedef enum Place { AT_ROOT, IN_METADATA, ELSEWHERE } Place;

/* A container on the way down. */
typedef struct Frame {
    const Json *value;  /* NULL: ours, but not there */
    const Json *fields; /* what of it is ours; NULL: all of it */
    const char *name;   /* in the fieldsV1 of the container around it */
    const Json *next;   /* child to be looked at: of `fields` in an object, else of `value` */
    const Json *hint;   /* where the next member is likely to stand */
    ManagedItem *items; /* of a list, ours */
    size_t item_count, item_hint;
    Place place;
    bool is_list;
    bool stays;           /* even when nothing is left of it */
    size_t start, inside; /* in the text: before its comma, and behind its bracket */
} Frame;

typedef struct Walk {
    Arena *arena;
    const Json *entries; /* metadata.managedFields */
    const Json *ours;    /* our entry; NULL when everything is */
    Text text;
    Frame frames[FRAMES_MAX];
    size_t depth;
    size_t work;
    bool failed; /* too deep, or too much work */
} Walk;

/* Whether others own something inside of a field that is ours as a whole. Then we applied an empty
 * map there, and what is in it is theirs. */
static bool others_are_inside(const Walk *w, const char *name)
{
    const Json *entry;

    json_each(entry, w->entries) {
        const Json *fields = json_find(entry, ".fieldsV1");
        for (size_t i = 1; i < w->depth && fields; i++)
            fields = json_member(fields, w->frames[i].name);
        if (entry != w->ours && managed_first_child(json_member(fields, name)))
            return true;
    }
    return false;
}

/* --- what is never ours --- */

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (str_eq(*names, name))
            return true;
    return false;
}

static bool is_nobodys(Place place, const char *name)
{
    static const char *const at_root[] = {"apiVersion", "kind", "status", NULL};
    static const char *const in_metadata[] = {
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "managedFields",
        "selfLink",
        "clusterName",
        NULL,
    };

    return (place == AT_ROOT && is_among(name, at_root))
        || (place == IN_METADATA && is_among(name, in_metadata));
}

/* --- writing --- */

static Frame *top(Walk *w)
{
    return &w->frames[w->depth - 1];
}

static void write_escape(Text *t, char character)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)character;

    if (byte < ' ') {
        text_add(t, "\\u00");
        text_add_byte(t, digits[byte >> 4]);
        text_add_byte(t, digits[byte & 15]);
    } else {
        text_add_byte(t, '\\');
        text_add_byte(t, character);
    }
}

static bool is_plain(char character)
{
    return (unsigned char)character >= ' ' && character != '"' && character != '\\';
}

static void write_string(Text *t, const char *text)
{
    text_add_byte(t, '"');
    while (*text) {
        size_t plain = 0;
        while (is_plain(text[plain]))
            plain++;
        text_add_bytes(t, text, plain);
        text += plain;
        if (*text)
            write_escape(t, *text++);
    }
    text_add_byte(t, '"');
}

/* What stands before a child: a comma, and in an object its key. */
static void write_lead(Walk *w, const char *key)
{
    if (w->text.len > top(w)->inside)
        text_add_byte(&w->text, ',');
    if (key) {
        write_string(&w->text, key);
        text_add_byte(&w->text, ':');
    }
}

static void write_scalar(Walk *w, const char *key, const Json *value)
{
    Bytes text = json_write(w->arena, value);

    write_lead(w, key);
    text_add_bytes(&w->text, text.data, text.len);
}

/* --- going down and up --- */

static void read_items(Walk *w, Frame *frame)
{
    const Json *child;

    frame->items = arena_array(w->arena, ManagedItem, json_count(frame->fields));
    json_each(child, frame->fields)
        if (managed_item_read(w->arena, child, &frame->items[frame->item_count]))
            frame->item_count++;
}

static void enter(Walk *w, Frame frame, const char *key)
{
    if (w->depth == FRAMES_MAX) {
        w->failed = true;
        return;
    }
    frame.start = w->text.len;
    if (w->depth > 0)
        write_lead(w, key);
    text_add_byte(&w->text, frame.is_list ? '[' : '{');
    frame.inside = w->text.len;
    frame.next = json_first(frame.fields && !frame.is_list ? frame.fields : frame.value);
    if (frame.fields && frame.is_list)
        read_items(w, &frame);
    w->frames[w->depth++] = frame;
}

static void leave(Walk *w)
{
    Frame *frame = top(w);

    if (w->text.len == frame->inside && !frame->stays)
        w->text.len = frame->start;
    else
        text_add_byte(&w->text, frame->is_list ? ']' : '}');
    w->depth--;
}

/* --- looking at children --- */

static bool is_container(const Json *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

static bool is_zero(const Json *value)
{
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return !json_bool(value, "", true);
    case JSON_NUMBER:
        return json_number(value, "", 1) == 0;
    case JSON_STRING:
        return str_eq(json_text(value), "");
    case JSON_ARRAY:
        return false;
    case JSON_OBJECT:
        return json_count(value) == 0;
    }
    BUG("a JSON value of no type");
}

static Place place_of(const Walk *w, const char *key)
{
    bool at_root = w->frames[w->depth - 1].place == AT_ROOT;

    return at_root && str_eq(key, "metadata") ? IN_METADATA : ELSEWHERE;
}

static void visit_whole(Walk *w, const char *key, const Json *value)
{
    if (is_zero(value)) {
        write_lead(w, key);
        text_add(&w->text, "null");
    } else if (is_container(value)) {
        enter(w,
            (Frame){.value = value,
                .is_list = json_type(value) == JSON_ARRAY,
                .place = place_of(w, key)},
            key);
    } else {
        write_scalar(w, key, value);
    }
}

static void visit_owned(Walk *w, const char *key, const Json *value, const Json *fields)
{
    const Json *child = managed_first_child(fields);
    bool is_list =
        json_type(value) == JSON_ARRAY || (!value && managed_is_list_name(json_key(child)));

    if (value && !is_container(value))
        write_scalar(w, key, value);
    else
        enter(w,
            (Frame){.value = value,
                .fields = fields,
                .name = json_key(fields),
                .is_list = is_list,
                .place = place_of(w, key)},
            key);
}

static void visit_member(Walk *w, const char *key, const Json *value, const Json *fields)
{
    if (is_nobodys(top(w)->place, key))
        return;
    if (fields && managed_first_child(fields)) {
        visit_owned(w, key, value, fields);
        return;
    }
    if (fields && is_container(value) && others_are_inside(w, json_key(fields)))
        value = NULL;
    visit_whole(w, key, value);
}

/* An element of a list keeps its place, whatever it is. */
static void visit_element(Walk *w, const Json *element, const ManagedItem *item)
{
    bool whole = !item || !managed_first_child(item->fields);

    if (!is_container(element)) {
        write_scalar(w, NULL, element);
        return;
    }
    enter(w,
        (Frame){.value = element,
            .fields = whole ? NULL : item->fields,
            .name = item ? item->name : NULL,
            .is_list = json_type(element) == JSON_ARRAY,
            .stays = true,
            .place = ELSEWHERE},
        NULL);
}

/* --- finding what is ours --- */

/* The server writes the members of maps and the names in fieldsV1 in one order, so the search goes
 * on where the last one ended, once around. */
static const Json *find_member(Walk *w, Frame *frame, const char *name)
{
    size_t count = json_type(frame->value) == JSON_OBJECT ? json_count(frame->value) : 0;
    const Json *member = frame->hint;

    for (size_t i = 0; i < count; i++, w->work++) {
        if (!member)
            member = json_first(frame->value);
        if (str_eq(json_key(member), name)) {
            frame->hint = json_next(frame->value, member);
            return member;
        }
        member = json_next(frame->value, member);
    }
    return NULL;
}

static const ManagedItem *find_item(Walk *w, Frame *frame, const Json *element)
{
    for (size_t i = 0; i < frame->item_count; i++, w->work++) {
        size_t at = (frame->item_hint + i) % frame->item_count;
        if (!managed_item_is(&frame->items[at], element))
            continue;
        frame->item_hint = at + 1;
        return &frame->items[at];
    }
    return NULL;
}

static void step_object(Walk *w, Frame *frame, const Json *child)
{
    const char *name = json_key(child);

    if (!frame->fields)
        visit_member(w, name, child, NULL);
    else if (str_has_prefix(name, "f:"))
        visit_member(w, name + 2, find_member(w, frame, name + 2), child);
}

static void step_list(Walk *w, Frame *frame, const Json *element)
{
    const ManagedItem *item = frame->fields ? find_item(w, frame, element) : NULL;

    if (item || !frame->fields)
        visit_element(w, element, item);
}

/* Looks at one more child of the innermost container, or leaves it. */
static void step(Walk *w)
{
    Frame *frame = top(w);
    const Json *child = frame->next;

    if (!child) {
        leave(w);
        return;
    }
    frame->next = json_next(frame->fields && !frame->is_list ? frame->fields : frame->value, child);
    if (frame->is_list)
        step_list(w, frame, child);
    else
        step_object(w, frame, child);
    w->failed = w->failed || w->work > WORK_MAX;
}

static const Json *walk(Walk *w, const Json *object)
{
    const Json *form = NULL;

    enter(w,
        (Frame){.value = object,
            .fields = w->ours ? json_find(w->ours, ".fieldsV1") : NULL,
            .place = AT_ROOT,
            .is_list = json_type(object) == JSON_ARRAY,
            .stays = true},
        NULL);
    while (w->depth > 0 && !w->failed)
        step(w);
    if (w->failed || json_parse(w->arena, (Bytes){w->text.data, w->text.len}, &form))
        return NULL;
    return form;
}

const Json *owned_part(Arena *a, const Json *object, const char *manager)
{
    Walk *w = arena_new(a, Walk);

    w->arena = w->text.arena = a;
    w->entries = json_find(object, ".metadata.managedFields");
    w->ours = managed_find_entry(w->entries, manager);
    if (json_type(object) != JSON_OBJECT
        || json_type(json_find(w->ours, ".fieldsV1")) != JSON_OBJECT)
        return NULL;
    return walk(w, object);
}

const Json *owned_part_of_rendered(Arena *a, const Json *rendered)
{
    Walk *w = arena_new(a, Walk);

    w->arena = w->text.arena = a;
    return walk(w, rendered);
}
