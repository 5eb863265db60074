/* What tasks do to a seid and to the files of its volume: readiness, process control,
 * configuration, snapshots. A task that waits takes a turn whenever its pod moves. */
#include "world/sidecar_tasks.h"

#include "base/draft.h"
#include "base/str.h"

#include <string.h>

enum {
    STOP_LIMIT_MS = 90000,
    RPC_LIMIT_MS = 300000,
    KILL_AFTER_MS = 30000,
    BYTES_PER_BLOCK = 4096,
};

static void wait_until(TaskTurn *t, int64_t due_ms)
{
    t->goes_on = true;
    t->due_ms = due_ms;
}

static Volume *volume_of(TaskTurn *t)
{
    return t->sidecar->volume;
}

/* --- readiness and the process */

void act_mark_ready(TaskTurn *t)
{
    t->sidecar->is_ready = true;
}

void act_mark_not_ready(TaskTurn *t)
{
    TaskStore *tasks = volume_of(t)->tasks;
    const TaskRow *row = task_store_next(tasks, NULL);

    while (row) {
        const TaskRow *next = task_store_next(tasks, row);
        if (str_eq(row->type, "mark-ready"))
            sidecar_remove(t->sidecar, row->id);
        row = next;
    }
    t->sidecar->is_ready = false;
}

/* Step 0 signals, step 1 waits for the end: true once seid is down. */
static bool is_stopped(TaskTurn *t)
{
    Seid *seid = t->sidecar->seid;
    int64_t limit_ms = t->run->began_ms + STOP_LIMIT_MS;

    if (t->run->step == 0) {
        seid_terminate(seid, t->now_ms);
        t->run->step = 1;
    }
    if (t->run->step > 1 || seid->state == SEID_DOWN)
        return true;
    if (t->now_ms >= limit_ms)
        t->error = "seid is still running 90s after SIGTERM";
    else
        wait_until(t, seid->turns_ms < limit_ms ? seid->turns_ms : limit_ms);
    return false;
}

void act_stop_seid(TaskTurn *t)
{
    (void)is_stopped(t);
}

void act_restart_seid(TaskTurn *t)
{
    int64_t limit_ms = t->run->began_ms + STOP_LIMIT_MS + RPC_LIMIT_MS;

    if (!is_stopped(t))
        return;
    t->run->step = 2;
    if (seid_serves(t->sidecar->seid))
        return;
    if (t->now_ms >= limit_ms)
        t->error = "seid RPC did not come back within 5m0s";
    else
        wait_until(t, limit_ms);
}

void act_reset_data(TaskTurn *t)
{
    Volume *v = volume_of(t);

    if (seid_serves(t->sidecar->seid)) {
        t->error = "reset-data: check-rpc: seid RPC is serving [hint: stop seid first]";
        return;
    }
    if (v->seids > 0)
        hazards_note(t->sidecar->hazards,
            "%s: reset-data emptied volume %s under a running seid",
            t->sidecar->name,
            v->uid);
    t->result = draft(t->arena, num("wipedBytes", v->height * BYTES_PER_BLOCK));
    v->height = 0;
    v->snapshot_height = 0;
    v->snapshots = 0;
    v->files &= ~(unsigned)MARKER_STATE_SYNC;
}

/* When the awaited condition holds; INT64_MAX for not as things are. */
static int64_t condition_holds_at(TaskTurn *t)
{
    const Seid *seid = t->sidecar->seid;

    if (!seid_serves(seid))
        return INT64_MAX;
    if (str_eq(json_str(t->params, ".condition"), "height"))
        return seid_when(seid, json_int(t->params, ".targetHeight", 0), t->now_ms);
    int64_t head = chain_head(seid->chain, t->now_ms);
    return seid_when(seid, head > 2 ? head : 2, t->now_ms);
}

void act_await_condition(TaskTurn *t)
{
    const char *condition = json_str(t->params, ".condition");
    const char *action = json_str(t->params, ".action");
    Seid *seid = t->sidecar->seid;
    bool is_height = str_eq(condition, "height");

    if (!is_height && !(str_eq(condition, "catchingUp") && t->sidecar->version >= 64)) {
        t->error = str_format(t->arena, "unknown condition: %s", condition);
        return;
    }
    if (is_height && json_int(t->params, ".targetHeight", 0) <= 0) {
        t->error = "targetHeight must be > 0";
        return;
    }
    if (t->run->step < 2) {
        int64_t holds_ms = condition_holds_at(t);
        t->run->step = 1;
        if (holds_ms > t->now_ms) {
            wait_until(t, holds_ms);
            return;
        }
        if (!str_eq(action, "SIGTERM_SEID"))
            return;
        t->run->step = 2;
        t->run->began_ms = t->now_ms;
        seid_terminate(seid, t->now_ms);
    }
    if (seid->state == SEID_DOWN)
        return;
    if (t->now_ms >= t->run->began_ms + KILL_AFTER_MS)
        seid_kill(seid, t->now_ms);
    else
        wait_until(t, t->run->began_ms + KILL_AFTER_MS);
}

void act_succeed(TaskTurn *t)
{
    (void)t;
}

/* --- configuration */

static bool is_mode(const char *mode)
{
    return str_eq(mode, "validator") || str_eq(mode, "full") || str_eq(mode, "seed")
        || str_eq(mode, "archive");
}

static bool has_config(const Volume *v)
{
    return volume_has(v, FILE_CONFIG) && volume_has(v, FILE_APP);
}

/* A new configuration of a validator is without gRPC in the versions before 51, unless the
 * overrides say otherwise; one that exists changes by the overrides alone. */
static void set_grpc(TaskTurn *t, const char *mode, bool is_incremental)
{
    Volume *v = volume_of(t);
    const char *asked = json_str(t->params, ".overrides['api.grpc.enable']");

    if (!is_incremental)
        v->grpc_is_off = str_eq(mode, "validator") && t->sidecar->version <= 50;
    if (asked)
        v->grpc_is_off = !(str_eq(asked, "true") || str_eq(asked, "yes") || str_eq(asked, "1"));
}

void act_config_apply(TaskTurn *t)
{
    Volume *v = volume_of(t);
    bool is_incremental = json_bool(t->params, ".incremental", false);
    const char *mode = json_str(t->params, ".mode");
    const char *peers = json_str(t->params, ".overrides['network.p2p.persistent_peers']");

    if (!is_incremental && !is_mode(mode)) {
        t->error = str_format(t->arena, "invalid mode: \"%s\"", mode ? mode : "");
        return;
    }
    if (is_incremental && !has_config(v)) {
        t->error = "reading config: open app.toml: no such file or directory";
        return;
    }
    v->files |= FILE_CONFIG | FILE_APP;
    if (!is_incremental) {
        v->state_sync = false; /* what configure-state-sync wrote is gone */
        v->has_peers = false;
        v->is_config_wrong = false;
        v->is_seed = str_eq(mode, "seed");
    }
    set_grpc(t, mode, is_incremental);
    if (peers)
        v->has_peers = !str_empty(peers);
}

void act_config_patch(TaskTurn *t)
{
    Volume *v = volume_of(t);
    const Json *files = json_find(t->params, ".files"), *file;

    json_each(file, files)
        if (json_type(file) != JSON_OBJECT) {
            t->error =
                str_format(t->arena, "config-patch: patch for %s is not an object", json_key(file));
            return;
        }
    if (json_member(files, "config.toml"))
        v->files |= FILE_CONFIG;
    if (json_member(files, "app.toml"))
        v->files |= FILE_APP;
    const char *peers = json_str(files, "['config.toml'].p2p.persistent-peers");
    if (peers)
        v->has_peers = !str_empty(peers);
}

void act_config_validate(TaskTurn *t)
{
    const Volume *v = volume_of(t);

    if (!has_config(v))
        t->error = "reading config: open app.toml: no such file or directory";
    else if (v->is_config_wrong)
        t->error = "config validation failed: {\"valid\":false,\"version\":2,\"mode\":\"full\","
                   "\"diagnostics\":[{\"severity\":\"ERROR\",\"field\":\"storage.db_backend\","
                   "\"message\":\"unknown backend\"}]}";
}

void act_config_reload(TaskTurn *t)
{
    static const char *const hot[] = {"network.rpc.listen_address",
        "network.rpc.cors_allowed_origins",
        "network.rpc.max_open_connections",
        "network.rpc.lag_threshold",
        "network.p2p.persistent_peers",
        "mempool.size",
        "evm.cors_origins",
        "evm.deny_list",
        "logging.level",
        NULL};
    const Json *fields = json_find(t->params, ".fields"), *field;

    if (!has_config(volume_of(t))) {
        t->error = "reading config: open app.toml: no such file or directory";
        return;
    }
    json_each(field, fields) {
        size_t i = 0;
        while (hot[i] && !str_eq(hot[i], json_key(field)))
            i++;
        if (!hot[i])
            t->error = str_format(t->arena, "field %s is not hot-reloadable", json_key(field));
    }
}

/* --- sync and snapshots */

void act_configure_state_sync(TaskTurn *t)
{
    Volume *v = volume_of(t);
    const Chain *chain = outside_chain(t->sidecar->outside, t->sidecar->chain_id);

    if (json_count(json_find(t->params, ".rpcServers")) == 0 && !v->has_peers)
        t->error = "configure-state-sync: no peers in config.toml";
    else if (chain->witnesses_down)
        t->error = "configure-state-sync: no reachable RPC witness among [peer:26657]";
    else {
        v->files |= FILE_CONFIG;
        v->state_sync = true;
    }
}

void act_snapshot_restore(TaskTurn *t)
{
    Volume *v = volume_of(t);
    const Chain *chain = outside_chain(t->sidecar->outside, t->sidecar->chain_id);
    int64_t target = json_int(t->params, ".targetHeight", 0);

    if (!chain->snapshot_height || (target > 0 && target < chain->snapshot_height)) {
        t->error = target > 0
            ? str_format(t->arena,
                  "no snapshot found at or below height %lld in s3://snapshots/%s/state-sync/",
                  (long long)target,
                  chain->id)
            : str_format(
                  t->arena, "no snapshots found in s3://snapshots/%s/state-sync/", chain->id);
        return;
    }
    v->snapshot_height = chain->snapshot_height;
    v->snapshots = 1;
}

void act_snapshot_upload(TaskTurn *t)
{
    t->run->step = 1;
    wait_until(t, INT64_MAX); /* one attempt a week, for ever */
}

void act_snapshot_upload_once(TaskTurn *t)
{
    const Volume *v = volume_of(t);

    if (v->snapshots < 2) {
        t->result =
            draft(t->arena, str("outcome", "noop"), str("noopReason", "fewer-than-2-snapshots"));
        return;
    }
    const char *key = str_format(
        t->arena, "%s/state-sync/%lld.tar.gz", t->sidecar->chain_id, (long long)v->height);
    bool is_known = outside_find(t->sidecar->outside, key) != NULL;
    if (is_known)
        t->result = draft(t->arena, str("outcome", "noop"), str("noopReason", "already-uploaded"));
    else if (!outside_put(t->sidecar->outside, key, "snapshot"))
        t->error = "snapshot-upload-once: S3: S3 error 507 on put";
    else
        t->result =
            draft(t->arena, str("outcome", "uploaded"), num("height", v->height), str("key", key));
}

void act_result_export(TaskTurn *t)
{
    if (str_empty(json_str(t->params, ".canonicalRpc")))
        return;
    t->run->step = 1;
    wait_until(t, INT64_MAX); /* it compares until the first divergence */
}
