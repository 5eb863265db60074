/* A ceremony is carried out: the tasks of its plan that the planner cannot do by looking. */
#include "base/str.h"
#include "sei/reconcile/fleet_parts.h"

static bool is_under_way(const FleetPass *p)
{
    const FleetStatus *status = &p->decision.status;

    return status->has_plan && status->plan.kind == PLAN_GENESIS
        && status->plan.phase == PLAN_ACTIVE && !p->fleet.spec.paused && !p->decision.stall;
}

/* What stalls a ceremony is said of its own condition, too. */
static void say(FleetPass *p)
{
    const FleetDecision *d = &p->decision;
    bool is_invalid = d->stall_reason == FLEET_REASON_INVALID_SPEC;

    if (!d->stall || !(is_invalid || d->stall_reason == FLEET_REASON_CEREMONY_FAILED))
        return;
    p->progress.founding = (FleetSaying){
        .status = "False",
        .reason = is_invalid ? FLEET_REASON_CEREMONY_INVALID : FLEET_REASON_CEREMONY_ENDED,
        .message = d->stall,
    };
}

static void gather_founders(FleetPass *p, TaskFleet *ret)
{
    *ret = (TaskFleet){.fleet = &p->fleet};
    for (size_t i = 0; i < p->snapshot.count; i++)
        if (p->children[i].health.ordinal < p->fleet.spec.replicas
            && !p->children[i].health.leaving)
            ret->nodes[ret->count++] = p->children[i].node;
}

/* The hash is given by the run that did the work, and by no other. */
static void note_genesis(FleetPass *p, const TaskRun *run)
{
    const Json *result = NULL;
    Err *unreadable = run->result ? json_parse(p->c->arena, bytes_of(run->result), &result) : OK;
    const char *hash = unreadable ? NULL : json_str(result, ".genesisHash");

    p->must_store = true;
    if (!str_empty(hash))
        p->decision.status.genesis_hash = hash;
}

static void show(FleetPass *p, const ExecResult *result)
{
    Plan *plan = &p->decision.status.plan;

    plan->waiting = result->waiting;
    p->must_store = p->must_store || result->must_store;
    fleet_look_again(p, result->again_after_ms);
    if (!result->waiting || p->progress.waiting)
        return;
    p->progress.waiting = result->waiting;
    p->progress.waiting_is_error = result->waiting_is_error;
    p->progress.reason = result->reason;
}

Err *carry_out_founding(FleetPass *p)
{
    Plan *plan = &p->decision.status.plan;
    PlannedTask *task = plan_next_task(plan);
    TaskFleet fleet;
    ExecResult result = {0};

    say(p);
    if (!is_under_way(p) || !task)
        return OK;
    if (task->type == TASK_AWAIT_NODES_RUNNING) {
        show(p, &(ExecResult){.waiting = plan->waiting});
        return OK;
    }
    gather_founders(p, &fleet);
    if ((int64_t)fleet.count < p->fleet.spec.replicas) {
        show(p, &(ExecResult){.waiting = "a node is gone, and is being made again"});
        return OK;
    }
    TaskRun run = {
        .node = fleet.nodes[0],
        .fleet = &fleet,
        .settings = p->app->settings,
        .status = arena_new(p->c->arena, NodeStatus), /* the plan is not the node's */
        .task = task,
        .sidecar = sidecars_port(p->app->sidecars),
        .credentials = p->app->credentials,
    };
    Err *err = exec_task(p->c, &run, p->snapshot.now, &result);
    show(p, &result);
    if (task->status == TASK_COMPLETE && task->type == TASK_ASSEMBLE_GENESIS)
        note_genesis(p, &run);
    return err;
}
