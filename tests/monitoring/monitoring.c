/* Monitoring: the registry that expressions are held to is the one that the operator declares. */
#include "tests/monitoring/monitoring.h"

#include "kube/client/yaml.h"
#include "kube/runtime/instruments.h"
#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/reconcile/figures.h"
#include "tests/monitoring/promql.h"
#include "tests/tables.h"
#include "tests/test.h"

#include <string.h>

const Json *monitoring_yaml(Arena *a, const char *path)
{
    const Json *value;

    then_ok(yaml_parse(a, table_source(a, path), &value));
    return value;
}

static Metrics *open_registry(void)
{
    Metrics *m = metrics_open(0);
    Figures figures = {0};

    (void)instruments_declare(m);
    figures_declare(&figures, m, guard_none());
    figures_close(&figures); /* the families stay */
    return m;
}

/* The family that a name on the page belongs to: a histogram has three of them. */
static const MetricSpec *find_family(const Metrics *m, const char *name)
{
    static const char *const parts[] = {"_bucket", "_sum", "_count"};
    const MetricSpec *spec;

    for (size_t n = 0; (spec = metrics_spec(m, n)); n++) {
        size_t len = strlen(spec->name);
        if (spec->type != METRIC_HISTOGRAM && str_eq(spec->name, name))
            return spec;
        if (spec->type != METRIC_HISTOGRAM || strncmp(name, spec->name, len) != 0)
            continue;
        for (size_t i = 0; i < array_count(parts); i++)
            if (str_eq(name + len, parts[i]))
                return spec;
    }
    return NULL;
}

/* Labels that the scrape adds: which replica it was. Its namespace comes only to series that have
 * none of their own (honorLabels). */
static bool is_of_scrape(const char *label)
{
    return str_eq(label, "pod") || str_eq(label, "instance") || str_eq(label, "job")
        || str_eq(label, "namespace");
}

static bool has_label(const MetricSpec *spec, const char *label)
{
    for (size_t i = 0; i < METRIC_LABELS_MAX && spec->labels[i]; i++)
        if (str_eq(spec->labels[i], label))
            return true;
    return spec->type == METRIC_HISTOGRAM && str_eq(label, "le");
}

/* A label of a grouping: some metric of the expression must have it. */
static bool any_has_label(const Metrics *m, const PromqlUses *uses, const char *label)
{
    for (size_t i = 0; i < uses->count; i++) {
        const char *metric = uses->items[i].metric;
        const MetricSpec *spec = metric ? find_family(m, metric) : NULL;
        if (spec && has_label(spec, label))
            return true;
    }
    return false;
}

static bool is_reason(const char *word)
{
    for (int i = 0; i < REASON_ALL_COUNT; i++)
        if (i != REASON_COUNT && str_eq(reason_text((Reason)i), word))
            return true;
    return false;
}

static bool is_phase(const char *word)
{
    return node_phase_parse(word) != PHASE_NONE || fleet_phase_parse(word) != FLEET_NONE;
}

static bool is_plan_type(const char *word)
{
    for (int i = PLAN_UNKNOWN + 1; i < PLAN_KIND_COUNT; i++)
        if (str_eq(plan_kind_text((PlanKind)i), word))
            return true;
    return false;
}

/* Each word of "A|B" is one that the label can have. */
static const char *value_fault(Arena *a, const PromqlUse *use)
{
    bool (*is_known)(const char *word) = str_eq(use->label, "reason") ? is_reason
        : str_eq(use->label, "phase")                                 ? is_phase
        : str_eq(use->label, "plan_type")                             ? is_plan_type
                                                                      : NULL;

    if (!is_known || !use->value || strchr(use->value, '$'))
        return NULL;
    for (const char *at = use->value; *at;) {
        const char *word = str_slice(a, at, strcspn(at, "|"));
        if (!is_known(word))
            return str_format(a, "no %s is ever %s", use->label, word);
        at += strlen(word);
        at += *at == '|';
    }
    return NULL;
}

static const char *use_fault(
    Arena *a, const Metrics *m, const PromqlUses *uses, const PromqlUse *use)
{
    const MetricSpec *spec = use->metric ? find_family(m, use->metric) : NULL;

    if (use->metric && !spec)
        return str_format(a, "there is no metric %s", use->metric);
    if (!use->label || is_of_scrape(use->label))
        return NULL;
    if (spec ? !has_label(spec, use->label) : !any_has_label(m, uses, use->label))
        return str_format(
            a, "%s has no label %s", spec ? spec->name : "what is asked for", use->label);
    return value_fault(a, use);
}

const char *expression_fault(Arena *a, const char *expression)
{
    Metrics *m = open_registry();
    PromqlUses uses = promql_uses(a, expression);
    const char *fault = uses.count ? NULL : "it asks for no metric";

    for (size_t i = 0; i < uses.count && !fault; i++)
        fault = use_fault(a, m, &uses, &uses.items[i]);
    metrics_close(m);
    return fault;
}

void then_expression_exists(Arena *a, const char *where, const char *expression)
{
    const char *fault = expression_fault(a, expression);

    if (fault)
        test_fail(__FILE__, __LINE__, "%s: %s: %s", where, fault, expression);
}
