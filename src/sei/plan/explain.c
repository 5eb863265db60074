/* Explaining drift: field by field, how two pod templates differ. Elements of lists are told by
 * what identifies them, as server-side apply does, so that one that was inserted does not shift all
 * others. Templates name Secrets and never hold their values. */
#include "sei/plan/explain.h"

#include "base/str.h"
#include "kube/hash.h"
#include "sei/api/names.h"
#include "sei/plan/parts.h"

#include <string.h>

enum { NAMED_IN_MESSAGE = 5 };

/* A pair of values that is still to be compared. */
typedef struct Pair {
    struct Pair *next;
    const char *path;
    const Json *have, *want;
} Pair;

typedef struct Walk {
    Arena *a;
    Pair *first, **end;
    Drift *ret;
} Walk;

static void look_at(Walk *w, const char *path, const Json *have, const Json *want)
{
    Pair *pair = arena_new(w->a, Pair);

    *pair = (Pair){.path = path, .have = have, .want = want};
    *w->end = pair;
    w->end = &pair->next;
}

static const char *value_text(Arena *a, const Json *value)
{
    if (!value || json_type(value) == JSON_NULL)
        return NULL;
    const char *text = json_type(value) == JSON_STRING ? json_text(value) : NULL;
    return str_cut(a, text ? text : json_write(a, value).data, DRIFT_VALUE_MAX);
}

static void report(Walk *w, const Pair *pair)
{
    if (w->ret->count == DRIFT_FIELDS_MAX)
        return;
    w->ret->fields[w->ret->count++] = (DriftField){
        .path = pair->path,
        .have = value_text(w->a, pair->have),
        .want = value_text(w->a, pair->want),
    };
}

/* --- lists --- */

static bool all_have(const Json *elements, const char *key)
{
    const Json *element;

    json_each(element, elements)
        if (!json_text(json_member(element, key)))
            return false;
    return json_count(elements) > 0;
}

/* What tells the elements of a list apart; NULL: the list is one value. */
static const char *identifying_key(const Json *elements)
{
    static const char *const keys[] = {"mountPath", "name", "key"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (all_have(elements, keys[i]))
            return keys[i];
    return NULL;
}

static const Json *find_element(const Json *elements, const char *key, const char *value)
{
    const Json *element;

    json_each(element, elements)
        if (str_eq(json_text(json_member(element, key)), value))
            return element;
    return NULL;
}

static void walk_list(Walk *w, const Pair *pair, const char *key)
{
    const Json *element;

    json_each(element, pair->want) {
        const char *name = json_text(json_member(element, key));
        look_at(w,
            str_format(w->a, "%s[%s]", pair->path, name),
            find_element(pair->have, key, name),
            element);
    }
}

static void walk_object(Walk *w, const Pair *pair)
{
    const Json *member;

    json_each(member, pair->want) {
        const char *key = json_key(member);
        bool is_plain = !strpbrk(key, "./");
        const char *path = !*pair->path ? key
            : is_plain                  ? str_format(w->a, "%s.%s", pair->path, key)
                                        : str_format(w->a, "%s[%s]", pair->path, key);
        look_at(w, path, json_member(pair->have, key), member);
    }
}

/* --- one pair --- */

static void compare(Walk *w, const Pair *pair)
{
    JsonType type = json_type(pair->want);

    if (json_equal(pair->have, pair->want))
        return;
    if (json_type(pair->have) != type) {
        report(w, pair);
        return;
    }
    const char *key = type == JSON_ARRAY ? identifying_key(pair->want) : NULL;
    if (key)
        walk_list(w, pair, key);
    else if (type == JSON_OBJECT)
        walk_object(w, pair);
    else
        report(w, pair);
}

/* That the hashes differ follows from what else does. */
static void drop_hash(Drift *drift)
{
    size_t kept = 0;

    for (size_t i = 0; i < drift->count; i++)
        if (!str_eq(drift->fields[i].path, "metadata.annotations[" ANNOTATION_TEMPLATE_HASH "]"))
            drift->fields[kept++] = drift->fields[i];
    drift->count = kept;
}

void plan_explain(Arena *a, const Json *have, const Json *want, Drift *ret)
{
    Walk w = {.a = a, .ret = ret};

    w.end = &w.first;
    *ret = (Drift){0};
    look_at(&w, "", have, want);
    for (const Pair *pair = w.first; pair; pair = pair->next)
        compare(&w, pair);
    drop_hash(ret);
}

static void add_lost(Drift *ret, const Drift *back)
{
    for (size_t i = 0; i < back->count && ret->count < DRIFT_FIELDS_MAX; i++) {
        const DriftField *field = &back->fields[i];
        if (!field->have && field->want)
            ret->fields[ret->count++] = (DriftField){.path = field->path, .have = field->want};
    }
}

void plan_explain_template(Arena *a, const Json *live, const Json *rendered, Drift *ret)
{
    static const char template[] = ".spec.template";
    const Json *owned = hash_owned_part(a, live, NODE_MANAGER);
    const Json *have = json_find(owned, template);
    const Json *want = json_find(hash_rendered_part(a, rendered), template);
    Drift back;

    if (!have) { /* never applied by us: what the server added cannot be told from what was meant */
        plan_explain(a, json_find(live, template), json_find(rendered, template), ret);
        return;
    }
    plan_explain(a, have, want, ret);
    plan_explain(a, want, have, &back);
    add_lost(ret, &back);
}

/* --- for messages --- */

const char *plan_drift_text(Arena *a, const Drift *drift)
{
    const char *text = "";

    for (size_t i = 0; i < drift->count && i < NAMED_IN_MESSAGE; i++) {
        const DriftField *field = &drift->fields[i];
        text = str_format(a,
            "%s%s%s (%s -> %s)",
            text,
            i ? ", " : "",
            field->path,
            field->have ? field->have : "absent",
            field->want ? field->want : "absent");
    }
    if (drift->count > NAMED_IN_MESSAGE)
        text = str_format(a, "%s, and %zu more", text, drift->count - NAMED_IN_MESSAGE);
    return text;
}
