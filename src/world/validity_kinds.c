/* Rules of the built-in kinds, one table each; a kind without one is taken as it is. Those of pods
 * and Services have files of their own. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "world/object.h"
#include "world/validity.h"
#include "world/validity_access.h"
#include "world/validity_pod.h"
#include "world/validity_service.h"
#include "world/validity_workload.h"

#include <string.h>

enum { DATA_BYTES_MAX = 1 << 20 };

/* --- ConfigMap and Secret --- */

static size_t check_keys(const Spot *spot, Faults *f)
{
    const Json *entry;
    size_t bytes = 0;

    json_each(entry, spot->value) {
        const char *key = json_key(entry), *fault = naming_config_key(key);
        Spot at = {.up = spot, .value = entry, .name = str_format(f->arena, "[%s]", key)};
        if (fault)
            spot_invalid_as(&at, f, str_format(f->arena, "\"%s\"", key), fault);
        bytes += strlen(json_text(entry) ? json_text(entry) : "");
    }
    return bytes;
}

static void check_config_data(const Spot *spot, Faults *f)
{
    Spot data = spot_at(spot, ".data"), binary = spot_at(spot, ".binaryData");
    Spot whole = {.up = spot, .name = "[]"};
    const Json *entry;
    size_t bytes = check_keys(&data, f);

    json_each(entry, data.value) {
        const char *key = json_key(entry);
        Spot at = {.up = &data, .value = entry, .name = str_format(f->arena, "[%s]", key)};
        if (json_member(binary.value, key))
            spot_invalid_as(&at,
                f,
                str_format(f->arena, "\"%s\"", key),
                "duplicate of key present in binaryData");
    }
    bytes += check_keys(&binary, f) / 4 * 3;
    if (bytes > DATA_BYTES_MAX)
        spot_too_long(&whole, f, DATA_BYTES_MAX);
}

static const Rule configmap_rules[] = {
    {"", .check = check_config_data},
    {0},
};

/* The keys that a type of Secret needs. */
static void check_secret_type(const Spot *spot, Faults *f)
{
    static const struct {
        const char *type, *keys[2];
        bool either;
    } types[] = {
        {.type = "kubernetes.io/basic-auth", .keys = {"username", "password"}, .either = true},
        {.type = "kubernetes.io/tls", .keys = {"tls.crt", "tls.key"}},
        {.type = "kubernetes.io/ssh-auth", .keys = {"ssh-privatekey"}},
        {.type = "kubernetes.io/dockercfg", .keys = {".dockercfg"}},
        {.type = "kubernetes.io/dockerconfigjson", .keys = {".dockerconfigjson"}},
    };
    Spot data = spot_at(spot, ".data");
    const char *type = json_str(spot->value, ".type");

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!str_eq(type, types[i].type))
            continue;
        if (types[i].either
            && (json_member(data.value, types[i].keys[0])
                || json_member(data.value, types[i].keys[1])))
            continue;
        for (size_t k = 0; k < 2 && types[i].keys[k]; k++) {
            Spot at = {.up = &data, .name = str_format(f->arena, "[%s]", types[i].keys[k])};
            if (!json_member(data.value, types[i].keys[k]))
                spot_required(&at, f, NULL);
        }
    }
    if (str_eq(type, "kubernetes.io/service-account-token")
        && str_empty(meta_annotation(spot->value, "kubernetes.io/service-account.name")))
        faults_add(f,
            "FieldValueRequired",
            "metadata.annotations[kubernetes.io/service-account.name]",
            "Required value");
}

static void check_secret_data(const Spot *spot, Faults *f)
{
    if (check_keys(spot, f) / 4 * 3 > DATA_BYTES_MAX)
        spot_too_long(spot, f, DATA_BYTES_MAX);
}

static const Rule secret_rules[] = {
    {".data", .check = check_secret_data},
    {"", .check = check_secret_type},
    {0},
};

/* --- Lease, ControllerRevision --- */

static const Rule lease_rules[] = {
    {".spec.leaseDurationSeconds", .check = rule_positive},
    {".spec.leaseTransitions", .check = rule_not_negative},
    {0},
};

/* Empty data is data. */
static void check_revision_data(const Spot *spot, Faults *f)
{
    if (!spot->value)
        spot_required(spot, f, "data is mandatory");
}

static const Rule revision_rules[] = {
    {".data", .check = check_revision_data},
    {".revision", .check = rule_not_negative},
    {0},
};

/* --- Event --- */

static bool is_for_whole_cluster(const char *namespace)
{
    return str_eq(namespace, "default") || str_eq(namespace, "kube-system");
}

/* New ones say when they were made, and what they are about may be elsewhere. */
static bool is_new_event(const Spot *around)
{
    return json_type(json_find(around->value, ".eventTime")) == JSON_STRING;
}

static void check_home(const Spot *spot, const char *about, Faults *f)
{
    const char *home = meta_namespace(spot->value);
    Spot namespace = {.up = spot, .name = ".involvedObject.namespace"};
    bool right =
        str_empty(about) ? is_for_whole_cluster(home) : is_new_event(spot) || str_eq(about, home);

    if (!right)
        spot_invalid_as(&namespace,
            f,
            str_format(f->arena, "\"%s\"", about ? about : ""),
            "does not match event.namespace");
}

static void check_core_event_home(const Spot *spot, Faults *f)
{
    check_home(spot, json_str(spot->value, ".involvedObject.namespace"), f);
}

static void check_event_home(const Spot *spot, Faults *f)
{
    check_home(spot, json_str(spot->value, ".regarding.namespace"), f);
}

static void check_reporter(const Spot *spot, Faults *f)
{
    NamingFaults faults = naming_key(f->arena, spot_text(spot));

    if (str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    for (size_t i = 0; i < faults.count; i++)
        spot_invalid(spot, f, faults.list[i]);
}

/* The real server shows nothing of what is too long or unknown. */
static void check_length(const Spot *spot, Faults *f)
{
    if (spot->rule->least > 0 && str_empty(spot_text(spot)))
        spot_required(spot, f, NULL);
    if ((int64_t)strlen(spot_text(spot)) > spot->rule->most)
        spot_invalid_as(spot,
            f,
            "\"\"",
            str_format(f->arena, "can have at most %lld characters", (long long)spot->rule->most));
}

/* In the words of the kind that the server keeps Events as. */
static void check_note(const Spot *spot, Faults *f)
{
    Spot message = {.up = spot->up, .rule = spot->rule, .value = spot->value, .name = ".message"};

    check_length(&message, f);
}

static void check_event_type(const Spot *spot, Faults *f)
{
    const char *type = spot_text(spot);

    if (!str_eq(type, "Normal") && !str_eq(type, "Warning"))
        spot_invalid_as(spot, f, "\"\"", str_format(f->arena, "has invalid value: %s", type));
}

static void check_series_count(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 0) < 2)
        spot_invalid_as(spot, f, "\"\"", "should be at least 2");
}

static void check_unset(const Spot *spot, Faults *f)
{
    Spot old = {.up = spot->up, .name = spot->rule->words};

    if (spot->value)
        spot_invalid_as(&old, f, "\"\"", "needs to be unset");
}

static const Rule core_event_rules[] = {
    {"", .check = check_core_event_home},
    {".reportingComponent", .check = check_reporter, .when = is_new_event},
    {".reportingInstance", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {".action", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {".reason", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {0},
};
static const Rule series_rules[] = {
    {".count", .check = check_series_count},
    {".lastObservedTime", .check = rule_required},
    {0},
};
static const Rule event_rules[] = {
    {"", .check = check_event_home},
    {".eventTime", .check = rule_required},
    {".series", .inside = series_rules},
    {".reportingController", .check = check_reporter, .when = is_new_event},
    {".reportingInstance", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {".action", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {".reason", .check = check_length, .when = is_new_event, .least = 1, .most = 128},
    {".note", .check = check_note, .most = 1024},
    {".type", .check = check_event_type},
    {".deprecatedFirstTimestamp", .check = check_unset, .words = ".firstTimestamp"},
    {".deprecatedLastTimestamp", .check = check_unset, .words = ".lastTimestamp"},
    {".deprecatedCount", .check = check_unset, .words = ".count"},
    {0},
};

/* --- PersistentVolumeClaim --- */

static void check_access_modes(const Spot *spot, Faults *f)
{
    static const Rule rule = {
        .at = "", .words = "ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod"};
    const Json *mode;
    bool once = false;

    json_each(mode, spot->value) {
        rule_choice(&(Spot){.up = spot->up, .rule = &rule, .value = mode, .name = spot->name}, f);
        once = once || str_eq(json_text(mode), "ReadWriteOncePod");
    }
    if (once && json_count(spot->value) > 1)
        spot_forbidden(spot, f, "may not use ReadWriteOncePod with other access modes");
}

static void check_storage(const Spot *spot, Faults *f)
{
    const Json *value = json_find(spot->value, ".requests.storage");
    Spot storage = {.up = spot, .value = value, .name = "[storage]"};
    Quantity size;

    if (!value)
        spot_required(&storage, f, NULL);
    else if (!quantity_parse(f->arena, spot_text(&storage), &size) && size.nanos <= 0)
        spot_invalid(&storage, f, "must be greater than zero");
}

static const Rule source_rules[] = {
    {".name", .check = rule_required},
    {0},
};
static const Rule claim_spec_rules[] = {
    {".accessModes", .check = rule_required, .words = "at least 1 access mode is required"},
    {".selector", .check = rule_selector},
    {".accessModes", .check = check_access_modes},
    {".resources", .check = check_storage},
    {".storageClassName", .check = rule_named, .naming = naming_subdomain},
    {".volumeMode", .check = rule_choice, .words = "Block|Filesystem"},
    {".dataSource", .inside = source_rules},
    {".dataSourceRef", .inside = source_rules},
    {0},
};
static const Rule claim_rules[] = {
    {".spec", .inside = claim_spec_rules},
    {0},
};

/* --- Pod --- */

static const Rule pod_rules[] = {
    {".spec", .inside = validity_pod_spec_rules},
    {".spec", .inside = validity_pod_address_rules},
    {".spec", .inside = validity_pod_alone_rules},
    {0},
};

/* --- StatefulSet --- */

static void check_order(const Spot *spot, Faults *f)
{
    if (!str_eq(spot_text(spot), "OrderedReady") && !str_eq(spot_text(spot), "Parallel"))
        spot_invalid(spot, f, "must be 'OrderedReady' or 'Parallel'");
}

static void check_strategy(const Spot *spot, Faults *f)
{
    const char *type = json_str(spot->value, ".type");
    Spot rolling = spot_at(spot, ".rollingUpdate");
    int64_t partition = json_int(rolling.value, ".partition", 0);

    if (str_eq(type, "RollingUpdate"))
        return;
    if (!str_eq(type, "OnDelete"))
        spot_invalid_as(spot,
            f,
            str_format(f->arena, "{\"Type\":\"%s\",\"RollingUpdate\":null}", type ? type : ""),
            "must be 'RollingUpdate' or 'OnDelete'");
    else if (rolling.value)
        spot_invalid_as(&rolling,
            f,
            str_format(
                f->arena, "{\"Partition\":%lld,\"MaxUnavailable\":null}", (long long)partition),
            "only allowed for updateStrategy 'RollingUpdate'");
}

static void check_set_selector(const Spot *spot, Faults *f)
{
    size_t before = f->count;

    if (!spot->value) {
        spot_required(spot, f, NULL);
        return;
    }
    rule_selector(spot, f);
    if (json_count(spot->value) == 0)
        spot_invalid(spot, f, "empty selector is invalid for statefulset");
    if (f->count > before && json_count(spot->value) > 0)
        spot_invalid(spot, f, NULL);
}

static bool is_claimed(const Json *claims, const char *name)
{
    const Json *claim;

    json_each(claim, claims)
        if (str_eq(meta_name(claim), name))
            return true;
    return false;
}

/* The claims of the set are volumes of its pods, before their own or instead. */
static const Json *with_claims(Arena *a, const Json *pod, const Json *claims)
{
    Draft *volumes = draft_array(a);
    const Json *claim, *volume;

    if (json_count(claims) == 0)
        return pod;
    json_each(claim, claims)
        draft_push(volumes,
            draft(a,
                str("name", meta_name(claim)),
                obj("persistentVolumeClaim", str("claimName", meta_name(claim)))));
    json_each(volume, json_find(pod, ".volumes"))
        if (!is_claimed(claims, json_str(volume, ".name")))
            draft_push_json(volumes, volume);
    return object_with(a, pod, "volumes", json_seal(a, volumes));
}

static void check_set_template(const Spot *spot, Faults *f)
{
    Spot pod = spot_at(spot, ".spec"), policy = spot_at(&pod, ".restartPolicy");
    Spot deadline = spot_at(&pod, ".activeDeadlineSeconds");
    static const Rule selectors[] = {{".selector", .check = rule_selector}, {0}};

    /* A template whose selector is none is not looked at. */
    if (!rules_hold(selectors, spot->up, f->arena))
        return;
    validity_check_template(spot, spot_at(spot->up, ".selector").value, f);
    validity_check_template_metadata(spot, f);
    pod.value =
        with_claims(f->arena, pod.value, json_find(spot->up->value, ".volumeClaimTemplates"));
    rules_check_spot(validity_pod_spec_rules, &pod, f);
    validity_check_template_metadata(spot, f);
    if (!str_eq(spot_text(&policy), "Always"))
        spot_unsupported(&policy, f, "Always");
    if (deadline.value)
        spot_forbidden(&deadline, f, "activeDeadlineSeconds in StatefulSet is not Supported");
}

static const Rule claim_template_rules[] = {
    {".spec", .inside = claim_spec_rules},
    {0},
};
static const Rule statefulset_spec_rules[] = {
    {".volumeClaimTemplates", .each = claim_template_rules},
    {".podManagementPolicy", .check = check_order},
    {".updateStrategy", .check = check_strategy},
    {".updateStrategy.rollingUpdate.partition", .check = rule_not_negative},
    {".persistentVolumeClaimRetentionPolicy.whenDeleted",
        .check = rule_choice,
        .words = "Retain|Delete"},
    {".persistentVolumeClaimRetentionPolicy.whenScaled",
        .check = rule_choice,
        .words = "Retain|Delete"},
    {".replicas", .check = rule_not_negative},
    {".minReadySeconds", .check = rule_not_negative},
    {".ordinals.start", .check = rule_not_negative},
    {".selector", .check = check_set_selector},
    {".template", .check = check_set_template},
    {0},
};
static const Rule statefulset_rules[] = {
    {".spec", .inside = statefulset_spec_rules},
    {0},
};

/* --- Job --- */

static void check_job_selector(const Spot *spot, Faults *f)
{
    bool made = !json_bool(spot->up->value, ".manualSelector", false);

    if (!spot->value)
        spot_required(spot, f, NULL);
    else if (made
        && (json_count(json_find(spot->value, ".matchLabels")) != 1
            || json_find(spot->value, ".matchExpressions")))
        spot_invalid(spot, f, "`selector` not auto-generated");
}

static void check_job_template(const Spot *spot, Faults *f)
{
    Spot pod = spot_at(spot, ".spec"), policy = spot_at(&pod, ".restartPolicy");
    const char *name = spot_text(&policy);

    validity_check_template(spot, spot_at(spot->up, ".selector").value, f);
    validity_check_template_metadata(spot, f);
    rules_check_spot(validity_pod_spec_rules, &pod, f);
    rules_check_spot(validity_pod_address_rules, &pod, f);
    if (str_eq(name, "Always"))
        spot_required(&policy, f, "valid values: \"OnFailure\", \"Never\"");
    else if (!str_eq(name, "OnFailure") && !str_eq(name, "Never"))
        spot_unsupported(&policy, f, "OnFailure|Never");
}

static void check_indexed(const Spot *spot, Faults *f)
{
    if (str_eq(json_str(spot->up->value, ".completionMode"), "Indexed") && !spot->value)
        spot_required(spot, f, "when completion mode is Indexed");
}

static const Rule job_spec_rules[] = {
    {".parallelism", .check = rule_not_negative},
    {".completions", .check = rule_not_negative},
    {".activeDeadlineSeconds", .check = rule_not_negative},
    {".backoffLimit", .check = rule_not_negative},
    {".ttlSecondsAfterFinished", .check = rule_not_negative},
    {".completionMode", .check = rule_choice, .words = "NonIndexed|Indexed"},
    {".completions", .check = check_indexed},
    {".podReplacementPolicy", .check = rule_choice, .words = "Failed|TerminatingOrFailed"},
    {".selector", .check = check_job_selector},
    {".template", .check = check_job_template},
    {0},
};
static const Rule job_rules[] = {
    {".spec", .inside = job_spec_rules},
    {0},
};

/* --- the table --- */

static const struct {
    const char *group, *kind;
    const Rule *rules;
} kinds[] = {
    {"", "ConfigMap", configmap_rules},
    {"", "Event", core_event_rules},
    {"", "PersistentVolumeClaim", claim_rules},
    {"", "Pod", pod_rules},
    {"", "Secret", secret_rules},
    {"", "Service", validity_service_rules},
    {"apps", "ControllerRevision", revision_rules},
    {"apps", "Deployment", validity_deployment_rules},
    {"apps", "ReplicaSet", validity_replicaset_rules},
    {"apps", "StatefulSet", statefulset_rules},
    {"batch", "CronJob", validity_cronjob_rules},
    {"batch", "Job", job_rules},
    {"coordination.k8s.io", "Lease", lease_rules},
    {"events.k8s.io", "Event", event_rules},
    {"networking.k8s.io", "NetworkPolicy", validity_network_policy_rules},
    {"policy", "PodDisruptionBudget", validity_pdb_rules},
    {"rbac.authorization.k8s.io", "ClusterRole", validity_cluster_role_rules},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", validity_cluster_role_binding_rules},
    {"rbac.authorization.k8s.io", "Role", validity_role_rules},
    {"rbac.authorization.k8s.io", "RoleBinding", validity_role_binding_rules},
    {"storage.k8s.io", "StorageClass", validity_storage_class_rules},
};

void validity_check_object(const Resource *r, const Json *object, Faults *f)
{
    const Kind *kind = r->traits.kind;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(kind->group, kinds[i].group) && str_eq(kind->name, kinds[i].kind))
            rules_check(kinds[i].rules, object, f);
}
