/* Rules of Services. What is headless has no address ("None"), and more freedom. */
#include "world/validity_service.h"

#include "base/str.h"

enum { TIMEOUT_MOST = 86400 };

static bool is_type(const Json *spec, const char *type)
{
    return str_eq(json_str(spec, ".type"), type);
}

static bool is_headless(const Json *spec)
{
    return str_eq(json_str(spec, ".clusterIP"), "None");
}

/* --- ports --- */

static void check_ports(const Spot *spot, Faults *f)
{
    const Json *spec = spot->up->value;

    if (json_count(spot->value) == 0 && !is_headless(spec) && !is_type(spec, "ExternalName"))
        spot_required(spot, f, NULL);
}

static void check_port_name(const Spot *spot, Faults *f)
{
    const char *fault = naming_label(spot_text(spot));

    if (str_empty(spot_text(spot))) {
        if (json_count(spot->up->up->value) > 1)
            spot_required(spot, f, NULL);
        return;
    }
    if (fault)
        spot_invalid(spot, f, fault);
    if (spot_repeats(spot->up, ".name"))
        spot_duplicate(spot, f);
}

/* The real server shows its own structure, most of it empty. */
static void check_port_once(const Spot *spot, Faults *f)
{
    const Json *other;
    int64_t port = json_int(spot->value, ".port", 0);
    const char *protocol = json_str(spot->value, ".protocol");

    json_each(other, spot->up->value) {
        if (other == spot->value)
            return;
        if (json_int(other, ".port", 0) != port || !str_eq(json_str(other, ".protocol"), protocol))
            continue;
        Spot shown = *spot;
        shown.value = json_fixture(f->arena,
            str_format(f->arena,
                "{Name: '', Protocol: '%s', AppProtocol: null, Port: %lld, TargetPort: 0, "
                "NodePort: 0}",
                protocol ? protocol : "",
                (long long)port));
        spot_duplicate(&shown, f);
        return;
    }
}

static void check_node_port(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 0) != 0 && is_type(spot->up->up->up->value, "ClusterIP"))
        spot_forbidden(spot, f, "may not be used when `type` is 'ClusterIP'");
}

static const Rule port_rules[] = {
    {".name", .check = check_port_name},
    {".port", .check = rule_port},
    {".protocol", .check = rule_choice, .words = "SCTP|TCP|UDP"},
    {".targetPort", .check = rule_port},
    {".appProtocol", .check = rule_key},
    {"", .check = check_port_once},
    {".nodePort", .check = check_node_port},
    {0},
};

/* --- addresses --- */

static void check_external_name(const Spot *spot, Faults *f)
{
    const char *fault = naming_subdomain(spot_text(spot));

    if (str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    else if (fault)
        spot_invalid(spot, f, fault);
}

static void check_address(const Spot *spot, Faults *f)
{
    const Json *spec = spot->up->up->value;
    const char *type = json_str(spec, ".type"), *fault = naming_address(spot_text(spot));
    bool has_address = str_eq(type, "LoadBalancer") || str_eq(type, "NodePort");

    if (is_headless(spec) && has_address)
        spot_invalid(
            spot, f, str_format(f->arena, "may not be set to 'None' for %s services", type));
    else if (!is_headless(spec) && fault)
        spot_invalid(spot, f, fault);
}

static bool is_external_name(const Spot *around)
{
    return is_type(around->value, "ExternalName");
}

static const Rule address_rules[] = {
    {"", .check = check_address},
    {0},
};
static const Rule external_address_rules[] = {
    {"", .check = rule_named, .naming = naming_address},
    {0},
};
static const Rule family_rules[] = {
    {"", .check = rule_choice, .words = "IPv4|IPv6"},
    {0},
};

/* --- traffic --- */

static void check_timeout(const Spot *spot, Faults *f)
{
    int64_t seconds = json_int(spot->value, "", 1);

    if (seconds <= 0 || seconds > TIMEOUT_MOST)
        spot_invalid(spot, f, "must be greater than 0 and less than 86400");
}

static void check_external_policy(const Spot *spot, Faults *f)
{
    const Json *spec = spot->up->value;
    bool outside = is_type(spec, "LoadBalancer") || is_type(spec, "NodePort");

    if (spot->value && !outside && json_count(json_find(spec, ".externalIPs")) == 0)
        spot_invalid(spot, f, "may only be set for externally-accessible services");
    else
        rule_choice(spot, f);
}

static const Rule spec_rules[] = {
    {".ports", .check = check_ports},
    {".externalName", .check = check_external_name, .when = is_external_name},
    {".ports", .each = port_rules},
    {".selector", .check = rule_labels},
    {".sessionAffinity", .check = rule_choice, .words = "ClientIP|None"},
    {".sessionAffinityConfig.clientIP.timeoutSeconds", .check = check_timeout},
    {".externalIPs", .each = external_address_rules},
    {".type", .check = rule_choice, .words = "ClusterIP|ExternalName|LoadBalancer|NodePort"},
    {".ipFamilies", .each = family_rules},
    {".ipFamilyPolicy",
        .check = rule_choice,
        .words = "PreferDualStack|RequireDualStack|SingleStack"},
    {".clusterIPs", .each = address_rules},
    {".externalTrafficPolicy", .check = check_external_policy, .words = "Cluster|Local"},
    {".internalTrafficPolicy", .check = rule_choice, .words = "Cluster|Local"},
    {".trafficDistribution",
        .check = rule_choice,
        .words = "PreferClose|PreferSameZone|PreferSameNode"},
    {0},
};

const Rule validity_service_rules[] = {
    {".spec", .inside = spec_rules},
    {0},
};
