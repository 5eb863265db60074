/* SpecSize: the arithmetic behind the two limits.
 *
 * All of a node must fit into one object of etcd (1,536 KiB), or no status can be stored and nobody
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
#include "sei/plan/spec_size.h"

size_t spec_bytes(Arena *a, const Json *object)
{
    const Json *spec = json_find(object, ".spec");

    return spec ? json_write(a, spec).len : 0;
}

Err *spec_size_check(Arena *a, const Json *node, const NodeSpec *decoded, const char *what)
{
    bool has_job = node_has_bootstrap(decoded);
    size_t size = spec_bytes(a, node);
    size_t max = has_job ? SPEC_BYTES_MAX_WITH_JOB : SPEC_BYTES_MAX;

    if (size <= max)
        return OK;
    return err_terminal(a,
        "%s %zu bytes, and at most %zu can be carried out%s; shorten overrides or peers",
        what,
        size,
        max,
        has_job ? " with a bootstrapImage" : "");
}
