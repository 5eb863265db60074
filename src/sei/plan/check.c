/* Checks of the spec that the schema cannot make, in the words of the reference. */
#include "sei/plan/course.h"

/* All of a node must fit into one object of etcd (1,536 KiB), or no status can be stored and nobody
 * learns why. A round of setting up repeats overrides and static peers in its tasks, and the peers
 * found by label (PEERS_TEXT_MAX, 32 KiB) once more; a bootstrap Job makes it two rounds. After an
 * edit one task of the plan before is awaited, which may be of the other course. At worst, in KiB:
 *
 *                                       one round   with a Job
 *     spec                                    240          176
 *     its copies in the tasks                 240          352
 *     found peers: status and tasks            64           96
 *     the task that is awaited                272          272
 *     who set what (short keys: 1.3 times)    312          229
 *     annotations, by kubectl apply           256          256
 *     conditions, history, the rest           100          100
 *                                            ----         ----
 *                                            1484         1481
 */
enum { SPEC_BYTES_MAX = 240 << 10, SPEC_BYTES_MAX_WITH_JOB = 176 << 10 };

static Err *check_size(Arena *a, const SeiNode *node)
{
    const Json *spec = json_find(node->object, ".spec");
    bool has_job = node_has_bootstrap(&node->spec);
    size_t size = spec ? json_write(a, spec).len : 0;
    size_t max = has_job ? SPEC_BYTES_MAX_WITH_JOB : SPEC_BYTES_MAX;

    if (size <= max)
        return OK;
    return err_terminal(a,
        "spec: has %zu bytes, and at most %zu can be carried out%s; shorten overrides or peers",
        size,
        max,
        has_job ? " with a bootstrapImage" : "");
}

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

    TRY(check_size(a, node));
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
