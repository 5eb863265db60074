/* Checks of what namespaces put around nodes: accounts, budgets, quotas, limits and the level of
 * pod security. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "kube/selector.h"
#include "sei/api/names.h"

static void account_is_missing(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const char *namespace = meta_namespace(nodes->items[i]);
        if (!chart_is_asked_about(c, namespace) || !chart_is_first_of_namespace(c, i))
            continue;
        const char *name = chart_account_of_pods(c, namespace);
        if (!name)
            exam_skip(exam, "it is not known as which account the pods of nodes run");
        else if (!chart_find(c, CHART_ACCOUNTS, namespace, name))
            exam_find(exam,
                (Finding){.kind = "ServiceAccount",
                    .object = {namespace, name},
                    .message = "pods of nodes run as this account, and it is not there"});
    }
}

/* --- budgets */

static bool selects(Arena *a, const Json *budget, const Json *pod)
{
    const Selector *selector = NULL;

    return str_eq(meta_namespace(budget), meta_namespace(pod))
        && !selector_decode(a, json_find(budget, ".spec.selector"), &selector)
        && selector_matches(selector, pod);
}

static bool allows_none(const Json *budget)
{
    const char *percent = json_str(budget, ".spec.maxUnavailable");

    return json_int(budget, ".spec.maxUnavailable", 1) == 0 || str_eq(percent, "0%");
}

static void budget_blocks(Exam *exam)
{
    const Objects *budgets = chart_list(exam->chart, CHART_BUDGETS);
    const Objects *pods = chart_list(exam->chart, CHART_PODS);

    for (size_t i = 0; i < budgets->count; i++) {
        const Json *budget = budgets->items[i], *pod = NULL;
        for (size_t n = 0; allows_none(budget) && n < pods->count && !pod; n++)
            pod = selects(exam->arena, budget, pods->items[n]) ? pods->items[n] : NULL;
        if (pod)
            exam_find(exam,
                exam_about("PodDisruptionBudget",
                    budget,
                    str_format(exam->arena,
                        "never lets pod %s be evicted: no machine under it can be drained",
                        meta_name(pod))));
    }
}

/* --- quotas */

static bool is_used_up(Arena *a, const Json *quota, const Json *hard)
{
    const char *used = json_text(json_member(json_find(quota, ".status.used"), json_key(hard)));
    Quantity limit, now;

    return used && json_text(hard) && !quantity_parse(a, json_text(hard), &limit)
        && !quantity_parse(a, used, &now) && quantity_compare(now, limit) >= 0;
}

/* What nodes ask for: not every resource that a quota may have. */
static bool concerns_nodes(const char *resource)
{
    static const char *const asked[] = {"pods",
        "count/pods",
        "cpu",
        "memory",
        "requests.cpu",
        "requests.memory",
        "requests.storage",
        "limits.cpu",
        "limits.memory",
        "persistentvolumeclaims",
        "count/persistentvolumeclaims"};

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (str_eq(resource, asked[i]))
            return true;
    return false;
}

/* The pods of nodes ask for something and have no deadline; whether another scope has them cannot
 * be told from here. */
static bool is_of_other_pods(const Json *quota)
{
    const Json *scope;

    json_each(scope, json_find(quota, ".spec.scopes"))
        if (!str_eq(json_text(scope), "NotBestEffort")
            && !str_eq(json_text(scope), "NotTerminating"))
            return true;
    return json_find(quota, ".spec.scopeSelector") != NULL;
}

static void quota_is_used_up(Exam *exam)
{
    const Objects *quotas = chart_list(exam->chart, CHART_QUOTAS);

    for (size_t i = 0; i < quotas->count; i++) {
        const Json *quota = quotas->items[i], *hard;
        if (is_of_other_pods(quota) || !chart_has_nodes(exam->chart, meta_namespace(quota)))
            continue;
        json_each(hard, json_find(quota, ".status.hard"))
            if (concerns_nodes(json_key(hard)) && is_used_up(exam->arena, quota, hard))
                exam_find(exam,
                    exam_about("ResourceQuota",
                        quota,
                        str_format(exam->arena,
                            "%s is used up (%s): the next pod or claim is refused",
                            json_key(hard),
                            json_text(hard))));
    }
}

/* --- limits */

typedef struct Ask {
    const char *resource, *amount;
} Ask;

/* What seid asks for is above the most that a container, or below the least that it, may. */
static bool is_refused(Arena *a, const Json *limit, Ask ask)
{
    const char *most = json_text(json_member(json_find(limit, ".max"), ask.resource));
    Quantity wanted, bound;

    return str_eq(json_str(limit, ".type"), "Container") && most && ask.amount
        && !quantity_parse(a, ask.amount, &wanted) && !quantity_parse(a, most, &bound)
        && quantity_compare(wanted, bound) > 0;
}

static void tell_refused(Exam *exam, const Json *range, Ask ask)
{
    const Json *limit;

    json_each(limit, json_find(range, ".spec.limits"))
        if (is_refused(exam->arena, limit, ask))
            exam_find(exam,
                exam_about("LimitRange",
                    range,
                    str_format(exam->arena,
                        "refuses containers with %s of %s: seid asks for that",
                        ask.amount,
                        ask.resource)));
}

static void limit_refuses(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *ranges = chart_list(c, CHART_LIMITS);

    for (size_t i = 0; i < ranges->count; i++) {
        const Json *range = ranges->items[i];
        const char *namespace = meta_namespace(range);
        Settings settings;
        if (!chart_has_nodes(c, namespace))
            continue;
        if (chart_settings(c, chart_operator_of(c, namespace), &settings)) {
            exam_skip(exam, "the settings of an operator are not known");
            continue;
        }
        tell_refused(exam, range, (Ask){"cpu", settings.cpu});
        tell_refused(exam, range, (Ask){"memory", settings.memory});
    }
}

/* --- pod security */

/* The first of these containers that may run as root: what it says counts before what the pod
 * says. */
static const Json *find_root(const Json *containers, bool is_pod_safe)
{
    const Json *container;

    json_each(container, containers)
        if (!json_bool(container, ".securityContext.runAsNonRoot", is_pod_safe))
            return container;
    return NULL;
}

/* Of a pod that is made next, not of the one that runs: that was let in. */
static const Json *root_container(const Json *statefulset)
{
    const Json *spec = json_find(statefulset, ".spec.template.spec");
    bool is_pod_safe = json_bool(spec, ".securityContext.runAsNonRoot", false);
    const Json *found = find_root(json_find(spec, ".initContainers"), is_pod_safe);

    return found ? found : find_root(json_find(spec, ".containers"), is_pod_safe);
}

static void level_refuses(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *sets = chart_list(c, CHART_STATEFULSETS);

    for (size_t i = 0; i < sets->count; i++) {
        const Json *set = sets->items[i], *container = root_container(set);
        const Json *namespace = chart_find(c, CHART_NAMESPACES, NULL, meta_namespace(set));
        const char *level = meta_label(namespace, "pod-security.kubernetes.io/enforce");
        if (!meta_label(set, LABEL_NODE) || !str_eq(level, "restricted") || !container)
            continue;
        Finding f = exam_about("StatefulSet",
            set,
            str_format(exam->arena,
                "container %s may run as root, which the namespace refuses: when the pod ends, no "
                "other is admitted",
                exam_word(json_str(container, ".name"))));
        f.other = meta_label(set, LABEL_NODE);
        exam_find(exam, f);
    }
}

const Check surrounding_checks[] = {
    {.code = "SEI3401",
        .area = AREA_SURROUNDINGS,
        .severity = SEVERITY_ERROR,
        .title = "the account of pods is missing in a namespace with nodes",
        .fine = "the account of pods is there in each namespace with nodes",
        .about = "No pod of a node can be made there. The account is SEI_SERVICE_ACCOUNT of the "
                 "settings or, where these cannot be seen, the one that a StatefulSet there names; "
                 "it must also be a subject of sei-rbac-proxy (SEI1302).",
        .fix = "kubectl create serviceaccount {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_ACCOUNTS},
        .run = account_is_missing},
    {.code = "SEI3402",
        .area = AREA_SURROUNDINGS,
        .severity = SEVERITY_WARNING,
        .title = "a budget never lets a pod be evicted",
        .fine = "no budget keeps a pod from ever being evicted",
        .about = "maxUnavailable 0 blocks every drain, and with it upgrades of machines. The "
                 "operator itself replaces pods in spite of it: it deletes, and does not evict.",
        .fix = "kubectl get poddisruptionbudget {name} -n {namespace} -o yaml",
        .needs = {CHART_BUDGETS, CHART_PODS},
        .run = budget_blocks},
    {.code = "SEI3403",
        .area = AREA_SURROUNDINGS,
        .severity = SEVERITY_WARNING,
        .title = "a quota is used up",
        .fine = "no quota of a namespace with nodes is used up",
        .about = "A pod that is replaced is first gone and then made anew: with the quota used up "
                 "by something else in between, the node stays down.",
        .fix = "kubectl describe resourcequota {name} -n {namespace}",
        .needs = {CHART_QUOTAS, CHART_NODES, CHART_FLEETS},
        .run = quota_is_used_up},
    {.code = "SEI3404",
        .area = AREA_SURROUNDINGS,
        .severity = SEVERITY_ERROR,
        .title = "a limit range refuses the pods of nodes",
        .fine = "no limit range refuses the pods of nodes",
        .about = "seid asks for more than a container may have there (SEI_RESOURCE_... of the "
                 "settings): the API server refuses the pod when it is next made.",
        .fix = "kubectl describe limitrange {name} -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS, CHART_LIMITS, CHART_NODES},
        .needs_operator = true,
        .run = limit_refuses},
    {.code = "SEI3405",
        .area = AREA_SURROUNDINGS,
        .severity = SEVERITY_ERROR,
        .title = "the level of pod security refuses the pods of nodes",
        .fine = "no level of pod security refuses the pods of nodes",
        .about = "The namespace enforces restricted, and the StatefulSet is not as this operator "
                 "renders it: an earlier one, or somebody by hand, wrote its template. The status "
                 "says what keeps the operator from writing it anew.",
        .fix = "kubectl sei status node/{other} -n {namespace}",
        .other_is = "NODE",
        .needs = {CHART_NAMESPACES, CHART_STATEFULSETS},
        .run = level_refuses},
    {.code = NULL},
};
