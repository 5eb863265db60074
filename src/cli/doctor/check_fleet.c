/* Checks of fleets: rollouts that do not get on, and what stands in the way of the next one. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "cli/object.h"
#include "kube/int_or_percent.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/api/names.h"
#include "sei/plan/batch.h"

enum {
    DOWN_MAX_S = 600,
    GOING_MAX_S = 1800,
    LEFT_OVER_S = 24 * 3600,
};

#define STATUS "kubectl sei status fleet/{name} -n {namespace}"

typedef const char *FleetTest(const Exam *exam, const Json *fleet);

static void each_fleet(Exam *exam, FleetTest *test)
{
    const Objects *fleets = chart_list(exam->chart, CHART_FLEETS);

    for (size_t i = 0; i < fleets->count; i++) {
        const char *message = test(exam, fleets->items[i]);
        if (message)
            exam_find(exam, exam_about("SeiNodeDeployment", fleets->items[i], message));
    }
}

/* A condition of this status and reason has been so for this long. */
static const char *say_lasting(
    const Exam *exam, const Json *fleet, const char *type, Reason reason, int64_t seconds)
{
    int64_t age_s = chart_condition_age_s(exam->chart, fleet, type);

    if (!chart_has_condition(fleet, type, "False", reason_text(reason)) || age_s < seconds)
        return NULL;
    return chart_age_text(exam->chart, age_s);
}

static const char *say_stalled(const Exam *exam, const Json *fleet)
{
    const char *reason = object_reason(fleet, COND_STALLED);
    const char *message = object_message(fleet, COND_STALLED);

    if (!chart_has_condition(fleet, COND_STALLED, "True", NULL)
        || str_eq(reason, reason_text(FLEET_REASON_STALLED_DEADLINE)))
        return NULL;
    return str_format(exam->arena, "is stalled: %s: %s", exam_word(reason), message ? message : "");
}

static const char *say_late(const Exam *exam, const Json *fleet)
{
    const char *message = object_message(fleet, COND_STALLED);

    if (!chart_has_condition(
            fleet, COND_STALLED, "True", reason_text(FLEET_REASON_STALLED_DEADLINE)))
        return NULL;
    return str_format(exam->arena, "its rollout makes no progress: %s", message ? message : "");
}

static const char *say_held(const Exam *exam, const Json *fleet)
{
    const char *since =
        say_lasting(exam, fleet, COND_UP_TO_DATE, FLEET_REASON_HELD_BACK, LEFT_OVER_S);

    return since ? str_format(exam->arena, "its rollout has been held for %s", since) : NULL;
}

static const char *say_partition(const Exam *exam, const Json *fleet)
{
    const char *since =
        say_lasting(exam, fleet, COND_UP_TO_DATE, FLEET_REASON_PARTITION, LEFT_OVER_S);

    return since ? str_format(exam->arena,
                       "its partition %lld has kept nodes back for %s",
                       (long long)json_int(fleet, ".spec.updateStrategy.partition", 0),
                       since)
                 : NULL;
}

static int64_t replicas_of(const Json *fleet)
{
    return json_int(fleet, ".spec.replicas", 1);
}

/* As the operator reads it: absent means 1, a percentage is rounded down but at least 1, and of
 * validators fewer than a third go at once. */
static int64_t budget_of(const Chart *c, const Json *fleet)
{
    const Json *value = json_find(fleet, ".spec.updateStrategy.maxUnavailable");
    bool is_of_validators = json_find(fleet, ".spec.template.spec.validator") != NULL;
    FleetStrategy strategy = {0};

    if (!value || int_or_percent_decode(c->arena, value, &strategy.max_unavailable))
        return 1;
    return batch_budget(&strategy, replicas_of(fleet), is_of_validators);
}

static const char *say_spent(const Exam *exam, const Json *fleet)
{
    int64_t down = json_int(fleet, ".status.unavailableReplicas", 0);
    const Json *state, *nodes = json_find(fleet, ".status.rollout.nodes");

    if (!chart_has_condition(
            fleet, COND_UP_TO_DATE, "False", reason_text(FLEET_REASON_ROLLOUT_PENDING))
        || down < budget_of(exam->chart, fleet))
        return NULL;
    /* One that is being updated is what the budget is for. */
    json_each(state, nodes)
        if (str_eq(json_str(state, ".state"), rollout_state_text(ROLLOUT_UPDATING)))
            return NULL;
    return str_format(exam->arena,
        "%lld nodes are down, %lld may be: the rollout waits for them",
        (long long)down,
        (long long)budget_of(exam->chart, fleet));
}

static const char *say_adopted(const Exam *exam, const Json *fleet)
{
    (void)exam;
    return chart_has_condition(
               fleet, COND_UP_TO_DATE, "False", reason_text(FLEET_REASON_ADOPTED_DRIFT))
        ? "nodes that were taken over differ from the template until they are next rolled"
        : NULL;
}

static const char *say_revision_lost(const Exam *exam, const Json *fleet)
{
    const char *hash = json_str(fleet, ".status.completeRevision");
    const char *name = hash ? name_fleet_revision(exam->arena, meta_name(fleet), hash) : NULL;

    if (!hash || chart_find(exam->chart, CHART_REVISIONS, meta_namespace(fleet), name))
        return NULL;
    return str_format(exam->arena, "ControllerRevision %s is gone: no way back", name);
}

static const char *say_all_at_once(const Exam *exam, const Json *fleet)
{
    int64_t replicas = replicas_of(fleet);

    if (replicas < 2 || budget_of(exam->chart, fleet) < replicas)
        return NULL;
    return str_format(
        exam->arena, "maxUnavailable lets all %lld nodes be down at once", (long long)replicas);
}

static const char *say_down(const Exam *exam, const Json *fleet)
{
    const char *since =
        say_lasting(exam, fleet, COND_AVAILABLE, FLEET_REASON_NO_MINIMUM, DOWN_MAX_S);

    return since && !json_bool(fleet, ".spec.paused", false)
        ? str_format(exam->arena, "too few nodes have been available for %s", since)
        : NULL;
}

static const char *say_paused(const Exam *exam, const Json *fleet)
{
    int64_t age_s = chart_condition_age_s(exam->chart, fleet, COND_PAUSED);

    if (!chart_has_condition(fleet, COND_PAUSED, "True", NULL) || age_s < LEFT_OVER_S)
        return NULL;
    return str_format(exam->arena, "has been paused for %s", chart_age_text(exam->chart, age_s));
}

static const char *say_skipped(const Exam *exam, const Json *fleet)
{
    const char *message = object_message(fleet, COND_UP_TO_DATE);

    if (!chart_has_condition(
            fleet, COND_UP_TO_DATE, "False", reason_text(FLEET_REASON_NODES_SKIPPED)))
        return NULL;
    return str_format(exam->arena, "nodes were left out: %s", message ? message : "");
}

static const char *say_going(const Exam *exam, const Json *fleet)
{
    int64_t age_s = chart_age_s(exam->chart, fleet, ".metadata.deletionTimestamp");

    if (!meta_deleting(fleet) || age_s < GOING_MAX_S)
        return NULL;
    return str_format(exam->arena, "has been going for %s", chart_age_text(exam->chart, age_s));
}

static void fleet_is_stalled(Exam *exam)
{
    each_fleet(exam, say_stalled);
}

static void rollout_is_late(Exam *exam)
{
    each_fleet(exam, say_late);
}

static void rollout_is_held(Exam *exam)
{
    each_fleet(exam, say_held);
}

static void partition_is_left(Exam *exam)
{
    each_fleet(exam, say_partition);
}

static void budget_is_spent(Exam *exam)
{
    each_fleet(exam, say_spent);
}

static void nodes_were_adopted(Exam *exam)
{
    each_fleet(exam, say_adopted);
}

static void revision_is_lost(Exam *exam)
{
    each_fleet(exam, say_revision_lost);
}

static void budget_is_everything(Exam *exam)
{
    each_fleet(exam, say_all_at_once);
}

static void fleet_is_down(Exam *exam)
{
    each_fleet(exam, say_down);
}

/* No line starts validators: why they were stopped cannot be seen from here. */
static void fleet_is_paused_for_long(Exam *exam)
{
    const Objects *fleets = chart_list(exam->chart, CHART_FLEETS);

    for (size_t i = 0; i < fleets->count; i++) {
        const char *message = say_paused(exam, fleets->items[i]);
        Finding f = exam_about("SeiNodeDeployment", fleets->items[i], message);
        f.fix = json_find(fleets->items[i], ".spec.template.spec.validator") ? STATUS : NULL;
        if (message)
            exam_find(exam, f);
    }
}

static void nodes_were_skipped(Exam *exam)
{
    each_fleet(exam, say_skipped);
}

static void fleet_does_not_go(Exam *exam)
{
    each_fleet(exam, say_going);
}

/* A node of a child's name that is not the fleet's. */
static void name_is_taken(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *fleets = chart_list(c, CHART_FLEETS);

    for (size_t i = 0; i < fleets->count; i++) {
        const Json *fleet = fleets->items[i];
        int64_t replicas = replicas_of(fleet);
        for (int64_t n = 0; n < replicas && n < FLEET_REPLICAS_MAX; n++) {
            const char *name = fleet_child_name(c->arena, meta_name(fleet), n);
            const Json *node = chart_find(c, CHART_NODES, meta_namespace(fleet), name);
            if (!node || meta_controlled_by(node, fleet))
                continue;
            exam_find(exam,
                exam_about("SeiNode",
                    node,
                    str_format(exam->arena,
                        "has the name of a node of fleet %s and is not its",
                        meta_name(fleet))));
        }
    }
}

const Check fleet_checks[] = {
    {.code = "SEI4001",
        .area = AREA_FLEETS,
        .severity = SEVERITY_ERROR,
        .title = "a fleet is stalled",
        .fine = "no fleet is stalled",
        .about = "Only a person can go on; nodes that run do so. `explain REASON` says what to do.",
        .fix = STATUS,
        .needs = {CHART_FLEETS},
        .run = fleet_is_stalled},
    {.code = "SEI4002",
        .area = AREA_FLEETS,
        .severity = SEVERITY_ERROR,
        .title = "a rollout is over its deadline",
        .fine = "no rollout is over its deadline",
        .about = "No node has got further for updateStrategy.progressDeadlineSeconds, and no "
                 "other is touched. Go back with `rollout undo`, or correct the cause and try "
                 "again with `rollout retry`.",
        .fix = "kubectl sei rollout undo {name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = rollout_is_late},
    {.code = "SEI4003",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "a rollout has been held for more than a day",
        .fine = "no rollout has been held for more than a day",
        .about = "The nodes of the fleet run two different templates meanwhile.",
        .fix = "kubectl sei rollout resume {name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = rollout_is_held},
    {.code = "SEI4004",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "a partition has been left over",
        .fine = "no partition has been left over",
        .about = "Nodes below it have kept the old template for more than a day, and will also "
                 "keep back the next edit.",
        .fix = "kubectl sei rollout promote {name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = partition_is_left},
    {.code = "SEI4005",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "sick nodes use up the budget of a fleet",
        .fine = "no rollout waits because sick nodes use up the budget of a fleet",
        .about = "As many nodes are down as may be, none of them by an update: a rollout waits "
                 "until one is well again. Heal them, or let more be down with "
                 "updateStrategy.maxUnavailable.",
        .fix = STATUS,
        .needs = {CHART_FLEETS},
        .run = budget_is_spent},
    {.code = "SEI4006",
        .area = AREA_FLEETS,
        .severity = SEVERITY_NOTE,
        .title = "nodes that were taken over differ from the template",
        .fine = "no nodes that were taken over differ from the template",
        .about = "They run as the operator before made them. The next edit of the template or "
                 "restart rolls them, by the budget.",
        .fix = "kubectl sei rollout restart {name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = nodes_were_adopted},
    {.code = "SEI4007",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "the template of before is gone",
        .fine = "the template of before is kept for each fleet that has one",
        .about = "The ControllerRevision of the last complete rollout was deleted: `rollout undo` "
                 "and onFailure: Rollback have nowhere to go. It is kept again with the next "
                 "rollout that every node reaches.",
        .fix = "kubectl get controllerrevisions -n {namespace} -l sei.io/nodedeployment={name}",
        .needs = {CHART_FLEETS, CHART_REVISIONS},
        .run = revision_is_lost},
    {.code = "SEI4008",
        .area = AREA_FLEETS,
        .severity = SEVERITY_ERROR,
        .title = "a node of no fleet has the name of a fleet's",
        .fine = "no node of no fleet has the name of a fleet's",
        .about = "The fleet cannot make its node, and does not take over one that is not its own. "
                 "Rename one of them, or delete the node that is not meant.",
        .fix = "kubectl get seinode {name} -n {namespace} -o yaml",
        .needs = {CHART_FLEETS, CHART_NODES},
        .run = name_is_taken},
    {.code = "SEI4009",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "a fleet lets all its nodes be down at once",
        .fine = "no fleet of several nodes lets all of them be down at once",
        .about = "updateStrategy.maxUnavailable is as large as the fleet: the next edit of the "
                 "template stops everything.",
        .fix = "kubectl patch seinodedeployment {name} -n {namespace} --type=merge "
               "-p '{\"spec\":{\"updateStrategy\":{\"maxUnavailable\":1}}}'",
        .needs = {CHART_FLEETS},
        .run = budget_is_everything},
    {.code = "SEI4010",
        .area = AREA_FLEETS,
        .severity = SEVERITY_ERROR,
        .title = "too few nodes of a fleet are available",
        .fine = "no fleet has had too few available nodes for more than ten minutes",
        .about = "For more than ten minutes: fewer than the replicas less maxUnavailable.",
        .fix = STATUS,
        .needs = {CHART_FLEETS},
        .run = fleet_is_down},
    {.code = "SEI4011",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "a fleet has been paused for more than a day",
        .fine = "no fleet has been paused for more than a day",
        .about = "All its pods are stopped, and every hour has to be caught up. To stop a rollout "
                 "alone there is `rollout hold`. Of validators the line only shows the fleet: "
                 "start it again when you know that no key of it signs elsewhere, because two "
                 "that sign are slashed.",
        .fix = "kubectl sei unpause fleet/{name} -n {namespace}",
        .needs = {CHART_FLEETS},
        .run = fleet_is_paused_for_long},
    {.code = "SEI4012",
        .area = AREA_FLEETS,
        .severity = SEVERITY_WARNING,
        .title = "a rollout left nodes out",
        .fine = "no rollout left nodes out",
        .about = "They are paused or have failed, and stay on the old template until they are "
                 "not.",
        .fix = STATUS,
        .needs = {CHART_FLEETS},
        .run = nodes_were_skipped},
    {.code = "SEI4013",
        .area = AREA_FLEETS,
        .severity = SEVERITY_ERROR,
        .title = "a fleet that was deleted does not go",
        .fine = "no fleet that was deleted fails to go",
        .about = "For more than half an hour: its nodes do not go (SEI3008), or no operator is "
                 "there to let them.",
        .fix = STATUS,
        .needs = {CHART_FLEETS},
        .run = fleet_does_not_go},
    {.code = NULL},
};
