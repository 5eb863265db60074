/* Full node: may begin from a snapshot, and may make snapshots for others. */
#include "base/str.h"
#include "sei/plan/course.h"

static Err *check(Arena *a, const SeiNode *node)
{
    TRY(plan_check_bootstrap(a, "fullNode", &node->spec.snapshot));
    return plan_check_generation(a, "fullNode", &node->spec.generates);
}

/* One that makes snapshots for others keeps what they need, and serves them quickly. */
static Draft *overrides(Arena *a, const NodeSpec *spec)
{
    if (!spec->generates.has_tendermint)
        return NULL;
    return draft(a,
        str("storage.snapshot_interval", "2000"),
        str("storage.snapshot_keep_recent",
            str_format(a, "%lld", (long long)spec->generates.keep_recent)),
        str("storage.pruning_keep_recent", "50000"),
        str("storage.pruning_keep_every", "0"),
        str("chain.min_retain_blocks", "50000"),
        str("network.p2p.max_connections", "500"),
        str("network.p2p.send_rate", "20971520"),
        str("network.p2p.recv_rate", "20971520"));
}

const ModeRow plan_full_node = {check, overrides};
