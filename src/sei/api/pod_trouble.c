/* Why a pod is not Ready. The order of the questions is the order in which a pod starts: machine,
 * volumes, images, containers, probes. */
#include "sei/api/pod_trouble.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

#include <string.h>

enum {
    TROUBLE_MAX = 512,
    CAUSES_MAX = 16,      /* of a pod that cannot be scheduled */
    LOOP_RESTARTS = 3,    /* so many restarts are a loop, */
    LOOP_RUN_MS = 600000, /* if the last run was shorter than what resets the kubelet's back-off */
};

#define CREATING     "ContainerCreating"
#define INITIALIZING "PodInitializing"

/* "reason: message", or what there is of them. */
static const char *told(Arena *a, const char *reason, const char *message)
{
    const char *text = str_empty(reason) ? str_empty(message) ? "no reason given" : message
        : str_empty(message)             ? reason
                                         : str_format(a, "%s: %s", reason, message);
    return str_cut(a, text, TROUBLE_MAX);
}

static const char *told_by(Arena *a, const Json *said)
{
    return told(a, json_str(said, ".reason"), json_str(said, ".message"));
}

static const char *name_of(const Json *status)
{
    const char *name = json_str(status, ".name");

    return name ? name : "?";
}

static const char *machine_of(const Json *pod)
{
    const char *machine = json_str(pod, ".spec.nodeName");

    return machine ? machine : "?";
}

/* --- what the scheduler says --- */

/* The cause that follows " nodes are available: " in "0/3 nodes are available: ...", or NULL. */
static const char *scheduler_causes(const char *message)
{
    static const char intro[] = " nodes are available: ";
    size_t head = message ? strspn(message, "0123456789/") : 0;

    return head && str_has_prefix(message + head, intro) ? message + head + sizeof intro - 1 : NULL;
}

/* Cuts the next cause off, "12 Insufficient memory" without its number. A comma that no number
 * follows is part of a cause. */
static const char *next_cause(Arena *a, const char **rest)
{
    const char *begin = *rest + strspn(*rest, "0123456789"), *end = begin;

    begin += *begin == ' ';
    while (*end && !(str_has_prefix(end, ", ") && strspn(end + 2, "0123456789")))
        end++;
    *rest = *end ? end + 2 : end;
    return str_slice(a, begin, (size_t)(end - begin));
}

/* In the order of the alphabet, each cause once. */
static size_t add_cause(const char *causes[static CAUSES_MAX], size_t count, const char *cause)
{
    size_t i = count;

    while (i > 0 && strcmp(causes[i - 1], cause) >= 0)
        i--;
    if (count == CAUSES_MAX || (i < count && str_eq(causes[i], cause)))
        return count;
    memmove(&causes[i + 1], &causes[i], (count - i) * sizeof *causes);
    causes[i] = cause;
    return count + 1;
}

/* The causes alone, so that the text changes only with them. How many machines each one concerns
 * changes with the load of the cluster, and the scheduler sorts by these numbers. What it says of
 * preemption follows in a sentence of its own. */
static const char *unscheduled_text(Arena *a, const Json *condition)
{
    const char *reason = json_str(condition, ".reason"), *message = json_str(condition, ".message");
    const char *rest = scheduler_causes(message), *causes[CAUSES_MAX], *text = NULL;
    size_t count = 0;

    if (!rest)
        return told(a, reason, message);
    const char *end = strstr(rest, ". ");
    size_t length = end ? (size_t)(end - rest) : strlen(rest);
    if (!end && length && rest[length - 1] == '.')
        length--;
    rest = str_slice(a, rest, length);
    while (*rest)
        count = add_cause(causes, count, next_cause(a, &rest));
    for (size_t i = 0; i < count; i++)
        text = text ? str_format(a, "%s, %s", text, causes[i]) : causes[i];
    return told(a, reason, text);
}

/* --- the pod as a whole --- */

static PodTrouble leaving_trouble(Arena *a, const Json *pod)
{
    const Json *target = cond_in(pod, "DisruptionTarget");
    PodTrouble trouble = {.cause = POD_CAUSE_TERMINATING, .text = "the pod is terminating"};

    if (str_eq(json_str(target, ".status"), "True")) {
        trouble.cause = POD_CAUSE_EVICTED;
        trouble.text = str_format(a, "the pod is being evicted: %s", told_by(a, target));
    }
    return trouble;
}

/* The node controller of the cluster sets condition Ready alone: the kubelet, which sets both, does
 * not report any more. */
static bool has_lost_machine(const Json *pod)
{
    const Json *ready = cond_in(pod, "Ready");

    if (str_eq(json_str(pod, ".status.reason"), "NodeLost")
        || str_eq(json_str(pod, ".status.phase"), "Unknown"))
        return true;
    return ready && !pod_is_ready(pod) && !pod_is_finished(pod)
        && !str_eq(json_str(ready, ".reason"), "ReadinessGatesNotReady")
        && str_eq(json_str(cond_in(pod, "ContainersReady"), ".status"), "True");
}

static bool is_unscheduled(const Json *pod)
{
    return str_eq(json_str(cond_in(pod, "PodScheduled"), ".status"), "False");
}

static PodTrouble pod_wide_trouble(Arena *a, const Json *pod)
{
    if (has_lost_machine(pod))
        return (PodTrouble){.cause = POD_CAUSE_MACHINE_LOST,
            .text = str_format(a, "machine %s does not report", machine_of(pod)),
            .advice = str_format(a,
                "repair machine %s; delete its Node object only if it is off for good",
                machine_of(pod))};
    if (meta_deleting(pod))
        return leaving_trouble(a, pod);
    if (is_unscheduled(pod))
        return (PodTrouble){.cause = POD_CAUSE_UNSCHEDULABLE,
            .text = str_format(a,
                "the pod cannot be scheduled: %s",
                unscheduled_text(a, cond_in(pod, "PodScheduled"))),
            .advice = "make room for it, or correct what keeps the machines from taking it"};
    if (str_eq(json_str(pod, ".status.phase"), "Failed"))
        return (PodTrouble){.cause = POD_CAUSE_FAILED,
            .text = str_format(a, "the pod has failed: %s", told_by(a, json_find(pod, ".status")))};
    return (PodTrouble){0};
}

/* --- images --- */

/* The kubelet's words for an image that it does not have. */
static bool is_about_image(const char *reason)
{
    static const char *const words[] = {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
        NULL,
    };

    for (const char *const *word = words; *word; word++)
        if (str_eq(*word, reason))
            return true;
    return false;
}

static bool lacks_image(const Json *statuses)
{
    const Json *status;

    json_each(status, statuses) {
        const char *reason = json_str(status, ".state.waiting.reason");
        if (reason && is_about_image(reason))
            return true;
    }
    return false;
}

bool pod_lacks_image(const Json *pod)
{
    return lacks_image(json_find(pod, ".status.initContainerStatuses"))
        || lacks_image(json_find(pod, ".status.containerStatuses"));
}

/* While it backs off, a kubelet repeats the error of the pull behind words of its own. */
static const char *pull_error(Arena *a, const Json *waiting)
{
    const char *message = json_str(waiting, ".message");
    const char *error = message ? strstr(message, "\": ErrImagePull") : NULL;

    return error ? str_cut(a, error + 3, TROUBLE_MAX) : told_by(a, waiting);
}

static const char *image_advice(const char *container)
{
    if (str_eq(container, CONTAINER_SEID) || str_eq(container, CONTAINER_INIT))
        return "correct spec.image, or let the machines pull it";
    if (str_eq(container, CONTAINER_SIDECAR))
        return "correct spec.sidecar.image, or let the machines pull it";
    return "correct the image in the settings of the operator, or let the machines pull it";
}

static PodTrouble image_trouble(Arena *a, const Json *status)
{
    const char *image = json_str(status, ".image");

    return (PodTrouble){
        .cause = POD_CAUSE_IMAGE,
        .container = name_of(status),
        .text = str_format(a,
            "cannot pull image %s of container %s: %s",
            image ? image : "?",
            name_of(status),
            pull_error(a, json_find(status, ".state.waiting"))),
        .advice = image_advice(name_of(status)),
    };
}

/* --- containers that end --- */

/* " (5+ restarts)": in steps, so that a crash loop is not reported at every restart. */
static const char *restarts_text(Arena *a, int64_t count)
{
    static const int64_t steps[] = {1000, 500, 200, 100, 50, 20, 10, 5, 2};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (count >= steps[i])
            return str_format(a, " (%lld+ restarts)", (long long)steps[i]);
    return count == 1 ? " (1 restart)" : "";
}

/* "exit code 137, OOMKilled". "Error" says no more than the exit code. */
static const char *end_text(Arena *a, const Json *ended)
{
    const char *reason = json_str(ended, ".reason"), *message = json_str(ended, ".message");
    bool is_plain = str_empty(reason) || str_eq(reason, "Error");

    return str_cut(a,
        str_format(a,
            "exit code %lld%s%s%s%s",
            (long long)json_int(ended, ".exitCode", 0),
            is_plain ? "" : ", ",
            is_plain ? "" : reason,
            str_empty(message) ? "" : ": ",
            str_empty(message) ? "" : message),
        TROUBLE_MAX);
}

static bool was_short(const Json *ended)
{
    int64_t from_ns, to_ns;

    return !timestamp_parse(json_str(ended, ".startedAt"), &from_ns)
        || !timestamp_parse(json_str(ended, ".finishedAt"), &to_ns)
        || (to_ns - from_ns) / 1000000 < LOOP_RUN_MS;
}

/* In the same words in every turn of a crash loop: ended, held back, running again. */
static PodTrouble crash_trouble(Arena *a, const Json *pod, const Json *status, const Json *ended)
{
    int64_t restarts = json_int(status, ".restartCount", 0);
    bool is_out_of_memory = str_eq(json_str(ended, ".reason"), "OOMKilled");
    const char *name = name_of(status), *pod_name = meta_name(pod);

    return (PodTrouble){
        .cause = POD_CAUSE_CRASH,
        .container = name,
        .text = str_format(a,
            "container %s %s: %s%s",
            name,
            restarts ? "is crash-looping" : "has ended",
            end_text(a, ended),
            restarts_text(a, restarts)),
        .advice = is_out_of_memory
            ? str_format(a, "give container %s more memory", name)
            : str_format(a,
                  "read its last lines with kubectl logs %s -c %s --previous",
                  pod_name ? pod_name : "POD",
                  name),
        .is_crash_loop = restarts >= LOOP_RESTARTS && was_short(ended),
    };
}

/* --- containers --- */

static bool is_being_created(const char *reason)
{
    return str_eq(reason, CREATING) || str_eq(reason, INITIALIZING);
}

static PodTrouble waiting_trouble(Arena *a, const Json *status, const char *reason)
{
    bool is_config = str_eq(reason, "CreateContainerConfigError");

    if (is_about_image(reason))
        return image_trouble(a, status);
    return (PodTrouble){
        .cause = is_config ? POD_CAUSE_CONFIG : POD_CAUSE_BLOCKED,
        .container = name_of(status),
        .text = str_format(a,
            "container %s cannot be started: %s",
            name_of(status),
            told_by(a, json_find(status, ".state.waiting"))),
        .advice =
            is_config ? "create or correct the Secret or ConfigMap that the message names" : NULL,
    };
}

static PodTrouble container_trouble(Arena *a, const Json *pod, const Json *status)
{
    const char *reason = json_str(status, ".state.waiting.reason");
    const Json *ended = json_find(status, ".state.terminated");
    const Json *before = json_find(status, ".lastState.terminated");
    bool is_back = json_find(status, ".state.running") && !json_bool(status, ".ready", false);

    if (ended && json_int(ended, ".exitCode", 0) != 0)
        return crash_trouble(a, pod, status, ended);
    if (is_back && json_int(before, ".exitCode", 0) != 0)
        return crash_trouble(a, pod, status, before);
    if (!reason || is_being_created(reason))
        return (PodTrouble){0};
    if (str_eq(reason, "CrashLoopBackOff"))
        return crash_trouble(a, pod, status, before);
    return waiting_trouble(a, status, reason);
}

static PodTrouble trouble_among(Arena *a, const Json *pod, const Json *statuses)
{
    PodTrouble trouble = {0};
    const Json *status;

    json_each(status, statuses) {
        trouble = container_trouble(a, pod, status);
        if (trouble.cause)
            break;
    }
    return trouble;
}

/* --- pods that are merely not Ready --- */

static bool is_created(const Json *statuses)
{
    const Json *status;

    json_each(status, statuses)
        if (json_find(status, ".state.running") || json_find(status, ".state.terminated"))
            return true;
    return false;
}

/* A pod has its address as soon as its volumes are mounted and its network is there. */
static bool awaits_volumes(const Json *pod)
{
    return str_empty(json_str(pod, ".status.podIP")) && json_str(pod, ".spec.nodeName")
        && !is_created(json_find(pod, ".status.initContainerStatuses"))
        && !is_created(json_find(pod, ".status.containerStatuses"));
}

static bool is_unready(const Json *status)
{
    return json_find(status, ".state.running") && !json_bool(status, ".ready", false);
}

/* seid before its helpers: it is what the node is for. */
static const Json *find_unready(const Json *pod)
{
    const Json *status, *found = NULL;

    json_each(status, json_find(pod, ".status.containerStatuses"))
        if (is_unready(status) && (!found || str_eq(name_of(status), CONTAINER_SEID)))
            found = status;
    json_each(status, json_find(pod, ".status.initContainerStatuses"))
        if (!found && is_unready(status))
            found = status;
    return found;
}

static PodTrouble probe_trouble(Arena *a, const Json *pod, const Json *status)
{
    const char *name = name_of(status), *pod_name = meta_name(pod);
    const char *helpers = pod_unready_helpers(a, pod);
    const Json *started = json_find(status, ".started");

    if (str_eq(name, CONTAINER_SEID) && started && !json_bool(status, ".started", true))
        return (PodTrouble){.cause = POD_CAUSE_GATE,
            .container = name,
            .text = "container seid waits until the sidecar lets it start"};
    return (PodTrouble){
        .cause = POD_CAUSE_PROBE,
        .container = name,
        .text = helpers ? str_format(a, "container seid is Ready, these are not: %s", helpers)
                        : str_format(a, "container %s runs, and its readiness probe fails", name),
        .advice = str_format(a,
            "kubectl describe pod %s shows what the probe got, kubectl logs %s -c %s why",
            pod_name ? pod_name : "POD",
            pod_name ? pod_name : "POD",
            name),
    };
}

static PodTrouble soft_trouble(Arena *a, const Json *pod)
{
    const Json *unready = find_unready(pod), *ready = cond_in(pod, "Ready");
    const char *name = meta_name(pod);

    if (awaits_volumes(pod))
        return (PodTrouble){.cause = POD_CAUSE_VOLUMES,
            .text = str_format(
                a, "the pod waits for its volumes or network on machine %s", machine_of(pod)),
            .advice = str_format(a,
                "kubectl describe pod %s shows what cannot be attached or mounted",
                name ? name : "POD")};
    if (unready)
        return probe_trouble(a, pod, unready);
    return (PodTrouble){
        .cause = POD_CAUSE_UNKNOWN,
        .text = json_str(ready, ".reason")
            ? str_format(a, "the pod is not Ready: %s", told_by(a, ready))
            : "the pod is not Ready",
    };
}

/* --- all of them --- */

PodTrouble pod_trouble_find(Arena *a, const Json *pod)
{
    if (!pod)
        return (PodTrouble){0};
    PodTrouble trouble = pod_wide_trouble(a, pod);
    if (!trouble.cause)
        trouble = trouble_among(a, pod, json_find(pod, ".status.initContainerStatuses"));
    if (!trouble.cause)
        trouble = trouble_among(a, pod, json_find(pod, ".status.containerStatuses"));
    if (!trouble.cause && !pod_is_ready(pod))
        trouble = soft_trouble(a, pod);
    return trouble;
}

bool pod_trouble_is_hard(const PodTrouble *trouble)
{
    return trouble->cause >= POD_CAUSE_UNSCHEDULABLE && trouble->cause <= POD_CAUSE_CRASH;
}

const char *pod_trouble(Arena *a, const Json *pod)
{
    PodTrouble trouble = pod_trouble_find(a, pod);

    return pod_trouble_is_hard(&trouble) ? trouble.text : NULL;
}

static int64_t at_ms(const char *text)
{
    int64_t at_ns;

    return text && timestamp_parse(text, &at_ns) ? at_ns / 1000000 : 0;
}

int64_t pod_trouble_since_ms(const Json *pod)
{
    const char *type = is_unscheduled(pod) ? "PodScheduled" : "Ready";
    int64_t made_ms = at_ms(json_str(pod, ".metadata.creationTimestamp"));
    int64_t turned_ms = at_ms(json_str(cond_in(pod, type), ".lastTransitionTime"));

    return turned_ms > made_ms ? turned_ms : made_ms;
}
