/* Refusals: one shape of Status, and the wordings of the API server. */
#include "world/refusal.h"

#include "base/str.h"
#include "kube/meta.h"

#include <inttypes.h>
#include <string.h>

Draft *refusal_details(Arena *a, const char *group, const char *kind, const char *name)
{
    return draft(a,
        str("name", str_empty(name) ? NULL : name),
        str("group", str_empty(group) ? NULL : group),
        str("kind", str_empty(kind) ? NULL : kind));
}

const Json *refusal_status(
    Arena *a, int status, const char *reason, const char *message, Draft *details)
{
    return json_seal(a,
        draft(a,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(a)),
            str("status", "Failure"),
            str("message", message),
            str("reason", reason),
            sub("details", details),
            num("code", status)));
}

static Err *refuse(Call *c, int status, const char *reason, const char *message, Draft *details)
{
    Err *err = err_terminal(c->arena, "%s", message);

    err->status = status;
    err->reason = reason;
    c->status = status;
    c->body = refusal_status(c->arena, status, reason, message, details);
    return err;
}

Err *refuse_plain(Call *c, int status, const char *reason, const char *format, ...)
{
    va_list args;
    const char *message;

    va_start(args, format);
    message = str_vformat(c->arena, format, args);
    va_end(args);
    return refuse(c, status, reason, message, NULL);
}

Err *refuse_bad_request(Call *c, const char *format, ...)
{
    va_list args;
    const char *message;

    va_start(args, format);
    message = str_vformat(c->arena, format, args);
    va_end(args);
    return refuse(c, 400, "BadRequest", message, NULL);
}

Err *refuse_path(Call *c)
{
    return refuse(c,
        404,
        "NotFound",
        "the server could not find the requested resource",
        draft_object(c->arena));
}

static Draft *plural_details(Call *c, const char *name)
{
    const Kind *kind = c->resource->traits.kind;

    return refusal_details(c->arena, kind->group, kind->plural, name);
}

Err *refuse_not_found(Call *c)
{
    const char *name = c->request->key.name;
    const char *message =
        str_format(c->arena, "%s \"%s\" not found", resource_plural(c->arena, c->resource), name);

    return refuse(c, 404, "NotFound", message, plural_details(c, name));
}

Err *refuse_namespace(Call *c, const char *namespace)
{
    return refuse(c,
        404,
        "NotFound",
        str_format(c->arena, "namespaces \"%s\" not found", namespace),
        refusal_details(c->arena, NULL, "namespaces", namespace));
}

Err *refuse_unprocessable(Call *c)
{
    return refuse(c,
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
        draft_object(c->arena));
}

Err *refuse_method(Call *c)
{
    return refuse(c,
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        draft_object(c->arena));
}

Err *refuse_exists(Call *c, const Json *object, bool generated)
{
    Draft *details = plural_details(c, meta_name(object));
    const char *message = str_format(c->arena,
        "%s%s \"%s\" already exists%s",
        meta_deleting(object) ? "object is being deleted: " : "",
        resource_plural(c->arena, c->resource),
        meta_name(object),
        generated ? ", the server was not able to generate a unique name for the object" : "");

    if (generated)
        draft_set(details, num("retryAfterSeconds", 1));
    return refuse(c, 409, "AlreadyExists", message, details);
}

Err *refuse_conflict(Call *c, const char *what, const char *format, ...)
{
    const Kind *kind = c->resource->traits.kind;
    const char *name = c->request->key.name, *message;
    /* One Event is of the core, whichever way it is asked for; all of them are not. */
    const char *group = str_eq(what, kind_event->name) ? "" : kind->group;
    va_list args;

    va_start(args, format);
    message = str_vformat(c->arena, format, args);
    va_end(args);
    message = str_format(c->arena,
        "Operation cannot be fulfilled on %s%s%s \"%s\": %s",
        what,
        *group ? "." : "",
        group,
        name,
        message);
    return refuse(c, 409, "Conflict", message, refusal_details(c->arena, group, what, name));
}

Err *refuse_precondition(Call *c, const char *what, const char *wanted, const char *own)
{
    const Kind *kind = c->resource->traits.kind;

    return refuse_conflict(c,
        kind->plural,
        "StorageError: invalid object, Code: 4, Key: %s/%s%s%s/%s, ResourceVersion: 0, "
        "AdditionalErrorMsg: Precondition failed: %s in precondition: %s, %s in object meta: %s",
        c->request->dry_run ? "" : "/registry",
        c->resource->traits.is_custom ? kind->group : "",
        c->resource->traits.is_custom ? "/" : "",
        kind == kind_service ? "services/specs" : kind->plural,
        c->key,
        what,
        wanted,
        what,
        own);
}

static Draft *cause_draft(Arena *a, const char *reason, const char *message, const char *field)
{
    return draft(a, str("reason", reason), str("message", message), str("field", field));
}

Err *refuse_forbidden(Call *c, const char *name, const char *why, const RefusalCause *cause)
{
    Draft *details = plural_details(c, name);
    const char *message = str_format(
        c->arena, "%s \"%s\" is forbidden: %s", resource_plural(c->arena, c->resource), name, why);

    if (cause)
        draft_set(details,
            list("causes", cause_draft(c->arena, cause->reason, cause->message, cause->field)));
    return refuse(c, 403, "Forbidden", message, details);
}

Err *refuse_expired(Call *c, const char *continue_key)
{
    static const char message[] =
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter, or use the continue token in this "
        "response to retrieve the remainder of the results. Continuing with the provided token "
        "results in an inconsistent list - objects that were created, modified, or deleted between "
        "the time the first chunk was returned and now may show up in the list.";
    Err *err = refuse(c, 410, "Expired", message, NULL);

    c->body = json_merge(c->arena,
        c->body,
        json_seal(c->arena, draft(c->arena, obj("metadata", str("continue", continue_key)))));
    return err;
}

const Json *refusal_too_old(Arena *a, uint64_t version, uint64_t floor)
{
    return refusal_status(a,
        410,
        "Expired",
        str_format(a, "too old resource version: %" PRIu64 " (%" PRIu64 ")", version, floor),
        NULL);
}

/* --- what is wrong with an object --- */

/* The real server says each fault once in the message, and as often as it found it in the causes.
 */
static bool is_said(Faults *f, const char *text)
{
    FaultSaid *said = f->said;

    for (; said; said = said->before)
        if (str_eq(said->text, text))
            return true;
    said = arena_new(f->arena, FaultSaid);
    *said = (FaultSaid){.text = text, .before = f->said};
    f->said = said;
    return false;
}

static void add_cause(Faults *f, const char *reason, const char *field, const char *message)
{
    const char *text = str_format(f->arena, "%s: %s", field, message);

    if (!f->causes)
        f->causes = draft_array(f->arena);
    draft_push(f->causes, cause_draft(f->arena, reason, message, field));
    if (is_said(f, text))
        return;
    f->text = f->text ? str_format(f->arena, "%s, %s", f->text, text) : text;
    f->count++;
}

void faults_add(Faults *f, const char *reason, const char *field, const char *format, ...)
{
    va_list args;
    const char *message;

    va_start(args, format);
    message = str_vformat(f->arena, format, args);
    va_end(args);
    add_cause(f, reason, field, message);
}

Err *refuse_faults(Call *c, const char *what, const char *name, Faults *f)
{
    const char *dot = strchr(what, '.');
    const char *kind = dot ? str_slice(c->arena, what, (size_t)(dot - what)) : what;
    const char *message;
    Draft *details;

    if (!f->causes)
        return OK;
    message = str_format(c->arena,
        f->count > 1 ? "%s \"%s\" is invalid: [%s]" : "%s \"%s\" is invalid: %s",
        what,
        name,
        f->text);
    details = refusal_details(c->arena, dot ? dot + 1 : NULL, kind, name);
    draft_set(details, sub("causes", f->causes));
    return refuse(c, 422, "Invalid", message, details);
}

/* --- reading the causes back out of a message --- */

static const struct {
    const char *text, *reason;
} fault_types[] = {
    {"Invalid value", "FieldValueInvalid"},
    {"Required value", "FieldValueRequired"},
    {"Forbidden", "FieldValueForbidden"},
    {"Unsupported value", "FieldValueNotSupported"},
    {"Duplicate value", "FieldValueDuplicate"},
    {"Not found", "FieldValueNotFound"},
    {"Too long", "FieldValueTooLong"},
    {"Too many", "FieldValueTooMany"},
    {"Internal error", "InternalError"},
};

/* The reason of the fault that begins here as "field: Type of fault", or NULL when none does. */
static const char *fault_reason(const char *text, const char **ret_message)
{
    size_t field = strcspn(text, " ");

    if (field < 2 || text[field - 1] != ':')
        return NULL;
    *ret_message = text + field + 1;
    for (size_t i = 0; i < sizeof fault_types / sizeof *fault_types; i++)
        if (str_has_prefix(*ret_message, fault_types[i].text))
            return fault_types[i].reason;
    return NULL;
}

/* Where the fault that begins here ends: before the next one, or at the end of the text. */
static const char *fault_end(const char *text)
{
    const char *message;

    for (const char *at = strstr(text, ", "); at; at = strstr(at + 1, ", "))
        if (fault_reason(at + 2, &message))
            return at;
    return text + strlen(text);
}

void faults_add_text(Faults *f, const char *text)
{
    const char *said = strstr(text, " is invalid: ");

    if (said)
        text = said + strlen(" is invalid: ");
    if (*text == '[' && str_has_suffix(text, "]"))
        text = str_slice(f->arena, text + 1, strlen(text) - 2);
    while (*text) {
        const char *end = fault_end(text), *message = text;
        const char *reason = fault_reason(text, &message);
        const char *field = "";
        if (reason)
            field = str_slice(f->arena, text, (size_t)(message - text) - 2);
        message = str_slice(f->arena, message, (size_t)(end - message));
        if (reason && strstr(message, " must be of type "))
            reason = "FieldValueTypeInvalid";
        add_cause(f, reason ? reason : "FieldValueInvalid", field, message);
        text = *end ? end + 2 : end;
    }
}

void faults_add_causes(Faults *f, const Err *cause)
{
    for (; cause; cause = cause->cause) {
        const char *colon = strstr(cause->message, ": ");
        size_t len = colon ? (size_t)(colon - cause->message) : 0;
        add_cause(f,
            cause->reason,
            str_slice(f->arena, cause->message, len),
            colon ? colon + 2 : cause->message);
    }
}

/* "conflict with "x" using v1: .a.b", or "conflicts with "x" using v1:" and lines "- .a.b". */
static Draft *conflict_causes(Arena *a, const char *text)
{
    Draft *causes = draft_array(a);
    const char *with = "", *line, *end;

    for (line = text; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *field = strstr(line, ": .");
        if (str_has_prefix(line, "- ")) {
            draft_push(causes,
                cause_draft(a,
                    "FieldManagerConflict",
                    with,
                    str_slice(a, line + 2, (size_t)(end - line) - 2)));
        } else if (field && field < end) {
            draft_push(causes,
                cause_draft(a,
                    "FieldManagerConflict",
                    str_slice(a, line, (size_t)(field - line)),
                    str_slice(a, field + 2, (size_t)(end - field) - 2)));
        } else if (str_has_prefix(line, "conflicts ")) {
            with = str_format(
                a, "conflict%.*s", (int)(end - line) - 1 - (int)strlen("conflicts"), line + 9);
        }
    }
    return causes;
}

static Err *refuse_apply_conflict(Call *c, const char *message)
{
    const char *text = strstr(message, ": ");
    Draft *details =
        draft(c->arena, sub("causes", conflict_causes(c->arena, text ? text + 2 : message)));

    return refuse(c, 409, "Conflict", message, details);
}

Err *refuse_err(Call *c, const Err *err)
{
    const char *name = c->request->key.name;
    Faults f = {.arena = c->arena};

    if (err->status == 409)
        return refuse_apply_conflict(c, err->message);
    if (err->status != 422)
        return refuse_plain(c,
            err->status ? err->status : 400,
            err->status ? err->reason : "BadRequest",
            "%s",
            err->message);
    faults_add_text(&f, err->message);
    return refuse_faults(c, resource_singular(c->arena, c->resource), name ? name : "", &f);
}
