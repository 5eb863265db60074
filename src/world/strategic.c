/* Strategic merging: objects field by field, from a list of those that wait, so that nothing here
 * recurses. What is taken from a patch alone is cleaned of nulls, and of what says how to patch, on
 * the way. */
#include "world/strategic.h"

#include "base/draft.h"
#include "base/str.h"
#include "world/schema_rows.h"
#include "world/strategic_list.h"

#include <string.h>

enum {
    MEMBERS_MAX = 2000, /* beyond so many an object is data, and has no directives in it */
    RETAINED_MAX = 1000,
};

/* --- what waits --- */

static void wait_for(Strategic *s, StrategicPair pair)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 32;
        StrategicPair *pairs = arena_array(s->arena, StrategicPair, capacity);
        if (s->count > 0)
            memcpy(pairs, s->waiting, s->count * sizeof *pairs);
        s->waiting = pairs;
        s->capacity = capacity;
    }
    s->waiting[s->count++] = pair;
}

Err *strategic_refusal(Strategic *s, int status, const char *message)
{
    Err *err = err_terminal(s->arena, "%s", message);

    err->status = status;
    return err;
}

bool strategic_is_special(const Json *element)
{
    return json_member(element, "$patch") != NULL;
}

/* --- what is taken from the patch alone --- */

static bool is_directive(const char *key)
{
    return str_eq(key, "$patch") || str_eq(key, "$retainKeys")
        || str_has_prefix(key, "$setElementOrder/")
        || str_has_prefix(key, "$deleteFromPrimitiveList/");
}

Draft *strategic_taken(Strategic *s, const Json *patch)
{
    bool is_list = json_type(patch) == JSON_ARRAY;
    Draft *out = is_list ? draft_array(s->arena) : draft_object(s->arena);

    wait_for(s, (StrategicPair){.out = out, .patch = patch});
    return out;
}

static bool is_container(const Json *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

static void take_elements(Strategic *s, Draft *out, const Json *list)
{
    const Json *element;

    json_each(element, list) {
        if (strategic_is_special(element))
            continue;
        if (is_container(element))
            draft_push(out, strategic_taken(s, element));
        else
            draft_push_json(out, element);
    }
}

static void take_member(Strategic *s, Draft *out, const char *key, const Json *value)
{
    if (json_type(value) == JSON_NULL || strategic_is_special(value))
        return;
    if (is_container(value))
        draft_add(out, sub(key, strategic_taken(s, value)));
    else
        draft_add(out, draft_json(key, value));
}

static void take_members(Strategic *s, Draft *out, const Json *object)
{
    const Json *member;

    /* Other directives mean nothing here: they are fields that nobody knows. */
    json_each(member, object)
        if (!str_eq(json_key(member), "$patch")
            && (json_count(object) > MEMBERS_MAX
                || json_member(object, json_key(member)) == member))
            take_member(s, out, json_key(member), member);
}

/* --- two objects --- */

static const Json *directive_of(Strategic *s, const Json *patch, const char *what, const char *key)
{
    return json_member(patch, str_format(s->arena, "$%s/%s", what, key));
}

static bool holds_text(const Json *list, const char *text)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_text(each), text))
            return true;
    return false;
}

/* All that a patch says of fields must be in the list of those that are kept. */
static Err *check_retained(Strategic *s, const Json *patch)
{
    const Json *retained = json_member(patch, "$retainKeys"), *member;

    if (retained && json_type(retained) != JSON_ARRAY)
        return strategic_refusal(s, 400, "invalid patch format of retainKeys");
    if (json_count(retained) > RETAINED_MAX)
        return strategic_refusal(s, 422, "more than 1000 keys to retain are not merged here");
    json_each(member, patch)
        if (retained && !is_directive(json_key(member)) && json_type(member) != JSON_NULL
            && !holds_text(retained, json_key(member)))
            return strategic_refusal(s, 400, "invalid patch format of retainKeys");
    return OK;
}

static Err *merge_lists(Strategic *s, const StrategicPair *around, const char *key, const Json *old)
{
    bool declared;
    StrategicList lists = {.key = key,
        .shape = shape_of_field(around->shape, key, &declared),
        .original = old,
        .patch = json_member(around->patch, key),
        .order = directive_of(s, around->patch, "setElementOrder", key),
        .gone = directive_of(s, around->patch, "deleteFromPrimitiveList", key)};
    Draft *out = draft_array(s->arena);

    draft_add(around->out, sub(key, out));
    return strategic_list(s, &lists, out);
}

void strategic_pair(Strategic *s, StrategicPair pair)
{
    wait_for(s, pair);
}

/* A field that both have, or that only the old object has. */
static Err *merge_member(Strategic *s, const StrategicPair *pair, const Json *old)
{
    const char *key = json_key(old);
    const Json *patch = json_member(pair->patch, key);
    bool declared, is_list = json_type(old) == JSON_ARRAY;
    bool has_directive = directive_of(s, pair->patch, "setElementOrder", key)
        || directive_of(s, pair->patch, "deleteFromPrimitiveList", key);

    if (is_list && (json_type(patch) == JSON_ARRAY || (!patch && has_directive)))
        return merge_lists(s, pair, key, old);
    if (!patch) {
        draft_add(pair->out, draft_json(key, old));
    } else if (json_type(old) == JSON_OBJECT && json_type(patch) == JSON_OBJECT) {
        Draft *out = draft_object(s->arena);
        draft_add(pair->out, sub(key, out));
        wait_for(s,
            (StrategicPair){.out = out,
                .original = old,
                .patch = patch,
                .shape = shape_of_field(pair->shape, key, &declared)});
    } else {
        take_member(s, pair->out, key, patch);
    }
    return OK;
}

/* What is raw in Go has no fields that could be merged. */
static Err *check_raw(Strategic *s, const StrategicPair *pair, const Json *old)
{
    const Json *patch = json_member(pair->patch, json_key(old));

    if (pair->shape != &shape_raw || json_type(old) != json_type(patch) || !is_container(old))
        return OK;
    return strategic_refusal(s,
        500,
        str_format(s->arena,
            "unable to find api field in struct RawExtension for the json field \"%s\"",
            json_key(old)));
}

static Err *merge_members(Strategic *s, const StrategicPair *pair)
{
    const Json *retained = json_member(pair->patch, "$retainKeys"), *member;

    TRY(check_retained(s, pair->patch));
    json_each(member, pair->original)
        if (!retained || holds_text(retained, json_key(member))) {
            TRY(check_raw(s, pair, member));
            TRY(merge_member(s, pair, member));
        }
    json_each(member, pair->patch) {
        const char *key = json_key(member);
        bool is_first = json_member(pair->patch, key) == member;
        if (is_first && !is_directive(key) && !json_member(pair->original, key))
            take_member(s, pair->out, key, member);
    }
    return OK;
}

static void merge_data(Strategic *s, const StrategicPair *pair)
{
    const Json *merged = json_merge(s->arena, pair->original, pair->patch), *member;

    json_each(member, merged)
        draft_add(pair->out, draft_json(json_key(member), member));
}

static Err *merge_objects(Strategic *s, const StrategicPair *pair)
{
    const Json *directive = json_member(pair->patch, "$patch");

    if (directive && str_eq(json_text(directive), "replace"))
        take_members(s, pair->out, pair->patch);
    else if (directive && !str_eq(json_text(directive), "delete"))
        return strategic_refusal(s,
            500,
            str_format(s->arena,
                "unknown patch type: %s in map: %s",
                json_text(directive) ? json_text(directive) : "",
                json_write(s->arena, pair->patch).data));
    else if (!directive
        && (json_count(pair->patch) > MEMBERS_MAX || json_count(pair->original) > MEMBERS_MAX))
        merge_data(s, pair);
    else if (!directive)
        return merge_members(s, pair);
    return OK;
}

Err *strategic_patched(
    Arena *a, const Shape *shape, const Json *original, const Json *patch, const Json **ret)
{
    Strategic s = {.arena = a};
    Draft *out = draft_object(a);

    wait_for(&s, (StrategicPair){.out = out, .original = original, .patch = patch, .shape = shape});
    while (s.count > 0) {
        StrategicPair pair = s.waiting[--s.count];
        if (pair.original)
            TRY(merge_objects(&s, &pair));
        else if (json_type(pair.patch) == JSON_ARRAY)
            take_elements(&s, pair.out, pair.patch);
        else
            take_members(&s, pair.out, pair.patch);
    }
    *ret = json_seal(a, out);
    return OK;
}
