/* Refusals of unreadable bodies: one fault, and a status for each way to send it. */
#include "world/decoding.h"

#include "base/str.h"
#include "kube/core/text.h"
#include "kube/meta.h"
#include "world/object.h"
#include "world/refusal.h"

static Err *refuse_patch(Call *c, const Json *object, const char *why)
{
    Faults f = {.arena = c->arena};

    faults_add(&f,
        "FieldValueInvalid",
        "patch",
        "Invalid value: %s: %s",
        json_write(c->arena, object_text(c->arena, json_write(c->arena, object).data)).data,
        why);
    return refuse_faults(c, "", "", &f);
}

static Err *refuse_applied(Call *c, const Json *object, const char *why)
{
    const char *kind = c->resource->traits.kind->name, *version = c->resource->api_version;
    const char *namespace = meta_namespace(object);

    return refuse_plain(c,
        500,
        NULL,
        "failed to convert new object (%s/%s; %s, Kind=%s) to proper version: unable to convert "
        "unstructured object to %s, Kind=%s: %s",
        namespace ? namespace : "",
        c->request->key.name,
        version,
        kind,
        version,
        kind,
        why);
}

static bool is_patch(const Call *c)
{
    return c->request->verb == VERB_MERGE_PATCH || c->request->verb == VERB_JSON_PATCH
        || c->request->verb == VERB_STRATEGIC_PATCH;
}

/* 400, or of what a patch makes 422. */
static Err *refuse_object(Call *c, const Json *object, const char *why)
{
    const Kind *kind = c->resource->traits.kind;

    if (is_patch(c))
        return refuse_patch(c, object, why);
    return refuse_bad_request(c,
        "%s in version \"%s\" cannot be handled as a %s: %s",
        kind->name,
        kind->version,
        kind->name,
        why);
}

Err *decoding_check(Call *c, const Json *object)
{
    const Err *err = schema_decode(c->arena, c->resource->schema, object);

    if (!err)
        return OK;
    if (err->status != 0)
        return refuse_plain(c, err->status, err->reason, "%s", err->message);
    if (c->request->verb == VERB_APPLY)
        return refuse_applied(c, object, err->message);
    return refuse_object(c, object, err->message);
}

Err *decoding_check_strictly(Call *c, const Json *object)
{
    FieldValidation wanted = c->request->field_validation;
    const char *const *strays;
    Text all = {.arena = c->arena};

    if (wanted != FIELD_VALIDATION_WARN && wanted != FIELD_VALIDATION_STRICT)
        return OK;
    strays = schema_strays(c->arena,
        c->resource->schema,
        object,
        c->resource->traits.is_custom || c->request->verb == VERB_STRATEGIC_PATCH);
    if (!strays)
        return OK;
    if (wanted == FIELD_VALIDATION_WARN) {
        c->warnings = strays;
        return OK;
    }
    for (; *strays; strays++) {
        text_add(&all, all.len > 0 ? ", " : "strict decoding error: ");
        text_add(&all, *strays);
    }
    return refuse_object(c, object, text_seen(&all));
}
