/* Rules of pods, of the templates that they are made from, and of where they may run. */
#include "world/validity_pod.h"

#include "base/str.h"
#include "kube/selector.h"
#include "world/validity.h"

/* --- where they may run --- */

static void check_term_requirement(const Spot *spot, Faults *f)
{
    Spot how = spot_at(spot, ".operator"), values = spot_at(spot, ".values");
    const char *name = spot_text(&how);

    if (str_eq(name, "In") || str_eq(name, "NotIn")) {
        if (json_count(values.value) == 0)
            spot_required(&values, f, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (str_eq(name, "Exists") || str_eq(name, "DoesNotExist")) {
        if (json_count(values.value) > 0)
            spot_forbidden(
                &values, f, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (str_eq(name, "Gt") || str_eq(name, "Lt")) {
        if (json_count(values.value) != 1)
            spot_required(
                &values, f, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        spot_invalid(&how, f, "not a valid selector operator");
    }
}

static void check_weight(const Spot *spot, Faults *f)
{
    enum { WEIGHT_MOST = 100 };
    int64_t weight = json_int(spot->value, "", 0);

    if (weight < 1 || weight > WEIGHT_MOST)
        spot_invalid_as(
            spot, f, str_format(f->arena, "%lld", (long long)weight), "must be in the range 1-100");
}

static void check_topology(const Spot *spot, Faults *f)
{
    NamingFaults faults = naming_key(f->arena, spot_text(spot));

    if (str_empty(spot_text(spot)))
        spot_required(spot, f, "can not be empty");
    for (size_t i = 0; i < faults.count; i++)
        spot_invalid(spot, f, faults.list[i]);
}

static const Rule term_requirement_rules[] = {
    {"", .check = check_term_requirement},
    {".key", .check = rule_key},
    {0},
};
static const Rule term_rules[] = {
    {".matchExpressions", .each = term_requirement_rules},
    {0},
};
static const Rule node_selector_rules[] = {
    {".nodeSelectorTerms",
        .check = rule_required,
        .words = "must have at least one node selector term",
        .each = term_rules},
    {0},
};
static const Rule node_preference_rules[] = {
    {".weight", .check = check_weight},
    {".preference", .inside = term_rules},
    {0},
};
static const Rule node_affinity_rules[] = {
    {".requiredDuringSchedulingIgnoredDuringExecution", .inside = node_selector_rules},
    {".preferredDuringSchedulingIgnoredDuringExecution", .each = node_preference_rules},
    {0},
};
static const Rule pod_term_rules[] = {
    {".labelSelector", .check = rule_selector},
    {".namespaceSelector", .check = rule_selector},
    {".topologyKey", .check = check_topology},
    {0},
};
static const Rule pod_preference_rules[] = {
    {".weight", .check = check_weight},
    {".podAffinityTerm", .inside = pod_term_rules},
    {0},
};
static const Rule pod_affinity_rules[] = {
    {".requiredDuringSchedulingIgnoredDuringExecution", .each = pod_term_rules},
    {".preferredDuringSchedulingIgnoredDuringExecution", .each = pod_preference_rules},
    {0},
};
static const Rule affinity_rules[] = {
    {".nodeAffinity", .inside = node_affinity_rules},
    {".podAffinity", .inside = pod_affinity_rules},
    {".podAntiAffinity", .inside = pod_affinity_rules},
    {0},
};

static void check_toleration(const Spot *spot, Faults *f)
{
    Spot how = spot_at(spot, ".operator"), effect = spot_at(spot, ".effect");
    const char *value = json_str(spot->value, ".value"), *name = spot_text(&how);
    bool exists = str_eq(name, "Exists"), has_key = !str_empty(json_str(spot->value, ".key"));
    const char *shown = str_format(f->arena, "\"%s\"", value ? value : "");

    if (!has_key && !exists)
        spot_invalid(&how,
            f,
            "operator must be Exists when `key` is empty, which means \"match all values and all "
            "keys\"");
    if (json_find(spot->value, ".tolerationSeconds") && !str_eq(spot_text(&effect), "NoExecute"))
        spot_invalid(&effect, f, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (exists && !str_empty(value))
        spot_invalid_as(&how, f, shown, "value must be empty when `operator` is 'Exists'");
    else if (!exists && !str_empty(name) && !str_eq(name, "Equal"))
        spot_unsupported(&how, f, "Equal|Exists");
    else if (!exists && value && naming_label_value(value))
        spot_invalid_as(&how, f, shown, naming_label_value(value));
}

static bool has_effect(const Spot *around)
{
    return !str_empty(json_str(around->value, ".effect"));
}

static const Rule toleration_rules[] = {
    {".key", .check = rule_key},
    {"", .check = check_toleration},
    {".effect",
        .check = rule_choice,
        .when = has_effect,
        .words = "NoSchedule|PreferNoSchedule|NoExecute"},
    {0},
};

static void check_skew(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 0) <= 0)
        spot_invalid_as(spot,
            f,
            str_format(f->arena, "%lld", (long long)json_int(spot->value, "", 0)),
            "must be greater than zero");
}

static const Rule spread_rules[] = {
    {".maxSkew", .check = check_skew},
    {".topologyKey", .check = rule_required, .words = "can not be empty"},
    {".topologyKey", .check = rule_key},
    {".whenUnsatisfiable", .check = rule_choice, .words = "DoNotSchedule|ScheduleAnyway"},
    {".labelSelector", .check = rule_selector},
    {0},
};

/* --- pods --- */

static void check_dns_config(const Spot *spot, Faults *f)
{
    bool own = str_eq(json_str(spot->up->value, ".dnsPolicy"), "None");

    if (own && !spot->value)
        spot_required(spot, f, "must provide `dnsConfig` when `dnsPolicy` is None");
}

static void check_shared_processes(const Spot *spot, Faults *f)
{
    Spot context = spot_at(spot, ".securityContext");
    Spot shared = spot_at(&context, ".shareProcessNamespace");

    if (json_bool(spot->value, ".hostPID", false)
        && json_bool(spot->value, ".shareProcessNamespace", false))
        spot_invalid_as(
            &shared, f, "true", "ShareProcessNamespace and HostPID cannot both be enabled");
}

static const Rule group_rules[] = {
    {"", .check = rule_id},
    {0},
};
static const Rule security_rules[] = {
    {".runAsUser", .check = rule_id},
    {".runAsGroup", .check = rule_id},
    {".fsGroup", .check = rule_id},
    {".supplementalGroups", .each = group_rules},
    {".fsGroupChangePolicy", .check = rule_choice, .words = "Always|OnRootMismatch"},
    {".seccompProfile", .inside = validity_seccomp_rules},
    {0},
};
static const Rule gate_rules[] = {
    {".conditionType", .check = rule_key},
    {0},
};

static void check_alias(const Spot *spot, Faults *f)
{
    const char *fault = naming_address(spot_text(spot));

    if (fault)
        spot_invalid(spot, f, fault);
}

static const Rule hostname_rules[] = {
    {"", .check = rule_named, .naming = naming_subdomain},
    {0},
};
static const Rule alias_rules[] = {
    {".ip", .check = check_alias},
    {".hostnames", .each = hostname_rules},
    {0},
};

const Rule validity_pod_spec_rules[] = {
    {".volumes", .each = validity_volume_rules},
    {".containers", .check = rule_required, .each = validity_container_rules},
    {".initContainers", .each = validity_init_container_rules},
    {".restartPolicy", .check = rule_choice, .words = "Always|OnFailure|Never"},
    {".dnsPolicy",
        .check = rule_choice,
        .words = "ClusterFirstWithHostNet|ClusterFirst|Default|None"},
    {".nodeSelector", .check = rule_labels},
    {".securityContext", .inside = security_rules},
    {"", .check = check_shared_processes},
    {".affinity", .inside = affinity_rules},
    {".dnsConfig", .check = check_dns_config},
    {".readinessGates", .each = gate_rules},
    {".topologySpreadConstraints", .each = spread_rules},
    {".serviceAccountName", .check = rule_named, .naming = naming_subdomain},
    {".nodeName", .check = rule_named, .naming = naming_subdomain},
    {".tolerations", .each = toleration_rules},
    {".hostAliases", .each = alias_rules},
    {0},
};

const Rule validity_pod_address_rules[] = {
    {".activeDeadlineSeconds", .check = rule_range, .least = 1, .most = INT32_MAX},
    {".hostname", .check = rule_named, .naming = naming_label},
    {".subdomain", .check = rule_named, .naming = naming_label},
    {0},
};

static void check_spaces(const Spot *spot, Faults *f)
{
    const char *image = spot_text(spot);

    if (!str_empty(image) && (image[0] == ' ' || str_has_suffix(image, " ")))
        spot_invalid(spot, f, "must not have leading or trailing whitespace");
}

static const Rule image_rules[] = {
    {".image", .check = check_spaces},
    {0},
};
const Rule validity_pod_alone_rules[] = {
    {".containers", .each = image_rules},
    {".initContainers", .each = image_rules},
    {0},
};

/* --- templates --- */

void validity_check_template(const Spot *template, const Json *selector, Faults *f)
{
    Spot metadata = spot_at(template, ".metadata"), labels = spot_at(&metadata, ".labels");
    const Selector *picks;

    /* A selector that picks everything is refused elsewhere. */
    if (selector && json_count(selector) == 0)
        return;
    if (!selector || selector_decode(f->arena, selector, &picks)
        || !selector_matches(picks, template->value))
        spot_invalid_as(&labels,
            f,
            labels.value ? json_write(f->arena, labels.value).data : "null",
            "`selector` does not match template `labels`");
}

void validity_check_template_metadata(const Spot *template, Faults *f)
{
    Spot metadata = spot_at(template, ".metadata");
    Spot labels = {
        .up = template, .value = json_find(metadata.value, ".labels"), .name = ".labels"};

    rule_labels(&labels, f);
    if (json_find(metadata.value, ".annotations"))
        validity_check_annotations(
            "spec.template.annotations", json_find(metadata.value, ".annotations"), f);
}
