/* The state of a place as text in which nothing is left that may differ between two places that did
 * the same. A UID becomes the name of the object that bears it now, or "<uid of nobody>". */
#include "tests/e2e/script.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/str.h"
#include "kube/meta.h"
#include "tests/test.h"

#include <ctype.h>

enum { TEXT_MAX = 64 << 20, UID_LEN = 36, LINES_MAX = 512, UIDS_MAX = 100000 };

typedef struct Lines {
    const char *items[LINES_MAX];
    size_t count;
} Lines;

typedef struct Reading {
    Arena *arena;
    const Scripts *scripts;
    Map *uids; /* who bears each */
    Lines *lines;
} Reading;

/* --- texts without what may differ --- */

/* Whether the text begins as the shape: x is a hex digit, 9 a digit, all else itself. */
static bool has_shape(const char *text, const char *shape)
{
    for (; *shape; text++, shape++) {
        unsigned char c = (unsigned char)*text;
        bool fits = *shape == 'x' ? isxdigit(c) != 0
            : *shape == '9'       ? isdigit(c) != 0
                                  : *text == *shape;
        if (!fits)
            return false;
    }
    return true;
}

static void append(Buf *to, const char *text, size_t len)
{
    if (!buf_append(to, text, len))
        BUG("a state larger than any");
}

/* Puts the sign for what stands here and gives its length, or 0 when it stays. */
static size_t put_sign(const Reading *r, const char *at, Buf *to)
{
    static const char time[] = "9999-99-99T99:99:99Z";
    const char *sign = "<time>";
    size_t len = strlen(time);

    if (has_shape(at, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")) {
        const char *bearer = map_find(r->uids, str_slice(r->arena, at, UID_LEN));
        sign = str_format(r->arena, "<uid of %s>", bearer ? bearer : "nobody");
        len = UID_LEN;
    } else if (!has_shape(at, time)) {
        return 0;
    }
    append(to, sign, strlen(sign));
    return len;
}

static const char *with_signs(const Reading *r, const char *text)
{
    Buf to = {.ceiling = TEXT_MAX};

    for (const char *at = text; *at;) {
        size_t len = put_sign(r, at, &to);
        if (len == 0)
            append(&to, at, 1);
        at += len > 0 ? len : 1;
    }
    const char *copy = str_slice(r->arena, to.data, to.len);
    buf_close(&to);
    return copy;
}

/* Pods of a Job end in letters by chance. */
static const char *name_of(Arena *a, const Json *object)
{
    const char *job = meta_label(object, "batch.kubernetes.io/job-name");

    return job ? str_format(a, "%s-*", job) : meta_name(object);
}

/* What of some kinds is no concern: how often a claim had been written when it was bound, and what
 * keeps a namespace, told to people. */
static const Json *without_asides(Arena *a, const Kind *kind, const Json *object)
{
    if (kind_eq(kind, kind_pv) && json_find(object, ".spec.claimRef"))
        object =
            json_merge(a, object, json_fixture(a, "{spec: {claimRef: {resourceVersion: null}}}"));
    if (kind_eq(kind, kind_namespace))
        object = json_merge(a, object, json_fixture(a, "{status: {conditions: null}}"));
    return json_merge(a,
        object,
        json_fixture(a,
            "{apiVersion: null, kind: null, metadata: {name: null, uid: null, managedFields: null,"
            " resourceVersion: null, creationTimestamp: null}}"));
}

static const char *object_text(const Reading *r, const Kind *kind, const Json *object)
{
    Arena *a = r->arena;

    return str_format(a,
        "%s/%s %s",
        kind->plural,
        name_of(a, object),
        with_signs(r, json_canonical(a, without_asides(a, kind, object)).data));
}

/* --- lines of scripts --- */

/* The script that a namespace, or the name of an object without one, belongs to. */
static Lines *lines_of(const Reading *r, const char *name)
{
    int64_t number;

    if (!has_shape(name, "s999") || (name[4] != '\0' && name[4] != '-')
        || !str_to_int(str_slice(r->arena, name + 1, 3), &number)
        || number >= (int64_t)r->scripts->count)
        return NULL;
    return &r->lines[number];
}

static void add_line(Lines *lines, const char *text)
{
    if (lines->count == LINES_MAX)
        BUG("more objects than a script can have");
    lines->items[lines->count++] = text;
}

/* Revisions are not counted: a set that is being deleted makes one that it misses, so their number
 * depends on who was first. */
static bool is_counted(const char *plural)
{
    for (const Kind *const *kind = script_kinds; *kind; kind++)
        if (str_eq((*kind)->plural, plural))
            return !kind_eq(*kind, kind_controllerrevision);
    return false;
}

/* Lines of "namespace/plural/name". */
static void add_made(const Reading *r, const char *made)
{
    Arena *a = r->arena;

    for (; *made; made += strcspn(made, "\n") + 1) {
        const char *line = str_slice(a, made, strcspn(made, "\n"));
        const char *namespace = str_slice(a, line, strcspn(line, "/"));
        const char *what = line + strlen(namespace) + 1, *name = strchr(what, '/') + 1;
        Lines *lines = lines_of(r, *namespace ? namespace : name);
        if (lines && is_counted(str_slice(a, what, (size_t)(name - what) - 1)))
            add_line(lines, str_format(a, "made %s", what));
    }
}

static int compare(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

static const char *joined(Arena *a, Lines *lines)
{
    Buf to = {.ceiling = TEXT_MAX};

    qsort(lines->items, lines->count, sizeof lines->items[0], compare);
    for (size_t i = 0; i < lines->count; i++) {
        append(&to, lines->items[i], strlen(lines->items[i]));
        append(&to, "\n", 1);
    }
    const char *copy = str_slice(a, to.data ? to.data : "", to.len);
    buf_close(&to);
    return copy;
}

/* --- reading --- */

static const Json *list_of(Place *place, Arena *a, const Kind *kind)
{
    const Json *answer = NULL;

    then_ok(api_call(place->api, a, &(Request){.verb = VERB_LIST, .kind = kind}, &answer));
    return json_find(answer, ".items");
}

static void note_uids(const Reading *r, const Kind *kind, const Json *items)
{
    const Json *item;

    json_each(item, items) {
        const char *bearer = str_format(r->arena, "%s %s", kind->plural, name_of(r->arena, item));
        if (!map_put(r->uids, meta_uid(item), (void *)(uintptr_t)bearer))
            BUG("more objects than scripts can have");
    }
}

static void add_objects(const Reading *r, const Kind *kind, const Json *items)
{
    const Json *item;

    json_each(item, items) {
        Lines *lines = lines_of(r, kind->namespaced ? meta_namespace(item) : meta_name(item));
        if (lines)
            add_line(lines, object_text(r, kind, item));
    }
}

const States *script_states(Place *place, Arena *a, const Scripts *scripts)
{
    const Json *lists[16];
    Reading r = {a, scripts, map_open(UIDS_MAX), arena_array(a, Lines, scripts->count)};
    States *states = arena_new(a, States);

    for (size_t i = 0; script_kinds[i]; i++) {
        lists[i] = list_of(place, a, script_kinds[i]);
        note_uids(&r, script_kinds[i], lists[i]);
    }
    for (size_t i = 0; script_kinds[i]; i++)
        add_objects(&r, script_kinds[i], lists[i]);
    add_made(&r, place->made(place, a));
    for (size_t i = 0; i < scripts->count; i++)
        states->texts[i] = joined(a, &r.lines[i]);
    map_close(r.uids);
    return states;
}
