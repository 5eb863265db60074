/* Chart: lists with an index each, so that a thousand nodes are looked up, not searched. */
#include "cli/doctor/chart.h"

#include "base/str.h"
#include "cli/object.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

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
    [CHART_REVIEWS] = {"reviews", "rights of operators", NULL},
    [CHART_SIDECAR_REVIEWS] = {"sidecarReviews", "rights of sidecars' tokens", NULL},
    [CHART_NODE_REVIEWS] = {"nodeReviews", "rights of nodes", NULL},
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
    return chart_age_s(c, cond_in(object, type), ".lastTransitionTime");
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

bool chart_is_asked_about(const Chart *c, const char *namespace)
{
    return !namespace || !c->namespace || str_eq(namespace, c->namespace);
}

bool chart_has_nodes(const Chart *c, const char *namespace)
{
    static const ChartList lists_of_ours[] = {CHART_NODES, CHART_FLEETS};

    for (size_t i = 0; i < sizeof lists_of_ours / sizeof lists_of_ours[0]; i++) {
        const Objects *all = chart_list(c, lists_of_ours[i]);
        for (size_t n = 0; n < all->count; n++)
            if (str_eq(meta_namespace(all->items[n]), namespace))
                return true;
    }
    return false;
}

bool chart_is_first_of_namespace(const Chart *c, size_t node)
{
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < node; i++)
        if (str_eq(meta_namespace(nodes->items[i]), meta_namespace(nodes->items[node])))
            return false;
    return true;
}

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

bool chart_is_stopped(const Chart *c, const Json *node)
{
    bool sees_pods = chart_knows(c, CHART_PODS) && chart_is_asked_about(c, meta_namespace(node));

    return json_bool(node, ".spec.paused", false)
        && chart_has_condition(node, COND_PAUSED, "True", NULL) && sees_pods && !chart_pod(c, node);
}
