/* Full node: what its sidecar does in an init. */
#include "sei/plan/parts.h"

#include "base/str.h"

/* A node that makes snapshots for others keeps what they need, and serves them quickly. */
static Draft *mode_overrides(Arena *a, const SnapshotGeneration *generates)
{
    if (!generates->has_tendermint)
        return NULL;
    return draft(a,
        str("storage.snapshot_interval", "2000"),
        str("storage.snapshot_keep_recent",
            str_format(a, "%lld", (long long)generates->keep_recent)),
        str("storage.pruning_keep_recent", "50000"),
        str("storage.pruning_keep_every", "0"),
        str("chain.min_retain_blocks", "50000"),
        str("network.p2p.max_connections", "500"),
        str("network.p2p.send_rate", "20971520"),
        str("network.p2p.recv_rate", "20971520"));
}

static const Json *state_sync_params(Arena *a, const SnapshotSource *snapshot)
{
    return json_seal(a,
        draft(a,
            flag("UseLocalSnapshot", snapshot->has_s3),
            str("TrustPeriod", snapshot->trust_period ? snapshot->trust_period : ""),
            num("BackfillBlocks", snapshot->backfill_blocks)));
}

void plan_full_node_tasks(Planning *p, Plan *plan)
{
    Arena *a = p->a;
    const NodeSpec *spec = &p->node->spec;
    const SnapshotSource *snapshot = &spec->snapshot;
    const Json *nothing = json_seal(a, draft_object(a));
    const Json *peers = plan_peer_sources(a, p->node);

    if (snapshot->has_s3)
        plan_add_task(a,
            plan,
            TASK_SNAPSHOT_RESTORE,
            json_seal(a, draft(a, num("TargetHeight", snapshot->s3_height))));
    plan_add_task(a, plan, TASK_CONFIGURE_GENESIS, nothing);
    plan_add_task(a,
        plan,
        TASK_CONFIG_APPLY,
        plan_config_intent(a, p->node, mode_overrides(a, &spec->generates)));
    if (peers)
        plan_add_task(a, plan, TASK_DISCOVER_PEERS, peers);
    if (snapshot->is_set)
        plan_add_task(a, plan, TASK_CONFIGURE_STATE_SYNC, state_sync_params(a, snapshot));
    plan_add_task(a, plan, TASK_CONFIG_VALIDATE, nothing);
    plan_add_task(a, plan, TASK_MARK_READY, nothing);
}
