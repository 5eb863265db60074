/* Gitops: told by the labels and annotations that the two leave on what they manage. Argo CD's
 * default label is one that anybody may set, so it counts only when Argo CD has also written. */
#include "cli/gitops.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"

#include <string.h>

#define FLUX_KUSTOMIZE "kustomize.toolkit.fluxcd.io/"
#define FLUX_HELM      "helm.toolkit.fluxcd.io/"
#define ARGO_INSTANCE  "argocd.argoproj.io/instance"
#define ARGO_TRACKING  "argocd.argoproj.io/tracking-id"
#define ANY_INSTANCE   "app.kubernetes.io/instance"

enum { LINES_SHOWN = 8, LINE_MAX = 200 };

static const char *flux_owner(Arena *a, const Json *object, const char *prefix, const char *kind)
{
    const char *name = meta_label(object, str_format(a, "%sname", prefix));
    const char *namespace = meta_label(object, str_format(a, "%snamespace", prefix));

    return name ? str_format(a, "Flux (%s %s/%s)", kind, namespace ? namespace : "?", name) : NULL;
}

static bool was_written_by(const Json *object, const char *manager_prefix)
{
    const Json *entry, *entries = json_find(object, ".metadata.managedFields");

    json_each(entry, entries)
        if (str_has_prefix(json_str(entry, ".manager"), manager_prefix))
            return true;
    return false;
}

static const char *argo_application(Arena *a, const Json *object)
{
    const char *tracking = meta_annotation(object, ARGO_TRACKING);
    const char *instance = meta_label(object, ARGO_INSTANCE);

    if (!instance)
        instance = meta_annotation(object, ARGO_INSTANCE);
    if (tracking)
        return str_slice(a, tracking, strcspn(tracking, ":"));
    if (!instance && was_written_by(object, "argocd"))
        instance = meta_label(object, ANY_INSTANCE);
    return instance;
}

const char *gitops_owner(Arena *a, const Json *object)
{
    const char *owner = flux_owner(a, object, FLUX_KUSTOMIZE, "Kustomization");
    const char *application = argo_application(a, object);

    if (!owner)
        owner = flux_owner(a, object, FLUX_HELM, "HelmRelease");
    if (!owner && application)
        owner = str_format(a, "Argo CD (Application %s)", application);
    return owner;
}

/* --- lines */

typedef struct Branch {
    const Json *object, *member;
    const char *path;
} Branch;

static const char *join(Arena *a, const char *path, const char *key)
{
    if (strpbrk(key, "./"))
        return str_format(a, "%s['%s']", path, key);
    return *path ? str_format(a, "%s.%s", path, key) : key;
}

static const char *line_of(Arena *a, const char *path, const Json *value)
{
    const char *text = json_text(value);

    if (json_type(value) == JSON_NULL)
        return str_format(a, "  %s (take it out)\n", path);
    return str_format(
        a, "  %s: %s\n", path, str_cut(a, text ? text : json_write(a, value).data, LINE_MAX));
}

const char *gitops_lines(Arena *a, const Json *patch)
{
    Branch branches[JSON_DEPTH_MAX] = {{patch, json_first(patch), ""}};
    size_t depth = 1, shown = 0;
    const char *lines = "";

    while (depth > 0) {
        Branch *b = &branches[depth - 1];
        const Json *value = b->member;
        if (!value) {
            depth--;
            continue;
        }
        b->member = json_next(b->object, value);
        const char *path = join(a, b->path, json_key(value));
        if (str_eq(path, "metadata.resourceVersion"))
            continue;
        if (json_type(value) == JSON_OBJECT && json_count(value) > 0 && depth < JSON_DEPTH_MAX)
            branches[depth++] = (Branch){value, json_first(value), path};
        else if (shown++ < LINES_SHOWN)
            lines = str_format(a, "%s%s", lines, line_of(a, path, value));
    }
    return shown > LINES_SHOWN
        ? str_format(a, "%s  and %zu more: see --dry-run\n", lines, shown - LINES_SHOWN)
        : lines;
}

void gitops_warn(Cli *cli, const Target *target, const Json *patch)
{
    const char *owner = gitops_owner(cli->arena, target->object);
    const Json *spec = json_find(patch, ".spec");

    if (!owner || !spec)
        return;
    Draft *spec_alone = draft(cli->arena, draft_json("spec", spec));
    output_talk(cli,
        "warning: %s is managed by %s, which puts back what is changed here; change it in Git:\n%s",
        target_text(cli->arena, target),
        owner,
        gitops_lines(cli->arena, json_seal(cli->arena, spec_alone)));
}
