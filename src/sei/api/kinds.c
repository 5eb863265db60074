/* Kinds that are watched, with what caches keep of them, and what a Pod says in plain words.
 *
 * Of a StatefulSet's template only the hash is kept, and which Secrets and claims its pods mount:
 * whether the rest is as we want it is told by the hash of what we own, and whoever needs the words
 * reads it live. */
#include "sei/api/kinds.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "sei/api/pod_trouble.h"

#include <stddef.h>

enum { FAILURE_MAX = 512 };

static const char template_hash_path[] =
    ".spec.template.metadata.annotations['" ANNOTATION_TEMPLATE_HASH "']";

static const char *const statefulset_projection[] = {
    ".spec.replicas",
    ".spec.serviceName",
    ".spec.selector",
    ".spec.updateStrategy",
    template_hash_path,
    ".spec.template.spec.volumes[].persistentVolumeClaim.claimName",
    ".spec.template.spec.volumes[].secret.secretName",
    ".status.observedGeneration",
    ".status.updateRevision",
    NULL,
};

static const char *const pod_projection[] = {
    ".metadata.creationTimestamp",
    ".spec.nodeName",
    ".spec.terminationGracePeriodSeconds",
    ".spec.volumes[].persistentVolumeClaim.claimName",
    ".spec.volumes[].secret.secretName",
    ".spec.containers[].name",
    ".spec.containers[].image",
    ".status.phase",
    ".status.reason",
    ".status.message",
    ".status.podIP",
    ".status.conditions[].type",
    ".status.conditions[].status",
    ".status.conditions[].reason",
    ".status.conditions[].message",
    ".status.conditions[].lastTransitionTime",
    ".status.initContainerStatuses[].name",
    ".status.initContainerStatuses[].image",
    ".status.initContainerStatuses[].restartCount",
    ".status.initContainerStatuses[].state",
    ".status.initContainerStatuses[].lastState",
    ".status.initContainerStatuses[].ready",
    ".status.initContainerStatuses[].started",
    ".status.containerStatuses[].name",
    ".status.containerStatuses[].image",
    ".status.containerStatuses[].containerID",
    ".status.containerStatuses[].restartCount",
    ".status.containerStatuses[].state",
    ".status.containerStatuses[].lastState",
    ".status.containerStatuses[].ready",
    ".status.containerStatuses[].started",
    NULL,
};

static const char *const service_projection[] = {".spec.selector", NULL};
static const char *const no_projection[] = {NULL}; /* the metadata alone */

static const char *const pvc_projection[] = {
    ".spec.accessModes",
    ".spec.resources",
    ".spec.storageClassName",
    ".spec.volumeName",
    ".status.phase",
    ".status.capacity",
    NULL,
};

static const char *const job_projection[] = {
    ".spec.suspend",
    ".spec.template.spec.volumes[].persistentVolumeClaim.claimName",
    ".spec.template.spec.containers[].name",
    ".spec.template.spec.containers[].image",
    ".status.conditions[].type",
    ".status.conditions[].status",
    ".status.conditions[].reason",
    ".status.conditions[].message",
    NULL,
};

const Kind cached_statefulset[1] = {{"apps",
    "v1",
    "statefulsets",
    "StatefulSet",
    .namespaced = true,
    .projection = statefulset_projection}};
const Kind cached_pod[1] = {
    {"", "v1", "pods", "Pod", .namespaced = true, .projection = pod_projection}};
const Kind cached_service[1] = {
    {"", "v1", "services", "Service", .namespaced = true, .projection = service_projection}};
const Kind cached_configmap[1] = {
    {"", "v1", "configmaps", "ConfigMap", .namespaced = true, .projection = no_projection}};
const Kind cached_pvc[1] = {{"",
    "v1",
    "persistentvolumeclaims",
    "PersistentVolumeClaim",
    .namespaced = true,
    .projection = pvc_projection}};

const Kind cached_httproute[1] = {{"gateway.networking.k8s.io",
    "v1",
    "httproutes",
    "HTTPRoute",
    .namespaced = true,
    .projection = no_projection}};

const Kind cached_job[1] = {
    {"batch", "v1", "jobs", "Job", .namespaced = true, .projection = job_projection}};

/* --- pods */

static const Json *find_by(const Json *list, const char *key, const char *value)
{
    const Json *entry;

    json_each(entry, list)
        if (str_eq(json_text(json_member(entry, key)), value))
            return entry;
    return NULL;
}

bool pod_is_ready(const Json *pod)
{
    return str_eq(json_str(cond_in(pod, "Ready"), ".status"), "True");
}

bool pod_is_finished(const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");
    return str_eq(phase, "Succeeded") || str_eq(phase, "Failed");
}

bool pod_has_started_seid(const Json *pod)
{
    const Json *seid = find_by(json_find(pod, ".status.containerStatuses"), "name", CONTAINER_SEID);

    if (str_empty(json_str(seid, ".containerID")))
        return false;
    return json_find(seid, ".state.running") || json_find(seid, ".state.terminated")
        || json_find(seid, ".lastState.terminated");
}

static bool has_claim(const Json *volumes, const char *claim)
{
    const Json *volume;

    json_each(volume, volumes) {
        const char *used = json_str(volume, ".persistentVolumeClaim.claimName");
        if (used && str_eq(used, claim))
            return true;
    }
    return false;
}

bool pod_mounts_claim(const Json *pod, const char *claim)
{
    return has_claim(json_find(pod, ".spec.volumes"), claim);
}

bool pod_uses_claim(const Json *pod, const char *claim)
{
    return pod_mounts_claim(pod, claim) && !pod_is_finished(pod);
}

const char *claim_other_node(const Json *claim, const char *node_uid)
{
    const Json *controller = meta_controller(claim);

    if (!str_eq(json_str(controller, ".kind"), kind_seinode->name)
        || str_eq(json_str(controller, ".uid"), node_uid))
        return NULL;
    return json_str(controller, ".name");
}

bool claim_is_lost(const Json *claim)
{
    return str_eq(json_str(claim, ".status.phase"), "Lost");
}

/* By itself, or as a part of what a volume is put together from. */
static bool is_of_secret(const Json *volume, const char *secret)
{
    const Json *source;

    if (str_eq(json_str(volume, ".secret.secretName"), secret))
        return true;
    json_each(source, json_find(volume, ".projected.sources"))
        if (str_eq(json_str(source, ".secret.name"), secret))
            return true;
    return false;
}

static bool has_secret(const Json *volumes, const char *secret)
{
    const Json *volume;

    json_each(volume, volumes)
        if (is_of_secret(volume, secret))
            return true;
    return false;
}

bool pod_mounts_secret(const Json *pod, const char *secret)
{
    return secret && has_secret(json_find(pod, ".spec.volumes"), secret);
}

bool statefulset_mounts_secret(const Json *statefulset, const char *secret)
{
    return secret && has_secret(json_find(statefulset, ".spec.template.spec.volumes"), secret);
}

/* --- how far a pod is */

int64_t pod_bound_since_ms(const Json *pod)
{
    const Json *scheduled = cond_in(pod, "PodScheduled");
    int64_t since_ns;

    if (!str_eq(json_str(scheduled, ".status"), "True")
        || !timestamp_parse(json_str(scheduled, ".lastTransitionTime"), &since_ns))
        return 0;
    return since_ns / 1000000;
}

bool pod_seid_is_ready(const Json *pod)
{
    const Json *statuses = json_find(pod, ".status.containerStatuses");

    return json_bool(find_by(statuses, "name", CONTAINER_SEID), ".ready", false);
}

static int64_t cond_changed_ns(const Json *pod, const char *type)
{
    int64_t at_ns;

    return timestamp_parse(json_str(cond_in(pod, type), ".lastTransitionTime"), &at_ns) ? at_ns : 0;
}

bool pod_was_ready(const Json *pod)
{
    int64_t initialized_ns = cond_changed_ns(pod, "Initialized");

    return pod_is_ready(pod) || (initialized_ns && cond_changed_ns(pod, "Ready") > initialized_ns);
}

static const char *add_unready(Arena *a, const char *names, const Json *statuses)
{
    const Json *status;

    json_each(status, statuses) {
        const char *name = json_str(status, ".name");
        bool has_ended_well =
            json_int(status, ".state.terminated.exitCode", 1) == 0; /* an init container */
        if (name && !has_ended_well && !json_bool(status, ".ready", false))
            names = names ? str_format(a, "%s, %s", names, name) : name;
    }
    return names;
}

const char *pod_unready_helpers(Arena *a, const Json *pod)
{
    if (pod_is_ready(pod) || !pod_seid_is_ready(pod))
        return NULL;
    const char *names = add_unready(a, NULL, json_find(pod, ".status.initContainerStatuses"));
    return add_unready(a, names, json_find(pod, ".status.containerStatuses"));
}

/* --- whether a pod has changed in what counts */

static bool metadata_differs(const Json *before, const Json *now)
{
    static const char *const paths[] = {
        ".metadata.finalizers",
        ".metadata.labels",
        ".metadata.annotations",
        ".metadata.ownerReferences",
        ".metadata.deletionTimestamp",
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!json_equal(json_find(before, paths[i]), json_find(now, paths[i])))
            return true;
    return false;
}

static const char *seid_image(const Json *pod)
{
    return json_str(find_by(json_find(pod, ".spec.containers"), "name", CONTAINER_SEID), ".image");
}

static bool mounts_secret(const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes"))
        if (json_str(volume, ".secret.secretName"))
            return true;
    return false;
}

/* Since when it waits for its volumes is asked of pods whose Secrets may be missing. */
static bool binding_differs(const Json *before, const Json *now)
{
    return mounts_secret(now) && pod_bound_since_ms(before) != pod_bound_since_ms(now);
}

static bool running_differs(Arena *a, const Json *before, const Json *now)
{
    return pod_is_ready(before) != pod_is_ready(now)
        || pod_seid_is_ready(before) != pod_seid_is_ready(now)
        || !str_eq(pod_unready_helpers(a, before), pod_unready_helpers(a, now))
        || pod_has_started_seid(before) != pod_has_started_seid(now) || binding_differs(before, now)
        || !str_eq(json_str(before, ".status.podIP"), json_str(now, ".status.podIP"));
}

/* The operator waits until a terminating pod has ended or is gone. Only the cause of the wait
 * counts: its machine may be lost meanwhile. */
bool pod_is_news(Arena *a, const Json *before, const Json *now)
{
    bool is_going = meta_deleting(before) && meta_deleting(now);

    return pod_is_finished(before) != pod_is_finished(now)
        || !str_eq(seid_image(before), seid_image(now)) || metadata_differs(before, now)
        || !str_eq(pod_trouble_find(a, before).text, pod_trouble_find(a, now).text)
        || (!is_going && running_differs(a, before, now));
}

/* --- SeiNodes */

static bool conditions_turn(const Json *before, const Json *now)
{
    static const char *const members[] = {"type", "status", "reason", "observedGeneration"};
    const Json *one, *other = json_first(before);

    if (json_count(before) != json_count(now))
        return true;
    json_each(one, now) {
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if (!json_equal(json_member(one, members[i]), json_member(other, members[i])))
                return true;
        other = json_next(before, other);
    }
    return false;
}

bool node_is_news(Arena *a, const Json *before, const Json *now)
{
    const Json *was = json_find(before, ".status"), *is = json_find(now, ".status");
    const Json *change = json_merge_diff(a, was, is);
    const Json *of_plan = json_member(change, "plan");
    const Json *of_conditions = json_member(change, "conditions");
    size_t words = (of_plan ? 1u : 0u) + (of_conditions ? 1u : 0u);

    return meta_generation(before) != meta_generation(now) || metadata_differs(before, now)
        || json_count(change) > words
        || (of_plan && !(json_count(of_plan) == 1 && json_member(of_plan, "waiting")))
        || (of_conditions
            && conditions_turn(json_member(was, "conditions"), json_member(is, "conditions")));
}

/* --- Jobs */

static const Json *job_condition(const Json *job, const char *type)
{
    const Json *condition = cond_in(job, type);

    return str_eq(json_str(condition, ".status"), "True") ? condition : NULL;
}

bool job_is_complete(const Json *job)
{
    return job_condition(job, "Complete") != NULL;
}

bool job_is_failed(const Json *job)
{
    return job_condition(job, "Failed") != NULL;
}

const char *job_failure(Arena *a, const Json *job)
{
    const Json *failed = job_condition(job, "Failed");

    const char *reason = json_str(failed, ".reason"), *message = json_str(failed, ".message");

    if (str_empty(reason) && str_empty(message))
        return failed ? "no reason given" : "";
    return str_cut(a,
        str_format(a,
            "%s%s%s",
            reason ? reason : "",
            str_empty(reason) || str_empty(message) ? "" : ": ",
            message ? message : ""),
        FAILURE_MAX);
}

const char *job_image(const Json *job)
{
    const Json *seid =
        find_by(json_find(job, ".spec.template.spec.containers"), "name", CONTAINER_SEID);

    return json_str(seid, ".image");
}

bool job_mounts_claim(const Json *job, const char *claim)
{
    return has_claim(json_find(job, ".spec.template.spec.volumes"), claim);
}

bool statefulset_mounts_claim(const Json *statefulset, const char *claim)
{
    return has_claim(json_find(statefulset, ".spec.template.spec.volumes"), claim);
}
