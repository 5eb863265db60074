/* Checks of storage: the classes that volumes are made by, and the claims and volumes that nodes
 * have their data on. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "sei/api/names.h"

enum { PENDING_MAX_S = 300, CLASSES_OF_SETTINGS = 3 };

/* --- classes */

typedef struct ClassNames {
    const char **items;
    size_t count;
} ClassNames;

static void add_class(ClassNames *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->items[i], name))
            return;
    names->items[names->count++] = name;
}

/* Those that operators were told, each once. Where that cannot be seen the check is not answered.
 */
static ClassNames told_classes(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects operators = chart_operators(c);
    size_t most = operators.count * CLASSES_OF_SETTINGS;
    ClassNames names = {.items = arena_array(c->arena, const char *, most)};

    for (size_t i = 0; i < operators.count; i++) {
        Settings settings;
        if (chart_settings(c, operators.items[i], &settings)) {
            exam_skip(exam, "the settings of an operator are not known");
            continue;
        }
        add_class(&names, settings.storage_class_perf);
        add_class(&names, settings.storage_class_default);
        add_class(&names, settings.storage_class_archive);
    }
    return names;
}

static void class_is_missing(Exam *exam)
{
    ClassNames names = told_classes(exam);

    for (size_t i = 0; i < names.count; i++)
        if (!chart_find(exam->chart, CHART_CLASSES, NULL, names.items[i]))
            exam_find(exam,
                (Finding){.kind = "StorageClass",
                    .object.name = names.items[i],
                    .message = "is named by the settings, and does not exist"});
}

/* Runs over the classes that the settings name and that exist. */
static void each_told_class(Exam *exam, bool (*is_bad)(const Json *), const char *message)
{
    ClassNames names = told_classes(exam);

    for (size_t i = 0; i < names.count; i++) {
        const Json *class = chart_find(exam->chart, CHART_CLASSES, NULL, names.items[i]);
        if (class && is_bad(class))
            exam_find(exam, exam_about("StorageClass", class, message));
    }
}

static bool cannot_grow(const Json *class)
{
    return !json_bool(class, ".allowVolumeExpansion", false);
}

static bool binds_at_once(const Json *class)
{
    return !str_eq(json_str(class, ".volumeBindingMode"), "WaitForFirstConsumer");
}

static bool deletes(const Json *class)
{
    return !str_eq(json_str(class, ".reclaimPolicy"), "Retain");
}

static void class_cannot_grow(Exam *exam)
{
    each_told_class(exam, cannot_grow, "does not allow volumes to grow");
}

static void class_binds_at_once(Exam *exam)
{
    each_told_class(exam, binds_at_once, "binds before the pod is scheduled");
}

static void class_deletes(Exam *exam)
{
    each_told_class(exam, deletes, "deletes the volume with its claim");
}

static void there_is_no_class(Exam *exam)
{
    if (chart_list(exam->chart, CHART_CLASSES)->count == 0)
        exam_find(exam,
            (Finding){.kind = "StorageClass",
                .object.name = "any",
                .message = "there is none: no volume can be made"});
}

/* --- claims */

static void claim_is_lost(Exam *exam)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *claim = chart_claim(exam->chart, nodes->items[i]);
        if (str_eq(json_str(claim, ".status.phase"), "Lost"))
            exam_find(exam,
                exam_about("PersistentVolumeClaim",
                    claim,
                    str_format(exam->arena,
                        "the volume of SeiNode %s is gone: %s was bound to it",
                        meta_name(nodes->items[i]),
                        exam_word(json_str(claim, ".spec.volumeName")))));
    }
}

static void claim_is_pending(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *claim = chart_claim(c, nodes->items[i]);
        int64_t age_s = chart_age_s(c, claim, ".metadata.creationTimestamp");
        const char *class = json_str(claim, ".spec.storageClassName");
        if (!str_eq(json_str(claim, ".status.phase"), "Pending") || age_s < PENDING_MAX_S)
            continue;
        exam_find(exam,
            exam_about("PersistentVolumeClaim",
                claim,
                str_format(exam->arena,
                    "has been waiting for a volume of class %s for %s",
                    class ? class : "(default)",
                    chart_age_text(c, age_s))));
    }
}

static void claim_is_going(Exam *exam)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *claim = chart_claim(exam->chart, nodes->items[i]);
        if (!meta_deleting(claim) || meta_deleting(nodes->items[i]))
            continue;
        Finding f = exam_about("PersistentVolumeClaim",
            claim,
            str_format(exam->arena,
                "is being deleted: SeiNode %s loses its data when its pod ends",
                meta_name(nodes->items[i])));
        f.other = json_str(claim, ".spec.volumeName");
        exam_find(exam, f);
    }
}

static void claim_is_missing(Exam *exam)
{
    const Objects *nodes = chart_list(exam->chart, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *node = nodes->items[i];
        const char *recorded = json_str(node, ".status.dataVolume.name");
        if (!recorded || chart_claim(exam->chart, node) || meta_deleting(node))
            continue;
        exam_find(exam,
            exam_about("SeiNode",
                node,
                str_format(exam->arena, "its data is on claim %s, which is gone", recorded)));
    }
}

static void volume_is_deleted_with_a_validator(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *node = nodes->items[i];
        const Json *claim = chart_claim(c, node);
        const Json *volume =
            chart_find(c, CHART_VOLUMES, NULL, json_str(claim, ".spec.volumeName"));
        if (!json_find(node, ".spec.validator") || !volume
            || str_eq(json_str(volume, ".spec.persistentVolumeReclaimPolicy"), "Retain"))
            continue;
        Finding f =
            exam_about("SeiNode", node, "reclaimPolicy Delete on the volume of a validator");
        f.other = meta_name(volume);
        exam_find(exam, f);
    }
}

/* Its capacity is below what is asked for, or the driver says that it cannot grow. */
static void volume_is_too_small(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *claim = chart_claim(c, nodes->items[i]);
        const char *asked = json_str(claim, ".spec.resources.requests.storage");
        const char *has = json_str(claim, ".status.capacity.storage");
        Quantity want, got;
        if (!asked || !has || quantity_parse(c->arena, asked, &want)
            || quantity_parse(c->arena, has, &got) || quantity_compare(got, want) >= 0)
            continue;
        exam_find(exam,
            exam_about("PersistentVolumeClaim",
                claim,
                str_format(exam->arena, "asks for %s and has %s", asked, has)));
    }
}

static void volume_has_failed(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *claim = chart_claim(c, nodes->items[i]);
        const Json *volume =
            chart_find(c, CHART_VOLUMES, NULL, json_str(claim, ".spec.volumeName"));
        const char *phase = json_str(volume, ".status.phase");
        bool is_ours = !volume || str_eq(json_str(volume, ".spec.claimRef.uid"), meta_uid(claim));
        if (!volume || (is_ours && !str_eq(phase, "Failed") && !str_eq(phase, "Released")))
            continue;
        exam_find(exam,
            exam_about("PersistentVolume",
                volume,
                is_ours ? str_format(exam->arena,
                              "the volume of SeiNode %s is %s",
                              meta_name(nodes->items[i]),
                              phase)
                        : str_format(exam->arena,
                              "claim %s is bound to it, and it to another",
                              meta_name(claim))));
    }
}

/* Names of claims in one namespace, looked up by a map that knows who named each first. A node that
 * is stopped has no use of its claim, and is not started while another has. */
static void claim_has_two_nodes(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *nodes = chart_list(c, CHART_NODES);
    Map *first_of = map_open(nodes->count + 1);

    for (size_t i = 0; i < nodes->count; i++) {
        const Json *node = nodes->items[i];
        const char *key =
            str_format(c->arena, "%s/%s", meta_namespace(node), chart_claim_name(c, node));
        if (chart_is_stopped(c, node))
            continue;
        const Json *first = map_find(first_of, key);
        if (first)
            exam_find(exam,
                exam_about("SeiNode",
                    node,
                    str_format(exam->arena,
                        "claim %s is also the data of SeiNode %s",
                        chart_claim_name(c, node),
                        meta_name(first))));
        else if (!map_put(first_of, key, (void *)node))
            BUG("a map that was made for all nodes is full");
    }
    map_close(first_of);
}

const Check storage_checks[] = {
    {.code = "SEI2001",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "a StorageClass of the settings does not exist",
        .fine = "each StorageClass of the settings exists",
        .about = "The claim of the next node of that kind stays Pending. Create the class, or "
                 "name another one in the settings (SEI_STORAGE_CLASS_...) before nodes are made: "
                 "the class of a claim cannot be changed.",
        .fix = "kubectl get storageclasses",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS, CHART_CLASSES},
        .needs_operator = true,
        .run = class_is_missing},
    {.code = "SEI2002",
        .area = AREA_STORAGE,
        .severity = SEVERITY_WARNING,
        .title = "a StorageClass does not allow volumes to grow",
        .fine = "no StorageClass of the settings keeps volumes from growing",
        .about = "A chain only grows. Without allowVolumeExpansion a full volume means a new node "
                 "and days of syncing.",
        .fix = "kubectl patch storageclass {name} -p '{\"allowVolumeExpansion\":true}'",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS, CHART_CLASSES},
        .needs_operator = true,
        .run = class_cannot_grow},
    {.code = "SEI2003",
        .area = AREA_STORAGE,
        .severity = SEVERITY_WARNING,
        .title = "a StorageClass binds volumes before pods are scheduled",
        .fine = "no StorageClass of the settings binds volumes before pods are scheduled",
        .about = "With volumeBindingMode Immediate a volume may be made in a zone that has no room "
                 "for the pod, which then stays Pending for good. The mode of a class cannot be "
                 "changed: make another class with WaitForFirstConsumer.",
        .fix = "kubectl get storageclass {name} -o yaml",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS, CHART_CLASSES},
        .needs_operator = true,
        .run = class_binds_at_once},
    {.code = "SEI2004",
        .area = AREA_STORAGE,
        .severity = SEVERITY_NOTE,
        .title = "a StorageClass deletes volumes with their claims",
        .fine = "no StorageClass of the settings deletes volumes with their claims",
        .about = "Whoever deletes a claim deletes the data. A fleet with deletionPolicy Retain "
                 "keeps its claims; Retain on the volumes themselves also survives a slip of the "
                 "hand.",
        .fix = "kubectl get storageclass {name} -o yaml",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS, CHART_CLASSES},
        .needs_operator = true,
        .run = class_deletes},
    {.code = "SEI2005",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .is_pre_alone = true,
        .title = "the cluster has no StorageClass",
        .fine = "the cluster has a StorageClass",
        .about = "Nodes keep their data on volumes that are made for them. Install a CSI driver "
                 "and a class, then name it in the settings.",
        .fix = "kubectl get storageclasses,csidrivers",
        .needs = {CHART_CLASSES},
        .run = there_is_no_class},
    {.code = "SEI2101",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "a claim has lost its volume",
        .fine = "no claim of a node has lost its volume",
        .about = "The PersistentVolume was deleted under it. If the disk still exists, make a "
                 "PersistentVolume for it by hand, with a claimRef to this claim; else restore a "
                 "snapshot.",
        .fix = "kubectl describe persistentvolumeclaim {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = claim_is_lost},
    {.code = "SEI2102",
        .area = AREA_STORAGE,
        .severity = SEVERITY_WARNING,
        .title = "a claim has been waiting for its volume for five minutes",
        .fine = "no claim of a node has been waiting for its volume for five minutes",
        .about = "The class does not exist, its driver has no room or no right, or the pod cannot "
                 "be scheduled. The events of the claim say which.",
        .fix = "kubectl describe persistentvolumeclaim {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = claim_is_pending},
    {.code = "SEI2103",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "the claim of a running node is being deleted",
        .fine = "no claim of a running node is being deleted",
        .about = "Kubernetes keeps it only as long as the pod runs, and a deletion cannot be taken "
                 "back: keep the volume before anything restarts the pod, then let the claim go "
                 "and import the volume under a new one.",
        .fix = "kubectl patch persistentvolume {other} "
               "-p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'",
        .other_is = "VOLUME",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = claim_is_going},
    {.code = "SEI2104",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "the volume of a validator is deleted with its claim",
        .fine = "no volume of a validator is deleted with its claim",
        .about = "Its priv_validator_state.json is on that volume: a validator that comes back "
                 "without it can sign a height twice, which is slashed and jailed for good.",
        .fix = "kubectl patch persistentvolume {other} "
               "-p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'",
        .other_is = "VOLUME",
        .needs = {CHART_NODES, CHART_CLAIMS, CHART_VOLUMES},
        .run = volume_is_deleted_with_a_validator},
    {.code = "SEI2105",
        .area = AREA_STORAGE,
        .severity = SEVERITY_WARNING,
        .title = "a volume is smaller than its claim asks for",
        .fine = "no volume is smaller than its claim asks for",
        .about = "It is being grown, or cannot be: some drivers need the pod to be restarted "
                 "(condition FileSystemResizePending), others allow one growth in six hours.",
        .fix = "kubectl describe persistentvolumeclaim {name} -n {namespace}",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = volume_is_too_small},
    {.code = "SEI2106",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "two nodes have the same claim as their data",
        .fine = "no two running nodes have the same claim as their data",
        .about = "Two seid on one database destroy it. With ReadWriteOnce two pods on one machine "
                 "may do just that; the second one waits only as long as it sees the first.",
        .fix = "kubectl sei pause node/{name} -n {namespace}",
        .needs = {CHART_NODES},
        .run = claim_has_two_nodes},
    {.code = "SEI2107",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "the volume of a node has failed, or is bound to something else",
        .fine = "no volume of a node has failed, or is bound to something else",
        .about = "The pod runs on for as long as the disk is attached and cannot be started "
                 "again.",
        .fix = "kubectl describe persistentvolume {name}",
        .needs = {CHART_NODES, CHART_CLAIMS, CHART_VOLUMES},
        .run = volume_has_failed},
    {.code = "SEI2108",
        .area = AREA_STORAGE,
        .severity = SEVERITY_ERROR,
        .title = "the claim with the data of a node is gone",
        .fine = "no claim with the data of a node is gone",
        .about = "The node is not given an empty one without being told to. Restore the claim and "
                 "name it with the annotation sei.io/adopt-volume, or accept an empty one: "
                 "`explain DataVolumeMissing` has both.",
        .fix = "kubectl sei status node/{name} -n {namespace}",
        .needs = {CHART_NODES, CHART_CLAIMS},
        .run = claim_is_missing},
    {.code = NULL},
};
