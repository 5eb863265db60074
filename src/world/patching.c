/* Patching: what a patch of either kind or an apply makes of the object that is there. */
#include "world/patching.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/decoding.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/schema_shape.h"
#include "world/strategic.h"
#include "world/writing.h"

#include <stdlib.h>
#include <string.h>

/* --- JSON patches, with the two liberties that the server's library takes --- */

/* One token of a JSON pointer without its escapes. `*pointer` begins with a slash and is moved to
 * the next one, or to the end. */
static const char *next_token(Arena *a, const char **pointer)
{
    size_t len = strcspn(*pointer + 1, "/"), count = 0;
    char *token = arena_array(a, char, len + 1);
    const char *at = *pointer + 1, *end = at + len;

    for (; at < end; at++) {
        bool escaped = *at == '~' && at + 1 < end && (at[1] == '0' || at[1] == '1');
        token[count++] = !escaped ? *at : at[1] == '0' ? '~' : '/';
        at += escaped;
    }
    *pointer = end;
    return token;
}

static const Json *step_into(const Json *value, const char *token)
{
    int64_t index;
    const Json *element;

    if (json_type(value) == JSON_OBJECT)
        return json_member(value, token);
    if (json_type(value) != JSON_ARRAY || !str_to_int(token, &index))
        return NULL;
    json_each(element, value)
        if (index-- == 0)
            return element;
    return NULL;
}

/* True when the pointer leads to a member that an object lacks. */
static bool is_missing_member(Arena *a, const Json *doc, const char *pointer)
{
    const Json *parent = NULL, *value = doc;

    if (!pointer || *pointer != '/')
        return false;
    while (*pointer) {
        parent = value;
        value = step_into(parent, next_token(a, &pointer));
        if (!value)
            break;
    }
    return !value && !*pointer && json_type(parent) == JSON_OBJECT;
}

/* The server replaces members that are not there, and finds absent what is tested to be null. */
static const Json *strict_operations(Arena *a, const Json *doc, const Json *operations)
{
    Draft *strict = draft_array(a);
    const Json *operation;

    json_each(operation, operations) {
        const char *op = json_str(operation, ".op");
        bool missing = is_missing_member(a, doc, json_str(operation, ".path"));
        bool of_null = json_type(json_member(operation, "value")) == JSON_NULL;
        if (missing && str_eq(op, "replace"))
            draft_push_json(strict, object_with(a, operation, "op", object_text(a, "add")));
        else if (!missing || !str_eq(op, "test") || !of_null)
            draft_push_json(strict, operation);
    }
    return json_seal(a, strict);
}

static Err *json_patched(Call *c, const Json *doc, const Json **ret)
{
    const Json *operations = c->request->body;
    Err *err;

    if (json_type(operations) != JSON_ARRAY)
        return refuse_bad_request(c,
            "error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
    err = json_patch(c->arena, doc, strict_operations(c->arena, doc, operations), ret);
    if (err || json_type(*ret) != JSON_OBJECT)
        return refuse_unprocessable(c);
    return OK;
}

static Err *merge_patched(Call *c, const Json *doc, const Json **ret)
{
    if (json_type(c->request->body) != JSON_OBJECT)
        return refuse_bad_request(c,
            "error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}");
    *ret = json_merge(c->arena, doc, c->request->body);
    return OK;
}

/* A Scale is the same of every kind, and has no lists. */
static const Shape *shape_of(const Call *c)
{
    return str_eq(c->request->subresource, "scale") ? &shape_plain : c->resource->schema->root;
}

static Err *strategic_patched_by(Call *c, const Json *doc, const Json **ret)
{
    const Err *err;

    if (json_type(c->request->body) != JSON_OBJECT)
        return refuse_bad_request(
            c, "json: cannot unmarshal array into Go value of type map[string]interface {}");
    err = strategic_patched(c->arena, shape_of(c), doc, c->request->body, ret);
    if (err)
        return refuse_plain(
            c, err->status, err->status == 400 ? "BadRequest" : NULL, "%s", err->message);
    return OK;
}

Err *patching_check_type(Call *c)
{
    if (c->request->verb != VERB_STRATEGIC_PATCH || !c->resource->traits.is_custom)
        return OK;
    return refuse_plain(c,
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

Err *patching_patched(Call *c, const Json *doc, const Json **ret)
{
    switch (c->request->verb) {
    case VERB_JSON_PATCH:
        return json_patched(c, doc, ret);
    case VERB_STRATEGIC_PATCH:
        return strategic_patched_by(c, doc, ret);
    default:
        return merge_patched(c, doc, ret);
    }
}

static Err *patch_object(Call *c, const Json *before)
{
    const Json *object = NULL;

    if (!before)
        return refuse_not_found(c);
    TRY(patching_patched(c, before, &object));
    TRY(decoding_check(c, c->request->verb == VERB_MERGE_PATCH ? c->request->body : object));
    TRY(decoding_check_strictly(c, object));
    TRY(writing_check_body(c, object));
    TRY(writing_check_name(c, object));
    return writing_replace(c, &(Wanted){.before = before, .object = object});
}

/* --- apply --- */

Err *patching_check_apply(Call *c, const char *api_version, const char *kind)
{
    const Json *body = c->request->body;
    const char *version = json_str(body, ".apiVersion"), *name = json_str(body, ".kind");
    Faults f = {.arena = c->arena};

    if (str_empty(c->request->manager)) {
        faults_add(&f,
            "FieldValueRequired",
            "fieldManager",
            "Required value: is required for apply patch");
        return refuse_faults(c, "PatchOptions.meta.k8s.io", "", &f);
    }
    if (json_type(body) != JSON_OBJECT)
        return refuse_bad_request(c, "error decoding YAML: an object was expected");
    if (json_count(json_find(body, ".metadata.managedFields")) > 0)
        return refuse_bad_request(c, "metadata.managedFields must be nil");
    if (str_eq(version, api_version) && str_eq(name, kind))
        return OK;
    return refuse_bad_request(c,
        "invalid object type: %s, Kind=%s",
        str_empty(version) ? "/" : version,
        name ? name : "");
}

/* Of an applied object, what this endpoint takes: everything but the status, or the status. */
static const Json *applied_part(Call *c)
{
    const Json *body = c->request->body;

    if (!c->resource->traits.has_status)
        return body;
    if (!str_eq(c->request->subresource, "status"))
        return object_with(c->arena, body, "status", NULL);
    return json_seal(c->arena,
        draft(c->arena,
            draft_json("apiVersion", json_member(body, "apiVersion")),
            draft_json("kind", json_member(body, "kind")),
            draft_json("metadata", json_member(body, "metadata")),
            draft_json("status", json_member(body, "status"))));
}

/* What an apply makes of a custom object is checked before it is written, but its faults are told
 * with those of the metadata, which a status does not reach. */
static Err *refuse_result(Call *c, const Json *live, const Json *object, const Err *err)
{
    const char *name = c->request->key.name;
    Faults f = {.arena = c->arena};

    if (!c->request->subresource)
        writing_check_metadata(c, object, live, &f);
    faults_add_text(&f, err->message);
    return refuse_faults(c, resource_singular(c->arena, c->resource), name ? name : "", &f);
}

Err *patching_applied(Call *c, const Json *live, const Json *applied, const Json **ret)
{
    FieldWriter writer = writing_writer(c);
    FieldApply apply = {.live = live, .applied = applied, .force = c->request->force};

    *ret = NULL;
    Err *err = fields_apply(c->arena, c->resource->schema, &apply, &writer, ret);
    if (err && err->status == 422 && *ret)
        return refuse_result(c, live, *ret, err);
    return err ? refuse_err(c, err) : OK;
}

static Err *apply_new(Call *c, const Json *applied)
{
    const char *uid = meta_uid(applied);
    const Json *object;

    if (c->request->subresource)
        return refuse_not_found(c);
    TRY(patching_applied(c, NULL, applied, &object));
    TRY(decoding_check(c, applied));
    if (!str_empty(uid))
        return refuse_conflict(c,
            c->resource->traits.kind->plural,
            "uid mismatch: the provided object specified uid %s, and no existing object was found",
            uid);
    TRY(writing_check_body(c, applied));
    TRY(writing_check_name(c, applied));
    return writing_create(c, &(Wanted){.object = object, .owned = true});
}

static Err *apply_object(Call *c, const Json *before)
{
    const Json *applied, *object;

    TRY(patching_check_apply(c, c->resource->api_version, c->resource->traits.kind->name));
    applied = applied_part(c);
    if (!before)
        return apply_new(c, applied);
    TRY(patching_applied(c, before, applied, &object));
    TRY(decoding_check(c, applied));
    TRY(writing_check_body(c, object));
    TRY(writing_check_name(c, object));
    return writing_replace(c, &(Wanted){.before = before, .object = object, .owned = true});
}

Err *call_patch(Call *c)
{
    const Json *before = call_find(c);

    TRY(patching_check_type(c));
    return c->request->verb == VERB_APPLY ? apply_object(c, before) : patch_object(c, before);
}
