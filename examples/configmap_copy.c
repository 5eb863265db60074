/* A whole controller on include/ alone: a ConfigMap labelled copy.example.io/source is copied into
 * the namespaces that its annotation copy.example.io/to names ("a,b"). Copies follow it, come back
 * when deleted, and go with it; a stranger is never touched; copy.example.io/status tells. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/client.h"
#include "kube/hash.h"
#include "kube/kube.h"
#include "kube/manager.h"
#include "kube/meta.h"

#include <stdio.h>
#include <string.h>

#define NAME       "configmap-copy"
#define FINALIZER  "copy.example.io/copies"
#define SOURCE     "copy.example.io/source"     /* label of a source */
#define SOURCE_UID "copy.example.io/source-uid" /* label of a copy */
#define FROM       "copy.example.io/from"       /* annotation of a copy: namespace/name */
#define TO         "copy.example.io/to"
#define STATUS     "copy.example.io/status"

static const Json *render_copy(Arena *a, const Json *source, const char *namespace)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "ConfigMap"),
            obj("metadata",
                str("name", meta_name(source)),
                str("namespace", namespace),
                obj("labels", str(SOURCE_UID, meta_uid(source))),
                obj("annotations", str(FROM, key_text(a, meta_key(source))))),
            draft_json("data", json_find(source, ".data")),
            draft_json("binaryData", json_find(source, ".binaryData"))));
}

static Err *ensure_copy(Ctx *c, const Json *source, const char *namespace)
{
    const Json *copy, *wanted = render_copy(c->arena, source, namespace);
    Key key = {.namespace = namespace, .name = meta_name(source)};

    TRY(kube_find(c, kind_configmap, key, &copy));
    if (copy && str_eq(meta_owned_hash(copy), hash_owned_of_rendered(c->arena, wanted)))
        return OK;
    if (!copy) /* a stranger of that name has no label of ours, so no cache shows it */
        TRY(kube_get_if_any(c, kind_configmap, key, &copy));
    if (copy && !str_eq(meta_label(copy, SOURCE_UID), meta_uid(source)))
        return err_terminal(c->arena, "%s is not our copy: rename one", key_text(c->arena, key));
    ApplyOptions ours = {NAME, .force = true, .seen = copy};
    return kube_apply(c, kind_configmap, wanted, ours, NULL);
}

/* The next name of "a,b,c", or NULL at the end; *rest goes on behind it. */
static const char *next_name(Arena *a, const char **rest)
{
    const char *name = *rest ? *rest + strspn(*rest, ",") : "";

    *rest = name + strcspn(name, ",");
    return *name ? str_slice(a, name, (size_t)(*rest - name)) : NULL;
}

/* Deletes the copies in namespaces that are no targets (any more); says how many copies there were.
 */
static Err *prune_copies(Ctx *c, const Json *source, const char *targets, size_t *ret_count)
{
    const Selector *ours;
    Objects copies;

    TRY(selector_parse(c->arena, str_format(c->arena, SOURCE_UID "=%s", meta_uid(source)), &ours));
    TRY(kube_select(c, kind_configmap, NULL, ours, &copies));
    for (size_t i = 0; i < copies.count; i++) {
        const char *target, *rest = targets, *here = meta_namespace(copies.items[i]);
        while ((target = next_name(c->arena, &rest)) && !str_eq(target, here))
            ;
        if (!target)
            TRY(kube_delete(c, kind_configmap, copies.items[i], (DeleteOptions){0}));
    }
    *ret_count = copies.count;
    return OK;
}

static Err *reconcile(Ctx *c, Key key, Reconciled *ret)
{
    const char *target, *status = "True";
    const Json *source;
    size_t copies;

    ret->again_after_ms = 0; /* nothing here waits for time to pass */
    TRY(kube_find(c, kind_configmap, key, &source));
    if (!source) /* gone, or without its label: then its finalizer is still ours to take off */
        TRY(kube_get_if_any(c, kind_configmap, key, &source));
    bool wanted = source && meta_label(source, SOURCE) && !meta_deleting(source);
    if (!source || (!wanted && !meta_has_finalizer(source, FINALIZER)))
        return OK;
    const char *rest = wanted ? meta_annotation(source, TO) : NULL;
    const Json *patch = wanted ? meta_add_finalizer_patch(c->arena, source, FINALIZER) : NULL;
    if (patch) /* first, so that no copy can outlive its source */
        return kube_json_patch(c, kind_configmap, key, patch, NULL);
    TRY(prune_copies(c, source, rest, &copies));
    if (!wanted) {
        patch = copies ? NULL : meta_remove_finalizer_patch(c->arena, source, FINALIZER);
        return patch ? kube_json_patch(c, kind_configmap, key, patch, NULL) : OK;
    }
    while ((target = next_name(c->arena, &rest))) {
        Err *err = ensure_copy(c, source, target);
        TRY(err_is(err, ERR_TERMINAL) ? OK : err);
        if (err) /* one namespace that refuses does not starve the others */
            status = str_format(c->arena, "False: %s", err_text(c->arena, err));
    }
    if (str_eq(meta_annotation(source, STATUS), status))
        return OK;
    Draft *said = draft(c->arena, obj("metadata", obj("annotations", str(STATUS, status))));
    return kube_merge_patch(c, kind_configmap, source, json_seal(c->arena, said), NULL);
}

static void source_of(Arena *a, const Json *copy, KeySet *ret)
{
    if (meta_annotation(copy, FROM))
        keyset_add(ret, key_parse(a, meta_annotation(copy, FROM)));
}

static const Watch watches[] = {
    {kind_configmap, .labels = SOURCE, .index = SOURCE_UID}, /* asked by it, too */
    {kind_configmap, .labels = SOURCE_UID, .manager = NAME, .index = SOURCE_UID, .keys = source_of},
    {0},
};
static const Controller copier = {.name = NAME, .watches = watches, .reconcile = reconcile};

int main(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Log log = {log_stderr(), clock_system(), LOG_INFO, .human = log_stderr_is_terminal()};
    const Controller *controllers[] = {&copier, NULL};
    ManagerOptions options = {.name = NAME, .controllers = controllers, .log = &log};
    Client *client = NULL;
    Manager *manager = NULL;
    Err *err = client_open_default(a, NAME, &client);

    options.transport = client ? client_transport(client) : NULL;
    if (!err)
        err = manager_open(a, &options, &manager);
    int code = err ? 2 : manager_run(manager);
    if (err)
        fprintf(stderr, NAME ": %s\n", err_text(a, err));
    manager_close(manager);
    client_close(client);
    return code;
}
