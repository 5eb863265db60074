/* What is heard of a fleet: a line of the log for each transition, an event for some, and nothing
 * for what stays as it is. */
#include "sei/reconcile/fleet_telling.h"

#include "sei/reconcile/fleet_parts.h"
#include "tests/sei/diary.h"
#include "tests/sei/fleets.h"

#define OLD "1111111111111111"
#define NEW "2222222222222222"
#define IS(type, status, reason)                                                                   \
    "conditions: [{type: '" type "', status: '" status "', reason: '" reason "', message: 'm'}]"
#define ROLLOUT(id, hash, cause)                                                                   \
    "plan: {id: '" id "', kind: 'rollout', targetHash: 'r', cause: '" cause                        \
    "', phase: 'Active', tasks: []}, rollout: {targetHash: '" hash "'}"
#define ENDED(id, kind, cause, result)                                                             \
    "history: [{id: '" id "', kind: '" kind "', cause: '" cause "', result: '" result              \
    "', message: 'why'}]"

/* `was` and `now` are the insides of two statuses; `told` is the events, each a line of the log,
 * too, and `noted` what is a line alone. */
static const struct {
    const char *name, *was, *now, *told, *noted;
} transitions[] = {
    {"a rollout begins",
        "",
        ROLLOUT("p1", NEW, "spec"),
        "Normal RolloutStarted: Rollout to template 22222222 started\n"
        "Normal PlanStarted: Plan rollout started, because of: spec"},
    {"a rollout goes on", ROLLOUT("p1", NEW, "spec"), ROLLOUT("p1", NEW, "spec"), NULL},
    /* the old hash in full: people look for it */
    {"a rollout is superseded",
        ROLLOUT("p1", OLD, "spec"),
        ENDED("p1", "rollout", "spec", "Superseded") ", " ROLLOUT("p2", NEW, "spec"),
        "Normal RolloutSuperseded: The rollout to template " OLD " gave way to one to " NEW "\n"
        "Normal RolloutStarted: Rollout to template 22222222 started\n"
        "Normal PlanStarted: Plan rollout started, because of: spec"},
    {"a rollout is complete",
        ROLLOUT("p1", NEW, "spec"),
        ENDED("p1", "rollout", "spec", "Complete"),
        "Normal RolloutComplete: Every node in scope is on template " NEW "\n"
        "Normal PlanComplete: Plan rollout: why"},
    /* O-6: a rollout without progress is not silent */
    {"a rollout fails and is held",
        ROLLOUT("p1", NEW, "spec"),
        "plan: {id: 'p1', kind: 'rollout', targetHash: 'r', phase: 'Active', tasks: []},"
        " rollout: {targetHash: '" NEW
        "', failedHash: 'f'}, " IS("Stalled", "True", "ProgressDeadlineExceeded"),
        "Warning RolloutFailed: m"},
    {"a rollout that has failed",
        "rollout: {targetHash: '" NEW "', failedHash: 'f'}",
        "rollout: {targetHash: '" NEW "', failedHash: 'f'}",
        NULL},
    {"a rollout fails and goes back",
        ROLLOUT("p1", NEW, "spec"),
        ENDED("p1", "rollout", "spec", "Failed") ", "
                                                 "plan: {id: 'p2', kind: 'rollout', targetHash: "
                                                 "'r', cause: 'rollback', phase: 'Active',"
                                                 " tasks: []}, rollout: {targetHash: '" OLD
                                                 "', failedHash: 'f'}",
        "Warning PlanFailed: Plan rollout: why\n"
        "Warning RolloutFailed: The rollout made no progress for "
        "updateStrategy.progressDeadlineSeconds\n"
        "Normal PlanStarted: Plan rollout started, because of: rollback"},
    {"all are back",
        ROLLOUT("p2", OLD, "rollback"),
        ENDED("p2", "rollout", "rollback", "Complete") ", rollout: {targetHash: '" OLD "'}",
        "Normal RolledBack: Every node is back on the last complete template\n"
        "Normal PlanComplete: Plan rollout: why"},
    {"a ceremony begins",
        "",
        "plan: {id: 'p1', kind: 'genesis', targetHash: 'r', cause: 'genesis', phase: 'Active',"
        " tasks: []}",
        "Normal PlanStarted: Plan genesis started, because of: genesis"},
    {"a ceremony fails",
        "plan: {id: 'p1', kind: 'genesis', targetHash: 'r', phase: 'Active', tasks: []}",
        ENDED("p1", "genesis", "genesis", "Failed"),
        "Warning PlanFailed: Plan genesis: why"},
    {"made paused", "", IS("Paused", "True", "Paused"), NULL},
    {"paused",
        IS("Paused", "False", "NotPaused"),
        IS("Paused", "True", "Paused"),
        "Normal Paused: The fleet is paused: its nodes stop"},
    {"paused with a plan",
        IS("Paused", "False", "NotPaused") ", " ROLLOUT("p1", NEW, "spec"),
        IS("Paused", "True", "Paused") ", " ROLLOUT("p1", NEW, "spec"),
        "Normal Paused: The fleet is paused: its nodes stop, and plan p1 stands still"},
    {"still paused", IS("Paused", "True", "Paused"), IS("Paused", "True", "Paused"), NULL},
    {"unpaused",
        IS("Paused", "True", "Paused"),
        IS("Paused", "False", "NotPaused"),
        "Normal Unpaused: The fleet is no longer paused: its nodes start"},
    {"routes",
        IS("NetworkingReady", "False", "DNSPending"),
        IS("NetworkingReady", "True", "HTTPRoutesPublished"),
        "Normal HTTPRoutesPublished: m"},
    {"the same routes",
        IS("NetworkingReady", "True", "HTTPRoutesPublished"),
        IS("NetworkingReady", "True", "HTTPRoutesPublished"),
        NULL},
    {"no kind of routes",
        "",
        IS("NetworkingReady", "False", "CRDNotInstalled"),
        "Warning CRDNotInstalled: m"},
    {"a stall", "", IS("Stalled", "True", "ForeignObject"), "Warning ForeignObject: m"},
    {"the same stall",
        IS("Stalled", "True", "ForeignObject"),
        IS("Stalled", "True", "ForeignObject"),
        NULL},
    {"a stall that is over",
        IS("Stalled", "True", "ForeignObject"),
        IS("Stalled", "False", "NotStalled"),
        NULL,
        "Normal NotStalled: m"},
    {"taken over and different",
        "",
        IS("UpToDate", "False", "AdoptedDrift"),
        "Normal AdoptedDrift: m"},
    {"a rollout that is pending", "", IS("UpToDate", "False", "RolloutPending"), NULL},
    {"a phase",
        "phase: 'Ready'",
        "phase: 'Degraded'",
        NULL,
        "Normal PhaseTransition: Phase changed from Ready to Degraded"},
    {"too few are available",
        IS("Available", "True", "MinimumReplicasAvailable"),
        IS("Available", "False", "MinimumReplicasUnavailable"),
        NULL,
        "Normal MinimumReplicasUnavailable: m"},
    {"enough are available again",
        IS("Available", "False", "MinimumReplicasUnavailable"),
        IS("Available", "True", "MinimumReplicasAvailable"),
        NULL,
        "Normal MinimumReplicasAvailable: m"},
    {"other nodes are not available",
        "conditions: [{type: 'Ready', status: 'False', reason: 'NodesNotAvailable',"
        " message: 'rpc-0'}]",
        IS("Ready", "False", "NodesNotAvailable"),
        NULL},
    {"a route that is refused",
        IS("NetworkingReady", "True", "HTTPRoutesPublished"),
        IS("NetworkingReady", "False", "ApplyFailed"),
        NULL,
        "Normal ApplyFailed: m"},
    {"held",
        IS("UpToDate", "False", "RolloutPending"),
        IS("UpToDate", "False", "Held"),
        NULL,
        "Normal Held: m"},
    {"what goes with plans",
        IS("RolloutInProgress", "True", "TemplateChanged"),
        IS("RolloutInProgress", "False", "RolloutComplete"),
        NULL},
};

static Fleet *fleet_of(TaskWorld *w, const char *status)
{
    return sample_fleet(w->arena, str_format(w->arena, "{status: {%s}}", status));
}

TEST(a_fleet_transition_sends_its_event_once)
{
    each_case(i, transitions) {
        SCOPED_WORLD w = world_of(NULL);
        Figures none = {0};
        Fleet *was = fleet_of(w, transitions[i].was), *now = fleet_of(w, transitions[i].now);

        fleet_telling_changed(&w->ctx, &none, was, &now->status);
        then_str(w->told, transitions[i].told);
        w->told = NULL;
        fleet_telling_changed(&w->ctx, &none, now, &now->status);
        then_str(w->told, NULL);
    }
}

TEST(a_fleet_transition_is_logged_with_its_reason)
{
    each_case(i, transitions) {
        SCOPED_WORLD w = world_of(NULL);
        Figures none = {0};
        Fleet *was = fleet_of(w, transitions[i].was), *now = fleet_of(w, transitions[i].now);
        Diary diary;

        diary_open(&diary, w);
        fleet_telling_changed(&w->ctx, &none, was, &now->status);
        then_str(diary.text, diary_join(w->arena, transitions[i].told, transitions[i].noted));
        diary.text = NULL;
        fleet_telling_changed(&w->ctx, &none, now, &now->status);
        then_str(diary.text, NULL);
    }
}

TEST(the_log_line_of_a_fleet_condition_names_the_condition)
{
    SCOPED_WORLD w = world_of(NULL);
    Figures none = {0};
    Fleet *was = fleet_of(w,
        "conditions: [{type: 'Paused', status: 'False', reason: 'NotPaused'},"
        " {type: 'NetworkingReady', status: 'False', reason: 'DNSPending'},"
        " {type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable'}]");
    Fleet *now = fleet_of(w,
        "conditions: [{type: 'Paused', status: 'True', reason: 'Paused'},"
        " {type: 'NetworkingReady', status: 'True', reason: 'HTTPRoutesPublished'},"
        " {type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable'}]");
    Diary diary;

    diary_open(&diary, w);
    fleet_telling_changed(&w->ctx, &none, was, &now->status);
    then_str(diary.conditions,
        "Paused=True Paused\n"
        "NetworkingReady=True HTTPRoutesPublished\n"
        "Available=False MinimumReplicasUnavailable");
}

TEST(a_fleet_plan_that_ended_is_counted_for_its_controller)
{
    SCOPED_WORLD w = world_of(NULL);
    Metrics *metrics = metrics_open(0);
    Figures f = {0};
    Fleet *was = fleet_of(w, ROLLOUT("p1", NEW, "spec"));
    Fleet *now = fleet_of(w, ENDED("p1", "rollout", "spec", "Complete"));

    figures_declare(&f, metrics, guard_none());
    fleet_telling_changed(&w->ctx, &f, was, &now->status);
    fleet_telling_changed(&w->ctx, &f, now, &now->status);
    then_int((int)metrics_value(f.families[FIGURE_PLAN_SECONDS],
                 (MetricLabels){{"seinodedeployment", "sei", "rollout", "complete"}}),
        1);
    figures_close(&f);
    metrics_close(metrics);
}

TEST(changes_of_children_are_events_of_their_fleet)
{
    static const struct {
        Tidings tidings;
        const char *told;
    } deeds[] = {
        {FLEET_TIDINGS_CHILD_CREATED, "Normal SeiNodeCreated: Created SeiNode rpc-0"},
        {FLEET_TIDINGS_CHILD_DELETED, "Normal SeiNodeDeleted: Deleted SeiNode rpc-0"},
        {FLEET_TIDINGS_CHILD_PAUSED, "Normal ChildPaused: Paused SeiNode rpc-0"},
        {FLEET_TIDINGS_CHILD_RESUMED, "Normal ChildResumed: Unpaused SeiNode rpc-0"},
    };

    for (size_t i = 0; i < array_count(deeds); i++) {
        SCOPED_WORLD w = world_of(NULL);
        fleet_telling_child(&w->ctx, fleet_of(w, ""), deeds[i].tidings, "rpc-0");
        then_str(w->told, deeds[i].told);
    }
    SCOPED_WORLD w = world_of(NULL);
    then_bug("an event that is not about a child",
        fleet_telling_child(&w->ctx, fleet_of(w, ""), FLEET_TIDINGS_PAUSED, "rpc-0"));
}

TEST(the_deletion_of_a_fleet_and_its_failure_are_events)
{
    SCOPED_WORLD w = world_of(NULL);

    fleet_telling_retained(&w->ctx, fleet_of(w, ""));
    then_true(str_has_prefix(w->told, "Normal RetainResources: "));
    w->told = NULL;
    fleet_telling_delete_failed(&w->ctx, fleet_of(w, ""), "no permission");
    then_str(w->told, "Warning DeleteFailed: Cleaning up failed and is tried again: no permission");
}

TEST(a_status_conflict_of_a_fleet_is_an_event_and_is_counted)
{
    SCOPED_WORLD w = world_of(NULL);
    Metrics *metrics = metrics_open(0);
    Figures f = {0};

    figures_declare(&f, metrics, guard_none());
    fleet_telling_conflict(&w->ctx, &f, fleet_of(w, ""));
    then_str(w->told,
        "Warning StatusConflict: Another writer has changed the status of this fleet while it was "
        "being written. If this is repeated, two operators are running: stop one");
    then_int(
        (int)metrics_value(f.families[FIGURE_FLEET_CONFLICTS], (MetricLabels){{"sei", "rpc"}}), 1);
    figures_close(&f);
    metrics_close(metrics);
}
