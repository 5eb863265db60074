/* One side of the comparison: fills in what it saw before, asks, and makes the answer comparable.
 * Errors are compared as the client reads them: class, status, reason and message. */
#include "tests/e2e/fidelity.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FIDELITY_NAMES] = {"a", "b", "c"};
static const char wrong_uid[] = "00000000-0000-4000-8000-000000000000";

static Err *side_call(Side *side, const Request *request, const Json **ret)
{
    Answer answer = {0};

    if (side->api)
        return api_call(side->api, side->arena, request, ret);
    server_call(side->server, side->arena, "admin", request, &answer);
    *ret = answer.body;
    return status_err(side->arena, request, &answer);
}

Err *side_begin(Side *side)
{
    Arena *a = side->arena;
    const Json *ret;
    Request request = {.verb = VERB_CREATE, .kind = kind_namespace, .manager = "setup"};

    request.body = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Namespace"),
            obj("metadata", str("name", side->namespace))));
    TRY(side_call(side, &request, &ret));
    request.kind = kind_serviceaccount;
    request.key.namespace = side->namespace;
    request.body = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "ServiceAccount"),
            obj("metadata", str("name", "default"), str("namespace", side->namespace))));
    return side_call(side, &request, &ret);
}

/* --- the request --- */

static const Json *seen_object(const Side *side, const Step *step, Seen seen)
{
    if (seen == SEEN_FIRST)
        return side->first[step->kind][step->name];
    return side->last[step->kind][step->name];
}

static const char *seen_uid(const Side *side, const Step *step)
{
    if (step->uid == SEEN_NONE)
        return NULL;
    const char *uid = step->uid == SEEN_WRONG ? NULL : meta_uid(seen_object(side, step, step->uid));
    return uid ? uid : wrong_uid;
}

static const char *seen_version(const Side *side, const Step *step)
{
    if (step->version == SEEN_NONE)
        return NULL;
    const char *version = step->version == SEEN_WRONG
        ? NULL
        : meta_resource_version(seen_object(side, step, step->version));
    return version ? version : "1";
}

/* The text with the names that belong to the step, over what it is a change of. */
static const Json *body_of(Side *side, const Step *step, const Json *base)
{
    Arena *a = side->arena;
    const Kind *kind = fidelity_kinds[step->kind]->kind;
    char api_version[KIND_API_VERSION_SIZE];
    bool scale = str_eq(step->request.subresource, "scale");
    const Json *identity = json_seal(a,
        draft(a,
            str("apiVersion",
                scale ? "autoscaling/v1" : str_copy(a, kind_api_version(kind, api_version))),
            str("kind", scale ? "Scale" : kind->name),
            obj("metadata", str("name", names[step->name]), str("namespace", side->namespace))));

    return json_merge(a, json_merge(a, base, json_fixture(a, step->text)), identity);
}

static const Json *with_seen(Side *side, const Step *step, const Json *body)
{
    Arena *a = side->arena;
    const char *uid = seen_uid(side, step), *version = seen_version(side, step);

    if (!uid && !version)
        return body;
    return json_merge(a,
        body,
        json_seal(a, draft(a, obj("metadata", str("uid", uid), str("resourceVersion", version)))));
}

static const Json *updated(Side *side, const Step *step)
{
    const Json *base = side->last[step->kind][step->name];
    const Json *without = json_fixture(side->arena, "{metadata: {resourceVersion: null}}");

    if (!base || str_eq(step->request.subresource, "scale"))
        base = json_fixture(side->arena, fidelity_kinds[step->kind]->objects[0]);
    if (str_eq(step->request.subresource, "scale"))
        base = NULL;
    return with_seen(
        side, step, body_of(side, step, base ? json_merge(side->arena, base, without) : NULL));
}

static void fill_in(Side *side, const Step *step, Request *ret)
{
    *ret = step->request;
    ret->kind = fidelity_kinds[step->kind]->kind;
    ret->key.namespace = side->namespace;
    ret->key.name = ret->verb == VERB_LIST ? NULL : names[step->name];
    switch (ret->verb) {
    case VERB_CREATE:
    case VERB_APPLY:
        ret->body = with_seen(side, step, body_of(side, step, NULL));
        break;
    case VERB_UPDATE:
        ret->body = updated(side, step);
        break;
    case VERB_MERGE_PATCH:
        ret->body = with_seen(side, step, json_fixture(side->arena, step->text));
        break;
    case VERB_JSON_PATCH:
        ret->body = json_fixture(side->arena, step->text);
        break;
    case VERB_DELETE:
        ret->uid = seen_uid(side, step);
        ret->resource_version = seen_version(side, step);
        break;
    case VERB_LIST:
        ret->continue_key = step->goes_on ? side->token : NULL;
        break;
    default:
        break;
    }
}

/* --- the answer --- */

static size_t place_of(Side *side, Appeared *in, const char *value, size_t len)
{
    for (size_t i = 0; i < in->count; i++)
        if (strlen(in->values[i]) == len && memcmp(in->values[i], value, len) == 0)
            return i;
    if (in->count == FIDELITY_SEEN_MAX)
        BUG("more values than a sequence can have");
    in->values[in->count] = str_slice(side->arena, value, len);
    return in->count++;
}

/* How much of the text is of the shape: x hex digit, 9 digit, anything else itself; 0: it is not.
 */
static size_t shape_len(const char *text, const char *shape)
{
    size_t i = 0;

    for (; shape[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        bool fits = shape[i] == 'x' ? isxdigit(c) != 0
            : shape[i] == '9'       ? isdigit(c) != 0
                                    : c == (unsigned char)shape[i];
        if (!fits)
            return 0;
    }
    return i;
}

static size_t digits_len(const char *text)
{
    return strspn(text, "0123456789");
}

static size_t time_len(const char *text)
{
    size_t len = shape_len(text, "9999-99-99T99:99:99");

    if (len == 0 || strncmp(text, "2025", 4) < 0)
        return 0; /* what the steps themselves say is older */
    if (text[len] == '.')
        len += 1 + digits_len(text + len + 1);
    return text[len] == 'Z' ? len + 1 : 0;
}

/* Versions are known by what stands before them. */
static bool is_version(const char *start, const char *at)
{
    static const char *const befores[] = {
        "\"resourceVersion\":\"",
        "ResourceVersion in the precondition (",
        "ResourceVersion in record (",
        "ResourceVersion in object meta: ",
        NULL,
    };

    for (const char *const *each = befores; *each; each++) {
        size_t len = strlen(*each);
        if ((size_t)(at - start) >= len && memcmp(at - len, *each, len) == 0)
            return true;
    }
    return false;
}

static void append(Buf *to, const char *text, size_t len)
{
    if (!buf_append(to, text, len))
        BUG("an answer larger than any");
}

/* Puts the sign for what stands at `at` and gives its length, or 0 when it stays. */
/* NOLINTBEGIN(bugprone-assignment-in-if-condition): a ladder of tries reads best so. */
static size_t put_sign(Side *side, const char *start, const char *at, Buf *to)
{
    static const char token[] = "\"continue\":\"";
    size_t len = shape_len(at, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    const char *sign = NULL;

    if (len > 0) {
        sign = str_format(side->arena, "<uid %zu>", place_of(side, &side->uids, at, len));
    } else if ((len = time_len(at)) > 0) {
        sign = "<time>";
    } else if (is_version(start, at) && (len = digits_len(at)) > 0) {
        sign = str_format(side->arena, "<version %zu>", place_of(side, &side->versions, at, len));
    } else if (str_has_prefix(at, "\"10.") && (len = 1 + strspn(at + 1, "0123456789.")) > 8) {
        sign =
            str_format(side->arena, "\"<address %zu>", place_of(side, &side->addresses, at, len));
    } else if (str_has_prefix(at, token) && at[strlen(token)] != '"') {
        len = strlen(token) + strcspn(at + strlen(token), "\"");
        sign = "\"continue\":\"<token>";
    }
    if (sign)
        append(to, sign, strlen(sign));
    return sign ? len : 0;
}
/* NOLINTEND(bugprone-assignment-in-if-condition) */

static const char *signs_for(Side *side, const char *text)
{
    Buf to = {.ceiling = 64 << 20};

    for (const char *at = text; *at;) {
        size_t len = put_sign(side, text, at, &to);
        if (len == 0)
            append(&to, at, 1);
        at += len > 0 ? len : 1;
    }
    const char *copy = str_slice(side->arena, to.data ? to.data : "", to.len);
    buf_close(&to);
    return copy;
}

static const char *manager_key(Arena *a, const Json *entry)
{
    const char *sub = json_str(entry, ".subresource");

    return str_format(a,
        "%s/%s/%s/%s",
        json_str(entry, ".operation"),
        json_str(entry, ".manager"),
        sub ? sub : "",
        json_str(entry, ".apiVersion"));
}

typedef struct Entry {
    const char *key;
    const Json *value;
} Entry;

static int compare_entries(const void *left, const void *right)
{
    return str_compare(((const Entry *)left)->key, ((const Entry *)right)->key);
}

/* Their order is that of times, which have whole seconds: it depends on when a second began. */
static const Json *with_managers_sorted(Arena *a, const Json *object)
{
    const Json *managers = json_find(object, ".metadata.managedFields"), *each;
    size_t count = json_count(managers), i = 0;

    if (count == 0)
        return object;
    Entry *entries = arena_array(a, Entry, count);
    json_each(each, managers)
        entries[i++] = (Entry){manager_key(a, each), each};
    qsort(entries, count, sizeof *entries, compare_entries);
    Draft *sorted = draft_array(a);
    for (i = 0; i < count; i++)
        draft_push_json(sorted, entries[i].value);
    return json_merge(
        a, object, json_seal(a, draft(a, obj("metadata", sub("managedFields", sorted)))));
}

/* A list's own version moves with whatever else the server writes. */
static const Json *list_comparable(Arena *a, const Json *list_object)
{
    const Json *each;
    Draft *items = draft_array(a);

    json_each(each, json_find(list_object, ".items"))
        draft_push_json(items, with_managers_sorted(a, each));
    return json_merge(a,
        list_object,
        json_seal(a,
            draft(a, sub("items", items), obj("metadata", str("resourceVersion", "of a list")))));
}

/* What the server said. Behind the first line the real one shows a difference of its own Go
 * structures, for people. */
static const char *said(Arena *a, const Err *err)
{
    const char *newline, *status;

    while (err->cause)
        err = err->cause;
    newline = strchr(err->message, '\n');
    status = strrchr(err->message, '(');
    if (newline || status)
        return str_slice(
            a, err->message, (size_t)((newline ? newline : status - 1) - err->message));
    return err->message;
}

static const char *answer_text(Side *side, const Err *err, const Json *body)
{
    Arena *a = side->arena;

    if (err)
        return signs_for(side,
            str_format(a,
                "%s %d %s: %s",
                err_class_text(err),
                err->status,
                err->reason ? err->reason : "-",
                said(a, err)));
    if (!body)
        return "nothing";
    body = json_find(body, ".items") ? list_comparable(a, body) : with_managers_sorted(a, body);
    return signs_for(side, json_canonical(a, body).data);
}

static void remember(Side *side, const Step *step, const Json *body)
{
    const Json **last = &side->last[step->kind][step->name];

    if (step->request.verb == VERB_LIST) {
        side->token = json_str(body, ".metadata.continue");
        if (str_empty(side->token))
            side->token = NULL;
    }
    if (step->request.dry_run || step->request.verb == VERB_LIST || !meta_uid(body)
        || str_eq(step->request.subresource, "scale"))
        return;
    if (!side->first[step->kind][step->name])
        side->first[step->kind][step->name] = body;
    *last = body;
}

/* The answer to a dry run of a deletion that would take the last finalizer off: the real server
 * shows an object of nothing but its kind, the world what it says of any deletion. */
static bool is_hollow_deletion(const Step *step, const Json *body)
{
    return step->request.verb == VERB_DELETE && step->request.dry_run && !meta_name(body);
}

const char *side_play(Side *side, const Step *step)
{
    const Json *body = NULL;
    Request request;

    fill_in(side, step, &request);
    Err *err = side_call(side, &request, &body);
    if (!err)
        remember(side, step, body);
    if (!err && is_hollow_deletion(step, body))
        return "deleted, if it were not for the dry run";
    return answer_text(side, err, body);
}

const char *side_store(Side *side)
{
    const char *store = "";

    for (size_t i = 0; i < FIDELITY_KINDS; i++) {
        const Json *body = NULL;
        Request request = {
            .verb = VERB_LIST, .kind = fidelity_kinds[i]->kind, .key.namespace = side->namespace};
        Err *err = side_call(side, &request, &body);
        store = str_format(side->arena, "%s%s\n", store, answer_text(side, err, body));
    }
    return store;
}

static const char *seen_text(Seen seen)
{
    static const char *const texts[] = {
        [SEEN_NONE] = "", [SEEN_LAST] = "last", [SEEN_FIRST] = "first", [SEEN_WRONG] = "wrong"};

    return texts[seen];
}

const char *step_text(Arena *a, const Step *step)
{
    static const char *const verbs[] = {[VERB_GET] = "get",
        [VERB_LIST] = "list",
        [VERB_CREATE] = "create",
        [VERB_UPDATE] = "update",
        [VERB_APPLY] = "apply",
        [VERB_MERGE_PATCH] = "merge",
        [VERB_JSON_PATCH] = "jsonpatch",
        [VERB_DELETE] = "delete"};
    static const char *const ways[] = {"", "background", "foreground", "orphan"};
    const Request *r = &step->request;

    return str_format(a,
        "{verb: '%s', kind: '%s', name: '%s', subresource: '%s', manager: '%s', force: %d, "
        "dryRun: %d, uid: '%s', version: '%s', propagation: '%s', grace: %d, labels: '%s', "
        "fields: '%s', limit: %d, goesOn: %d, body: %s}",
        verbs[r->verb],
        fidelity_kinds[step->kind]->kind->name,
        names[step->name],
        r->subresource ? r->subresource : "",
        r->manager ? r->manager : "",
        r->force,
        r->dry_run,
        seen_text(step->uid),
        seen_text(step->version),
        ways[r->propagation],
        r->has_grace ? (int)r->grace_seconds : -1,
        r->labels ? r->labels : "",
        r->fields ? r->fields : "",
        (int)r->limit,
        step->goes_on,
        step->text ? step->text : "null");
}
