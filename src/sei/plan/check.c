/* Checks of the spec that the schema cannot make, in the words of the reference. */
#include "base/str.h"
#include "sei/plan/parts.h"

/* A plan repeats parts of the spec in the status, one that supersedes another even twice, and the
 * server's books of who set what name every key: all of it must fit into one object (1.5 MiB). */
enum { SPEC_BYTES_MAX = 360 << 10 };

static Err *check_size(Arena *a, const SeiNode *node)
{
    const Json *spec = json_find(node->object, ".spec");
    size_t size = spec ? json_write(a, spec).len : 0;

    if (size <= SPEC_BYTES_MAX)
        return OK;
    return err_terminal(a,
        "spec: has %zu bytes, and at most %d can be carried out; shorten overrides or peers",
        size,
        SPEC_BYTES_MAX);
}

static Err *check_generation(Arena *a, const char *mode, const SnapshotGeneration *generates)
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

static Err *check_full_node(Arena *a, const SeiNode *node)
{
    const SnapshotSource *snapshot = &node->spec.snapshot;
    bool has_bootstrap = !str_empty(snapshot->bootstrap_image);

    if (has_bootstrap && (!snapshot->has_s3 || snapshot->s3_height <= 0))
        return err_terminal(
            a, "fullNode: bootstrapImage requires s3 with a targetHeight greater than 0");
    TRY(check_generation(a, "fullNode", &node->spec.generates));
    if (has_bootstrap)
        return err_terminal(
            a, "fullNode: snapshot.bootstrapImage is not supported by this version");
    if (node->spec.generates.publish)
        return err_terminal(
            a, "fullNode: snapshotGeneration.tendermint.publish is not supported by this version");
    return OK;
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
    if (!plan_has_mode(spec->mode))
        return err_terminal(
            a, "mode %s is not supported by this version", node_mode_text(spec->mode));
    return check_full_node(a, node);
}
