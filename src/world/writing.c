/* Writing. The order of the steps is the real server's: decode, admit, own, validate, store; so an
 * object with two faults is refused for the same one. */
#include "world/writing.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/uuid.h"
#include "world/admission.h"
#include "world/decoding.h"
#include "world/definition.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/rights.h"
#include "world/storage.h"
#include "world/validity.h"

#include <string.h>

enum { CREATED = 201, DONE = 200 };

FieldWriter writing_writer(Call *c)
{
    const Request *request = c->request;

    return (FieldWriter){
        .manager = str_empty(request->manager) ? c->user : request->manager,
        .subresource = request->subresource,
        .api_version = c->resource->api_version,
        .now = c->now,
    };
}

static bool is_status_write(const Call *c)
{
    return str_eq(c->request->subresource, "status");
}

/* --- what the body must be --- */

/* A custom resource must say what it is; of a built-in kind it is clear from the path. */
static Err *check_custom_type(Call *c, const Json *object)
{
    const char *kind = json_str(object, ".kind"), *version = json_str(object, ".apiVersion");
    const char *own = c->resource->traits.kind->name, *name = meta_name(object);
    const char *text = str_empty(kind) ? json_write(c->arena, object).data : "";
    Faults f = {.arena = c->arena};

    if (str_empty(kind))
        return refuse_bad_request(c,
            "the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in "
            "'%s' (%s)",
            own,
            text,
            text);
    if (!str_eq(version, c->resource->api_version))
        return refuse_bad_request(c,
            "the API version in the data (%s) does not match the expected API version (%s)",
            version ? version : "",
            c->resource->api_version);
    if (str_eq(kind, own))
        return OK;
    faults_add(&f, "FieldValueInvalid", "kind", "Invalid value: \"%s\": must be %s", kind, own);
    return refuse_faults(c,
        str_format(c->arena, "%s.%s", kind, c->resource->traits.kind->group),
        name ? name : "",
        &f);
}

static Err *check_built_in_type(Call *c, const Json *object)
{
    const char *kind = json_str(object, ".kind"), *version = json_str(object, ".apiVersion");
    const Kind *own = c->resource->traits.kind;

    if (!str_empty(version) && !str_eq(version, c->resource->api_version))
        return refuse_bad_request(c,
            "%s in version \"%s\" cannot be handled as a %s: no kind \"%s\" is registered for "
            "version \"%s\" in scheme \"pkg/runtime/scheme.go:110\"",
            own->name,
            own->version,
            own->name,
            kind ? kind : own->name,
            version);
    if (str_empty(kind) || str_eq(kind, own->name))
        return OK;
    return refuse_bad_request(c,
        "%s in version \"%s\" cannot be handled as a %s: converting (%s.%s) to (%s.%s): unknown "
        "conversion",
        kind,
        own->version,
        own->name,
        own->version,
        kind,
        *own->group ? own->group : "core",
        own->name);
}

Err *writing_check_body(Call *c, const Json *object)
{
    const char *namespace = meta_namespace(object);

    if (json_type(object) != JSON_OBJECT)
        return refuse_bad_request(
            c, "the body of the request was in an unknown format - an object was expected");
    if (c->resource->traits.is_custom)
        TRY(check_custom_type(c, object));
    else
        TRY(check_built_in_type(c, object));
    if (!str_empty(namespace) && !str_eq(namespace, c->request->key.namespace))
        return refuse_bad_request(c,
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
    return OK;
}

Err *writing_check_name(Call *c, const Json *object)
{
    const char *name = meta_name(object), *asked = c->request->key.name;

    if (str_empty(name))
        return refuse_bad_request(c,
            "the name of the object (%s based on URL) was undeterminable: name must be provided",
            asked);
    if (!str_eq(name, asked))
        return refuse_bad_request(
            c, "the name of the object (%s) does not match the name on the URL (%s)", name, asked);
    return OK;
}

/* --- what both ways share --- */

static const Json *owned(Call *c, const Wanted *wanted, const Json *object)
{
    FieldWriter writer = writing_writer(c);

    if (wanted->owned)
        return object;
    return fields_updated(c->arena, c->resource->schema, wanted->before, object, &writer);
}

/* What a schema may allow and a scale cannot mean. */
static void check_scale(Call *c, const Json *object, Faults *f)
{
    const char *paths[] = {c->resource->scale.spec_replicas, c->resource->scale.status_replicas};

    if (!c->resource->traits.is_custom)
        return;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int64_t replicas = paths[i] ? json_int(object, paths[i], 0) : 0;
        if (replicas < 0)
            faults_add(f,
                "FieldValueInvalid",
                paths[i],
                "Invalid value: %lld: should be a non-negative integer",
                (long long)replicas);
    }
}

/* Finalizers are looked at by what the real server checks of a kind, and of a write to the status
 * of a CronJob it checks only what is common to all. */
void writing_check_metadata(Call *c, const Json *object, const Json *before, Faults *f)
{
    Resource looked_at = *c->resource;

    if (is_status_write(c) && looked_at.traits.kind == kind_cronjob)
        looked_at.traits.any_finalizer = true;
    validity_check_metadata(&looked_at, object, before, f);
}

static Err *check(Call *c, const Json *object, const Json *before)
{
    const char *name = meta_name(object);
    Faults f = {.arena = c->arena};
    Err *err;

    writing_check_metadata(c, object, before, &f);
    /* What was wanted before was right then. */
    if (!before || object_wants_differ(object, before, true))
        validity_check_object(c->resource, object, &f);
    if (before && object_wants_differ(object, before, true))
        validity_check_immutable(c->resource, object, before, &f);
    err = schema_check(c->arena, c->resource->schema, object, before);
    if (err && err->status != 422)
        return refuse_err(c, err);
    if (err)
        faults_add_causes(&f, err->cause);
    check_scale(c, object, &f);
    TRY(refuse_faults(c, resource_singular(c->arena, c->resource), name ? name : "", &f));
    return c->resource->traits.kind == kind_crd ? definition_check(c, object, before) : OK;
}

static Err *answer(Call *c, int status, const Json *object)
{
    c->status = status;
    c->body = object;
    return OK;
}

/* --- creating --- */

/* Five letters and digits that cannot spell anything, as the real server draws them. */
static const char *generated_name(Call *c, const char *prefix)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    enum { PREFIX_MAX = 58, SUFFIX = 5 };
    char suffix[SUFFIX + 1] = "";

    for (int i = 0; i < SUFFIX; i++)
        suffix[i] = letters[rng_below(c->server->rng, sizeof letters - 1)];
    return str_format(c->arena, "%.*s%s", PREFIX_MAX, prefix, suffix);
}

static Stamp first_stamp(Call *c, const Json *object)
{
    const char *name = meta_name(object), *prefix = json_str(object, ".metadata.generateName");
    char *uid = arena_array(c->arena, char, UUID_SIZE);

    uuid_v4(c->server->rng, uid);
    if (str_empty(name) && !str_empty(prefix))
        name = generated_name(c, prefix);
    return (Stamp){
        .api_version = c->resource->api_version,
        .kind = c->resource->traits.kind->name,
        .key = {c->request->key.namespace, name ? name : ""},
        .uid = uid,
        .generation = c->resource->traits.has_generation ? 1 : meta_generation(object),
        .created = c->now,
    };
}

/* The metadata that a client has no say in, away; name and namespace as they will be. */
static const Json *named(Call *c, const Json *object, const Stamp *stamp)
{
    Stamp bare = {.api_version = stamp->api_version, .kind = stamp->kind, .key = stamp->key};

    return object_stamped(c->arena, object, &bare);
}

static Err *check_vacant(Call *c, const Json *object, const Stamp *stamp)
{
    const char *version = meta_resource_version(object);
    Record *record =
        shelf_find(c->resource->shelf, call_key(c->arena, stamp->key.namespace, stamp->key.name));

    if (c->request->verb == VERB_CREATE && !str_empty(version) && !str_eq(version, "0"))
        return refuse_plain(
            c, 500, NULL, "resourceVersion should not be set on objects to be created");
    if (!record)
        return OK;
    return refuse_exists(
        c, record_object(c->arena, record), !str_empty(json_str(object, ".metadata.generateName")));
}

static const Json *mutated(Call *c, const Json *object)
{
    Server *s = c->server;

    if (!s->mutate || c->request->subresource)
        return object;
    return s->mutate(s->mutate_self, c->arena, c->resource->traits.kind, object);
}

/* Completed without a status, which is nobody's at first, and then with the first one. */
static const Json *completed(Call *c, const Wanted *wanted, const Stamp *stamp)
{
    bool has_status = c->resource->traits.has_status && !c->resource->traits.keeps_status;
    const Json *object = mutated(c, named(c, wanted->object, stamp)), *status;

    if (has_status)
        object = object_with(c->arena, object, "status", NULL);
    object = schema_complete(c->arena, c->resource->schema, object, NULL);
    if (c->resource->traits.kind == kind_job)
        object = admission_labelled(c->arena, object);
    status = has_status ? json_member(object, "status") : NULL;
    if (status)
        object = object_with(c->arena, object, "status", NULL);
    object = owned(c, wanted, object);
    if (status)
        object = object_with(c->arena, object, "status", status);
    return admission_complete(c, object, stamp);
}

/* What is made by an update or a patch keeps, while nothing is stored, the version it came with. */
static uint64_t claimed_version(const Json *object)
{
    int64_t version = 0;

    return str_to_int(meta_resource_version(object), &version) && version > 0 ? (uint64_t)version
                                                                              : 0;
}

/* An update or an apply of what is not there is a create, by the name that it has already. */
static Err *check_may_create(Call *c)
{
    const char *reason = "";
    RightsQuestion question;

    if (c->request->verb == VERB_CREATE || !c->caller->is_stranger)
        return OK;
    question = rights_question(c->arena, c->caller, c->request);
    question.verb = "create";
    if (rights_allow(c->server, c->arena, &question, &reason))
        return OK;
    Err *err = refuse_plain(c, 403, "Forbidden", "may not create");
    c->body = rights_refusal(c->arena, &question, reason);
    return err;
}

Err *writing_create(Call *c, const Wanted *wanted)
{
    Stamp stamp = first_stamp(c, wanted->object);
    const Json *object;

    TRY(admission_check_namespace(c, stamp.key));
    TRY(definition_check_open(c, stamp.key.name));
    object = completed(c, wanted, &stamp);
    TRY(check(c, object, NULL));
    TRY(check_may_create(c));
    TRY(check_vacant(c, wanted->object, &stamp));
    if (c->request->dry_run && c->request->verb != VERB_CREATE)
        stamp.version = claimed_version(wanted->object);
    if (c->request->dry_run)
        return answer(c, CREATED, object_stamped(c->arena, object, &stamp));
    TRY(storage_write(c, NULL, object, stamp, &object));
    TRY(definition_created(c, object, &object));
    return answer(c, CREATED, object);
}

/* --- replacing --- */

static Err *check_version(Call *c, const Json *before, const Json *object)
{
    const char *version = meta_resource_version(object);
    Faults f = {.arena = c->arena};

    if (str_empty(version) || str_eq(version, "0")) {
        if (!c->resource->traits.update_needs_version)
            return OK;
        faults_add(&f,
            "FieldValueInvalid",
            "metadata.resourceVersion",
            "Invalid value: 0: must be specified for an update");
        return refuse_faults(c, resource_plural(c->arena, c->resource), c->request->key.name, &f);
    }
    if (version[strspn(version, "0123456789")])
        return refuse_plain(
            c, 500, NULL, "strconv.ParseUint: parsing \"%s\": invalid syntax", version);
    if (str_eq(version, meta_resource_version(before)))
        return OK;
    return refuse_conflict(c,
        c->resource->traits.kind->plural,
        "the object has been modified; please apply your changes to the latest version and try "
        "again");
}

/* The part of the wanted object that this endpoint reaches, on what was there. */
static const Json *reached(Call *c, const Wanted *wanted)
{
    const Traits *traits = &c->resource->traits;
    const Json *status = json_member(wanted->object, "status"), *object;

    if (!is_status_write(c))
        return traits->has_status
            ? object_with(c->arena, wanted->object, "status", json_member(wanted->before, "status"))
            : wanted->object;
    object = object_with(c->arena, wanted->before, "status", status);
    object = object_with(c->arena, object, "metadata", json_member(wanted->object, "metadata"));
    if (traits->kind == kind_pod)
        object = object_with_inner(c->arena,
            object,
            (MemberPath){"metadata", "ownerReferences"},
            json_find(wanted->before, ".metadata.ownerReferences"));
    if (traits->kind == kind_deployment)
        object = object_with_inner(c->arena,
            object,
            (MemberPath){"metadata", "labels"},
            json_find(wanted->before, ".metadata.labels"));
    return object;
}

/* The status endpoint of a custom resource notes who wanted other metadata, and then keeps the
 * metadata all the same. */
static const Json *kept_metadata(Call *c, const Json *object, const Json *before)
{
    const Json *metadata;

    if (!is_status_write(c) || !c->resource->traits.is_custom)
        return object;
    metadata = object_with(c->arena,
        json_member(before, "metadata"),
        "managedFields",
        json_find(object, ".metadata.managedFields"));
    return object_with(c->arena, object, "metadata", metadata);
}

/* A namespace has finalizers of its own, beside those of any object. */
static bool goes_now(const Call *c, const Json *object, const Json *before)
{
    return meta_deleting(before) && json_int(before, ".metadata.deletionGracePeriodSeconds", 0) == 0
        && json_count(json_find(object, ".metadata.finalizers")) == 0
        && (c->resource->traits.kind != kind_namespace
            || json_count(json_find(object, ".spec.finalizers")) == 0);
}

static Err *remove_replaced(Call *c, const Json *before, const Json *stamped)
{
    if (c->request->dry_run)
        return answer(c, DONE, stamped);
    storage_delete(c, before);
    TRY(definition_deleted(c, before));
    return answer(c, DONE, stamped);
}

/* The real server stores some new objects in another form than those it has read, so their first
 * update is a change of bytes: claims, a status by default, the labels of a Job by default. */
static bool is_first_update_counted(const Call *c, const Json *before)
{
    const Traits *traits = &c->resource->traits;

    if (!traits->update_counts || !record_is_new(shelf_find(c->resource->shelf, c->key)))
        return false;
    return traits->kind != kind_job
        || json_equal(json_find(before, ".metadata.labels"),
            json_find(before, ".spec.template.metadata.labels"));
}

/* Whether the change is one of what is wanted. Of two kinds a part of the metadata is. */
static bool counts(const Call *c, const Json *before, const Json *object)
{
    static const struct {
        const Kind *kind;
        const char *wanted;
    } rows[] = {
        {kind_deployment, ".metadata.annotations"},
        {kind_endpointslice, ".metadata.labels"},
    };
    const Traits *traits = &c->resource->traits;

    if (!traits->has_generation)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (traits->kind == rows[i].kind && !is_status_write(c)
            && !json_equal(json_find(before, rows[i].wanted), json_find(object, rows[i].wanted)))
            return true;
    return object_wants_differ(before, object, traits->has_status);
}

static Err *store_replaced(Call *c, const Json *before, const Json *object)
{
    Stamp stamp = object_stamp(before);
    const Json *stamped;

    if (counts(c, before, object))
        stamp.generation++;
    stamped = object_stamped(c->arena, object, &stamp);
    if (goes_now(c, object, before))
        return remove_replaced(c, before, stamped);
    if (object_same(before, stamped) && !is_first_update_counted(c, before))
        return answer(c, DONE, before);
    if (c->request->dry_run)
        return answer(c, DONE, stamped);
    TRY(storage_write(c, before, object, stamp, &stamped));
    TRY(definition_changed(c, stamped));
    return answer(c, DONE, stamped);
}

/* Decoded as the server does it: what is empty in the metadata is not there, so nobody owns it. An
 * empty list of managers alone means something. */
static const Json *decoded(Call *c, const Wanted *wanted)
{
    static const MemberPath managers = {"metadata", "managedFields"};
    Stamp stamp = object_stamp(wanted->object);
    const Json *sent = json_find(wanted->object, ".metadata.managedFields"), *object;

    if (wanted->owned)
        return wanted->object;
    stamp.api_version = c->resource->api_version;
    stamp.kind = c->resource->traits.kind->name;
    object = object_stamped(c->arena, wanted->object, &stamp);
    if (json_type(sent) == JSON_ARRAY && json_count(sent) == 0)
        return object_with_inner(c->arena, object, managers, sent);
    return object;
}

Err *writing_replace(Call *c, const Wanted *wanted)
{
    const Json *object;

    TRY(check_version(c, wanted->before, wanted->object));
    object = decoded(c, wanted);
    object = reached(c, &(Wanted){.before = wanted->before, .object = object});
    object = mutated(c, object);
    object = schema_complete(c->arena, c->resource->schema, object, wanted->before);
    if (c->resource->traits.kind == kind_job)
        object = admission_labelled(c->arena, object);
    object = owned(c, wanted, object);
    object = kept_metadata(c, object, wanted->before);
    object = admission_carried(c, object, wanted->before);
    TRY(check(c, object, wanted->before));
    TRY(admission_check_growth(c, object, wanted->before));
    return store_replaced(c, wanted->before, object);
}

/* --- the verbs --- */

Err *call_create(Call *c)
{
    const Json *body = c->request->body;

    if (c->request->subresource)
        return refuse_path(c);
    TRY(writing_check_body(c, body));
    TRY(decoding_check(c, body));
    TRY(decoding_check_strictly(c, body));
    return writing_create(c, &(Wanted){.object = body});
}

static Err *check_same_object(Call *c, const Json *before, const Json *object)
{
    const char *uid = meta_uid(object), *own = before ? meta_uid(before) : "";

    if (str_empty(uid) || str_eq(uid, own))
        return OK;
    return refuse_precondition(c, "UID", uid, own);
}

Err *call_update(Call *c)
{
    const Json *body = c->request->body, *before = call_find(c);

    TRY(writing_check_body(c, body));
    TRY(decoding_check(c, body));
    TRY(decoding_check_strictly(c, body));
    TRY(writing_check_name(c, body));
    if (!before && (!c->resource->traits.update_creates || c->request->subresource))
        return refuse_not_found(c);
    TRY(check_same_object(c, before, body));
    if (!before)
        return writing_create(c, &(Wanted){.object = body});
    return writing_replace(c, &(Wanted){.before = before, .object = body});
}
