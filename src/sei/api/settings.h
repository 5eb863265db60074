/* Settings: what the platform's owner decides for all nodes. Read once at start, from the
 * environment and the flags; everything that is missing or malformed is told in one message. */
#ifndef SEI_API_SETTINGS_H
#define SEI_API_SETTINGS_H

#include "base/err.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantities are as the server would store them. Strings are never empty unless said. */
typedef struct Settings {
    const char *nodepool, *nodepool_archive, *toleration_key, *service_account;
    const char *storage_class_perf, *storage_class_default, *storage_class_archive;
    const char *storage_size, *storage_size_archive;
    const char *cpu, *memory, *cpu_archive, *memory_archive;
    const char *snapshot_bucket, *snapshot_region;
    const char *snapshot_upload_interval; /* as Go writes it; NULL: that of the sidecar, 7 days */
    const char *genesis_bucket, *genesis_region;
    const char *result_export_bucket, *result_export_region, *result_export_prefix;
    const char *gateway_name, *gateway_namespace, *gateway_domain;
    const char *gateway_public_domain; /* NULL: none */
    const char *sidecar_image, *proxy_image, *exporter_image;
    const char *p2p_endpoint_domain; /* NULL: none */
    const char *nlb_target_type;
    int64_t termination_grace_seconds; /* of a node's pod; 600 */
    int64_t platform_max_unavailable;  /* of nodes of a chain in no fleet, for platform drift; 1 */
    bool chain_facts;                  /* the operator asks seid for its chain; true */
    Key sidecar_account;               /* whose tokens sidecars get */
} Settings;

/* Where a value comes from: the environment, or a test's table. NULL for what is not set. */
typedef const char *SettingsSource(void *self, const char *name);

/* Reads all of them by their names of the reference (SEI_NODEPOOL_NAME, ...); what is blank counts
 * as missing. ERR_TERMINAL lists every name that is missing and every value that makes no sense, in
 * one message, and says nothing of `ret`. Strings are copied into the arena. What only flags say
 * gets its default; the account of sidecars stays empty. */
Err *settings_read(Arena *a, SettingsSource *source, void *self, Settings *ret) MUST_CHECK;

typedef enum SettingType {
    SETTING_TEXT, /* without blanks */
    SETTING_NAME, /* of an object, or a domain */
    SETTING_NAMESPACE,
    SETTING_LABEL_KEY, /* or of a taint */
    SETTING_LABEL_VALUE,
    SETTING_IMAGE,
    SETTING_QUANTITY,    /* more than 0 */
    SETTING_SECONDS,     /* int64_t, at least 1 */
    SETTING_DURATION,    /* as Go writes it, more than 0; kept as text */
    SETTING_TARGET_TYPE, /* ip or instance */
} SettingType;

/* One row per value, for `sei-operator config`, --help and the reference page. */
typedef struct SettingRow {
    const char *name;     /* of the environment variable; NULL ends the table */
    const char *about;    /* one line */
    const char *fallback; /* NULL: required; "": may be missing */
    SettingType type;
    size_t offset; /* of the value in Settings */
} SettingRow;
extern const SettingRow setting_rows[];

/* The effective value of a row, or NULL. */
const char *settings_value(Arena *a, const Settings *settings, const SettingRow *row);

#endif
