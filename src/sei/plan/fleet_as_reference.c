/* The conditions that fleets have had under the reference, by its types and reasons. A plan and a
 * rollout are gone from the status when they have ended, so these conditions remember how. */
#include "base/str.h"
#include "sei/plan/fleet_says.h"

static bool is_said(const FleetSays *t, Reason reason)
{
    const Cond *found = conds_find(&t->status->conds, reason_condition(reason));
    return found && str_eq(found->reason, reason_text(reason));
}

/* --- PlanInProgress --- */

static void say_ended_plan(FleetSays *t, const PlanEnded *last)
{
    bool has_failed = str_eq(last->result, "Failed");

    fleet_says(t,
        "False",
        has_failed ? FLEET_REASON_PLAN_FAILED : FLEET_REASON_PLAN_COMPLETE,
        str_format(t->a,
            "plan %s %s%s%s",
            last->id,
            has_failed ? "failed" : "completed",
            str_empty(last->message) ? "" : ": ",
            str_empty(last->message) ? "" : last->message));
}

static void say_plan(FleetSays *t)
{
    const PlanHistory *history = &t->status->history;
    const Plan *plan = &t->status->plan;

    if (t->status->has_plan && plan->phase == PLAN_ACTIVE)
        fleet_says(t,
            "True",
            FLEET_REASON_PLAN_STARTED,
            str_format(t->a, "plan %s is being carried out", plan->id));
    else if (history->count)
        say_ended_plan(t, &history->items[history->count - 1]);
    else if (conds_is_true(&t->status->conds, COND_PLAN))
        fleet_says(t, "False", FLEET_REASON_PLAN_COMPLETE, "there is no plan any more");
    else if (conds_find(&t->status->conds, COND_PLAN))
        fleet_says_again(t, COND_PLAN);
    else
        fleet_says(t, "False", FLEET_REASON_NO_PLAN, "no plan has been needed yet");
}

/* --- RolloutInProgress --- */

static void say_rollout_under_way(FleetSays *t)
{
    const FleetRollout *rollout = &t->status->rollout;
    const char *from = t->status->template_hash ? t->status->template_hash : "none";
    bool has_plan = t->status->has_plan && t->status->plan.phase == PLAN_ACTIVE;

    if (t->d->target_is_complete_revision && !has_plan)
        fleet_says(t,
            "False",
            FLEET_REASON_ROLLOUT_FAILED,
            str_format(t->a,
                "the template made no progress in time, and every node is back on revision %s",
                t->d->target));
    else if (t->d->target_is_complete_revision)
        fleet_says(t,
            "True",
            FLEET_REASON_ROLLING_BACK,
            str_format(t->a,
                "the template made no progress in time: nodes go back to revision %s",
                t->d->target));
    else if (rollout->failed_hash)
        fleet_says(t,
            "False",
            FLEET_REASON_DEADLINE_EXCEEDED,
            str_format(t->a,
                "no progress from template %s to %s for %lld s, and held",
                from,
                rollout->target_hash,
                (long long)t->fleet->spec.strategy.progress_deadline_seconds));
    else
        fleet_says(t,
            "True",
            FLEET_REASON_TEMPLATE_CHANGED,
            str_format(t->a, "template %s is replaced by %s", from, rollout->target_hash));
}

static void say_rollout(FleetSays *t)
{
    bool has_ended = t->d->news.completed || conds_is_true(&t->status->conds, COND_ROLLOUT)
        || is_said(t, FLEET_REASON_DEADLINE_EXCEEDED);

    if (t->status->rollout.target_hash)
        say_rollout_under_way(t);
    else if (!conds_find(&t->status->conds, COND_ROLLOUT) && !has_ended)
        fleet_says(t, "False", FLEET_REASON_NO_ROLLOUT, "no rollout has been needed yet");
    else if (has_ended)
        fleet_says(t,
            "False",
            FLEET_REASON_ROLLOUT_COMPLETE,
            str_format(t->a,
                "every node in scope is on template %s",
                t->status->template_hash ? t->status->template_hash : "none"));
    else
        fleet_says_again(t, COND_ROLLOUT);
}

/* --- GenesisCeremonyComplete, NetworkingReady --- */

/* A chain is founded once, whatever becomes of its founders. */
static void say_founded(FleetSays *t)
{
    if (t->d->lost_founders)
        fleet_says(t,
            "True",
            FLEET_REASON_FOUNDER_LOST,
            str_format(t->a,
                "the chain has been founded, but %s has another volume than then, and so another "
                "key: it is no longer the validator that the genesis counts on. Give it its old "
                "volume back, or make it a validator anew with a transaction of the chain",
                t->d->lost_founders));
    else if (t->is_decided && is_said(t, FLEET_REASON_FOUNDER_LOST))
        fleet_says(t, "True", FLEET_REASON_CEREMONY_COMPLETE, "the chain has been founded");
    else
        fleet_says_again(t, COND_GENESIS_COMPLETE);
}

static void say_founding(FleetSays *t)
{
    const FleetSaying *told = &t->progress->founding;
    bool has_plan = t->status->has_plan && t->status->plan.phase == PLAN_ACTIVE
        && t->status->plan.kind == PLAN_GENESIS;

    if (conds_is_true(&t->status->conds, COND_GENESIS_COMPLETE))
        say_founded(t);
    else if (told->status)
        fleet_says(t, told->status, told->reason, told->message);
    else if (!t->fleet->spec.genesis.is_set)
        fleet_says(t, "False", FLEET_REASON_NO_CEREMONY, "spec.genesis is not set");
    else if (has_plan)
        fleet_says(t, "False", FLEET_REASON_CEREMONY, "the chain is being founded");
    else
        fleet_says(t, "False", FLEET_REASON_CEREMONY_AHEAD, "the ceremony has not begun");
}

static void say_networking(FleetSays *t)
{
    const FleetSaying *told = &t->progress->networking;
    const FleetSpec *spec = &t->fleet->spec;

    if (told->status)
        fleet_says(t, told->status, told->reason, told->message);
    else if (conds_find(&t->status->conds, COND_NETWORKING))
        fleet_says_again(t, COND_NETWORKING);
    else if (t->is_decided && !spec->has_http && !spec->has_tcp)
        fleet_says(t, "False", FLEET_REASON_NO_NETWORKING, "spec.networking asks for nothing");
    else
        fleet_says(t, "Unknown", FLEET_REASON_NETWORK_UNKNOWN, "nothing has been applied yet");
}

/* --- NodesReady --- */

static bool is_running(const FleetSays *t, size_t child)
{
    return t->s->children[child].node->status.phase == PHASE_RUNNING;
}

static bool is_failed(const FleetSays *t, size_t child)
{
    return t->s->children[child].node->status.phase == PHASE_FAILED;
}

static bool is_beginning(const FleetSays *t, size_t child)
{
    return !is_running(t, child) && !is_failed(t, child);
}

/* Of a spec that cannot be read nothing is known that was not known before. */
static void say_nodes_again(FleetSays *t)
{
    if (conds_find(&t->status->conds, COND_NODES_READY))
        fleet_says_again(t, COND_NODES_READY);
    else
        fleet_says(t, "False", FLEET_REASON_NODES_INITIALIZING, "the nodes have not been counted");
}

static void say_nodes(FleetSays *t)
{
    if (!t->is_decided) {
        say_nodes_again(t);
        return;
    }
    long long ready = count_children(t, is_running), failed = count_children(t, is_failed);
    long long desired = t->fleet->spec.replicas;
    bool is_ready = ready >= desired;
    Reason reason = is_ready ? FLEET_REASON_NODES_READY
        : failed             ? FLEET_REASON_NODES_FAILED
                             : FLEET_REASON_NODES_INITIALIZING;

    fleet_says(t,
        is_ready ? "True" : "False",
        reason,
        str_format(t->a,
            "%lld/%lld nodes are Running, %lld failed, %lld pending or initializing",
            ready,
            desired,
            failed,
            (long long)count_children(t, is_beginning)));
}

void fleet_says_as_reference(FleetSays *t)
{
    say_plan(t);
    say_rollout(t);
    say_founding(t);
    say_nodes(t);
    say_networking(t);
}
