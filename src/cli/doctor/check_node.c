/* Checks of nodes, by what the operator says of them: what is stalled, waits too long, or is not
 * looked after. What is paused on purpose or being deleted is not also called unready.
 *
 * No line starts a validator: it may have been stopped because its key signs elsewhere, also where
 * nobody can see it from here. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "cli/object.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/maintenance.h"

enum {
    SOON_S = 120,
    NOT_READY_MAX_S = 600,
    SET_UP_MAX_S = 6 * 3600, /* from a snapshot, over a slow line */
    DRIFT_MAX_S = 3600,
    GOING_MAX_S = 900,
    PAUSED_MAX_S = 24 * 3600,
};

#define STATUS "kubectl sei status node/{name} -n {namespace}"

typedef const char *NodeTest(const Exam *exam, const Json *node);

/* Tells of each node of which the test has something to say. */
static void each_node(Exam *exam, NodeTest *test)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const char *message = test(exam, nodes->items[i]);
        if (message)
            exam_find(exam, exam_about("SeiNode", nodes->items[i], message));
    }
}

/* The same where the line of the check starts the node: for validators a look has to do. */
static void each_stopped(Exam *exam, NodeTest *test)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const char *message = test(exam, nodes->items[i]);
        Finding f = exam_about("SeiNode", nodes->items[i], message);
        f.fix = json_find(nodes->items[i], ".spec.validator") ? STATUS : NULL;
        if (message)
            exam_find(exam, f);
    }
}

static bool is_stalled(const Json *node)
{
    return chart_has_condition(node, COND_STALLED, "True", NULL);
}

static bool is_paused(const Json *node)
{
    return json_bool(node, ".spec.paused", false);
}

static const char *say_stalled(const Exam *exam, const Json *node)
{
    const char *message = object_message(node, COND_STALLED);

    if (!is_stalled(node))
        return NULL;
    return str_format(exam->arena,
        "is stalled: %s%s%s",
        exam_word(object_reason(node, COND_STALLED)),
        str_empty(message) ? "" : ": ",
        message ? message : "");
}

static const char *say_paused(const Exam *exam, const Json *node)
{
    int64_t age_s = chart_condition_age_s(exam->chart, node, COND_PAUSED);

    if (!is_paused(node) || !chart_has_condition(node, COND_PAUSED, "True", NULL)
        || meta_annotation(node, ANNOTATION_MAINTENANCE) || age_s < PAUSED_MAX_S)
        return NULL;
    return str_format(exam->arena, "has been paused for %s", chart_age_text(exam->chart, age_s));
}

/* The mark names who began, and since when: a day is more than any command should take. */
static const char *say_maintained(const Exam *exam, const Json *node)
{
    Maintenance m;
    bool is_read = maintenance_decode(exam->arena, node, &m);
    int64_t age_s = is_read ? chart_seconds_since(exam->chart, m.since)
                            : chart_condition_age_s(exam->chart, node, COND_PAUSED);

    if (!maintenance_is_marked(node) || age_s < PAUSED_MAX_S)
        return NULL;
    if (!is_read)
        return "is held by a mark that cannot be read: take the annotation " ANNOTATION_MAINTENANCE
               " off when nobody works on the volume";
    return str_format(exam->arena,
        "has been in maintenance by %s for %s",
        m.by,
        chart_age_text(exam->chart, age_s));
}

static const char *say_failed_update(const Exam *exam, const Json *node)
{
    if (is_paused(node)
        || !chart_has_condition(node, COND_NODE_UPDATE, "False", reason_text(REASON_UPDATE_FAILED)))
        return NULL;
    const char *message = object_message(node, COND_NODE_UPDATE);
    return str_format(exam->arena, "its last update failed: %s", message ? message : "");
}

/* Somebody lets nothing of the node's fleet be rolled: the check of fleets tells of it when it is
 * left so. */
static bool is_held_with_fleet(const Chart *c, const Json *node)
{
    const char *name = json_str(meta_controller(node), ".name");
    const Json *fleet = chart_find(c, CHART_FLEETS, meta_namespace(node), name);

    return json_bool(fleet, ".spec.updateStrategy.hold", false)
        || json_bool(fleet, ".spec.paused", false);
}

/* Drift that waits for nobody: what is adopted or somebody else's is decided by people. */
static const char *say_drift(const Exam *exam, const Json *node)
{
    static const Reason waiting[] = {REASON_SPEC_DRIFT, REASON_PLATFORM_DRIFT, REASON_AWAITS_FLEET};
    int64_t age_s = chart_condition_age_s(exam->chart, node, COND_UP_TO_DATE);

    if (age_s < DRIFT_MAX_S || is_paused(node) || is_stalled(node)
        || is_held_with_fleet(exam->chart, node))
        return NULL;
    for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        if (chart_has_condition(node, COND_UP_TO_DATE, "False", reason_text(waiting[i])))
            return str_format(exam->arena,
                "has been out of date for %s: %s",
                chart_age_text(exam->chart, age_s),
                reason_text(waiting[i]));
    return NULL;
}

static const char *say_unready(const Exam *exam, const Json *node)
{
    int64_t age_s = chart_condition_age_s(exam->chart, node, COND_READY);
    bool is_new = chart_has_condition(node, COND_READY, "False", reason_text(REASON_INITIALIZING));

    if (!chart_has_condition(node, COND_READY, "False", NULL)
        || age_s < (is_new ? SET_UP_MAX_S : NOT_READY_MAX_S) || is_stalled(node) || is_paused(node)
        || meta_deleting(node)
        || chart_has_condition(node, COND_READY, "False", reason_text(REASON_SCALED_BY_HAND)))
        return NULL;
    return str_format(exam->arena,
        "has not been Ready for %s: %s",
        chart_age_text(exam->chart, age_s),
        exam_word(object_reason(node, COND_READY)));
}

static const char *say_unreachable(const Exam *exam, const Json *node)
{
    static const char *const statuses[] = {"Unknown", "False"};

    (void)exam;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0] && !is_paused(node); i++)
        if (chart_has_condition(
                node, COND_SIDECAR_READY, statuses[i], reason_text(REASON_SIDECAR_UNREACHABLE)))
            return "its sidecar does not answer";
    return NULL;
}

static int64_t newest_write_s(const Chart *c, const Json *node)
{
    const Json *entry, *entries = json_find(node, ".metadata.managedFields");
    int64_t newest = chart_age_s(c, node, ".metadata.creationTimestamp");

    json_each(entry, entries) {
        int64_t age_s = chart_age_s(c, entry, ".time");
        if (age_s >= 0 && (newest < 0 || age_s < newest))
            newest = age_s;
    }
    return newest;
}

static const char *say_unseen(const Exam *exam, const Json *node)
{
    int64_t seen = json_int(node, ".status.observedGeneration", 0);

    if (seen == 0 || seen >= meta_generation(node) || newest_write_s(exam->chart, node) < SOON_S)
        return NULL;
    return str_format(exam->arena,
        "the operator has seen generation %lld of %lld",
        (long long)seen,
        (long long)meta_generation(node));
}

static const char *say_going(const Exam *exam, const Json *node)
{
    int64_t age_s = chart_age_s(exam->chart, node, ".metadata.deletionTimestamp");
    const char *finalizer = json_str(node, ".metadata.finalizers[0]");

    if (!meta_deleting(node) || age_s < GOING_MAX_S)
        return NULL;
    return str_format(exam->arena,
        "has been going for %s and is held by %s",
        chart_age_text(exam->chart, age_s),
        finalizer ? finalizer : "nothing");
}

static const char *say_scaled(const Exam *exam, const Json *node)
{
    (void)exam;
    return chart_has_condition(node, COND_READY, "False", reason_text(REASON_SCALED_BY_HAND))
        ? "somebody scaled its StatefulSet to 0"
        : NULL;
}

static const char *say_unlooked(const Exam *exam, const Json *node)
{
    int64_t age_s = chart_age_s(exam->chart, node, ".metadata.creationTimestamp");

    if (json_count(json_find(node, ".status.conditions")) > 0 || age_s < SOON_S)
        return NULL;
    return str_format(exam->arena,
        "is %s old and no operator has looked at it",
        chart_age_text(exam->chart, age_s));
}

static void node_is_stalled(Exam *exam)
{
    each_node(exam, say_stalled);
}

static void node_is_paused_for_long(Exam *exam)
{
    each_stopped(exam, say_paused);
}

static void maintenance_is_left_over(Exam *exam)
{
    each_stopped(exam, say_maintained);
}

static void update_has_failed(Exam *exam)
{
    each_node(exam, say_failed_update);
}

static void drift_waits(Exam *exam)
{
    each_node(exam, say_drift);
}

static void node_is_not_ready(Exam *exam)
{
    each_node(exam, say_unready);
}

static void sidecar_is_unreachable(Exam *exam)
{
    each_node(exam, say_unreachable);
}

static void edit_is_not_seen(Exam *exam)
{
    each_node(exam, say_unseen);
}

static void node_does_not_go(Exam *exam)
{
    each_node(exam, say_going);
}

static void node_is_scaled_by_hand(Exam *exam)
{
    each_node(exam, say_scaled);
}

static void node_is_not_looked_after(Exam *exam)
{
    each_node(exam, say_unlooked);
}

#define OF_A_VALIDATOR                                                                             \
    "Of a validator the line only shows it: start it again when you know that its key signs "      \
    "nowhere else, in no other cluster either, because two that sign are slashed."

const Check node_checks[] = {
    {.code = "SEI3001",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "a node is stalled",
        .fine = "no node is stalled",
        .about = "Only a person can go on; nothing is deleted meanwhile. The message ends with the "
                 "reason, and `explain REASON` with what to do.",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = node_is_stalled},
    {.code = "SEI3002",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "a node has been paused for more than a day",
        .fine = "no node has been paused for more than a day",
        .about = "Perhaps a job on its volume has been forgotten. Every hour that it stands it "
                 "has to catch up. " OF_A_VALIDATOR,
        .fix = "kubectl sei unpause node/{name} -n {namespace}",
        .needs = {CHART_NODES},
        .run = node_is_paused_for_long},
    {.code = "SEI3003",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "the last update of a node failed",
        .fine = "no node that should run failed in its last update",
        .about = "It is tried again by itself, with pauses of 10 seconds to 5 minutes; it will "
                 "fail again until what the message names is corrected.",
        .fix = "kubectl sei plan show node/{name} -n {namespace}",
        .needs = {CHART_NODES},
        .run = update_has_failed},
    {.code = "SEI3004",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "a node has been out of date for more than an hour",
        .fine = "no node has waited for its update for more than an hour",
        .about = "Its pod is not made from what is wanted, and its turn has not come: a sick node "
                 "of the same fleet or chain holds the others up.",
        .fix = "kubectl sei drift node/{name} -n {namespace}",
        .needs = {CHART_NODES},
        .run = drift_waits},
    {.code = "SEI3005",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "a node has not been Ready for ten minutes",
        .fine = "no node that should run has been unready for too long",
        .about = "Its pod is missing, starting, or not Ready. One that is being set up, from a "
                 "snapshot say, is given six hours.",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = node_is_not_ready},
    {.code = "SEI3006",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "the sidecar of a node does not answer",
        .fine = "no sidecar of a node that should run fails to answer",
        .about = "Plans of the node wait for it. Look at the containers kube-rbac-proxy and "
                 "sei-sidecar of the pod, and at network policies between the namespaces.",
        .fix = "kubectl logs {name}-0 -n {namespace} -c kube-rbac-proxy --tail=20",
        .needs = {CHART_NODES},
        .run = sidecar_is_unreachable},
    {.code = "SEI3007",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "the operator has not seen the last edit of a node",
        .fine = "no edit of a node has gone unseen for two minutes",
        .about = "For two minutes or more: it is down, very busy, or does not watch that "
                 "namespace (--watch-namespaces).",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = edit_is_not_seen},
    {.code = "SEI3008",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "a node that was deleted does not go",
        .fine = "no node that was deleted fails to go",
        .about = "For more than fifteen minutes: a finalizer waits. seid itself may take ten to "
                 "flush its data. Taking the finalizer off by hand leaves volumes and tasks "
                 "behind: find out first what it waits for.",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = node_does_not_go},
    {.code = "SEI3009",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "the StatefulSet of a node was scaled to 0 by hand",
        .fine = "no StatefulSet of a node was scaled to 0 by hand",
        .about = "The operator respects that: the node stays down until it is scaled back. Ask who "
                 "did so, and look for a pod on its claim first: scaled back, seid starts beside "
                 "it. To stop a node so that everybody sees it, pause it; an unpause waits until "
                 "the volume is free. The key of a validator may sign elsewhere by now: two that "
                 "sign are slashed.",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = node_is_scaled_by_hand},
    {.code = "SEI3010",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "no operator looks after a node",
        .fine = "no node has waited for two minutes for an operator to look at it",
        .about = "Its status has never been written: no operator runs, or it does not watch that "
                 "namespace (--watch-namespaces).",
        .fix = STATUS,
        .needs = {CHART_NODES},
        .run = node_is_not_looked_after},
    {.code = "SEI3011",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "a node has been in maintenance for more than a day",
        .fine = "no node has been in maintenance for more than a day",
        .about =
            "A command of a person has its volume, or had it and was interrupted: the operator "
            "holds the node until the mark is taken off. --resume goes on with it, --abort gives "
            "it up. " OF_A_VALIDATOR,
        .fix = "kubectl sei maintain {name} -n {namespace} --resume",
        .needs = {CHART_NODES},
        .run = maintenance_is_left_over},
    {.code = NULL},
};
