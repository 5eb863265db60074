/* Archive: keeps every block, so it never begins from a snapshot; it may make some for others. */
#include "base/str.h"
#include "sei/plan/course.h"

static Err *check(Arena *a, const SeiNode *node)
{
    return plan_check_generation(a, "archive", &node->spec.generates);
}

static Draft *overrides(Arena *a, const NodeSpec *spec)
{
    if (!spec->generates.has_tendermint)
        return NULL;
    return draft(a,
        str("storage.snapshot_interval", "2000"),
        str("storage.snapshot_keep_recent",
            str_format(a, "%lld", (long long)spec->generates.keep_recent)));
}

const ModeRow plan_archive = {check, overrides};
