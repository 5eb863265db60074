/* Settings: an environment like that of the reference's manifest, with one thing changed. */
#include "sei/api/settings.h"
#include "tests/test.h"

typedef struct Change {
    const char *name, *value; /* value NULL: not set */
} Change;

static const Change sample[] = {
    {"SEI_NODEPOOL_NAME", "sei-node"},
    {"SEI_NODEPOOL_ARCHIVE", "sei-archive"},
    {"SEI_TOLERATION_KEY", "sei.io/workload"},
    {"SEI_SERVICE_ACCOUNT", "seid-node"},
    {"SEI_STORAGE_CLASS_PERF", "gp3-10k-750"},
    {"SEI_STORAGE_CLASS_DEFAULT", "gp3"},
    {"SEI_STORAGE_CLASS_ARCHIVE", "gp3-archive"},
    {"SEI_STORAGE_SIZE_DEFAULT", "2000Gi"},
    {"SEI_STORAGE_SIZE_ARCHIVE", "40Ti"},
    {"SEI_RESOURCE_CPU_DEFAULT", "4"},
    {"SEI_RESOURCE_MEM_DEFAULT", "32Gi"},
    {"SEI_RESOURCE_CPU_ARCHIVE", "48"},
    {"SEI_RESOURCE_MEM_ARCHIVE", "448Gi"},
    {"SEI_SNAPSHOT_BUCKET", "dev-sei-snapshots"},
    {"SEI_SNAPSHOT_REGION", "us-east-2"},
    {"SEI_GENESIS_BUCKET", "dev-sei-k8s-genesis-artifacts"},
    {"SEI_GENESIS_REGION", "us-east-2"},
    {"SEI_RESULT_EXPORT_BUCKET", "dev-sei-shadow-results"},
    {"SEI_RESULT_EXPORT_REGION", "us-east-2"},
    {"SEI_RESULT_EXPORT_PREFIX", "shadow-results/"},
    {"SEI_GATEWAY_NAME", "sei-gateway"},
    {"SEI_GATEWAY_NAMESPACE", "gateway"},
    {"SEI_GATEWAY_DOMAIN", "prod.platform.sei.io"},
    {"SEI_SIDECAR_IMAGE", "ghcr.io/example/seictl:v0.0.50"},
    {"SEI_KUBE_RBAC_PROXY_IMAGE", "quay.io/brancz/kube-rbac-proxy:v0.19.1"},
    {"SEI_COSMOS_EXPORTER_IMAGE", "ghcr.io/example/sei-cosmos-exporter:v1"},
    {NULL, NULL},
};

/* The sample with up to three changes. */
typedef struct Environment {
    const Change *changes;
} Environment;

static const char *lookup(void *self, const char *name)
{
    const Environment *e = self;

    for (const Change *c = e->changes; c && c->name; c++)
        if (str_eq(c->name, name))
            return c->value;
    for (const Change *c = sample; c->name; c++)
        if (str_eq(c->name, name))
            return c->value;
    return NULL;
}

static Settings read_sample(Arena *a, const Change *changes)
{
    Settings settings;
    then_ok(settings_read(a, lookup, &(Environment){changes}, &settings));
    return settings;
}

static const SettingRow *row_of(const char *name)
{
    for (const SettingRow *row = setting_rows; row->name; row++)
        if (str_eq(row->name, name))
            return row;
    return NULL;
}

TEST(every_setting_is_read_from_its_environment_variable)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Settings settings = read_sample(a, NULL);

    for (const Change *c = sample; c->name; c++) {
        then_str(settings_value(a, &settings, row_of(c->name)), c->value);
    }
    then_str(settings.nodepool, "sei-node");
    then_str(settings.nodepool_archive, "sei-archive");
    then_str(settings.toleration_key, "sei.io/workload");
    then_str(settings.service_account, "seid-node");
    then_str(settings.storage_class_perf, "gp3-10k-750");
    then_str(settings.storage_class_default, "gp3");
    then_str(settings.storage_class_archive, "gp3-archive");
    then_str(settings.storage_size_archive, "40Ti");
    then_str(settings.cpu, "4");
    then_str(settings.memory, "32Gi");
    then_str(settings.cpu_archive, "48");
    then_str(settings.memory_archive, "448Gi");
    then_str(settings.snapshot_bucket, "dev-sei-snapshots");
    then_str(settings.genesis_bucket, "dev-sei-k8s-genesis-artifacts");
    then_str(settings.result_export_prefix, "shadow-results/");
    then_str(settings.gateway_namespace, "gateway");
    then_str(settings.sidecar_image, "ghcr.io/example/seictl:v0.0.50");
    then_str(settings.proxy_image, "quay.io/brancz/kube-rbac-proxy:v0.19.1");
    then_str(settings.exporter_image, "ghcr.io/example/sei-cosmos-exporter:v1");
}

TEST(an_absent_optional_setting_takes_its_default)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Settings settings = read_sample(a, NULL);

    then_str(settings.gateway_public_domain, NULL);
    then_str(settings.p2p_endpoint_domain, NULL);
    then_str(settings.nlb_target_type, "ip");
    then_int(settings.termination_grace_seconds, 600);
    then_int(settings.platform_max_unavailable, 1);
    then_str(settings.sidecar_account.name, NULL);
    then_str(settings_value(a, &settings, row_of("SEI_TERMINATION_GRACE_PERIOD_SECONDS")), "600");
    then_str(settings_value(a, &settings, row_of("SEI_P2P_ENDPOINT_DOMAIN")), NULL);
}

static const struct {
    const char *name;
    Change change;
    const char *effective;
} forms[] = {
    {"mebibytes are gathered", {"SEI_RESOURCE_MEM_DEFAULT", "32768Mi"}, "32Gi"},
    {"thousandths are gathered", {"SEI_RESOURCE_CPU_DEFAULT", "4000m"}, "4"},
    {"a quantity of the server's form stays", {"SEI_STORAGE_SIZE_DEFAULT", "1500m"}, "1500m"},
    {"millionths are rounded up, as the server does", {"SEI_RESOURCE_CPU_DEFAULT", "100u"}, "1m"},
    {"blanks around a value are not meant", {"SEI_NODEPOOL_NAME", " pool\n"}, "pool"},
    {"another target type", {"SEI_NLB_TARGET_TYPE", "instance"}, "instance"},
    {"a blank target type", {"SEI_NLB_TARGET_TYPE", " "}, "ip"},
    {"another interval", {"SEI_SNAPSHOT_UPLOAD_INTERVAL", "24h"}, "24h"},
    {"another grace", {"SEI_TERMINATION_GRACE_PERIOD_SECONDS", "30"}, "30"},
    {"a public domain", {"SEI_GATEWAY_PUBLIC_DOMAIN", "sei.io"}, "sei.io"},
};

TEST(setting_values_are_normalized_as_the_api_server_stores_them)
{
    each_case(i, forms) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Settings settings = read_sample(a, (Change[]){forms[i].change, {0}});
        then_str(settings_value(a, &settings, row_of(forms[i].change.name)), forms[i].effective);
    }
}

static const struct {
    const char *name;
    Change change;
    Want want;
} faults[] = {
    {"missing", {"SEI_NODEPOOL_NAME", NULL}, TERMINAL("SEI_NODEPOOL_NAME is required")},
    {"empty", {"SEI_NODEPOOL_NAME", ""}, TERMINAL("SEI_NODEPOOL_NAME is required")},
    {"blank", {"SEI_SIDECAR_IMAGE", " \t"}, TERMINAL("SEI_SIDECAR_IMAGE is required")},
    {"an exporter is needed from the start",
        {"SEI_COSMOS_EXPORTER_IMAGE", NULL},
        TERMINAL("SEI_COSMOS_EXPORTER_IMAGE is required")},
    {"no quantity", {"SEI_STORAGE_SIZE_DEFAULT", "2000Gb"}, TERMINAL("SEI_STORAGE_SIZE_DEFAULT: ")},
    {"nothing of it", {"SEI_RESOURCE_CPU_DEFAULT", "0"}, TERMINAL("0 is not more than 0")},
    {"less than nothing", {"SEI_RESOURCE_CPU_DEFAULT", "-1"}, TERMINAL("-1 is not more than 0")},
    {"no target type", {"SEI_NLB_TARGET_TYPE", "IP"}, TERMINAL("IP is neither ip nor instance")},
    {"no seconds",
        {"SEI_TERMINATION_GRACE_PERIOD_SECONDS", "10m"},
        TERMINAL("SEI_TERMINATION_GRACE_PERIOD_SECONDS: 10m is not a number of seconds")},
    {"an interval without a unit",
        {"SEI_SNAPSHOT_UPLOAD_INTERVAL", "24"},
        TERMINAL("SEI_SNAPSHOT_UPLOAD_INTERVAL: 24 is not a length of time like 24h")},
    {"an interval of nothing", {"SEI_SNAPSHOT_UPLOAD_INTERVAL", "0s"}, TERMINAL("0s is not")},
    {"no time at all", {"SEI_TERMINATION_GRACE_PERIOD_SECONDS", "0"}, TERMINAL("from 1 to")},
    {"more than an int32",
        {"SEI_TERMINATION_GRACE_PERIOD_SECONDS", "2147483648"},
        TERMINAL("from 1 to 2147483647")},
};

TEST(an_invalid_setting_is_refused_with_its_name)
{
    each_case(i, faults) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Settings settings;
        Environment environment = {(Change[]){faults[i].change, {0}}};
        then_err(settings_read(a, lookup, &environment, &settings), faults[i].want);
    }
}

TEST(malformed_and_missing_settings_are_reported_together)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Settings settings;
    static const Change wrong[] = {
        {"SEI_NODEPOOL_NAME", "sei node"},
        {"SEI_SIDECAR_IMAGE", "ghcr.io/Example/seictl"},
        {"SEI_STORAGE_SIZE_DEFAULT", "2000Gb"},
        {"SEI_GATEWAY_NAME", NULL},
        {0},
    };
    const Err *err = settings_read(a, lookup, &(Environment){wrong}, &settings);

    then_true(err_is(err, ERR_TERMINAL));
    for (const Change *c = wrong; c->name; c++)
        then_true(strstr(err->message, c->name) != NULL);
}

static const char *nothing(void *self, const char *name)
{
    (void)self;
    (void)name;
    return NULL;
}

TEST(all_missing_settings_are_reported_at_once)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Settings settings;
    const Err *err = settings_read(a, nothing, NULL, &settings);

    then_true(err_is(err, ERR_TERMINAL));
    for (const SettingRow *row = setting_rows; row->name; row++) {
        const char *fault = str_format(a, "%s is required", row->name);
        then_int(strstr(err->message, fault) != NULL, row->fallback == NULL);
    }
}

TEST(every_setting_has_a_name_and_a_description)
{
    for (const SettingRow *row = setting_rows; row->name; row++)
        then_true(!str_empty(row->about) && str_has_prefix(row->name, "SEI_"));
}
