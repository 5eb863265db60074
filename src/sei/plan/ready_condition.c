/* Condition Ready of a node: whether it does its work, and if not, why. */
#include "sei/plan/node_report.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/pod_trouble.h"
#include "sei/plan/chain_check.h"

static void not_ready(NodeReport *t, Reason reason, const char *message)
{
    node_report_set(t, COND_READY, "False", reason, message);
}

/* What the node does, and why its pod is in the way of that once the wait for it is reported. */
static const char *with_trouble(const NodeReport *t, const char *text)
{
    const char *waiting = t->progress->waiting;
    const Cond *before = conds_find(&t->node->status.conds, COND_READY);

    if (!waiting)
        return text;
    if (pod_trouble(t->a, t->pod))
        return str_format(t->a, "%s: %s", text, t->pod_report.message);
    /* The kubelet tries again: that alone is no news. */
    return before && str_has_prefix(before->message, str_format(t->a, "%s: pod ", text))
            && str_eq(waiting, t->node->status.plan.waiting)
        ? before->message
        : text;
}

static bool volume_is_in_use(const NodeReport *t)
{
    return str_eq(t->progress->reason, reason_text(REASON_VOLUME_IN_USE));
}

static void tell_volume_in_use(NodeReport *t)
{
    not_ready(t, REASON_VOLUME_IN_USE, t->progress->waiting ? t->progress->waiting : "");
}

static bool tells_why_not_started(const Cond *ready)
{
    static const Reason reasons[] = {REASON_INITIALIZING,
        REASON_UPDATING,
        REASON_POD_NOT_READY,
        REASON_SIDECAR_NOT_READY,
        REASON_CHAIN_UNVERIFIED};

    for (size_t i = 0; ready && i < sizeof reasons / sizeof reasons[0]; i++)
        if (str_eq(ready->reason, reason_text(reasons[i])))
            return true;
    return false;
}

/* The answer of seid is mostly known before its pod is Ready. Until it is, or seid fails to give
 * one, the condition stays as it is, which saves a write. */
static void tell_chain_unverified(NodeReport *t)
{
    const char *trouble = t->s->seid_trouble;

    if (!trouble && tells_why_not_started(conds_find(&t->status->conds, COND_READY)))
        node_report_keep(t, COND_READY);
    else
        not_ready(t,
            REASON_CHAIN_UNVERIFIED,
            str_format(t->a,
                "pod %s is Ready, but the operator does not know yet which chain its seid runs: "
                "GET /status on port 26657: %s. Allow the operator to connect to that port (see "
                "NetworkPolicies), or start it with --chain-facts=false",
                meta_name(t->pod),
                trouble ? trouble : "no answer yet"));
}

static void tell_available(NodeReport *t)
{
    node_report_set(t, COND_READY, "True", REASON_AVAILABLE, "the pod is Ready");
    t->status->identity.chain_unverified = false;
}

static void tell_ready_of_running(NodeReport *t)
{
    bool serves = pod_is_ready(t->pod) && t->s->health != HEALTH_NOT_READY;

    if (t->s->scaled_by_hand)
        not_ready(t,
            REASON_SCALED_BY_HAND,
            "somebody scaled the StatefulSet to 0, perhaps for a job on the volume; pause and "
            "unpause the node: it starts when nobody has the volume (scaling it back yourself does "
            "not wait for that)");
    else if (volume_is_in_use(t))
        tell_volume_in_use(t);
    else if (node_report_is_updating(t))
        not_ready(t, REASON_UPDATING, with_trouble(t, "an update replaces the pod"));
    else if (serves && !plan_awaits_chain(t->s, &t->status->identity))
        tell_available(t);
    else if (node_report_is_stopped(t))
        not_ready(t, REASON_STALLED, "see the condition Stalled");
    else if (!pod_is_ready(t->pod))
        not_ready(t, REASON_POD_NOT_READY, t->pod_report.message);
    else if (serves)
        tell_chain_unverified(t);
    else
        not_ready(t, REASON_SIDECAR_NOT_READY, "the sidecar waits for mark-ready");
}

void node_report_ready(NodeReport *t)
{
    if (node_report_is_held(t) && t->node->in_maintenance)
        not_ready(t, REASON_PAUSED, maintenance_message(t->a, &t->node->maintenance));
    else if (node_report_is_held(t))
        not_ready(t, REASON_PAUSED, "spec.paused is true");
    else if (t->status->phase == PHASE_FAILED)
        not_ready(t, REASON_FAILED, "setting the node up failed");
    else if (t->status->phase == PHASE_RUNNING)
        tell_ready_of_running(t);
    else if (node_report_is_stopped(t))
        not_ready(t, REASON_STALLED, "see the condition Stalled");
    else if (volume_is_in_use(t))
        tell_volume_in_use(t);
    else
        not_ready(t, REASON_INITIALIZING, with_trouble(t, "the node is being set up"));
}
