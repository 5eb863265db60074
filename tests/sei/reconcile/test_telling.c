/* What is heard of a node: a line of the log for each transition, an event for some, and nothing
 * for what stays as it is. */
#include "sei/reconcile/telling.h"

#include "sei/api/condition.h"
#include "sei/reconcile/parts.h"
#include "tests/sei/diary.h"

#define INIT "plan: {id: 'p1', kind: 'init', cause: 'new', phase: 'Active', tasks: []}"
#define UPDATING                                                                                   \
    "plan: {id: 'p2', kind: 'node-update', cause: 'spec', phase: 'Active', tasks: []}, "
#define ENDED(r) "{id: 'p1', kind: 'init', result: '" r "', message: 'config-apply: disk full'}"
#define IS(type, status, reason)                                                                   \
    "conditions: [{type: '" type "', status: '" status "', reason: '" reason "', message: 'm'}]"

/* `was` and `now` are the insides of two statuses; `told` is the events, each a line of the log,
 * too, and `noted` what is a line alone. */
static const struct {
    const char *name, *was, *now, *told, *noted;
} transitions[] = {
    {"a phase",
        "phase: 'Initializing'",
        "phase: 'Running'",
        "Normal PhaseTransition: Phase changed from Initializing to Running"},
    {"the first phase", "", "phase: 'Pending'", "Normal PhaseTransition: Phase set to Pending"},
    {"the end",
        "phase: 'Running'",
        "phase: 'Terminating'",
        NULL,
        "Normal PhaseTransition: Phase changed from Running to Terminating"},
    {"the reconcile that fails",
        "phase: 'Initializing', " INIT,
        "phase: 'Failed', history: [" ENDED("Failed") "], " IS("Stalled", "True", "PlanFailed"),
        "Normal PhaseTransition: Phase changed from Initializing to Failed\n"
        "Warning NodeFailed: Setting up failed: config-apply: disk full. Correct the spec, or set "
        "the annotation sei.io/retry to a new value to try again\n"
        "Warning PlanFailed: Plan init: config-apply: disk full"},
    {"the reconcile that fails because of a Secret",
        "phase: 'Initializing', " INIT,
        "phase: 'Failed', history: [" ENDED(
            "Failed") "], plan: {id: 'p1', kind: 'init', phase: "
                      "'Failed', failedTaskIndex: 0, tasks: [{type: 'validate-node-key', id: 't', "
                      "status: "
                      "'Failed', error: 'x'}]}, " IS("Stalled", "True", "PlanFailed"),
        "Normal PhaseTransition: Phase changed from Initializing to Failed\n"
        "Warning NodeFailed: Setting up failed: config-apply: disk full. Correct the Secret, then "
        "set the annotation sei.io/retry to a new value to try again\n"
        "Warning PlanFailed: Plan init: config-apply: disk full"},
    {"a node that has failed",
        "phase: 'Failed', history: [" ENDED("Failed") "]",
        "phase: 'Failed', history: [" ENDED("Failed") "]",
        NULL},
    {"a new plan",
        "phase: 'Pending'",
        "phase: 'Pending', " INIT,
        "Normal PlanStarted: Plan init started, to set the node up"},
    {"a plan to repair",
        "",
        "plan: {id: 'p2', kind: 'repair', cause: 'Service missing', phase: 'Active', tasks: []}",
        "Normal PlanStarted: Plan repair started, because of: Service missing"},
    {"a plan to update",
        "",
        "plan: {id: 'p2', kind: 'node-update', cause: 'spec', phase: 'Active', tasks: []}, " IS(
            "NodeUpdateInProgress", "True", "UpdateStarted"),
        "Normal PlanStarted: Plan node-update started, m"},
    {"a plan as before", INIT, INIT, NULL},
    {"a plan that completed",
        INIT,
        "history: [{id: 'p1', kind: 'init', result: 'Complete'}]",
        "Normal PlanComplete: Plan init"},
    {"a plan that was superseded",
        INIT,
        "history: [" ENDED("Superseded") "]",
        "Normal PlanSuperseded: Plan init: config-apply: disk full"},
    {"a stall", "", IS("Stalled", "True", "InvalidSpec"), "Warning InvalidSpec: m"},
    {"the same stall",
        IS("Stalled", "True", "InvalidSpec"),
        IS("Stalled", "True", "InvalidSpec"),
        NULL},
    {"another stall",
        IS("Stalled", "True", "InvalidSpec"),
        IS("Stalled", "True", "ForeignObject"),
        "Warning ForeignObject: m"},
    {"a crash loop", "", IS("Stalled", "True", "CrashLoop"), "Warning CrashLoop: m"},
    {"the same crash loop after more restarts",
        "conditions: [{type: 'Stalled', status: 'True', reason: 'CrashLoop', message: 'n'}]",
        IS("Stalled", "True", "CrashLoop"),
        NULL},
    {"a stall that is over",
        IS("Stalled", "True", "InvalidSpec"),
        IS("Stalled", "False", "NotStalled"),
        NULL,
        "Normal NotStalled: m"},
    {"a sidecar lost",
        IS("SidecarReady", "True", "Ready"),
        IS("SidecarReady", "False", "NotReady"),
        "Warning SidecarReadinessLost: m"},
    {"a sidecar lost on the way",
        IS("SidecarReady", "Unknown", "Unreachable"),
        IS("SidecarReady", "False", "NotReady"),
        "Warning SidecarReadinessLost: m"},
    {"a sidecar that a plan has yet to let run",
        UPDATING IS("SidecarReady", "Unknown", "Unreachable"),
        UPDATING IS("SidecarReady", "False", "NotReady"),
        NULL,
        "Normal NotReady: m"},
    {"a sidecar that its plan has let run",
        UPDATING IS("SidecarReady", "False", "NotReady"),
        IS("SidecarReady", "True", "Ready"),
        NULL,
        "Normal Ready: m"},
    {"a sidecar that stays lost",
        IS("SidecarReady", "False", "NotReady"),
        IS("SidecarReady", "False", "NotReady"),
        NULL},
    {"a sidecar out of reach",
        IS("SidecarReady", "True", "Ready"),
        IS("SidecarReady", "Unknown", "Unreachable"),
        NULL,
        "Normal Unreachable: m"},
    {"a sidecar restored",
        IS("SidecarReady", "False", "NotReady"),
        IS("SidecarReady", "True", "Ready"),
        "Normal SidecarReadinessRestored: m"},
    {"a sidecar back in reach",
        IS("SidecarReady", "Unknown", "Unreachable"),
        IS("SidecarReady", "True", "Ready"),
        NULL,
        "Normal Ready: m"},
    {"hand-scaled",
        IS("Ready", "True", "Available"),
        IS("Ready", "False", "ScaledByHand"),
        "Warning ScaledByHand: m"},
    {"still hand-scaled",
        IS("Ready", "False", "ScaledByHand"),
        IS("Ready", "False", "ScaledByHand"),
        NULL},
    {"a volume in use",
        IS("Ready", "True", "Available"),
        IS("Ready", "False", "VolumeInUse"),
        "Warning VolumeInUse: m"},
    {"a pod that is lost",
        IS("Ready", "True", "Available"),
        IS("Ready", "False", "PodNotReady"),
        NULL,
        "Normal PodNotReady: m"},
    {"a volume to import that is not there",
        "",
        IS("ImportPVCReady", "False", "PVCNotReady"),
        "Warning PVCNotReady: m"},
    {"a Secret that is not there",
        "",
        IS("SigningKeyReady", "False", "SigningKeyNotReady"),
        "Warning SigningKeyNotReady: m"},
    {"a Secret that will do",
        IS("SigningKeyReady", "False", "SigningKeyNotReady"),
        IS("SigningKeyReady", "True", "SigningKeyValidated"),
        NULL,
        "Normal SigningKeyValidated: m"},
    {"a pod of another operator",
        "",
        IS("UpToDate", "False", "AdoptedDrift"),
        "Normal AdoptedDrift: m"},
    {"the platform moved, and it waits",
        "",
        IS("UpToDate", "False", "PlatformDrift"),
        "Normal PlatformDrift: m"},
    {"the platform moved, and a plan says so",
        "",
        INIT ", " IS("UpToDate", "False", "PlatformDrift"),
        "Normal PlanStarted: Plan init started, to set the node up"},
    {"the spec moved",
        IS("UpToDate", "True", "UpToDate"),
        IS("UpToDate", "False", "SpecDrift"),
        NULL,
        "Normal SpecDrift: m"},
    {"a pod that is back",
        IS("Ready", "False", "PodNotReady"),
        IS("Ready", "True", "Available"),
        NULL,
        "Normal Available: m"},
    {"not ready for another reason",
        IS("Ready", "False", "PodNotReady"),
        IS("Ready", "False", "SidecarNotReady"),
        NULL,
        "Normal SidecarNotReady: m"},
    {"not ready, in other words",
        "conditions: [{type: 'Ready', status: 'False', reason: 'PodNotReady', message: 'n'}]",
        IS("Ready", "False", "PodNotReady"),
        NULL},
    {"paused",
        IS("Paused", "False", "NotPaused"),
        IS("Paused", "True", "Paused"),
        NULL,
        "Normal Paused: m"},
    {"maintenance",
        IS("Paused", "True", "Paused"),
        IS("Paused", "True", "Maintenance"),
        NULL,
        "Normal Maintenance: m"},
    {"paused and not held",
        IS("Paused", "True", "Maintenance"),
        IS("Paused", "False", "NotHeld"),
        NULL,
        "Normal NotHeld: m"},
    {"unpaused",
        IS("Paused", "False", "NotHeld"),
        IS("Paused", "False", "NotPaused"),
        NULL,
        "Normal NotPaused: m"},
    {"what a condition says first", "", IS("Paused", "False", "NotPaused"), NULL},
    {"what goes with plans",
        IS("Reconciling", "False", "Settled"),
        IS("Reconciling", "True", "Progressing"),
        NULL},
    {"an update, which goes with its plan",
        IS("NodeUpdateInProgress", "True", "UpdateStarted"),
        IS("NodeUpdateInProgress", "False", "UpdateComplete"),
        NULL},
};

static SeiNode node_of(TaskWorld *w, const char *status)
{
    return sample_node(w->arena, str_format(w->arena, "{status: {%s}}", status));
}

TEST(a_node_transition_sends_its_event_once)
{
    each_case(i, transitions) {
        SCOPED_WORLD w = world_of(NULL);
        Figures none = {0};
        SeiNode was = node_of(w, transitions[i].was), now = node_of(w, transitions[i].now);

        telling_changed(&w->ctx, &none, &was, &now.status);
        then_str(w->told, transitions[i].told);
        w->told = NULL;
        telling_changed(&w->ctx, &none, &now, &now.status);
        then_str(w->told, NULL);
    }
}

/* Events are gone after an hour, and some transitions are none; the log has them all, and what is
 * wrong as a warning. */
TEST(a_node_transition_is_logged_with_its_reason)
{
    each_case(i, transitions) {
        SCOPED_WORLD w = world_of(NULL);
        Figures none = {0};
        SeiNode was = node_of(w, transitions[i].was), now = node_of(w, transitions[i].now);
        Diary diary;

        diary_open(&diary, w);
        telling_changed(&w->ctx, &none, &was, &now.status);
        then_str(diary.text, diary_join(w->arena, transitions[i].told, transitions[i].noted));
        diary.text = NULL;
        telling_changed(&w->ctx, &none, &now, &now.status);
        then_str(diary.text, NULL);
    }
}

/* Whether it is an event, and under which reason, is nothing that a reader of the log must know. */
TEST(the_log_line_of_a_node_condition_names_the_condition)
{
    SCOPED_WORLD w = world_of(NULL);
    Figures none = {0};
    SeiNode was = node_of(w,
        "conditions: [{type: 'Ready', status: 'True', reason: 'Available'},"
        " {type: 'SidecarReady', status: 'True', reason: 'Ready'},"
        " {type: 'Paused', status: 'False', reason: 'NotPaused'}]");
    SeiNode now = node_of(w,
        "conditions: [{type: 'Ready', status: 'False', reason: 'ScaledByHand'},"
        " {type: 'SidecarReady', status: 'False', reason: 'NotReady'},"
        " {type: 'Paused', status: 'True', reason: 'Paused'}]");
    Diary diary;

    diary_open(&diary, w);
    telling_changed(&w->ctx, &none, &was, &now.status);
    then_str(diary.conditions,
        "Ready=False ScaledByHand\n"
        "SidecarReady=False SidecarReadinessLost\n"
        "Paused=True Paused");
}

TEST(a_failed_task_is_counted_together_with_its_plan)
{
    SCOPED_WORLD w = world_of(NULL);
    Metrics *metrics = metrics_open(0);
    Figures f = {0};
    SeiNode was = node_of(w, INIT);
    SeiNode now = node_of(w,
        "plan: {id: 'p1', kind: 'init', phase: 'Failed', failedTaskIndex: 0,"
        "  tasks: [{id: 't', type: 'config-apply', status: 'Failed', error: 'disk full'}]},"
        " history: [" ENDED("Failed") "]");

    figures_declare(&f, metrics, guard_none());
    telling_changed(&w->ctx, &f, &was, &now.status);
    telling_changed(&w->ctx, &f, &now, &now.status);
    then_int((int)metrics_value(f.families[FIGURE_TASK_FAILURES],
                 (MetricLabels){{"seinode", "sei", "config-apply"}}),
        1);
    then_int((int)metrics_value(f.families[FIGURE_PLAN_SECONDS],
                 (MetricLabels){{"seinode", "sei", "init", "failed"}}),
        1);
    figures_close(&f);
    metrics_close(metrics);
}

/* --- another writer ----------------------------------------------------------------------------
 */

/* A server where somebody writes between our read and our write. */
typedef struct Rival {
    Kube kube; /* first, so that the port is this */
    TaskWorld *world;
    const Json *live;
    int writes;
} Rival;

static Err *rival_call(Kube *self, Ctx *c, const Request *q, const Json **ret)
{
    Rival *r = (Rival *)(void *)self;
    Answer conflict = {.status = 409,
        .body = json_fixture(c->arena, "{kind: 'Status', reason: 'Conflict', message: 'moved'}")};

    *ret = r->live;
    if (q->verb == VERB_GET || r->writes++ > 0)
        return OK;
    return status_err(c->arena, q, &conflict);
}

static void rival_event(Kube *self, Ctx *c, const Notice *notice)
{
    world_event(&((Rival *)(void *)self)->world->kube, c, notice);
}

static const struct {
    const char *name, *meanwhile;
    Want want;
    const char *told;
    int conflicts;
} writers[] = {
    {"a writer of the spec", "{metadata: {labels: {a: 'b'}}}", OKAY, NULL, 0},
    {"a writer of the status",
        "{status: {phase: 'Running'}}",
        RETRY(""),
        "Warning StatusConflict: Another writer has changed the status of this node while it was "
        "being written. If this is repeated, two operators are running: stop one",
        1},
};

TEST(a_status_conflict_of_a_node_is_an_event_and_is_counted)
{
    each_case(i, writers) {
        SCOPED_WORLD w = world_of(NULL);
        Metrics *metrics = metrics_open(0);
        App app = {.guard = guard_none()};
        bool written;

        figures_declare(&app.figures, metrics, guard_none());
        Rival rival = {.kube = {.call = rival_call, .event = rival_event},
            .world = w,
            .live = sample_object(w->arena, writers[i].meanwhile)};
        w->ctx.kube = &rival.kube;
        NodePass p = {.c = &w->ctx, .app = &app, .node = w->node};
        p.status.phase = PHASE_PENDING;
        then_err(flush_status(&p, &written), writers[i].want);
        then_str(w->told, writers[i].told);
        then_int((int)metrics_value(
                     app.figures.families[FIGURE_CONFLICTS], (MetricLabels){{"sei", "rpc-0"}}),
            writers[i].conflicts);
        figures_close(&app.figures);
        metrics_close(metrics);
    }
}
