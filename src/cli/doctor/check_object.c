/* Checks of the objects that nodes are made of: those that outlived their node, and those that are
 * somebody else's under our name. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

/* The node that an object is labelled with exists; true for an object of no node. */
static bool has_its_node(const Chart *c, const Json *object)
{
    const char *node = meta_label(object, LABEL_NODE);

    return !node || chart_find(c, CHART_NODES, meta_namespace(object), node);
}

static bool is_orphan(const Chart *c, const Json *object)
{
    const Json *owner = meta_controller(object);

    /* One that has an owner goes with it: the garbage collector sees to that. */
    return !owner && !meta_deleting(object) && !has_its_node(c, object);
}

static void tell_orphans(Exam *exam, ChartList list, const char *kind)
{
    const Objects *all = chart_list(exam->chart, list);

    for (size_t i = 0; i < all->count; i++)
        if (is_orphan(exam->chart, all->items[i]))
            exam_find(exam,
                exam_about(kind,
                    all->items[i],
                    str_format(exam->arena,
                        "is of SeiNode %s, which does not exist",
                        meta_label(all->items[i], LABEL_NODE))));
}

static void statefulset_is_orphaned(Exam *exam)
{
    tell_orphans(exam, CHART_STATEFULSETS, "StatefulSet");
}

static void service_is_orphaned(Exam *exam)
{
    tell_orphans(exam, CHART_SERVICES, "Service");
}

/* One that was kept on purpose says so. */
static void claim_is_orphaned(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_CLAIMS);

    for (size_t i = 0; i < all->count; i++) {
        const Json *claim = all->items[i];
        const char *size = json_str(claim, ".spec.resources.requests.storage");
        if (!is_orphan(c, claim))
            continue;
        exam_find(exam,
            exam_about("PersistentVolumeClaim",
                claim,
                str_format(exam->arena,
                    "%s of SeiNode %s, which does not exist%s",
                    size ? size : "data",
                    meta_label(claim, LABEL_NODE),
                    meta_annotation(claim, ANNOTATION_RETAINED_BY) ? ": kept on purpose" : "")));
    }
}

/* Somebody else's of our name: it belongs to another controller, or to nobody and bears no label of
 * ours. */
static bool is_foreign(const Json *object, const Json *node)
{
    if (!object || meta_controlled_by(object, node))
        return false;
    return meta_controller(object) || !str_eq(meta_label(object, LABEL_NODE), meta_name(node));
}

static void tell_foreign(Exam *exam, ChartList list, const char *kind)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *node = nodes->items[i];
        const Json *object = chart_find(exam->chart, list, meta_namespace(node), meta_name(node));
        const char *owner = json_str(meta_controller(object), ".name");
        if (!is_foreign(object, node))
            continue;
        exam_find(exam,
            exam_about(kind,
                object,
                str_format(exam->arena,
                    "has the name of SeiNode %s and belongs to %s",
                    meta_name(node),
                    owner ? owner : "somebody else")));
    }
}

static void statefulset_is_foreign(Exam *exam)
{
    tell_foreign(exam, CHART_STATEFULSETS, "StatefulSet");
}

static void service_is_foreign(Exam *exam)
{
    tell_foreign(exam, CHART_SERVICES, "Service");
}

static void set_is_scaled_up(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_STATEFULSETS);

    for (size_t i = 0; i < all->count; i++) {
        const Json *set = all->items[i];
        const char *node = meta_label(set, LABEL_NODE);
        if (!node || json_int(set, ".spec.replicas", 1) <= 1)
            continue;
        exam_find(exam,
            exam_about("StatefulSet",
                set,
                str_format(exam->arena,
                    "is scaled to %lld: a node has one pod",
                    (long long)json_int(set, ".spec.replicas", 1))));
    }
}

const Check object_checks[] = {
    {.code = "SEI3201",
        .area = AREA_NODES,
        .severity = SEVERITY_WARNING,
        .title = "a StatefulSet has outlived its node",
        .fine = "no StatefulSet has outlived its node",
        .about = "Its pod may still run, and sign, with nobody to look after it. It was orphaned "
                 "by `kubectl delete --cascade=orphan`, or restored from a backup without its "
                 "SeiNode.",
        .fix = "kubectl get statefulset {name} -n {namespace} -o wide",
        .needs = {CHART_NODES, CHART_STATEFULSETS},
        .run = statefulset_is_orphaned},
    {.code = "SEI3202",
        .area = AREA_NODES,
        .severity = SEVERITY_NOTE,
        .title = "a Service has outlived its node",
        .fine = "no Service has outlived its node",
        .about = "It leads nowhere; a new node of that name would refuse it as somebody else's.",
        .fix = "kubectl delete service {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_SERVICES},
        .run = service_is_orphaned},
    {.code = "SEI3203",
        .area = AREA_NODES,
        .severity = SEVERITY_NOTE,
        .title = "a claim has outlived its node",
        .fine = "no claim has outlived its node",
        .about = "Its data is kept, and paid for. A node that imports it "
                 "(spec.dataVolume.import.pvcName) goes on with that data; when nobody needs it "
                 "any more, delete it.",
        .fix = "kubectl get persistentvolumeclaim {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = claim_is_orphaned},
    {.code = "SEI3204",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "a StatefulSet of a node's name is somebody else's",
        .fine = "no StatefulSet of a node's name is somebody else's",
        .about = "The operator never touches what is not its own: the node waits until that one "
                 "is gone, or has another name.",
        .fix = "kubectl get statefulset {name} -n {namespace} -o yaml",
        .needs = {CHART_NODES, CHART_STATEFULSETS},
        .run = statefulset_is_foreign},
    {.code = "SEI3205",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "a Service of a node's name is somebody else's",
        .fine = "no Service of a node's name is somebody else's",
        .about = "The operator never touches what is not its own: peers do not find the node by "
                 "its name until that one is gone.",
        .fix = "kubectl get service {name} -n {namespace} -o yaml",
        .needs = {CHART_NODES, CHART_SERVICES},
        .run = service_is_foreign},
    {.code = "SEI3206",
        .area = AREA_NODES,
        .severity = SEVERITY_ERROR,
        .title = "the StatefulSet of a node was scaled up",
        .fine = "no StatefulSet of a node was scaled up",
        .about = "A node is one pod: a second one would run with the same keys and wait for the "
                 "same volume. For more nodes there are fleets.",
        .fix = "kubectl scale statefulset {name} -n {namespace} --replicas=1",
        .needs = {CHART_STATEFULSETS},
        .run = set_is_scaled_up},
    {.code = NULL},
};
