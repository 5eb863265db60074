/* ChartOperator: of all Deployments those that work; of the environment of each what the kubelet
 * would make of it. */
#include "cli/doctor/chart_operator.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#include <string.h>

#define OPERATOR_NAME "sei-operator" /* of its Deployment's label app.kubernetes.io/name */

static bool is_ours(const Json *deployment)
{
    return str_eq(meta_label(deployment, "app.kubernetes.io/name"), OPERATOR_NAME);
}

static int64_t wanted(const Json *deployment)
{
    return json_int(deployment, ".spec.replicas", 1);
}

const Json *chart_operator(const Chart *c)
{
    const Objects *all = chart_list(c, CHART_DEPLOYMENTS);
    const Json *best = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (is_ours(all->items[i]) && (!best || wanted(all->items[i]) > wanted(best)))
            best = all->items[i];
    return best;
}

bool chart_is_at_work(const Json *deployment)
{
    return is_ours(deployment) && wanted(deployment) > 0;
}

Objects chart_operators(const Chart *c)
{
    const Objects *all = chart_list(c, CHART_DEPLOYMENTS);
    const Json *best = chart_operator(c);
    Objects ret = {.items = arena_array(c->arena, const Json *, all->count + 1)};

    for (size_t i = 0; i < all->count; i++)
        if (chart_is_at_work(all->items[i]) || all->items[i] == best)
            ret.items[ret.count++] = all->items[i];
    return ret;
}

const char *chart_operator_flag(const Chart *c, const Json *deployment, const char *name)
{
    return operator_args_flag(c->arena, operator_args_of_deployment(deployment), name);
}

bool chart_operator_is_on(const Chart *c, const Json *deployment, const char *name)
{
    return operator_args_is_on(c->arena, operator_args_of_deployment(deployment), name);
}

bool chart_operator_is_of_files(const Json *deployment)
{
    return str_eq(meta_namespace(deployment), "sei-system")
        && !str_eq(meta_label(deployment, "app.kubernetes.io/managed-by"), "Helm");
}

/* --- which namespaces */

Watched chart_watched(const Chart *c, const Json *deployment)
{
    return operator_args_watched(c->arena, operator_args_of_deployment(deployment));
}

bool chart_operators_meet(const Chart *c, const Json *left, const Json *right)
{
    Watched here = chart_watched(c, left), there = chart_watched(c, right);

    for (size_t i = 0; i < here.count; i++)
        if (watched_names(&there, here.names[i]))
            return true;
    return here.count == 0 || there.count == 0;
}

const Json *chart_operator_of(const Chart *c, const char *namespace)
{
    const Objects all = chart_operators(c);
    const Json *of_all = NULL;

    for (size_t i = 0; i < all.count; i++) {
        Watched watched = chart_watched(c, all.items[i]);
        if (watched.count == 0 && !of_all)
            of_all = all.items[i];
        if (watched_names(&watched, namespace))
            return all.items[i];
    }
    return of_all;
}

/* --- what it was told */

const char *chart_lease_namespace(const Chart *c, const Json *deployment)
{
    const char *told = chart_operator_flag(c, deployment, "lease-namespace");

    return str_empty(told) ? meta_namespace(deployment) : told;
}

Key chart_operator_account(const Json *deployment)
{
    const char *name = json_str(deployment, ".spec.template.spec.serviceAccountName");

    return (Key){meta_namespace(deployment), name ? name : "default"};
}

Key chart_sidecar_account(const Chart *c, const Json *deployment)
{
    const char *flag = chart_operator_flag(c, deployment, "sidecar-service-account");
    const char *slash = flag ? strchr(flag, '/') : NULL;

    if (slash)
        return (Key){str_slice(c->arena, flag, (size_t)(slash - flag)), slash + 1};
    return (Key){chart_lease_namespace(c, deployment), flag ? flag : SIDECAR_ACCOUNT};
}

typedef struct SettingsView {
    const Chart *chart;
    const Json *deployment;
} SettingsView;

/* As the kubelet fills an environment: what stands in env wins over envFrom, the last over the
 * first. A value that comes from elsewhere (a Secret) is somebody else's: it counts as there. */
static const char *setting_of(void *self, const char *name)
{
    const SettingsView *v = self;
    const Json *container = json_find(v->deployment, ".spec.template.spec.containers[0]"), *entry;
    const char *value = NULL;

    json_each(entry, json_find(container, ".envFrom")) {
        const Json *map = chart_find(v->chart,
            CHART_SETTINGS,
            meta_namespace(v->deployment),
            json_str(entry, ".configMapRef.name"));
        const char *found = json_text(json_member(json_find(map, ".data"), name));
        value = found ? found : value;
    }
    json_each(entry, json_find(container, ".env"))
        if (str_eq(json_str(entry, ".name"), name) && json_str(entry, ".value"))
            value = json_str(entry, ".value");
    return value;
}

/* Somebody else than a ConfigMap or a value may say more. */
static bool has_hidden_settings(const Json *deployment)
{
    const Json *container = json_find(deployment, ".spec.template.spec.containers[0]"), *entry;

    json_each(entry, json_find(container, ".envFrom"))
        if (!json_find(entry, ".configMapRef"))
            return true;
    json_each(entry, json_find(container, ".env"))
        if (str_has_prefix(json_str(entry, ".name"), "SEI_") && !json_str(entry, ".value"))
            return true;
    return false;
}

Err *chart_settings(const Chart *c, const Json *deployment, Settings *ret)
{
    SettingsView view = {.chart = c, .deployment = deployment};

    if (!view.deployment || !chart_knows(c, CHART_SETTINGS))
        return err_wait(c->arena, "the settings of the operator cannot be seen");
    if (has_hidden_settings(view.deployment))
        return err_wait(c->arena, "some settings of the operator come from elsewhere");
    return settings_read(c->arena, setting_of, &view, ret);
}

const char *chart_account_of_pods(const Chart *c, const char *namespace)
{
    const Objects *sets = chart_list(c, CHART_STATEFULSETS);
    const char *name = NULL;
    Settings settings;

    if (!chart_settings(c, chart_operator_of(c, namespace), &settings))
        return settings.service_account;
    for (size_t i = 0; i < sets->count && !name; i++)
        if (meta_label(sets->items[i], LABEL_NODE)
            && str_eq(meta_namespace(sets->items[i]), namespace))
            name = json_str(sets->items[i], ".spec.template.spec.serviceAccountName");
    return name;
}
