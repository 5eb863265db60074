/* Checks of the operator's Deployment, its pods and what it was told. One that runs outside of the
 * cluster has none of these: its Lease alone says that it works (check_lease.c). */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"

#include <string.h>

enum { PODS_SAME_MACHINE_MIN = 2 };

static int64_t wanted(const Json *deployment)
{
    return json_int(deployment, ".spec.replicas", 1);
}

static int64_t available(const Json *deployment)
{
    return json_int(deployment, ".status.availableReplicas", 0);
}

static void nothing_is_available(Exam *exam, const Json *d)
{
    if (available(d) == 0)
        exam_find(exam,
            exam_about("Deployment",
                d,
                wanted(d) == 0 ? "is scaled to 0: nobody looks after the nodes"
                               : "has no available replica: nobody looks after the nodes"));
}

static void too_few_are_available(Exam *exam, const Json *d)
{
    if (available(d) == 0)
        exam_skip(exam, "no replica is available"); /* which is told by another */
    else if (available(d) < wanted(d))
        exam_find(exam,
            exam_about("Deployment",
                d,
                str_format(exam->arena,
                    "%lld of %lld replicas are available",
                    (long long)available(d),
                    (long long)wanted(d))));
}

static void there_is_no_spare(Exam *exam, const Json *d)
{
    if (wanted(d) == 1)
        exam_find(exam,
            exam_about("Deployment", d, "has one replica: nobody works while it is replaced"));
}

/* With whom the operator at this place of the list shares a namespace: the one that we know, or one
 * before it; NULL: with nobody. */
static const Json *find_rival(const Chart *c, size_t place)
{
    const Objects *all = chart_list(c, CHART_DEPLOYMENTS);
    const Json *one = all->items[place], *ours = chart_operator(c);

    if (chart_operators_meet(c, ours, one))
        return ours;
    for (size_t i = 0; i < place; i++)
        if (chart_is_at_work(all->items[i]) && chart_operators_meet(c, all->items[i], one))
            return all->items[i];
    return NULL;
}

static void another_is_installed(Exam *exam)
{
    const Objects *all = chart_list(exam->chart, CHART_DEPLOYMENTS);

    for (size_t i = 0; i < all->count; i++) {
        const Json *one = all->items[i];
        if (one == chart_operator(exam->chart) || !chart_is_at_work(one))
            continue;
        const Json *rival = find_rival(exam->chart, i);
        if (rival)
            exam_find(exam,
                exam_about("Deployment",
                    one,
                    str_format(exam->arena,
                        "is a second operator beside %s/%s",
                        meta_namespace(rival),
                        meta_name(rival))));
    }
}

static void reference_still_runs(Exam *exam)
{
    const Objects *all = chart_list(exam->chart, CHART_DEPLOYMENTS);

    for (size_t i = 0; i < all->count; i++) {
        const Json *one = all->items[i];
        bool is_reference = str_eq(meta_label(one, "app.kubernetes.io/name"), "sei-k8s-controller")
            || str_has_prefix(meta_name(one), "sei-k8s-controller");
        if (is_reference && wanted(one) > 0)
            exam_find(exam, exam_about("Deployment", one, "the Go operator still runs"));
    }
}

/* --- what it is */

/* "0.4" of "registry:5000/x/sei-operator:v0.4.1@sha256:..."; NULL where the tag is no version. */
static const char *release_of(Arena *a, const char *version)
{
    size_t digits = strspn(version, "0123456789");

    if (digits == 0 || version[digits] != '.')
        return NULL;
    size_t minor = strspn(version + digits + 1, "0123456789");
    return minor ? str_slice(a, version, digits + 1 + minor) : NULL;
}

static const char *tag_of(Arena *a, const char *image)
{
    const char *plain = str_slice(a, image, strcspn(image, "@"));
    const char *colon = strrchr(plain, ':'), *slash = strrchr(plain, '/');

    if (!colon || (slash && colon < slash))
        return NULL;
    return colon[1] == 'v' ? colon + 2 : colon + 1;
}

static void release_differs(Exam *exam, const Json *d)
{
    const char *image = json_str(d, ".spec.template.spec.containers[0].image");
    const char *tag = image ? tag_of(exam->arena, image) : NULL;
    const char *theirs = tag ? release_of(exam->arena, tag) : NULL;
    const char *ours = release_of(exam->arena, exam->chart->cli_version);

    if (!theirs || !ours)
        exam_skip(exam, "its image does not say of which release it is");
    else if (!str_eq(theirs, ours))
        exam_find(exam,
            exam_about("Deployment",
                d,
                str_format(exam->arena,
                    "the operator is %s, this program %s",
                    tag,
                    exam->chart->cli_version)));
}

/* --- what it was told */

static void settings_are_missing(Exam *exam, const Json *d)
{
    const Json *entry;

    json_each(entry, json_find(d, ".spec.template.spec.containers[0].envFrom")) {
        const char *name = json_str(entry, ".configMapRef.name");
        if (!name || json_bool(entry, ".configMapRef.optional", false)
            || chart_find(exam->chart, CHART_SETTINGS, meta_namespace(d), name))
            continue;
        exam_find(exam,
            (Finding){.kind = "ConfigMap",
                .object = {meta_namespace(d), name},
                .message = str_format(exam->arena,
                    "%s reads its settings there, and it is not there",
                    meta_name(d))});
    }
}

static bool has_its_maps(const Exam *exam, const Json *d)
{
    const Json *entry;

    json_each(entry, json_find(d, ".spec.template.spec.containers[0].envFrom")) {
        const char *name = json_str(entry, ".configMapRef.name");
        if (name && !chart_find(exam->chart, CHART_SETTINGS, meta_namespace(d), name))
            return false;
    }
    return true;
}

static void settings_make_no_sense(Exam *exam, const Json *d)
{
    Settings settings;

    if (!has_its_maps(exam, d)) {
        exam_skip(exam, "a ConfigMap of it is missing");
        return;
    }
    const Err *err = chart_settings(exam->chart, d, &settings);
    if (err_is(err, ERR_TERMINAL))
        exam_find(exam, exam_about("Deployment", d, err_text(exam->arena, err)));
    else if (err)
        exam_skip(exam, err_text(exam->arena, err));
}

/* --- its pods and accounts */

/* A machine that was shut down, or was short of something, leaves its pods behind for a long time
 * after others took their place. */
static bool has_ended(const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");

    return str_eq(phase, "Failed") || str_eq(phase, "Succeeded");
}

static bool is_replaced(const Chart *c, const Json *pod)
{
    const Objects operators = chart_operators(c);

    for (size_t i = 0; has_ended(pod) && i < operators.count; i++) {
        const Json *d = operators.items[i];
        if (str_eq(meta_namespace(d), meta_namespace(pod)) && available(d) >= wanted(d))
            return true;
    }
    return false;
}

static void pod_is_in_trouble(Exam *exam)
{
    const Objects *all = chart_list(exam->chart, CHART_OPERATOR_PODS);

    if (all->count == 0)
        exam_skip(exam, "there is no pod of an operator");
    for (size_t i = 0; i < all->count; i++) {
        const char *trouble = pod_trouble(exam->arena, all->items[i]);
        if (trouble && !is_replaced(exam->chart, all->items[i]))
            exam_find(exam, exam_about("Pod", all->items[i], trouble));
    }
}

static void pods_share_a_machine(Exam *exam, const Json *d)
{
    const Objects *all = chart_list(exam->chart, CHART_OPERATOR_PODS);
    const Json *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const Json *pod = all->items[i];
        if (!str_eq(meta_namespace(pod), meta_namespace(d)) || has_ended(pod))
            continue;
        first = first ? first : pod;
        count++;
        if (!str_eq(json_str(pod, ".spec.nodeName"), json_str(first, ".spec.nodeName")))
            return;
    }
    if (count >= PODS_SAME_MACHINE_MIN && json_str(first, ".spec.nodeName"))
        exam_find(exam,
            exam_about("Pod",
                first,
                str_format(exam->arena,
                    "all replicas of the operator are on machine %s",
                    json_str(first, ".spec.nodeName"))));
}

static void tell_missing_account(Exam *exam, Key account, const char *message)
{
    if (!chart_find(exam->chart, CHART_ACCOUNTS, account.namespace, account.name))
        exam_find(exam, (Finding){.kind = "ServiceAccount", .object = account, .message = message});
}

static void account_is_missing(Exam *exam, const Json *d)
{
    tell_missing_account(
        exam, chart_operator_account(d), "the operator runs as this account, and it is not there");
}

static void sidecar_account_is_missing(Exam *exam, const Json *d)
{
    tell_missing_account(exam,
        chart_sidecar_account(exam->chart, d),
        "sidecars get tokens of this account, and it is not there");
}

const Check operator_checks[] = {
    {.code = "SEI1102",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "no replica of the operator is available",
        .fine = "a replica of the operator is available",
        .about = "Nodes run on, but nothing is updated, repaired or cleaned up. The events and "
                 "the log of its pods say why they do not start; a setting that is missing is "
                 "named there and by SEI1112.",
        .fix = "kubectl logs deployment/{name} -n {namespace} --all-containers --tail=20",
        .needs = {CHART_DEPLOYMENTS},
        .run_of_operator = nothing_is_available},
    {.code = "SEI1104",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_WARNING,
        .title = "replicas of the operator are missing",
        .fine = "no replica of the operator is missing",
        .about = "One works and nobody stands by: when it ends, the nodes wait for the kubelet.",
        .fix = "kubectl rollout status deployment/{name} -n {namespace} --timeout=60s",
        .needs = {CHART_DEPLOYMENTS},
        .run_of_operator = too_few_are_available},
    {.code = "SEI1105",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_NOTE,
        .title = "the operator has one replica",
        .fine = "no operator has a single replica",
        .about = "A second one takes over within a second or two when the first is replaced or "
                 "its machine drained. It costs 64 MiB.",
        .fix = "kubectl scale deployment/{name} -n {namespace} --replicas=2",
        .needs = {CHART_DEPLOYMENTS},
        .run_of_operator = there_is_no_spare},
    {.code = "SEI1108",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "the operator is installed twice",
        .fine = "no two operators are installed for the same nodes",
        .about = "Each takes the Lease of its own namespace, so both work on the same nodes and "
                 "undo each other's writes, by different settings if they have such. Keep the one "
                 "whose settings are yours and scale the other to 0, or let each look after "
                 "namespaces of its own (--watch-namespaces).",
        .fix = "kubectl get deployments -A -l app.kubernetes.io/name=sei-operator -o wide",
        .needs = {CHART_DEPLOYMENTS},
        .run = another_is_installed},
    {.code = "SEI1109",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "the Go operator still runs",
        .fine = "no Go operator runs",
        .about = "Two operators on the same nodes: pods are replaced twice, and budgets spent "
                 "twice. Stop it before this one is started; docs/MIGRATE.md has the steps.",
        .fix = "kubectl scale deployment/{name} -n {namespace} --replicas=0",
        .needs = {CHART_DEPLOYMENTS},
        .run = reference_still_runs},
    {.code = "SEI1110",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_WARNING,
        .title = "this program and the operator are of different releases",
        .fine = "this program and the operator are of the same release",
        .about = "What this program says of reasons and tasks may not be what that operator "
                 "means by them. Install the kubectl-sei of the operator's release.",
        .fix = "kubectl sei version",
        .needs = {CHART_DEPLOYMENTS},
        .run_of_operator = release_differs},
    {.code = "SEI1111",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "the settings of the operator are missing",
        .fine = "no ConfigMap that the operator needs is missing",
        .about = "Its pods cannot be started without the ConfigMap that they read: they wait in "
                 "CreateContainerConfigError. Bring back your own, from where it was installed: "
                 "with other storage classes, pools or images in it all nodes are rolled.",
        .fix = "kubectl get configmaps -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS},
        .run_of_operator = settings_are_missing},
    {.code = "SEI1112",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "a setting of the operator is missing or makes no sense",
        .fine = "the settings of the operator are whole and make sense",
        .about = "The operator says the same when it starts, and ends. A pod that was started "
                 "before the ConfigMap was edited still works with the old values: the next one "
                 "will not start. `sei-operator --help` says what each setting means.",
        .fix = "kubectl edit configmap sei-operator-platform -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_SETTINGS},
        .run_of_operator = settings_make_no_sense},
    {.code = "SEI1113",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "a pod of the operator does not run",
        .fine = "no pod of the operator is in trouble",
        .about = "The message is the kubelet's or the scheduler's.",
        .fix = "kubectl describe pod {name} -n {namespace}",
        .needs = {CHART_OPERATOR_PODS},
        .run = pod_is_in_trouble},
    {.code = "SEI1114",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_NOTE,
        .title = "all replicas of the operator are on one machine",
        .fine = "no operator has several pods that are all on one machine",
        .about = "They end together with it.",
        .fix = "kubectl delete pod {name} -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_OPERATOR_PODS},
        .run_of_operator = pods_share_a_machine},
    {.code = "SEI1115",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "the account of the operator is missing",
        .fine = "the account of the operator is there",
        .about = "No pod of the operator can be made without it, and those that run lose their "
                 "rights within the hour.",
        .fix = "kubectl create serviceaccount {name} -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_ACCOUNTS},
        .run_of_operator = account_is_missing},
    {.code = "SEI1116",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "the account of sidecars' tokens is missing",
        .fine = "the account of sidecars' tokens is there",
        .about = "The operator shows sidecars a token of this account, never its own. Without it "
                 "no sidecar can be asked anything, and plans wait.",
        .fix = "kubectl create serviceaccount {name} -n {namespace}",
        .needs = {CHART_DEPLOYMENTS, CHART_ACCOUNTS},
        .run_of_operator = sidecar_account_is_missing},
    {.code = NULL},
};
