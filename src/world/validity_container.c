/* Rules of containers: those that run, those that run first, and those that run beside. */
#include "base/str.h"
#include "kube/quantity.h"
#include "world/validity_pod.h"

#include <string.h>

enum { PORT_MOST = 65535 };

/* --- names --- */

static bool has_name(const Json *containers, const char *name)
{
    const Json *container;

    json_each(container, containers)
        if (str_eq(json_str(container, ".name"), name))
            return true;
    return false;
}

static void check_name(const Spot *spot, Faults *f)
{
    const char *name = spot_text(spot), *fault = naming_label(name);

    if (str_empty(name))
        spot_required(spot, f, NULL);
    else if (fault)
        spot_invalid(spot, f, fault);
}

static void check_repeated(const Spot *spot, Faults *f)
{
    const Spot *list = spot->up->up;
    bool inits = str_eq(list->name, ".initContainers");
    const Json *others = json_find(list->up->value, ".containers");

    if (str_empty(spot_text(spot)))
        return;
    if (spot_repeats(spot->up, ".name") || (inits && has_name(others, spot_text(spot))))
        spot_duplicate(spot, f);
}

/* --- ports --- */

static void check_container_port(const Spot *spot, Faults *f)
{
    int64_t port = json_int(spot->value, "", 0);

    if (port == 0)
        spot_required(spot, f, NULL);
    else if (port < 0 || port > PORT_MOST)
        spot_invalid(spot, f, "must be between 1 and 65535, inclusive");
}

static void check_port_name(const Spot *spot, Faults *f)
{
    NamingFaults faults = naming_port(spot_text(spot));

    if (str_empty(spot_text(spot)))
        return;
    for (size_t i = 0; i < faults.count; i++)
        spot_invalid(spot, f, faults.list[i]);
    if (faults.count == 0 && spot_repeats(spot->up, ".name"))
        spot_duplicate(spot, f);
}

static void check_host_port(const Spot *spot, Faults *f)
{
    const Json *other, *port = spot->up->value, *pod = spot_around(spot, "containers")->value;
    int64_t number = json_int(spot->value, "", 0);

    if (number == 0)
        return;
    if (number < 0 || number > PORT_MOST)
        spot_invalid(spot, f, "must be between 1 and 65535, inclusive");
    if (json_bool(pod, ".hostNetwork", false) && number != json_int(port, ".containerPort", 0))
        spot_invalid(spot, f, "must match `containerPort` when `hostNetwork` is true");
    json_each(other, spot->up->up->value) {
        const char *protocol = json_str(port, ".protocol"), *address = json_str(port, ".hostIP");
        if (other == port)
            return;
        if (json_int(other, ".hostPort", 0) != number
            || !str_eq(json_str(other, ".protocol"), protocol)
            || !str_eq(json_str(other, ".hostIP"), address))
            continue;
        Spot shown = *spot;
        shown.value = json_fixture(f->arena,
            str_format(f->arena,
                "'%s/%s/%lld'",
                protocol ? protocol : "",
                address ? address : "",
                (long long)number));
        spot_duplicate(&shown, f);
        return;
    }
}

static const Rule port_rules[] = {
    {".name", .check = check_port_name},
    {".containerPort", .check = check_container_port},
    {".hostPort", .check = check_host_port},
    {".protocol", .check = rule_choice, .words = "SCTP|TCP|UDP"},
    {0},
};

/* --- variables --- */

/* The fields of a pod that a variable can have. */
static bool is_field_path(const char *path)
{
    static const char *const whole[] = {"metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs"};

    if ((str_has_prefix(path, "metadata.labels['")
            || str_has_prefix(path, "metadata.annotations['"))
        && str_has_suffix(path, "']"))
        return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (str_eq(path, whole[i]))
            return true;
    return false;
}

static void check_field_path(const Spot *spot, Faults *f)
{
    if (str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    else if (!is_field_path(spot_text(spot)))
        spot_invalid(spot,
            f,
            str_format(f->arena,
                "error converting fieldPath: field label not supported: %s",
                spot_text(spot)));
}

static void check_object_name(const Spot *spot, Faults *f)
{
    const char *fault = naming_subdomain(spot_text(spot));

    if (fault)
        spot_invalid(spot, f, fault);
}

static void check_value_from(const Spot *spot, Faults *f)
{
    size_t count = json_count(spot->value);

    if (!spot->value)
        return;
    if (count == 0)
        spot_invalid_as(spot,
            f,
            "\"\"",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
            "`secretKeyRef`");
    else if (!str_empty(json_str(spot->up->value, ".value")))
        spot_invalid_as(spot, f, "\"\"", "may not be specified when `value` is not empty");
    else if (count > 1)
        spot_invalid_as(spot, f, "\"\"", "may not have more than one field specified at a time");
}

static const Rule field_ref_rules[] = {
    {".fieldPath", .check = check_field_path},
    {0},
};
static const Rule resource_ref_rules[] = {
    {".resource", .check = rule_required},
    {".resource",
        .check = rule_choice,
        .words = "limits.cpu|limits.ephemeral-storage|limits.memory|requests.cpu|"
                 "requests.ephemeral-storage|requests.memory"},
    {0},
};
static const Rule key_ref_rules[] = {
    {".name", .check = check_object_name},
    {".key", .check = rule_required},
    {".key", .check = rule_named, .naming = naming_config_key},
    {0},
};
static const Rule value_from_rules[] = {
    {".fieldRef", .inside = field_ref_rules},
    {".resourceFieldRef", .inside = resource_ref_rules},
    {".configMapKeyRef", .inside = key_ref_rules},
    {".secretKeyRef", .inside = key_ref_rules},
    {0},
};
static const Rule variable_rules[] = {
    {".name", .check = rule_required},
    {".name", .check = rule_named, .naming = naming_variable},
    {".valueFrom", .inside = value_from_rules},
    {".valueFrom", .check = check_value_from},
    {0},
};

static void check_env_from(const Spot *spot, Faults *f)
{
    if (!json_find(spot->value, ".configMapRef") && !json_find(spot->value, ".secretRef"))
        spot_invalid_as(spot->up, f, "\"\"", "must specify one of: `configMapRef` or `secretRef`");
}

static const Rule env_source_rules[] = {
    {".name", .check = rule_required},
    {0},
};
static const Rule env_from_rules[] = {
    {".prefix", .check = rule_named, .naming = naming_variable},
    {".configMapRef", .inside = env_source_rules},
    {".secretRef", .inside = env_source_rules},
    {"", .check = check_env_from},
    {0},
};

/* --- mounts --- */

/* Volumes are looked at first, so without a fault so far none of them has one. */
static bool has_volume(const Spot *pod, const char *name, Faults *f)
{
    Spot volumes = {.up = pod, .value = json_find(pod->value, ".volumes"), .name = ".volumes"};
    Spot volume = {.up = &volumes};

    json_each(volume.value, volumes.value) {
        if (str_eq(json_str(volume.value, ".name"), name))
            return f->count == 0 || rules_hold(validity_volume_rules, &volume, f->arena);
        volume.index++;
    }
    return false;
}

static void check_mount_name(const Spot *spot, Faults *f)
{
    const Spot *pod = spot_around(spot, "containers");

    if (str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    if (!has_volume(pod, spot_text(spot), f))
        spot_not_found(spot, f);
}

static void check_mount_path(const Spot *spot, Faults *f)
{
    if (str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    else if (spot_repeats(spot->up, ".mountPath"))
        spot_invalid(spot, f, "must be unique");
}

/* The real server forgets the index of the mount here. */
static void check_sub_path(const Spot *spot, Faults *f)
{
    const char *fault = naming_inner_path(spot_text(spot));
    Spot path = {.up = spot->up->up, .value = spot->value, .name = spot->name};

    if (fault)
        spot_invalid(&path, f, fault);
}

static void check_propagation(const Spot *spot, Faults *f)
{
    static const Rule rule = {".mountPropagation", .words = "Bidirectional|HostToContainer|None"};

    rule_choice(
        &(Spot){.up = spot->up->up, .rule = &rule, .value = spot->value, .name = spot->name}, f);
}

static const Rule mount_rules[] = {
    {".name", .check = check_mount_name},
    {".mountPath", .check = check_mount_path},
    {".subPath", .check = check_sub_path},
    {".mountPropagation", .check = check_propagation},
    {0},
};

/* --- resources --- */

static bool is_own_resource(const char *name)
{
    return str_eq(name, "cpu") || str_eq(name, "memory") || str_eq(name, "ephemeral-storage")
        || str_has_prefix(name, "hugepages-");
}

static bool is_native(const char *name)
{
    return !strchr(name, '/') || strstr(name, "kubernetes.io/");
}

static Quantity quantity_of(Arena *a, const Json *value)
{
    Quantity quantity = {0};

    if (!json_text(value) || quantity_parse(a, json_text(value), &quantity))
        return (Quantity){0};
    return quantity;
}

static void check_amounts(const Spot *amounts, Faults *f)
{
    static const int64_t one = 1000000000;
    const Json *amount;

    json_each(amount, amounts->value) {
        const char *name = json_key(amount);
        Spot spot = {.up = amounts, .value = amount, .name = str_format(f->arena, "[%s]", name)};
        Quantity quantity = quantity_of(f->arena, amount);
        if (!is_own_resource(name) && !strchr(name, '/')) {
            const char *shown = str_format(f->arena, "\"%s\"", name);
            spot_invalid_as(&spot, f, shown, "must be a standard resource type or fully qualified");
            spot_invalid_as(&spot, f, shown, "must be a standard resource for containers");
        }
        if (quantity.nanos < 0)
            spot_invalid(&spot, f, "must be greater than or equal to 0");
        if (!is_native(name) && quantity.nanos % one != 0)
            spot_invalid(&spot, f, "must be an integer");
    }
}

static void check_within_limits(const Spot *requests, const Spot *limits, Faults *f)
{
    const Json *request;

    json_each(request, requests->value) {
        const char *name = json_key(request);
        const Json *limit = json_member(limits->value, name);
        Quantity wanted = quantity_of(f->arena, request), most = quantity_of(f->arena, limit);
        Spot spot = {.up = requests->up, .value = request, .name = requests->name};
        if (!limit && !is_native(name))
            spot_required(limits, f, "Limit must be set for non overcommitable resources");
        else if (limit && !is_native(name) && quantity_compare(wanted, most) != 0)
            spot_invalid(&spot,
                f,
                str_format(f->arena, "must be equal to %s limit of %s", name, json_text(limit)));
        else if (limit && quantity_compare(wanted, most) > 0)
            spot_invalid(&spot,
                f,
                str_format(f->arena,
                    "must be less than or equal to %s limit of %s",
                    name,
                    json_text(limit)));
    }
}

static void check_resources(const Spot *spot, Faults *f)
{
    Spot limits = spot_at(spot, ".limits"), requests = spot_at(spot, ".requests");

    check_amounts(&limits, f);
    check_amounts(&requests, f);
    check_within_limits(&requests, &limits, f);
}

/* --- security --- */

static void check_escalation(const Spot *spot, Faults *f)
{
    if (json_bool(spot->value, ".privileged", false)
        && !json_bool(spot->value, ".allowPrivilegeEscalation", true))
        spot_invalid(
            spot, f, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
}

static void check_local_profile(const Spot *spot, Faults *f)
{
    bool local = str_eq(json_str(spot->up->value, ".type"), "Localhost");

    if (local && str_empty(spot_text(spot)))
        spot_required(spot, f, "must be set when seccomp type is Localhost");
    if (!local && spot->value)
        spot_invalid(spot, f, "can only be set when seccomp type is Localhost");
}

static bool has_type(const Spot *around)
{
    return !str_empty(json_str(around->value, ".type"));
}

const Rule validity_seccomp_rules[] = {
    {".type", .check = rule_required, .words = "type is required when seccompProfile is set"},
    {".type",
        .check = rule_choice,
        .when = has_type,
        .words = "Localhost|RuntimeDefault|Unconfined"},
    {".localhostProfile", .check = check_local_profile},
    {0},
};
static const Rule security_rules[] = {
    {".runAsUser", .check = rule_id},
    {".runAsGroup", .check = rule_id},
    {".procMount", .check = rule_choice, .words = "Default|Unmasked"},
    {".seccompProfile", .inside = validity_seccomp_rules},
    {"", .check = check_escalation},
    {0},
};

/* --- probes and hooks --- */

static void check_handlers(const Spot *spot, Faults *f)
{
    static const char *const kinds[] = {".exec", ".httpGet", ".tcpSocket", ".grpc", ".sleep"};
    size_t count = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Spot handler = spot_at(spot, kinds[i]);
        if (handler.value && count++ > 0)
            spot_forbidden(&handler, f, "may not specify more than 1 handler type");
    }
    if (count == 0)
        spot_required(spot, f, "must specify a handler type");
}

static void check_header(const Spot *spot, Faults *f)
{
    const char *name = json_str(spot->value, ".name");
    const char *fault = naming_header(name ? name : "");

    if (fault)
        spot_invalid_as(spot->up, f, str_format(f->arena, "\"%s\"", name ? name : ""), fault);
}

static void check_sleep(const Spot *spot, Faults *f)
{
    const Json *pod = spot_around(spot, "containers")->value;
    int64_t grace = json_int(pod, ".terminationGracePeriodSeconds", 0);
    int64_t seconds = json_int(spot->value, ".seconds", 0);

    if (spot->value && (seconds < 0 || seconds > grace))
        spot_invalid_as(spot,
            f,
            str_format(f->arena, "%lld", (long long)seconds),
            str_format(f->arena,
                "must be non-negative and less than terminationGracePeriodSeconds (%lld)",
                (long long)grace));
}

static const Rule exec_rules[] = {
    {".command", .check = rule_required},
    {0},
};
static const Rule header_rules[] = {
    {"", .check = check_header},
    {0},
};
static const Rule http_get_rules[] = {
    {".path", .check = rule_required},
    {".port", .check = rule_port},
    {".scheme", .check = rule_choice, .words = "HTTP|HTTPS"},
    {".httpHeaders", .each = header_rules},
    {0},
};
static const Rule tcp_socket_rules[] = {
    {".port", .check = rule_port},
    {0},
};
static const Rule handler_rules[] = {
    {".exec", .inside = exec_rules},
    {".httpGet", .inside = http_get_rules},
    {".tcpSocket", .inside = tcp_socket_rules},
    {".grpc", .inside = tcp_socket_rules},
    {".sleep", .check = check_sleep},
    {"", .check = check_handlers},
    {0},
};
static const Rule lifecycle_rules[] = {
    {".postStart", .inside = handler_rules},
    {".preStop", .inside = handler_rules},
    {0},
};

static void check_one_success(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 1) != 1)
        spot_invalid(spot, f, "must be 1");
}

static void check_no_grace(const Spot *spot, Faults *f)
{
    if (spot->value)
        spot_invalid(spot, f, "must not be set for readinessProbes");
}

static const Rule probe_rules[] = {
    {"", .inside = handler_rules},
    {".initialDelaySeconds", .check = rule_not_negative},
    {".timeoutSeconds", .check = rule_not_negative},
    {".periodSeconds", .check = rule_not_negative},
    {".successThreshold", .check = rule_not_negative},
    {".failureThreshold", .check = rule_not_negative},
    {".terminationGracePeriodSeconds", .check = rule_positive},
    {0},
};
static const Rule once_rules[] = {
    {"", .inside = probe_rules},
    {".successThreshold", .check = check_one_success},
    {0},
};
static const Rule readiness_rules[] = {
    {"", .inside = probe_rules},
    {".terminationGracePeriodSeconds", .check = check_no_grace},
    {0},
};

/* --- containers --- */

static bool is_sidecar(const Spot *around)
{
    return str_eq(json_str(around->value, ".restartPolicy"), "Always");
}

static bool is_passing(const Spot *around)
{
    return !is_sidecar(around);
}

static void check_not_for_passing(const Spot *spot, Faults *f)
{
    if (spot->value)
        spot_forbidden(spot, f, "may not be set for init containers without restartPolicy=Always");
}

static const Rule any_container_rules[] = {
    {".name", .check = check_name},
    {".image", .check = rule_required},
    {".terminationMessagePolicy", .check = rule_choice, .words = "File|FallbackToLogsOnError"},
    {".ports", .each = port_rules},
    {".env", .each = variable_rules},
    {".envFrom", .each = env_from_rules},
    {".volumeMounts", .each = mount_rules},
    {".imagePullPolicy", .check = rule_choice, .words = "Always|IfNotPresent|Never"},
    {".resources", .check = check_resources},
    {".securityContext", .inside = security_rules},
    {".name", .check = check_repeated},
    {0},
};
static const Rule running_rules[] = {
    {".lifecycle", .inside = lifecycle_rules},
    {".livenessProbe", .inside = once_rules},
    {".readinessProbe", .inside = readiness_rules},
    {".startupProbe", .inside = once_rules},
    {0},
};

const Rule validity_container_rules[] = {
    {"", .inside = any_container_rules},
    {"", .inside = running_rules},
    {0},
};
const Rule validity_init_container_rules[] = {
    {"", .inside = any_container_rules},
    {"", .when = is_sidecar, .inside = running_rules},
    {".lifecycle", .check = check_not_for_passing, .when = is_passing},
    {".livenessProbe", .check = check_not_for_passing, .when = is_passing},
    {".readinessProbe", .check = check_not_for_passing, .when = is_passing},
    {".startupProbe", .check = check_not_for_passing, .when = is_passing},
    {0},
};
