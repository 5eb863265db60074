/* discover-peers: the sidecar is told whom seid shall dial.
 *
 * The surprising thing is what happens while nobody is known. Nodes that labels name say what they
 * are called as soon as their pods are up, long before seid runs, so they are waited for, and that
 * is no failed attempt. But where no node is named at all there is nobody to wait for: the first
 * node of a fleet comes up alone, and others dial it. So it does when those who are named have been
 * silent for long: a dead one holds nobody up. Only state sync cannot do without a peer. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/task/kinds.h"

enum { PATIENCE_MS = 600000 }; /* since the plan began: pods have come up by then, as a rule */

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

/* How long those who are silent are still waited for; 0: no longer. */
static int64_t left_of_patience(Ctx *c, const Plan *plan)
{
    int64_t began_ns;

    if (!timestamp_parse(plan->started_at, &began_ns))
        return 0;
    int64_t left = PATIENCE_MS - (clock_wall_ms(c->clock) - began_ns / 1000000);
    return left < 0 ? 0 : left < PATIENCE_MS ? left : PATIENCE_MS; /* the clock may have stepped */
}

static Err *await_silent(Ctx *c, TaskRun *run)
{
    const Plan *plan = &run->status->plan;
    int64_t left_ms = left_of_patience(c, plan);

    if (left_ms == 0 && !needs_a_peer(plan))
        return OK;
    run->look_again_ms = left_ms;
    return err_wait(c->arena,
        "no peer of %s is known yet: %s has not said its node id%s%s",
        label_text(c->arena, run->node),
        run->peers.silent ? run->peers.silent : "none",
        run->peers.silent_why ? ": " : "",
        run->peers.silent_why ? run->peers.silent_why : "");
}

static Err *await_somebody(Ctx *c, TaskRun *run)
{
    if (!run->peers.is_known)
        return err_wait(c->arena, "peers are still being looked for");
    if (run->peers.matched)
        return await_silent(c, run);
    if (needs_a_peer(&run->status->plan))
        return err_wait(c->arena,
            "no node matches the peers of %s, and state sync needs one",
            label_text(c->arena, run->node));
    return OK;
}

Err *task_discover_peers(Ctx *c, TaskRun *run)
{
    const PlannedTask *task = run->task;
    bool may_be_there = task->submitted_at || task->superseded;

    if (may_be_there || names_somebody(task->params))
        return task_sidecar_step(c, run);
    return await_somebody(c, run);
}
