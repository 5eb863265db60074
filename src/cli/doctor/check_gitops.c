/* Checks of who writes what: fields that two managers fight over, by managedFields and by the marks
 * that Flux and Argo CD leave. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "cli/gitops.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static const Json *fleet_of_scaler(const Chart *c, const Json *scaler)
{
    const char *name = json_str(scaler, ".spec.scaleTargetRef.name");

    return str_eq(json_str(scaler, ".spec.scaleTargetRef.kind"), "SeiNodeDeployment")
        ? chart_find(c, CHART_FLEETS, meta_namespace(scaler), name)
        : NULL;
}

/* Who, beside those who scale, writes spec.replicas; NULL: nobody. */
static const char *writer_of_replicas(const Json *fleet)
{
    const Json *entry, *entries = json_find(fleet, ".metadata.managedFields");

    json_each(entry, entries)
        if (!str_eq(json_str(entry, ".subresource"), "scale")
            && json_find(entry, ".fieldsV1['f:spec']['f:replicas']"))
            return json_str(entry, ".manager");
    return NULL;
}

static void replicas_are_fought_over(Exam *exam)
{
    const Objects *scalers = chart_list(exam->chart, CHART_SCALERS);

    for (size_t i = 0; i < scalers->count; i++) {
        const Json *fleet = fleet_of_scaler(exam->chart, scalers->items[i]);
        const char *writer = writer_of_replicas(fleet);
        if (!writer)
            continue;
        exam_find(exam,
            exam_about("SeiNodeDeployment",
                fleet,
                str_format(exam->arena,
                    "%s writes spec.replicas, and so does autoscaler %s",
                    writer,
                    meta_name(scalers->items[i]))));
    }
}

static void two_scalers_fight(Exam *exam)
{
    const Objects *scalers = chart_list(exam->chart, CHART_SCALERS);

    for (size_t i = 0; i < scalers->count; i++) {
        const Json *fleet = fleet_of_scaler(exam->chart, scalers->items[i]);
        for (size_t n = 0; fleet && n < i; n++)
            if (fleet_of_scaler(exam->chart, scalers->items[n]) == fleet)
                exam_find(exam,
                    exam_about("HorizontalPodAutoscaler",
                        scalers->items[i],
                        str_format(exam->arena,
                            "scales fleet %s, and so does %s",
                            meta_name(fleet),
                            meta_name(scalers->items[n]))));
    }
}

/* Tells of objects of a list that Git looks after and somebody applied by hand. */
static void tell_applied(Exam *exam, ChartList list, const char *kind)
{
    const Objects *all = chart_list(exam->chart, list);

    for (size_t i = 0; i < all->count; i++) {
        const char *owner = gitops_owner(exam->arena, all->items[i]);
        /* Argo CD itself applies as kubectl does, unless it is told otherwise. */
        if (!str_has_prefix(owner, "Flux") || !meta_annotation(all->items[i], LAST_APPLIED))
            continue;
        Finding f = exam_about(kind,
            all->items[i],
            str_format(
                exam->arena, "is managed by %s and was applied by hand with kubectl", owner));
        f.other = str_lower(exam->arena, kind);
        exam_find(exam, f);
    }
}

static void git_is_bypassed(Exam *exam)
{
    tell_applied(exam, CHART_FLEETS, "SeiNodeDeployment");
    tell_applied(exam, CHART_NODES, "SeiNode");
}

static void child_is_in_git(Exam *exam)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *node = nodes->items[i];
        const char *owner = gitops_owner(exam->arena, node);
        const char *fleet = json_str(meta_controller(node), ".name");
        if (!owner || !fleet)
            continue;
        exam_find(exam,
            exam_about("SeiNode",
                node,
                str_format(
                    exam->arena, "is made by fleet %s and also managed by %s", fleet, owner)));
    }
}

const Check gitops_checks[] = {
    {.code = "SEI6201",
        .area = AREA_GITOPS,
        .severity = SEVERITY_WARNING,
        .title = "an autoscaler and somebody else write the replicas of a fleet",
        .fine = "no autoscaler shares the replicas of a fleet with another writer",
        .about = "Each sync puts the number of Git back, the autoscaler its own: nodes come and "
                 "go, each with a volume to fill. Leave spec.replicas out of the manifest.",
        .fix = "kubectl get seinodedeployment {name} -n {namespace} -o yaml --show-managed-fields",
        .needs = {CHART_FLEETS, CHART_SCALERS},
        .run = replicas_are_fought_over},
    {.code = "SEI6202",
        .area = AREA_GITOPS,
        .severity = SEVERITY_WARNING,
        .title = "an object of Flux was applied by hand",
        .fine = "no object of Flux was applied by hand",
        .about = "The next `kubectl apply` of that old file takes out what Git has added since, "
                 "and Flux puts it back: what the two disagree on restarts nodes each time.",
        .fix = "kubectl annotate {other} {name} -n {namespace} "
               "kubectl.kubernetes.io/last-applied-configuration-",
        .other_is = "KIND",
        .needs = {CHART_FLEETS, CHART_NODES},
        .run = git_is_bypassed},
    {.code = "SEI6203",
        .area = AREA_GITOPS,
        .severity = SEVERITY_WARNING,
        .title = "a node of a fleet is also managed from Git",
        .fine = "no node of a fleet is also managed from Git",
        .about = "The fleet writes its spec by its template, in its turn; Git writes another one. "
                 "Take the node out of Git and edit the template of the fleet.",
        .fix = "kubectl get seinode {name} -n {namespace} -o yaml --show-managed-fields",
        .needs = {CHART_NODES},
        .run = child_is_in_git},
    {.code = "SEI6204",
        .area = AREA_GITOPS,
        .severity = SEVERITY_ERROR,
        .title = "two autoscalers scale one fleet",
        .fine = "no fleet is scaled by two autoscalers",
        .about =
            "Kubernetes switches both off (AmbiguousSelector): nothing is scaled. Look which of "
            "them has the bounds that you mean. Without the other it scales at once, and down "
            "too: that deletes the volumes of the nodes that go unless deletionPolicy is "
            "Retain.",
        .fix = "kubectl get horizontalpodautoscalers -n {namespace}",
        .needs = {CHART_FLEETS, CHART_SCALERS},
        .run = two_scalers_fight},
    {.code = NULL},
};
