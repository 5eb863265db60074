/* discover-peers: the sidecar is told whom seid shall dial.
 *
 * The surprising thing is what happens while nobody is known. Nodes that labels name say what they
 * are called as soon as their pods are up, long before seid runs, so they are waited for, and that
 * is no failed attempt. But where no node is named at all there is nobody to wait for: the first
 * node of a fleet comes up alone, and others dial it. Only state sync cannot do without a peer. */
#include "base/str.h"
#include "sei/task/kinds.h"

/* "app=sei,tier=rpc in namespace sei", of the first label source. */
static const char *label_text(Arena *a, const SeiNode *node)
{
    const Json *peer, *label;
    const char *text = "";

    json_each(peer, node->spec.peers) {
        const Json *source = json_find(peer, ".label");
        const char *namespace = json_str(source, ".namespace");
        if (!source)
            continue;
        json_each(label, json_find(source, ".selector"))
            text = str_format(
                a, "%s%s%s=%s", text, *text ? "," : "", json_key(label), json_text(label));
        return str_format(a,
            "%s in namespace %s",
            str_cut(a, text, PLAN_MESSAGE_MAX / 4),
            str_empty(namespace) ? node->key.namespace : namespace);
    }
    return "spec.peers";
}

static bool names_somebody(const Json *params)
{
    const Json *lower = json_member(params, "sources");

    return json_count(lower ? lower : json_member(params, "Sources")) > 0;
}

static bool needs_a_peer(const Plan *plan)
{
    const PlannedTask *sync = plan_find_task((Plan *)plan, TASK_CONFIGURE_STATE_SYNC);

    return sync && sync->status != TASK_COMPLETE;
}

static Err *await_somebody(Arena *a, const TaskRun *run)
{
    const TaskPeers *peers = &run->peers;

    if (!peers->is_known)
        return err_wait(a, "peers are still being looked for");
    if (peers->matched)
        return err_wait(a,
            "no peer of %s is known yet: %s has not said its node id",
            label_text(a, run->node),
            peers->silent ? peers->silent : "none");
    if (needs_a_peer(&run->status->plan))
        return err_wait(a,
            "no node matches the peers of %s, and state sync needs one",
            label_text(a, run->node));
    return OK;
}

Err *task_discover_peers(Ctx *c, TaskRun *run)
{
    const PlannedTask *task = run->task;
    bool may_be_there = task->submitted_at || task->superseded;

    if (may_be_there || names_somebody(task->params))
        return task_sidecar_step(c, run);
    return await_somebody(c->arena, run);
}
