/* ChartOperator: of several Deployments the one that works; of its environment what the kubelet
 * would make of it. */
#include "cli/doctor/chart_operator.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#include <string.h>

#define OPERATOR_NAME "sei-operator" /* of its Deployment's label app.kubernetes.io/name */

const Json *chart_operator(const Chart *c)
{
    const Objects *all = chart_list(c, CHART_DEPLOYMENTS);
    const Json *best = NULL;

    for (size_t i = 0; i < all->count; i++) {
        const Json *one = all->items[i];
        if (!str_eq(meta_label(one, "app.kubernetes.io/name"), OPERATOR_NAME))
            continue;
        if (!best || json_int(one, ".spec.replicas", 1) > json_int(best, ".spec.replicas", 1))
            best = one;
    }
    return best;
}

const char *chart_operator_flag(const Chart *c, const Json *deployment, const char *name)
{
    const Json *arg, *args = json_find(deployment, ".spec.template.spec.containers[0].args");
    const char *start = str_format(c->arena, "--%s=", name);

    json_each(arg, args)
        if (str_has_prefix(json_text(arg), start))
            return json_text(arg) + strlen(start);
    return NULL;
}

Key chart_operator_account(const Chart *c)
{
    const Json *d = chart_operator(c);
    const char *name = json_str(d, ".spec.template.spec.serviceAccountName");

    return (Key){meta_namespace(d), name ? name : "default"};
}

Key chart_sidecar_account(const Chart *c)
{
    const Json *d = chart_operator(c);
    const char *flag = chart_operator_flag(c, d, "sidecar-service-account");
    const char *slash = flag ? strchr(flag, '/') : NULL;

    if (slash)
        return (Key){str_slice(c->arena, flag, (size_t)(slash - flag)), slash + 1};
    return (Key){meta_namespace(d), flag ? flag : SIDECAR_ACCOUNT};
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

Err *chart_settings(const Chart *c, Settings *ret)
{
    SettingsView view = {.chart = c, .deployment = chart_operator(c)};

    if (!view.deployment || !chart_knows(c, CHART_SETTINGS))
        return err_wait(c->arena, "the settings of the operator cannot be seen");
    if (has_hidden_settings(view.deployment))
        return err_wait(c->arena, "some settings of the operator come from elsewhere");
    return settings_read(c->arena, setting_of, &view, ret);
}
