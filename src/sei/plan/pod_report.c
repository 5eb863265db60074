/* What a node reports of its pod. */
#include "sei/plan/pod_report.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/pod_trouble.h"

#include <string.h>

/* --- when a person must act --- */

typedef struct Grace {
    Reason stall;
    int64_t after_ms;
} Grace;

static Grace grace_of(const PodTrouble *trouble)
{
    switch (trouble->cause) {
    case POD_CAUSE_IMAGE:
        return (Grace){REASON_IMAGE_PULL_FAILED, GRACE_IMAGE_MS};
    case POD_CAUSE_CONFIG:
        return (Grace){REASON_SECRET_MISSING, GRACE_CONFIG_MS};
    case POD_CAUSE_MACHINE_LOST:
        return (Grace){REASON_MACHINE_LOST, GRACE_MACHINE_MS};
    case POD_CAUSE_UNSCHEDULABLE:
        return (Grace){REASON_POD_UNSCHEDULABLE, GRACE_SCHEDULE_MS};
    case POD_CAUSE_CRASH:
        if (trouble->is_crash_loop)
            return (Grace){REASON_CRASH_LOOP, GRACE_CRASH_MS};
        return (Grace){REASON_COUNT, 0};
    default:
        return (Grace){REASON_COUNT, 0};
    }
}

bool plan_stall_is_of_pod(Reason reason)
{
    switch (reason) {
    case REASON_IMAGE_PULL_FAILED:
    case REASON_SECRET_MISSING:
    case REASON_MACHINE_LOST:
    case REASON_POD_UNSCHEDULABLE:
    case REASON_CRASH_LOOP:
        return true;
    default:
        return false;
    }
}

/* Ends a grace period that began at `since_ms`; of an unknown beginning it never ends. */
static void judge(PodReport *report, const NodeSnapshot *s, Grace grace, int64_t since_ms)
{
    int64_t left_ms = since_ms + grace.after_ms - s->now_ms;

    if (grace.stall == REASON_COUNT || !since_ms)
        return;
    if (left_ms <= 0)
        report->stall = grace.stall;
    else
        report->look_again_ms = left_ms < grace.after_ms ? left_ms : grace.after_ms;
}

/* --- words --- */

/* The words of a registry change with every try, and older kubelets drop them while they back off.
 * The first that were reported for this image stay. */
static const char *first_words(Arena *a, const NodeSnapshot *s, const char *text)
{
    const Cond *ready = conds_find(&s->node->status.conds, COND_READY);
    const char *error = strstr(text, ": Err");

    if (!error)
        error = strstr(text, ": ImagePullBackOff");
    if (!ready || !error)
        return text;
    const char *old = strstr(ready->message, str_slice(a, text, (size_t)(error - text)));
    return old && strstr(old, ": ErrImagePull") ? old : text;
}

/* What stands before and behind the output of a failing probe. */
static const char *before_output(Arena *a, const NodeSnapshot *s, const PodTrouble *trouble)
{
    bool is_seid = str_eq(trouble->container, CONTAINER_SEID);

    return str_format(a,
        "pod %s: %s%s%s: ",
        meta_name(s->pod),
        trouble->text,
        is_seid ? "" : "; probe of ",
        is_seid ? "" : trouble->container);
}

static const char *behind_output(Arena *a, const NodeSnapshot *s, const PodTrouble *trouble)
{
    return str_format(a, "; see kubectl logs %s -c %s", meta_name(s->pod), trouble->container);
}

const char *plan_reported_output(Arena *a, const NodeSnapshot *s)
{
    const Cond *ready = conds_find(&s->node->status.conds, COND_READY);
    PodTrouble trouble = pod_trouble_find(a, s->pod);

    if (!ready || trouble.cause != POD_CAUSE_PROBE)
        return NULL;
    const char *before = before_output(a, s, &trouble), *behind = behind_output(a, s, &trouble);
    size_t around = strlen(before) + strlen(behind), length = strlen(ready->message);
    if (length <= around || !str_has_prefix(ready->message, before)
        || !str_has_suffix(ready->message, behind))
        return NULL;
    return str_slice(a, ready->message + strlen(before), length - around);
}

static const char *message_of(Arena *a, const NodeSnapshot *s, const PodTrouble *trouble)
{
    const char *text = str_format(a, "pod %s: %s", meta_name(s->pod), trouble->text);

    if (trouble->cause == POD_CAUSE_PROBE && s->probe_output)
        return str_format(a,
            "%s%s%s",
            before_output(a, s, trouble),
            s->probe_output,
            behind_output(a, s, trouble));
    if (trouble->advice)
        text = str_format(a, "%s; %s", text, trouble->advice);
    return trouble->cause == POD_CAUSE_IMAGE ? first_words(a, s, text) : text;
}

/* A pod that starts passes many states within seconds. */
static bool is_passing(const PodTrouble *trouble)
{
    return !pod_trouble_is_hard(trouble) && trouble->cause != POD_CAUSE_EVICTED;
}

static int64_t age_ms(const NodeSnapshot *s)
{
    int64_t made_ns;

    return timestamp_parse(json_str(s->pod, ".metadata.creationTimestamp"), &made_ns)
        ? s->now_ms - made_ns / 1000000
        : POD_YOUNG_MS;
}

/* In the same words from the deletion of a pod to the creation of the next. */
static PodReport report_of_none(Arena *a, const NodeSnapshot *s)
{
    return (PodReport){
        .stall = REASON_COUNT,
        .message = str_format(a,
            "pod %s is terminating or not created yet; the StatefulSet controller creates the next",
            name_pod(a, s->node->key.name)),
    };
}

/* While a kubelet pulls an image again, its pod says nothing of the last try. What was reported of
 * this pod holds until a container of it runs. */
static const Cond *find_last_pull(const NodeSnapshot *s, const PodTrouble *trouble)
{
    const Cond *stalled = conds_find(&s->node->status.conds, COND_STALLED);
    bool is_pulling = trouble->cause == POD_CAUSE_VOLUMES || trouble->cause == POD_CAUSE_UNKNOWN;
    int64_t since_ns;

    if (!is_pulling || !stalled || !str_eq(stalled->status, "True")
        || !str_eq(stalled->reason, reason_text(REASON_IMAGE_PULL_FAILED))
        || !timestamp_parse(stalled->last_transition_time, &since_ns))
        return NULL;
    return since_ns / 1000000 >= s->now_ms - age_ms(s) ? stalled : NULL;
}

/* --- both --- */

PodReport plan_pod_report(Arena *a, const NodeSnapshot *s)
{
    PodReport report = {.stall = REASON_COUNT};

    PodTrouble trouble = pod_trouble_find(a, s->pod);

    if (!s->pod || trouble.cause == POD_CAUSE_TERMINATING)
        return report_of_none(a, s);
    if (!trouble.cause)
        return report;
    const Cond *last_pull = find_last_pull(s, &trouble);
    if (last_pull)
        return (PodReport){.message = last_pull->message, .stall = REASON_IMAGE_PULL_FAILED};
    report.message = message_of(a, s, &trouble);
    if (s->pod_held_back && is_passing(&trouble)) {
        report.message = s->pod_held_back;
        judge(&report,
            s,
            (Grace){REASON_SECRET_MISSING, GRACE_CONFIG_MS},
            pod_bound_since_ms(s->pod));
    } else if (is_passing(&trouble) && age_ms(s) >= 0 && age_ms(s) < POD_YOUNG_MS) {
        report.message = str_format(a, "pod %s is starting", meta_name(s->pod));
        report.look_again_ms = POD_YOUNG_MS - age_ms(s);
    } else if (trouble.cause == POD_CAUSE_PROBE) {
        report.probed = trouble.container;
    }
    if (!s->pod_held_back)
        judge(&report, s, grace_of(&trouble), pod_trouble_since_ms(s->pod));
    return report;
}

const Cond *plan_missing_secret(const NodeSnapshot *s, const NodeStatus *status)
{
    static const Reason reasons[] = {
        REASON_SIGNING_KEY_NOT_READY, REASON_NODE_KEY_NOT_READY, REASON_OPERATOR_KEYRING_NOT_READY};
    int64_t since_ns;

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        const Cond *cond = conds_find(&status->conds, reason_condition(reasons[i]));
        if (cond && str_eq(cond->reason, reason_text(reasons[i]))
            && timestamp_parse(cond->last_transition_time, &since_ns)
            && s->now_ms - since_ns / 1000000 >= GRACE_CONFIG_MS)
            return cond;
    }
    return NULL;
}
