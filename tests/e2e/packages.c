/* What the words of packages.h do. Helm is built by tools/helm/build when it is not there yet. */
#include "tests/e2e/packages.h"

#include "kube/meta.h"
#include "sandbox/manifest.h"

enum {
    HELM_ARGS_MAX = 20,
    HELM_BUILD_MS = 30 * 60 * 1000, /* a cold one on a slow machine */
    HELM_MS = 5 * 60 * 1000,
    FETCH_MS = 10 * 60 * 1000, /* four megabytes, by a slow line */
};

/* Where a tool has put what it builds or fetches: asked once, because each answer takes a moment.
 */
typedef struct Place {
    const char *tool;
    int64_t patience_ms;
    char folder[512]; /* "" : not asked yet */
} Place;

static Place helm_place = {"tools/helm/build", HELM_BUILD_MS, ""};
static Place prometheus_place = {"tools/prometheus/kinds", FETCH_MS, ""};

static const char *folder_of(Arena *a, Place *place)
{
    ProcessOptions ask = {
        .program = installed_source(a, place->tool), .timeout_ms = place->patience_ms};
    const char *said = NULL;

    if (!*place->folder) {
        then_ok(process_run(a, &ask, &said));
        snprintf(place->folder, sizeof place->folder, "%.*s", (int)strcspn(said, "\n"), said);
    }
    return place->folder;
}

/* --- packages */

static Err *add(void *self, Arena *a, const Json *object)
{
    Package *p = self;

    if (p->count == PACKAGE_OBJECTS_MAX)
        return err_terminal(a, "more than %d objects", PACKAGE_OBJECTS_MAX);
    p->objects[p->count++] = object;
    return OK;
}

Package package_of_file(Arena *a, const char *path)
{
    Package p = {.count = 0};

    then_ok(manifest_each(a, path, add, &p));
    then_true(p.count > 0);
    return p;
}

const char *package_write(Controlplane *cp, Arena *a, const char *name, const char *text)
{
    const char *path = str_format(a, "%s/%s.yaml", controlplane_folder(cp), name);

    then_ok(controlplane_write(a, path, text));
    return path;
}

Package package_of_text(Controlplane *cp, Arena *a, const char *text)
{
    return package_of_file(a, package_write(cp, a, "rendered", text));
}

Package package_of_folder(Controlplane *cp, Arena *a, const char *folder)
{
    return package_of_text(cp, a, kubectl(cp, a, "kustomize", installed_source(a, folder)));
}

Package package_of_chart(Controlplane *cp, Arena *a, const char *const *flags)
{
    const char *args[HELM_ARGS_MAX] = {
        "template", "sei-operator", installed_source(a, "deploy/chart"), "-n", "sei-system"};
    size_t count = 5;

    for (; *flags; flags++) {
        then_true(count + 1 < HELM_ARGS_MAX);
        args[count++] = *flags;
    }
    return package_of_text(cp, a, helm_text(cp, a, args));
}

size_t package_present(Controlplane *cp, Arena *a, const char *path)
{
    const char *names = kubectl(cp, a, "get", "--ignore-not-found", "-o", "name", "-f", path);
    size_t count = 0;

    for (; *names; names++)
        count += *names == '\n';
    return count;
}

const Json *package_find(
    const Package *p, const char *kind, const char *namespace, const char *name)
{
    for (size_t i = 0; i < p->count; i++) {
        const Json *object = p->objects[i];
        if (str_eq(json_str(object, ".kind"), kind) && str_eq(meta_name(object), name)
            && str_eq(json_str(object, ".metadata.namespace"), namespace))
            return object;
    }
    return NULL;
}

/* An object without the annotations that only the chart has. */
static const Json *without_chart_annotations(Arena *a, const Json *object)
{
    static const char drop[] = "[{op: 'remove', path: '/metadata/annotations'}]";
    static const char unmark[] =
        "{spec: {template: {metadata: {annotations: {'checksum/settings': null}}}}}";
    const Json *annotations = json_find(object, ".metadata.annotations");
    const Json *plain = object;

    if (json_count(annotations) == 1 && json_member(annotations, "helm.sh/resource-policy"))
        then_ok(json_patch(a, object, json_fixture(a, drop), &plain));
    if (json_find(plain, SETTINGS_CHECKSUM_PATH))
        plain = json_merge(a, plain, json_fixture(a, unmark));
    return plain;
}

void package_is_in(Arena *a, const Package *part, const Package *whole)
{
    for (size_t i = 0; i < part->count; i++) {
        const Json *object = part->objects[i];
        const Json *other = package_find(whole,
            json_str(object, ".kind"),
            json_str(object, ".metadata.namespace"),
            meta_name(object));
        if (!json_equal(without_chart_annotations(a, other), without_chart_annotations(a, object)))
            test_fail(__FILE__,
                __LINE__,
                "%s %s is not the same in both; what differs: %s",
                json_str(object, ".kind"),
                meta_name(object),
                json_write(a, json_merge_diff(a, other, object)).data);
    }
}

/* --- the kinds of others */

/* The files that define them, as flags of kubectl behind a verb; ended by NULL. */
static const char *const *about_prometheus(Arena *a, const char *verb, const char *flag)
{
    const char *folder = folder_of(a, &prometheus_place), **args = arena_array(a, const char *, 7);

    args[0] = verb;
    args[1] = flag;
    args[2] = args[4] = "-f";
    args[3] = str_format(a, "%s/monitoring.coreos.com_servicemonitors.yaml", folder);
    args[5] = str_format(a, "%s/monitoring.coreos.com_prometheusrules.yaml", folder);
    return args;
}

void prometheus_comes(Controlplane *cp, Arena *a)
{
    scene_kubectl(cp, a, NULL, about_prometheus(a, "apply", "--server-side"));
    scene_kubectl(cp, a, NULL, about_prometheus(a, "wait", "--for=condition=Established"));
}

void prometheus_goes(Controlplane *cp, Arena *a)
{
    scene_kubectl(cp, a, NULL, about_prometheus(a, "delete", "--ignore-not-found"));
}

/* --- helm */

Err *helm_run(Controlplane *cp, Arena *a, const char *const *args, const char **ret)
{
    const char *folder = controlplane_folder(cp);
    ProcessOptions run = {
        .program = str_format(a, "%s/helm", folder_of(a, &helm_place)),
        .args = args,
        .env = PROCESS_ARGS("PATH=/usr/bin:/bin",
            str_format(a, "HOME=%s", folder),
            str_format(a, "KUBECONFIG=%s", controlplane_admin(cp))),
        .timeout_ms = HELM_MS,
    };

    return process_run(a, &run, ret);
}

const char *helm_text(Controlplane *cp, Arena *a, const char *const *args)
{
    const char *output = NULL;

    then_ok(helm_run(cp, a, args, &output));
    return output;
}
