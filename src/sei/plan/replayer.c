/* Replayer: replays blocks from a snapshot of a given height, to compare the results. What it
 * should compare with (resultExport) is checked, but nothing carries it out yet: it belongs to a
 * kind of its own. */
#include "sei/plan/course.h"

static Err *check(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    if (!spec->snapshot.has_s3)
        return err_terminal(a, "replayer: snapshot.s3 is required");
    if (spec->snapshot.s3_height <= 0)
        return err_terminal(a, "replayer: snapshot.s3.targetHeight must be greater than 0");
    if (json_count(spec->peers) == 0)
        return err_terminal(a, "replayer: peers are required");
    if (spec->result_export_is_empty)
        return err_terminal(a,
            "replayer: resultExport is set but has no sub-struct; set resultExport.shadowResult");
    return plan_check_bootstrap(a, "replayer", &spec->snapshot);
}

static Draft *overrides(Arena *a, const NodeSpec *spec)
{
    (void)spec;
    return draft(a,
        str("storage.state_commit.async_commit_buffer", "100"),
        str("storage.state_commit.memiavl.snapshot_keep_recent", "2"),
        str("storage.state_commit.memiavl.snapshot_min_time_interval", "3600"));
}

const ModeRow plan_replayer = {check, overrides};
