/* Pods of a Job. */
#include "world/job_pod.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

static bool is(const Json *pod, const char *phase)
{
    return str_eq(json_str(pod, ".status.phase"), phase);
}

static bool is_over(const Json *pod)
{
    return is(pod, "Succeeded") || is(pod, "Failed");
}

bool job_pod_is_active(const Json *pod)
{
    return !is_over(pod) && !meta_deleting(pod);
}

bool job_pod_is_ready(const Json *pod)
{
    return job_pod_is_active(pod) && str_eq(json_str(cond_in(pod, "Ready"), ".status"), "True");
}

bool job_pod_is_terminating(const Json *pod)
{
    return !is_over(pod) && meta_deleting(pod);
}

bool job_pod_has_succeeded(const Json *pod)
{
    return is(pod, "Succeeded");
}

bool job_pod_has_failed(const Json *pod, const Json *job)
{
    if (is(pod, "Failed"))
        return true;
    return !str_eq(json_str(job, ".spec.podReplacementPolicy"), "Failed")
        && job_pod_is_terminating(pod);
}

/* --- when it ended --- */

static bool parse_ms(const char *text, int64_t *ret)
{
    int64_t ns;

    if (!timestamp_parse(text, &ns))
        return false;
    *ret = ns / 1000000;
    return true;
}

/* The end of the last container; false while one runs. */
static bool containers_ended_ms(const Json *pod, int64_t *ret)
{
    const Json *statuses = json_find(pod, ".status.containerStatuses"), *status;
    int64_t last = 0, one;

    json_each(status, statuses) {
        if (!parse_ms(json_str(status, ".state.terminated.finishedAt"), &one))
            return false;
        last = one > last ? one : last;
    }
    *ret = last;
    return json_count(statuses) > 0;
}

int64_t job_pod_ended_ms(const Json *pod)
{
    const Json *ready = cond_in(pod, "Ready");
    int64_t ms = 0;

    if (containers_ended_ms(pod, &ms))
        return ms;
    if (str_eq(json_str(ready, ".status"), "False")
        && parse_ms(json_str(ready, ".lastTransitionTime"), &ms))
        return ms;
    if (parse_ms(meta_deletion_timestamp(pod), &ms))
        return ms - json_int(pod, ".metadata.deletionGracePeriodSeconds", 0) * 1000;
    parse_ms(json_str(pod, ".metadata.creationTimestamp"), &ms);
    return ms;
}

int64_t job_pod_restarts(const Json *pod)
{
    const Json *status;
    int64_t restarts = 0;

    if (is_over(pod))
        return 0;
    json_each(status, json_find(pod, ".status.containerStatuses"))
        restarts += json_int(status, ".restartCount", 0);
    json_each(status, json_find(pod, ".status.initContainerStatuses"))
        restarts += json_int(status, ".restartCount", 0);
    return restarts;
}

/* --- new ones --- */

static Draft *finalizers(Arena *a, const Json *template)
{
    const Json *finalizer;
    Draft *list = draft_array(a);

    json_each(finalizer, json_find(template, ".metadata.finalizers"))
        draft_push_json(list, finalizer);
    if (!meta_has_finalizer(template, JOB_TRACKING))
        draft_push_str(list, JOB_TRACKING);
    return list;
}

const Json *job_pod_new(Arena *a, const Json *job)
{
    const Json *template = json_find(job, ".spec.template");

    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Pod"),
            obj("metadata",
                str("generateName", str_format(a, "%s-", meta_name(job))),
                str("namespace", meta_namespace(job)),
                draft_json("labels", json_find(template, ".metadata.labels")),
                draft_json("annotations", json_find(template, ".metadata.annotations")),
                sub("finalizers", finalizers(a, template)),
                list("ownerReferences", meta_owner_reference(a, kind_job, job))),
            draft_json("spec", json_member(template, "spec"))));
}
