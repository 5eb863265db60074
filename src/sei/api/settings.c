/* Settings, a row each. Quantities are brought into the server's form here, at the border: what is
 * rendered from them then equals what the server stores, and one that makes no sense stops the
 * start instead of every reconcile. */
#include "sei/api/settings.h"

#include "base/str.h"
#include "kube/quantity.h"
#include "sei/api/duration.h"
#include "sei/api/setting_text.h"

#include <string.h>

enum { PLATFORM_MAX_UNAVAILABLE_DEFAULT = 1 };

static const char blanks[] = " \t\r\n";

const SettingRow setting_rows[] = {
    {"SEI_NODEPOOL_NAME",
        "node pool of pods: affinity, and value of the toleration",
        NULL,
        SETTING_LABEL_VALUE,
        offsetof(Settings, nodepool)},
    {"SEI_NODEPOOL_ARCHIVE",
        "node pool of archive nodes",
        NULL,
        SETTING_LABEL_VALUE,
        offsetof(Settings, nodepool_archive)},
    {"SEI_TOLERATION_KEY",
        "taint that pods tolerate",
        NULL,
        SETTING_LABEL_KEY,
        offsetof(Settings, toleration_key)},
    {"SEI_SERVICE_ACCOUNT",
        "ServiceAccount of pods",
        NULL,
        SETTING_NAME,
        offsetof(Settings, service_account)},
    {"SEI_STORAGE_CLASS_PERF",
        "storage class of full nodes, validators and replayers",
        NULL,
        SETTING_NAME,
        offsetof(Settings, storage_class_perf)},
    {"SEI_STORAGE_CLASS_DEFAULT",
        "storage class of any other node",
        NULL,
        SETTING_NAME,
        offsetof(Settings, storage_class_default)},
    {"SEI_STORAGE_CLASS_ARCHIVE",
        "storage class of archive nodes",
        NULL,
        SETTING_NAME,
        offsetof(Settings, storage_class_archive)},
    {"SEI_STORAGE_SIZE_DEFAULT",
        "size of a data volume",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, storage_size)},
    {"SEI_STORAGE_SIZE_ARCHIVE",
        "size of an archive node's data volume",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, storage_size_archive)},
    {"SEI_RESOURCE_CPU_DEFAULT",
        "CPU that seid requests",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, cpu)},
    {"SEI_RESOURCE_MEM_DEFAULT",
        "memory that seid requests",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, memory)},
    {"SEI_RESOURCE_CPU_ARCHIVE",
        "CPU that seid of an archive node requests",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, cpu_archive)},
    {"SEI_RESOURCE_MEM_ARCHIVE",
        "memory that seid of an archive node requests",
        NULL,
        SETTING_QUANTITY,
        offsetof(Settings, memory_archive)},
    {"SEI_SNAPSHOT_BUCKET",
        "S3 bucket of snapshots",
        NULL,
        SETTING_TEXT,
        offsetof(Settings, snapshot_bucket)},
    {"SEI_SNAPSHOT_REGION", "its region", NULL, SETTING_TEXT, offsetof(Settings, snapshot_region)},
    {"SEI_SNAPSHOT_UPLOAD_INTERVAL",
        "how often nodes that publish snapshots upload one, such as 24h; the sidecar's own "
        "default is 168h",
        "",
        SETTING_DURATION,
        offsetof(Settings, snapshot_upload_interval)},
    {"SEI_GENESIS_BUCKET",
        "S3 bucket of genesis files",
        NULL,
        SETTING_TEXT,
        offsetof(Settings, genesis_bucket)},
    {"SEI_GENESIS_REGION", "its region", NULL, SETTING_TEXT, offsetof(Settings, genesis_region)},
    {"SEI_RESULT_EXPORT_BUCKET",
        "S3 bucket of replayers' results",
        NULL,
        SETTING_TEXT,
        offsetof(Settings, result_export_bucket)},
    {"SEI_RESULT_EXPORT_REGION",
        "its region",
        NULL,
        SETTING_TEXT,
        offsetof(Settings, result_export_region)},
    {"SEI_RESULT_EXPORT_PREFIX",
        "prefix of the results in it",
        NULL,
        SETTING_TEXT,
        offsetof(Settings, result_export_prefix)},
    {"SEI_GATEWAY_NAME", "Gateway of fleets", NULL, SETTING_NAME, offsetof(Settings, gateway_name)},
    {"SEI_GATEWAY_NAMESPACE",
        "its namespace",
        NULL,
        SETTING_NAMESPACE,
        offsetof(Settings, gateway_namespace)},
    {"SEI_GATEWAY_DOMAIN",
        "domain of fleets' routes",
        NULL,
        SETTING_NAME,
        offsetof(Settings, gateway_domain)},
    {"SEI_GATEWAY_PUBLIC_DOMAIN",
        "public domain of fleets' routes",
        "",
        SETTING_NAME,
        offsetof(Settings, gateway_public_domain)},
    {"SEI_SIDECAR_IMAGE",
        "image of seictl, unless a node names its own",
        NULL,
        SETTING_IMAGE,
        offsetof(Settings, sidecar_image)},
    {"SEI_KUBE_RBAC_PROXY_IMAGE",
        "image of the proxy in front of the sidecar",
        NULL,
        SETTING_IMAGE,
        offsetof(Settings, proxy_image)},
    {"SEI_COSMOS_EXPORTER_IMAGE",
        "image of the metrics exporter",
        NULL,
        SETTING_IMAGE,
        offsetof(Settings, exporter_image)},
    {"SEI_P2P_ENDPOINT_DOMAIN",
        "domain of published P2P endpoints",
        "",
        SETTING_NAME,
        offsetof(Settings, p2p_endpoint_domain)},
    {"SEI_NLB_TARGET_TYPE",
        "target type of network load balancers: ip or instance",
        "ip",
        SETTING_TARGET_TYPE,
        offsetof(Settings, nlb_target_type)},
    {"SEI_TERMINATION_GRACE_PERIOD_SECONDS",
        "how long a pod may take to end; a seid that is killed may need a new snapshot",
        "600",
        SETTING_SECONDS,
        offsetof(Settings, termination_grace_seconds)},
    {NULL, NULL, NULL, SETTING_TEXT, 0},
};

/* The text between the blanks around it; NULL when there is none. */
static const char *trim(Arena *a, const char *text)
{
    if (!text)
        return NULL;
    text += strspn(text, blanks);
    size_t len = strlen(text);
    while (len && strchr(blanks, text[len - 1]))
        len--;
    return len ? str_slice(a, text, len) : NULL;
}

static Err *read_quantity(Arena *a, const char *text, const char **ret)
{
    Quantity quantity;

    TRY(quantity_parse(a, text, &quantity));
    if (quantity.nanos <= 0)
        return err_terminal(a, "%s is not more than 0", text);
    *ret = quantity_resource_text(a, quantity);
    return OK;
}

static Err *read_seconds(Arena *a, const char *text, int64_t *ret)
{
    int64_t number;

    if (!str_to_int(text, &number) || number < 1 || number > INT32_MAX)
        return err_terminal(a, "%s is not a number of seconds from 1 to %d", text, INT32_MAX);
    *ret = number;
    return OK;
}

static Err *read_duration(Arena *a, const char *text, const char **ret)
{
    int64_t ms;

    if (!duration_parse(text, &ms) || ms < 1)
        return err_terminal(a, "%s is not a length of time like 24h or 1h30m", text);
    *ret = text;
    return OK;
}

static Err *read_text(Arena *a, SettingType type, const char *text, const char **ret)
{
    const char *fault = setting_text_fault(type, text);

    if (fault)
        return err_terminal(a, "\"%s\" %s", text, fault);
    *ret = text;
    return OK;
}

static Err *read_value(Arena *a, const SettingRow *row, const char *text, Settings *ret)
{
    void *value = (char *)ret + row->offset;

    switch (row->type) {
    case SETTING_TARGET_TYPE:
        if (!str_eq(text, "ip") && !str_eq(text, "instance"))
            return err_terminal(a, "%s is neither ip nor instance", text);
        *(const char **)value = text;
        return OK;
    case SETTING_TEXT:
    case SETTING_NAME:
    case SETTING_NAMESPACE:
    case SETTING_LABEL_KEY:
    case SETTING_LABEL_VALUE:
    case SETTING_IMAGE:
        return read_text(a, row->type, text, value);
    case SETTING_QUANTITY:
        return read_quantity(a, text, value);
    case SETTING_SECONDS:
        return read_seconds(a, text, value);
    case SETTING_DURATION:
        return read_duration(a, text, value);
    }
    BUG("a setting of an unknown type");
}

/* What is wrong with a row, or NULL. */
static const char *read_row(Arena *a, const SettingRow *row, const char *set, Settings *ret)
{
    const char *text = trim(a, set);

    if (!text && !row->fallback)
        return str_format(a, "%s is required", row->name);
    if (!text && !*row->fallback)
        return NULL;
    const Err *err = read_value(a, row, text ? text : row->fallback, ret);
    return err ? str_format(a, "%s: %s", row->name, err_text(a, err)) : NULL;
}

Err *settings_read(Arena *a, SettingsSource *source, void *self, Settings *ret)
{
    const char *faults = NULL;

    *ret = (Settings){
        .platform_max_unavailable = PLATFORM_MAX_UNAVAILABLE_DEFAULT,
        .chain_facts = true,
    };
    for (const SettingRow *row = setting_rows; row->name; row++) {
        const char *fault = read_row(a, row, source(self, row->name), ret);
        if (fault)
            faults = faults ? str_format(a, "%s; %s", faults, fault) : fault;
    }
    return faults ? err_terminal(a, "%s", faults) : OK;
}

const char *settings_value(Arena *a, const Settings *settings, const SettingRow *row)
{
    const void *value = (const char *)settings + row->offset;

    if (row->type == SETTING_SECONDS)
        return str_format(a, "%lld", (long long)*(const int64_t *)value);
    return *(const char *const *)value;
}
