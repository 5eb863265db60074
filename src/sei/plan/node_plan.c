/* NodePlan: the order of judgement, and what plans have in common. Each judgement is a file of its
 * own. */
#include "sei/plan/node_plan.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/chain_check.h"
#include "sei/plan/parts.h"
#include "sei/plan/peers.h"

/* --- what all judgements use --- */

void plan_stall(Planning *p, Reason reason, const char *message)
{
    NodeStall *stall = &p->d->stall;

    if (stall->is_set)
        return;
    stall->is_set = true;
    stall->reason = reason;
    stall->message = str_cut(p->a, message, PLAN_MESSAGE_MAX);
}

void plan_look_again(Planning *p, int64_t after_ms)
{
    int64_t *again = &p->d->again_after_ms;

    if (after_ms > 0 && (!*again || after_ms < *again))
        *again = after_ms;
}

bool plan_is_active(const NodeStatus *status)
{
    return status->has_plan && status->plan.phase == PLAN_ACTIVE;
}

const char *plan_target(const Planning *p, PlanKind kind)
{
    if (kind != PLAN_INIT)
        return p->spec_hash;
    /* A Running node has no use for it, and hashing it takes a while. */
    return p->init_hash ? p->init_hash : node_init_hash(p->a, p->node);
}

Plan *plan_new(Planning *p, PlanKind kind, const char *cause)
{
    Plan *plan = arena_new(p->a, Plan);

    *plan = (Plan){
        .id = p->s->plan_id,
        .kind = kind,
        .cause = cause,
        .started_at = p->s->now,
        .generation = p->node->generation,
        .target_hash = plan_target(p, kind),
        .retry = p->node->wishes.retry,
        .phase = PLAN_ACTIVE,
        .target_phase = node_phase_text(PHASE_RUNNING),
        .failed_phase = kind == PLAN_INIT ? node_phase_text(PHASE_FAILED) : NULL,
        .failed_index = -1,
    };
    return plan;
}

void plan_add_own_task(Planning *p, Plan *plan, TaskType type)
{
    Draft *params =
        draft(p->a, str("nodeName", p->node->key.name), str("namespace", p->node->key.namespace));

    plan_add_task(p->a, plan, type, json_seal(p->a, params));
}

void plan_install(Planning *p, const Plan *plan)
{
    p->status->has_plan = true;
    p->status->plan = *plan;
    if (p->superseded)
        plan_carry_over(p, p->superseded, &p->status->plan, !p->is_fresh);
    p->d->plan_is_new = true;
}

void plan_supersede(Planning *p, const char *why)
{
    Plan *old = arena_new(p->a, Plan);
    PlanEnded ended = plan_ended(p->a, &p->status->plan, "Superseded", why, p->s->now);

    *old = p->status->plan;
    p->superseded = old;
    plan_history_add(&p->status->history, &ended);
    p->status->has_plan = false;
    p->status->plan = (Plan){.id = "", .failed_index = -1};
    p->d->finished = true;
}

/* --- the order of judgement --- */

static void begin(Planning *p, Arena *a, const NodeSnapshot *s, NodeDecision *ret)
{
    const SeiNode *node = s->node;

    *ret = (NodeDecision){.status = node->status};
    *p = (Planning){
        .a = a,
        .s = s,
        .node = node,
        .d = ret,
        .status = &ret->status,
        .pod = meta_deleting(s->pod) ? NULL : s->pod,
        .spec_hash = node_spec_hash(a, node),
    };
    ret->status.restarted_at = node_restarted_at(node);
}

static bool has_question(const NodeDecision *d)
{
    return d->needs_explanation || d->needs_hand_edit || d->needs_volume_proof
        || d->needs_import_proof;
}

static void tell_unknown_plan(Planning *p, const char *what)
{
    const char *ways = plan_ways_without_plan(p);

    p->d->frozen = true;
    plan_stall(p,
        REASON_UNKNOWN_PLAN,
        str_format(p->a,
            "status.plan %s %s, and is left alone; let the operator that made it finish, or remove "
            "status.plan%s%s",
            p->status->plan.id,
            what,
            ways ? " and then do this: " : "",
            ways ? ways : ""));
}

/* A plan of another operator, or of a later one. */
static void find_unknown_plan(Planning *p)
{
    const Plan *plan = &p->status->plan;

    bool is_ours = plan->target_hash || plan->kind_is_told;

    if (!p->status->has_plan || plan->phase == PLAN_COMPLETE)
        return;
    if (plan_is_active(p->status)
        && (plan->kind == PLAN_UNKNOWN || !is_ours || plan_has_unknown_task(plan)))
        tell_unknown_plan(p, "has a kind or tasks that this operator does not know");
    else if (!plan_can_be_superseded(plan))
        tell_unknown_plan(p, "has more tasks at work than any operator hands over at once");
}

static void check_spec(Planning *p)
{
    /* An edit of the mode is told as what it is. */
    if (p->identity_changed && !p->is_fresh)
        return;
    Err *refused = plan_check_spec(p->a, p->node);
    Err *peers = plan_check_peers(p->a, p->node, p->s->namespaces);
    /* Only an init reads peers: who runs is told, and is rolled all the same. */
    p->spec_refused = refused || (peers && p->status->phase != PHASE_RUNNING);
    if (refused || peers)
        plan_stall(p, REASON_INVALID_SPEC, err_text(p->a, refused ? refused : peers));
}

/* Everything that stands in the way. False: nothing more can be decided. */
static bool clear_the_way(Planning *p)
{
    find_unknown_plan(p);
    plan_foreign(p);
    plan_identity(p);
    p->match = plan_pod_match(p->s);
    if (!plan_volume(p))
        return false;
    if (!p->is_fresh) {
        plan_tell_identity(p);
        plan_observe_pod(p);
    }
    check_spec(p);
    if (p->rendering_is_old) {
        p->d->hold_statefulset = true;
        p->d->frozen = true;
        return false;
    }
    return !p->d->frozen && !p->statefulset_foreign;
}

/* A StatefulSet that was edited is put back first: only then its revision says what pods should be
 * made from. Judged by the edit, the pod that is right would look wrong. */
static void decide_unclear(Planning *p)
{
    if (plan_object_state(p, TASK_APPLY_STATEFULSET) == OBJECT_RIGHT)
        p->d->needs_hand_edit = true;
    else if (!plan_repair(p))
        plan_reapprove(p);
}

static void decide_running(Planning *p)
{
    if (p->match == POD_UNCLEAR && !p->s->scaled_by_hand) {
        decide_unclear(p);
        return;
    }
    if (plan_update(p) || plan_repair(p))
        return;
    plan_reapprove(p);
}

static void decide(Planning *p)
{
    if (plan_take_over(p))
        return;
    if (!clear_the_way(p)) {
        p->d->frozen = true;
        return;
    }
    p->d->scale_only = p->status->phase == PHASE_RUNNING && plan_awaits_fleet(p);
    if (p->node->spec.paused) {
        p->d->frozen = true;
        return;
    }
    if (plan_active(p))
        return;
    if (p->status->phase == PHASE_RUNNING)
        decide_running(p);
    else if (p->status->phase == PHASE_FAILED)
        plan_failed(p);
    else
        plan_init(p);
}

/* Whatever else is wrong with the node: this is what people must see. */
static void tell_signing_twin(Planning *p)
{
    const char *twin = p->s->signing_twin;

    if (!twin || p->node->spec.paused)
        return;
    p->d->stall.is_set = true;
    p->d->stall.reason = REASON_SIGNING_KEY_SHARED;
    p->d->stall.message = str_format(p->a,
        "this node and node %s both run with the signing key in Secret %s: pause or delete one of "
        "them now, for two that sign with one key are slashed and jailed for good; until then "
        "neither is stopped, nor its pod replaced",
        twin,
        p->node->spec.signing_key.secret);
}

Err *plan_node(Arena *a, const NodeSnapshot *snapshot, NodeDecision *ret)
{
    Planning *p = arena_new(a, Planning);

    begin(p, a, snapshot, ret);
    if (snapshot->node->deleting)
        return arena_err(a);
    decide(p);
    tell_signing_twin(p);
    plan_tell_volume_of_other_node(p);
    plan_tell_wrong_chain(p);
    if (!has_question(ret))
        ret->status.observed_generation = snapshot->node->generation;
    return arena_err(a);
}
