/* What holds a validator's pod back without its saying so.
 *
 * That a Secret which a pod mounts is missing, a kubelet tells in events alone: the pod's status
 * speaks of containers that are being created, for ever. So once a pod has been there for longer
 * than that should take, its Secrets are looked for by their names. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"

enum {
    PATIENCE_MS = 15000, /* a disk is attached within that, as a rule */
    LOOK_MS = 30000,
};

static const char *find_trouble(NodePass *p)
{
    TaskRun run = task_run_of(p);
    const Err *err = task_keys_are_there(p->c, &run);

    return err ? str_format(p->c->arena, "the pod cannot start: %s", err_text(p->c->arena, err))
               : NULL;
}

/* It has no address before its volumes are there. */
static bool is_held_back(const NodePass *p)
{
    const Json *pod = p->snapshot.pod;

    return pod && !meta_deleting(pod) && !pod_is_finished(pod)
        && str_empty(json_str(pod, ".status.podIP")) && !pod_trouble(p->c->arena, pod);
}

void gather_key_trouble(NodePass *p)
{
    const NodeSpec *spec = &p->node.spec;
    bool has_keys = spec->signing_key.secret || spec->node_key.secret || spec->keyring.secret;
    int64_t since_ms = has_keys && is_held_back(p) ? pod_bound_since_ms(p->snapshot.pod) : 0;
    int64_t left_ms = since_ms + PATIENCE_MS - p->snapshot.now_ms;

    if (!since_ms)
        return;
    if (left_ms <= 0)
        p->snapshot.pod_held_back = find_trouble(p);
    look_again(p, left_ms <= 0 ? LOOK_MS : left_ms < PATIENCE_MS ? left_ms : PATIENCE_MS);
}
