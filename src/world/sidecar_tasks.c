/* The table of tasks. Versions are those in which upstream's sidecar first had them; 0 where that
 * was before anything in use. */
#include "world/sidecar_tasks.h"

#include "base/str.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND };

static const TaskParam no_params[] = {{0}};
static const TaskParam assemble_params[] = {
    {"accountBalance", PARAM_STRING, true},
    {"namespace", PARAM_STRING, true},
    {"nodes", PARAM_ARRAY, true},
    {"accounts", PARAM_ARRAY, false},
    {"overrides", PARAM_OBJECT, false},
    {0},
};
static const TaskParam await_params[] = {
    {"condition", PARAM_STRING, true},
    {"targetHeight", PARAM_INTEGER, false},
    {"action", PARAM_STRING, false},
    {0},
};
static const TaskParam apply_params[] = {
    {"mode", PARAM_STRING, false},
    {"overrides", PARAM_STRINGS, false},
    {"targetVersion", PARAM_INTEGER, false},
    {"incremental", PARAM_BOOL, false},
    {0},
};
static const TaskParam patch_params[] = {{"files", PARAM_OBJECT, true}, {0}};
static const TaskParam reload_params[] = {{"fields", PARAM_STRINGS, true}, {0}};
static const TaskParam genesis_params[] = {{"expectedGenesisHash", PARAM_STRING, false}, {0}};
static const TaskParam state_sync_params[] = {
    {"useLocalSnapshot", PARAM_BOOL, false},
    {"trustPeriod", PARAM_STRING, false},
    {"backfillBlocks", PARAM_INTEGER, false},
    {"rpcServers", PARAM_ARRAY, false},
    {0},
};
static const TaskParam discover_params[] = {{"sources", PARAM_ARRAY, true}, {0}};
static const TaskParam digest_params[] = {
    {"flatkvDir", PARAM_STRING, true},
    {"memiavlDir", PARAM_STRING, true},
    {"height", PARAM_INTEGER, true},
    {"bucket", PARAM_STRING, true},
    {"region", PARAM_STRING, true},
    {"prefix", PARAM_STRING, false},
    {"normalizations", PARAM_ARRAY, false},
    {"seidbPath", PARAM_STRING, false},
    {0},
};
static const TaskParam gentx_params[] = {
    {"chainId", PARAM_STRING, true},
    {"stakingAmount", PARAM_STRING, true},
    {"accountBalance", PARAM_STRING, true},
    {0},
};
static const TaskParam identity_params[] = {
    {"chainId", PARAM_STRING, true},
    {"moniker", PARAM_STRING, true},
    {0},
};
static const TaskParam change_params[] = {
    {"chainId", PARAM_STRING, true},
    {"keyName", PARAM_STRING, true},
    {"fees", PARAM_STRING, true},
    {"gas", PARAM_INTEGER, true},
    {"memo", PARAM_STRING, false},
    {"title", PARAM_STRING, true},
    {"description", PARAM_STRING, true},
    {"initialDeposit", PARAM_STRING, true},
    {"changes", PARAM_ARRAY, true},
    {0},
};
static const TaskParam upgrade_params[] = {
    {"chainId", PARAM_STRING, true},
    {"keyName", PARAM_STRING, true},
    {"fees", PARAM_STRING, true},
    {"gas", PARAM_INTEGER, true},
    {"memo", PARAM_STRING, false},
    {"title", PARAM_STRING, true},
    {"description", PARAM_STRING, true},
    {"initialDeposit", PARAM_STRING, true},
    {"upgradeName", PARAM_STRING, true},
    {"upgradeHeight", PARAM_INTEGER, true},
    {"upgradeInfo", PARAM_STRING, false},
    {0},
};
static const TaskParam vote_params[] = {
    {"chainId", PARAM_STRING, true},
    {"keyName", PARAM_STRING, true},
    {"fees", PARAM_STRING, true},
    {"gas", PARAM_INTEGER, true},
    {"memo", PARAM_STRING, false},
    {"proposalId", PARAM_INTEGER, true},
    {"option", PARAM_STRING, true},
    {0},
};
static const TaskParam export_params[] = {
    {"bucket", PARAM_STRING, true},
    {"region", PARAM_STRING, true},
    {"prefix", PARAM_STRING, false},
    {"rpcEndpoint", PARAM_STRING, false},
    {"canonicalRpc", PARAM_STRING, false},
    {"migrationMode", PARAM_BOOL, false},
    {"continueOnDivergence", PARAM_BOOL, false},
    {0},
};
static const TaskParam restore_params[] = {{"targetHeight", PARAM_INTEGER, false}, {0}};
static const TaskParam upload_params[] = {{"nodeName", PARAM_STRING, true}, {0}};

const SidecarTask sidecar_tasks[SIDECAR_TASKS_COUNT] = {
    {.type = "assemble-and-upload-genesis",
        .marker = MARKER_ASSEMBLE,
        .takes_ms = 4 * SECOND,
        .heeds_stop = true,
        .params = assemble_params,
        .act = act_assemble_genesis,
        .spoil = spoil_assembly},
    {.type = "await-condition",
        .takes_ms = 100,
        .heeds_stop = true,
        .params = await_params,
        .act = act_await_condition},
    {.type = "config-apply", .takes_ms = 300, .params = apply_params, .act = act_config_apply},
    {.type = "config-patch", .takes_ms = 200, .params = patch_params, .act = act_config_patch},
    {.type = "config-reload", .takes_ms = 200, .params = reload_params, .act = act_config_reload},
    {.type = "config-validate", .takes_ms = 200, .params = no_params, .act = act_config_validate},
    {.type = "configure-genesis",
        .marker = MARKER_GENESIS,
        .takes_ms = SECOND,
        .heeds_stop = true,
        .params = genesis_params,
        .act = act_configure_genesis},
    {.type = "configure-state-sync",
        .marker = MARKER_STATE_SYNC,
        .takes_ms = 2 * SECOND,
        .heeds_stop = true,
        .params = state_sync_params,
        .act = act_configure_state_sync},
    {.type = "discover-peers",
        .until = 56,
        .takes_ms = 2 * SECOND,
        .heeds_stop = true,
        .params = discover_params,
        .act = act_discover_peers},
    {.type = "evm-logical-digest",
        .since = 63,
        .takes_ms = MINUTE,
        .params = digest_params,
        .act = act_succeed},
    {.type = "generate-gentx",
        .marker = MARKER_GENTX,
        .takes_ms = 2 * SECOND,
        .params = gentx_params,
        .act = act_generate_gentx,
        .spoil = spoil_gentx},
    {.type = "generate-identity",
        .marker = MARKER_IDENTITY,
        .takes_ms = SECOND,
        .params = identity_params,
        .act = act_generate_identity},
    {.type = "gov-param-change",
        .since = 59,
        .takes_ms = 3 * SECOND,
        .params = change_params,
        .act = act_gov_submit,
        .spoil = spoil_gov},
    {.type = "gov-software-upgrade",
        .takes_ms = 3 * SECOND,
        .params = upgrade_params,
        .act = act_gov_submit,
        .spoil = spoil_gov},
    {.type = "gov-vote",
        .takes_ms = 3 * SECOND,
        .params = vote_params,
        .act = act_gov_vote,
        .spoil = spoil_gov},
    {.type = "mark-not-ready",
        .since = 64,
        .takes_ms = 20,
        .params = no_params,
        .act = act_mark_not_ready},
    {.type = "mark-ready", .takes_ms = 20, .params = no_params, .act = act_mark_ready},
    {.type = "reset-data",
        .since = 64,
        .takes_ms = 5 * SECOND,
        .params = no_params,
        .act = act_reset_data},
    {.type = "restart-seid",
        .since = 57,
        .takes_ms = 100,
        .params = no_params,
        .act = act_restart_seid},
    {.type = "result-export",
        .takes_ms = 10 * SECOND,
        .is_background = true,
        .heeds_stop = true,
        .params = export_params,
        .act = act_result_export},
    {.type = "set-genesis-peers",
        .takes_ms = 500,
        .heeds_stop = true,
        .params = no_params,
        .act = act_set_genesis_peers},
    {.type = "snapshot-restore",
        .marker = MARKER_SNAPSHOT,
        .takes_ms = 2 * MINUTE,
        .heeds_stop = true,
        .params = restore_params,
        .act = act_snapshot_restore},
    {.type = "snapshot-upload",
        .takes_ms = SECOND,
        .is_background = true,
        .heeds_stop = true,
        .params = no_params,
        .act = act_snapshot_upload},
    {.type = "snapshot-upload-once",
        .since = 66,
        .takes_ms = MINUTE,
        .is_background = true,
        .params = no_params,
        .act = act_snapshot_upload_once},
    {.type = "stop-seid", .since = 64, .takes_ms = 100, .params = no_params, .act = act_stop_seid},
    {.type = "upload-genesis-artifacts",
        .marker = MARKER_UPLOAD,
        .takes_ms = SECOND,
        .heeds_stop = true,
        .params = upload_params,
        .act = act_upload_genesis_artifacts},
};

const SidecarTask *sidecar_task_find(const char *type, int version)
{
    for (size_t i = 0; i < SIDECAR_TASKS_COUNT; i++) {
        const SidecarTask *task = &sidecar_tasks[i];
        if (str_eq(task->type, type))
            return task->since <= version && (!task->until || version <= task->until) ? task : NULL;
    }
    return NULL;
}

static const char *const type_texts[] = {
    [PARAM_STRING] = "string",
    [PARAM_INTEGER] = "int64",
    [PARAM_BOOL] = "bool",
    [PARAM_OBJECT] = "map[string]interface {}",
    [PARAM_STRINGS] = "map[string]string",
    [PARAM_ARRAY] = "[]interface {}",
};

static const char *found_text(const Json *value)
{
    static const char *const texts[] = {
        [JSON_ABSENT] = "nothing",
        [JSON_NULL] = "null",
        [JSON_BOOL] = "bool",
        [JSON_NUMBER] = "number",
        [JSON_STRING] = "string",
        [JSON_ARRAY] = "array",
        [JSON_OBJECT] = "object",
    };
    return texts[json_type(value)];
}

static bool has_strings_only(const Json *object)
{
    const Json *value;

    json_each(value, object)
        if (json_type(value) != JSON_STRING)
            return false;
    return true;
}

static bool is_of_type(const Json *value, TaskParamType type)
{
    switch (type) {
    case PARAM_STRING:
        return json_type(value) == JSON_STRING;
    case PARAM_INTEGER:
        return json_int(value, "", -1) == json_int(value, "", 1);
    case PARAM_BOOL:
        return json_type(value) == JSON_BOOL;
    case PARAM_OBJECT:
        return json_type(value) == JSON_OBJECT;
    case PARAM_STRINGS:
        return json_type(value) == JSON_OBJECT && has_strings_only(value);
    case PARAM_ARRAY:
        return json_type(value) == JSON_ARRAY;
    }
    return false;
}

/* As Go's zero values: what is empty was not given. */
static bool is_given(const Json *value, TaskParamType type)
{
    switch (type) {
    case PARAM_STRING:
        return !str_empty(json_text(value));
    case PARAM_INTEGER:
        return json_int(value, "", 0) > 0;
    case PARAM_BOOL:
        return value != NULL;
    default:
        return json_count(value) > 0;
    }
}

const char *sidecar_task_check(Arena *a, const SidecarTask *task, const Json *params)
{
    for (const TaskParam *p = task->params; p->name; p++) {
        const Json *value = json_member(params, p->name);
        if (value && json_type(value) != JSON_NULL && !is_of_type(value, p->type))
            return str_format(a,
                "parsing params: json: cannot unmarshal %s into Go struct field .%s of type %s",
                found_text(value),
                p->name,
                type_texts[p->type]);
        if (p->required && !is_given(value, p->type))
            return str_format(a, "%s: missing required field %s", task->type, p->name);
    }
    return NULL;
}
