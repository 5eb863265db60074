/* The verbs of reconcilers, on the Kube port: each builds a request and says what its answer means.
 *
 * Everything that makes a write safe is here and not with the callers: a delete names the UID that
 * was seen, a merge patch the version, and an answer that would read as "nothing there" is looked
 * at twice. */
#include "kube/kube.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"

#include <assert.h>
#include <string.h>

enum { PAGE_SIZE = 500, LIST_MAX = 100000, FIRST_CAPACITY = 64 };

/* --- cached reads --- */

Err *kube_find(Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    const Json *object = NULL;

    TRY(c->kube->find(c->kube, c, kind, key, &object));
    *ret = object;
    return OK;
}

Err *kube_select(
    Ctx *c, const Kind *kind, const char *namespace, const Selector *selector, Objects *ret)
{
    Objects objects = {0};

    if (!selector || str_empty(selector_text(c->arena, selector)))
        return err_terminal(
            c->arena, "select %s: empty selector: it would select everything", kind->plural);
    Selection selection = {.kind = kind, .namespace = namespace, .selector = selector};
    TRY(c->kube->select(c->kube, c, &selection, &objects));
    *ret = objects;
    return OK;
}

Err *kube_owned_trimmed(
    Ctx *c, const Kind *kind, const char *owner_uid, KubeTrim *trim, Objects *ret)
{
    Objects objects = {0};

    if (str_empty(owner_uid))
        return err_terminal(c->arena, "select %s: the owner has no UID", kind->plural);
    Selection selection = {.kind = kind, .owner_uid = owner_uid, .trim = trim};
    TRY(c->kube->select(c->kube, c, &selection, &objects));
    *ret = objects;
    return OK;
}

Err *kube_owned(Ctx *c, const Kind *kind, const char *owner_uid, Objects *ret)
{
    return kube_owned_trimmed(c, kind, owner_uid, NULL, ret);
}

const Json *kube_metadata_alone(Arena *scratch, const Json *object)
{
    static const char *const paths[] = {".apiVersion", ".kind", ".metadata", NULL};

    return json_project(scratch, object, paths);
}

Err *kube_walk(Ctx *c, const Kind *kind, Walker *walker)
{
    return c->kube->walk(c->kube, c, kind, walker);
}

bool kube_is_served(Ctx *c, const Kind *kind, const char *namespace)
{
    return !c->kube->serves || c->kube->serves(c->kube, kind, namespace);
}

/* --- live reads --- */

Err *kube_call(Ctx *c, const Request *request, const Json **ret)
{
    const Json *answer = NULL;

    assert(request->verb != VERB_WATCH);
    TRY(c->kube->call(c->kube, c, request, &answer));
    if (ret)
        *ret = answer;
    return OK;
}

Err *kube_get(Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    Request request = {.verb = VERB_GET, .kind = kind, .key = key};
    const Json *object;

    TRY(kube_call(c, &request, &object));
    if (!meta_name(object))
        return err_retry(c->arena, "%s: the answer is no object", request_text(c->arena, &request));
    *ret = object;
    return OK;
}

Err *kube_get_if_any(Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    Err *err = kube_get(c, kind, key, ret);

    if (!status_is_not_found(err))
        return err;
    *ret = NULL;
    return OK;
}

/* A list that grows page by page. */
typedef struct Pages {
    Objects objects;
    size_t capacity;
} Pages;

static Err *make_room(Arena *a, Pages *pages, size_t count)
{
    size_t capacity = pages->capacity ? pages->capacity : FIRST_CAPACITY;
    void *grown;

    if (count > LIST_MAX)
        return err_terminal(a, "a list of more than %d objects", LIST_MAX);
    while (capacity < count)
        capacity *= 2;
    if (capacity == pages->capacity)
        return OK;
    TRY(arena_try(a, capacity * sizeof *pages->objects.items, &grown));
    if (pages->objects.count)
        memcpy(grown, pages->objects.items, pages->objects.count * sizeof *pages->objects.items);
    pages->objects.items = grown;
    pages->capacity = capacity;
    return OK;
}

static Err *append(Arena *a, Pages *pages, const Json *items)
{
    const Json *item;

    TRY(make_room(a, pages, pages->objects.count + json_count(items)));
    json_each(item, items)
        pages->objects.items[pages->objects.count++] = item;
    return OK;
}

/* All pages from the first one on. */
static Err *list_pages(Ctx *c, const Request *list, Objects *ret)
{
    Request page = *list;
    Pages pages = {0};
    const Json *answer;

    do {
        TRY(kube_call(c, &page, &answer));
        const Json *items = json_find(answer, ".items");
        /* An empty answer must never read as "there are none". */
        if (json_type(items) != JSON_ARRAY)
            return err_retry(c->arena, "the answer is no list");
        TRY(append(c->arena, &pages, items));
        page.continue_key = json_str(answer, ".metadata.continue");
    } while (!str_empty(page.continue_key));
    *ret = pages.objects;
    return OK;
}

Err *kube_list(Ctx *c, const Request *list, Objects *ret)
{
    Request first = *list;
    Err *err;

    assert(list->verb == VERB_LIST);
    first.continue_key = NULL;
    if (first.limit <= 0)
        first.limit = PAGE_SIZE;
    err = list_pages(c, &first, ret);
    if (status_is_gone(err))
        err = list_pages(c, &first, ret);
    return err_wrap(c->arena, err, "listing %s", list->kind->plural);
}

/* --- writes --- */

Err *kube_create(Ctx *c, const Kind *kind, const Json *object, const Json **ret)
{
    Request request = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(object), .body = object};

    return kube_call(c, &request, ret);
}

Err *kube_apply(
    Ctx *c, const Kind *kind, const Json *object, ApplyOptions options, const Json **ret)
{
    Request request = {
        .verb = VERB_APPLY,
        .kind = kind,
        .key = meta_key(object),
        .subresource = options.subresource,
        .body = object,
        .manager = options.manager,
        .force = options.force,
    };

    if (options.seen) {
        const Json *seen = json_seal(c->arena,
            draft(c->arena,
                obj("metadata",
                    str("uid", meta_uid(options.seen)),
                    str("resourceVersion",
                        options.any_version ? NULL : meta_resource_version(options.seen)))));
        request.body = json_merge(c->arena, object, seen);
    }
    return kube_call(c, &request, ret);
}

/* The patch with the version of what was seen; `override` replaces one that the patch has. */
static Err *lock_patch(Ctx *c, const Json *seen, const Json *patch, bool override, const Json **ret)
{
    const char *version = meta_resource_version(seen);
    Draft *lock;

    if (meta_resource_version(patch) && !override) {
        *ret = patch;
        return OK;
    }
    if (str_empty(version))
        return err_terminal(
            c->arena, "patch %s: what was seen has no resourceVersion", meta_name(seen));
    lock = draft(c->arena, obj("metadata", str("resourceVersion", version)));
    *ret = json_merge(c->arena, patch, json_seal(c->arena, lock));
    return OK;
}

Err *kube_merge_patch(
    Ctx *c, const Kind *kind, const Json *seen, const Json *patch, const Json **ret)
{
    Request request = {.verb = VERB_MERGE_PATCH, .kind = kind, .key = meta_key(seen)};

    TRY(lock_patch(c, seen, patch, false, &request.body));
    return kube_call(c, &request, ret);
}

Err *kube_patch_status(
    Ctx *c, const Kind *kind, const Json *seen, const Json *patch, const Json **ret)
{
    Request request = {
        .verb = VERB_MERGE_PATCH, .kind = kind, .key = meta_key(seen), .subresource = "status"};

    TRY(lock_patch(c, seen, patch, true, &request.body));
    return kube_call(c, &request, ret);
}

Err *kube_json_patch(Ctx *c, const Kind *kind, Key key, const Json *operations, const Json **ret)
{
    Request request = {.verb = VERB_JSON_PATCH, .kind = kind, .key = key, .body = operations};

    return kube_call(c, &request, ret);
}

/* A conflict says that a precondition does not hold, not which one: ask the server whether what was
 * seen is still there. */
static Err *check_conflict(Ctx *c, const Kind *kind, const Json *seen, Err *conflict)
{
    const Json *now;

    TRY(kube_get_if_any(c, kind, meta_key(seen), &now));
    return !now || !str_eq(meta_uid(now), meta_uid(seen)) ? OK : conflict;
}

Err *kube_delete(Ctx *c, const Kind *kind, const Json *seen, DeleteOptions options)
{
    Request request = {
        .verb = VERB_DELETE,
        .kind = kind,
        .key = meta_key(seen),
        .uid = meta_uid(seen),
        .resource_version = options.same_version ? meta_resource_version(seen) : NULL,
        .propagation = options.propagation,
        .has_grace = options.has_grace,
        .grace_seconds = options.grace_seconds,
    };
    Err *err;

    if (str_empty(request.uid) || (options.same_version && str_empty(request.resource_version)))
        return err_terminal(
            c->arena, "%s: what was seen has no UID or version", request_text(c->arena, &request));
    err = kube_call(c, &request, NULL);
    if (status_is_not_found(err))
        return OK;
    return status_is_conflict(err) ? check_conflict(c, kind, seen, err) : err;
}

Err *kube_create_token(Ctx *c, Key service_account, TokenOptions options, const Json **ret_status)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = service_account,
        .subresource = "token",
    };
    Draft *spec = draft(c->arena,
        draft_num_if(
            options.expiration_seconds > 0, "expirationSeconds", options.expiration_seconds));
    const Json *answer;

    if (options.audience)
        draft_set(spec, strs("audiences", options.audience));
    request.body = json_seal(c->arena,
        draft(c->arena,
            str("apiVersion", "authentication.k8s.io/v1"),
            str("kind", "TokenRequest"),
            sub("spec", spec)));
    TRY(kube_call(c, &request, &answer));
    if (!json_str(answer, ".status.token") || !json_str(answer, ".status.expirationTimestamp"))
        return err_retry(
            c->arena, "%s: the answer holds no token", request_text(c->arena, &request));
    *ret_status = json_find(answer, ".status");
    return OK;
}

void kube_event(
    Ctx *c, const Json *regarding, const char *type, const char *reason, const char *note)
{
    Notice notice = {.regarding = regarding, .type = type, .reason = reason, .note = note};

    c->kube->event(c->kube, c, &notice);
}
