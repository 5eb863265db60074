/* Checks of monitoring. Only where the cluster has the kinds of the Prometheus operator: others
 * scrape by other means, which nobody can see from here. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"

#include <string.h>

static bool selects_namespace(const Json *monitor, const char *namespace)
{
    const Json *selector = json_find(monitor, ".spec.namespaceSelector"), *name;

    if (json_bool(selector, ".any", false))
        return true;
    json_each(name, json_find(selector, ".matchNames"))
        if (str_eq(json_text(name), namespace))
            return true;
    return !json_find(selector, ".matchNames") && str_eq(meta_namespace(monitor), namespace);
}

/* An empty selector selects every Service, as in Kubernetes. */
static bool selects_labels(Arena *a, const Json *monitor, const Json *service)
{
    const Selector *selector = NULL;
    const Json *wanted = json_find(monitor, ".spec.selector");

    if (json_count(wanted) == 0)
        return true;
    return !selector_decode(a, wanted, &selector) && selector_matches(selector, service);
}

static const Json *metrics_service(const Chart *c, const Json *d)
{
    return chart_find(c, CHART_SERVICES, meta_namespace(d), METRICS_SERVICE);
}

static void metrics_are_not_scraped(Exam *exam, const Json *d)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_MONITORS);
    const Json *service = metrics_service(c, d);

    if (!service) {
        exam_skip(exam, "there is no Service of its metrics");
        return;
    }
    for (size_t i = 0; i < all->count; i++)
        if (selects_namespace(all->items[i], meta_namespace(service))
            && selects_labels(exam->arena, all->items[i], service))
            return;
    Finding f = exam_about("Service",
        service,
        str_format(exam->arena,
            "metrics are not scraped: no ServiceMonitor selects %s",
            meta_name(service)));
    /* The file is for that namespace, and speaks TLS. */
    if (!chart_operator_is_of_files(d) || !chart_operator_is_on(c, d, "metrics-secure"))
        f.fix = "kubectl get services,servicemonitors -n {namespace} --show-labels";
    exam_find(exam, f);
}

static void metrics_have_no_service(Exam *exam, const Json *d)
{
    if (!metrics_service(exam->chart, d))
        exam_find(exam,
            (Finding){.kind = "Service",
                .object = {meta_namespace(d), METRICS_SERVICE},
                .message = "there is no Service by which metrics are found"});
}

/* Some rule speaks of our metrics. */
static bool speaks_of_nodes(const Json *rule_object)
{
    const Json *group, *rule;

    json_each(group, json_find(rule_object, ".spec.groups"))
        json_each(rule, json_find(group, ".rules")) {
            const char *expr = json_str(rule, ".expr");
            if (expr && (strstr(expr, "sei_") || strstr(expr, "controller_runtime_")))
                return true;
        }
    return false;
}

static void nobody_is_alerted(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_RULES);
    const Json *d = chart_operator(c);

    for (size_t i = 0; i < all->count; i++)
        if (speaks_of_nodes(all->items[i]))
            return;
    Finding f = exam_about("Deployment", d, "no PrometheusRule speaks of sei_ metrics");
    if (!chart_operator_is_of_files(d))
        f.fix = "kubectl get prometheusrules -n {namespace}";
    exam_find(exam, f);
}

const Check monitoring_checks[] = {
    {.code = "SEI1103",
        .area = AREA_MONITORING,
        .severity = SEVERITY_WARNING,
        .title = "the metrics of the operator are not scraped",
        .fine = "the metrics of the operator are scraped",
        .about = "The cluster has the Prometheus operator, and none of its ServiceMonitors selects "
                 "the Service of our metrics: no dashboard and no alert can work. With Helm set "
                 "metrics.serviceMonitor.enabled; an overlay takes deploy/monitoring in, before "
                 "components/namespaced. With --metrics-secure the account of Prometheus also "
                 "needs the ClusterRole sei-operator-metrics-reader.",
        .fix = "kubectl apply --server-side -f deploy/monitoring/servicemonitor.yaml",
        .needs = {CHART_DEPLOYMENTS, CHART_SERVICES, CHART_MONITORS},
        .needs_kinds = true,
        .run_of_operator = metrics_are_not_scraped},
    {.code = "SEI6101",
        .area = AREA_MONITORING,
        .severity = SEVERITY_WARNING,
        .title = "the metrics of the operator have no Service",
        .fine = "the metrics of the operator have a Service",
        .about = "Prometheus finds its targets by Services. Ours is the last object of "
                 "deploy/install.yaml: apply that one alone, in the namespace of the operator.",
        .fix = "kubectl get services -n {namespace} -l app.kubernetes.io/name=sei-operator",
        .needs = {CHART_DEPLOYMENTS, CHART_SERVICES},
        .run_of_operator = metrics_have_no_service},
    {.code = "SEI6102",
        .area = AREA_MONITORING,
        .severity = SEVERITY_NOTE,
        .title = "no alert speaks of nodes",
        .fine = "an alert speaks of nodes",
        .about = "The cluster has the Prometheus operator, and no PrometheusRule looks at the "
                 "metrics of nodes: that one is stalled, somebody has to see by chance. With Helm "
                 "set metrics.prometheusRule.enabled; an overlay takes deploy/monitoring in.",
        .fix = "kubectl apply --server-side -f deploy/monitoring/prometheusrule.yaml",
        .needs = {CHART_DEPLOYMENTS, CHART_RULES},
        .needs_kinds = true,
        .needs_operator = true,
        .run = nobody_is_alerted},
    {.code = NULL},
};
