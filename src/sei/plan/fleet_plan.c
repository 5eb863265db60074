/* FleetPlan: the order of judgement. What a node of the fleet may be done to is batch.c's; here is
 * what the fleet as a whole is on its way to. */
#include "sei/plan/fleet_parts.h"

#include "base/str.h"
#include "kube/hash.h"
#include "sei/api/fleet_hash.h"

enum { RESUMED_LOOK_MS = 1000 };

#define CAUSE_SPEC     "spec"
#define CAUSE_ROLLBACK "rollback"
#define ALL_ARRIVED    "every node in scope is on the target and available"

const char *plan_fleet_attempt(Arena *a, const char *revision, const char *retry)
{
    if (!retry)
        return revision;
    return hash_json(a, json_seal(a, draft(a, str("revision", revision), str("retry", retry))));
}

/* --- the target, and who is on it --- */

bool plan_fleet_has_failed(const FleetPlanning *p)
{
    return str_eq(p->status->rollout.failed_hash, p->attempt);
}

/* A template of before is known by its hash alone: whoever is on it tells which restart it asks
 * for. When nobody is, nobody is on the target, and the first who is written tells. */
static void ask_for_restart(FleetPlanning *p)
{
    p->is_restart_known = false;
    if (!p->d->target_is_complete_revision)
        return;
    for (size_t i = 0; i < p->s->count && !p->is_restart_known; i++)
        p->is_restart_known = fleet_child_tells_restart(
            p->a, p->s->children[i].node, p->d->target, &p->target_restart);
}

static void aim(FleetPlanning *p)
{
    const FleetStrategy *strategy = &p->fleet->spec.strategy;
    const char *complete = p->status->complete_revision;
    bool can_go_back = strategy->rolls_back && complete && !str_eq(complete, p->s->revision);

    p->d->strategy = *strategy;
    p->d->target_is_complete_revision = plan_fleet_has_failed(p) && can_go_back;
    p->d->target = p->d->target_is_complete_revision ? complete : p->s->revision;
    ask_for_restart(p);
}

bool plan_fleet_has_target(const FleetPlanning *p, const FleetChild *child)
{
    if (str_eq(child->revision, p->d->target))
        return true;
    return p->is_restart_known
        && fleet_child_is_of(p->a, child->node, p->d->target, p->target_restart);
}

bool plan_fleet_has_reached(const FleetPlanning *p, const FleetChild *child, const char *revision)
{
    const char *restart;

    return str_eq(child->revision, revision)
        || fleet_child_tells_restart(p->a, child->node, revision, &restart);
}

static bool is_on_target(const FleetPlanning *p, const FleetChild *child)
{
    FleetNode record = plan_fleet_recorded(p->status, child->node->key.name);

    if (child->health.awaits || plan_fleet_is_other(p->fleet, child->node))
        return false; /* to be let go is to be written; to be another cannot be */
    if (plan_fleet_has_target(p, child))
        return true;
    return record.adopted && str_eq(record.adopted, child->revision)
        && str_eq(record.revision, p->d->target);
}

static void judge_nodes(FleetPlanning *p)
{
    FleetDecision *d = p->d;

    for (size_t i = 0; i < p->s->count; i++) {
        d->nodes[i] = p->s->children[i].health;
        d->nodes[i].on_target = is_on_target(p, &p->s->children[i]);
    }
    for (size_t i = 0; i < p->s->making_count; i++)
        d->nodes[p->s->count + i] = (BatchNode){.ordinal = p->s->making[i], .on_target = true};
    d->batch = (Batch){
        .strategy = &d->strategy,
        .replicas = p->fleet->spec.replicas,
        .validators = p->fleet->spec.node.mode == MODE_VALIDATOR,
        .caused_by_spec = true,
        .overdue = plan_fleet_has_failed(p) && !d->target_is_complete_revision,
        .nodes = d->nodes,
        .count = p->s->count + p->s->making_count,
        .all_down_seen_ms = p->s->seen.all_down_ms,
        .verdicts = d->verdicts,
    };
    plan_batch(&d->batch);
    d->look_again_ms = d->batch.look_again_ms;
}

bool plan_fleet_has_pending(const FleetDecision *d)
{
    for (size_t i = 0; i < d->batch.count; i++)
        if (batch_is_pending(d->verdicts[i]))
            return true;
    return false;
}

void plan_fleet_look_again(FleetPlanning *p, int64_t after_ms)
{
    if (after_ms > 0 && (!p->d->look_again_ms || after_ms < p->d->look_again_ms))
        p->d->look_again_ms = after_ms;
}

/* --- the plan --- */

static Draft *node_names(FleetPlanning *p)
{
    Draft *names = draft_array(p->a);

    for (size_t i = 0; i < p->s->count; i++)
        if (p->d->nodes[i].ordinal >= p->d->strategy.partition)
            draft_push_str(names, p->s->children[i].node->key.name);
    return names;
}

static void add_tasks(FleetPlanning *p, Plan *plan)
{
    Key key = p->fleet->key;
    Draft *update = draft(p->a,
        str("groupName", key.name),
        str("namespace", key.namespace),
        sub("nodeNames", node_names(p)));
    Draft *await = draft(p->a, str("namespace", key.namespace), sub("nodeNames", node_names(p)));

    plan_add_task(p->a, plan, TASK_UPDATE_NODE_SPECS, json_seal(p->a, update));
    plan_add_task(p->a, plan, TASK_AWAIT_SPEC_UPDATE, json_seal(p->a, await));
}

static void begin_rollout(FleetPlanning *p)
{
    FleetRollout *rollout = &p->status->rollout;
    bool is_back = p->d->target_is_complete_revision;
    Plan *plan = &p->status->plan;

    *rollout = (FleetRollout){
        /* Of a rollback as far as it is known here; see name_rollback. */
        .target_hash = is_back ? p->status->template_hash : p->template_hash,
        .started_at = p->s->now,
        .failed_hash = plan_fleet_has_failed(p) ? rollout->failed_hash : NULL,
    };
    *plan = (Plan){
        .id = p->s->plan_id,
        .kind = PLAN_ROLLOUT,
        .cause = is_back ? CAUSE_ROLLBACK : CAUSE_SPEC,
        .started_at = p->s->now,
        .generation = p->fleet->generation,
        .target_hash = p->d->target,
        .retry = p->fleet->retry,
        .phase = PLAN_ACTIVE,
        .failed_index = -1,
    };
    add_tasks(p, plan);
    p->status->has_plan = true;
    p->d->news.started = true;
    p->d->news.rolled_back = is_back;
}

void plan_fleet_end_plan(FleetPlanning *p, const char *result, const char *message)
{
    if (p->status->has_plan) {
        PlanEnded ended = plan_ended(p->a, &p->status->plan, result, message, p->s->now);
        plan_history_add(&p->status->history, &ended);
    }
    p->status->has_plan = false;
    p->status->plan = (Plan){.id = "", .failed_index = -1};
}

/* All who are in scope are where they should be. */
static void record_completion(FleetPlanning *p)
{
    if (p->d->target_is_complete_revision)
        return;
    p->status->template_hash = p->template_hash;
    if (p->d->batch.everywhere)
        p->status->complete_revision = p->d->target;
}

/* After a rollback the rollout stays, without a plan: it remembers what failed. */
static void complete(FleetPlanning *p)
{
    plan_fleet_end_plan(p, "Complete", ALL_ARRIVED);
    record_completion(p);
    if (!p->d->target_is_complete_revision)
        p->status->rollout = (FleetRollout){0};
    p->d->news.completed = true;
}

/* --- what came before an edit --- */

/* Where the fleet was going or, at rest, was; or NULL. */
static const char *target_before(const FleetPlanning *p)
{
    if (p->status->has_plan)
        return p->status->plan.target_hash;
    return p->s->count ? plan_fleet_recorded(p->status, p->s->children[0].node->key.name).revision
                       : NULL;
}

static bool has_arrived_at(const FleetPlanning *p, const FleetChild *child, const char *revision)
{
    return child->health.ordinal < p->fleet->spec.replicas && !child->health.awaits
        && !child->health.refuses && batch_is_available(&p->d->strategy, &child->health)
        && plan_fleet_has_reached(p, child, revision);
}

/* Every node had reached it, and the template was edited before that was written down. */
static bool record_what_was_reached(FleetPlanning *p)
{
    const char *before = target_before(p);
    int64_t arrived = 0;

    if (!before || p->d->strategy.partition > 0)
        return false;
    for (size_t i = 0; i < p->s->count; i++)
        arrived += has_arrived_at(p, &p->s->children[i], before);
    if (arrived < p->fleet->spec.replicas)
        return false;
    p->status->complete_revision = before;
    return true;
}

static void supersede(FleetPlanning *p)
{
    bool is_back = str_eq(p->status->plan.cause, CAUSE_ROLLBACK);

    if (record_what_was_reached(p)) {
        p->d->news.completed = true;
        if (!is_back)
            p->status->template_hash = p->status->rollout.target_hash;
        plan_fleet_end_plan(p, "Complete", ALL_ARRIVED);
    } else {
        p->inherits = true;
        p->d->news.superseded = true;
        p->d->news.old_hash = p->status->rollout.target_hash;
        plan_fleet_end_plan(
            p, "Superseded", str_format(p->a, "the target is now %s", p->d->target));
    }
    begin_rollout(p);
}

static void leave_rest(FleetPlanning *p)
{
    (void)record_what_was_reached(p);
    begin_rollout(p);
}

/* --- the rollout --- */

static void fail(FleetPlanning *p)
{
    p->status->rollout.failed_hash = p->attempt;
    p->d->news.failed = true;
    aim(p);
    judge_nodes(p);
    if (!p->d->target_is_complete_revision)
        return;
    plan_fleet_end_plan(p, "Failed", "no progress for progressDeadlineSeconds; going back");
    begin_rollout(p);
    judge_nodes(p);
}

/* The reference's plan has no target: it is for what its rollout names. */
static bool target_has_moved(const FleetPlanning *p)
{
    const Plan *plan = &p->status->plan;

    if (plan->target_hash)
        return !str_eq(plan->target_hash, p->d->target);
    return !str_eq(p->status->rollout.target_hash, p->template_hash);
}

static void go_on(FleetPlanning *p)
{
    FleetRollout *rollout = &p->status->rollout;

    if (target_has_moved(p)) {
        supersede(p);
        return;
    }
    if (!p->status->plan.target_hash) { /* its time before was not ours to use */
        rollout->started_at = p->s->now;
        p->inherits = true;
    }
    p->status->plan.target_hash = p->d->target;
    if (rollout->failed_hash && !plan_fleet_has_failed(p)) { /* one more attempt was asked for */
        rollout->failed_hash = NULL;
        rollout->started_at = p->s->now;
    }
    if (p->d->batch.complete)
        complete(p);
    else if (plan_fleet_is_overdue(p))
        fail(p);
}

static void judge_rollout(FleetPlanning *p)
{
    bool is_rolled_back = p->status->rollout.target_hash && p->d->target_is_complete_revision;

    if (p->status->has_plan && p->status->plan.kind == PLAN_GENESIS)
        plan_fleet_end_plan(p, "Superseded", "the chain has been founded");
    if (p->status->has_plan)
        go_on(p);
    else if (plan_fleet_has_pending(p->d) || (p->status->rollout.target_hash && !is_rolled_back))
        leave_rest(p);
    else if (p->d->batch.complete)
        record_completion(p);
}

/* --- the order of judgement --- */

/* Not ours to move: a plan of another operator. */
static bool has_other_plan(FleetPlanning *p)
{
    const Plan *plan = &p->status->plan;

    if (!p->status->has_plan || plan->phase != PLAN_ACTIVE)
        return false;
    if (plan->kind != PLAN_UNKNOWN && !plan_has_task_unknown_to_fleets(plan))
        return false;
    p->d->stall_reason = FLEET_REASON_UNKNOWN_PLAN;
    p->d->stall = str_format(p->a,
        "status.plan %s has a kind or tasks that this operator does not know, and is left "
        "alone; let the operator that made it finish, or remove status.plan",
        plan->id);
    return true;
}

void plan_fleet(Arena *a, const FleetSnapshot *s, FleetDecision *ret)
{
    const Fleet *fleet = s->fleet;
    FleetPlanning planning = {
        .a = a,
        .s = s,
        .fleet = fleet,
        .d = ret,
        .status = &ret->status,
        .template_hash = fleet_template_hash(a, &fleet->spec),
        .attempt = plan_fleet_attempt(a, s->revision, fleet->retry),
    };
    FleetPlanning *p = &planning;

    if (s->count + s->making_count > FLEET_REPLICAS_MAX)
        BUG("more children than a fleet may have");
    *ret = (FleetDecision){.status = fleet->status};
    if (fleet->deleting) {
        ret->frozen = true;
        return;
    }
    bool may_move = !has_other_plan(p) && !fleet->spec.paused;
    bool founds = may_move && plan_fleet_is_founding(p);
    ret->resuming = plan_fleet_is_resuming(p);
    if (!founds)
        plan_fleet_identity(p);
    ret->frozen = !may_move || founds || ret->resuming || ret->other;
    plan_fleet_take_over(p);
    if (fleet->spec.genesis.is_set && !plan_fleet_is_founding(p))
        plan_fleet_keep_founders(p);
    aim(p);
    ret->strategy.hold = ret->strategy.hold || ret->frozen;
    judge_nodes(p);
    if (!ret->frozen)
        judge_rollout(p);
    else if (founds)
        plan_fleet_found(p);
    else if (ret->resuming)
        plan_fleet_look_again(p, RESUMED_LOOK_MS);
    plan_fleet_tell_nodes(p);
    if (!ret->frozen)
        plan_fleet_tell_rollout(p);
}
