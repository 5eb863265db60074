/* Definitions. In the real server controllers do this a moment later; here it is done when the call
 * returns, but for objects with finalizers, which keep a definition in Terminating. */
#include "world/definition.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/deletion.h"
#include "world/fields.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/storage.h"

static const char cleanup[] = "customresourcecleanup.apiextensions.k8s.io";

static bool is_definition(const Call *c)
{
    return c->resource->traits.kind == kind_crd;
}

static Resource *resource_of(const Server *s, const char *crd_name)
{
    for (size_t i = 0; i < s->resource_count; i++)
        if (s->resources[i]->crd_name && str_eq(s->resources[i]->crd_name, crd_name))
            return s->resources[i];
    return NULL;
}

Err *definition_check(Call *c, const Json *object, const Json *before)
{
    const char *name = meta_name(object);
    const char *right = str_format(c->arena,
        "%s.%s",
        json_str(object, ".spec.names.plural") ? json_str(object, ".spec.names.plural") : "",
        json_str(object, ".spec.group") ? json_str(object, ".spec.group") : "");
    Faults f = {.arena = c->arena};
    Err *err;

    if (!str_eq(name, right))
        faults_add(&f,
            "FieldValueInvalid",
            "metadata.name",
            "Invalid value: \"%s\": must be spec.names.plural+\".\"+spec.group",
            name);
    err = resource_check_custom(c->arena, object);
    if (err && err->status == 422)
        faults_add_causes(&f, err->cause);
    else if (err)
        faults_add(&f, "FieldValueInvalid", "spec.versions", "Invalid value: %s", err->message);
    else if (!before && !resource_of(c->server, right)
        && c->server->resource_count == SERVER_RESOURCES_MAX)
        return refuse_plain(c, 500, NULL, "this server serves no more kinds");
    return refuse_faults(c, resource_singular(c->arena, c->resource), name, &f);
}

/* The definition of a custom resource's kind, or NULL. */
static const Json *definition_of(Call *c, const Resource *r)
{
    Record *record =
        r->crd_name ? shelf_find(server_resource(c->server, kind_crd)->shelf, r->crd_name) : NULL;

    return record ? record_object(c->arena, record) : NULL;
}

Err *definition_check_open(Call *c, const char *name)
{
    if (!c->resource->is_closing)
        return OK;
    return refuse_forbidden(
        c, name, "create not allowed while custom resource definition is terminating", NULL);
}

/* --- serving --- */

static Draft *condition(Call *c, const char *type, const char *reason, const char *message)
{
    return draft(c->arena,
        str("type", type),
        str("status", "True"),
        str("lastTransitionTime", c->now),
        str("reason", reason),
        str("message", message));
}

static const Json *established(Call *c, const Json *crd)
{
    const Json *status = json_member(crd, "status");

    status = object_with(c->arena, status, "acceptedNames", json_find(crd, ".spec.names"));
    status = object_with(c->arena,
        status,
        "conditions",
        json_find(json_seal(c->arena,
                      draft(c->arena,
                          list("list",
                              condition(c, "NamesAccepted", "NoConflicts", "no conflicts found"),
                              condition(c,
                                  "Established",
                                  "InitialNamesAccepted",
                                  "the initial names have been accepted")))),
            ".list"));
    return object_with(c->arena, crd, "status", status);
}

static Err *serve(Call *c, const Json *crd)
{
    Server *s = c->server;
    Resource *r = resource_of(s, meta_name(crd));
    Err *err = r ? resource_describe(c->arena, s->slab, r, crd)
                 : resource_open_custom(c->arena, s->slab, crd, &r);

    if (err)
        return refuse_err(c, err);
    if (!resource_of(s, meta_name(crd)))
        s->resources[s->resource_count++] = r;
    r->is_gone = false;
    r->is_closing = false;
    return OK;
}

bool definition_restore(Server *s, Arena *a, const Json *crd)
{
    Request request = {.verb = VERB_CREATE, .kind = kind_crd};
    Call c = {.server = s, .arena = a, .request = &request};

    if (!resource_of(s, meta_name(crd)) && s->resource_count == SERVER_RESOURCES_MAX)
        return false;
    if (serve(&c, crd))
        return false;
    resource_of(s, meta_name(crd))->is_closing = meta_deleting(crd);
    return true;
}

Err *definition_created(Call *c, const Json *object, const Json **ret)
{
    FieldWriter writer = {
        .manager = "kube-apiserver",
        .subresource = "status",
        .api_version = c->resource->api_version,
        .now = c->now,
    };
    const Json *after;

    *ret = object;
    if (!is_definition(c))
        return OK;
    TRY(serve(c, object));
    after = established(c, object);
    after = fields_updated(c->arena, c->resource->schema, object, after, &writer);
    return storage_write(c, object, after, object_stamp(object), &after);
}

Err *definition_changed(Call *c, const Json *object)
{
    return is_definition(c) ? serve(c, object) : OK;
}

/* --- going --- */

static void unserve(Resource *r)
{
    r->is_gone = true;
    r->is_closing = false;
    r->epoch++;
}

/* The definition without our finalizer: gone, unless somebody else's finalizer is left. */
static Err *finish(Call *c, const Json *crd)
{
    const Json *finalizers = json_find(crd, ".metadata.finalizers"), *each;
    Draft *rest = draft_array(c->arena);
    const Json *after;
    Resource *r = resource_of(c->server, meta_name(crd));

    json_each(each, finalizers)
        if (!str_eq(json_text(each), cleanup))
            draft_push_json(rest, each);
    if (draft_count(rest) == 0) {
        storage_delete(c, crd);
        unserve(r);
        return OK;
    }
    after = object_with_inner(
        c->arena, crd, (MemberPath){"metadata", "finalizers"}, json_seal(c->arena, rest));
    return storage_write(c, crd, after, object_stamp(crd), &after);
}

/* The definition as it stands, or NULL when it went. */
static Err *delete_objects(Call *c, Resource *r)
{
    Request plain = {.verb = VERB_DELETE, .kind = r->traits.kind};
    const ShelfPlace *place = shelf_seek(r->shelf, NULL);

    while (place) {
        Call inner = *c;
        const Json *object = record_object(c->arena, shelf_record(place));
        const char *key = str_copy(c->arena, record_key(shelf_record(place)));
        plain.key = meta_key(object);
        inner.resource = r;
        inner.request = &plain;
        TRY(deletion_begin(&inner, object));
        place = shelf_seek(r->shelf, key);
        if (place && str_eq(record_key(shelf_record(place)), key))
            place = shelf_next(place);
    }
    return OK;
}

static const Json *terminating(Call *c, const Json *crd)
{
    const Json *conditions = json_find(crd, ".status.conditions"), *each;
    Draft *all = draft_array(c->arena), *finalizers = draft_array(c->arena);

    json_each(each, conditions)
        draft_push_json(all, each);
    draft_push(all,
        condition(c,
            "Terminating",
            "InstanceDeletionInProgress",
            "CustomResource deletion is in progress"));
    json_each(each, json_find(crd, ".metadata.finalizers"))
        draft_push_json(finalizers, each);
    draft_push_str(finalizers, cleanup);
    crd = object_with_inner(
        c->arena, crd, (MemberPath){"status", "conditions"}, json_seal(c->arena, all));
    return object_with_inner(
        c->arena, crd, (MemberPath){"metadata", "finalizers"}, json_seal(c->arena, finalizers));
}

Err *definition_delete(Call *c, const Json *crd)
{
    Resource *r = resource_of(c->server, meta_name(crd));
    Stamp stamp = object_stamp(crd);

    c->status = 200;
    c->body = crd;
    if (stamp.deleted)
        return OK;
    stamp.deleted = c->now;
    if (c->request->dry_run) {
        c->body = object_stamped(c->arena, terminating(c, crd), &stamp);
        return OK;
    }
    TRY(storage_write(c, crd, terminating(c, crd), stamp, &crd));
    c->body = crd;
    r->is_closing = true;
    if (shelf_count(r->shelf) == 0)
        return finish(c, crd);
    return delete_objects(c, r);
}

Err *definition_deleted(Call *c, const Json *object)
{
    Resource *definitions = server_resource(c->server, kind_crd);
    const Json *crd;
    Call inner = *c;

    if (is_definition(c)) {
        unserve(resource_of(c->server, meta_name(object)));
        return OK;
    }
    if (!c->resource->is_closing || shelf_count(c->resource->shelf) > 0)
        return OK;
    crd = definition_of(c, c->resource);
    inner.resource = definitions;
    return crd ? finish(&inner, crd) : OK;
}
