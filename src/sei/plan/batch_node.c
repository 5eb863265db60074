/* One node as batches see it, read from what is stored: there is no second opinion on whether a
 * node serves. */
#include "sei/plan/batch.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/kinds.h"
#include "sei/api/node_hash.h"

static bool cond_is(const SeiNode *node, const char *type, const char *status)
{
    const Cond *cond = conds_find(&node->status.conds, type);

    return cond && str_eq(cond->status, status);
}

static bool has_reason(const SeiNode *node, Reason reason)
{
    const Cond *cond = conds_find(&node->status.conds, reason_condition(reason));

    return cond && str_eq(cond->reason, reason_text(reason));
}

BatchPod batch_pod_read(const Json *pod)
{
    int64_t at_ns;

    if (!pod_is_ready(pod) || meta_deleting(pod))
        return (BatchPod){.seid_is_ready = pod_seid_is_ready(pod)};
    bool says = timestamp_parse(json_str(cond_in(pod, "Ready"), ".lastTransitionTime"), &at_ns);
    return (BatchPod){
        .serves = true, .seid_is_ready = true, .since_ms = says ? at_ns / 1000000 : 0};
}

static bool is_updating(const NodeStatus *status)
{
    return status->has_plan && status->plan.phase == PLAN_ACTIVE
        && status->plan.kind == PLAN_NODE_UPDATE;
}

/* A restart is asked for by an annotation, which moves no generation. */
static bool is_unobserved(const SeiNode *node)
{
    return node->status.observed_generation != node->generation
        || !str_eq(node_restarted_at(node), node->status.restarted_at);
}

/* An edit that came after the fleet is the node's own: it was planned for without a turn. */
static bool has_planned_itself(const SeiNode *node)
{
    const Plan *plan = &node->status.plan;

    return node->status.has_plan && plan->kind == PLAN_NODE_UPDATE
        && plan->generation == node->generation && str_eq(plan->cause, "spec");
}

bool batch_is_left_waiting(const SeiNode *node)
{
    return node->status.observed_generation == node->generation
        && (has_reason(node, REASON_SPEC_DRIFT) || has_reason(node, REASON_AWAITS_FLEET))
        && !has_planned_itself(node) && fleet_child_was_unreleased(node);
}

/* Its pod does not run its spec, or perhaps not. */
static bool is_to_follow(const SeiNode *node)
{
    return is_unobserved(node)
        || (has_reason(node, REASON_SPEC_DRIFT) && !batch_is_left_waiting(node))
        || has_reason(node, REASON_AWAITS_FLEET);
}

/* Since when a condition is True, or is not; 0: it says the opposite, or nothing. */
static int64_t transition_ms(const SeiNode *node, const char *type, bool is_true)
{
    const Cond *cond = conds_find(&node->status.conds, type);
    int64_t at_ns;

    if (!cond || str_eq(cond->status, "True") != is_true
        || !timestamp_parse(cond->last_transition_time, &at_ns))
        return 0;
    return at_ns / 1000000;
}

/* When it was last let run, or 0; a node that is yet to say so was let a moment ago. */
static int64_t unpaused_ms(const SeiNode *node, int64_t now_ms)
{
    if (node->spec.paused)
        return 0;
    return cond_is(node, COND_PAUSED, "True") ? now_ms : transition_ms(node, COND_PAUSED, false);
}

/* Nobody serves in a pause: who does not after it has only just begun to start. */
static bool is_resumed(const SeiNode *node, bool serves_now, int64_t now_ms)
{
    int64_t unready_ms = transition_ms(node, COND_READY, false);

    return !serves_now && unready_ms && unpaused_ms(node, now_ms) > unready_ms;
}

/* By the stored condition, so that it survives restarts of the operator; one that says the opposite
 * is about to be written anew, and then it is as if it had just begun. That a pod was not Ready
 * while nobody looked, the pod alone can tell. */
static int64_t since_ms(const SeiNode *node, BatchPod pod, bool serves_now, int64_t now_ms)
{
    int64_t began_ms = transition_ms(node, COND_READY, serves_now);

    if (!began_ms)
        return 0;
    if (serves_now && pod.since_ms > began_ms)
        began_ms = pod.since_ms;
    if (is_resumed(node, serves_now, now_ms))
        began_ms = unpaused_ms(node, now_ms);
    return now_ms > began_ms ? now_ms - began_ms : 0;
}

static int64_t time_ms(const char *text, int64_t fallback_ms)
{
    int64_t at_ns;

    return text && timestamp_parse(text, &at_ns) ? at_ns / 1000000 : fallback_ms;
}

/* When a plan ended that proves that the node was Running; INT64_MAX: it proves nothing. */
static int64_t proves_running_ms(const PlanEnded *ended)
{
    bool is_init = str_eq(ended->kind, plan_kind_text(PLAN_INIT));

    return is_init && !str_eq(ended->result, "Complete") ? INT64_MAX
                                                         : time_ms(ended->finished_at, INT64_MAX);
}

/* Condition Ready is False from the first status of a node until the node is Ready for the first
 * time. If it turned False after a plan of a Running node ended, it was True in between. */
bool batch_node_was_ready(const SeiNode *node)
{
    const PlanHistory *history = &node->status.history;
    int64_t unready_ms = transition_ms(node, COND_READY, false);

    if (cond_is(node, COND_READY, "True"))
        return true;
    if (node->status.phase != PHASE_RUNNING)
        return false;
    for (size_t i = 0; i < history->count; i++)
        if (unready_ms > proves_running_ms(&history->items[i]))
            return true;
    return false;
}

/* Since when seid has been down. While an update or a pause stops it, the record is not written:
 * then since that began. A stop without a record began just now. */
static int64_t seid_down_since_ms(const SeiNode *node, int64_t now_ms)
{
    const NodeStatus *status = &node->status;

    if (status->seid.since && !status->seid.is_ready)
        return time_ms(status->seid.since, now_ms);
    if (is_updating(status))
        return time_ms(status->plan.started_at, now_ms);
    int64_t paused_ms = transition_ms(node, COND_PAUSED, true);
    return paused_ms ? paused_ms : now_ms;
}

static int64_t seid_down_ms(const SeiNode *node, bool is_resumed, int64_t now_ms)
{
    int64_t began_ms = seid_down_since_ms(node, now_ms);
    int64_t unpaused = is_resumed ? unpaused_ms(node, now_ms) : 0;

    if (unpaused > began_ms)
        began_ms = unpaused;
    return now_ms > began_ms ? now_ms - began_ms : 0;
}

void batch_node_read_by(const SeiNode *node, BatchPod pod, int64_t now_ms, BatchNode *ret)
{
    const NodeStatus *status = &node->status;
    bool serves_now = pod.serves && !cond_is(node, COND_SIDECAR_READY, "False")
        && !status->identity.chain_unverified;
    bool updating = is_updating(status);
    bool awaits =
        !updating && has_reason(node, REASON_AWAITS_FLEET) && fleet_child_is_unreleased(node);

    *ret = (BatchNode){
        .serves = serves_now,
        .updating = updating,
        .disturbed = updating || (!awaits && is_to_follow(node)),
        .awaits = awaits,
        .refuses =
            has_reason(node, REASON_IDENTITY_CHANGED) || has_reason(node, REASON_INVALID_SPEC),
        .once_ready = status->phase == PHASE_RUNNING || status->identity.chain_id,
        .paused = node->spec.paused || has_reason(node, REASON_SCALED_BY_HAND),
        .resumed = is_resumed(node, serves_now, now_ms),
        .failed = status->phase == PHASE_FAILED,
        .leaving = node->deleting,
        .since_ms = since_ms(node, pod, serves_now, now_ms),
        .seid_down = !pod.seid_is_ready && (status->seid.since || batch_node_was_ready(node)),
    };
    if (ret->seid_down)
        ret->down_ms = seid_down_ms(node, ret->resumed, now_ms);
}

void batch_node_read(const SeiNode *node, const Json *pod, int64_t now_ms, BatchNode *ret)
{
    batch_node_read_by(node, batch_pod_read(pod), now_ms, ret);
}
