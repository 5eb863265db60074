/* Summary: what is known of an area at a glance, for the line on what is well there. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/condition.h"

static const char *number(Arena *a, size_t count, const char *noun)
{
    return str_format(a, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static const char *with_ready(const Chart *c, ChartList list, const char *noun)
{
    const Objects *all = chart_list(c, list);
    size_t count = 0, ready = 0;

    if (!chart_knows(c, list))
        return NULL;
    for (size_t i = 0; i < all->count; i++) {
        bool counts = chart_is_asked_about(c, meta_namespace(all->items[i]));
        count += counts;
        ready += counts && chart_has_condition(all->items[i], COND_READY, "True", NULL);
    }
    return count == 0 ? str_format(c->arena, "no %ss", noun)
                      : str_format(c->arena, "%s, %zu Ready", number(c->arena, count, noun), ready);
}

static const Json *newest_lease(const Chart *c)
{
    const Objects *all = chart_list(c, CHART_LEASES);
    const Json *newest = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (!newest
            || chart_age_s(c, all->items[i], ".spec.renewTime")
                < chart_age_s(c, newest, ".spec.renewTime"))
            newest = all->items[i];
    return newest;
}

/* Of several the replicas alone: each has a leader of its own. */
static const char *operators_line(const Chart *c, const Objects *operators)
{
    int64_t available = 0, wanted = 0;

    for (size_t i = 0; i < operators->count; i++) {
        available += json_int(operators->items[i], ".status.availableReplicas", 0);
        wanted += json_int(operators->items[i], ".spec.replicas", 1);
    }
    return str_format(c->arena,
        "%zu operators, %lld of %lld replicas",
        operators->count,
        (long long)available,
        (long long)wanted);
}

static const char *operator_line(const Chart *c)
{
    const Json *d = chart_operator(c);
    const Objects operators = chart_operators(c);
    const Json *lease = newest_lease(c);
    const char *holder = json_str(lease, ".spec.holderIdentity");
    int64_t age_s = chart_age_s(c, lease, ".spec.renewTime");
    const char *leader = str_empty(holder) || age_s < 0
        ? "no leader"
        : str_format(c->arena, "led by %s, renewed %s ago", holder, chart_age_text(c, age_s));

    if (!chart_knows(c, CHART_LEASES) || (!d && !lease))
        return NULL;
    if (operators.count > 1)
        return operators_line(c, &operators);
    return d ? str_format(c->arena,
                   "%lld of %lld replicas, %s",
                   (long long)json_int(d, ".status.availableReplicas", 0),
                   (long long)json_int(d, ".spec.replicas", 1),
                   leader)
             : str_format(c->arena, "no Deployment; %s", leader);
}

static const char *storage_line(const Chart *c)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    size_t claims = 0;

    if (!chart_knows(c, CHART_CLAIMS) || !chart_knows(c, CHART_NODES))
        return NULL;
    for (size_t i = 0; i < nodes->count; i++)
        claims += chart_claim(c, nodes->items[i]) != NULL;
    return str_format(c->arena, "%s of nodes", number(c->arena, claims, "claim"));
}

static const char *validator_line(const Chart *c)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    size_t count = 0;

    if (!chart_knows(c, CHART_NODES))
        return NULL;
    for (size_t i = 0; i < nodes->count; i++)
        count += chart_is_asked_about(c, meta_namespace(nodes->items[i]))
            && json_find(nodes->items[i], ".spec.validator");
    return count ? number(c->arena, count, "validator") : "no validators";
}

static const char *cluster_line(const Chart *c)
{
    return c->server_version ? str_format(c->arena, "Kubernetes %s", c->server_version) : NULL;
}

static const char *definition_line(const Chart *c)
{
    return chart_knows(c, CHART_DEFINITIONS)
        ? str_format(c->arena, "%zu of 2 are there", chart_list(c, CHART_DEFINITIONS)->count)
        : NULL;
}

const char *area_summary(const Chart *chart, Area area)
{
    switch (area) {
    case AREA_CLUSTER:
        return cluster_line(chart);
    case AREA_DEFINITIONS:
        return definition_line(chart);
    case AREA_OPERATOR:
        return chart->is_pre ? NULL : operator_line(chart);
    case AREA_STORAGE:
        return chart->is_pre ? NULL : storage_line(chart);
    case AREA_NODES:
        return with_ready(chart, CHART_NODES, "node");
    case AREA_FLEETS:
        return with_ready(chart, CHART_FLEETS, "fleet");
    case AREA_VALIDATORS:
        return validator_line(chart);
    case AREA_RIGHTS:
    case AREA_MONITORING:
    case AREA_PODS:
    case AREA_SURROUNDINGS:
    case AREA_GITOPS:
    case AREA_COUNT:
        break;
    }
    return NULL;
}
