/* One reconcile of a SeiNode: gather, decide, hold, execute, say, store, tell. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/pod_report.h"
#include "sei/reconcile/node.h"
#include "sei/reconcile/volumes.h"
#include "sei/sidecar/seids.h"

TaskRun task_run_of(NodePass *p)
{
    return (TaskRun){
        .node = &p->node,
        .settings = p->app->settings,
        .wanted = &p->wanted,
        .status = &p->status,
        .sidecar = sidecars_port(p->app->sidecars),
        .credentials = p->app->credentials,
        .start_locks = p->app->start_locks,
        .peers = p->peers,
        .pod = p->snapshot.pod,
        .pod_is_edited = p->snapshot.hand_edit == EDIT_TEMPLATE,
        .hold_statefulset = p->decision.hold_statefulset,
        .stop_no_pod = p->decision.stop_no_pod,
        .volume_was_read = p->volume_was_read,
    };
}

/* --- what is stored, and when ------------------------------------------------------------------
 */

static bool is_active(const NodePass *p)
{
    return p->status.has_plan && p->status.plan.phase == PLAN_ACTIVE;
}

/* What may not be lost: a counted retry, and that a sidecar has ended a task when another one is
 * handed over next. Tasks whose completion the next reconcile finds out by looking need not be
 * stored one by one, and a hand-over can be repeated under its id. */
static bool task_must_be_stored(const PlannedTask *was, const PlannedTask *is, bool is_last)
{
    return was->retry_count != is->retry_count
        || (was->status != is->status
            && (task_type_is_stored_first(is->type)
                || (task_type_is_sidecar(is->type) && !is_last)));
}

/* A repair that has done its steps and awaits a sidecar: from here on it has a back-off. */
static bool has_come_to_wait(const Plan *was, const Plan *is)
{
    const PlannedTask *next = plan_next_task((Plan *)is), *before = plan_next_task((Plan *)was);

    return is->kind == PLAN_REPAIR && next && task_type_is_sidecar(next->type) && before
        && !task_type_is_sidecar(before->type);
}

static bool plan_must_be_stored(const NodePass *p)
{
    const Plan *was = &p->node.status.plan, *is = &p->status.plan;

    if (p->decision.plan_is_new || p->node.status.has_plan != p->status.has_plan)
        return true;
    if (!p->status.has_plan)
        return false;
    if (!str_eq(was->id, is->id) || was->phase != is->phase || was->task_count != is->task_count
        || has_come_to_wait(was, is))
        return true;
    for (size_t i = 0; i < is->task_count; i++)
        if (task_must_be_stored(&was->tasks[i], &is->tasks[i], i + 1 == is->task_count))
            return true;
    return false;
}

static bool was_told_as(const NodePass *p, const char *condition)
{
    const Cond *told = conds_find(&p->node.status.conds, condition);

    return told && str_eq(told->status, "True") && str_eq(told->message, p->exec.waiting);
}

/* It was told before, perhaps by an operator before this one. */
static bool was_told(const NodePass *p)
{
    return was_told_as(p, COND_RECONCILING) || was_told_as(p, COND_STALLED);
}

/* Whether a wait is to be told now; if not yet, looks again when it is. */
static bool is_wait_told(NodePass *p)
{
    App *app = p->app;

    guard_enter(app->guard);
    int64_t left = waits_note(app->waits, p->node.key, p->exec.waiting, clock_mono_ms(p->c->clock));
    guard_leave(app->guard);
    if (!p->exec.waiting)
        return false;
    if (was_told(p))
        return true;
    if (left && (!p->ret->again_after_ms || left < p->ret->again_after_ms))
        p->ret->again_after_ms = left;
    return !left || p->exec.waiting_is_error;
}

/* The status as it would be if the plan had not moved: what else has changed? */
static bool only_plan_moved(NodePass *p)
{
    NodeStatus *still = arena_new(p->c->arena, NodeStatus);
    const NodeStatus *was = &p->node.status;

    *still = p->status;
    still->plan = was->plan;
    if (is_active(p)) { /* found out again by looking */
        still->statefulset_name = was->statefulset_name;
        still->statefulset_uid = was->statefulset_uid;
        still->volume = was->volume;
        still->current_image = was->current_image;
        still->pod_template_hash = was->pod_template_hash;
        still->spec_hash = was->spec_hash;
    }
    return !json_merge_diff(
        p->c->arena, json_find(p->node.object, ".status"), node_status_encode(p->c->arena, still));
}

/* What is shown of a wait: the reason that it has, once that is told; until then the one that was
 * told last. */
static const char *shown_wait(const NodePass *p, bool told)
{
    const NodeStatus *was = &p->node.status;

    if (told || !p->exec.waiting)
        return p->exec.waiting;
    if (plan_must_be_stored(p))
        return NULL;
    return was->has_plan && str_eq(was->plan.id, p->status.plan.id) ? was->plan.waiting : NULL;
}

/* What it has written is no reason to look again. An update that waits does so for something else,
 * and counts as down whatever its conditions say. */
static bool is_content(NodePass *p)
{
    bool updates = is_active(p) && p->status.plan.kind == PLAN_NODE_UPDATE;

    return (updates && p->exec.waiting) || !node_is_news(p->c->arena, p->node.object, p->stored);
}

static Err *store(NodePass *p)
{
    bool told = is_wait_told(p), written;
    const char *waiting = shown_wait(p, told);

    if (p->status.has_plan)
        p->status.plan.waiting = waiting;
    NodeProgress progress = {
        .waiting = waiting,
        .reason = told ? p->exec.reason : NULL,
        .runs_on = runs_on_when_paused(p),
    };
    plan_conditions(p->c->arena, &p->snapshot, &p->decision, &progress, &p->status);
    p->status.observed_generation = p->node.generation;
    figures_state(&p->app->figures, &p->node, &p->status);
    if (!told && !plan_must_be_stored(p) && only_plan_moved(p))
        return OK;
    TRY(flush_status(p, &written));
    if (!written)
        return OK;
    p->ret->is_content = is_content(p);
    telling_changed(p->c, &p->app->figures, &p->node, &p->status);
    return OK;
}

/* --- what is done ------------------------------------------------------------------------------
 */

static bool may_execute(const NodePass *p)
{
    return is_active(p) && !p->decision.plan_is_new && !p->decision.frozen;
}

void look_again(NodePass *p, int64_t after_ms)
{
    if (after_ms > 0 && (!p->ret->again_after_ms || after_ms < p->ret->again_after_ms))
        p->ret->again_after_ms = after_ms;
}

/* A plan that waits for the pod says what the pod waits for. */
static void tell_pod_held_back(NodePass *p)
{
    const char *held_back = p->snapshot.pod_held_back;

    if (!held_back || !p->exec.waiting || p->exec.waiting_is_error)
        return;
    p->exec.waiting = str_format(p->c->arena, "%s; %s", p->exec.waiting, held_back);
    p->exec.reason = reason_text(REASON_POD_NOT_READY);
}

static Err *execute(NodePass *p)
{
    TaskRun run = task_run_of(p);

    if (!may_execute(p)) {
        if (!is_active(p))
            sidecar_rest(run.sidecar, p->node.key);
        return OK;
    }
    Err *err = exec_plan(p->c, &run, p->snapshot.now, &p->exec);
    if (p->exec.ended && p->status.plan.phase == PLAN_COMPLETE
        && plan_find_task(&p->status.plan, TASK_MARK_READY))
        p->snapshot.health = HEALTH_READY; /* the sidecar has just said so itself */
    look_again(p, p->exec.again_after_ms);
    tell_pod_held_back(p);
    return err;
}

/* An error of the keeping is shown where people look, and is no reason not to store the rest. */
static void show(NodePass *p, Err *err)
{
    if (!err || p->exec.waiting)
        return;
    p->exec.waiting = err_text(p->c->arena, err);
    p->exec.waiting_is_error = !err_is(err, ERR_WAIT);
    p->exec.reason = err_is(err, ERR_WAIT) ? err->reason : NULL;
}

/* A permit is given back when the caches have it that the node needs none any more: he who is
 * woken then looks into them. */
static void settle_permit(NodePass *p)
{
    SeiNode after = p->node;

    after.status = p->status;
    permits_settle(p->app->permits,
        p->app->guard,
        &(PermitStanding){
            .node = &p->node,
            .pod = p->snapshot.pod,
            .holds = permits_is_holder(&p->node) || permits_is_holder(&after),
            .waits = p->decision.wants_permit,
        });
}

/* Errors of keep_pause and keep_volume_policy are shown like a wait of the plan. A claim that
 * cannot be patched (a webhook denies it, say) is tried again, and blocks nothing else. */
static Err *move(NodePass *p)
{
    Err *policy_err = keep_volume_policy(p), *err = keep_pause(p);

    if (!err)
        err = execute(p);
    if (!err && !is_active(p) && !p->node.spec.paused)
        err = keep_pod_labels(p);
    if (!err)
        err = policy_err;
    show(p, err);
    look_again(p, p->decision.again_after_ms);
    look_again(p, p->decision.stall.look_again_ms);
    look_again(p, plan_pod_report(p->c->arena, &p->snapshot).look_again_ms);
    gather_probe_output(p);
    Err *not_stored = store(p);
    if (!not_stored)
        settle_permit(p);
    return err ? err : not_stored;
}

/* --- what cannot be done -----------------------------------------------------------------------
 */

/* What a person said about the data holds for a node that cannot be read, too. */
static Err *keep_policy_of_refused(NodePass *p)
{
    const char *recorded = p->node.status.volume.name;
    Key key = {
        .namespace = p->node.key.namespace,
        .name = recorded ? recorded : name_data_volume(p->c->arena, p->node.key.name),
    };

    TRY(kube_find(p->c, kind_pvc, key, &p->snapshot.volume));
    return keep_volume_policy(p);
}

static Err *find_refused_pod(NodePass *p)
{
    Key key = {
        .namespace = p->node.key.namespace,
        .name = name_pod(p->c->arena, p->node.key.name),
    };

    return kube_find(p->c, kind_pod, key, &p->snapshot.refused_pod);
}

/* Whether it runs: one that cannot be read is not stopped either, when it is to be paused. */
static Err *look_at_what_runs(NodePass *p)
{
    const char *job = name_bootstrap_job(p->c->arena, p->node.key.name);
    Key key = {.namespace = p->node.key.namespace, .name = job};

    TRY(find_refused_pod(p));
    TRY(kube_find(p->c, kind_statefulset, p->node.key, &p->snapshot.statefulset));
    return kube_find(p->c, kind_job, key, &p->snapshot.bootstrap_job);
}

/* A refused node needs no permit. Whether it serves is judged by its pod, as for any node. */
static void leave_line(NodePass *p)
{
    p->snapshot.pod = p->snapshot.refused_pod;
    settle_permit(p);
}

/* A spec that cannot be read or carried out: said where people look. */
static Err *refuse(NodePass *p, const Err *why)
{
    Err *err = keep_policy_of_refused(p);

    p->decision = (NodeDecision){
        .status = p->node.status,
        .stall =
            {
                .is_set = true,
                .reason = REASON_INVALID_SPEC,
                .message = err_text(p->c->arena, why),
            },
    };
    p->status = p->decision.status;
    p->snapshot.node = &p->node;
    p->snapshot.settings = p->app->settings;
    p->snapshot.now = now_text(p->c);
    p->snapshot.now_ms = clock_wall_ms(p->c->clock);
    TRY(look_at_what_runs(p));
    Err *not_stored = store(p);
    if (!not_stored)
        leave_line(p);
    return err ? err : not_stored;
}

/* --- from key to node --------------------------------------------------------------------------
 */

static void forget(App *app, Key key)
{
    forget_peer(app, key, clock_mono_ms(app->clock));
    sidecar_forget(sidecars_port(app->sidecars), key);
    seids_forget(app->seids, key);
    permits_forget(app->permits, app->guard, key);
    guard_enter(app->guard);
    waits_note(app->waits, key, NULL, 0);
    edits_forget(app->edits, key);
    probe_asks_forget(app->probe_asks, key);
    renderings_forget(app->renderings, key);
    guard_leave(app->guard);
    figures_gone(&app->figures, key);
}

/* The finalizer first: nothing is made for a node that could vanish without us. */
static Err *ensure_finalizer(NodePass *p)
{
    const Json *patch = meta_add_finalizer_patch(p->c->arena, p->node.object, NODE_FINALIZER);
    const Json *changed;

    if (!patch)
        return OK;
    TRY(kube_json_patch(p->c, kind_seinode, p->node.key, patch, &changed));
    return node_decode(p->c->arena, changed, &p->node);
}

static Err *reconcile_object(NodePass *p, const Json *object)
{
    Err *unreadable = node_decode(p->c->arena, object, &p->node);

    TRY(note_start(p->c, meta_key(object), object));
    if (p->node.deleting) {
        forget_peer(p->app, p->node.key, clock_mono_ms(p->c->clock));
        return delete_node(p);
    }
    if (unreadable)
        return refuse(p, unreadable);
    TRY(ensure_finalizer(p));
    Err *err = gather_node(p);
    if (!err)
        err = decide_node(p);
    if (err_is(err, ERR_TERMINAL))
        return refuse(p, err);
    TRY(err);
    return move(p);
}

static NodePass *begin_pass(Ctx *c, Reconciled *ret)
{
    NodePass *p = arena_new(c->arena, NodePass);

    p->c = c;
    p->app = c->app;
    p->ret = ret;
    return p;
}

/* A plan is carried out as soon as it is stored, on the node as the server has stored it: that need
 * not come back through the watch first. */
static Err *reconcile_key(Ctx *c, Key key, Reconciled *ret)
{
    NodePass *p = begin_pass(c, ret);
    const Json *object;

    TRY(kube_find(c, kind_seinode, key, &object));
    if (!object) {
        forget(p->app, key);
        return note_start(c, key, NULL);
    }
    TRY(reconcile_object(p, object));
    if (!p->decision.plan_is_new || !p->stored)
        return OK;
    return reconcile_object(begin_pass(c, ret), p->stored);
}

Err *node_reconcile(Ctx *c, Key key, Reconciled *ret)
{
    App *app = c->app;
    Err *err = reconcile_key(c, key, ret);

    figures_reconciled(&app->figures, err);
    return err;
}
