/* Checks of the spec that the schema cannot make, in the words of the reference. */
#include "sei/plan/course.h"
#include "sei/plan/spec_size.h"

Err *plan_check_generation(Arena *a, const char *mode, const SnapshotGeneration *generates)
{
    if (generates->is_set && !generates->has_tendermint)
        return err_terminal(a,
            "%s: snapshotGeneration is set but has no sub-struct; set "
            "snapshotGeneration.tendermint",
            mode);
    if (generates->publish && generates->keep_recent < 2)
        return err_terminal(a,
            "%s: snapshotGeneration.tendermint.keepRecent must be >= 2 when publish is set, found "
            "%lld",
            mode,
            (long long)generates->keep_recent);
    return OK;
}

Err *plan_check_bootstrap(Arena *a, const char *mode, const SnapshotSource *snapshot)
{
    if (!snapshot->bootstrap_image)
        return OK;
    if (!snapshot->has_s3 || snapshot->s3_height <= 0)
        return err_terminal(
            a, "%s: bootstrapImage requires s3 with a targetHeight greater than 0", mode);
    return OK;
}

static const ModeRow *const rows[] = {
    [MODE_FULL] = &plan_full_node,
    [MODE_ARCHIVE] = &plan_archive,
    [MODE_REPLAYER] = &plan_replayer,
    [MODE_VALIDATOR] = &plan_validator,
};

const ModeRow *plan_mode_row(NodeMode mode)
{
    if ((unsigned)mode >= sizeof rows / sizeof rows[0] || !rows[mode])
        BUG("a mode that no check has refused");
    return rows[mode];
}

Err *plan_check_spec(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    TRY(spec_size_check(a, node->object, spec, "spec: has"));
    if (spec->mode == MODE_NONE)
        return err_terminal(a, "no mode sub-spec set on SeiNode %s", key_text(a, node->key));
    if (spec->mode_count > 1)
        return err_terminal(a,
            "SeiNode %s has %d mode sub-specs; exactly one of fullNode, archive, replayer and "
            "validator must be set",
            key_text(a, node->key),
            spec->mode_count);
    return plan_mode_row(spec->mode)->check(a, node);
}
