/* Checks of the pods of nodes, by what the kubelet and the scheduler say. A pod has one finding:
 * the one that explains the others. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "cli/object.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "sei/api/names.h"

enum { GOING_SLACK_S = 300, MACHINE_MAX_S = 300, RESTARTS_MAX = 5, RECENT_S = 24 * 3600 };

typedef const Json *ContainerTest(const Json *status);

/* The first container of a pod that the test says something of; NULL for none. */
static const Json *find_container(const Json *pod, ContainerTest *test)
{
    static const char *const lists[] = {
        ".status.initContainerStatuses", ".status.containerStatuses"};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const Json *status;
        json_each(status, json_find(pod, lists[i]))
            if (test(status))
                return status;
    }
    return NULL;
}

static bool waits_for(const Json *status, const char *const *reasons)
{
    const char *reason = json_str(status, ".state.waiting.reason");

    for (; reason && *reasons; reasons++)
        if (str_eq(reason, *reasons))
            return true;
    return false;
}

static const Json *crashing(const Json *status)
{
    static const char *const reasons[] = {"CrashLoopBackOff", NULL};
    return waits_for(status, reasons) ? status : NULL;
}

static const Json *not_pulled(const Json *status)
{
    static const char *const reasons[] = {
        "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", NULL};
    return waits_for(status, reasons) ? status : NULL;
}

static const Json *not_configured(const Json *status)
{
    static const char *const reasons[] = {
        "CreateContainerConfigError", "CreateContainerError", "RunContainerError", NULL};
    return waits_for(status, reasons) ? status : NULL;
}

static const Json *out_of_memory(const Json *status)
{
    return str_eq(json_str(status, ".lastState.terminated.reason"), "OOMKilled") ? status : NULL;
}

static const Json *often_restarted(const Json *status)
{
    return json_int(status, ".restartCount", 0) > RESTARTS_MAX && !crashing(status)
            && !out_of_memory(status)
        ? status
        : NULL;
}

/* Tells of each pod with such a container. */
static void each_pod(Exam *exam, ContainerTest *test, const char *what)
{
    const Objects *pods = chart_list(exam->chart, CHART_PODS);

    for (size_t i = 0; i < pods->count; i++) {
        const Json *pod = pods->items[i], *status = find_container(pod, test);
        if (!status || meta_deleting(pod))
            continue;
        const char *message = json_str(status, ".state.waiting.message");
        Finding f = exam_about("Pod",
            pod,
            str_format(exam->arena,
                "container %s %s%s%s",
                exam_word(json_str(status, ".name")),
                what,
                message ? ": " : "",
                message ? message : ""));
        f.other = json_str(status, ".name");
        f.value = meta_label(pod, LABEL_NODE);
        exam_find(exam, f);
    }
}

static void pod_crashes(Exam *exam)
{
    each_pod(exam, crashing, "ends again and again");
}

static void image_is_not_pulled(Exam *exam)
{
    each_pod(exam, not_pulled, "has no image");
}

static void container_is_not_made(Exam *exam)
{
    each_pod(exam, not_configured, "cannot be made");
}

static void memory_is_short(Exam *exam)
{
    const Objects *pods = chart_list(exam->chart, CHART_PODS);

    for (size_t i = 0; i < pods->count; i++) {
        const Json *pod = pods->items[i], *status = find_container(pod, out_of_memory);
        int64_t age_s = chart_age_s(exam->chart, status, ".lastState.terminated.finishedAt");
        if (!status || crashing(status) || age_s > RECENT_S)
            continue;
        Finding f = exam_about("Pod",
            pod,
            str_format(exam->arena,
                "container %s was killed for lack of memory",
                json_str(status, ".name")));
        f.value = meta_label(pod, LABEL_NODE);
        exam_find(exam, f);
    }
}

static void pod_restarts_often(Exam *exam)
{
    each_pod(exam, often_restarted, "has been restarted more than five times");
}

static void pod_has_no_machine(Exam *exam)
{
    const Objects *pods = chart_list(exam->chart, CHART_PODS);

    for (size_t i = 0; i < pods->count; i++) {
        const Json *pod = pods->items[i], *cond = cond_in(pod, "PodScheduled");
        /* An autoscaler starts machines, and a volume waits for its pod: both take minutes. */
        if (!str_eq(json_str(cond, ".status"), "False")
            || chart_condition_age_s(exam->chart, pod, "PodScheduled") < MACHINE_MAX_S)
            continue;
        const char *message = json_str(cond, ".message");
        exam_find(exam,
            exam_about("Pod",
                pod,
                str_format(exam->arena,
                    "no machine takes it: %s",
                    exam_word(message ? message : json_str(cond, ".reason")))));
    }
}

static void pod_does_not_go(Exam *exam)
{
    const Objects *pods = chart_list(exam->chart, CHART_PODS);

    for (size_t i = 0; i < pods->count; i++) {
        const Json *pod = pods->items[i];
        /* The time already has the grace period in it. */
        int64_t age_s = chart_age_s(exam->chart, pod, ".metadata.deletionTimestamp");
        const char *machine = json_str(pod, ".spec.nodeName");
        if (!meta_deleting(pod) || age_s < GOING_SLACK_S)
            continue;
        exam_find(exam,
            exam_about("Pod",
                pod,
                str_format(exam->arena,
                    "should have ended %s ago on machine %s",
                    chart_age_text(exam->chart, age_s),
                    machine ? machine : "(none)")));
    }
}

#define DESCRIBE "kubectl describe pod {name} -n {namespace}"

const Check pod_checks[] = {
    {.code = "SEI3101",
        .area = AREA_PODS,
        .severity = SEVERITY_ERROR,
        .title = "a container crashes again and again",
        .fine = "no container crashes again and again",
        .about = "Its log before the last crash says why. A seid that panics at an upgrade height "
                 "wants the next image; one that complains of its database wants the data of a "
                 "snapshot.",
        .fix = "kubectl logs {name} -n {namespace} -c {other} --previous --tail=30",
        .other_is = "CONTAINER",
        .needs = {CHART_PODS},
        .run = pod_crashes},
    {.code = "SEI3102",
        .area = AREA_PODS,
        .severity = SEVERITY_ERROR,
        .title = "an image cannot be pulled",
        .fine = "no container waits for an image that cannot be pulled",
        .about = "It does not exist, the registry refuses, or is not reached. During a rollout the "
                 "budget keeps the other nodes as they are; `rollout undo` goes back.",
        .fix = DESCRIBE,
        .needs = {CHART_PODS},
        .run = image_is_not_pulled},
    {.code = "SEI3103",
        .area = AREA_PODS,
        .severity = SEVERITY_ERROR,
        .title = "a pod cannot be scheduled",
        .fine = "no pod has waited for a machine for five minutes",
        .about = "For five minutes, in which an autoscaler could have started one, no machine has "
                 "had the room, the labels (SEI_NODEPOOL_NAME) or the zone of its volume, or all "
                 "have a taint that it does not tolerate (SEI_TOLERATION_KEY).",
        .fix = DESCRIBE,
        .needs = {CHART_PODS},
        .run = pod_has_no_machine},
    {.code = "SEI3104",
        .area = AREA_PODS,
        .severity = SEVERITY_ERROR,
        .title = "a pod does not end",
        .fine = "no pod fails to end",
        .about = "Its time was over five minutes ago: the kubelet of its machine does not answer, "
                 "or the volume cannot be unmounted. Do not delete it by force while the machine "
                 "may still run it: two seid on one volume, or with one key, are the worst case.",
        .fix = DESCRIBE,
        .needs = {CHART_PODS},
        .run = pod_does_not_go},
    {.code = "SEI3105",
        .area = AREA_PODS,
        .severity = SEVERITY_ERROR,
        .title = "a container cannot be made",
        .fine = "no container waits because it cannot be made",
        .about = "A ConfigMap or Secret that it reads is missing, or the runtime refuses it.",
        .fix = DESCRIBE,
        .needs = {CHART_PODS},
        .run = container_is_not_made},
    {.code = "SEI3106",
        .area = AREA_PODS,
        .severity = SEVERITY_WARNING,
        .title = "a container was killed for lack of memory",
        .fine = "no container was killed for lack of memory in the last day",
        .about = "Within the last day. seid needs more than it was given (SEI_RESOURCE_MEM_...), "
                 "or its caches are set too large in overrides; a kill can cost the database.",
        .fix = DESCRIBE,
        .needs = {CHART_PODS},
        .run = memory_is_short},
    {.code = "SEI3107",
        .area = AREA_PODS,
        .severity = SEVERITY_WARNING,
        .title = "a container has been restarted often",
        .fine = "no container that runs has been restarted often",
        .about = "More than five times since its pod was made. It runs now; its log before the "
                 "last restart says why it did not.",
        .fix = "kubectl logs {name} -n {namespace} -c {other} --previous --tail=30",
        .other_is = "CONTAINER",
        .needs = {CHART_PODS},
        .run = pod_restarts_often},
    {.code = NULL},
};
