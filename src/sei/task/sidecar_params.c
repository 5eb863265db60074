/* One function for each type that has parameters; those that have none are not in the table. */
#include "sei/task/sidecar_params.h"

#include "base/draft.h"
#include "base/str.h"

static const Json *seal_if_any(Arena *a, const Draft *d)
{
    return draft_count(d) ? json_seal(a, d) : NULL;
}

static Err *snapshot_restore(Arena *a, const Json *stored, const Json **ret)
{
    int64_t height = json_int(json_member_any_case(stored, "targetHeight"), "", 0);

    *ret = seal_if_any(a, draft(a, draft_num_if(height > 0, "targetHeight", height)));
    return OK;
}

/* --- config-apply --- */

static bool is_config_mode(const char *mode)
{
    return str_eq(mode, "validator") || str_eq(mode, "full") || str_eq(mode, "seed")
        || str_eq(mode, "archive");
}

static Err *check_overrides(Arena *a, const Json *overrides)
{
    const Json *value;

    if (overrides && json_type(overrides) != JSON_OBJECT && json_type(overrides) != JSON_NULL)
        return err_terminal(a, "config-apply: overrides are no object");
    if (json_type(overrides) == JSON_OBJECT)
        json_each(value, overrides)
            if (json_type(value) != JSON_STRING)
                return err_terminal(
                    a, "config-apply: the value of override %s is no string", json_key(value));
    return OK;
}

static Err *config_apply(Arena *a, const Json *stored, const Json **ret)
{
    const char *mode = json_text(json_member_any_case(stored, "mode"));
    const Json *overrides = json_member_any_case(stored, "overrides");

    if (!is_config_mode(mode))
        return err_terminal(a,
            "config-apply: mode is %s: it must be validator, full, seed or archive",
            mode ? mode : "missing");
    TRY(check_overrides(a, overrides));
    *ret = json_seal(a,
        draft(a,
            str("mode", mode),
            flag("incremental", json_bool(json_member_any_case(stored, "incremental"), "", false)),
            num("targetVersion", json_int(json_member_any_case(stored, "targetVersion"), "", 0)),
            draft_json("overrides", json_count(overrides) ? overrides : NULL)));
    return OK;
}

/* --- discover-peers --- */

static Err *check_source(Arena *a, const Json *source)
{
    const char *type = json_text(json_member_any_case(source, "type"));

    if (str_eq(type, "static"))
        return json_count(json_member_any_case(source, "addresses"))
            ? OK
            : err_terminal(a, "discover-peers: a static source has no addresses");
    if (str_eq(type, "ec2Tags"))
        return !str_empty(json_text(json_member_any_case(source, "region")))
                && json_count(json_member_any_case(source, "tags"))
            ? OK
            : err_terminal(a, "discover-peers: an ec2Tags source needs a region and tags");
    return err_terminal(a, "discover-peers: no source is of type %s", type ? type : "(none)");
}

static Err *discover_peers(Arena *a, const Json *stored, const Json **ret)
{
    const Json *source, *sources = json_member_any_case(stored, "sources");

    if (json_count(sources) == 0)
        return err_terminal(a, "discover-peers: there is no source to ask");
    json_each(source, sources)
        TRY(check_source(a, source));
    *ret = json_seal(a, draft(a, draft_json("sources", sources)));
    return OK;
}

static Err *configure_state_sync(Arena *a, const Json *stored, const Json **ret)
{
    const char *trust_period = json_text(json_member_any_case(stored, "trustPeriod"));
    int64_t backfill = json_int(json_member_any_case(stored, "backfillBlocks"), "", 0);
    const Json *servers = json_member_any_case(stored, "rpcServers");

    *ret = seal_if_any(a,
        draft(a,
            draft_flag_if("useLocalSnapshot",
                json_bool(json_member_any_case(stored, "useLocalSnapshot"), "", false)),
            str("trustPeriod", str_empty(trust_period) ? NULL : trust_period),
            draft_num_if(backfill > 0, "backfillBlocks", backfill),
            draft_json("rpcServers", json_count(servers) ? servers : NULL)));
    return OK;
}

/* --- genesis ceremony --- */

/* Each of these names a text that the sidecar cannot do without. */
static Err *require_texts(
    Arena *a, const char *task, const Json *stored, const char *const names[], const Json **ret)
{
    Draft *wire = draft_object(a);

    for (size_t i = 0; names[i]; i++) {
        const char *text = json_text(json_member_any_case(stored, names[i]));

        if (str_empty(text))
            return err_terminal(a, "%s: %s is missing", task, names[i]);
        draft_add(wire, str(names[i], text));
    }
    *ret = json_seal(a, wire);
    return OK;
}

static Err *generate_identity(Arena *a, const Json *stored, const Json **ret)
{
    static const char *const names[] = {"chainId", "moniker", NULL};

    return require_texts(a, "generate-identity", stored, names, ret);
}

static Err *generate_gentx(Arena *a, const Json *stored, const Json **ret)
{
    static const char *const names[] = {"chainId", "stakingAmount", "accountBalance", NULL};

    return require_texts(a, "generate-gentx", stored, names, ret);
}

static Err *upload_genesis_artifacts(Arena *a, const Json *stored, const Json **ret)
{
    static const char *const names[] = {"nodeName", NULL};

    return require_texts(a, "upload-genesis-artifacts", stored, names, ret);
}

static Err *assemble_genesis(Arena *a, const Json *stored, const Json **ret)
{
    static const char *const names[] = {"accountBalance", "namespace", NULL};
    const Json *nodes = json_member_any_case(stored, "nodes"),
               *accounts = json_member_any_case(stored, "accounts"),
               *overrides = json_member_any_case(stored, "overrides"), *texts;

    TRY(require_texts(a, "assemble-and-upload-genesis", stored, names, &texts));
    if (json_type(nodes) != JSON_ARRAY || json_count(nodes) == 0)
        return err_terminal(a, "assemble-and-upload-genesis: there are no nodes");
    *ret = json_seal(a,
        draft(a,
            draft_json("accountBalance", json_member(texts, "accountBalance")),
            draft_json("namespace", json_member(texts, "namespace")),
            draft_json("nodes", nodes),
            draft_json("accounts", json_count(accounts) ? accounts : NULL),
            draft_json("overrides", json_count(overrides) ? overrides : NULL)));
    return OK;
}

static const struct {
    TaskType type;
    Err *(*translate)(Arena *a, const Json *stored, const Json **ret);
} rows[] = {
    {TASK_SNAPSHOT_RESTORE, snapshot_restore},
    {TASK_CONFIG_APPLY, config_apply},
    {TASK_DISCOVER_PEERS, discover_peers},
    {TASK_CONFIGURE_STATE_SYNC, configure_state_sync},
    {TASK_GENERATE_IDENTITY, generate_identity},
    {TASK_GENERATE_GENTX, generate_gentx},
    {TASK_UPLOAD_GENESIS_ARTIFACTS, upload_genesis_artifacts},
    {TASK_ASSEMBLE_GENESIS, assemble_genesis},
};

Err *sidecar_params(Arena *a, TaskType type, const Json *stored, const Json **ret)
{
    *ret = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == type)
            return rows[i].translate(a, stored, ret);
    return OK;
}
