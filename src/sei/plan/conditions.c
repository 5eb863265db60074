/* Conditions: what is said about a node, all of it, at every write. Tools read Ready, Reconciling
 * and Stalled (kstatus): they never come out as Current while something is left to do. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/batch.h"
#include "sei/plan/node_plan.h"
#include "sei/plan/node_report.h"
#include "sei/plan/parts.h"

void node_report_set(
    NodeReport *t, const char *type, const char *status, Reason reason, const char *message)
{
    const Cond cond = {
        .type = type,
        .status = status,
        .reason = reason_text(reason),
        .message = message,
        .observed_generation = t->node->generation,
    };
    conds_set(t->a, &t->status->conds, &cond, t->s->now);
}

void node_report_keep(NodeReport *t, const char *type)
{
    conds_keep(t->a, &t->status->conds, type, t->node->generation, t->s->now);
}

/* A task met an object of our name that is somebody else's: it lacks our label, so no cache had it.
 */
static bool meets_foreign(const NodeReport *t)
{
    return str_eq(t->progress->reason, reason_text(REASON_FOREIGN_OBJECT));
}

/* A task would have started a pod that signs, and somebody else has its key. */
static bool meets_signer(const NodeReport *t)
{
    return str_eq(t->progress->reason, reason_text(REASON_SIGNING_KEY_IN_USE));
}

/* The operator itself does not go on. */
bool node_report_is_stopped(const NodeReport *t)
{
    return t->d->stall.is_set || t->status->phase == PHASE_FAILED || meets_foreign(t)
        || meets_signer(t);
}

static bool is_moving(const NodeReport *t)
{
    return plan_is_active(t->status) && !t->d->frozen;
}

bool node_report_is_held(const NodeReport *t)
{
    return t->node->spec.paused && !t->progress->runs_on;
}

/* The pod does not start before a person has acted. One that the plan is about to replace may. */
static bool needs_pod_repair(const NodeReport *t)
{
    bool is_replaced = is_moving(t) && t->match == POD_STALE;

    return t->pod_report.stall != REASON_COUNT && !node_report_is_held(t) && !t->s->scaled_by_hand
        && !is_replaced;
}

static const Cond *find_missing_secret(const NodeReport *t)
{
    return is_moving(t) ? plan_missing_secret(t->s, t->status) : NULL;
}

static bool is_stalled(const NodeReport *t)
{
    return node_report_is_stopped(t) || needs_pod_repair(t) || find_missing_secret(t);
}

/* The pod is about to be replaced, or is being: from here on until the plan has ended. */
bool node_report_is_updating(const NodeReport *t)
{
    return is_moving(t) && t->status->plan.kind == PLAN_NODE_UPDATE;
}

/* --- Paused, SidecarReady --- */

#define TO_BE_STOPPED "the node is to be paused, and runs on until its pod can be stopped"

static const char *not_held_text(const NodeReport *t)
{
    if (t->d->stall.is_set)
        return str_format(t->a, "%s: %s", TO_BE_STOPPED, t->d->stall.message);
    return t->progress->waiting ? str_format(t->a, "%s: %s", TO_BE_STOPPED, t->progress->waiting)
                                : TO_BE_STOPPED;
}

static void tell_paused(NodeReport *t)
{
    if (t->node->spec.paused && !node_report_is_held(t))
        node_report_set(t, COND_PAUSED, "False", REASON_NOT_HELD, not_held_text(t));
    else if (t->node->in_maintenance)
        node_report_set(t,
            COND_PAUSED,
            "True",
            REASON_MAINTENANCE,
            maintenance_message(t->a, &t->node->maintenance));
    else if (t->node->spec.paused)
        node_report_set(
            t, COND_PAUSED, "True", REASON_IS_PAUSED, "spec.paused is true, reconciliation frozen");
    else
        node_report_set(t, COND_PAUSED, "False", REASON_NOT_PAUSED, "spec.paused unset or false");
}

static void tell_sidecar(NodeReport *t)
{
    const char *trouble = t->s->health_message ? t->s->health_message : "no answer";
    bool is_asked = t->status->phase == PHASE_RUNNING && !t->node->spec.paused;
    /* A new pod's sidecar waits for mark-ready, which is a task of the update. */
    SidecarHealth health = is_asked && !node_report_is_updating(t) ? t->s->health : HEALTH_UNKNOWN;

    switch (health) {
    case HEALTH_READY:
        node_report_set(
            t, COND_SIDECAR_READY, "True", REASON_SIDECAR_READY, "the sidecar returned 200");
        return;
    case HEALTH_NOT_READY:
        node_report_set(t,
            COND_SIDECAR_READY,
            "False",
            REASON_SIDECAR_UNREADY,
            "the sidecar returned 503, mark-ready will be re-issued");
        return;
    case HEALTH_UNREACHABLE:
        node_report_set(t,
            COND_SIDECAR_READY,
            "Unknown",
            REASON_SIDECAR_UNREACHABLE,
            str_format(t->a, "sidecar Healthz error: %s", trouble));
        return;
    default:
        break;
    }
    if (conds_find(&t->status->conds, COND_SIDECAR_READY))
        node_report_keep(t, COND_SIDECAR_READY);
    else
        node_report_set(t,
            COND_SIDECAR_READY,
            "Unknown",
            REASON_SIDECAR_UNASKED,
            "the sidecar has not been asked yet");
}

/* --- what drifts --- */

static bool spec_has_moved(const NodeReport *t)
{
    return plan_spec_has_moved(t->node, t->status, node_spec_hash(t->a, t->node));
}

/* What waits for its turn as a change of the operator does may be the spec all the same: of a node
 * whose fleet has gone before its turn there. */
static bool platform_drifts(const NodeReport *t)
{
    const char *cause = t->status->drift.cause;

    return (cause ? str_eq(cause, "platform") : t->node->status.spec_hash != NULL)
        && !spec_has_moved(t);
}

/* --- NodeUpdateInProgress --- */

static const char *failed_text(Arena *a, const Plan *plan)
{
    const PlannedTask *task = plan->failed_index >= 0 ? &plan->tasks[plan->failed_index] : NULL;
    long long retries = task ? task->retry_count : 0;

    return str_format(a,
        "plan %s failed: task %s: %s%s",
        plan->id,
        task ? task->spelling : "unknown",
        task && task->error ? task->error : "unknown",
        retries ? str_format(a, " (after %lld retries)", retries) : "");
}

static void tell_update_of_plan(NodeReport *t, const Plan *plan)
{
    switch (plan->phase) {
    case PLAN_ACTIVE:
        node_report_set(t,
            COND_NODE_UPDATE,
            "True",
            REASON_UPDATE_STARTED,
            str_format(t->a,
                "%s drift: %s",
                platform_drifts(t) ? "platform" : "spec",
                plan_drift_text(t->a, &t->status->drift)));
        return;
    case PLAN_COMPLETE:
        node_report_set(t,
            COND_NODE_UPDATE,
            "False",
            REASON_UPDATE_COMPLETE,
            str_format(t->a, "plan %s completed", plan->id));
        return;
    default:
        node_report_set(
            t, COND_NODE_UPDATE, "False", REASON_UPDATE_FAILED, failed_text(t->a, plan));
    }
}

/* No update is at hand; the last one may have been ended by something else than itself. */
static void tell_update_of_history(NodeReport *t)
{
    const PlanHistory *history = &t->status->history;
    const PlanEnded *last = NULL;

    for (size_t i = 0; i < history->count; i++)
        if (str_eq(history->items[i].kind, plan_kind_text(PLAN_NODE_UPDATE)))
            last = &history->items[i];
    if (!conds_is_true(&t->status->conds, COND_NODE_UPDATE)
        || (t->drifts && !node_report_is_stopped(t)))
        node_report_keep(t, COND_NODE_UPDATE);
    else if (last && str_eq(last->result, "Failed"))
        node_report_set(
            t, COND_NODE_UPDATE, "False", REASON_UPDATE_FAILED, last->message ? last->message : "");
    else
        node_report_set(t,
            COND_NODE_UPDATE,
            "False",
            REASON_UPDATE_COMPLETE,
            str_format(t->a, "plan %s ended: nothing is left to update", last ? last->id : ""));
}

static void tell_update(NodeReport *t)
{
    if (t->status->has_plan && t->status->plan.kind == PLAN_NODE_UPDATE)
        tell_update_of_plan(t, &t->status->plan);
    else if (!conds_find(&t->status->conds, COND_NODE_UPDATE))
        node_report_set(
            t, COND_NODE_UPDATE, "False", REASON_NOT_STARTED, "no update has been needed yet");
    else
        tell_update_of_history(t);
}

/* --- UpToDate --- */

#define OF_ANOTHER                                                                                 \
    "the fleet of the node did not write its spec, and brings it to its own template in its turn"

/* Of a node that was refused a permit. */
static const char *turn_text(const NodeReport *t)
{
    return t->s->permit_wait ? str_format(t->a, "waits for its turn: %s", t->s->permit_wait)
                             : "waits for its turn";
}

static void tell_drift(NodeReport *t)
{
    const char *fields = plan_drift_text(t->a, &t->status->drift);

    if (!*fields)
        fields = "the pod was made from another template";
    if (t->d->awaits_fleet) {
        node_report_set(t,
            COND_UP_TO_DATE,
            "False",
            REASON_AWAITS_FLEET,
            str_format(t->a, "%s: %s", OF_ANOTHER, fields));
        return;
    }
    node_report_set(t,
        COND_UP_TO_DATE,
        "False",
        platform_drifts(t) ? REASON_PLATFORM_DRIFT : REASON_SPEC_DRIFT,
        t->d->wants_permit ? str_format(t->a, "%s; %s", turn_text(t), fields) : fields);
}

static bool config_drifts(const NodeReport *t)
{
    return t->status->phase == PHASE_RUNNING
        && !str_eq(t->status->setup_hash, node_setup_hash(t->a, t->node));
}

static void tell_up_to_date(NodeReport *t)
{
    const Drift *drift = &t->status->drift;

    if (t->status->phase != PHASE_RUNNING)
        node_report_set(
            t, COND_UP_TO_DATE, "Unknown", REASON_UNKNOWN_YET, "the node does not run yet");
    else if (t->drifts || node_report_is_updating(t) || t->d->awaits_fleet)
        tell_drift(t);
    else if (t->match == POD_MISSING)
        node_report_set(
            t, COND_UP_TO_DATE, "Unknown", REASON_UNKNOWN_YET, "there is no pod to look at");
    else if (t->match == POD_ADOPTED && drift->count)
        node_report_set(t,
            COND_UP_TO_DATE,
            "False",
            REASON_ADOPTED_DRIFT,
            str_format(t->a,
                "the pod was made by another operator and is left alone; an eviction would pick "
                "up: %s",
                plan_drift_text(t->a, drift)));
    else if (config_drifts(t))
        node_report_set(t,
            COND_UP_TO_DATE,
            "False",
            REASON_CONFIG_DRIFT,
            "fields that only a set-up reads (overrides, peers, snapshot, external address, "
            "genesis "
            "ceremony) were edited: they take effect when the node is set up anew");
    else if (t->s->foreign_fields)
        node_report_set(t, COND_UP_TO_DATE, "False", REASON_FOREIGN_FIELDS, t->s->foreign_fields);
    else
        node_report_set(
            t, COND_UP_TO_DATE, "True", REASON_UP_TO_DATE, "the pod is made from what is wanted");
}

/* --- Stalled, Reconciling --- */

/* What a person must do about a failed set-up. */
static const char *failed_advice(const NodeReport *t)
{
    const Plan *plan = t->status->has_plan ? &t->status->plan : NULL;

    if (plan && plan_failed_at(plan, TASK_GENERATE_GENTX))
        return "the sidecar cannot repeat generate-gentx on the same data volume: reset the data "
               "of the node and then set the annotation " ANNOTATION_RETRY
               " to a new value, or delete the SeiNode with its volume and create it again";
    if (plan && plan_failed_by_secret(plan))
        return "correct the Secret, then set the annotation " ANNOTATION_RETRY " to a new value";
    return "correct the spec, or set the annotation " ANNOTATION_RETRY " to a new value";
}

static void tell_stalled(NodeReport *t)
{
    const NodeStall *stall = &t->d->stall;

    if (stall->is_set)
        node_report_set(t, COND_STALLED, "True", stall->reason, stall->message);
    else if (t->status->phase == PHASE_FAILED)
        node_report_set(t,
            COND_STALLED,
            "True",
            REASON_PLAN_FAILED,
            str_format(t->a,
                "%s; %s",
                t->status->has_plan ? failed_text(t->a, &t->status->plan)
                                    : "setting the node up failed",
                failed_advice(t)));
    else if (meets_foreign(t) || meets_signer(t))
        node_report_set(t,
            COND_STALLED,
            "True",
            meets_signer(t) ? REASON_SIGNING_KEY_IN_USE : REASON_FOREIGN_OBJECT,
            t->progress->waiting ? t->progress->waiting : "");
    else if (needs_pod_repair(t))
        node_report_set(t, COND_STALLED, "True", t->pod_report.stall, t->pod_report.message);
    else if (find_missing_secret(t))
        node_report_set(
            t, COND_STALLED, "True", REASON_SECRET_MISSING, find_missing_secret(t)->message);
    else
        node_report_set(t, COND_STALLED, "False", REASON_NOT_STALLED, "nothing needs a person");
}

static const char *progress_text(NodeReport *t)
{
    const Plan *plan = &t->status->plan;

    if (t->progress->waiting)
        return t->progress->waiting;
    if (t->d->awaits_fleet)
        return OF_ANOTHER;
    if (!is_moving(t))
        return t->d->wants_permit
            ? str_format(t->a,
                  "%s, and the node %s",
                  platform_drifts(t)
                      ? "the operator or its settings changed"
                      : "its fleet is gone, and its pod does not have what it asks for",
                  turn_text(t))
            : "the last update failed and is tried again by itself, see NodeUpdateInProgress";
    return str_format(t->a,
        "plan %s is being carried out, because of: %s",
        plan_kind_text(plan->kind),
        plan->cause ? plan->cause : "not recorded");
}

/* Drift that nobody holds back is rolled sooner or later. */
static bool will_move(const NodeReport *t)
{
    return (t->drifts || t->d->awaits_fleet) && t->status->phase == PHASE_RUNNING
        && !t->s->scaled_by_hand;
}

/* Not now, or a plan would be at hand: the last ones failed, or did not help. */
static bool approval_waits(const NodeReport *t)
{
    return t->status->phase == PHASE_RUNNING && t->s->health == HEALTH_NOT_READY && t->pod;
}

static void tell_reconciling(NodeReport *t)
{
    if (is_stalled(t))
        node_report_set(t, COND_RECONCILING, "False", REASON_SETTLED, "see the condition Stalled");
    else if (node_report_is_held(t))
        node_report_set(t, COND_RECONCILING, "False", REASON_SETTLED, "the node is paused");
    else if (t->progress->runs_on)
        node_report_set(t, COND_RECONCILING, "True", REASON_PROGRESSING, not_held_text(t));
    else if (is_moving(t) || will_move(t))
        node_report_set(t,
            COND_RECONCILING,
            "True",
            str_eq(t->progress->reason, reason_text(REASON_TASK_OVERDUE)) ? REASON_TASK_OVERDUE
                                                                          : REASON_PROGRESSING,
            progress_text(t));
    else if (t->progress->waiting)
        node_report_set(t, COND_RECONCILING, "True", REASON_PROGRESSING, t->progress->waiting);
    else if (t->d->repair_waits)
        node_report_set(t,
            COND_RECONCILING,
            "True",
            REASON_PROGRESSING,
            "the last repair failed and is tried again by itself, see status.history");
    else if (approval_waits(t))
        node_report_set(t,
            COND_RECONCILING,
            "True",
            REASON_PROGRESSING,
            "the sidecar waits for mark-ready, which is issued again by itself, see "
            "status.history");
    else
        node_report_set(t, COND_RECONCILING, "False", REASON_SETTLED, "nothing is left to do");
}

/* --- all of them --- */

/* A node that has come to Running records what it is from now on. */
static void record_identity(NodeReport *t)
{
    NodeStatus *status = t->status;
    bool was_running = t->node->status.phase == PHASE_RUNNING;

    if (status->phase != PHASE_RUNNING || !t->s->wanted)
        return;
    if (!status->identity.chain_id)
        status->identity =
            (NodeIdentity){.chain_id = t->node->spec.chain_id, .mode = t->node->spec.mode};
    if (!was_running && plan_is_active(&t->node->status) && t->node->status.plan.kind == PLAN_INIT)
        status->identity.chain_unverified = t->s->settings->chain_facts;
    if (!was_running || !status->setup_hash)
        status->setup_hash = node_setup_hash(t->a, t->node);
}

/* The operator itself stops the pod, or a person does. */
static bool is_stopped_on_purpose(const NodeReport *t)
{
    return node_report_is_updating(t) || node_report_is_held(t);
}

/* Records how seid is while condition Ready does not say it, from the first time that seid was
 * Ready. Not recorded: that an update or a pause stops the pod, see batch_node.c. */
static void record_seid(NodeReport *t)
{
    const NodeSeid *stored = &t->node->status.seid;
    const Json *pod = t->s->refused_pod ? t->s->refused_pod : t->s->pod;
    bool is_ready = pod_seid_is_ready(pod);
    bool pod_was_up = batch_node_was_ready(t->node) || pod_was_ready(pod);
    bool was_ready = stored->since ? stored->is_ready : pod_was_up;
    bool ready_says_it = conds_is_true(&t->status->conds, COND_READY);
    NodeSeid *seid = &t->status->seid;

    *seid = ready_says_it ? (NodeSeid){0} : *stored;
    if (ready_says_it || (!stored->since && !is_ready && !was_ready))
        return;
    if (was_ready && !is_ready && is_stopped_on_purpose(t))
        is_ready = true;
    if (!stored->since || stored->is_ready != is_ready)
        *seid = (NodeSeid){.is_ready = is_ready, .since = t->s->now};
}

/* Drift is told until the pod is what is wanted. */
static void forget_drift(NodeReport *t)
{
    bool updates = plan_is_active(t->status) && t->status->plan.kind == PLAN_NODE_UPDATE;

    if (t->match == POD_CURRENT && !t->drifts && !updates)
        t->status->drift = (Drift){0};
}

void plan_conditions(Arena *a, const NodeSnapshot *snapshot, const NodeDecision *decision,
    const NodeProgress *progress, NodeStatus *status)
{
    NodeReport t = {
        .a = a,
        .s = snapshot,
        .d = decision,
        .progress = progress,
        .status = status,
        .node = snapshot->node,
        .pod = meta_deleting(snapshot->pod) ? NULL : snapshot->pod,
        .match = plan_pod_match(snapshot),
        .pod_report = plan_pod_report(a, snapshot),
    };

    t.drifts = t.match != POD_MISSING && plan_has_drift(t.node, status, t.match);
    status->observed_generation = t.node->generation;
    record_identity(&t);
    forget_drift(&t);
    node_report_ready(&t);
    record_seid(&t);
    tell_reconciling(&t);
    tell_stalled(&t);
    tell_up_to_date(&t);
    tell_paused(&t);
    tell_update(&t);
    tell_sidecar(&t);
    if (!t.node->spec.import_claim)
        conds_remove(&status->conds, COND_IMPORT_READY);
    status->state = condition_state(&status->conds);
}
