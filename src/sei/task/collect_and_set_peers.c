/* collect-and-set-peers: every founder says by which name it is known, and all are written down as
 * the peers of each, the node itself included: as the reference does, and seid knows itself.
 *
 * The peers stay with the children from then on: no apply of the fleet ever has that field. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

enum { NAME_LOOK_MS = 2000 }; /* what a sidecar says wakes its node, not the fleet */

static Err *find_address(Ctx *c, TaskRun *run, const SeiNode *node, const char **ret)
{
    TaskRun asking = *run;
    SidecarTarget target;
    SidecarName name;

    asking.node = node;
    run->look_again_ms = NAME_LOOK_MS;
    TRY(task_sidecar_name(c, &asking, &target, &name));
    if (!name.node_id[0])
        return err_wait(
            c->arena, "the sidecar of SeiNode %s has not said its node id yet", node->key.name);
    *ret = str_format(c->arena, "%s@%s", name.node_id, name_p2p_address(c->arena, node->key));
    return OK;
}

/* All are asked before anyone is waited for. */
static Err *collect(Ctx *c, TaskRun *run, const Json **ret)
{
    const TaskFleet *fleet = run->fleet;
    Draft *addresses = draft_array(c->arena), *peers = draft_array(c->arena);
    Err *first = OK;

    for (size_t i = 0; i < fleet->count; i++) {
        const char *address = "";
        Err *err = find_address(c, run, fleet->nodes[i], &address);
        if (err && !first)
            first = err;
        draft_push_str(addresses, address);
    }
    draft_push(peers, draft(c->arena, obj("static", sub("addresses", addresses))));
    *ret = json_seal(c->arena, peers);
    return first;
}

static Err *set_peers(Ctx *c, const SeiNode *node, const Json *peers)
{
    const Json *patch, *changed;

    if (json_equal(json_find(node->object, ".spec.peers"), peers))
        return OK;
    patch = json_seal(c->arena, draft(c->arena, obj("spec", draft_json("peers", peers))));
    return kube_merge_patch(c, kind_seinode, node->object, patch, &changed);
}

static Err *step(Ctx *c, TaskRun *run)
{
    const TaskFleet *fleet = run->fleet;
    const Json *peers;

    TRY(collect(c, run, &peers));
    for (size_t i = 0; i < fleet->count; i++)
        TRY(set_peers(c, fleet->nodes[i], peers));
    return OK;
}

const TaskKind task_collect_and_set_peers = {TASK_COLLECT_AND_SET_PEERS, step};
