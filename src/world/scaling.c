/* Scaling: the scale subresource: one number of an object behind a face of its own.
 *
 * The surprising part is who owns that number. The real server reckons it on the Scale alone, and
 * translates managers there and back; on the way back those who update become others than they
 * were, so that the number leaves their entry, and times are lost. This does it alike. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "world/call.h"
#include "world/fields.h"
#include "world/object.h"
#include "world/patching.h"
#include "world/refusal.h"
#include "world/writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Kind kind_scale[1] = {{"autoscaling", "v1", "scales", "Scale", .namespaced = true}};
static const char scale_version[] = "autoscaling/v1";

/* --- the face --- */

/* A selector as the Scale tells it: a text already, or a LabelSelector. */
static const char *selector_of(Arena *a, const Json *value)
{
    const Selector *selector;

    if (json_type(value) != JSON_OBJECT)
        return json_text(value);
    return selector_decode(a, value, &selector) ? NULL : selector_text(a, selector);
}

static const Json *at(const Json *object, const char *path)
{
    return path ? json_find(object, path) : NULL;
}

/* Replicas that are 0 are not said. */
static const Json *scale_of(Call *c, const Json *object)
{
    const ScalePaths *paths = &c->resource->scale;
    int64_t replicas = json_int(at(object, paths->spec_replicas), "", 0);

    return json_seal(c->arena,
        draft(c->arena,
            str("kind", "Scale"),
            str("apiVersion", scale_version),
            obj("metadata",
                str("name", meta_name(object)),
                str("namespace", meta_namespace(object)),
                str("uid", meta_uid(object)),
                str("resourceVersion", meta_resource_version(object)),
                str("creationTimestamp", json_str(object, ".metadata.creationTimestamp"))),
            obj("spec", draft_num_if(replicas != 0, "replicas", replicas)),
            obj("status",
                num("replicas", json_int(at(object, paths->status_replicas), "", 0)),
                str("selector", selector_of(c->arena, at(object, paths->selector))))));
}

/* {"spec":{"replicas":n}} of the path ".spec.replicas"; with a prefix, {"f:spec":...}. */
static const Json *value_at(Arena *a, const char *path, const char *prefix, const Json *value)
{
    const char *rest = path;

    for (const char *dot = strrchr(rest, '.'); dot; dot = strrchr(rest, '.')) {
        value = json_seal(a, draft(a, draft_json(str_format(a, "%s%s", prefix, dot + 1), value)));
        rest = str_slice(a, rest, (size_t)(dot - rest));
    }
    return value;
}

/* --- managers, there and back --- */

static const Json *set_of(Arena *a, const char *path)
{
    return value_at(a, path, "f:", json_seal(a, draft_object(a)));
}

static bool owns(const Json *entry, const char *path)
{
    const Json *set = json_find(entry, ".fieldsV1");
    char name[KIND_API_VERSION_SIZE];

    while (set && *path == '.') {
        size_t len = strcspn(path + 1, ".");
        snprintf(name, sizeof name, "f:%.*s", (int)len, path + 1);
        set = json_member(set, name);
        path += len + 1;
    }
    return set != NULL;
}

static bool same_member(const Json *left, const Json *right, const char *member)
{
    return json_equal(json_member(left, member), json_member(right, member));
}

static bool is_apply(const Json *entry)
{
    return str_eq(json_str(entry, ".operation"), "Apply");
}

/* Of two entries of one manager the later one counts. */
static bool is_superseded(const Json *entries, const Json *entry)
{
    const Json *later;

    for (later = json_next(entries, entry); later; later = json_next(entries, later))
        if (same_member(later, entry, "manager") && same_member(later, entry, "operation")
            && same_member(later, entry, "subresource")
            && (is_apply(entry) || same_member(later, entry, "apiVersion")))
            return true;
    return false;
}

static const Json *find_applier(const Json *entries, const Json *like)
{
    const Json *entry;

    json_each(entry, entries)
        if (is_apply(entry) && same_member(entry, like, "manager")
            && same_member(entry, like, "subresource"))
            return entry;
    return NULL;
}

static const Json *entry_of(Call *c, const Json *entry, const char *version, const char *path)
{
    return json_seal(c->arena,
        draft(c->arena,
            draft_json("manager", json_member(entry, "manager")),
            draft_json("operation", json_member(entry, "operation")),
            str("apiVersion", version),
            str("fieldsType", "FieldsV1"),
            draft_json("fieldsV1", set_of(c->arena, path)),
            draft_json("subresource", json_member(entry, "subresource"))));
}

/* The managers of the number, as managers of the Scale. */
static const Json *scale_managers(Call *c, const Json *object)
{
    const Json *entries = json_find(object, ".metadata.managedFields"), *entry;
    const char *path = c->resource->scale.spec_replicas;
    Draft *list = draft_array(c->arena);

    json_each(entry, entries)
        if (owns(entry, path) && !is_superseded(entries, entry))
            draft_push_json(list, entry_of(c, entry, scale_version, ".spec.replicas"));
    return json_seal(c->arena, list);
}

/* The entry without the number, or NULL when it has nothing else. */
static const Json *without_number(Call *c, const Json *entry)
{
    const char *path = c->resource->scale.spec_replicas;
    const Json *set = json_find(entry, ".fieldsV1"), *outer;
    size_t len = strcspn(path + 1, ".");
    const char *member = str_format(c->arena, "f:%.*s", (int)len, path + 1);

    set = json_merge(c->arena, set, value_at(c->arena, path, "f:", json_fixture(c->arena, "null")));
    outer = json_member(set, member);
    /* What owns nothing inside is itself owned, or not there. */
    if (json_count(outer) == 1 && json_member(outer, "."))
        set = object_with(c->arena, set, member, json_member(outer, "."));
    else if (json_count(outer) == 0)
        set = object_with(c->arena, set, member, NULL);
    return json_count(set) > 0 ? object_with(c->arena, entry, "fieldsV1", set) : NULL;
}

static int compare_entries(const void *left, const void *right)
{
    static const char *const members[] = {
        "operation", "time", "manager", "apiVersion", "subresource"};
    int order = 0;

    for (size_t i = 0; order == 0 && i < sizeof members / sizeof *members; i++)
        order = str_compare(json_text(json_member(*(const Json *const *)left, members[i])),
            json_text(json_member(*(const Json *const *)right, members[i])));
    return order;
}

/* The managers of the object, once the number belongs to those of the Scale. */
static const Json *object_managers(Call *c, const Json *object, const Json *of_scale)
{
    const Json *of_object = json_find(object, ".metadata.managedFields"), *entry;
    size_t max = json_count(of_object) + json_count(of_scale), count = 0;
    const Json **entries = arena_array(c->arena, const Json *, max);
    const char *path = c->resource->scale.spec_replicas;
    Draft *list = draft_array(c->arena);

    json_each(entry, of_object) {
        bool stays = !owns(entry, path) || (is_apply(entry) && find_applier(of_scale, entry));
        const Json *left = stays ? entry : without_number(c, entry);
        if (left && !is_superseded(of_object, entry))
            entries[count++] = left;
    }
    json_each(entry, of_scale) {
        const Json *same = is_apply(entry) ? find_applier(of_object, entry) : NULL;
        if (owns(entry, ".spec.replicas") && !(same && owns(same, path)))
            entries[count++] = entry_of(c, entry, c->resource->api_version, path);
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++)
        draft_push_json(list, entries[i]);
    return json_seal(c->arena, list);
}

/* --- writing --- */

/* The Scale as far as managers matter: the number, which is not there when it is 0. */
static const Json *bare_scale(Call *c, int64_t replicas, const Json *managers)
{
    Draft *scale = draft(c->arena,
        str("apiVersion", scale_version),
        str("kind", "Scale"),
        obj("metadata", draft_json("managedFields", managers)));

    if (replicas != 0)
        draft_set(scale, obj("spec", num("replicas", replicas)));
    return json_seal(c->arena, scale);
}

/* What is applied says its number even when it is 0. */
static const Json *applied_scale(Call *c)
{
    const Json *replicas = json_find(c->request->body, ".spec.replicas");

    return json_seal(c->arena,
        draft(c->arena,
            str("apiVersion", scale_version),
            str("kind", "Scale"),
            obj("spec", draft_json("replicas", replicas))));
}

static FieldWriter scale_writer(Call *c)
{
    FieldWriter writer = writing_writer(c);

    writer.api_version = scale_version;
    return writer;
}

static Err *check_replicas(Call *c, int64_t replicas)
{
    Faults f = {.arena = c->arena};

    if (replicas >= 0 || c->resource->traits.is_custom)
        return OK;
    faults_add(&f,
        "FieldValueInvalid",
        "spec.replicas",
        "Invalid value: %lld: must be greater than or equal to 0",
        (long long)replicas);
    return refuse_faults(c, "Scale.autoscaling", c->request->key.name, &f);
}

/* An update names what it is about to the storage, before anything is looked at; a patch does so
 * after its number was. */
static Err *check_stored_uid(Call *c, const Json *before, const Json *scale)
{
    const char *uid = meta_uid(scale);

    if (c->request->verb != VERB_UPDATE || str_empty(uid) || str_eq(uid, meta_uid(before)))
        return OK;
    return refuse_precondition(c, "UID", uid, meta_uid(before));
}

static Err *check_uid(Call *c, const Json *before, const Json *scale)
{
    const char *uid = meta_uid(scale);

    if (c->resource->traits.is_custom || str_empty(uid) || str_eq(uid, meta_uid(before)))
        return OK;
    return refuse_conflict(c,
        str_format(c->arena, "%s/scale", c->resource->traits.kind->plural),
        "Precondition failed: UID in precondition: %s, UID in object meta: %s",
        uid,
        meta_uid(before));
}

/* Writes the number, and the managers of the Scale, into the object. `scale` names the version that
 * was seen, if any, so that races are found. */
static Err *write_number(Call *c, const Json *before, const Json *scale, const Json *owned)
{
    const char *version = meta_resource_version(scale);
    int64_t replicas = json_int(owned, ".spec.replicas", 0);
    const Json *managers = json_find(owned, ".metadata.managedFields"), *object;

    object = json_merge(c->arena,
        before,
        value_at(
            c->arena, c->resource->scale.spec_replicas, "", object_number(c->arena, replicas)));
    object = object_with_inner(c->arena,
        object,
        (MemberPath){"metadata", "managedFields"},
        object_managers(c, before, managers));
    if (!str_empty(version))
        object = object_with_inner(c->arena,
            object,
            (MemberPath){"metadata", "resourceVersion"},
            object_text(c->arena, version));
    return writing_replace(c, &(Wanted){.before = before, .object = object, .owned = true});
}

static Err *write_scale(Call *c, const Json *before, const Json *scale)
{
    const Json *managers = scale_managers(c, before);
    int64_t replicas = json_int(scale, ".spec.replicas", 0);
    int64_t was = json_int(before, c->resource->scale.spec_replicas, 0);
    FieldWriter writer = scale_writer(c);
    const Json *owned;

    TRY(check_stored_uid(c, before, scale));
    TRY(check_replicas(c, replicas));
    TRY(check_uid(c, before, scale));
    owned = fields_updated(c->arena,
        schema_of_kind(kind_scale),
        bare_scale(c, was, managers),
        bare_scale(c, replicas, managers),
        &writer);
    return write_number(c, before, scale, owned);
}

/* The real server cannot carry out an apply to the scale of a custom resource that changes it, or
 * whose number was nobody's. */
static Err *refuse_conversion(Call *c, const char *object)
{
    return refuse_plain(c,
        500,
        NULL,
        "%s; %s, Kind=Scale) to proper version: request to convert CR to an invalid group/version: "
        "%s",
        object,
        scale_version,
        scale_version);
}

static Err *apply_scale(Call *c, const Json *before)
{
    const Json *scale = c->request->body, *managers = scale_managers(c, before), *owned;
    int64_t was = json_int(before, c->resource->scale.spec_replicas, 0);
    FieldWriter writer = scale_writer(c);
    FieldApply apply = {.live = bare_scale(c, was, managers), .force = c->request->force};
    Err *err;

    TRY(patching_check_apply(c, scale_version, "Scale"));
    if (c->resource->traits.is_custom && json_count(managers) == 0)
        return refuse_conversion(
            c, "failed to create manager for existing fields: failed to convert live object (/");
    apply.applied = applied_scale(c);
    err = fields_apply(c->arena, schema_of_kind(kind_scale), &apply, &writer, &owned);
    if (err)
        return refuse_err(c, err);
    TRY(check_replicas(c, json_int(owned, ".spec.replicas", 0)));
    if (c->resource->traits.is_custom && json_int(owned, ".spec.replicas", 0) != was)
        return refuse_conversion(
            c, str_format(c->arena, "failed to convert new object (%s", c->key));
    return write_number(c, before, scale, owned);
}

static Err *change_scale(Call *c, const Json *before)
{
    const Json *scale = c->request->body;

    switch (c->request->verb) {
    case VERB_UPDATE:
        TRY(writing_check_name(c, scale));
        return write_scale(c, before, scale);
    case VERB_MERGE_PATCH:
    case VERB_JSON_PATCH:
    case VERB_STRATEGIC_PATCH:
        TRY(patching_patched(c, scale_of(c, before), &scale));
        return write_scale(c, before, scale);
    case VERB_APPLY:
        return apply_scale(c, before);
    case VERB_GET:
        c->status = 200;
        c->body = before;
        return OK;
    case VERB_LIST:
    case VERB_WATCH:
    case VERB_CREATE:
    case VERB_DELETE:
    case VERB_RAW_GET:
        break;
    }
    return refuse_method(c);
}

Err *call_scale(Call *c)
{
    const Json *before = call_find(c);

    if (!c->resource->scale.spec_replicas)
        return refuse_path(c);
    TRY(patching_check_type(c));
    if (!before)
        return refuse_not_found(c);
    TRY(change_scale(c, before));
    c->body = scale_of(c, c->body);
    return OK;
}
