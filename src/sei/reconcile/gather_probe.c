/* The output of a failing probe, for condition Ready: asked for when the failure is reported, and
 * not again at rest. Without it the condition lacks the output and nothing else, so errors are
 * dropped: an installation of before may lack the permission to list Events. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/probe_output.h"
#include "sei/plan/pod_report.h"

enum {
    EVENTS_MAX = 50, /* kubelets write fewer than 40 about a pod in the hour that Events live */
    LIST_MS = 2000,
};

/* By UID and reason: Events of former pods of this name are not listed. */
static const char *find_output(NodePass *p, const char *container)
{
    const Json *pod = p->snapshot.pod, *events;
    Arena *a = p->c->arena;
    Request request = {
        .verb = VERB_LIST,
        .kind = kind_core_event,
        .key = {.namespace = p->node.key.namespace},
        .fields = str_format(a, "involvedObject.uid=%s,reason=Unhealthy", meta_uid(pod)),
        .limit = EVENTS_MAX,
        .deadline_ms = LIST_MS,
    };

    if (kube_call(p->c, &request, &events))
        return NULL;
    return probe_output_find(a, pod, container, json_find(events, ".items"));
}

static const char *ask(NodePass *p, const ProbeFailure *failure)
{
    App *app = p->app;
    int64_t now_ms = clock_mono_ms(p->c->clock);

    guard_enter(app->guard);
    probe_asks_begin(app->probe_asks, p->node.key, failure, now_ms);
    guard_leave(app->guard);
    const char *output = find_output(p, failure->container);
    guard_enter(app->guard);
    probe_asks_note(app->probe_asks, p->node.key, failure, output);
    ProbeAnswer then = probe_asks_find(app->probe_asks, p->c->arena, p->node.key, failure, now_ms);
    guard_leave(app->guard);
    look_again(p, then.ask_after_ms);
    return output;
}

/* Condition Ready is about the pod. */
static bool is_reported(const NodePass *p)
{
    const NodeStatus *status = &p->status;
    bool updates = status->has_plan && status->plan.phase == PLAN_ACTIVE
        && status->plan.kind == PLAN_NODE_UPDATE;

    return status->phase == PHASE_RUNNING && !updates && !p->node.spec.paused && !p->scaled_by_hand
        && !meta_deleting(p->snapshot.pod);
}

void gather_probe_output(NodePass *p)
{
    const char *container = plan_pod_report(p->c->arena, &p->snapshot).probed;
    const Json *pod = p->snapshot.pod;
    App *app = p->app;

    if (!container || !is_reported(p))
        return;
    ProbeFailure failure = {
        .pod_uid = meta_uid(pod),
        .container = container,
        .since_ms = probe_failing_since_ms(pod, container),
    };
    guard_enter(app->guard);
    ProbeAnswer known = probe_asks_find(
        app->probe_asks, p->c->arena, p->node.key, &failure, clock_mono_ms(p->c->clock));
    guard_leave(app->guard);
    p->snapshot.probe_output = known.output;
    if (!known.node_is_known) /* by an operator before this one, perhaps */
        p->snapshot.probe_output = plan_reported_output(p->c->arena, &p->snapshot);
    if (!known.node_is_known && p->snapshot.probe_output)
        return;
    const char *newest = known.ask_after_ms == 0 ? ask(p, &failure) : NULL;
    if (newest)
        p->snapshot.probe_output = newest;
    look_again(p, known.ask_after_ms);
}
