/* namespace-controller and service-account-controller: a ServiceAccount `default` in every
 * namespace, and the emptying of namespaces that go.
 *
 * The errands are names of namespaces. What is in one is deleted in the background, one object per
 * step, as it was seen; before the namespace is let go the server is asked whether anything is left
 * of any kind. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "world/controller.h"
#include "world/object.h"

#define CONTENT_FINALIZER "kubernetes"

enum { LOOK_AGAIN_MS = 5000 };

typedef struct NamespaceController {
    Controller base;
    const Kind *const *kinds;
} NamespaceController;

static const char *tag_of(Arena *a, const char *namespace)
{
    return str_format(a, "in %s", namespace);
}

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    if (kind->namespaced && !meta_deleting(object))
        view_tag(ret, tag_of(a, meta_namespace(object)));
}

static void notice(Controller *c, const Change *change)
{
    bool is_namespace = kind_eq(change->kind, kind_namespace);
    bool is_account = kind_eq(change->kind, kind_serviceaccount) && !change->after;

    if (is_namespace)
        controller_want(c, change->key.name, change->now_ms);
    else if (is_account)
        controller_want(c, change->key.namespace, change->now_ms);
}

/* --- those that stay --- */

static Err *create_account(Sync *s, const char *namespace)
{
    Key key = {namespace, "default"};
    Request create = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = key,
        .body = json_seal(s->arena,
            draft(s->arena,
                str("apiVersion", "v1"),
                str("kind", "ServiceAccount"),
                obj("metadata", str("name", key.name), str("namespace", namespace))))};

    if (view_find(s->controller->view, s->arena, kind_serviceaccount, key))
        return OK;
    Err *err = sync_write(s, create, NULL);
    return status_is_already_exists(err) ? OK : err;
}

/* --- those that go --- */

static Err *delete_content(Sync *s, const char *namespace)
{
    ViewList content = view_tagged(s->controller->view, s->arena, tag_of(s->arena, namespace));

    for (size_t i = 0; i < content.count && !s->wrote; i++) {
        Request delete = {.verb = VERB_DELETE,
            .kind = content.kinds[i],
            .key = meta_key(content.items[i]),
            .propagation = PROPAGATION_BACKGROUND};
        Err *err = sync_write(s, delete, NULL);
        if (err && !status_is_not_found(err))
            return err;
    }
    return OK;
}

static Err *is_empty(Sync *s, const char *namespace, bool *ret)
{
    const Kind *const *kind = ((const NamespaceController *)(const void *)s->controller)->kinds;

    *ret = false;
    for (; *kind; kind++) {
        Request list = {.verb = VERB_LIST, .kind = *kind, .key.namespace = namespace, .limit = 1};
        const Json *answer;
        if (!(*kind)->namespaced)
            continue;
        Err *err = api_call(s->api, s->arena, &list, &answer);
        /* A kind that is not served has no objects. */
        if (err_has_status(err, 404))
            continue;
        TRY(err);
        if (json_count(json_find(answer, ".items")) > 0)
            return OK;
    }
    *ret = true;
    return OK;
}

static Err *finalize(Sync *s, const Json *live)
{
    const Json *finalizers = json_find(live, ".spec.finalizers"), *each;
    Draft *kept = draft_array(s->arena);

    json_each(each, finalizers)
        if (!str_eq(json_text(each), CONTENT_FINALIZER))
            draft_push_json(kept, each);
    return sync_write(s,
        (Request){.verb = VERB_UPDATE,
            .kind = kind_namespace,
            .key = meta_key(live),
            .subresource = "finalize",
            .body = object_with_inner(s->arena,
                live,
                (MemberPath){"spec", "finalizers"},
                draft_count(kept) > 0 ? json_seal(s->arena, kept) : NULL)},
        NULL);
}

static Err *empty(Sync *s, const char *namespace)
{
    const Json *live;
    bool done;

    TRY(delete_content(s, namespace));
    if (s->wrote)
        return OK;
    TRY(is_empty(s, namespace, &done));
    if (!done) {
        s->again_ms = s->now_ms + LOOK_AGAIN_MS;
        return OK;
    }
    TRY(sync_get(s, kind_namespace, (Key){NULL, namespace}, &live));
    return meta_deleting(live) && json_count(json_find(live, ".spec.finalizers")) > 0
        ? finalize(s, live)
        : OK;
}

static Err *sync(Sync *s)
{
    const Json *namespace =
        view_find(s->controller->view, s->arena, kind_namespace, (Key){NULL, s->errand});

    if (!namespace)
        return OK;
    return meta_deleting(namespace) ? empty(s, s->errand) : create_account(s, s->errand);
}

Actor *namespace_controller_open(const ControllerOptions *options, const Kind *const *kinds)
{
    ControllerTraits traits = {
        .name = "namespace-controller",
        .kinds = kinds,
        .tag = tag,
        .metadata_only = true,
        .size = sizeof(NamespaceController),
        .notice = notice,
        .sync = sync,
    };
    Controller *c = controller_open(&traits, options);

    ((NamespaceController *)(void *)c)->kinds = kinds;
    return &c->actor;
}
