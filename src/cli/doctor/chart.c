/* Chart: lists with an index each, so that a thousand nodes are looked up, not searched. */
#include "cli/doctor/chart.h"

#include "base/str.h"
#include "cli/object.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <string.h>

#define SECOND_NS INT64_C(1000000000)

static const Kind kind_limitrange[1] = {
    {"", "v1", "limitranges", "LimitRange", .namespaced = true}};
static const Kind kind_resourcequota[1] = {
    {"", "v1", "resourcequotas", "ResourceQuota", .namespaced = true}};
static const Kind kind_scaler[1] = {{"autoscaling",
    "v2",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    .namespaced = true}};
static const Kind kind_servicemonitor[1] = {
    {"monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor", .namespaced = true}};
static const Kind kind_prometheusrule[1] = {
    {"monitoring.coreos.com", "v1", "prometheusrules", "PrometheusRule", .namespaced = true}};

static const struct {
    const char *name, *text;
    const Kind *kind;
} lists[CHART_LISTS] = {
    [CHART_NOTHING] = {"nothing", "nothing", NULL},
    [CHART_DEFINITIONS] = {"definitions", "custom resource definitions", kind_crd},
    [CHART_NODES] = {"nodes", "SeiNodes", kind_seinode},
    [CHART_FLEETS] = {"fleets", "SeiNodeDeployments", kind_seinodedeployment},
    [CHART_LEASES] = {"leases", "leases", kind_lease},
    [CHART_DEPLOYMENTS] = {"deployments", "deployments", kind_deployment},
    [CHART_OPERATOR_PODS] = {"operatorPods", "pods of operators", kind_pod},
    [CHART_PODS] = {"pods", "pods", kind_pod},
    [CHART_CLAIMS] = {"claims", "persistent volume claims", kind_pvc},
    [CHART_STATEFULSETS] = {"statefulSets", "stateful sets", kind_statefulset},
    [CHART_SETTINGS] = {"settings", "config maps of operators", kind_configmap},
    [CHART_NAMESPACES] = {"namespaces", "namespaces", kind_namespace},
    [CHART_CLASSES] = {"classes", "storage classes", kind_storageclass},
    [CHART_VOLUMES] = {"volumes", "persistent volumes", kind_pv},
    [CHART_SECRETS] = {"secrets", "secrets of validators", kind_secret},
    [CHART_REVISIONS] = {"revisions", "controller revisions", kind_controllerrevision},
    [CHART_SERVICES] = {"services", "services", kind_service},
    [CHART_ACCOUNTS] = {"accounts", "service accounts", kind_serviceaccount},
    [CHART_ROUTES] = {"routes", "HTTP routes", kind_httproute},
    [CHART_SCALERS] = {"scalers", "horizontal pod autoscalers", kind_scaler},
    [CHART_BUDGETS] = {"budgets", "pod disruption budgets", kind_pdb},
    [CHART_LIMITS] = {"limits", "limit ranges", kind_limitrange},
    [CHART_QUOTAS] = {"quotas", "resource quotas", kind_resourcequota},
    [CHART_MONITORS] = {"monitors", "service monitors", kind_servicemonitor},
    [CHART_RULES] = {"rules", "Prometheus rules", kind_prometheusrule},
    [CHART_OWN_REVIEWS] = {"ownReviews", "your own rights", NULL},
    [CHART_REVIEWS] = {"reviews", "rights of accounts", NULL},
};

const char *chart_list_text(ChartList list)
{
    return lists[list].text;
}

const char *chart_list_name(ChartList list)
{
    return lists[list].name;
}

const Kind *chart_list_kind(ChartList list)
{
    return lists[list].kind;
}

/* --- lists */

static void close_map(void *map)
{
    map_close(map);
}

static const char *index_key(Arena *a, const char *namespace, const char *name)
{
    return str_format(a, "%s/%s", namespace ? namespace : "", name ? name : "");
}

void chart_put(Chart *c, ChartList list, Objects objects)
{
    ChartPart *part = &c->parts[list];

    *part = (ChartPart){.state = CHART_READ, .objects = objects};
    part->by_key = map_open(objects.count + 1);
    arena_pin(c->arena, close_map, part->by_key);
    for (size_t i = 0; i < objects.count; i++) {
        const Json *object = objects.items[i];
        const char *key = index_key(c->arena, meta_namespace(object), meta_name(object));
        if (!map_put(part->by_key, key, (void *)object))
            BUG("a map that was made for all objects is full");
    }
}

void chart_miss(Chart *c, ChartList list, ChartState state, const char *why)
{
    c->parts[list] = (ChartPart){.state = state, .why = why};
}

const Objects *chart_list(const Chart *c, ChartList list)
{
    return &c->parts[list].objects;
}

bool chart_knows(const Chart *c, ChartList list)
{
    return c->parts[list].state == CHART_READ || c->parts[list].state == CHART_UNSERVED;
}

bool chart_serves(const Chart *c, ChartList list)
{
    return c->parts[list].state != CHART_UNSERVED;
}

const Json *chart_find(const Chart *c, ChartList list, const char *namespace, const char *name)
{
    const Map *map = c->parts[list].by_key;

    return map && name ? map_find(map, index_key(c->arena, namespace, name)) : NULL;
}

/* --- times and conditions */

int64_t chart_seconds_since(const Chart *c, const char *text)
{
    int64_t then_ns;

    if (!text || !timestamp_parse(text, &then_ns))
        return -1;
    /* What the server wrote is compared with the server's clock. */
    int64_t elapsed_ns = c->now_ns - c->ahead_ns - then_ns;
    return elapsed_ns > 0 ? elapsed_ns / SECOND_NS : 0;
}

int64_t chart_age_s(const Chart *c, const Json *object, const char *path)
{
    return chart_seconds_since(c, json_str(object, path));
}

int64_t chart_condition_age_s(const Chart *c, const Json *object, const char *type)
{
    const Json *cond, *conditions = json_find(object, ".status.conditions");

    json_each(cond, conditions)
        if (str_eq(json_str(cond, ".type"), type))
            return chart_seconds_since(c, json_str(cond, ".lastTransitionTime"));
    return -1;
}

const char *chart_age_text(const Chart *c, int64_t seconds)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(c->arena, timestamp_elapsed(seconds * SECOND_NS, text));
}

bool chart_has_condition(
    const Json *object, const char *type, const char *status, const char *reason)
{
    return str_eq(object_condition(object, type), status)
        && (!reason || str_eq(object_reason(object, type), reason));
}

/* --- what belongs to a node */

const char *chart_claim_name(const Chart *c, const Json *node)
{
    const char *recorded = json_str(node, ".status.dataVolume.name");
    const char *imported = json_str(node, ".spec.dataVolume.import.pvcName");

    if (recorded)
        return recorded;
    return imported ? imported : name_data_volume(c->arena, meta_name(node));
}

const Json *chart_claim(const Chart *c, const Json *node)
{
    return chart_find(c, CHART_CLAIMS, meta_namespace(node), chart_claim_name(c, node));
}

const Json *chart_pod(const Chart *c, const Json *node)
{
    return chart_find(c, CHART_PODS, meta_namespace(node), name_pod(c->arena, meta_name(node)));
}

/* --- the operator */

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
