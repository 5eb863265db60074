/* Subresources that are no part of the object: its scale, a token for it, its binding to a node,
 * and the finalizers that only a namespace has. (The status is a part of it: see writing.) */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "kube/uuid.h"
#include "world/call.h"
#include "world/object.h"
#include "world/patching.h"
#include "world/refusal.h"
#include "world/storage.h"
#include "world/writing.h"

#include <string.h>

static const char scale_version[] = "autoscaling/v1";

/* --- scale --- */

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

/* {"spec":{"replicas":n}} of the path ".spec.replicas". */
static const Json *value_at(Arena *a, const char *path, const Json *value)
{
    const char *rest = str_copy(a, path);

    for (const char *dot = strrchr(rest, '.'); dot; dot = strrchr(rest, '.')) {
        value = json_seal(a, draft(a, draft_json(str_copy(a, dot + 1), value)));
        rest = str_slice(a, rest, (size_t)(dot - rest));
    }
    return value;
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

/* The object with the version that the Scale names, so that races are seen, and its replicas. */
static const Json *scaled(Call *c, const Json *before, const Json *scale)
{
    const char *version = meta_resource_version(scale);
    const Json *object = before;

    if (!str_empty(version))
        object = object_with_inner(c->arena,
            object,
            (MemberPath){"metadata", "resourceVersion"},
            object_text(c->arena, version));
    return json_merge(c->arena,
        object,
        value_at(c->arena,
            c->resource->scale.spec_replicas,
            object_number(c->arena, json_int(scale, ".spec.replicas", 0))));
}

/* A Scale does not say 0 replicas, so whoever scales to none owns nothing, and nobody else does. */
static const Json *owned_by_nobody(Call *c, const Json *before, const Json *object)
{
    const char *path = c->resource->scale.spec_replicas;
    const Json *replicas = at(object, path), *null;
    FieldWriter writer = writing_writer(c);

    if (json_parse(c->arena, bytes_of("null"), &null))
        BUG("null is no JSON");
    object = json_merge(c->arena, object, value_at(c->arena, path, null));
    object = fields_updated(c->arena, c->resource->schema, before, object, &writer);
    return json_merge(c->arena, object, value_at(c->arena, path, replicas));
}

/* Whether any manager owns the field at a path. */
static bool is_owned(Arena *a, const Json *object, const char *path)
{
    const Json *entry;

    json_each(entry, json_find(object, ".metadata.managedFields")) {
        const Json *fields = json_member(entry, "fieldsV1");
        for (const char *rest = path; fields && *rest == '.';) {
            size_t len = strcspn(rest + 1, ".");
            fields = json_member(fields, str_format(a, "f:%s", str_slice(a, rest + 1, len)));
            rest += 1 + len;
        }
        if (fields)
            return true;
    }
    return false;
}

static Err *write_scale(Call *c, const Json *before, const Json *scale)
{
    int64_t replicas = json_int(scale, ".spec.replicas", 0);
    bool to_none =
        replicas == 0 && json_int(at(before, c->resource->scale.spec_replicas), "", 0) != 0;
    const Json *object = scaled(c, before, scale);

    TRY(check_uid(c, before, scale));
    TRY(check_replicas(c, replicas));
    /* A Scale without owners is written without being tracked. */
    if (!is_owned(c->arena, before, c->resource->scale.spec_replicas))
        return writing_replace(c, &(Wanted){.before = before, .object = object, .owned = true});
    if (to_none)
        object = owned_by_nobody(c, before, object);
    return writing_replace(c, &(Wanted){.before = before, .object = object, .owned = to_none});
}

static Err *apply_scale(Call *c, const Json *before)
{
    const Json *scale = c->request->body, *replicas = json_find(scale, ".spec.replicas");
    const Json *applied, *object;

    TRY(patching_check_apply(c, scale_version, "Scale"));
    TRY(check_replicas(c, json_int(replicas, "", 0)));
    applied = json_seal(c->arena,
        draft(c->arena,
            str("apiVersion", c->resource->api_version),
            str("kind", c->resource->traits.kind->name),
            draft_json("metadata", json_member(scale, "metadata"))));
    if (replicas)
        applied = json_merge(
            c->arena, applied, value_at(c->arena, c->resource->scale.spec_replicas, replicas));
    TRY(patching_applied(c, before, applied, &object));
    return writing_replace(c, &(Wanted){.before = before, .object = object, .owned = true});
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
    if (!before)
        return refuse_not_found(c);
    TRY(change_scale(c, before));
    c->body = scale_of(c, c->body);
    return OK;
}

/* --- token --- */

enum { TOKEN_SECONDS_DEFAULT = 3600, TOKEN_SECONDS_MIN = 600, NS_PER_S = 1000000000 };

Err *call_token(Call *c)
{
    const Json *account = call_find(c), *spec = json_find(c->request->body, ".spec");
    int64_t seconds = json_int(spec, ".expirationSeconds", TOKEN_SECONDS_DEFAULT);
    Faults f = {.arena = c->arena};
    char expires[TIMESTAMP_SIZE], secret[UUID_SIZE];

    if (c->resource->traits.kind != kind_serviceaccount)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    if (!account)
        return refuse_not_found(c);
    if (seconds < TOKEN_SECONDS_MIN) {
        faults_add(&f,
            "FieldValueInvalid",
            "spec.expirationSeconds",
            "Invalid value: %lld: may not specify a duration less than 10 minutes",
            (long long)seconds);
        return refuse_faults(c, "TokenRequest.authentication.k8s.io", "", &f);
    }
    uuid_v4(c->server->rng, secret);
    c->status = 201;
    c->body = json_copy(c->arena,
        json_seal(c->arena,
            draft(c->arena,
                str("kind", "TokenRequest"),
                str("apiVersion", "authentication.k8s.io/v1"),
                obj("metadata",
                    str("name", meta_name(account)),
                    str("namespace", meta_namespace(account)),
                    str("uid", meta_uid(account)),
                    str("creationTimestamp", c->now)),
                obj("spec",
                    draft_json("audiences", json_find(spec, ".audiences")),
                    num("expirationSeconds", seconds)),
                obj("status",
                    str("token", str_format(c->arena, "%s.%s", meta_uid(account), secret)),
                    str("expirationTimestamp",
                        timestamp_format(c->now_ns + seconds * NS_PER_S, expires))))));
    return OK;
}

/* --- binding --- */

static Err *answer_bound(Call *c)
{
    c->status = 201;
    c->body = json_seal(c->arena,
        draft(c->arena,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(c->arena)),
            str("status", "Success"),
            num("code", c->status)));
    return OK;
}

static const Json *bound(Call *c, const Json *pod, const char *node)
{
    Draft *conditions = draft_array(c->arena);
    const Json *each;

    json_each(each, json_find(pod, ".status.conditions"))
        if (!str_eq(json_str(each, ".type"), "PodScheduled"))
            draft_push_json(conditions, each);
    draft_push(conditions,
        draft(c->arena,
            str("type", "PodScheduled"),
            str("status", "True"),
            str("lastTransitionTime", c->now)));
    pod = object_with_inner(
        c->arena, pod, (MemberPath){"spec", "nodeName"}, object_text(c->arena, node));
    return object_with_inner(
        c->arena, pod, (MemberPath){"status", "conditions"}, json_seal(c->arena, conditions));
}

Err *call_binding(Call *c)
{
    const char *node = json_str(c->request->body, ".target.name");
    const Json *pod = call_find(c);
    Stamp stamp;

    if (c->resource->traits.kind != kind_pod)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    if (!pod)
        return refuse_not_found(c);
    if (meta_deleting(pod))
        return refuse_conflict(c,
            "pods/binding",
            "pod %s is being deleted, cannot be assigned to a host",
            meta_name(pod));
    if (!str_empty(json_str(pod, ".spec.nodeName")))
        return refuse_conflict(c,
            "pods/binding",
            "pod %s is already assigned to node \"%s\"",
            meta_name(pod),
            json_str(pod, ".spec.nodeName"));
    if (str_empty(node))
        return refuse_bad_request(c, "the binding names no node");
    stamp = object_stamp(pod);
    stamp.generation++;
    if (!c->request->dry_run)
        TRY(storage_write(c, pod, bound(c, pod, node), stamp, &pod));
    return answer_bound(c);
}

/* --- finalize --- */

Err *call_finalize(Call *c)
{
    static const MemberPath finalizers = {"spec", "finalizers"},
                            version = {"metadata", "resourceVersion"};
    const Json *before = call_find(c), *body = c->request->body, *object;

    if (c->resource->traits.kind != kind_namespace)
        return refuse_path(c);
    if (c->request->verb != VERB_UPDATE)
        return refuse_method(c);
    if (!before)
        return refuse_not_found(c);
    TRY(writing_check_name(c, body));
    object = object_with_inner(c->arena, before, finalizers, json_find(body, ".spec.finalizers"));
    object =
        object_with_inner(c->arena, object, version, json_find(body, ".metadata.resourceVersion"));
    return writing_replace(c, &(Wanted){.before = before, .object = object});
}
