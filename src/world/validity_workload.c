/* Rules of Deployments, ReplicaSets, CronJobs, budgets, classes of storage and network policies, as
 * far as people get them wrong by hand. Not here: the grammar of schedules and the names of time
 * zones, of which only the empty ones are refused. */
#include "world/validity_workload.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/validity_pod.h"

#include <stdlib.h>
#include <string.h>

enum { CRONJOB_NAME_MAX = 52 };

/* --- numbers or percentages --- */

/* -1: it is no percentage. */
static int64_t percent_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool is_one = digits > 0 && digits < 10 && str_eq(text + digits, "%");

    return is_one ? strtoll(text, NULL, 10) : -1;
}

static void check_amount(const Spot *spot, Faults *f)
{
    if (json_type(spot->value) == JSON_STRING && percent_of(spot_text(spot)) < 0)
        spot_invalid(spot,
            f,
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
            "'1%',  or '93%', regex used for validation is '[0-9]+%')");
    else if (json_type(spot->value) != JSON_STRING)
        rule_not_negative(spot, f);
}

static void check_share(const Spot *spot, Faults *f)
{
    if (json_type(spot->value) == JSON_STRING && percent_of(spot_text(spot)) > 100)
        spot_invalid(spot, f, "must not be greater than 100%");
}

static int64_t amount_of(const Json *value)
{
    return json_type(value) == JSON_STRING ? percent_of(json_text(value)) : json_int(value, "", 0);
}

/* --- Deployment, ReplicaSet --- */

static void check_set_selector(const Spot *spot, Faults *f)
{
    if (!spot->value) {
        spot_required(spot, f, NULL);
        return;
    }
    rule_selector(spot, f);
    if (json_count(spot->value) == 0)
        spot_invalid(spot, f, "empty selector is invalid for deployment");
}

static void check_set_template(const Spot *spot, Faults *f)
{
    Spot pod = spot_at(spot, ".spec"), policy = spot_at(&pod, ".restartPolicy");
    Spot deadline = spot_at(&pod, ".activeDeadlineSeconds"),
         chosen = spot_at(spot->up, ".selector");
    static const Rule selectors[] = {{".selector", .check = rule_selector}, {0}};

    /* A template whose selector is none is not looked at. */
    if (!rules_hold(selectors, spot->up, f->arena))
        return;
    validity_check_template(spot, chosen.value, f);
    validity_check_template_metadata(spot, f);
    rules_check_spot(validity_pod_spec_rules, &pod, f);
    rules_check_spot(validity_pod_address_rules, &pod, f);
    if (!str_eq(spot_text(&policy), "Always"))
        spot_unsupported(&policy, f, "Always");
    if (deadline.value)
        spot_forbidden(&deadline, f, "activeDeadlineSeconds in ReplicaSet is not Supported");
}

static void check_rolling(const Spot *spot, Faults *f)
{
    static const Rule amounts[] = {
        {".maxUnavailable", .check = check_amount},
        {".maxSurge", .check = check_amount},
        {0},
    };
    Spot unavailable = spot_at(spot, ".maxUnavailable"), surge = spot_at(spot, ".maxSurge");

    rules_check_spot(amounts, spot, f);
    if (amount_of(unavailable.value) == 0 && amount_of(surge.value) == 0)
        spot_invalid(&unavailable, f, "may not be 0 when `maxSurge` is 0");
    check_share(&unavailable, f);
}

static void check_strategy(const Spot *spot, Faults *f)
{
    Spot type = spot_at(spot, ".type"), rolling = spot_at(spot, ".rollingUpdate");

    if (str_eq(spot_text(&type), "RollingUpdate"))
        check_rolling(&rolling, f);
    else if (!str_eq(spot_text(&type), "Recreate"))
        spot_unsupported(spot, f, "Recreate|RollingUpdate");
    else if (rolling.value)
        spot_forbidden(&rolling, f, "may not be specified when strategy `type` is 'Recreate'");
}

static void check_progress(const Spot *spot, Faults *f)
{
    rule_not_negative(spot, f);
    if (spot->value
        && json_int(spot->value, "", 0) <= json_int(spot->up->value, ".minReadySeconds", 0))
        spot_invalid(spot, f, "must be greater than minReadySeconds");
}

static const Rule deployment_spec_rules[] = {
    {".replicas", .check = rule_not_negative},
    {".selector", .check = check_set_selector},
    {".template", .check = check_set_template},
    {".strategy", .check = check_strategy},
    {".minReadySeconds", .check = rule_not_negative},
    {".revisionHistoryLimit", .check = rule_not_negative},
    {".progressDeadlineSeconds", .check = check_progress},
    {0},
};
const Rule validity_deployment_rules[] = {
    {".spec", .inside = deployment_spec_rules},
    {0},
};
static const Rule replicaset_spec_rules[] = {
    {".replicas", .check = rule_not_negative},
    {".minReadySeconds", .check = rule_not_negative},
    {".selector", .check = check_set_selector},
    {".template", .check = check_set_template},
    {0},
};
const Rule validity_replicaset_rules[] = {
    {".spec", .inside = replicaset_spec_rules},
    {0},
};

/* --- CronJob --- */

/* Jobs are named after it and the minute. */
static void check_cronjob_name(const Spot *spot, Faults *f)
{
    if (strlen(spot_text(spot)) > CRONJOB_NAME_MAX)
        spot_invalid(spot, f, "must be no more than 52 characters");
}

static void check_zone(const Spot *spot, Faults *f)
{
    if (spot->value && str_empty(spot_text(spot)))
        spot_invalid(spot, f, "timeZone must be nil or non-empty string");
}

static void check_job_pod(const Spot *spot, Faults *f)
{
    Spot policy = spot_at(spot, ".restartPolicy");
    const char *name = spot_text(&policy);

    rules_check_spot(validity_pod_spec_rules, spot, f);
    rules_check_spot(validity_pod_address_rules, spot, f);
    if (str_eq(name, "Always"))
        spot_required(&policy, f, "valid values: \"OnFailure\", \"Never\"");
    else if (!str_eq(name, "OnFailure") && !str_eq(name, "Never"))
        spot_unsupported(&policy, f, "OnFailure|Never");
}

static const Rule cron_job_rules[] = {
    {".parallelism", .check = rule_not_negative},
    {".completions", .check = rule_not_negative},
    {".activeDeadlineSeconds", .check = rule_not_negative},
    {".backoffLimit", .check = rule_not_negative},
    {".ttlSecondsAfterFinished", .check = rule_not_negative},
    {".template.spec", .check = check_job_pod},
    {0},
};
static const Rule cronjob_spec_rules[] = {
    {".schedule", .check = rule_required},
    {".startingDeadlineSeconds", .check = rule_not_negative},
    {".timeZone", .check = check_zone},
    {".concurrencyPolicy", .check = rule_choice, .words = "Allow|Forbid|Replace"},
    {".jobTemplate.spec", .inside = cron_job_rules},
    {".successfulJobsHistoryLimit", .check = rule_not_negative},
    {".failedJobsHistoryLimit", .check = rule_not_negative},
    {0},
};
const Rule validity_cronjob_rules[] = {
    {".spec", .inside = cronjob_spec_rules},
    {".metadata.name", .check = check_cronjob_name},
    {0},
};

/* --- PodDisruptionBudget --- */

/* As the real server prints it: all of its own fields. */
static const char *whole_budget(Arena *a, const Json *spec)
{
    static const struct {
        const char *own, *member;
    } names[] = {
        {"MinAvailable", "minAvailable"},
        {"Selector", "selector"},
        {"MaxUnavailable", "maxUnavailable"},
        {"UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy"},
    };
    Draft *whole = draft_object(a);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Json *value = json_member(spec, names[i].member);
        draft_set(whole, draft_json(names[i].own, value ? value : json_fixture(a, "null")));
    }
    return json_write(a, json_seal(a, whole)).data;
}

static void check_both(const Spot *spot, Faults *f)
{
    if (spot_at(spot, ".minAvailable").value && spot_at(spot, ".maxUnavailable").value)
        spot_invalid_as(spot,
            f,
            whole_budget(f->arena, spot->value),
            "minAvailable and maxUnavailable cannot be both set");
}

static const Rule pdb_spec_rules[] = {
    {"", .check = check_both},
    {".minAvailable", .check = check_amount},
    {".minAvailable", .check = check_share},
    {".maxUnavailable", .check = check_amount},
    {".maxUnavailable", .check = check_share},
    {".selector", .check = rule_selector},
    {".unhealthyPodEvictionPolicy", .check = rule_choice, .words = "AlwaysAllow|IfHealthyBudget"},
    {0},
};
const Rule validity_pdb_rules[] = {
    {".spec", .inside = pdb_spec_rules},
    {0},
};

/* --- StorageClass --- */

const Rule validity_storage_class_rules[] = {
    {".provisioner", .check = rule_required},
    {".provisioner", .check = rule_key},
    {".reclaimPolicy", .check = rule_choice, .words = "Delete|Retain"},
    {".volumeBindingMode", .check = rule_choice, .words = "Immediate|WaitForFirstConsumer"},
    {0},
};

/* --- NetworkPolicy --- */

static void check_policy_port(const Spot *spot, Faults *f)
{
    Spot port = spot_at(spot, ".port"), end = spot_at(spot, ".endPort");

    if (port.value)
        rule_port(&port, f);
    else if (end.value)
        spot_invalid(&end, f, "may not be specified when `port` is not specified");
}

static void check_peer(const Spot *spot, Faults *f)
{
    Spot block = spot_at(spot, ".ipBlock");
    bool by_labels =
        spot_at(spot, ".podSelector").value || spot_at(spot, ".namespaceSelector").value;

    if (!block.value && !by_labels)
        spot_required(spot, f, "must specify a peer");
    else if (block.value && by_labels)
        spot_forbidden(spot, f, "may not specify both ipBlock and another peer");
}

static const Rule policy_port_rules[] = {
    {".protocol", .check = rule_choice, .words = "TCP|UDP|SCTP"},
    {"", .check = check_policy_port},
    {0},
};
static const Rule peer_rules[] = {
    {".podSelector", .check = rule_selector},
    {".namespaceSelector", .check = rule_selector},
    {"", .check = check_peer},
    {0},
};
static const Rule ingress_rules[] = {
    {".ports", .each = policy_port_rules},
    {".from", .each = peer_rules},
    {0},
};
static const Rule egress_rules[] = {
    {".ports", .each = policy_port_rules},
    {".to", .each = peer_rules},
    {0},
};
static const Rule policy_type_rules[] = {
    {"", .check = rule_choice, .words = "Ingress|Egress"},
    {0},
};
static const Rule policy_spec_rules[] = {
    {".podSelector", .check = rule_selector},
    {".ingress", .each = ingress_rules},
    {".egress", .each = egress_rules},
    {".policyTypes", .each = policy_type_rules},
    {0},
};
const Rule validity_network_policy_rules[] = {
    {".spec", .inside = policy_spec_rules},
    {0},
};
