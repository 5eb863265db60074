/* Requests as HTTP sees them: method, URL, content type and body.
 *
 * One table says what each verb is on the wire. The surprising part is what is refused: a DELETE
 * without a name would be a deletecollection, and a name such as ".." would leave its collection,
 * so neither ever becomes a URL. */
#include "kube/request.h"

#include "base/draft.h"
#include "base/str.h"

#include <string.h>

enum {
    SEGMENT_MAX = 253,
    TEXT_MAX = 2 * SEGMENT_MAX + 1, /* of a key in an error: no legal one is longer */
};

typedef struct VerbForm {
    const char *method;
    const char *word; /* in audit logs and metrics */
    const char *type; /* Content-Type of the body; NULL: there is none */
    bool write;
    bool named; /* acts on one object, so needs its name */
} VerbForm;

static const char plain_type[] = "application/json";
static const char apply_type[] = "application/apply-patch+yaml"; /* JSON is YAML */
static const char merge_type[] = "application/merge-patch+json";
static const char patch_type[] = "application/json-patch+json";
static const char strategic_type[] = "application/strategic-merge-patch+json";

static const VerbForm forms[] = {
    [VERB_GET] = {.method = "GET", .word = "get", .named = true},
    [VERB_LIST] = {.method = "GET", .word = "list"},
    [VERB_WATCH] = {.method = "GET", .word = "watch"},
    [VERB_CREATE] = {.method = "POST", .word = "create", .type = plain_type, .write = true},
    [VERB_UPDATE] =
        {.method = "PUT", .word = "update", .type = plain_type, .write = true, .named = true},
    [VERB_APPLY] =
        {.method = "PATCH", .word = "patch", .type = apply_type, .write = true, .named = true},
    [VERB_MERGE_PATCH] =
        {.method = "PATCH", .word = "patch", .type = merge_type, .write = true, .named = true},
    [VERB_JSON_PATCH] =
        {.method = "PATCH", .word = "patch", .type = patch_type, .write = true, .named = true},
    [VERB_STRATEGIC_PATCH] =
        {.method = "PATCH", .word = "patch", .type = strategic_type, .write = true, .named = true},
    [VERB_DELETE] =
        {.method = "DELETE", .word = "delete", .type = plain_type, .write = true, .named = true},
    [VERB_RAW_GET] = {.method = "GET", .word = "get"},
};

static const VerbForm *form_of(const Request *request)
{
    return &forms[request->verb];
}

bool request_is_write(const Request *request)
{
    return form_of(request)->write && !request->dry_run;
}

bool request_is_safe_to_repeat(const Request *request)
{
    return !request_is_write(request) || request->verb == VERB_APPLY;
}

const char *request_method(const Request *request)
{
    return form_of(request)->method;
}

const char *request_verb_text(const Request *request)
{
    return form_of(request)->word;
}

const char *request_content_type(const Request *request)
{
    return form_of(request)->type;
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
        || c == '.' || c == '_' || c == '~';
}

const char *request_escape(Arena *a, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t len = text ? strlen(text) : 0;
    char *escaped = arena_array(a, char, len * 3 + 1);
    char *end = escaped;

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (is_unreserved(text[i])) {
            *end++ = text[i];
            continue;
        }
        *end++ = '%';
        *end++ = digits[byte >> 4];
        *end++ = digits[byte & 15];
    }
    return escaped;
}

/* --- what cannot become a URL --- */

static Err *check_segment(Arena *a, const Request *request, const char *what, const char *text)
{
    if (!text || !*text)
        return err_terminal(a, "%s: the %s is empty", request_text(a, request), what);
    if (strlen(text) > SEGMENT_MAX)
        return err_terminal(
            a, "%s: the %s is longer than %d bytes", request_text(a, request), what, SEGMENT_MAX);
    if (str_eq(text, ".") || str_eq(text, "..") || strchr(text, '/'))
        return err_terminal(a, "%s: \"%s\" cannot be a %s", request_text(a, request), text, what);
    return OK;
}

static bool acts_on_one(const Request *request)
{
    return form_of(request)->named || request->subresource;
}

static Err *check_key(Arena *a, const Request *request)
{
    bool has_namespace = !str_empty(request->key.namespace);
    bool of_collection = request->verb == VERB_LIST || request->verb == VERB_WATCH;

    if (of_collection && request->key.name)
        return err_terminal(a,
            "%s: it takes no name; select one object by the field metadata.name",
            request_text(a, request));
    if (acts_on_one(request))
        TRY(check_segment(a, request, "name", request->key.name));
    if (has_namespace && !request->kind->namespaced)
        return err_terminal(a, "%s: the kind has no namespaces", request_text(a, request));
    if (has_namespace)
        return check_segment(a, request, "namespace", request->key.namespace);
    if (request->kind->namespaced && !of_collection)
        return err_terminal(a, "%s: the namespace is missing", request_text(a, request));
    return OK;
}

static Err *check_parts(Arena *a, const Request *request)
{
    bool needs_body = form_of(request)->type && request->verb != VERB_DELETE;

    if (needs_body && !request->body)
        return err_terminal(a, "%s: the body is missing", request_text(a, request));
    if (request->verb == VERB_APPLY && str_empty(request->manager))
        return err_terminal(a, "%s: an apply needs a field manager", request_text(a, request));
    if (request->verb == VERB_LIST && request->resource_version)
        return err_terminal(a,
            "%s: a list is always consistent and takes no resourceVersion",
            request_text(a, request));
    if (request->subresource)
        TRY(check_segment(a, request, "subresource", request->subresource));
    return check_key(a, request);
}

static Err *raw_url(Arena *a, const Request *request, const char **ret)
{
    const char *path = request->raw_path;

    if (str_empty(path) || path[0] != '/')
        return err_terminal(a, "get \"%s\": a raw path begins with a slash", path ? path : "");
    for (const char *c = path; *c; c++)
        if (*c <= ' ' || *c > '~')
            return err_terminal(a, "get: a raw path holds a byte that must be escaped");
    *ret = str_copy(a, path);
    return OK;
}

/* --- path and query --- */

static const char *path_of(Arena *a, const Request *request)
{
    const Kind *kind = request->kind;
    const char *path = *kind->group ? str_format(a, "/apis/%s/%s", kind->group, kind->version)
                                    : str_format(a, "/api/%s", kind->version);

    if (!str_empty(request->key.namespace))
        path = str_format(a, "%s/namespaces/%s", path, request_escape(a, request->key.namespace));
    path = str_format(a, "%s/%s", path, kind->plural);
    if (acts_on_one(request))
        path = str_format(a, "%s/%s", path, request_escape(a, request->key.name));
    if (request->subresource)
        path = str_format(a, "%s/%s", path, request_escape(a, request->subresource));
    return path;
}

/* Adds a parameter; NULL or "" leaves it out. */
static const char *with(Arena *a, const char *url, const char *name, const char *value)
{
    if (str_empty(value))
        return url;
    return str_format(
        a, "%s%c%s=%s", url, strchr(url, '?') ? '&' : '?', name, request_escape(a, value));
}

static const char *with_number(Arena *a, const char *url, const char *name, int64_t value)
{
    return value > 0 ? with(a, url, name, str_format(a, "%lld", (long long)value)) : url;
}

static const char *with_selection(Arena *a, const char *url, const Request *request)
{
    url = with(a, url, "labelSelector", request->labels);
    url = with(a, url, "fieldSelector", request->fields);
    if (request->verb == VERB_LIST) {
        url = with_number(a, url, "limit", request->limit);
        return with(a, url, "continue", request->continue_key);
    }
    url = with(a, url, "watch", "true");
    url = with(a, url, "allowWatchBookmarks", request->bookmarks ? "true" : NULL);
    url = with(a, url, "resourceVersion", request->resource_version);
    return with_number(a, url, "timeoutSeconds", request->timeout_seconds);
}

static const char *with_write_options(Arena *a, const char *url, const Request *request)
{
    static const char *const words[] = {[FIELD_VALIDATION_IGNORE] = "Ignore",
        [FIELD_VALIDATION_WARN] = "Warn",
        [FIELD_VALIDATION_STRICT] = "Strict"};

    url = with(a, url, "fieldManager", request->manager);
    if (request->verb != VERB_DELETE)
        url = with(a, url, "fieldValidation", words[request->field_validation]);
    url = with(a, url, "force", request->verb == VERB_APPLY && request->force ? "true" : NULL);
    return with(a, url, "dryRun", request->dry_run ? "All" : NULL);
}

Err *request_url(Arena *a, const Request *request, const char **ret)
{
    const char *url;

    if (request->verb == VERB_RAW_GET)
        return raw_url(a, request, ret);
    TRY(check_parts(a, request));
    url = path_of(a, request);
    if (request->verb == VERB_LIST || request->verb == VERB_WATCH)
        url = with_selection(a, url, request);
    else if (form_of(request)->write && request->verb != VERB_DELETE)
        url = with_write_options(a, url, request);
    *ret = url;
    return OK;
}

/* --- body --- */

static const char *propagation_text(Propagation propagation)
{
    static const char *const texts[] = {
        [PROPAGATION_DEFAULT] = NULL,
        [PROPAGATION_BACKGROUND] = "Background",
        [PROPAGATION_FOREGROUND] = "Foreground",
        [PROPAGATION_ORPHAN] = "Orphan",
    };

    return texts[propagation];
}

static const Json *delete_options(Arena *a, const Request *request)
{
    Draft *options = draft(a,
        str("apiVersion", "v1"),
        str("kind", "DeleteOptions"),
        draft_num_if(request->has_grace, "gracePeriodSeconds", request->grace_seconds),
        str("propagationPolicy", propagation_text(request->propagation)));

    if (request->uid || request->resource_version)
        draft_set(options,
            sub("preconditions",
                draft(a,
                    str("uid", request->uid),
                    str("resourceVersion", request->resource_version))));
    if (request->dry_run)
        draft_set(options, strs("dryRun", "All"));
    return json_seal(a, options);
}

Bytes request_body(Arena *a, const Request *request)
{
    if (request->verb == VERB_DELETE)
        return json_write(a, delete_options(a, request));
    if (!form_of(request)->type || !request->body)
        return (Bytes){0};
    return json_write(a, request->body);
}

const char *request_text(Arena *a, const Request *request)
{
    const char *text;

    if (request->verb == VERB_RAW_GET)
        return str_format(a, "get %s", request->raw_path ? request->raw_path : "");
    text = str_format(a, "%s %s", request_verb_text(request), request->kind->plural);
    if (*request->kind->group)
        text = str_format(a, "%s %s", text, request->kind->group);
    if (request->key.name)
        text = str_format(a, "%s %s", text, str_cut(a, key_text(a, request->key), TEXT_MAX));
    else if (!str_empty(request->key.namespace))
        text = str_format(a, "%s %s/", text, request->key.namespace);
    if (request->subresource)
        text = str_format(a, "%s (%s)", text, request->subresource);
    return text;
}
